package multicast_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine"
	"weft/route/multicast"
	"weft/route/recipe"
	"weft/route/repair"
)

// plan routes a network by an engine; nil where it refuses.
func plan(t rapid.TB, g *fabric.Graph, name string, vls int) *route.Plan {
	t.Helper()
	spec, ok := engine.Find(name)
	if ok != nil {
		t.Fatal(ok)
	}
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, MaxVLs: vls, Workers: 1}, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// judged judges a Plan, and fails where its trees are not proven or where unicast was proven and is
// not.
func judged(t rapid.TB, g *fabric.Graph, p *route.Plan) *check.Report {
	t.Helper()
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Multicast == nil || r.Find(check.BadTree) != nil || r.Multicast.DeadlockFree != check.Yes {
		t.Fatalf("trees %+v, faults %+v", r.Multicast, r.Faults)
	}
	return r
}

// dumb holds the dependencies of a pool and of all paths, found by walking.
type dumb map[[2][2]int]bool

// addPaths walks every path of a Plan, switch ports included as sources.
func (d dumb) addPaths(g *fabric.Graph, p *route.Plan) {
	for dst := range int32(g.NumEnds) {
		for k := range p.Ends.Count(dst) {
			lid := p.Ends.Base[dst] + fabric.LID(k)
			for src := range int32(g.NumEnds) {
				s, in, last, hops := g.EndSwitch[src], g.EndPort[src], [2]int{-1}, 0
				for ; hops < g.NumSwitches; hops++ {
					port := p.Tables.Port(s, lid)
					c, _ := g.At(s, port)
					if port == route.NoPort || c < 0 {
						break
					}
					now := [2]int{int(c), int(p.SL2VL.Table(g, s, in, port)[p.SL.At(src, lid)])}
					if last[0] >= 0 {
						d[[2][2]int{last, now}] = true
					}
					last, s, in = now, g.To[c], g.ToPort[c]
				}
			}
		}
	}
}

// addCopies floods a tree of a group from every port of every switch of it that is no cable of it.
func (d dumb) addCopies(g *fabric.Graph, p *route.Plan, t *route.GroupTree, from int32) {
	type packet struct {
		s    int32
		in   uint8
		last [2]int
	}
	s := g.EndSwitch[from]
	for queue := []packet{{s, g.EndPort[from], [2]int{-1}}}; len(queue) > 0; queue = queue[1:] {
		k := queue[0]
		ports := t.At(k.s)
		ports.Each(func(port uint8) {
			c, _ := g.At(k.s, port)
			if port == k.in || c < 0 || port == 0 {
				return
			}
			now := [2]int{int(c), int(p.SL2VL.Table(g, k.s, k.in, port)[p.Multicast.SL])}
			if k.last[0] >= 0 {
				d[[2][2]int{k.last, now}] = true
			}
			queue = append(queue, packet{g.To[c], g.ToPort[c], now})
		})
	}
}

// cyclic reports whether the dependencies have a cycle: nodes without one that they wait for are
// taken away until none is left.
func (d dumb) cyclic() bool {
	left := map[[2][2]int]bool{}
	for e := range d {
		left[e] = true
	}
	for {
		waits := map[[2]int]bool{}
		for e := range left {
			waits[e[0]] = true
		}
		n := len(left)
		for e := range left {
			if !waits[e[1]] {
				delete(left, e)
			}
		}
		if len(left) == n {
			return n > 0
		}
	}
}

// arrivals counts the copies of one packet by the end port that they reach; a packet that is copied
// without end fails.
func arrivals(t rapid.TB, g *fabric.Graph, tree *route.GroupTree, from int32) map[int32]int {
	got := map[int32]int{}
	type packet struct {
		s  int32
		in uint8
	}
	steps := 0
	for queue := []packet{{g.EndSwitch[from], g.EndPort[from]}}; len(queue) > 0; queue = queue[1:] {
		if steps++; steps > 10*g.NumSwitches {
			t.Fatalf("copies without end: %+v", tree)
		}
		k := queue[0]
		ports := tree.At(k.s)
		for port := range g.SwitchPorts[k.s] + 1 {
			if !ports.Has(uint8(port)) || uint8(port) == k.in {
				continue
			}
			c, host := g.At(k.s, uint8(port))
			switch {
			case c >= 0:
				queue = append(queue, packet{g.To[c], g.ToPort[c]})
			case port == 0:
				got[g.PortZero(k.s)]++
			default:
				got[host]++
			}
		}
	}
	return got
}

// drawGroup draws a group of end ports that can reach each other.
func drawGroup(t *rapid.T, g *fabric.Graph, mlid fabric.LID) route.Group {
	of, _ := partOf(g)
	first := int32(rapid.IntRange(0, g.NumEnds-1).Draw(t, "first"))
	group := route.Group{MLID: mlid}
	for e := range int32(g.NumEnds) {
		if of[g.EndSwitch[e]] != of[g.EndSwitch[first]] {
			continue
		}
		switch rapid.IntRange(0, 3).Draw(t, "member") {
		case 0, 1:
			group.Receivers = append(group.Receivers, e)
		case 2:
			group.Senders = append(group.Senders, e)
		}
	}
	return group
}

// partOf numbers the parts of a network without its drained switches; those belong to the first
// part beside them.
func partOf(g *fabric.Graph) (of []int, n int) {
	of = make([]int, g.NumSwitches)
	for s := range of {
		of[s] = -1
	}
	for s := range int32(g.NumSwitches) {
		if of[s] >= 0 || g.Drained[s] {
			continue
		}
		of[s] = n
		for queue := []int32{s}; len(queue) > 0; queue = queue[1:] {
			for _, c := range g.OutOf(queue[0]) {
				if v := g.To[c]; of[v] < 0 && !g.Drained[v] {
					of[v] = n
					queue = append(queue, v)
				}
			}
		}
		n++
	}
	return of, n
}

// engines are those of the property tests.
var engines = []string{"minhop", "updn", "dfsssp", "lash", "nue", "sssp"}

// TestEachMemberOnce: on random networks, with any engine and random groups, each member gets each
// packet once and nobody else gets one, whoever sends; the judge agrees; and the packets of all
// groups and of all paths wait in no ring.
func TestEachMemberOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		for h := range int32(g.NumHosts) { // some links to hosts have fewer VLs
			g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = rapid.SampledFrom([]uint8{0, 0, 0, 1, 2, 8}).Draw(t, "vls of a host")
		}
		p := plan(t, g, rapid.SampledFrom(engines).Draw(t, "engine"), rapid.IntRange(1, 4).Draw(t, "vls"))
		if p == nil {
			return
		}
		before, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := multicast.Complete(g, p, multicast.Options{Trees: rapid.IntRange(1, 5).Draw(t, "trees"), MaxVLs: 4}); err != nil {
			if _, ok := errors.AsType[*route.Refusal](err); !ok || p.Multicast != nil {
				t.Fatal(err)
			}
			return
		}
		if r := judged(t, g, p); r.OK != before.OK {
			t.Fatalf("proven %v before there were trees, %v with them: %+v", before.OK, r.OK, r.Faults)
		}
		deps := dumb{}
		deps.addPaths(g, p)
		wasCyclic := deps.cyclic()
		cutter := multicast.NewCutter(g, p.Multicast)
		for i := range rapid.IntRange(1, 4).Draw(t, "groups") {
			group := drawGroup(t, g, fabric.FirstMLID+fabric.LID(i))
			tree := cutter.Cut(&group)
			faults := check.Groups(g, p.Multicast, []route.Group{group}, []route.GroupTree{tree})
			if tree.Tree == route.NoTree {
				continue // drained switches may stand between its members
			}
			if len(faults) > 0 {
				t.Fatalf("group %+v, tree %+v: %v", group, tree, faults)
			}
			nothingToSpare(t, g, &group, &tree)
			for _, from := range slices.Concat(group.Receivers, group.Senders) {
				got := arrivals(t, g, &tree, from)
				for e := range int32(g.NumEnds) {
					want := 0
					if e != from && slices.Contains(group.Receivers, e) {
						want = 1
					}
					if got[e] != want {
						t.Fatalf("from %d: %v gets %d copies, %d are right; group %+v, tree %+v", from, g.EndName(e), got[e], want, group, tree)
					}
				}
				deps.addCopies(g, p, &tree, from)
			}
		}
		if deps.cyclic() && !wasCyclic {
			t.Fatal("paths and copies wait in a ring")
		}
	})
}

// nothingToSpare fails where a switch at an end of a group's tree has no member: the tree would do
// without it.
func nothingToSpare(t *rapid.T, g *fabric.Graph, group *route.Group, tree *route.GroupTree) {
	for i, s := range tree.Switches {
		cables := 0
		tree.Ports[i].Each(func(port uint8) {
			if c, _ := g.At(s, port); c >= 0 && port > 0 {
				cables++
			}
		})
		members := slices.ContainsFunc(slices.Concat(group.Receivers, group.Senders), func(e int32) bool { return g.EndSwitch[e] == s })
		if cables < 2 && !members {
			t.Fatalf("switch %d has no member and %d cables; group %+v, tree %+v", s, cables, group, tree)
		}
	}
}

// TestCovered: without drained switches every group has a tree.
func TestCovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := conformance.Draw(t)
		for i := range f.Nodes {
			f.Nodes[i].Drained = false
		}
		g := f.Compile()
		p := plan(t, g, "updn", 2)
		if p == nil {
			return
		}
		if err := multicast.Complete(g, p, multicast.Options{}); err != nil {
			t.Fatal(err)
		}
		group := drawGroup(t, g, fabric.FirstMLID)
		group.Receivers = slices.DeleteFunc(group.Receivers, func(e int32) bool { return g.IsPortZero(e) && len(g.HostsOf(g.EndSwitch[e])) == 0 })
		group.Senders = slices.DeleteFunc(group.Senders, func(e int32) bool { return g.IsPortZero(e) && len(g.HostsOf(g.EndSwitch[e])) == 0 })
		if tree := multicast.NewCutter(g, p.Multicast).Cut(&group); tree.Tree == route.NoTree {
			t.Fatalf("no tree for %+v; pool %+v", group, p.Multicast)
		}
	})
}

// parse makes the network of a formula.
func parse(t rapid.TB, formula string) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withTrees makes a network, and its Plan by updn with so many trees, 0 for as many as usual.
func withTrees(t rapid.TB, formula string, trees int) (*fabric.Fabric, *fabric.Graph, *route.Plan) {
	t.Helper()
	f := parse(t, formula)
	g := f.Compile()
	p := plan(t, g, "updn", 0)
	if err := multicast.Complete(g, p, multicast.Options{Trees: trees}); err != nil {
		t.Fatal(err)
	}
	return f, g, p
}

// TestKept: after a fault the trees of switches with hosts are kept but for the lost cable.
func TestKept(t *testing.T) {
	f, g, p := withTrees(t, "rlft(8,2)", 4)
	if len(p.Multicast.Trees) != 4 {
		t.Fatalf("%d trees", len(p.Multicast.Trees))
	}
	for id, l := range f.Links {
		if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
			f.SetLinkDown(fabric.LinkID(id), true)
			break
		}
	}
	now := f.Compile()
	q, _, err := repair.Run(context.Background(), now, &repair.Request{Held: route.Hold(g, p, now), Old: g, Plan: p, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := multicast.Complete(now, q, multicast.Options{Trees: 4, Keep: &multicast.Kept{Graph: g, Pool: p.Multicast}}); err != nil {
		t.Fatal(err)
	}
	judged(t, now, q)
	moved := 0
	for i, old := range p.Multicast.Trees {
		tree := q.Multicast.Trees[i]
		if tree.Root != old.Root {
			t.Fatalf("tree %d had root %d and has %d", i, old.Root, tree.Root)
		}
		for s, c := range old.Up {
			if d := tree.Up[s]; g.HostCount(int32(s)) > 0 && c >= 0 && (d < 0 || g.FromPort[c] != now.FromPort[d]) {
				moved++
			}
		}
	}
	if moved > 1 {
		t.Errorf("one cable was lost, and %d switches with hosts have another parent", moved)
	}
}

// TestKeptPastDrained: what hung from a switch that is drained now hangs elsewhere.
func TestKeptPastDrained(t *testing.T) {
	f, g, p := withTrees(t, "rlft(6,2)", 4)
	for s := range g.NumSwitches {
		id, _ := f.NodeByGUID(g.SwitchGUID[s])
		f.Nodes[id].Drained = true
		now := f.Compile()
		q := plan(t, now, "updn", 0)
		if err := multicast.Complete(now, q, multicast.Options{Trees: 4, Keep: &multicast.Kept{Graph: g, Pool: p.Multicast}}); err != nil {
			t.Fatal(err)
		}
		judged(t, now, q)
		f.Nodes[id].Drained = false
	}
}

// TestNarrowHosts: a link to a host that has not the VL of the trees has no turn for it.
func TestNarrowHosts(t *testing.T) {
	g := parse(t, "torus(6,hosts=1)").Compile()
	g.PortVLs = slices.Repeat([]uint8{8}, len(g.Attached))
	for h := range int32(g.NumHosts) {
		g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = 2
	}
	p := plan(t, g, "dor", 2)
	if err := multicast.Complete(g, p, multicast.Options{MaxVLs: 3}); err != nil {
		t.Fatal(err)
	}
	judged(t, g, p)
	for h := range int32(g.NumHosts) {
		at := p.Arbitration.OfSwitch(g, g.EndSwitch[h], g.EndPort[h])
		if w := p.Arbitration.OfHost(h).Weight(2) + at.Weight(2); w > 0 || at.Weight(1) == 0 {
			t.Errorf("a link of 2 VLs has turns %+v and %+v", p.Arbitration.OfHost(h), at)
		}
	}
}

// TestKeep: a repaired Plan has the trees that have lost nothing, as they were, and no other ones.
func TestKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, g, p := withTrees(t, rapid.SampledFrom([]string{"rlft(8,2)", "rlft(6,3)", "torus(4x4,hosts=1)"}).Draw(t, "network"), 0)
		node := func(s int) fabric.NodeID {
			id, _ := f.NodeByGUID(g.SwitchGUID[s])
			return id
		}
		down := map[fabric.End]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "lost") {
			id := rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")
			if l := f.Links[id]; f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
				f.SetLinkDown(fabric.LinkID(id), true)
				down[l.A], down[l.B] = true, true
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "drain") == 0 {
			f.SetDrained(fabric.Part{Switch: node(rapid.IntRange(0, g.NumSwitches-1).Draw(t, "switch")), Link: fabric.NoLink}, true)
		}
		now := f.Compile()
		var want [][]int32
		for _, old := range p.Multicast.Trees {
			stays := func(s int32) bool { // on the way to the root as before
				c := old.Up[s]
				return s == old.Root || c >= 0 && !down[fabric.End{Node: node(int(s)), Port: g.FromPort[c]}]
			}
			whole := true
			for s := range int32(len(old.Up)) {
				if c := old.Up[s]; c >= 0 && stays(s) {
					whole = whole && stays(g.To[c]) && !now.Drained[g.To[c]]
				}
				whole = whole && (stays(s) || now.HostCount(s) == 0)
			}
			if whole && !now.Drained[old.Root] {
				want = append(want, old.Up)
			}
		}
		q := *p
		kept := multicast.Keep(now, &q, &multicast.Options{Keep: &multicast.Kept{Graph: g, Pool: p.Multicast}})
		if kept != (len(want) > 0) {
			t.Fatalf("kept %v, want %d trees", kept, len(want))
		}
		if !kept {
			return
		}
		if len(q.Multicast.Trees) != len(want) || q.Multicast.SL != p.Multicast.SL {
			t.Fatalf("%d trees, want %d", len(q.Multicast.Trees), len(want))
		}
		for i, tree := range q.Multicast.Trees {
			for s, c := range want[i] {
				if d := tree.Up[s]; now.HostCount(int32(s)) > 0 && (c < 0) != (d < 0) || d >= 0 && g.FromPort[c] != now.FromPort[d] {
					t.Fatalf("tree %d: switch %d has another parent", i, s)
				}
			}
		}
	})
}

// TestBalance: groups are spread over the roots.
func TestBalance(t *testing.T) {
	_, g, p := withTrees(t, "rlft(12,2)", 6)
	count := make([]int, len(p.Multicast.Trees))
	cutter := multicast.NewCutter(g, p.Multicast)
	for i := range fabric.LID(600) {
		group := route.Group{MLID: fabric.FirstMLID + i, Receivers: []int32{0, int32(g.NumHosts) - 1}}
		count[cutter.Cut(&group).Tree]++
	}
	for i, n := range count {
		if n < 60 || n > 140 {
			t.Errorf("tree %d has %d of 600 groups: %v", i, n, count)
		}
	}
	roots := map[int32]bool{}
	for _, tree := range p.Multicast.Trees {
		if g.HostCount(tree.Root) > 0 {
			t.Errorf("root %s has hosts", fabric.SwitchName(g, tree.Root))
		}
		roots[tree.Root] = true
	}
	if len(roots) != 6 {
		t.Errorf("%d roots", len(roots))
	}
}

// TestOneTurn: trees on a VL between those of paths have the turn there that the VL has already, no
// second one.
func TestOneTurn(t *testing.T) {
	g := parse(t, "torus(6,hosts=1)").Compile()
	p := plan(t, g, "dor", 2)
	for i := range p.SL2VL.Pool {
		for sl, vl := range p.SL2VL.Pool[i] {
			p.SL2VL.Pool[i][sl] = 2 * vl
		}
	}
	p.VLs = 3
	p.Arbitration = route.EqualArbitration(g, 3)
	if err := multicast.Complete(g, p, multicast.Options{MaxVLs: 3}); err != nil {
		t.Fatal(err)
	}
	judged(t, g, p)
	for _, table := range p.Arbitration.Pool {
		for vl := range uint8(3) {
			if w := table.Weight(vl); w != route.UsualWeight {
				t.Errorf("VL %d has weight %d, want %d: %+v", vl, w, route.UsualWeight, table)
			}
		}
	}
}

// TestGroupsFindsFaults: the judge of groups finds each change of a tree that is right.
func TestGroupsFindsFaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		p := plan(t, g, "updn", 0)
		if p == nil || multicast.Complete(g, p, multicast.Options{}) != nil {
			return
		}
		group := drawGroup(t, g, fabric.FirstMLID)
		tree := multicast.NewCutter(g, p.Multicast).Cut(&group)
		if len(tree.Switches) == 0 {
			return
		}
		i := rapid.IntRange(0, len(tree.Switches)-1).Draw(t, "switch")
		port := uint8(rapid.IntRange(0, int(g.SwitchPorts[tree.Switches[i]])).Draw(t, "port"))
		tree.Ports = slices.Clone(tree.Ports)
		tree.Ports[i][port>>6] ^= 1 << (port & 63)
		if len(check.Groups(g, p.Multicast, []route.Group{group}, []route.GroupTree{tree})) == 0 {
			t.Fatalf("port %d of switch %d is changed, and nothing is found: %+v", port, tree.Switches[i], tree)
		}
	})
}

// TestJudgeFindsCycles: trees from every switch of a ring, each in its own way around, wait for
// each other.
func TestJudgeFindsCycles(t *testing.T) {
	g := parse(t, "torus(5,hosts=1)").Compile()
	p := plan(t, g, "updn", 0)
	pool := &route.Multicast{SL: 0}
	for root := range int32(5) {
		tree := route.SpanningTree{Root: root, Up: make([]int32, 5)}
		tree.Up[root] = fabric.Nothing
		for k := int32(1); k < 5; k++ {
			s, to := (root+k)%5, (root+k-1)%5
			for _, c := range g.OutOf(s) {
				if g.To[c] == to {
					tree.Up[s] = c
				}
			}
		}
		pool.Trees = append(pool.Trees, tree)
	}
	p.Multicast = pool
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.OK || r.Multicast.DeadlockFree != check.No || len(r.Multicast.Cycle) != 5 {
		t.Errorf("OK %v, multicast %+v", r.OK, r.Multicast)
	}
	p.Multicast = &route.Multicast{Trees: pool.Trees[:1]}
	p.Multicast.Trees[0].Up = slices.Clone(p.Multicast.Trees[0].Up)
	p.Multicast.Trees[0].Up[0] = p.Multicast.Trees[0].Up[1] ^ 1
	if r, err = check.Judge(context.Background(), g, p, check.Options{Workers: 1}); err != nil || r.OK || r.Find(check.BadTree) == nil {
		t.Errorf("a tree that is a ring: %v, %+v", err, r)
	}
}

// TestJudgeFindsStarvedTrees: trees on a VL that never has its turn, or none while paths have
// packets, cannot be used; nor may the trees starve the paths. Turns for unused VLs starve nobody.
func TestJudgeFindsStarvedTrees(t *testing.T) {
	g := parse(t, "torus(6,hosts=1)").Compile()
	turns := func(vls ...uint8) (list []route.ArbEntry) {
		for _, vl := range vls {
			list = append(list, route.ArbEntry{VL: vl, Weight: 1})
		}
		return list
	}
	for _, c := range []struct {
		table route.ArbTable
		want  check.Kind
	}{
		{route.ArbTable{Low: turns(0, 1, 2)}, ""},
		{route.ArbTable{Low: turns(0, 1)}, check.NoWeight},
		{route.ArbTable{Low: turns(2), High: turns(0, 1), Limit: 255}, check.Starved},
		{route.ArbTable{Low: turns(2), High: turns(0, 1), Limit: 1}, ""},
		{route.ArbTable{Low: turns(0, 1), High: turns(2), Limit: 255}, check.Starved},
		{route.ArbTable{Low: turns(0, 1, 2), High: turns(3), Limit: 255}, ""},
	} {
		p := plan(t, g, "dor", 2)
		if err := multicast.Complete(g, p, multicast.Options{MaxVLs: 3}); err != nil {
			t.Fatal(err)
		}
		p.Arbitration = &route.VLArbitration{Pool: []route.ArbTable{c.table}, Host: make([]uint16, g.NumHosts), Switch: make([]uint16, len(g.Attached))}
		r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 1})
		if err != nil || r.OK != (c.want == "") || c.want != "" && r.Find(c.want) == nil {
			t.Errorf("%+v: %v, OK %v, faults %+v, want %q", c.table, err, r.OK, r.Faults, c.want)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	for formula, name := range map[string]string{"rlft(36,3)": "ftree", "torus(8x8x8,hosts=1)": "dfsssp", "dragonfly(4,8,4)": "lash"} {
		b.Run(formula, func(b *testing.B) {
			f, err := gen.Parse(formula)
			if err != nil {
				b.Fatal(err)
			}
			g := f.Compile()
			p := plan(b, g, name, 0)
			for b.Loop() {
				q := *p
				if err := multicast.Complete(g, &q, multicast.Options{}); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(q.Multicast.Trees)), "trees")
			}
		})
	}
}
