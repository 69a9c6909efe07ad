package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// cableOf finds the first cable between two switches by their descriptions.
func cableOf(t *testing.T, f *fabric.Fabric, a, b string) fabric.LinkID {
	t.Helper()
	for id, l := range f.Links {
		from, to := f.Nodes[l.A.Node].Desc, f.Nodes[l.B.Node].Desc
		if from == a && to == b || from == b && to == a {
			return fabric.LinkID(id)
		}
	}
	t.Fatalf("no cable between %s and %s", a, b)
	return fabric.NoLink
}

// TestIslandReturns: while the manager writes, its switch is cut off from all others. These keep
// forwarding by old and new tables; the Plan in force, of one switch, knows nothing of them. When a
// cable is back the manager reads their tables, and writes the new ones in an order in which no
// packet circles at any moment. TestNoCircleAtAnyMoment drew this case.
func TestIslandReturns(t *testing.T) {
	racing.SkipLong(t)
	seen := map[string]int{}
	for events := range 20 {
		f := smtest.Formula(t, "rlft(4,3)")
		cfg := terms.Config{MaxPending: 1}
		v, err := newVirtual(f, emulator.Options{}, cfg, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager = NewManager(cfg, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + time.Second)
		setDown := func(a, b string, down bool) {
			if err := v.sub.SetLinkDown(cableOf(t, f, a, b), down); err != nil {
				t.Fatal(err)
			}
		}
		m, left := moments{v: v, seen: seen}, events
		v.onEvent = func() {
			m.look(t)
			if v.manager.current.Phase() == "tables" {
				if left--; left == -1 {
					setDown("leaf 0", "middle 0", true)
				}
			}
		}
		v.onPhase = func(name string) {
			if b := v.manager.given.Before; name == "read" && b != nil && len(b.Graph.SwitchGUID) == 1 {
				seen["islands"]++
			}
		}
		setDown("leaf 0", "middle 1", true)
		v.runUntil(v.now + 5*time.Second)
		setDown("middle 1", "root 3", true)
		v.runUntil(v.now + 5*time.Second)
		setDown("leaf 5", "middle 4", true)
		v.runUntil(v.now + 5*time.Second)
		setDown("leaf 0", "middle 1", false)
		v.runUntil(v.now + 5*time.Second)
		if r := v.manager.Result().Report; r.State != terms.Up || r.Found.Switches != 20 {
			t.Fatalf("after %d events: %s with %d switches: %v", events, r.State, r.Found.Switches, v.entries)
		}
		v.verify(t)
	}
	if t.Log(seen); seen["islands"] == 0 || seen["steps"] == 0 {
		t.Error("no island came back, or none whose tables need an order")
	}
}

// TestSilentReturns: two neighbours are silent for a round, in which the others get other tables,
// and answer again. Their cables have stayed up, so that they still forward to each other by old
// tables. The manager reads these before it routes all afresh. If the Plan in force has lanes,
// nobody knows the lanes of the packets that follow old entries: these are dropped first.
func TestSilentReturns(t *testing.T) {
	racing.SkipLong(t)
	seen := map[string]int{}
	for _, engines := range [][3]string{{"updn", "updn", "nue"}, {"nue", "dfsssp", "updn"}} {
		for link, l := range smtest.Formula(t, "torus(5x4,hosts=1)").Links {
			if link%2 > 0 && engines[1] == "dfsssp" {
				continue
			}
			f := smtest.Formula(t, "torus(5x4,hosts=1)")
			v, err := newVirtual(f, emulator.Options{}, terms.Config{MaxPending: 1}, smtest.JobOf(engines[0], 0))
			if err != nil {
				t.Fatal(err)
			}
			own := f.Peer(v.at).Node
			if f.Nodes[l.A.Node].Type != fabric.Switch || f.Nodes[l.B.Node].Type != fabric.Switch || l.A.Node == own || l.B.Node == own {
				continue
			}
			v.manager = NewManager(terms.Config{MaxPending: 1}, terms.UsualWatch)
			v.step(&terms.Event{Kind: terms.Start})
			v.runUntil(v.now + 5*time.Second)
			m := moments{v: v, seen: seen}
			for i, silent := range []bool{true, false} {
				for _, end := range []fabric.End{l.A, l.B} {
					if err := v.sub.SetSilent(end.Node, silent); err != nil {
						t.Fatal(err)
					}
				}
				if !silent {
					v.onEvent = func() { m.look(t) }
					v.onAction = func(a *terms.Action) {
						if a.Kind == terms.Route && a.Request.Found != nil {
							seen["found"]++
						}
						if way := v.manager.found().Way; a.Kind == terms.Note && way != nil {
							seen["strangers"] += way.Strangers
						}
					}
				}
				v.routing = smtest.JobOf(engines[1+i], 0)
				v.step(&terms.Event{Kind: terms.Rebalance})
				v.runUntil(v.now + 5*time.Second)
			}
			if r := v.manager.Result().Report; r.State != terms.Up || r.Found.Switches != 20 {
				t.Fatalf("%v, cable %d: %s with %d switches: %v", engines, link, r.State, r.Found.Switches, v.entries)
			}
			v.verify(t)
		}
	}
	t.Log(seen)
	for _, what := range []string{"found", "strangers", "steps", "lanes"} {
		if seen[what] == 0 {
			t.Errorf("no %s", what)
		}
	}
}
