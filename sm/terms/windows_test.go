package terms

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestWindowText: windows read back as they are written; what is none is refused.
func TestWindowText(t *testing.T) {
	for text, want := range map[string]string{
		"02:00-04:00": "02:00-04:00", "Mon-Fri 02:00-04:00": "Mon-Fri 02:00-04:00", "sat,SUN 00:00-24:00": "Sat,Sun 00:00-24:00",
		"Fri-Mon 22:30-05:00": "Mon,Fri-Sun 22:30-05:00", "Wed  01:00-02:00": "Wed 01:00-02:00", "Mon-Sun 01:00-02:00": "01:00-02:00", "Sun-Sat 01:00-02:00": "01:00-02:00",
		"Mon,Wed,Fri 01:00-02:00": "Mon,Wed,Fri 01:00-02:00", "Sat-Sun 01:00-02:00": "Sat,Sun 01:00-02:00",
	} {
		w, err := ParseWindow(text)
		if again, wrong := ParseWindow(w.String()); err != nil || w.String() != want || wrong != nil || again != w {
			t.Errorf("%q is %q, want %q: %v, %v", text, w, want, err, wrong)
		}
	}
	for _, text := range []string{"", "Mon", "Mon 2-4", "Mo 02:00-04:00", "Mon- 02:00-04:00", "Mon,,Tue 02:00-04:00", "02:00-02:00", "Mon-Fri 02:00-04:00 x", "0 2 * * 1-5", "Mon-Fri 25:00-26:00"} {
		if w, err := ParseWindow(text); err == nil {
			t.Errorf("%q is %v", text, w)
		}
	}
}

// TestWindowsOpen: whether a window is open, each five minutes, is what the clocks on the wall say,
// also in weeks when they are changed; a time that the clocks show twice belongs to the window both
// times. The next opening is the next minute that is open.
func TestWindowsOpen(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 6))
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Kathmandu"} {
		place, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no time zones here: ", err)
		}
		zone := ZoneOf(place, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		for _, begin := range []time.Time{time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 27, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC), time.Date(2027, 12, 30, 0, 0, 0, 0, time.UTC)} {
			w := Watch{Zone: zone, Epoch: SinceEpoch(begin)}
			for range 1 + rng.IntN(2) {
				w.Windows = append(w.Windows, drawWindow(rng))
			}
			const steps = 5 * 24 * 12 // of five minutes
			var open [steps]bool
			for m := range open {
				open[m] = isOpen(w.Windows, begin.Add(time.Duration(m)*5*time.Minute).In(place))
				if at := time.Duration(m) * 5 * time.Minute; (w.ChangesAllowed(at) == at) != open[m] {
					t.Fatalf("%s, %v, %v: open %t", name, w.Windows, begin.Add(at).In(place), open[m])
				}
			}
			for m := range open {
				next := m
				for next < steps && !open[next] {
					next++
				}
				if at := time.Duration(m) * 5 * time.Minute; next < steps && w.ChangesAllowed(at) != time.Duration(next)*5*time.Minute {
					t.Fatalf("%s, %v, %v: %v, want %v", name, w.Windows, begin.Add(at).In(place), begin.Add(w.ChangesAllowed(at)).In(place), begin.Add(time.Duration(next)*5*time.Minute).In(place))
				}
			}
		}
	}
}

// drawWindow draws a window whose ends lie in no hour that clocks leave out or show twice.
func drawWindow(rng *rand.Rand) Window {
	hour := func() time.Duration {
		return [...]time.Duration{0, 4, 5, 6, 12, 22, 23}[rng.IntN(7)]*time.Hour + time.Duration(rng.IntN(4))*15*time.Minute
	}
	w := Window{Days: uint8(1 + rng.IntN(everyDay)), Hours: Hours{hour(), hour()}}
	if w.From == w.To {
		w.To += time.Hour
	}
	return w
}

// isOpen says the same as the clocks and the calendar on the wall.
func isOpen(windows []Window, wall time.Time) bool {
	at, today := time.Duration(wall.Hour())*time.Hour+time.Duration(wall.Minute())*time.Minute, int(wall.Weekday())
	for _, w := range windows {
		over := w.To <= w.From // midnight
		switch {
		case w.has(today) && at >= w.From && (over || at < w.To), over && w.has(today+6) && at < w.To:
			return true
		}
	}
	return false
}

// TestWindowsAndHours: hours without moves close a window; what closes all of them leaves never.
func TestWindowsAndHours(t *testing.T) {
	w := Watch{Windows: []Window{{everyDay, Hours{2 * time.Hour, 4 * time.Hour}}}, NoMoves: []Hours{{time.Hour, 3 * time.Hour}}}
	if got := w.ChangesAllowed(0); got != 3*time.Hour {
		t.Errorf("allowed at %v", got)
	}
	if got := w.ChangesAllowed(4 * time.Hour); got != 27*time.Hour {
		t.Errorf("allowed at %v", got)
	}
	w.NoMoves = []Hours{{time.Hour, 5 * time.Hour}}
	if got := w.ChangesAllowed(0); got != Never {
		t.Errorf("allowed at %v", got)
	}
	w = Watch{}
	if got := w.ChangesAllowed(time.Minute); got != time.Minute {
		t.Errorf("without windows allowed at %v", got)
	}
}

// TestClocksForward: a window whose beginning the clocks leave out begins when they are put
// forward, and one inside that hour is not open at all.
func TestClocksForward(t *testing.T) {
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	begin := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	forward := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC).Sub(begin)
	for text, want := range map[string]time.Duration{"02:00-04:00": forward, "02:30-04:00": forward, "Sun 02:10-02:50": forward + 7*24*time.Hour - 50*time.Minute} {
		window, err := ParseWindow(text)
		if err != nil {
			t.Fatal(err)
		}
		w := Watch{Zone: ZoneOf(place, begin), Epoch: SinceEpoch(begin), Windows: []Window{window}}
		if got := w.ChangesAllowed(0); got != want {
			t.Errorf("%s: %v, want %v", text, begin.Add(got).In(place), begin.Add(want).In(place))
		}
	}
}

// TestClocksBack: an hour that the clocks show twice belongs to a window both times, also where the
// window ends in it.
func TestClocksBack(t *testing.T) {
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	window, err := ParseWindow("Sun 01:00-02:30")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	w := Watch{Zone: ZoneOf(place, begin), Epoch: SinceEpoch(begin), Windows: []Window{window}}
	o, ok := w.NextOpening(0)
	if from, to := begin.Add(o.From), begin.Add(o.To); !ok || from != time.Date(2026, 10, 24, 23, 0, 0, 0, time.UTC) || to != time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC) {
		t.Errorf("open from %v to %v", from.In(place), to.In(place))
	}
}
