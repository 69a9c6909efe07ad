package terms

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Window is a part of some days of each week, in local time: from the beginning of a minute to that
// of another one. Where To is not after From, it ends on the next day.
type Window struct {
	Days uint8 // bit time.Weekday; of the day when it begins
	Hours
}

// dayNames are the names of days in a Window.
var dayNames = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

// everyDay is Window.Days for the whole week.
const everyDay = 1<<len(dayNames) - 1

// ParseWindow reads [DAYS ]HH:MM-HH:MM. DAYS are names such as Mon, joined by commas, and ranges
// such as Mon-Fri or Sat-Mon; none are all.
func ParseWindow(text string) (w Window, err error) {
	days, hours, found := strings.Cut(strings.TrimSpace(text), " ")
	if w.Days = everyDay; !found {
		hours = days
	} else if w.Days, err = parseDays(days); err != nil {
		return w, fmt.Errorf("%q: %w", text, err)
	}
	if w.Hours, err = ParseHours(strings.TrimSpace(hours)); err != nil {
		return w, fmt.Errorf("%q: want DAYS HH:MM-HH:MM in local time, such as Mon-Fri 02:00-04:00, Sat,Sun 00:00-24:00 or 22:30-05:00", text)
	}
	return w, nil
}

// parseDays reads names and ranges of days.
func parseDays(text string) (set uint8, err error) {
	number := func(name string) int {
		return slices.IndexFunc(dayNames[:], func(d string) bool { return strings.EqualFold(d, name) })
	}
	for word := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(word, "-")
		a, b := number(first), number(last)
		if !isRange {
			b = a
		}
		if a < 0 || b < 0 {
			return 0, errors.New("days are Mon, Tue, Wed, Thu, Fri, Sat and Sun, as in Mon-Fri or Sat,Sun")
		}
		for d := a; ; d = (d + 1) % len(dayNames) {
			if set |= 1 << d; d == b {
				break
			}
		}
	}
	return set, nil
}

// String writes what ParseWindow reads.
func (w Window) String() string {
	if w.Days == everyDay {
		return w.Hours.String()
	}
	var names []string
	for d := 1; d <= len(dayNames); d++ { // the week begins on Monday
		from := d
		for d < len(dayNames) && w.has(d) && w.has(d+1) {
			d++
		}
		switch {
		case !w.has(d):
		case d-from > 1:
			names = append(names, dayNames[from%7]+"-"+dayNames[d%7])
		case d > from:
			names = append(names, dayNames[from%7], dayNames[d%7])
		default:
			names = append(names, dayNames[d%7])
		}
	}
	return strings.Join(names, ",") + " " + w.Hours.String()
}

// has reports whether the window begins on a day of the week; 7 is Sunday again.
func (w Window) has(d int) bool { return w.Days&(1<<(d%len(dayNames))) != 0 }

// Zone is the local time of a site.
type Zone struct {
	Name    string       `json:",omitempty"`
	Changes []ZoneChange `json:",omitempty"` // in order of time; before the first its offset holds too
}

// ZoneChange is a change of the clocks.
type ZoneChange struct{ Since, Offset time.Duration } // since 1970 in UTC; local time less UTC

// zoneYears is the number of years whose changes of clocks a Zone holds. A manager that runs longer
// keeps the last offset until a reload.
const zoneYears = 20

// ZoneOf returns the local time of a place for the years after a time. A clock may be wrong by
// years at the start and be set later, so the years after 2026 are always among them.
func ZoneOf(place *time.Location, from time.Time) Zone {
	z := Zone{Name: place.String()}
	if place == time.Local {
		z.Name = "(local time)"
	}
	last, first, end := time.Duration(0), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), from
	if first.Before(from) {
		from = first
	} else {
		end = first
	}
	end = end.AddDate(zoneYears, 0, 0)
	for at := from.In(place); at.Before(end); {
		_, seconds := at.Zone()
		offset := time.Duration(seconds) * time.Second
		switch {
		case len(z.Changes) == 0: // it holds before, too
			z.Changes = append(z.Changes, ZoneChange{0, offset})
		case offset != last:
			z.Changes = append(z.Changes, ZoneChange{SinceEpoch(at), offset})
		}
		last = offset
		_, next := at.ZoneBounds()
		switch {
		case next.IsZero():
			return z
		case !next.After(at): // package time has such bounds at the end of a year
			next = at.Add(time.Hour)
		}
		at = next
	}
	return z
}

// SinceEpoch returns the time since 1970 in UTC.
func SinceEpoch(at time.Time) time.Duration {
	return time.Duration(at.Unix())*time.Second + time.Duration(at.Nanosecond())
}

// offset returns local time less UTC at a time since 1970 in UTC.
func (z *Zone) offset(utc time.Duration) (offset time.Duration) {
	for i, c := range z.Changes {
		if i == 0 || c.Since <= utc {
			offset = c.Offset
		}
	}
	return offset
}

// utc converts a local time. One that the clocks show twice is the first of the two, or the last;
// one that they leave out is the moment when they leave it out.
func (z *Zone) utc(local time.Duration, last bool) time.Duration {
	before, after := z.offset(local-26*time.Hour), z.offset(local+26*time.Hour)
	first, second := local-max(before, after), local-min(before, after)
	isFirst, isSecond := z.offset(first)+first == local, z.offset(second)+second == local
	switch {
	case isFirst && isSecond && last, isSecond && !isFirst:
		return second
	case isFirst:
		return first
	}
	for _, c := range z.Changes { // between first and second the clocks are put forward
		if c.Since > first-24*time.Hour && c.Since <= second && c.Since+c.Offset > local {
			return c.Since
		}
	}
	return second
}

// Opening is a time when a window is open.
type Opening struct{ From, To time.Duration } // of the Manager

// NextOpening returns the opening of a change window that is under way at a time of the Manager, or
// else the next one. ok is false without windows: then it is always open.
func (w *Watch) NextOpening(at time.Duration) (next Opening, ok bool) {
	utc := w.Epoch + at
	today := (utc + w.Zone.offset(utc)) / day
	for _, window := range w.Windows {
		for d := today - 1; d <= today+8; d++ {
			if !window.has(int(d + time.Duration(time.Thursday))) { // 1970 began on a Thursday
				continue
			}
			to := window.To
			if to <= window.From {
				to += day
			}
			o := Opening{w.Zone.utc(d*day+window.From, false) - w.Epoch, w.Zone.utc(d*day+to, true) - w.Epoch}
			if o.To <= at || o.To <= o.From {
				continue
			}
			if !ok || o.From < next.From {
				next, ok = o, true
			}
			break
		}
	}
	return next, ok
}

// ChangesAllowed returns when something may be done though nothing has failed: at a time of the
// Manager, or at the next moment after it in a change window and outside of the hours without
// moves. Windows that leave no minute give Never.
func (w *Watch) ChangesAllowed(at time.Duration) time.Duration {
	for until := at + 9*day; at < until; {
		begun := at
		if at = w.AfterNoMoves(at); at == Never {
			return Never
		}
		if o, ok := w.NextOpening(at); ok {
			at = max(at, o.From)
		} else if len(w.Windows) > 0 {
			return Never
		}
		if at == begun {
			return at
		}
	}
	return Never
}

// WaitsFor names the reason for a wait until a time: the change window that opens then, or the
// hours without moves that end then; "" for neither.
func (w *Watch) WaitsFor(at time.Duration) string {
	for _, window := range w.Windows {
		o, _ := (&Watch{Windows: []Window{window}, Zone: w.Zone, Epoch: w.Epoch}).NextOpening(at)
		if o.From == at {
			return strings.TrimSpace(fmt.Sprintf("the change window %v %s", window, w.Zone.Name))
		}
	}
	for _, h := range w.NoMoves {
		if (&Watch{NoMoves: []Hours{h}, Epoch: w.Epoch}).AfterNoMoves(at-1) == at {
			return fmt.Sprintf("the end of the hours without moves %v UTC", h)
		}
	}
	return ""
}
