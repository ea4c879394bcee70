package hessian

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"time"
)

// Locale is a java.util.Locale as Java prints it ("de_DE").
type Locale string

// UUID is a java.util.UUID.
type UUID [16]byte

// String returns the usual form of 36 characters.
func (u UUID) String() string {
	h := hex.EncodeToString(u[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// MarshalText implements encoding.TextMarshaler.
func (u UUID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// ParseUUID reads the usual form.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		if _, err := hex.Decode(u[:], []byte(s[:8]+s[9:13]+s[14:18]+s[19:23]+s[24:])); err == nil {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("%w: %q is no UUID: want the form 123e4567-e89b-12d3-a456-426614174000", ErrType, s)
}

func (e *Encoder) encodeUUID(u UUID) {
	e.EncodeObjectBegin(&classUUID)
	e.EncodeString(u.String())
}

func uuid(o *Object) any {
	if s := o.Text("value"); s != "" {
		if u, err := ParseUUID(s); err == nil {
			return u
		}
		return o
	}
	most, _ := o.Get("mostSigBits")
	least, _ := o.Get("leastSigBits")
	m, ok1 := most.(int64)
	l, ok2 := least.(int64)
	if !ok1 || !ok2 {
		return o
	}
	var u UUID
	binary.BigEndian.PutUint64(u[:8], uint64(m))
	binary.BigEndian.PutUint64(u[8:], uint64(l))
	return u
}

// sqlTime reads java.sql.Date, Time and Timestamp, whose field "value" is a date.
func sqlTime(o *Object) any {
	v, _ := o.Get("value")
	t, ok := v.(time.Time)
	if !ok {
		return o
	}
	if n, ok := ints(o, "nanos"); ok && n[0] >= 0 && n[0] < int(time.Second) {
		return t.Truncate(time.Second).Add(time.Duration(n[0]))
	}
	return t
}

// fromJava returns the Go value of an object of a well-known Java class, else the object itself.
func fromJava(o *Object) any {
	switch o.Class.Name {
	case "java.math.BigDecimal":
		if s := o.Text("value"); s != "" {
			return Decimal(s)
		}
	case "java.math.BigInteger":
		return bigInteger(o)
	case "java.util.UUID":
		return uuid(o)
	case "java.sql.Date", "java.sql.Time", "java.sql.Timestamp":
		return sqlTime(o)
	case "com.alibaba.com.caucho.hessian.io.CalendarHandle":
		v, _ := o.Get("date")
		if t, ok := v.(time.Time); ok {
			return t
		}
	case classLocale.Name:
		return Locale(o.Text("value"))
	case classLocalDate.Name:
		return localDate(o)
	case classLocalTime.Name:
		return localTime(o)
	case classLocalDateTime.Name:
		return localDateTime(o)
	case classInstant.Name:
		return instant(o)
	case classDuration.Name:
		return duration(o)
	case classOffsetDateTime.Name:
		return offsetDateTime(o)
	case classZonedDateTime.Name:
		return zonedDateTime(o)
	case classZoneOffset.Name:
		if n, ok := ints(o, "seconds"); ok {
			return zoneOffset(n[0])
		}
	case classPeriod.Name:
		if n, ok := ints(o, "years", "months", "days"); ok {
			return Period{n[0], n[1], n[2]}
		}
	}
	return o
}

const java8 = "com.alibaba.com.caucho.hessian.io.java8."

// The classes of the well-known Java types as they are written. They are never changed.
var (
	classDecimal        = Class{"java.math.BigDecimal", []string{"value"}}
	classBigInteger     = Class{"java.math.BigInteger", []string{"signum", "mag"}}
	classUUID           = Class{"java.util.UUID", []string{"value"}}
	classLocale         = Class{"com.alibaba.com.caucho.hessian.io.LocaleHandle", []string{"value"}}
	classLocalDate      = Class{java8 + "LocalDateHandle", []string{"year", "month", "day"}}
	classLocalTime      = Class{java8 + "LocalTimeHandle", []string{"hour", "minute", "second", "nano"}}
	classLocalDateTime  = Class{java8 + "LocalDateTimeHandle", []string{"date", "time"}}
	classInstant        = Class{java8 + "InstantHandle", []string{"seconds", "nanos"}}
	classDuration       = Class{java8 + "DurationHandle", []string{"seconds", "nanos"}}
	classOffsetDateTime = Class{java8 + "OffsetDateTimeHandle", []string{"dateTime", "offset"}}
	classZonedDateTime  = Class{java8 + "ZonedDateTimeHandle", []string{"dateTime", "offset", "zoneId"}}
	classZoneOffset     = Class{java8 + "ZoneOffsetHandle", []string{"seconds"}}
	classPeriod         = Class{java8 + "PeriodHandle", []string{"years", "months", "days"}}

	decimalType  = reflect.TypeFor[Decimal]()
	timeType     = reflect.TypeFor[time.Time]()
	specialTypes = map[reflect.Type]bool{
		reflect.TypeFor[Decimal](): true, reflect.TypeFor[Locale](): true, reflect.TypeFor[UUID](): true,
		reflect.TypeFor[Enum](): true, reflect.TypeFor[time.Duration](): true, reflect.TypeFor[Instant](): true,
		reflect.TypeFor[LocalDate](): true, reflect.TypeFor[LocalTime](): true, reflect.TypeFor[LocalDateTime](): true,
		reflect.TypeFor[OffsetDateTime](): true, reflect.TypeFor[ZonedDateTime](): true, reflect.TypeFor[Period](): true,
		reflect.TypeFor[[]any](): true, reflect.TypeFor[[]string](): true, reflect.TypeFor[[]int32](): true,
		reflect.TypeFor[[]int64](): true, reflect.TypeFor[[]int](): true, reflect.TypeFor[[]int16](): true,
		reflect.TypeFor[[]float64](): true, reflect.TypeFor[[]float32](): true, reflect.TypeFor[[]bool](): true,
	}
)

// special tells whether Encode has a case of its own for t.
func special(t reflect.Type) bool { return specialTypes[t] }

// wellKnownName returns string(b), without an allocation for the names that every call carries.
func wellKnownName(b []byte) string {
	switch string(b) {
	case "[string":
		return "[string"
	case "[int":
		return "[int"
	case "[object":
		return "[object"
	case "[long":
		return "[long"
	case "name":
		return "name"
	case "value":
		return "value"
	case "java.math.BigDecimal":
		return "java.math.BigDecimal"
	}
	return string(b)
}
