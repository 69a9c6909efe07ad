package ftree

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/recipe"
)

// TestJoin: on any degraded tree all switches are joined to all LIDs, on two lanes at
// most. Hardly a path between hosts gets longer for it.
func TestJoin(t *testing.T) {
	lanes := map[int]int{}
	longer, paths := 0, 0
	draws.Check(t, func(t *rapid.T) {
		in, _, _ := degraded(t)
		g := in.Graph
		of := func(switches string) *route.Plan {
			req := &recipe.Request{Engine: Spec(), Options: map[string]string{"switches": switches}, Workers: 1}
			plan, err := recipe.Run(t.Context(), g, req, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
		apart, joined := of(none), of(all)
		r, err := check.Judge(t.Context(), g, joined, check.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK || r.VLs > 2 {
			t.Fatalf("unreachable %d, loops %d, deadlock-free %v, lanes %d", r.Unreachable, r.Loops, r.DeadlockFree, r.VLs)
		}
		lanes[r.VLs]++
		for h := range int32(g.NumHosts) {
			for s := range int32(g.NumSwitches) {
				if by := length(g, apart, s, h); by >= 0 && len(g.HostsOf(s)) > 0 {
					if paths++; length(g, joined, s, h) > by {
						longer++
					}
				}
			}
		}
	}, func() string {
		if paths == 0 || 100*longer > paths { // of few trees, one can hold most of them
			return fmt.Sprintf("%d of %d paths are longer", longer, paths)
		}
		return ""
	})
	t.Logf("plans by lanes: %v; %d of %d paths longer", lanes, longer, paths)
}

// TestJoinDrained: drained switches leave a tree in pieces, take the leaves out, are the only
// way up of others that are drained, or have neighbours of their level; with odd roots
// given. All that cables join is joined still.
func TestJoinDrained(t *testing.T) {
	for _, c := range []struct {
		formula                string
		drained, roots, leaves []int
	}{
		{"karytree(2,3)|fail(switches=1,seed=1061)|fail(links=5,seed=1061)", []int{6}, []int{3, 6, 8}, []int{8}},
		{"karytree(2,3)", []int{3, 7, 11}, []int{0, 8}, nil},
		{"rlft(4,3)", []int{5, 6, 13}, []int{9}, nil},
		{"rlft(4,3)|fail(switches=3,seed=2193)", []int{2, 12, 13}, []int{5, 9}, nil},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		guids := func(of []int) string {
			var names []string
			for _, s := range of {
				names = append(names, g.SwitchGUID[s].String())
			}
			return strings.Join(names, ";")
		}
		for _, s := range c.drained {
			id, _ := f.NodeByGUID(g.SwitchGUID[s])
			f.Nodes[id].Drained = true
		}
		for _, vls := range []int{1, 8} {
			req := &recipe.Request{Engine: Spec(), Options: map[string]string{"roots": guids(c.roots), "leaves": guids(c.leaves)}, Workers: 1, MaxVLs: vls}
			g := f.Compile()
			plan, err := recipe.Run(t.Context(), g, req, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			if r := judged(t, g, plan); !r.OK {
				t.Errorf("%s, %d lanes: unreachable %d, loops %d, deadlock-free %v", c.formula, vls, r.Unreachable, r.Loops, r.DeadlockFree)
			}
		}
	}
}

// TestJoinMended: where paths by height are made fit for others to go on to them, they stay
// by height: none of the first lane passes a switch that goes on by the order.
func TestJoinMended(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("mesh with odd roots")}
	var switches []fabric.NodeID
	for range 25 {
		switches = append(switches, b.Switch())
	}
	links := "ab ag bc bh cd de ei fg fj gk gx hl io jk jp kl kq lm lr mn no os pq pt qr su tw uv vw xy"
	for link := range strings.FieldsSeq(links) {
		b.Link(switches[link[0]-'a'], switches[link[1]-'a'])
	}
	b.Hosts(switches[14], 1)
	b.Hosts(switches[18], 1)
	b.F.Nodes[switches[19]].Drained = true
	roots := b.F.Nodes[switches[16]].GUID.String() + ";" + b.F.Nodes[switches[24]].GUID.String()
	g := b.F.Compile()
	if r := judged(t, g, routed(t, g, "balance=beft roots="+roots)); !r.OK {
		t.Errorf("unreachable %d, loops %d, deadlock-free %v, lanes %d", r.Unreachable, r.Loops, r.DeadlockFree, r.VLs)
	}
}

// partnersToJoin is a network on which joinSwitches mends a path by level, and a switch without a
// path continues on it across the link between partners.
func partnersToJoin() *fabric.Graph {
	b := &conformance.Builder{F: fabric.New("partners, and a switch to join")}
	var switches []fabric.NodeID
	for range 9 {
		switches = append(switches, b.Switch())
	}
	for link := range strings.FieldsSeq("ba cb da ea fd ga ha ic ce gf") {
		b.Link(switches[link[0]-'a'], switches[link[1]-'a'])
	}
	for _, s := range "cdehi" {
		b.Hosts(switches[s-'a'], 1)
	}
	return b.F.Compile()
}

// TestJoinEnds: joinSwitches ends where a switch without a path continues on its partner's mended
// one.
func TestJoinEnds(t *testing.T) {
	g := partnersToJoin()
	var plan *route.Plan
	var err error
	done := make(chan struct{})
	go func() {
		plan, err = attempt(t, g, "")
		close(done)
	}()
	select {
	case <-done:
		if err != nil {
			t.Fatal(err)
		}
		if r := judged(t, g, plan); !r.OK {
			t.Errorf("unreachable %d, loops %d, deadlock-free %v, lanes %d", r.Unreachable, r.Loops, r.DeadlockFree, r.VLs)
		}
	case <-time.After(20 * time.Second): // it takes milliseconds
		t.Fatal("joinSwitches does not end")
	}
}

// TestSetPathMarksStale: if a new path of a switch brings a neighbour without one nearer, the
// neighbour's cached first hop is stale; over a link between partners too.
func TestSetPathMarksStale(t *testing.T) {
	g := partnersToJoin()
	tr := recognise(g, nil, nil)
	tr.acrossFirst = true
	order, _ := tr.joiningOrder()
	joining, err := newReachability(t.Context(), tr, order, sequence(g.NumSwitches), noLinks, 1)
	if err != nil {
		t.Fatal(err)
	}
	across := 0
	for target := range int32(g.NumSwitches) {
		w := newJoiner(&route.Input{Graph: g}, joining, joining, nil).newTargetJoiner()
		w.paths.clear(target)
		w.paths.ports = make([]uint8, g.NumSwitches)
		w.joinHops.setTarget(target)
		for k, s := range w.joinHops.order {
			before := make([]int32, len(tr.Neighbour))
			for i := range before {
				before[i] = w.paths.hopsBy(int32(i))
			}
			clear(w.nearest.stale)
			w.setPath(s, w.joinHops.fromPlace(k)[0])
			for v := range int32(g.NumSwitches) {
				for i := range tr.Bundles(v) {
					if w.paths.isLegal(v) || w.paths.hopsBy(i) == before[i] {
						continue
					}
					if i == joining.across[v] {
						across++
					}
					if !w.nearest.stale[v] {
						t.Errorf("target %d: switch %d may now continue on the path of %d, but is not stale", target, v, s)
					}
				}
			}
		}
	}
	if across == 0 {
		t.Error("no partner came nearer")
	}
}

// TestMutual: answers are safe on the lane of the request where what a switch and its hosts
// send each other is apart both ways.
func TestMutual(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("two switches, hosts on the first")}
	with, without := b.Switch(), b.Switch()
	b.Link(with, without)
	b.Hosts(with, 2)
	g := b.F.Compile()
	there, back := []bool{false, true}, []bool{true, false} // from the second, from the first
	for _, c := range []struct {
		a    secondLane
		want bool
	}{
		{secondLane{hosts: make([][]bool, 2), zeros: make([][]bool, 2)}, true},
		{secondLane{hosts: [][]bool{there, nil}, zeros: [][]bool{there, back}}, true},
		{secondLane{hosts: [][]bool{nil, nil}, zeros: [][]bool{there, back}}, false}, // not to the hosts
		{secondLane{hosts: [][]bool{there, nil}, zeros: [][]bool{nil, back}}, false}, // not to port 0
		{secondLane{hosts: [][]bool{there, nil}, zeros: [][]bool{there, nil}}, false},
	} {
		if got := c.a.isSymmetric(g); got != c.want {
			t.Errorf("%v: %v", c.a, got)
		}
	}
}

// length is the number of hops to a host, -1 if there is no path.
func length(g *fabric.Graph, plan *route.Plan, s, host int32) int {
	n := 0
	for ; s != g.EndSwitch[host]; n++ {
		c, _ := g.At(s, plan.Tables.Port(s, plan.Ends.Base[host]))
		if c < 0 {
			return -1
		}
		s = g.To[c]
	}
	return n
}

// TestJoinCostsNothing: of the pairs of hosts that have a path by height, no link has
// more for it that switches are joined.
func TestJoinCostsNothing(t *testing.T) {
	for _, formula := range []string{"fat648", "racks648", "racks216", "rlft(8,3)", "over384", "karytree(3,4)"} {
		for _, d := range damage {
			g := graph(t, formula+d)
			by, joined := routed(t, g, "switches=none balance=closed"), routed(t, g, "balance=closed")
			a, b := loadOf(g, by, by), loadOf(g, joined, by)
			if t.Logf("%s: %d, %d; lanes %d", formula+d, a, b, joined.VLs); b > a {
				t.Errorf("%s: %d paths on the most loaded link, %d by height", formula+d, b, a)
			}
		}
	}
}

// loadOf is the largest number of paths on a channel, of pairs of hosts that others join.
func loadOf(g *fabric.Graph, plan, others *route.Plan) int {
	on, most := make([]int, g.NumChannels), 0
	for h := range int32(g.NumHosts) {
		for s := range int32(g.NumSwitches) {
			if len(g.HostsOf(s)) == 0 || others.Tables.Port(s, others.Ends.Base[h]) == route.NoPort {
				continue
			}
			for at := s; at != g.EndSwitch[h]; {
				c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[h]))
				on[c] += len(g.HostsOf(s))
				most, at = max(most, on[c]), g.To[c]
			}
		}
	}
	return most
}
