package perf

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// TestReading: the Reading of a round has every port with its names, its rate, the growth of its
// counters in the time between its own two readings, and their totals; a silent port has no growth.
// Later rounds do not change it.
func TestReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const interval = 10 * time.Second
		w := newWorld(t, "rlft(4,2)", Config{Interval: interval}, extendedAll)
		w.run(interval*3/2, nil)
		old := w.m.Report().Reading
		before, growth := old.Counts[0], *old.Counts[0].Growth
		count := func() {
			for i, d := range w.devices {
				for _, p := range w.subnet.Agents[i].Ports {
					d.count(p, mad.CounterXmitData, uint64(rapid.IntRange(0, 1e6).Draw(t, "words")))
				}
			}
		}
		// A device that was silent in a round is skipped for some: of every other one the last
		// reading is of this round, or of the one before.
		var silenced [64]bool
		oldest := func(port int) time.Duration {
			for i := range w.devices {
				if port -= len(w.subnet.Agents[i].Ports); port < 0 && !silenced[i] {
					return 2 * interval
				} else if port < 0 {
					break
				}
			}
			return 11 * interval
		}
		check := func() (r *Reading) {
			r = w.m.Report().Reading
			if r == old || len(r.Ports) != 32 || len(r.Counts) != 32 || old.Counts[0] != before || *before.Growth != growth {
				t.Fatalf("%d ports, %d counts; before %+v, then %+v", len(r.Ports), len(r.Counts), before, old.Counts[0])
			}
			for i := range r.Ports {
				p, c := &r.Ports[i], &r.Counts[i]
				if p.Rate != 100_000 || p.Peer.GUID == 0 || p.Peer == p.Name || c.Age < 0 || c.Age > oldest(i) {
					t.Fatalf("%+v, %+v", p, c)
				}
				if got, want := c.Grown[mad.CounterXmitData], c.Total[mad.CounterXmitData]-old.Counts[i].Total[mad.CounterXmitData]; got != want || c.Took == 0 && got > 0 {
					t.Fatalf("%+v: %+v, want %d", p, c, want)
				}
				if c.Took > 0 && c.Gbps() != float64(c.Grown[mad.CounterXmitData])*32/c.Took.Seconds()/1e9 {
					t.Fatal(c.Gbps(), c)
				}
				if was := &old.Counts[i]; c.Took > 0 && was.Took > 0 && *c.Growth == *was.Growth && c.Growth != was.Growth {
					t.Fatalf("%+v has the same counts twice in memory", p)
				}
			}
			old, before, growth = r, r.Counts[0], *r.Counts[0].Growth
			return r
		}
		for range 3 {
			silent := rapid.IntRange(0, len(w.devices)-1).Draw(t, "silent")
			for i, d := range w.devices {
				d.silent = i == silent
				silenced[i] = silenced[i] || d.silent
			}
			count()
			w.run(w.now+interval, nil)
			check()
		}
		for _, d := range w.devices {
			d.silent = false
		}
		for range 6 { // a silent device is skipped for some rounds
			w.run(w.now+interval, nil)
			check()
		}
		at := 0
		for i, d := range w.devices {
			for _, p := range w.subnet.Agents[i].Ports {
				if got, want := old.Counts[at].Total[mad.CounterXmitData], d.truth[p][mad.CounterXmitData]-d.first[p][mad.CounterXmitData]; got != want {
					t.Fatalf("%+v: %d words, want %d", old.Ports[at], got, want)
				}
				at++
			}
		}
	})
}

// TestTogether: requests go out in groups, so that the process wakes up less often than there are
// requests; none waits longer than mostHeld, and the bounds of rate and window hold.
func TestTogether(t *testing.T) {
	const interval = time.Second
	w := newWorld(t, "rlft(16,2)", Config{Interval: interval, Window: 8}, extendedAll)
	w.run(interval*5/2, func() time.Duration { return 100 * time.Microsecond })
	moments := 1
	for i := 1; i < len(w.asked); i++ {
		if w.asked[i]-w.asked[i-1] > time.Millisecond {
			moments++
		}
	}
	if n := len(w.asked); n < 1000 || moments > n/2 || w.most > 8 {
		t.Errorf("%d requests at %d moments, %d under way", n, moments, w.most)
	}
	few := newWorld(t, "rlft(4,2)", Config{Interval: time.Hour, Window: 8}, extendedAll)
	few.run(3*time.Hour, nil)
	for i := 1; i < len(few.asked); i++ {
		if gap := few.asked[i] - few.asked[i-1]; gap > 10*time.Minute {
			t.Errorf("%v between two requests", gap)
		}
	}
}
