package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/route/repair"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

// switchLinks lists the links between switches.
func switchLinks(f *fabric.Fabric) (list []fabric.LinkID) {
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			list = append(list, fabric.LinkID(id))
		}
	}
	return list
}

// treeOf brings up a tree whose manager has other settings than usual.
func treeOf(t *testing.T, set func(w *terms.Watch)) *virtual {
	t.Helper()
	v, err := newVirtual(smtest.Formula(t, "rlft(8,2)"), emulator.Options{}, terms.Config{}, smtest.JobOf("ftree", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	set(&watch)
	v.manager = NewManager(terms.Config{}, watch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	return v
}

// pullAndReturn takes a link down, and brings it back after a while.
func (v *virtual) pullAndReturn(t *testing.T, pause time.Duration) fabric.LinkID {
	t.Helper()
	link := switchLinks(v.sub.Fabric())[0]
	for _, down := range []bool{true, false} {
		if err := v.sub.SetLinkDown(link, down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + pause)
	}
	return link
}

// entriesOver counts the entries of LIDs over a link by the Plan in force, on both sides.
func (v *virtual) entriesOver(link fabric.LinkID) (n [2]int) {
	f, c := v.sub.Fabric(), v.manager.inForce
	for side, e := range [2]fabric.End{f.Links[link].A, f.Links[link].B} {
		for s, guid := range c.Graph.SwitchGUID {
			for lid := fabric.LID(1); guid == f.Nodes[e.Node].GUID && lid <= c.Plan.Tables.Top(); lid++ {
				if c.Plan.Tables.Port(int32(s), lid) == e.Port {
					n[side]++
				}
			}
		}
	}
	return n
}

// TestReturnedLinkCarries: a link that came back carries traffic again while other links fail every
// ten seconds. No LID moves, and no more entries than are allowed. Without moves, the link would
// wait for a quiet minute.
func TestReturnedLinkCarries(t *testing.T) {
	for _, perMinute := range []int{2000, 60, 0} {
		v := treeOf(t, func(w *terms.Watch) { w.Moves = perMinute })
		lids, links := v.lidsOf(), switchLinks(v.sub.Fabric())
		setDown := func(l fabric.LinkID, down bool) {
			if err := v.sub.SetLinkDown(l, down); err != nil {
				t.Fatal(err)
			}
		}
		setDown(links[0], true)
		v.runUntil(v.now + 10*time.Second)
		if n := v.entriesOver(links[0]); n != [2]int{} {
			t.Fatalf("%v entries over a failed link", n)
		}
		setDown(links[0], false)
		v.runUntil(v.now + 10*time.Second)
		begun := v.now
		for k := 5; v.now < begun+50*time.Second; k += 6 {
			setDown(links[k], true)
			v.runUntil(v.now + 10*time.Second)
		}
		used := v.entriesOver(links[0])
		if (used[0] > 0 && used[1] > 0) != (perMinute > 0) {
			t.Errorf("%d a minute: %v entries over the link that came back: %v", perMinute, used, v.entries)
		}
		if moved := v.manager.tally.Spread; moved > perMinute*7/6 || (moved > 0) != (perMinute > 0) {
			t.Errorf("%d a minute: %d entries moved", perMinute, moved)
		}
		for guid, lid := range v.lidsOf() {
			if lids[guid] != lid {
				t.Errorf("%s has LID %d, had %d", guid, lid, lids[guid])
			}
		}
		v.verify(t)
	}
}

// TestNoMoves: in the hours without moves nothing moves, and nothing is routed from scratch but by
// request; after them it is.
func TestNoMoves(t *testing.T) {
	v := treeOf(t, func(w *terms.Watch) {
		w.NoMoves, w.Epoch = []terms.Hours{{From: 22 * time.Hour, To: 6 * time.Hour}}, 5*time.Hour+50*time.Minute
	})
	link := v.pullAndReturn(t, 20*time.Second)
	v.runUntil(9 * time.Minute)
	if n := v.entriesOver(link); n != [2]int{} || v.manager.tally.Spread > 0 {
		t.Errorf("%v entries over the link, %d moved: %v", n, v.manager.tally.Spread, v.entries)
	}
	v.runUntil(10*time.Minute + 5*time.Second)
	if n := v.entriesOver(link); n[0] == 0 || n[1] == 0 {
		t.Errorf("after the hours %v entries over the link: %v", n, v.entries)
	}
}

// TestMovesEnd: when no entry gains by a move, no more rounds begin.
func TestMovesEnd(t *testing.T) {
	v := treeOf(t, func(w *terms.Watch) { w.Rebalance = 0 })
	v.pullAndReturn(t, 2*time.Minute)
	rounds := v.told(terms.RoundBegun)
	if v.runUntil(v.now + 10*time.Minute); v.told(terms.RoundBegun) > rounds || v.manager.tally.Spread == 0 {
		t.Errorf("%d entries moved; %d more rounds: %v", v.manager.tally.Spread, v.told(terms.RoundBegun)-rounds, v.entries)
	}
}

// TestMovesSurviveARestart: a manager restarts while entries could move. Whether they do follows
// from the stored Plan: those of a repaired one move, and those of an engine's stay. Later the
// repaired one is routed from scratch.
func TestMovesSurviveARestart(t *testing.T) {
	for _, repaired := range []bool{true, false} {
		v, err := newVirtual(smtest.Formula(t, "torus(4x4,hosts=1)|fail(links=3,seed=3)"), emulator.Options{}, terms.Config{}, smtest.JobOf("dfsssp", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager = NewManager(terms.Config{}, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 3*time.Second)
		if repaired {
			v.pullAndReturn(t, 500*time.Millisecond)
		}
		c := v.manager.inForce
		_, could, err := repair.Spread(t.Context(), c.Graph, c.Plan, nil, 1000, 1)
		if err != nil || could.Moved == 0 || v.manager.tally.Spread > 0 || c.Plan.Recipe.Repaired != repaired {
			t.Fatalf("%v: %+v could move, %d moved, repaired: %t: %v", err, could, v.manager.tally.Spread, c.Plan.Recipe.Repaired, v.entries)
		}
		v.manager = NewManager(terms.Config{History: terms.History{Last: planner.Keep(c.Plan, c.Graph)}}, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 45*time.Second)
		if moved := v.manager.tally.Spread; (moved > 0) != repaired {
			t.Errorf("repaired: %t, and after a restart %d entries moved: %v", repaired, moved, v.entries)
		}
		if v.runUntil(v.now + 45*time.Second); v.manager.inForce.Plan.Recipe.Repaired {
			t.Errorf("never routed from scratch: %v", v.entries)
		}
		v.verify(t)
	}
}

// TestUnbalancedIsOfOurPlan: a manager that gives the subnet up forgets that its Plan was
// unbalanced; its rules still say so until another master sends its own.
func TestUnbalancedIsOfOurPlan(t *testing.T) {
	m := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{}).manager
	m.unbalanced = true
	scheduleAfresh(m)
	m.giveUp()
	if m.unbalanced || !m.learned.rules.Rebalance {
		t.Errorf("unbalanced %t, learned %+v", m.unbalanced, m.learned.rules)
	}
}

// TestAfreshLeftByMaster: if the master before us was to route from scratch, its successor does so,
// though the Plan was not repaired: it may be the first that was proven.
func TestAfreshLeftByMaster(t *testing.T) {
	for _, left := range []bool{true, false} {
		v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
		c := v.manager.inForce
		v.manager = NewManager(terms.Config{History: terms.History{Last: planner.Keep(c.Plan, c.Graph)}}, terms.UsualWatch)
		v.manager.learned.rules = &succession.Rules{Rebalance: left}
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 3*time.Second)
		m := v.manager
		if m.inForce == nil || m.inForce.Plan.Recipe.Repaired || m.afresh < terms.Never != left {
			t.Errorf("left: %t; routing from scratch is due at %v: %v", left, m.afresh, v.entries)
		}
	}
}

// TestMovesFollowASweep: a round that moves entries follows a light sweep since the round before.
func TestMovesFollowASweep(t *testing.T) {
	v := treeOf(t, func(w *terms.Watch) { w.Rebalance = 0 })
	steps, swept := 0, 0
	v.onAction = func(a *terms.Action) {
		switch {
		case a.Kind == terms.RoundEnded:
			swept = v.manager.tally.LightSweeps
		case a.Kind == terms.Note && a.Incident.Kind == terms.RoundBegun && v.manager.given.Limits.Moves > 0:
			if steps++; v.manager.tally.LightSweeps == swept {
				t.Errorf("entries move without a light sweep: %v", v.entries)
			}
		}
	}
	for range 3 {
		v.pullAndReturn(t, 15*time.Second)
	}
	if steps < 3 || v.manager.tally.Spread == 0 {
		t.Errorf("%d steps, %d entries moved: %v", steps, v.manager.tally.Spread, v.entries)
	}
}
