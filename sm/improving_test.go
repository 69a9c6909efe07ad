package sm

import (
	"context"
	"os"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/route/engine"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestRepairWhilePlanning: a cable that is pulled while a better Plan is made is repaired during
// that. WEFT_LATER names another fabric, for measurements: -v prints the times.
func TestRepairWhilePlanning(t *testing.T) {
	formula := os.Getenv("WEFT_LATER")
	if formula == "" {
		formula = "random(switches=60,hosts=4,links=200,seed=3)"
	}
	f := smtest.Formula(t, formula)
	looks := terms.UsualWatch
	looks.Moves = 0
	begun := time.Now()
	m := manageBy(t, f, engine.Auto, 0, looks)
	up := time.Since(begun)
	var links []fabric.LinkID
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			links = append(links, fabric.LinkID(id))
		}
	}
	pull := func(n int) time.Duration {
		begun := time.Now()
		m.l.Do(func(s *emulator.Subnet) {
			if err := s.SetLinkDown(links[n*len(links)/5], true); err != nil {
				t.Error(err)
			}
		})
		m.wantUp()
		return time.Since(begun)
	}
	for range 1000 {
		if m.shown.Load().Routed.Planning != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	var with, without []time.Duration
	for n := range 2 {
		time.Sleep(100 * time.Millisecond)
		if m.shown.Load().Routed.Planning == nil {
			break
		}
		with = append(with, pull(n))
	}
	for m.shown.Load().Routed.Planning != nil {
		time.Sleep(10 * time.Millisecond)
	}
	planned := time.Since(begun)
	m.wantUp() // the better Plan
	if m.shown.Load().InForce.Report.Routing.Check == nil || !m.shown.Load().InForce.Report.Routing.Check.OK {
		t.Error("not proven")
	}
	for n := range 2 {
		time.Sleep(100 * time.Millisecond)
		without = append(without, pull(2+n))
	}
	t.Logf("%s: up in %v, planned after %v; repairs while planning %v, without %v", f.Name, up, planned, with, without)
}

// A resting context waits at its gate until that opens or the context ends.
func TestResting(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		var g gate
		r := resting{ctx, &g}
		if r.Err() != nil {
			t.Fatal("it is not open")
		}
		g.set(false)
		g.set(false)
		passed := make(chan error)
		go func() { passed <- r.Err() }()
		select {
		case <-passed:
			t.Fatal("it is not shut")
		case <-time.After(20 * time.Millisecond):
		}
		if cancelled {
			cancel()
		} else {
			g.set(true)
		}
		if err := <-passed; (err != nil) != cancelled {
			t.Fatal(err)
		}
		cancel()
	}
}
