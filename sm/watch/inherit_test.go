package watch

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/recording"
	"weft/sm/round/planning"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// paths returns the paths that a master tells hosts now.
func (m *market) paths(v *virtual) mad.Datagram {
	return bytes.Clone(allPaths(&m.asked, m.t, v.keeper.a.Serving.Load().Subnet))
}

// isTable reports whether an action writes a table for forwarding packets.
func isTable(a *terms.Action) bool {
	return a.Kind == terms.Send && a.Method == mad.Set && slices.Contains([]mad.AttrID{
		mad.AttrLinearForwardingTable, mad.AttrSLtoVLMappingTable, mad.AttrVLArbitrationTable, mad.AttrMulticastForwardingTable,
	}, a.Attr)
}

// only returns the one master; there must be one.
func (m *market) only(when string) *virtual {
	m.t.Helper()
	for wait := 0; ; wait++ {
		n, master := masters(m.living())
		if n == 1 && !master.manager.inRound {
			return master
		}
		if m.run(100*time.Millisecond, false); wait == 300 {
			m.t.Fatalf("%s: %d masters %s", when, n, journals(m.living()))
		}
	}
}

// fault takes a cable out, or puts one back that was taken out; most are between switches.
func (m *market) fault(draw func(n int) int, down map[fabric.LinkID]bool) string {
	id := fabric.LinkID(draw(len(m.f.Links)))
	l := &m.f.Links[id]
	ends := slices.Clone(m.at) // of managers and customers: theirs stays
	for _, c := range m.customers {
		ends = append(ends, c.at)
	}
	for _, at := range ends {
		if l.A.Node == at.Node || l.B.Node == at.Node {
			return ""
		}
	}
	if down[id] = !down[id]; !isWhole(m.f, down) {
		down[id] = false
	}
	if err := m.sub.SetLinkDown(id, down[id]); err != nil {
		m.t.Fatal(err)
	}
	return fmt.Sprintf("%s is down: %t", m.f.LinkName(id), down[id])
}

// isWhole reports whether all switches reach each other without some cables.
func isWhole(f *fabric.Fabric, down map[fabric.LinkID]bool) bool {
	of := map[fabric.NodeID]fabric.NodeID{} // one that each reaches
	var root func(n fabric.NodeID) fabric.NodeID
	root = func(n fabric.NodeID) fabric.NodeID {
		if to, ok := of[n]; ok && to != n {
			return root(to)
		}
		return n
	}
	for id, l := range f.Links {
		if !down[fabric.LinkID(id)] {
			of[root(l.A.Node)] = root(l.B.Node)
		}
	}
	parts := map[fabric.NodeID]bool{}
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch {
			parts[root(fabric.NodeID(id))] = true
		}
	}
	return len(parts) == 1
}

// scratch routes the subnet of a master from scratch, as one would that knows its LIDs alone, and
// returns the tables.
func (v *virtual) scratch() []byte {
	r := v.manager.Result()
	ev := planning.Plan(context.Background(), v.routing, &terms.RouteRequest{Graph: r.Graph(), Stored: r.Inherit.Stored})
	if ev.Err != nil {
		return nil
	}
	return routed(ev.Result.Plan)
}

// routed lists the entries of a Plan.
func routed(p *route.Plan) (all []byte) {
	for s := range int32(p.Tables.NumSwitches()) {
		for i := range p.Tables.NumBlocks() {
			all = append(all, p.Tables.Block(s, i)[:]...)
		}
	}
	return all
}

// TestPlanOutlivesTakeovers: cables fail and come back, and the Plan of the master is that of
// repairs. When it dies the manager that stood by has the same Plan: it writes no table at all, and
// tells hosts the same paths, byte by byte. So does the next one after it.
func TestPlanOutlivesTakeovers(t *testing.T) {
	racing.SkipLong(t)
	others := 0
	draws.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom([][2]string{
			{"rlft(6,2)", "ftree"},
			{"rlft(6,2)", "updn"},
			{"rlft(6,2)", "auto"},
			{"torus(4x4,hosts=1)", "dfsssp"},
			{"torus(4x4,hosts=1)", "lash"},
			{"random(switches=12,hosts=14,links=22,seed=3)", "lash"},
			{"random(switches=12,hosts=14,links=22,seed=4)", "dfsssp"},
			{"mesh(4x4,hosts=1)", "nue"},
		}).Draw(rt, "fabric")
		m := newMarket(t, c[0], uint64(2*rapid.IntRange(0, 1<<16).Draw(rt, "seed")+1), 3)
		m.routing = smtest.JobOf(c[1], uint8(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(rt, "lmc")))
		m.wrote = func(v *virtual, a *terms.Action) {
			if m.quiet && isTable(a) {
				rt.Fatalf("%s, modifier 0x%X, is written %s", ledger.AttrName(a.Attr), a.Modifier, journals(m.living()))
			}
		}
		for _, c := range m.customers { // where a Plan has lanes the groups that it asks for have another SL
			c.alone = true
		}
		for i := range m.managers {
			m.start(i)
			m.run(5*time.Second, false)
		}
		down := map[fabric.LinkID]bool{}
		for turn := range 2 {
			for range rapid.IntRange(0, 4).Draw(rt, "faults") {
				rt.Log(m.fault(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "cable") }, down))
				m.run(time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms"))*time.Millisecond, true)
			}
			m.run(5*time.Second, true)
			if rapid.IntRange(0, 3).Draw(rt, "rebalance") == 0 {
				m.run(terms.UsualWatch.Rebalance, true)
			}
			m.rest()
			when := fmt.Sprintf("takeover %d", turn)
			master := m.only(when)
			for wait := 0; !m.followed() || master.manager.moves.Due(&terms.UsualWatch, m.now) < terms.Never; wait++ {
				if m.run(100*time.Millisecond, false); wait == 600 {
					rt.Fatalf("no good copy %s", journals(m.living()))
				}
			}
			paths := m.paths(master)
			if afresh := master.scratch(); !bytes.Equal(afresh, routed(master.manager.inForce.Plan)) {
				others++
			}
			m.quiet = true
			m.sub.Detach(master.id)
			m.managers[slices.Index(m.managers, master)] = nil
			m.run(15*time.Second, false)
			next := m.only(when)
			next.verify(rt)
			if !bytes.Equal(m.paths(next), paths) {
				rt.Fatalf("%s: hosts are told other paths than before %s", when, journals(m.living()))
			}
			m.check(next, when)
			m.quiet = false
		}
	}, func() string {
		if others == 0 {
			return "all Plans were those that anybody would have made"
		}
		return ""
	})
	t.Logf("%d takeovers of Plans that nobody would have made afresh", others)
}

// TestReplayedTakeover: what a manager did that stood by, took over after repairs, and drains what
// its master drained is done again from its recording.
func TestReplayedTakeover(t *testing.T) {
	m := newMarket(t, "torus(4x4,hosts=1)", 1, 2)
	m.routing = smtest.JobOf("dfsssp", 0)
	var buffer bytes.Buffer
	var done []did
	m.made = func(i int, v *virtual) {
		if i == 1 {
			v.recorder = recording.NewRecorder(&buffer, &v.manager.cfg, &v.manager.watch, &v.routing)
			v.onAction = func(a *terms.Action) { done = append(done, didOf(v.now, []terms.Action{*a})...) }
		}
	}
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(5*time.Second, false)
	if d := m.managers[0].order(terms.DrainPart, "switch (3,3)[1]"); d.Err != nil {
		t.Fatal(d.Err)
	}
	down := map[fabric.LinkID]bool{}
	for range 3 {
		m.fault(m.rng.IntN, down)
		m.run(2*time.Second, false)
	}
	next := m.kill(m.only("before"))
	if err := next.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if next != m.managers[1] || len(next.manager.Drained()) != 1 || !isKept(next.manager.good.Report) {
		t.Fatal(journals(m.living()))
	}
	if again := replayed(t, &buffer); !reflect.DeepEqual(again, done) || len(done) == 0 {
		t.Errorf("%d actions, %d again", len(done), len(again))
	}
}

// TestTakeoverInTheMiddle: the master dies just when cables fail, or in the middle of its repair.
// The standby repairs the subnet as it is, and every block that it writes changes.
func TestTakeoverInTheMiddle(t *testing.T) {
	racing.SkipLong(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom([][2]string{{"rlft(6,2)", "ftree"}, {"rlft(6,2)", "updn"}, {"torus(4x4,hosts=1)", "dfsssp"}, {"torus(4x4,hosts=1)", "lash"}}).Draw(rt, "fabric")
		m := newMarket(t, c[0], uint64(2*rapid.IntRange(0, 1<<16).Draw(rt, "seed")+1), 2)
		m.routing = smtest.JobOf(c[1], uint8(rapid.IntRange(0, 1).Draw(rt, "lmc")))
		m.made = func(_ int, v *virtual) { v.still() }
		written := map[string]bool{}
		m.wrote = func(_ *virtual, a *terms.Action) {
			if m.quiet && a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrLinearForwardingTable {
				written[fmt.Sprintf("%x %d", a.Path, a.Modifier)] = true
			}
		}
		for i := range m.managers {
			m.start(i)
			m.run(5*time.Second, false)
		}
		down := map[fabric.LinkID]bool{}
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "cable") }
		for range rapid.IntRange(0, 3).Draw(rt, "before") {
			m.fault(draw, down)
			m.run(3*time.Second, false)
		}
		master := m.only("before")
		for range rapid.IntRange(1, 2).Draw(rt, "faults") {
			m.fault(draw, down)
		}
		m.run(time.Duration(rapid.IntRange(0, 30).Draw(rt, "ms"))*time.Millisecond, false)
		m.quiet = true
		before := m.sub.Tables()
		m.sub.Detach(master.id)
		m.managers[slices.Index(m.managers, master)] = nil
		m.run(15*time.Second, false)
		next := m.only("after")
		next.verify(rt)
		if r := next.manager.Result().Report; !r.Routing.Check.OK {
			rt.Fatalf("%s: %v", r.State, r.Incidents)
		}
		after, differ := m.sub.Tables(), 0
		for s := range after.Switches {
			blocks := map[fabric.LID]bool{}
			for lid := fabric.LID(1); lid <= next.manager.inForce.Plan.Ends.Top(); lid++ {
				if before.Switches[s].Port(lid) != after.Switches[s].Port(lid) {
					blocks[lid/64] = true
				}
			}
			differ += len(blocks)
		}
		if len(written) > differ {
			rt.Fatalf("%d blocks written, %d have changed %s", len(written), differ, journals(m.living()))
		}
	})
}
