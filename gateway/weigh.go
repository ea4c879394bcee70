package gateway

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// weighs takes from left one for each part of v and for each byte of its texts, which is less than their JSON has, and reports whether that
// was enough. It is asked before encoding/json gets a Go struct, because that builds all of a result before anybody can stop it.
func weighs(v reflect.Value, left *int, depth int) bool {
	if *left--; *left < 0 || depth > maxResultDepth {
		return false
	}
	if !v.IsValid() || v.CanInterface() && marshals(v.Interface()) {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		*left -= v.Len()
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || weighs(v.Elem(), left, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !weighs(v.Field(i), left, depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			*left -= v.Len()
			break
		}
		for i := range v.Len() {
			if !weighs(v.Index(i), left, depth+1) {
				return false
			}
		}
	case reflect.Map:
		for e := v.MapRange(); e.Next(); {
			if !weighs(e.Key(), left, depth+1) || !weighs(e.Value(), left, depth+1) {
				return false
			}
		}
	}
	return *left >= 0
}

// marshals reports whether v writes itself.
func marshals(v any) bool {
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}

// isoDuration returns d as java.time.Duration prints it: PT1.5S, PT-1M-30S.
func isoDuration(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	var b strings.Builder
	b.WriteString("PT")
	if h := d / time.Hour; h != 0 {
		b.WriteString(strconv.FormatInt(int64(h), 10) + "H")
	}
	if m := d % time.Hour / time.Minute; m != 0 {
		b.WriteString(strconv.FormatInt(int64(m), 10) + "M")
	}
	if s := d % time.Minute; s != 0 {
		whole, part := s/time.Second, s%time.Second
		if s < 0 {
			b.WriteByte('-')
			whole, part = -whole, -part
		}
		b.WriteString(strconv.FormatInt(int64(whole), 10))
		if part != 0 {
			digits := strconv.FormatInt(int64(part)+int64(time.Second), 10)[1:]
			b.WriteString("." + strings.TrimRight(digits, "0"))
		}
		b.WriteByte('S')
	}
	return b.String()
}
