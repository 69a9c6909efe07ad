package round

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestRestartedIsDoubted: nothing is believed of a switch whose LinearFDBTop differs from the one
// written. Its tables are not taken for those of the previous round.
func TestRestartedIsDoubted(t *testing.T) {
	before := broughtUp(t, "rlft(4,2)")
	for name, c := range map[string]struct {
		top  uint64
		want bool
	}{"as it was": {uint64(before.Prog.Top), false}, "empty": {0, true}, "another": {uint64(before.Prog.Top) + 1, true}} {
		now := roundOf(terms.Config{})
		now.Inventory, now.given.Before, now.beliefs = before.Inventory, before, beliefs{on: true, doubted: map[fabric.GUID]bool{}}
		now.Nodes = slices.Clone(before.Nodes)
		id := int32(slices.IndexFunc(now.Nodes, func(n ledger.Node) bool { return n.HasSwitch }))
		mad.SwitchInfoLinearFDBTop.Put(now.Nodes[id].Sw[:], c.top)
		if now.doubtRestarted(id); now.beliefs.doubted[now.Nodes[id].GUID] != c.want {
			t.Errorf("%s: doubted: %v", name, !c.want)
		}
		if _, ok := now.SwitchBefore(now.given.Before, id); ok == c.want {
			t.Errorf("%s: it is taken for the switch of the round before: %v", name, ok)
		}
	}
}

// TestReachedIsDoubted: nothing is believed of a node that a round reaches first by a real request;
// other nodes are believed.
func TestReachedIsDoubted(t *testing.T) {
	c := roundOf(terms.Config{})
	c.ByGUID, c.beliefs.doubted = map[fabric.GUID]int32{5: 0}, map[fabric.GUID]bool{}
	for _, guid := range []uint64{5, 6, 7} {
		ev := &terms.Event{Kind: terms.Answer, Tag: ledger.MakeTag(ledger.GetNode, 3, 0)}
		mad.NodeInfoNodeGUID.Put(ev.Data[:], guid)
		if guid == 7 {
			ev.Outcome = terms.Silent
		}
		c.doubtReached(ev)
	}
	if !c.beliefs.doubted[6] || len(c.beliefs.doubted) != 1 {
		t.Errorf("%v", c.beliefs.doubted)
	}
}

// TestInitIsNotBelieved: a port that had a link but was not Active in the previous round is asked
// again; a port without a link is not.
func TestInitIsNotBelieved(t *testing.T) {
	up := broughtUp(t, "rlft(4,2)")
	link := up.Fabric.Links[slices.IndexFunc(up.Fabric.Links, func(l fabric.Link) bool {
		return up.Fabric.Nodes[l.A.Node].Type == fabric.Switch && up.Fabric.Nodes[l.B.Node].Type == fabric.Switch
	})]
	for state, want := range map[uint64]bool{mad.PortActive: true, mad.PortInit: false, mad.PortArmed: false, mad.PortDown: true} {
		before := *up
		before.Info = slices.Clone(before.Info)
		slot, _ := before.SlotOf(before.Fabric.Nodes[link.A.Node].GUID, link.A.Port)
		mad.PortInfoPortState.Put(before.Info[slot][:], state)
		now := roundOf(terms.Config{})
		now.Inventory, now.given.Before, now.beliefs = before.Inventory, &before, beliefs{on: true, doubted: map[fabric.GUID]bool{}}
		if _, ok := now.portBefore(slot); ok != want {
			t.Errorf("state %d: believed: %v", state, ok)
		}
	}
}

// TestToldAgain: a port that ignores part of a Set gets the Set once. A port that did not answer,
// or reports other values than then, gets it again.
func TestToldAgain(t *testing.T) {
	up := broughtUp(t, "rlft(4,2)")
	slot := up.Nodes[up.ByGUID[up.Fabric.Nodes[smtest.Find(up.Fabric, fabric.CA, 5)].GUID]].Entry
	mad.PortInfoSubnetTimeOut.Put(up.Info[slot][:], 31) // as if it had answered so
	told := func(says uint64) bool {
		c := roundOf(terms.Config{})
		c.given.Before, c.Inventory, c.Graph, c.Plan, c.Prog = up, up.Inventory, up.Graph, up.Plan, up.Prog
		c.Info, c.Flags = slices.Clone(c.Info), slices.Clone(c.Flags)
		mad.PortInfoSubnetTimeOut.Put(c.Info[slot][:], says)
		mad.PortInfoMKeyViolations.Put(c.Info[slot][:], 7)
		c.queueArm(c.Owner[slot])
		return len(c.queue) > 0
	}
	if told(31) {
		t.Error("it is told again what it did not take")
	}
	if !told(5) {
		t.Error("it is not told again, though it says something else than it did")
	}
	up.Flags[slot] &^= ledger.PortTold
	if !told(31) {
		t.Error("it is not told again, though it has never answered")
	}
}

// TestHighTurns: a table with high-priority entries is written even if its low-priority list has
// only one entry.
func TestHighTurns(t *testing.T) {
	w := newWorld(smtest.Formula(t, "torus(5x5,hosts=1)"), terms.Config{}, "dor")
	w.alter = func(p *route.Plan) {
		for i := range p.Arbitration.Pool {
			p.Arbitration.Pool[i].High, p.Arbitration.Pool[i].Low = p.Arbitration.Pool[i].Low, p.Arbitration.Pool[i].Low[:1]
		}
	}
	r := w.run()
	if i := slices.IndexFunc(r.SMPs.By, func(n terms.Count) bool { return n.Attribute == "VLArbitrationTable" && n.Method == "Set" }); i < 0 || r.State != terms.Up {
		t.Errorf("%s: %v", r.State, r.SMPs.By)
	}
}

// TestTwinsStored: ports that share a GUID are no sign of another manager.
func TestTwinsStored(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	for n, guid := range map[int]fabric.GUID{3: 0x77, 5: 0x77, 6: 0} {
		f.Nodes[smtest.Find(f, fabric.CA, n)].Ports[1].GUID = guid
	}
	w := newWorld(f, terms.Config{History: terms.History{Store: true, Stored: terms.LIDMap{}}}, "updn")
	if r := w.run(); r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	lids := w.core.record.LIDs
	if _, ok := lids[0]; ok || len(lids) != 14-2 {
		t.Errorf("stored: %v", lids)
	}
	w.core = roundOf(terms.Config{History: terms.History{Store: true, Stored: lids}})
	if r := w.run(); r.State != terms.Up || r.Find(terms.OthersLIDs) != nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestStolenAtStart: a host has taken the GUID of another one before the manager starts. Whichever
// is found first, the host with the stored LID is the true one: the other is left out. If neither
// has the stored LID, the first stays.
func TestStolenAtStart(t *testing.T) {
	for _, c := range []struct {
		liar, victim int
		moved        bool // the victim has another LID than the stored one
		came         bool // the liar has no LID
		same         bool // both are of one system
		stays        int
	}{
		{3, 5, false, false, false, 5},
		{5, 3, false, false, false, 3},
		{3, 5, true, false, false, 3},
		{3, 5, false, true, false, 5},
		{3, 5, false, false, true, 5},
		{5, 3, false, false, true, 3},
		{3, 5, true, false, true, 3},
		{3, 5, true, true, true, 3},
	} {
		f := smtest.Formula(t, "rlft(4,2)")
		w := newWorld(f, terms.Config{History: terms.History{Store: true, Stored: terms.LIDMap{}}}, "updn")
		if r := w.run(); r.State != terms.Up {
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
		stored, leaf := w.core.record.LIDs, func(n int) fabric.GUID {
			return f.Nodes[f.Peer(fabric.End{Node: smtest.Find(f, fabric.CA, n), Port: 1}).Node].GUID
		}
		liar, victim := smtest.Find(f, fabric.CA, c.liar), smtest.Find(f, fabric.CA, c.victim)
		guid := f.Nodes[victim].GUID
		w.fake.Nodes[liar].GUID, f.Nodes[liar].Ports[1].GUID = guid, f.Nodes[victim].Ports[1].GUID
		f.Nodes[liar].SystemGUID, f.Nodes[victim].SystemGUID = guid+1, guid
		if c.same {
			f.Nodes[liar].SystemGUID = guid
		}
		if c.moved {
			mad.PortInfoLID.Put(w.fake.Nodes[victim].Info[1][:], 60)
		}
		if c.came {
			mad.PortInfoPortState.Put(w.fake.Nodes[liar].Info[1][:], mad.PortInit)
			mad.PortInfoLID.Put(w.fake.Nodes[liar].Info[1][:], 0)
		}
		w.fifo = true
		w.core = roundOf(terms.Config{History: terms.History{Store: true, Stored: stored}})
		r := w.run()
		g := w.core.Graph
		if r.Find(terms.DuplicateGUID) == nil || r.Find(terms.MovedCable) != nil || g == nil || g.FindEnd(guid, 1) < 0 {
			t.Fatalf("%+v: %s: %v", c, r.State, r.Incidents)
		}
		at := g.SwitchGUID[g.EndSwitch[g.FindEnd(guid, 1)]]
		if found := len(w.core.liars) > 0; at != leaf(c.stays) || found != (c.stays == 5) {
			t.Errorf("%+v: the other one stays, or a liar is found: %v: %v", c, found, r.Incidents)
		}
	}
}

// broughtUp returns the ledger of a round that has brought a fabric up.
func broughtUp(t *testing.T, text string) *ledger.Ledger {
	t.Helper()
	w := newWorld(smtest.Formula(t, text), terms.Config{}, "updn")
	if r := w.run(); r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	return w.core.Ledger
}
