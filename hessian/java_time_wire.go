package hessian

import (
	"fmt"
	"math"
	"time"
)

// encodeJavaTime writes the java.time values and the other small Java types as the handles that Dubbo's Java
// implementation puts in their place.
func (e *Encoder) encodeJavaTime(v any) (bool, error) {
	switch v := v.(type) {
	case LocalDate:
		return true, e.encodeLocalDate(v)
	case LocalTime:
		return true, e.encodeLocalTime(v)
	case LocalDateTime:
		return true, e.encodeLocalDateTime(v)
	case Instant:
		e.EncodeObjectBegin(&classInstant)
		e.EncodeLong(v.Unix())
		e.EncodeInt(int32(v.Nanosecond()))
	case time.Duration:
		e.EncodeObjectBegin(&classDuration)
		s, n := v/time.Second, v%time.Second
		if n < 0 {
			s, n = s-1, n+time.Second
		}
		e.EncodeLong(int64(s))
		e.EncodeInt(int32(n))
	case OffsetDateTime:
		e.EncodeObjectBegin(&classOffsetDateTime)
		if err := e.encodeLocalDateTime(v.DateTime); err != nil {
			return true, err
		}
		return true, e.encodeInts(&classZoneOffset, v.Offset)
	case ZonedDateTime:
		e.EncodeObjectBegin(&classZonedDateTime)
		if err := e.encodeLocalDateTime(v.DateTime); err != nil {
			return true, err
		}
		if err := e.encodeInts(&classZoneOffset, v.Offset); err != nil {
			return true, err
		}
		e.EncodeString(v.Zone)
	case Period:
		return true, e.encodeInts(&classPeriod, v.Years, v.Months, v.Days)
	case Locale:
		e.EncodeObjectBegin(&classLocale)
		e.EncodeString(string(v))
	case UUID:
		e.encodeUUID(v)
	default:
		return false, nil
	}
	return true, nil
}

func (e *Encoder) encodeLocalDate(v LocalDate) error {
	return e.encodeInts(&classLocalDate, v.Year, int(v.Month), v.Day)
}

func (e *Encoder) encodeLocalTime(v LocalTime) error {
	return e.encodeInts(&classLocalTime, v.Hour, v.Minute, v.Second, v.Nano)
}

func (e *Encoder) encodeLocalDateTime(v LocalDateTime) error {
	e.EncodeObjectBegin(&classLocalDateTime)
	if err := e.encodeLocalDate(v.Date); err != nil {
		return err
	}
	return e.encodeLocalTime(v.Time)
}

func (e *Encoder) encodeInts(c *Class, values ...int) error {
	e.EncodeObjectBegin(c)
	for i, v := range values {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return fmt.Errorf("%w: %s.%s is %d, beyond a Java int", ErrType, c.Name, c.Fields[i], v)
		}
		e.EncodeInt(int32(v))
	}
	return nil
}

// ints returns the named fields of o, which must be Java ints, or longs in that range.
func ints(o *Object, names ...string) ([5]int, bool) {
	var out [5]int
	for i, name := range names {
		v, _ := o.Get(name)
		switch v := v.(type) {
		case int32:
			out[i] = int(v)
		case int64:
			if v < math.MinInt32 || v > math.MaxInt32 {
				return out, false
			}
			out[i] = int(v)
		default:
			return out, false
		}
	}
	return out, true
}

func localDate(o *Object) any {
	if n, ok := ints(o, "year", "month", "day"); ok {
		return LocalDate{n[0], time.Month(n[1]), n[2]}
	}
	return o
}

func localTime(o *Object) any {
	if n, ok := ints(o, "hour", "minute", "second", "nano"); ok {
		return LocalTime{n[0], n[1], n[2], n[3]}
	}
	return o
}

func localDateTime(o *Object) any {
	d, _ := o.Get("date")
	t, _ := o.Get("time")
	date, ok1 := d.(LocalDate)
	clock, ok2 := t.(LocalTime)
	if ok1 && ok2 {
		return LocalDateTime{date, clock}
	}
	return o
}

// secondsOf returns the fields of InstantHandle and DurationHandle.
func secondsOf(o *Object) (seconds, nanos int64, ok bool) {
	s, _ := o.Get("seconds")
	n, ok := ints(o, "nanos")
	switch s := s.(type) {
	case int32:
		seconds = int64(s)
	case int64:
		seconds = s
	default:
		return 0, 0, false
	}
	return seconds, int64(n[0]), ok && n[0] >= 0 && n[0] < int(time.Second)
}

func instant(o *Object) any {
	const most = 31556889864403199 // java.time.Instant.MAX
	if s, n, ok := secondsOf(o); ok && s <= most && s >= -most {
		return Instant{time.Unix(s, n).UTC()}
	}
	return o
}

func duration(o *Object) any {
	const most = math.MaxInt64/int64(time.Second) - 1
	if s, n, ok := secondsOf(o); ok && s <= most && s >= -most {
		return time.Duration(s)*time.Second + time.Duration(n)
	}
	return o
}

func offsetDateTime(o *Object) any {
	t, _ := o.Get("dateTime")
	z, _ := o.Get("offset")
	clock, ok := t.(LocalDateTime)
	if offset, isOffset := z.(zoneOffset); ok && isOffset {
		return OffsetDateTime{clock, int(offset)}
	}
	return o
}

func zonedDateTime(o *Object) any {
	t, _ := o.Get("dateTime")
	z, _ := o.Get("offset")
	clock, ok := t.(LocalDateTime)
	if offset, isOffset := z.(zoneOffset); ok && isOffset {
		return ZonedDateTime{clock, int(offset), o.Text("zoneId")}
	}
	return o
}

// zoneOffset is a java.time.ZoneOffset in seconds.
type zoneOffset int

// MarshalText implements encoding.TextMarshaler.
func (z zoneOffset) MarshalText() ([]byte, error) { return []byte(offsetText(int(z))), nil }
