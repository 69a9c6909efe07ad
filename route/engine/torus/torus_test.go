package torus_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine/dor"
	"weft/route/engine/torus"
	"weft/route/lids"
	"weft/route/recipe"
	"weft/sim/flow"
)

// box is a torus of a formula, to be harmed.
type box struct {
	f    *fabric.Fabric
	size []int
	at   map[string]fabric.NodeID // by coordinates

	links, switches int // failed
}

func newBox(t rapid.TB, size []int, hosts, width int) *box {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(size), " ", "x"), "[]")
	f, err := gen.Parse(fmt.Sprintf("torus(%s,hosts=%d,width=%d)", text, hosts, width))
	if err != nil {
		t.Fatal(err)
	}
	b := &box{f: f, size: size, at: map[string]fabric.NodeID{}}
	for id, n := range f.Nodes {
		if n.Type == fabric.Switch {
			b.at[strings.TrimPrefix(n.Desc, "switch ")] = fabric.NodeID(id)
		}
	}
	return b
}

// node is the switch at some coordinates.
func (b *box) node(x []int) fabric.NodeID {
	id, ok := b.at["("+strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ","), "[]")+")"]
	if !ok {
		panic(fmt.Sprint("no switch at ", x))
	}
	return id
}

// each visits all places.
func (b *box) each(visit func(x []int)) {
	n := 1
	for _, k := range b.size {
		n *= k
	}
	for r := range n {
		x := make([]int, len(b.size))
		for i, k := range b.size {
			x[i], r = r%k, r/k
		}
		visit(x)
	}
}

// linked tells whether a link between two switches is up.
func (b *box) linked(s, t fabric.NodeID) bool {
	for _, l := range b.f.Links {
		if !l.Down && (l.A.Node == s && l.B.Node == t || l.A.Node == t && l.B.Node == s) {
			return true
		}
	}
	return false
}

// promised tells whether Torus-2QoS promises to route: one failed switch at most, and
// no line or ring in pieces.
func (b *box) promised() bool {
	dead := 0
	for _, id := range b.at {
		if b.f.Nodes[id].Down {
			dead++
		}
	}
	ok := dead <= 1
	b.each(func(x []int) {
		for dim, k := range b.size {
			if x[dim] != 0 {
				continue
			}
			alive, joints := 0, 0
			for v := range k {
				y := slices.Clone(x)
				y[dim] = v
				s := b.node(y)
				y[dim] = (v + 1) % k
				if !b.f.Nodes[s].Down {
					alive++
					if t := b.node(y); (k > 2 || v == 0) && !b.f.Nodes[t].Down && b.linked(s, t) {
						joints++
					}
				}
			}
			if joints < alive-1 {
				ok = false
			}
		}
	})
	return ok
}

// judged routes, and has the judge look at it. It returns the reason of a refusal.
func judged(t rapid.TB, g *fabric.Graph, lmc uint8, vls int) (plan *route.Plan, refused string) {
	req := &recipe.Request{Engine: torus.Spec(), Names: lids.Options{LMC: lmc}, MaxVLs: vls, Workers: 2}
	plan, err := recipe.Run(context.Background(), g, req, func(string) {})
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		return nil, no.Reason
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 || r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes {
		t.Fatalf("%d unreachable, %d loops, faults %v, deadlock-free %v, for any LID %v: %+v",
			r.Unreachable, r.Loops, r.Faults, r.Assigned.DeadlockFree, r.AnyDLID.DeadlockFree, r.Cycle)
	}
	return plan, ""
}

// TestAsDimensionOrder: on whole tori the engine loads no channel with more pairs of hosts than
// engine dor does.
func TestAsDimensionOrder(t *testing.T) {
	for _, formula := range []string{"torus(4x4x4,hosts=2)", "torus(4x6,hosts=1)", "torus(5x4x3,hosts=2)", "torus(8x4,hosts=1,width=2)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		most := map[string]int64{}
		for _, spec := range []*route.Spec{dor.Spec(), torus.Spec()} {
			plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			figures, err := flow.NewKeyFigures(t.Context(), g, plan, flow.Measure{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			most[spec.Name] = figures.PairLoad
		}
		if most["torus"] > most["dor"] {
			t.Errorf("%s: %v pairs on a channel, dor has %v", formula, most["torus"], most["dor"])
		}
	}
}

// kind is a refusal without its names.
func kind(reason string) string {
	for _, k := range []string{"not a torus", "two failed switches", "broken into disjoint segments", "no way round", "can deadlock", "needs", "dimensions that wrap"} {
		if strings.Contains(reason, k) {
			return k
		}
	}
	return "?? " + reason
}

func draw(t *rapid.T) *box {
	size := []int{}
	n := 1
	for range rapid.IntRange(2, 4).Draw(t, "dimensions") {
		k := rapid.IntRange(2, max(2, min(8, 200/n))).Draw(t, "radix")
		size = append(size, k)
		n *= k
	}
	b := newBox(t, size, rapid.IntRange(0, 2).Draw(t, "hosts"), rapid.IntRange(1, 2).Draw(t, "parallel links"))
	var links []fabric.LinkID
	for id := range b.f.Links {
		if b.f.IsSwitchLink(fabric.LinkID(id)) {
			links = append(links, fabric.LinkID(id))
		}
	}
	dead := []int(nil)
	if rapid.Bool().Draw(t, "failed switch") {
		dead = anyPlace(t, size)
		b.f.SetNodeDown(b.node(dead), true)
		b.switches++
		if rapid.Bool().Draw(t, "links near it") {
			near := slices.DeleteFunc(slices.Clone(links), func(id fabric.LinkID) bool { return !b.near(id, dead) })
			if len(near) > 0 {
				links = near
			}
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "failed links") {
		l := b.f.Links[rapid.SampledFrom(links).Draw(t, "link")]
		b.links++
		for _, id := range links { // all cables of a bundle
			if o := b.f.Links[id]; o.A.Node == l.A.Node && o.B.Node == l.B.Node {
				b.f.SetLinkDown(id, true)
			}
		}
	}
	return b
}

// near tells whether both ends of a link are at most one step away in each dimension
// from a place, but not there.
func (b *box) near(id fabric.LinkID, place []int) bool {
	for _, n := range []fabric.NodeID{b.f.Links[id].A.Node, b.f.Links[id].B.Node} {
		var x []int
		b.each(func(y []int) {
			if b.node(y) == n {
				x = y
			}
		})
		if slices.Equal(x, place) {
			return false
		}
		for dim, k := range b.size {
			if apart := (x[dim] - place[dim] + k) % k; apart > 1 && apart < k-1 {
				return false
			}
		}
	}
	return true
}

func anyPlace(t *rapid.T, size []int) []int {
	x := make([]int, len(size))
	for i, k := range size {
		x[i] = rapid.IntRange(0, k-1).Draw(t, "coordinate")
	}
	return x
}

// TestFailures: what is routed is proven by the judge, and what Torus-2QoS promises
// is routed.
func TestFailures(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		if b.f.Compile().NumSwitches == 0 {
			return
		}
		_, refused := judged(t, b.f.Compile(), rapid.Uint8Range(0, 1).Draw(t, "LMC"), 8)
		promised := b.promised()
		what := "routed"
		if refused != "" {
			what = "refused: " + kind(refused)
		}
		count[fmt.Sprintf("%d links and %d switch failed, promised %-5v %s", b.links, b.switches, promised, what)]++
		if promised && refused != "" && !strings.Contains(refused, "dimensions that wrap") {
			t.Errorf("%v: %s", b.size, refused)
		}
	})
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[k], k)
	}
}

// TestNamed: failures of the manual page, and refusals by name.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		name    string
		size    []int
		harm    func(b *box)
		vls     int
		refused string // "" is routed, in lanes
		lanes   int
	}{
		{"whole", []int{6, 5}, func(*box) {}, 8, "", 2},
		{"small rings", []int{3, 2}, func(*box) {}, 8, "", 1},
		{"one lane", []int{6, 5}, func(*box) {}, 1, "needs 2 lanes, 1 allowed", 0},
		{"link S-n", []int{6, 5}, func(b *box) { b.cut([]int{1, 1}, []int{2, 1}) }, 8, "", 2},
		{"links n-T and T-o", []int{6, 5}, func(b *box) {
			b.cut([]int{2, 1}, []int{3, 1})
			b.cut([]int{3, 1}, []int{4, 1})
		}, 8, "in dimension 0 is broken into disjoint segments: no way to", 0},
		{"switch T", []int{6, 5}, func(b *box) { b.kill(3, 1) }, 8, "", 4},
		{"switch T, too few lanes", []int{6, 5}, func(b *box) { b.kill(3, 1) }, 3, "needs 4 lanes, 3 allowed", 0},
		{"switch T, small rings", []int{3, 3}, func(b *box) { b.kill(1, 1) }, 8, "", 2},
		{"switches T and R, last dimension", []int{6, 6}, func(b *box) {
			b.kill(3, 1)
			b.kill(3, 2)
		}, 8, "", 4},
		{"two on a ring apart", []int{6, 6}, func(b *box) {
			b.kill(1, 1)
			b.kill(4, 1)
		}, 8, "two failed switches on the ring of", 0},
		{"drained", []int{5, 5, 3}, func(b *box) { b.f.Nodes[b.node([]int{3, 1, 2})].Drained = true }, 8, "", 4},
		{"chord", []int{5, 5}, func(b *box) { b.join([]int{0, 0}, []int{2, 2}) }, 8, "not a torus: ", 0},
		{"rings of 4", []int{4, 4, 4}, func(*box) {}, 1, "", 1},
		{"rings of 4, switch", []int{4, 4}, func(b *box) { b.kill(3, 1) }, 8, "", 2},
		{"no bits left", []int{5, 5, 5, 5, 5}, func(*box) {}, 8, "5 dimensions that wrap", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t, c.size, 1, 1)
			c.harm(b)
			plan, refused := judged(t, b.f.Compile(), 0, c.vls)
			switch {
			case c.refused == "" && refused != "":
				t.Errorf("refused: %s", refused)
			case c.refused != "" && !strings.Contains(refused, c.refused):
				t.Errorf("refused with %q, want %q", refused, c.refused)
			case c.refused == "" && plan.VLs != c.lanes:
				t.Errorf("%d lanes, not %d", plan.VLs, c.lanes)
			}
			if refused != "" && !strings.Contains(refused, "switch ") {
				t.Errorf("the reason names no switch: %s", refused)
			}
		})
	}
}

func (b *box) kill(x ...int) { b.f.SetNodeDown(b.node(x), true) }

func (b *box) cut(x, y []int) {
	s, t := b.node(x), b.node(y)
	for id, l := range b.f.Links {
		if l.A.Node == s && l.B.Node == t || l.A.Node == t && l.B.Node == s {
			b.f.SetLinkDown(fabric.LinkID(id), true)
		}
	}
}

// join adds a cable on new ports.
func (b *box) join(x, y []int) {
	var ends [2]fabric.End
	for i, n := range []fabric.NodeID{b.node(x), b.node(y)} {
		b.f.Nodes[n].Ports = append(b.f.Nodes[n].Ports, fabric.Port{GUID: b.f.Nodes[n].GUID, Link: fabric.NoLink})
		ends[i] = fabric.End{Node: n, Port: uint8(b.f.Nodes[n].NumPorts())}
	}
	if _, err := b.f.Connect(ends[0], ends[1], 4, fabric.EDR); err != nil {
		panic(err)
	}
}

// TestSameSL: a failed switch or link changes the SL of no pair.
func TestSameSL(t *testing.T) {
	b := newBox(t, []int{6, 5, 4}, 1, 1)
	before := levels(t, b)
	b.kill(3, 1, 2)
	b.cut([]int{0, 0, 0}, []int{0, 1, 0})
	after := levels(t, b)
	if len(after) != 119*118 {
		t.Fatalf("%d pairs", len(after))
	}
	for pair, sl := range after {
		if before[pair] != sl {
			t.Errorf("SL of %x was %d and is %d", pair, before[pair], sl)
		}
	}
}

// levels are the SLs of the hosts of a torus, by GUIDs.
func levels(t *testing.T, b *box) map[[2]fabric.GUID]uint8 {
	g := b.f.Compile()
	plan, refused := judged(t, g, 0, 8)
	if refused != "" {
		t.Fatal(refused)
	}
	of := map[[2]fabric.GUID]uint8{}
	for src := range int32(g.NumHosts) {
		for dst := range int32(g.NumHosts) {
			if src != dst {
				of[[2]fabric.GUID{g.EndGUID[src], g.EndGUID[dst]}] = plan.SL.At(src, plan.Ends.Base[dst])
			}
		}
	}
	return of
}

// TestAround: every set of failed links among the switches round a failed switch of a
// plane, every three in a narrow one, and every single one in space.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		size, dead []int
		most       int // failed links
	}{
		{[]int{5, 5}, []int{2, 2}, 8},
		{[]int{4, 6}, []int{0, 5}, 8},
		{[]int{3, 4}, []int{2, 0}, 3},
		{[]int{5, 4, 3}, []int{4, 1, 0}, 1},
	} {
		b := newBox(t, c.size, 0, 1)
		b.kill(c.dead...)
		var links []fabric.LinkID
		for id := range b.f.Links {
			if b.f.IsSwitchLink(fabric.LinkID(id)) && b.near(fabric.LinkID(id), c.dead) {
				links = append(links, fabric.LinkID(id))
			}
		}
		count := map[string]int{}
		var try func(from, failed int)
		try = func(from, failed int) {
			_, refused := judged(t, b.f.Compile(), 0, 8)
			promised := b.promised()
			if promised && refused != "" {
				t.Errorf("%v without %v: %s", c.size, c.dead, refused)
			}
			what := "routed"
			if refused != "" {
				what = "refused: " + kind(refused)
			}
			count[fmt.Sprintf("promised %-5v %s", promised, what)]++
			for i := from; i < len(links) && failed < c.most; i++ {
				b.f.SetLinkDown(links[i], true)
				try(i+1, failed+1)
				b.f.SetLinkDown(links[i], false)
			}
		}
		try(0, 0)
		for _, k := range slices.Sorted(maps.Keys(count)) {
			t.Logf("%v without %v, of %d links: %4d %s", c.size, c.dead, len(links), count[k], k)
		}
	}
}
