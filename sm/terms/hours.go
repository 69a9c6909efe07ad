package terms

import (
	"errors"
	"fmt"
	"time"
)

// Hours is a part of every day in UTC, from the beginning of a minute to that of another one. Where
// To is not after From, it ends on the next day.
type Hours struct{ From, To time.Duration }

const day = 24 * time.Hour

// ParseHours reads HH:MM-HH:MM.
func ParseHours(text string) (Hours, error) {
	var h [2]int
	var m [2]int
	var rest string
	n, _ := fmt.Sscanf(text+" ", "%02d:%02d-%02d:%02d%s", &h[0], &m[0], &h[1], &m[1], &rest)
	if n != 4 || len(text) != len("HH:MM-HH:MM") {
		return Hours{}, fmt.Errorf("%q: want HH:MM-HH:MM in UTC, such as 22:00-06:30", text)
	}
	for i := range h {
		if h[i] < 0 || h[i] > 24 || m[i] < 0 || m[i] > 59 || h[i] == 24 && m[i] > 0 {
			return Hours{}, fmt.Errorf("%q: hours go from 00:00 to 24:00", text)
		}
	}
	at := func(i int) time.Duration { return time.Duration(h[i])*time.Hour + time.Duration(m[i])*time.Minute }
	if at(0) == at(1) {
		return Hours{}, errors.New("hours that end when they begin are none")
	}
	return Hours{at(0), at(1)}, nil
}

// String writes what ParseHours reads.
func (h Hours) String() string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", int(h.From/time.Hour), int(h.From%time.Hour/time.Minute), int(h.To/time.Hour), int(h.To%time.Hour/time.Minute))
}

// after returns the time until these hours end, 0 outside of them. at is a time of the day.
func (h Hours) after(at time.Duration) time.Duration {
	length := (h.To - h.From + day) % day
	if length == 0 {
		length = day
	}
	if since := (at - h.From + day) % day; since < length {
		return length - since
	}
	return 0
}

// AfterNoMoves returns at, a time of the Manager, or the end of the hours without moves around it.
// Hours that leave no minute of the day give Never.
func (w *Watch) AfterNoMoves(at time.Duration) time.Duration {
	for range len(w.NoMoves) + 1 {
		begun := at
		for _, h := range w.NoMoves {
			at += h.after(((w.Epoch+at)%day + day) % day)
		}
		if at == begun {
			return at
		}
	}
	return Never
}
