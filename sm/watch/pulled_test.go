package watch

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestPulledCable: a cable that is pulled at any moment of discovery, and perhaps put
// back, is no second node with the same GUID.
func TestPulledCable(t *testing.T) {
	racing.SkipLong(t)
	f := smtest.Formula(t, "rlft(8,2)")
	events := 0
	play := func(at int, put time.Duration, link fabric.LinkID) *terms.Report {
		v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		events = 0
		v.onEvent = func() {
			if !slices.Contains([]string{"idle", "discover", "recheck", "managers", "claim"}, v.manager.current.Phase()) {
				return
			}
			if events++; events != at {
				return
			}
			if put == 0 {
				err = v.sub.SetLinkDown(link, true)
			} else {
				err = v.sub.Flap(link, put)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := v.run()
		v.verify(t)
		return r
	}
	play(0, 0, 0)
	total := events
	between := f.Nodes[smtest.Find(f, fabric.Switch, 0)].Ports[8].Link
	host := f.Nodes[smtest.Find(f, fabric.CA, 20)].Ports[1].Link
	for at := 1; at <= total; at += 5 {
		for _, put := range []time.Duration{0, time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
			for _, link := range []fabric.LinkID{between, host} {
				if r := play(at, put, link); r.State != terms.Up || r.Find(terms.DuplicateGUID) != nil {
					t.Errorf("link %d at %d for %v: %s: %v", link, at, put, r.State, r.Incidents)
				}
			}
		}
	}
}

// TestFewerLanes: lane tables that were written more than once count no more when the next Plan has
// one lane, which writes none: the sweeps after it find nothing.
func TestFewerLanes(t *testing.T) {
	v := staying(t, "torus(5x5,hosts=1)", emulator.Options{}, terms.Config{})
	v.reconfigure("dor", 0, terms.UsualWatch)
	v.runUntil(v.now + 3*time.Second)
	c := v.manager.inForce
	if c.Plan.VLs < 2 {
		t.Fatalf("%d lanes", c.Plan.VLs)
	}
	for slot := range int32(len(c.Owner)) {
		if !c.IsSwitch(slot) && c.Prog.End[slot] >= 0 {
			c.Rewritten = append(c.Rewritten, ledger.MakeTag(ledger.SetSL2VL, slot, 0))
		}
	}
	v.reconfigure("updn", 0, terms.UsualWatch)
	v.runUntil(v.now + 3*time.Second)
	if n := v.manager.inForce.Plan.VLs; n != 1 {
		t.Fatalf("%d lanes after it", n)
	}
	rounds := v.told(terms.RoundBegun)
	v.runUntil(v.now + 3*terms.UsualWatch.Interval)
	if n := v.told(terms.RoundBegun); n != rounds {
		t.Errorf("%d rounds, then %d: %v", rounds, n, v.entries)
	}
}
