package hessian

import (
	"encoding/binary"
	"time"
)

// FromBean returns the Go value of a small Java type that came as a map of its getters, which is what a Java provider answers to a
// generic call: java.util.UUID, Locale, and java.time's Instant, Duration, OffsetDateTime, ZonedDateTime and Period. ok is false for
// every other map. Assign applies it by itself. Dates without a zone come as text there ("2026-02-28").
func FromBean(m map[string]any) (v any, ok bool) {
	class, _ := m["class"].(string)
	switch class {
	case "java.util.UUID":
		most, ok1 := m["mostSignificantBits"].(int64)
		least, ok2 := m["leastSignificantBits"].(int64)
		var u UUID
		binary.BigEndian.PutUint64(u[:8], uint64(most))
		binary.BigEndian.PutUint64(u[8:], uint64(least))
		return u, ok1 && ok2
	case "java.util.Locale":
		return localeBean(m)
	case "java.time.Instant":
		n, ok := beanInts(m, "epochSecond", "nano")
		return Instant{time.Unix(n[0], n[1]).UTC()}, ok
	case "java.time.Duration":
		n, ok := beanInts(m, "seconds", "nano")
		const most = int64(1<<63-1) / int64(time.Second)
		if !ok || n[0] >= most || n[0] <= -most || n[1] < 0 || n[1] >= int64(time.Second) {
			return nil, false
		}
		return time.Duration(n[0])*time.Second + time.Duration(n[1]), true
	case "java.time.Period":
		n, ok := beanInts(m, "years", "months", "days")
		return Period{int(n[0]), int(n[1]), int(n[2])}, ok
	case "java.time.OffsetDateTime", "java.time.ZonedDateTime":
		return zonedBean(m, class)
	}
	return nil, false
}

func localeBean(m map[string]any) (any, bool) {
	language, ok := m["language"].(string)
	country, _ := m["country"].(string)
	variant, _ := m["variant"].(string)
	switch {
	case variant != "":
		language += "_" + country + "_" + variant
	case country != "":
		language += "_" + country
	}
	return Locale(language), ok
}

func zonedBean(m map[string]any, class string) (any, bool) {
	day, ok1 := beanInts(m, "year", "monthValue", "dayOfMonth")
	clock, ok2 := beanInts(m, "hour", "minute", "second", "nano")
	zone, _ := m["offset"].(map[string]any)
	offset, ok3 := beanInts(zone, "totalSeconds")
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	at := LocalDateTime{
		LocalDate{int(day[0]), time.Month(day[1]), int(day[2])},
		LocalTime{int(clock[0]), int(clock[1]), int(clock[2]), int(clock[3])},
	}
	if class == "java.time.OffsetDateTime" {
		return OffsetDateTime{at, int(offset[0])}, true
	}
	name := offsetText(int(offset[0]))
	if region, ok := m["zone"].(map[string]any); ok {
		if id, ok := region["id"].(string); ok {
			name = id
		}
	}
	return ZonedDateTime{at, int(offset[0]), name}, true
}

// beanInts returns the named entries, which must be whole numbers.
func beanInts(m map[string]any, names ...string) ([4]int64, bool) {
	var out [4]int64
	for i, name := range names {
		switch n := m[name].(type) {
		case int32:
			out[i] = int64(n)
		case int64:
			out[i] = n
		default:
			return out, false
		}
	}
	return out, true
}

// UnmarshalText implements encoding.TextUnmarshaler for the ISO form.
func (d *LocalDate) UnmarshalText(text []byte) error {
	t, err := time.Parse("2006-01-02", string(text))
	if err == nil {
		*d = LocalDateOf(t)
	}
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler for the ISO form, whose seconds may be missing.
func (t *LocalTime) UnmarshalText(text []byte) error {
	at, err := parseClock("15:04", string(text))
	if err == nil {
		*t = LocalTimeOf(at)
	}
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler for the ISO form, whose seconds may be missing.
func (d *LocalDateTime) UnmarshalText(text []byte) error {
	at, err := parseClock("2006-01-02T15:04", string(text))
	if err == nil {
		*d = LocalDateTimeOf(at)
	}
	return err
}

// parseClock parses with and without seconds: Java leaves them out when they are 0.
func parseClock(layout, text string) (time.Time, error) {
	if t, err := time.Parse(layout, text); err == nil {
		return t, nil
	}
	return time.Parse(layout+":05", text)
}
