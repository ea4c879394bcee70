package hessian

import (
	"fmt"
	"strconv"
	"time"
)

// LocalDate is a java.time.LocalDate.
type LocalDate struct {
	Year  int
	Month time.Month
	Day   int
}

// LocalTime is a java.time.LocalTime.
type LocalTime struct{ Hour, Minute, Second, Nano int }

// LocalDateTime is a java.time.LocalDateTime.
type LocalDateTime struct {
	Date LocalDate
	Time LocalTime
}

// Instant is a java.time.Instant. (A plain time.Time is a java.util.Date.)
type Instant struct{ time.Time }

// OffsetDateTime is a java.time.OffsetDateTime.
type OffsetDateTime struct {
	DateTime LocalDateTime
	// Offset is in seconds east of UTC.
	Offset int
}

// ZonedDateTime is a java.time.ZonedDateTime.
type ZonedDateTime struct {
	DateTime LocalDateTime
	// Offset is in seconds east of UTC; Zone is a region ("Europe/Berlin") or an offset ("+02:00").
	Offset int
	Zone   string
}

// Period is a java.time.Period.
type Period struct{ Years, Months, Days int }

// LocalDateOf returns the date of t in its location.
func LocalDateOf(t time.Time) LocalDate {
	y, m, d := t.Date()
	return LocalDate{y, m, d}
}

// LocalTimeOf returns the time of day of t in its location.
func LocalTimeOf(t time.Time) LocalTime {
	return LocalTime{t.Hour(), t.Minute(), t.Second(), t.Nanosecond()}
}

// LocalDateTimeOf returns date and time of day of t in its location.
func LocalDateTimeOf(t time.Time) LocalDateTime {
	return LocalDateTime{LocalDateOf(t), LocalTimeOf(t)}
}

// In returns midnight of the date in loc.
func (d LocalDate) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// In returns the moment that a clock in loc shows as d.
func (d LocalDateTime) In(loc *time.Location) time.Time {
	return time.Date(d.Date.Year, d.Date.Month, d.Date.Day, d.Time.Hour, d.Time.Minute, d.Time.Second, d.Time.Nano, loc)
}

// AsTime returns the moment, in a location of that fixed offset.
func (o OffsetDateTime) AsTime() time.Time {
	return o.DateTime.In(time.FixedZone("", o.Offset))
}

// AsTime returns the moment, in a location of its zone's name and offset.
func (z ZonedDateTime) AsTime() time.Time {
	return z.DateTime.In(time.FixedZone(z.Zone, z.Offset))
}

// String returns the ISO form, as Java prints it ("2026-02-28").
func (d LocalDate) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// String returns the ISO form with seconds ("13:05:00", "13:05:00.25").
func (t LocalTime) String() string {
	s := fmt.Sprintf("%02d:%02d:%02d", t.Hour, t.Minute, t.Second)
	if t.Nano == 0 {
		return s
	}
	f := fmt.Sprintf("%09d", t.Nano)
	for f[len(f)-1] == '0' {
		f = f[:len(f)-1]
	}
	return s + "." + f
}

// String returns the ISO form ("2026-02-28T13:05:00").
func (d LocalDateTime) String() string { return d.Date.String() + "T" + d.Time.String() }

// String returns the ISO form ("2026-02-28T13:05:00+08:00").
func (o OffsetDateTime) String() string { return o.DateTime.String() + offsetText(o.Offset) }

// String returns the form that Java prints ("2026-02-28T13:05:00+08:00[Asia/Shanghai]").
func (z ZonedDateTime) String() string {
	return z.DateTime.String() + offsetText(z.Offset) + "[" + z.Zone + "]"
}

// String returns the ISO form ("P1Y2M3D").
func (p Period) String() string {
	if p == (Period{}) {
		return "P0D"
	}
	s := "P"
	for _, part := range []struct {
		n    int
		unit string
	}{{p.Years, "Y"}, {p.Months, "M"}, {p.Days, "D"}} {
		if part.n != 0 {
			s += strconv.Itoa(part.n) + part.unit
		}
	}
	return s
}

func offsetText(seconds int) string {
	if seconds == 0 {
		return "Z"
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	s := fmt.Sprintf("%c%02d:%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		s += fmt.Sprintf(":%02d", seconds%60)
	}
	return s
}

// MarshalText implements encoding.TextMarshaler, so that JSON has the ISO form.
func (d LocalDate) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (t LocalTime) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (d LocalDateTime) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (o OffsetDateTime) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (z ZonedDateTime) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (p Period) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// toTime returns the moment that a decoded value names; dates without zone are taken as UTC, text as ISO.
func toTime(v any) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case Instant:
		return v.Time, true
	case OffsetDateTime:
		return v.AsTime(), true
	case ZonedDateTime:
		return v.AsTime(), true
	case LocalDateTime:
		return v.In(time.UTC), true
	case LocalDate:
		return v.In(time.UTC), true
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
			if t, err := time.Parse(layout, v); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}
