package perf

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire/mad"
)

// world is a subnet of devices whose counters are known, and which answer a Monitor at once or
// later.
type world struct {
	t       rapid.TB
	m       *Monitor
	subnet  *Subnet
	devices []*device
	now     time.Duration
	asked   []time.Duration // when
	waiting []*Ask
	most    int // under way at a time
}

// device is a performance management agent. Its ports are those of its Agent.
type device struct {
	ext, errors, silent bool
	lies, mute          bool // it says that it has what it refuses; it answers nothing but ClassPortInfo
	redirect            uint16
	sums                sumKind
	port                uint8                    // for sums
	ice                 *[mad.NumCounters]uint64 // likewise
	elsewhere           uint64                   // likewise: counted at ports without a cable
	lid                 fabric.LID               // where it answers
	has                 map[uint8]*[mad.NumCounters]uint64
	truth               map[uint8]*[mad.NumCounters]uint64 // never set back
	lost                map[uint8]*[mad.NumCounters]uint64 // that were in a counter that was set back
	cut                 map[uint8]*[mad.NumCounters]uint64 // for which there was no room
	first               map[uint8]*[mad.NumCounters]uint64 // truth at the first reading
	told                map[uint8]*[mad.NumCounters]uint64 // 1: there was one
}

func newWorld(t rapid.TB, formula string, cfg Config, kind func(i int, d *device)) *world {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	lid := fabric.LID(1)
	for i := range f.Nodes {
		for p := range f.Nodes[i].Ports {
			if (p == 0) == (f.Nodes[i].Type == fabric.Switch) {
				f.Nodes[i].Ports[p].LID = lid
				lid++
			}
		}
	}
	w := &world{t: t, m: New(cfg), subnet: NewSubnet(f, func(fabric.LID) uint8 { return 3 })}
	for i, a := range w.subnet.Agents {
		d := &device{lid: a.LID}
		for _, to := range []*map[uint8]*[mad.NumCounters]uint64{&d.has, &d.truth, &d.lost, &d.cut, &d.first, &d.told} {
			*to = map[uint8]*[mad.NumCounters]uint64{}
			for _, p := range a.Ports {
				(*to)[p] = new([mad.NumCounters]uint64)
			}
		}
		kind(i, d)
		w.devices = append(w.devices, d)
	}
	w.m.Follow(0, w.subnet)
	return w
}

// count has a counter of a port grow. Where plain counters stop, only the truth goes on.
func (d *device) count(p uint8, counter int, by uint64) {
	d.truth[p][counter] += by
	d.has[p][counter] += by
	if now := &d.has[p][counter]; !d.holds(counter) && *now > mostOf(counter) {
		d.cut[p][counter] += *now - mostOf(counter)
		*now = mostOf(counter)
	}
}

// holds reports whether a counter has 64 bits.
func (d *device) holds(counter int) bool {
	return d.ext && (d.errors || counter >= mad.CounterXmitData && counter <= mad.CounterRcvPkts)
}

// back sets a counter back.
func (d *device) back(p uint8, counter int) {
	d.lost[p][counter] += d.has[p][counter] + d.cut[p][counter]
	d.has[p][counter], d.cut[p][counter] = 0, 0
}

// run runs the Monitor until a time. Answers take a while, drawn by delay.
func (w *world) run(until time.Duration, delay func() time.Duration) {
	for w.now < until {
		ask, wake := w.m.Next(w.now)
		if ask != nil {
			w.asked = append(w.asked, w.now)
			w.waiting = append(w.waiting, clone(ask))
			w.most = max(w.most, len(w.waiting))
			if delay == nil {
				w.answer(0)
			}
			continue
		}
		switch {
		case len(w.waiting) > 0:
			w.now += delay()
			w.answer(0)
		case wake > until:
			w.now = until
		default:
			w.now = wake
		}
	}
}

// clone copies an Ask, which the Monitor uses again.
func clone(a *Ask) *Ask {
	c := *a
	return &c
}

// answer answers one of those that wait.
func (w *world) answer(i int) {
	a := w.waiting[i]
	w.waiting = append(w.waiting[:i], w.waiting[i+1:]...)
	var d *device
	for _, x := range w.devices {
		if x.lid == a.To.LID {
			d = x
		}
	}
	if d == nil {
		w.m.Ended(w.now, a.Tag, Silent, nil)
		return
	}
	outcome, data := d.answer(a)
	w.m.Ended(w.now, a.Tag, outcome, data)
}

// answer answers as an agent does.
func (d *device) answer(a *Ask) (Outcome, []byte) {
	data := make([]byte, 192)
	switch {
	case d.silent:
		return Silent, nil
	case d.redirect != 0 && a.To.QP == 1:
		mad.ClassPortInfoRedirectLID.Put(data, uint64(d.redirect))
		mad.ClassPortInfoRedirectQP.Put(data, 77)
		mad.ClassPortInfoRedirectQKey.Put(data, 5)
		return Redirected, data
	case a.Attr == mad.AttrClassPortInfo:
		if d.ext || d.lies {
			mad.ClassPortInfoCapabilityMask.Put(data, mad.PerfCapExtendedCounters)
		}
		if d.sums != noSums {
			mad.ClassPortInfoCapabilityMask.Put(data, mad.ClassPortInfoCapabilityMask.Get(data)|mad.PerfCapAllPortSelect)
		}
		if d.errors {
			mad.ClassPortInfoCapabilityMask2.Put(data, mad.PerfCap2ExtendedErrors)
		}
		return Answered, data
	case d.mute:
		return Silent, nil
	case a.Attr == mad.AttrPortCountersExtended:
		if !d.ext {
			return Refused, data
		}
		p := uint8(mad.PortCountersExtendedPortSelect.Get(a.Data[:]))
		for i, c := range extendedCounters {
			if c >= 0 && (i < firstError || d.errors) {
				mad.PortCountersExtendedFields[i].Put(data, d.has[p][c])
				d.seen(p, c)
			}
		}
		return Answered, data
	}
	p := uint8(mad.PortCountersPortSelect.Get(a.Data[:]))
	if p == mad.PerfPortSelectAll {
		return d.sum(data), data
	}
	if a.Method == mad.Set {
		mask := mad.PortCountersCounterSelect.Get(a.Data[:]) | mad.PortCountersCounterSelect2.Get(a.Data[:])<<16
		for c := range mad.CounterQP1Dropped {
			if mask>>c&1 == 1 {
				d.back(p, c)
			}
		}
		return Answered, data
	}
	for c, f := range mad.PortCountersField {
		f.Put(data, min(d.has[p][c], mostOf(c)))
		d.seen(p, c)
	}
	return Answered, data
}

// seen notes the first reading of a counter.
func (d *device) seen(p uint8, counter int) {
	if d.told[p][counter] == 0 {
		d.told[p][counter], d.first[p][counter] = 1, d.truth[p][counter]
	}
}

// TestTotals: whatever kinds of devices a subnet has, what is told of a counter is what it has
// really grown by; where somebody has set it back it is no more than that, and no more is missing
// than was in it then; where it had stopped at its most the total says that it is a least.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 0))
		backs := rapid.Bool().Draw(t, "set back")
		w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second, Window: 4}, func(_ int, d *device) {
			d.ext = rng.IntN(3) > 0
			d.errors = d.ext && rng.IntN(2) > 0
		})
		delay := func() time.Duration { return time.Duration(rng.IntN(300)) * time.Microsecond }
		for range 12 {
			w.run(w.now+time.Second, delay)
			for i, a := range w.subnet.Agents {
				d := w.devices[i]
				for _, p := range a.Ports {
					for range rng.IntN(6) {
						d.count(p, rng.IntN(mad.NumCounters), rng.Uint64N([]uint64{3, 200, 70000, 1 << 33}[rng.IntN(4)]))
					}
					if backs && rng.IntN(8) == 0 {
						for c := range d.has[p] { // the device restarts
							d.back(p, c)
						}
					}
				}
			}
		}
		w.run(w.now+3*time.Second, delay)
		for i := range w.m.ports {
			p := w.m.ports[i]
			d := w.devices[p.agent.index]
			for c := range p.total {
				truth := d.truth[p.end.Port][c] - d.first[p.end.Port][c]
				stopped := p.least>>c&1 == 1
				if p.total[c] > truth {
					t.Fatalf("port %v, %s: told %d, has grown by %d", p.end, Name(c), p.total[c], truth)
				}
				if missing := truth - p.total[c]; missing > 0 && (d.holds(c) && !backs || !stopped && missing > d.lost[p.end.Port][c]) {
					t.Fatalf("port %v, %s: told %d, has grown by %d, set back at %d, stopped %t", p.end, Name(c), p.total[c], truth, d.lost[p.end.Port][c], stopped)
				}
			}
		}
		if r := w.m.Report(); r.Unread != 0 || r.Ports != len(w.m.ports) || w.most > 4 {
			t.Fatalf("%+v, %d under way", r, w.most)
		}
	})
}

// TestGoesRound: a counter of 64 bits that is near its end goes round, another one was set back.
func TestGoesRound(t *testing.T) {
	var c counts
	for _, step := range []struct {
		value, grown uint64
		back         bool
	}{{1<<64 - 100, 0, false}, {1<<64 - 10, 90, false}, {20, 30, false}, {500, 480, false}, {7, 7, true}} {
		if back := c.take(mad.CounterXmitData, step.value, inExtended); back != step.back || c.grown[mad.CounterXmitData] != step.grown {
			t.Errorf("%d: grown by %d, set back %t", step.value, c.grown[mad.CounterXmitData], back)
		}
	}
	if c.total[mad.CounterXmitData] != 90+30+480+7 {
		t.Errorf("total %d", c.total[mad.CounterXmitData])
	}
}

// TestSource: what two attributes tell of a counter is not compared.
func TestSource(t *testing.T) {
	var c counts
	c.take(mad.CounterXmitData, 100, inPlain)
	if back := c.take(mad.CounterXmitData, 5000, inExtended); back || c.total[mad.CounterXmitData] != 0 {
		t.Errorf("set back %t, total %d", back, c.total[mad.CounterXmitData])
	}
}

// TestCleared: of PortCounters what comes near its most is set to 0, and nothing else, and goes on
// from there; that is not taken for a restart.
func TestCleared(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, func(int, *device) {})
	port := w.subnet.Agents[0].Ports[0]
	for i, step := range []struct{ errors, has uint64 }{{40000, 40000}, {9000, 49000}, {200, 0}, {7, 7}, {0, 7}} {
		w.devices[0].count(port, mad.CounterSymbolError, step.errors)
		w.devices[0].count(port, mad.CounterRcvErrors, 100)
		w.run(w.now+time.Second, nil)
		if got := w.devices[0].has[port][mad.CounterSymbolError]; got != step.has || w.devices[0].has[port][mad.CounterRcvErrors] != uint64(100*(i+1)) {
			t.Errorf("step %d: the device has %d errors, want %d", i, got, step.has)
		}
	}
	r := w.m.Report()
	if got := r.Counters[mad.CounterSymbolError]; got.Total != 9000+200+7 || got.Least || r.All.SetBack != 0 || r.All.Failures != 0 {
		t.Errorf("%+v, %+v", got, r.All)
	}
}

// TestLies: a device that refuses what it says that it has is read by what all have; one that stops
// to answer is given up at once with all of its ports.
func TestLies(t *testing.T) {
	w := newWorld(t, "rlft(8,2)", Config{Interval: time.Second, Window: 2}, func(i int, d *device) { d.lies, d.mute = i > 0, i == 0 })
	w.run(4500*time.Millisecond, func() time.Duration { return time.Microsecond })
	ports := len(w.m.ports)
	if r := w.m.Report(); r.Unread != len(w.subnet.Agents[0].Ports) || r.Ports != ports-r.Unread || r.Requests > ports+2*len(w.subnet.Agents) || r.All.Failures > 2*4 {
		t.Errorf("%d read, %d not, %d requests for %d ports, %+v", r.Ports, r.Unread, r.Requests, ports, r.All)
	}
}

// TestRate: no more requests a second are made than are allowed, also when answers come late, and
// no more are under way.
func TestRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Interval: time.Duration(rapid.IntRange(1, 4000).Draw(t, "interval")) * time.Millisecond,
			Rate:     rapid.IntRange(1, 3000).Draw(t, "rate"), Window: rapid.IntRange(1, 20).Draw(t, "window"),
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newWorld(t, "rlft(4,2)", cfg, func(i int, d *device) { d.ext, d.silent = i%2 == 0, i%5 == 4 })
		w.run(5*time.Second, func() time.Duration { return time.Duration(rng.IntN(40)) * time.Millisecond })
		for i := range w.asked {
			n := 0
			for j := i; j < len(w.asked) && w.asked[j] < w.asked[i]+time.Second; j++ {
				n++
			}
			if n > cfg.Rate+cfg.Window+1 {
				t.Fatalf("%d requests within a second, %d a second and %d under way are allowed", n, cfg.Rate, cfg.Window)
			}
		}
		if w.most > cfg.Window || len(w.asked) == 0 {
			t.Fatalf("%d under way, %d asked", w.most, len(w.asked))
		}
	})
}

// TestInterval: rounds begin as often as they are asked to, evenly spread, also where the machine
// is late now and then, as long as the bounds allow it; where they do not a note says so.
func TestInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Interval: time.Second, Rate: rapid.SampledFrom([]int{0, 20, 400}).Draw(t, "rate")}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		stall := time.Duration(rapid.SampledFrom([]int{0, 0, 150, 250}).Draw(t, "stall")) * time.Millisecond
		w := newWorld(t, "rlft(4,2)", cfg, func(_ int, d *device) { d.ext, d.errors = true, true })
		begun := map[time.Duration]bool{}
		for range 80 {
			w.run(w.now+time.Duration(rng.IntN(100))*time.Millisecond, func() time.Duration { return time.Duration(rng.IntN(3)) * time.Millisecond })
			if w.m.active {
				begun[w.m.begun] = true
			}
			if stall > 0 && rng.IntN(10) == 0 {
				w.now += stall
			}
		}
		r := w.m.Report()
		need := float64(len(w.m.ports)) // a second
		late := cfg.Rate > 0 && float64(cfg.Rate) < need
		if told := strings.Contains(strings.Join(r.Notes, ""), "longer than the requested 1 s"); told != (r.Seconds > 1) || late && !told {
			t.Fatalf("%.2f s at most %d a second: notes %q", r.Seconds, cfg.Rate, r.Notes)
		}
		if stall == 0 && !late && (r.Seconds > 0.95 || r.Seconds < 0.8) {
			t.Fatalf("a round takes %.2f s", r.Seconds)
		}
		rounds := int(w.now/time.Second) - 1
		if !late && len(begun) < rounds-1 {
			t.Fatalf("%d rounds in %v", len(begun), w.now)
		}
	})
}

// TestSilent: a device that does not answer is asked ever more rarely, all others are read all the
// same, and it is read when it answers again.
func TestSilent(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, func(i int, d *device) { d.ext, d.errors, d.silent = true, true, i == 0 })
	w.run(40*time.Second, nil)
	ports := len(w.subnet.Agents[0].Ports)
	if r := w.m.Report(); r.Unread != ports || r.Ports != len(w.m.ports)-ports || r.All.Failures > 12 {
		t.Errorf("%d read, %d not, %d failures", r.Ports, r.Unread, r.All.Failures)
	}
	w.devices[0].silent = false
	w.run(80*time.Second, nil)
	if r := w.m.Report(); r.Unread != 0 {
		t.Errorf("%d not read", r.Unread)
	}
}

// TestRedirected: a redirection is followed, with its queue pair and key; one that leads to another
// is not.
func TestRedirected(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, func(i int, d *device) {
		if d.ext, d.errors = true, true; i == 1 {
			d.redirect, d.lid = 9000, 9000
		}
	})
	old := w.subnet.Agents[1].LID
	w.devices = append(w.devices, &device{lid: old, redirect: 9000})
	w.run(3*time.Second, nil)
	if r := w.m.Report(); r.Unread != 0 || r.All.Failures != 0 || w.m.agents[1].at != (Address{9000, 0, 77, 5}) {
		t.Errorf("%d not read, %+v, at %+v", r.Unread, r.All, w.m.agents[1].at)
	}
	m := New(Config{Interval: time.Second})
	m.Follow(0, w.subnet)
	data := make([]byte, 192)
	mad.ClassPortInfoRedirectLID.Put(data, 9000)
	mad.ClassPortInfoRedirectQP.Put(data, 1)
	for now := time.Second; m.failures == 0 && now < time.Minute; now += time.Second {
		ask, _ := m.Next(now)
		m.Ended(now, ask.Tag, Redirected, data)
	}
	if m.failures != 1 {
		t.Errorf("redirected twice: %d failures", m.failures)
	}
}

// TestThresholds: a rate that passes its threshold is told once, and when it has come down to half
// of it; of many at once the first 50.
func TestThresholds(t *testing.T) {
	w := newWorld(t, "rlft(8,2)", Config{Interval: time.Minute}, func(_ int, d *device) { d.ext, d.errors = true, true })
	port := w.subnet.Agents[0].Ports[0]
	var told []string
	step := func(errors uint64) {
		w.devices[0].count(port, mad.CounterSymbolError, errors)
		w.run(w.now+time.Minute, nil)
		for _, e := range w.m.Events() {
			told = append(told, fmt.Sprintf("%s %t %.0f", e.Counter, e.Passed, e.Rate))
		}
	}
	for _, errors := range []uint64{1000, 8, 12, 30, 7, 4, 0} {
		step(errors)
	}
	if got := strings.Join(told, "; "); got != "SymbolErrorCounter true 12; SymbolErrorCounter false 4" {
		t.Errorf("told %s", got)
	}
	if r := w.m.Report(); r.OddCounts["errors"] != 1 || r.Odd[0].Kind != "errors" || r.Counters[mad.CounterSymbolError].Total != 61 {
		t.Errorf("%+v, %+v", r.OddCounts, r.Counters[mad.CounterSymbolError])
	}
	for i, a := range w.subnet.Agents {
		for _, p := range a.Ports {
			w.devices[i].count(p, mad.CounterVL15Dropped, 10000)
		}
	}
	w.run(w.now+time.Minute, nil)
	events := w.m.Events()
	if len(events) != mostEvents+1 || events[mostEvents].More != len(w.m.ports)-mostEvents {
		t.Errorf("%d events, the last %+v", len(events), events[len(events)-1])
	}
}

// TestHot: the links that are used most come first, with what they carry in the direction that is
// used more.
func TestHot(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, func(_ int, d *device) { d.ext, d.errors = true, true })
	w.run(1990*time.Millisecond, nil) // between two rounds
	busy, less := w.subnet.Agents[0], w.subnet.Agents[1]
	w.devices[0].count(busy.Ports[0], mad.CounterXmitData, 1e9) // 32 Gbit
	w.devices[0].count(busy.Ports[0], mad.CounterXmitWait, 5000)
	w.devices[1].count(less.Ports[0], mad.CounterXmitData, 1e6)
	for i, a := range w.subnet.Agents { // the other end of the same cable, which sends less
		for _, p := range a.Ports {
			f := w.subnet.Fabric
			if l := f.Nodes[a.Node].Ports[p].Link; i != 0 && l == f.Nodes[busy.Node].Ports[busy.Ports[0]].Link {
				w.devices[i].count(p, mad.CounterXmitData, 5e8)
			}
		}
	}
	w.run(2990*time.Millisecond, nil)
	r := w.m.Report()
	if len(r.Hot) != 2 || r.Hot[0].From != w.subnet.Fabric.PortName(fabric.End{Node: busy.Node, Port: busy.Ports[0]}) ||
		r.Hot[0].Gbps < 30 || r.Hot[0].Gbps > 34 || r.Hot[0].Wait < 4500 || r.Hot[1].Gbps > 0.1 {
		t.Errorf("%+v", r.Hot)
	}
}

// TestFollow: when the subnet changes, ports that stay go on counting, and what others have counted
// stays in the totals.
func TestFollow(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, func(_ int, d *device) { d.ext, d.errors = true, true })
	w.run(1500*time.Millisecond, nil)
	for i := range 2 {
		w.devices[i].count(w.subnet.Agents[i].Ports[0], mad.CounterSymbolError, 100)
	}
	w.run(2900*time.Millisecond, nil)
	less := *w.subnet
	less.Agents = less.Agents[1:]
	w.m.Follow(w.now, &less)
	w.devices[1].count(less.Agents[0].Ports[0], mad.CounterSymbolError, 11)
	w.run(5*time.Second, nil)
	if r := w.m.Report(); r.Counters[mad.CounterSymbolError].Total != 211 {
		t.Errorf("total %d", r.Counters[mad.CounterSymbolError].Total)
	}
	w.m.Follow(w.now, nil)
	if ask, _ := w.m.Next(w.now + time.Hour); ask != nil || w.m.Report() == nil {
		t.Error("without a subnet something is asked, or the last report is gone")
	}
}

// FuzzMonitor: whatever devices answer, nothing breaks, no more is under way than is allowed, and a
// round ends.
func FuzzMonitor(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 0xff, 0x80}, uint8(3))
	f.Add([]byte("a device that answers anything"), uint8(1))
	f.Fuzz(func(t *testing.T, answers []byte, window uint8) {
		if len(answers) == 0 {
			return
		}
		w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second, Window: int(window%8) + 1}, func(int, *device) {})
		at := 0
		next := func() byte {
			at++
			return answers[at%len(answers)]
		}
		var under []*Ask
		now := time.Duration(0)
		for range 2000 {
			ask, wake := w.m.Next(now)
			if ask != nil {
				if under = append(under, clone(ask)); len(under) > int(window%8)+1 {
					t.Fatalf("%d under way", len(under))
				}
				continue
			}
			if len(under) == 0 {
				now = max(now, min(wake, now+time.Hour))
				continue
			}
			data := make([]byte, int(next())%193)
			for i := range data {
				data[i] = next()
			}
			w.m.Ended(now, under[0].Tag+uint64(next()/250), Outcome(next()%5), data) // some are of nobody
			w.m.Ended(now, under[0].Tag, Silent, nil)
			under = under[1:]
		}
		if w.m.Report() == nil {
			t.Fatal("no round has ended")
		}
	})
}

// reader reads a subnet of 11,664 hosts, whose devices have all counters in one attribute.
type reader struct {
	m          *Monitor
	now        time.Duration
	info, data []byte
	requests   int
	moments    int // at which the Monitor had something to send
}

func newReader(t testing.TB, cfg Config) *reader {
	f, err := gen.Parse("rlft(36,3)")
	if err != nil {
		t.Fatal(err)
	}
	lid := fabric.LID(1)
	for i := range f.Nodes {
		f.Nodes[i].Ports[map[bool]int{true: 0, false: 1}[f.Nodes[i].Type == fabric.Switch]].LID = lid
		lid++
	}
	r := &reader{m: New(cfg), info: make([]byte, 192), data: make([]byte, 192)}
	r.m.Follow(0, NewSubnet(f, func(fabric.LID) uint8 { return 0 }))
	mad.ClassPortInfoCapabilityMask.Put(r.info, mad.PerfCapExtendedCounters)
	mad.ClassPortInfoCapabilityMask2.Put(r.info, mad.PerfCap2ExtendedErrors)
	return r
}

// round runs the Monitor until a round has ended. Answers take a millisecond; count is called
// before each of them.
func (r *reader) round(count func()) {
	type asked struct {
		tag  uint64
		attr mad.AttrID
	}
	var list []asked
	for was := r.m.Report(); r.m.Report() == was; {
		ask, wake := r.m.Next(r.now)
		if ask != nil {
			list = append(list, asked{ask.Tag, ask.Attr})
			continue
		}
		if len(list) == 0 {
			r.now = wake
			continue
		}
		r.moments, r.requests, r.now = r.moments+1, r.requests+len(list), r.now+time.Millisecond
		for _, a := range list {
			count()
			answer := r.data
			if a.attr == mad.AttrClassPortInfo {
				answer = r.info
			}
			r.m.Ended(r.now, a.tag, Answered, answer)
		}
		list = list[:0]
	}
}

// TestIdle: a manager at rest wakes up seldom to read the counters of a large subnet, and keeps
// little of ports that count nothing.
func TestIdle(t *testing.T) {
	r := newReader(t, Config{Interval: time.Minute})
	r.round(func() {})
	r.moments, r.requests = 0, 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r.round(func() {})
	runtime.ReadMemStats(&after)
	if r.requests != len(r.m.ports) || r.moments > r.requests/400 {
		t.Errorf("%d requests for %d ports at %d moments", r.requests, len(r.m.ports), r.moments)
	}
	if each := int(after.TotalAlloc-before.TotalAlloc) / len(r.m.ports); each > 100 {
		t.Errorf("%d bytes of memory for each port", each)
	}
}

// BenchmarkRound reads all ports of a subnet of 11,664 hosts once.
func BenchmarkRound(b *testing.B) {
	for _, idle := range []bool{true, false} {
		b.Run(map[bool]string{true: "idle", false: "busy"}[idle], func(b *testing.B) {
			r, n := newReader(b, Config{Interval: time.Minute}), uint64(0)
			r.round(func() {})
			r.requests = 0
			b.ReportAllocs()
			for b.Loop() {
				r.round(func() {
					if n++; !idle {
						mad.PortCountersExtendedFields[0].Put(r.data, n*1000)
					}
				})
			}
			b.ReportMetric(float64(len(r.m.ports)), "ports")
			b.ReportMetric(float64(r.requests)/float64(b.N), "requests/op")
		})
	}
}
