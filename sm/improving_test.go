package sm

import (
	"context"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/internal/par"
	"weft/route/engine"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
)

// TestRepairWhilePlanning: a cable that is pulled while a better Plan is made is repaired during
// that. For measurements, WEFT_LATER names a formula or a file of another fabric, and
// WEFT_LATER_ENGINE an engine: -v prints the times of pulls with and without planning, in turn.
func TestRepairWhilePlanning(t *testing.T) {
	f, chain, pulls := smtest.Formula(t, "random(switches=60,hosts=4,links=200,seed=3)"), engine.Auto, 1
	if name := os.Getenv("WEFT_LATER"); name != "" {
		f, pulls = namedFabric(t, name), 8
	}
	if name := os.Getenv("WEFT_LATER_ENGINE"); name != "" {
		chain = name
	}
	looks := terms.UsualWatch
	looks.Moves, looks.Rebalance, looks.MostQuiet = 0, 0, looks.Quiet // many pulls in turn are not delayed
	begun := time.Now()
	m := manageBy(t, f, chain, 0, looks)
	t.Logf("%s, %s: up in %v", f.Name, chain, time.Since(begun))
	links := switchLinksOf(f)
	n := 0
	pull := func() time.Duration {
		n++
		return m.pull(links[n*len(links)/(2*pulls+1)])
	}
	var with, without []time.Duration
	for range pulls {
		m.settle()
		without = append(without, pull())
		m.settle()
		m.asked <- &terms.Event{Kind: terms.Rebalance}
		begun := time.Now()
		for m.planning() == nil {
			if time.Since(begun) > time.Minute {
				t.Fatal("no better Plan is being planned")
			}
			time.Sleep(time.Millisecond)
		}
		for len(m.round) > 0 { // the one that has begun it
			m.wantUpOrChanged()
		}
		if m.planning() == nil {
			t.Error("the better Plan was made before the cable was pulled")
		}
		with = append(with, pull())
		m.settle()
		t.Logf("pulled while nothing was planned: repaired after %v; while a Plan was planned, for %v: %v", without[len(without)-1], time.Since(begun), with[len(with)-1])
	}
	if c := m.shown.Load().InForce.Report.Routing.Check; c == nil || !c.OK {
		t.Error("not proven")
	}
	t.Logf("medians: %v without, %v while planning", median(without), median(with))
}

// namedFabric returns the fabric of a file or a formula.
func namedFabric(t *testing.T, name string) *fabric.Fabric {
	data, err := os.ReadFile(name)
	if err != nil {
		return smtest.Formula(t, name)
	}
	f, _, err := netfile.Read(name, data, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// switchLinksOf lists the links between switches.
func switchLinksOf(f *fabric.Fabric) (links []fabric.LinkID) {
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			links = append(links, fabric.LinkID(id))
		}
	}
	return links
}

func median(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// planning returns the planning under way, nil for none.
func (m *managed) planning() *watch.Planning {
	s := m.shown.Load()
	if s.Routed == nil {
		return nil
	}
	return s.Routed.Planning
}

// pull pulls a cable, and returns the time until a round has ended that missed it and wrote all
// tables. Both ends tell of it. The second trap may come while the first one's round writes: that
// ends in part, and leaves the rest to the next round.
func (m *managed) pull(id fabric.LinkID) time.Duration {
	m.t.Helper()
	l := m.f.Links[id]
	begun, used := time.Now(), cpuTime(m.t)
	m.l.Do(func(s *emulator.Subnet) {
		if err := s.SetLinkDown(id, true); err != nil {
			m.t.Error(err)
		}
	})
	for {
		r := m.wantUpOrChanged()
		m.t.Logf("%v after the pull, and %v of CPU: %s; %s", r.at.Sub(begun), cpuTime(m.t)-used, r.report.State, r.report.Routing.Kept)
		if r.report.State == terms.Up && !hasCable(r.found, m.f.Nodes[l.A.Node].GUID, l.A.Port) {
			return r.at.Sub(begun)
		}
	}
}

// wantUpOrChanged waits for the end of a round, in which something may have changed.
func (m *managed) wantUpOrChanged() ended {
	m.t.Helper()
	r := m.wantEnd()
	if r.report.State != terms.Up && r.report.Find(terms.Changed) == nil {
		m.t.Fatalf("the subnet is %s: %v", r.report.State, r.report.Incidents)
	}
	return r
}

// hasCable reports whether a port has a cable.
func hasCable(f *fabric.Fabric, guid fabric.GUID, port uint8) bool {
	for _, l := range f.Links {
		if l.A.Port == port && f.Nodes[l.A.Node].GUID == guid || l.B.Port == port && f.Nodes[l.B.Node].GUID == guid {
			return true
		}
	}
	return false
}

// settle waits until nothing is planned any more, nor has been done for a second.
func (m *managed) settle() {
	m.t.Helper()
	calm := time.Now()
	for time.Since(calm) < time.Second {
		s := m.shown.Load()
		if s.UnderWay != nil || m.planning() != nil || len(m.round) > 0 {
			calm = time.Now()
		}
		for len(m.round) > 0 {
			m.wantUpOrChanged()
		}
		time.Sleep(time.Millisecond)
	}
}

// An event that was on its way when its job ended is not taken for that of the next job.
func TestImprovingIsOver(t *testing.T) {
	i := improving{number: 1}
	ev := &terms.Event{Kind: terms.Improved, Tag: 1}
	if i.isOver(ev) || i.isOver(&terms.Event{Kind: terms.Planned}) {
		t.Error("an event of the job is over")
	}
	if i.begin(t.Context(), nil, nil); !i.isOver(ev) {
		t.Error("an event of an ended job is not over")
	}
}

// TestOthersRest: other work on the processor rests from the beginning of each round to its end.
func TestOthersRest(t *testing.T) {
	var gate par.Gate
	var steps atomic.Int64
	var mu sync.Mutex
	during := map[int][2]int64{} // by round: the steps when it was first and last seen
	m := manageAs(t, smtest.Formula(t, "rlft(8,2)"), "updn", 0, terms.UsualWatch, func(r *Runner) {
		r.Gate = &gate
		show := r.Show
		r.Show = func(s *watch.Snapshot) {
			mu.Lock()
			defer mu.Unlock()
			if s.UnderWay != nil {
				seen, begun := during[s.UnderWay.Number]
				if !begun {
					seen[0] = steps.Load()
				}
				seen[1] = steps.Load()
				during[s.UnderWay.Number] = seen
			}
			show(s)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for others := gate.Rest(ctx); others.Err() == nil; {
			steps.Add(1)
		}
	}()
	for i, link := range switchLinksOf(m.f) {
		if i%8 == 0 {
			m.pull(link)
		}
	}
	m.settle()
	cancel()
	<-ended
	mu.Lock()
	defer mu.Unlock()
	if len(during) < 4 || steps.Load() < 1000 {
		t.Errorf("%d rounds, %d steps", len(during), steps.Load())
	}
	for number, seen := range during {
		if n := seen[1] - seen[0]; n > 1 { // one may be under way when the gate shuts
			t.Errorf("round %d: %d steps of other work", number, n)
		}
	}
}
