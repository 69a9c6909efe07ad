package lanes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine/minhop"
	"weft/route/lanes"
	"weft/route/lanes/offline"
	"weft/route/lids"
	"weft/route/recipe"
)

// minimal routes a graph by minhop.
func minimal(t rapid.TB, g *fabric.Graph, lmc uint8) (*route.Input, *route.Plan) {
	req := &recipe.Request{Engine: minhop.Spec(), Names: lids.Options{LMC: lmc}, Workers: 2}
	plan, err := recipe.Run(context.Background(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return &route.Input{Graph: g, Ends: plan.Ends, MaxVLs: 8, Workers: 2}, plan
}

// edges counts the dependencies of the paths from a switch to a LID.
func edges(g *fabric.Graph, tables *route.Tables, s int32, lid fabric.LID, into map[[2]int32]int) {
	last := int32(-1)
	for {
		c, _ := g.At(s, tables.Port(s, lid))
		if c < 0 {
			return
		}
		if last >= 0 {
			into[[2]int32{last, c}]++
		}
		last, s = c, g.To[c]
	}
}

// acyclic takes away edges to which none leads, as long as there are any.
func acyclic(of map[[2]int32]int) bool {
	for {
		ends := map[int32]bool{}
		for e := range of {
			ends[e[1]] = true
		}
		before := len(of)
		for e := range of {
			if !ends[e[0]] {
				delete(of, e)
			}
		}
		if len(of) == before {
			return before == 0
		}
	}
}

// verify walks every path on its own: each pair has one lane, the same both ways,
// no lane has a cycle, and the lanes hold as many pairs as they say.
func verify(t rapid.TB, g *fabric.Graph, in *route.Input, tables *route.Tables, p *lanes.Paths, r *lanes.Lanes) {
	want := r.Pairs()
	byLane := make([]map[[2]int32]int, len(want))
	for i := range byLane {
		byLane[i] = map[[2]int32]int{}
	}
	pairs := map[[2]int32]uint8{}
	for lid, end := range in.Ends.ByLID() {
		if end < 0 {
			continue
		}
		for src := range int32(g.NumEnds) {
			if g.EndSwitch[src] == g.EndSwitch[end] {
				continue
			}
			lane := r.SL.At(src, fabric.LID(lid))
			edges(g, tables, g.EndSwitch[src], fabric.LID(lid), byLane[lane])
			a, b := p.Class(src), p.Class(end)
			key := [2]int32{min(a, b), max(a, b)}
			if other, ok := pairs[key]; ok && other != lane {
				t.Fatalf("classes %d and %d are on lanes %d and %d", a, b, other, lane)
			}
			pairs[key] = lane
		}
	}
	count := make([]int64, len(want))
	for _, lane := range pairs {
		count[lane]++
	}
	for lane := range count {
		if count[lane] != want[lane] {
			t.Fatalf("lane %d has %d pairs, not %d", lane, count[lane], want[lane])
		}
		if !acyclic(byLane[lane]) {
			t.Fatalf("lane %d has a cycle", lane)
		}
	}
}

// draw makes networks most of which have cycles: rings, tori and random networks
// with links missing, and odd ones.
func draw(t *rapid.T) *fabric.Graph {
	formula := rapid.SampledFrom([]string{
		"", "torus(7,hosts=2)", "torus(5x3,hosts=1)", "regular(switches=14,degree=4,hosts=1,seed=%)",
		"random(switches=9,hosts=2,links=14,seed=%)", "random(switches=6,hosts=2,links=14,seed=%)", "kautz(2,2,hosts=9)",
	}).Draw(t, "formula")
	if formula == "" {
		return conformance.Draw(t).Compile()
	}
	seed := fmt.Sprint(rapid.IntRange(1, 1000).Draw(t, "seed"))
	formula = strings.ReplaceAll(formula, "%", seed)
	if n := rapid.IntRange(0, 2).Draw(t, "failed"); n > 0 {
		formula += fmt.Sprintf("|fail(links=%d,seed=%s)", n, seed)
	}
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	if links := len(f.Links); rapid.Bool().Draw(t, "parallel") {
		b := conformance.Builder{F: f}
		for id := range links {
			if l := f.Links[id]; id%2 == 0 && f.IsSwitchLink(fabric.LinkID(id)) {
				for _, n := range []fabric.NodeID{l.A.Node, l.B.Node} {
					f.Nodes[n].Ports = append(f.Nodes[n].Ports, fabric.Port{GUID: f.Nodes[n].GUID, Link: fabric.NoLink})
				}
				b.Link(l.A.Node, l.B.Node)
			}
		}
	}
	return f.Compile()
}

// TestLayering compares with the dumb walk, on networks most of which need lanes.
func TestLayering(t *testing.T) {
	several, all := 0, 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, rapid.Uint8Range(0, 2).Draw(t, "LMC"))
		classes := rapid.SampledFrom([]func(*route.Input, *route.Tables) *lanes.Paths{lanes.ByEnd, lanes.BySwitch}).Draw(t, "classes")
		p := classes(in, plan.Tables)
		var results []*lanes.Lanes
		for _, h := range []offline.Heuristic{offline.Weakest, offline.Strongest, offline.First, offline.Random} {
			for _, refill := range []bool{false, true} {
				r, err := offline.Layer(t.Context(), p, offline.Options{Heuristic: h, Seed: 1, Refill: refill, Most: lanes.MaxLanes})
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
			}
		}
		r, err := lanes.Online(t.Context(), p, lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range append(results, r) {
			if r.Need > lanes.MaxLanes {
				continue
			}
			if all++; r.Need > 1 {
				several++
			}
			verify(t, g, in, plan.Tables, p, r)
			r.Balance(8)
			verify(t, g, in, plan.Tables, p, r)
			plan.SL, plan.SL2VL, plan.Service.ReplySameSL = nil, nil, true
			if err := r.Fill("test", g, lanes.MaxLanes, plan); err != nil {
				t.Fatal(err)
			}
			if plan.SL == nil {
				plan.SingleLane(g)
			}
			v, err := check.Judge(t.Context(), g, plan, check.Options{Workers: 1})
			if err != nil || v.DeadlockFree != check.Yes {
				t.Fatalf("judge: %v, %+v", err, v.Cycle)
			}
		}
	}, func() string {
		if several*3 < all {
			return fmt.Sprintf("only %d of %d layerings have several lanes", several, all)
		}
		return ""
	})
	t.Logf("%d of %d layerings have several lanes", several, all)
}

func graph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// TestRing: a ring of six switches needs two lanes, and one allowed is refused.
func TestRing(t *testing.T) {
	g := graph(t, "torus(6,hosts=1)")
	in, plan := minimal(t, g, 0)
	r, err := offline.Layer(t.Context(), lanes.ByEnd(in, plan.Tables), offline.Options{Heuristic: offline.Weakest, Most: lanes.MaxLanes})
	if err != nil || r.Need != 2 {
		t.Fatalf("%v lanes, %v", r, err)
	}
	err = r.Fill("x", g, 1, plan)
	var no *route.Refusal
	if !errors.As(err, &no) || no.Reason != "needs 2 lanes, 1 allowed" {
		t.Errorf("got %v", err)
	}
	few, err := offline.Layer(t.Context(), lanes.ByEnd(in, plan.Tables), offline.Options{Heuristic: offline.Weakest, Most: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := few.Fill("x", g, 1, plan); err == nil || !strings.Contains(err.Error(), "needs more than 1 lanes") {
		t.Errorf("got %v", err)
	}
}

// TestFill: as many lanes as are allowed are entered, one lane is left out; online layering gives
// up after the lanes allowed.
func TestFill(t *testing.T) {
	for formula, need := range map[string]int{"torus(6,hosts=1)": 2, "rlft(4,2)": 1} {
		g := graph(t, formula)
		in, plan := minimal(t, g, 0)
		p := lanes.BySwitch(in, plan.Tables)
		if need == 1 {
			p = p.WithoutSwitches() // paths between spines turn up again
		}
		r, err := lanes.Online(t.Context(), p, need)
		if err != nil || r.Need != need {
			t.Fatalf("%s: %+v lanes, %v", formula, r, err)
		}
		plan.SL, plan.SL2VL, plan.VLs = nil, nil, 0
		if err := r.Fill("x", g, need, plan); err != nil || (plan.SL != nil) != (need > 1) || need > 1 && plan.VLs != need {
			t.Errorf("%s: %v, %d VLs, SLs %v", formula, err, plan.VLs, plan.SL != nil)
		}
		if few, err := lanes.Online(t.Context(), p, need-1); need > 1 && (err != nil || few.Need != need || few.SL != nil) {
			t.Errorf("%s: with a lane less %d lanes are needed, %v", formula, few.Need, err)
		}
	}
}

// TestManyEnds: beyond 16,384 end ports a switch has two classes.
func TestManyEnds(t *testing.T) {
	for formula, ends := range map[string]bool{"rlft(36,3)": true, "rlft(48,3)": false} {
		g := graph(t, formula)
		named, err := lids.Assign(g, lids.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := lanes.ByEnd(&route.Input{Graph: g, Ends: named}, route.NewTables(g.NumSwitches, named.Top()))
		if got := len(p.Home) == g.NumEnds; got != ends || !got && len(p.Home) != 2*g.NumSwitches {
			t.Errorf("%s: %d classes", formula, len(p.Home))
		}
	}
}

// TestWithoutSwitches: only what is from and to port 0 of switches is left out.
func TestWithoutSwitches(t *testing.T) {
	g := graph(t, "torus(6,hosts=1)")
	in, plan := minimal(t, g, 1)
	p := lanes.ByEnd(in, plan.Tables).WithoutSwitches()
	for end := range int32(g.NumEnds) {
		c, want := p.Class(end), in.Ends.Count(end)
		if g.IsPortZero(end) {
			want = 0
		}
		if len(p.LIDs[c]) != want || (p.Followed[in.Ends.Base[end]] == c) != (want > 0) {
			t.Errorf("end port %d: LIDs %v are followed, want %d", end, p.LIDs[c], want)
		}
	}
	for s := range int32(g.NumSwitches) {
		if n := len(p.ClassesAt(s)); n != 1 {
			t.Errorf("switch %d has %d classes, want that of its host", s, n)
		}
	}
}

// TestBalance: an empty lane takes pairs of the lane that has most for each of its parts.
func TestBalance(t *testing.T) {
	g := graph(t, "torus(6,hosts=1)")
	in, plan := minimal(t, g, 0)
	r, err := lanes.Online(t.Context(), lanes.ByEnd(in, plan.Tables), lanes.MaxLanes)
	if err != nil || r.Need != 2 {
		t.Fatal(r, err)
	}
	before := r.Pairs()
	r.Balance(3)
	after, big := r.Pairs(), 0
	if before[1] > before[0] {
		big = 1
	}
	if before[0] == before[1] || after[1-big] != before[1-big] || after[2] == 0 || after[big]+after[2] != before[big] {
		t.Errorf("pairs by lane %v, before %v", after, before)
	}
}

// TestLoop: tables with a loop are an error, not a hang.
func TestLoop(t *testing.T) {
	g := graph(t, "torus(6,hosts=1)")
	in, plan := minimal(t, g, 0)
	lid := plan.Ends.Base[0]
	for c := range int32(g.NumChannels) {
		if g.To[c] == (g.From[c]+1)%6 {
			plan.Tables.Set(g.From[c], lid, g.FromPort[c])
		}
	}
	at := g.EndSwitch[0]
	for _, c := range g.OutOf(at) {
		plan.Tables.Set(at, lid, g.FromPort[c])
		plan.Tables.Set(g.To[c], lid, g.ToPort[c])
	}
	p := lanes.ByEnd(in, plan.Tables)
	if _, err := offline.Layer(t.Context(), p, offline.Options{Most: lanes.MaxLanes}); !errors.Is(err, lanes.ErrLoop) {
		t.Errorf("offline: %v", err)
	}
	if _, err := lanes.Online(t.Context(), p, lanes.MaxLanes); !errors.Is(err, lanes.ErrLoop) {
		t.Errorf("online: %v", err)
	}
}
