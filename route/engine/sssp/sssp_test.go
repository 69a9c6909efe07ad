package sssp

import (
	"context"
	"sort"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// TestDijkstra: with one pass each tree is one of least weight when a channel starts with a weight
// beyond all loads, which a search without levels or shortcuts finds.
func TestDijkstra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		ends, err := lids.Assign(g, lids.Options{LMC: rapid.Uint8Range(0, 3).Draw(t, "LMC")})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := Build(context.Background(), &route.Input{Graph: g, Ends: ends, MaxVLs: 1, Workers: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		plan := &route.Plan{Ends: ends, Tables: tables}
		load := make([]int64, g.NumChannels)
		eachHostLID(g, plan, func(s int32, lid fabric.LID) { follow(t, g, plan, lid, s, load, 1<<40) })
	})
}

// TestPasses: in a later pass each tree to a base LID is one of least weight beside all
// others, those that were chosen anew before it and those that will be.
func TestPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		lmc := rapid.Uint8Range(0, 2).Draw(t, "LMC")
		plans := make([]*route.Plan, 2)
		for i := range plans {
			req := &recipe.Request{Engine: Spec(), Names: lids.Options{LMC: lmc}, Workers: 2, Options: map[string]string{"passes": strconv.Itoa(i + 2)}}
			var err error
			if plans[i], err = recipe.Run(context.Background(), g, req, func(string) {}); err != nil {
				t.Fatal(err)
			}
		}
		before, after := plans[0], plans[1]
		load := make([]int64, g.NumChannels)
		eachLID(g, before, 0, 1, func(s int32, lid fabric.LID) { add(g, before, lid, s, load, 1) })
		eachLID(g, before, 0, 1, func(s int32, lid fabric.LID) {
			add(g, before, lid, s, load, -1)
			follow(t, g, after, lid, s, load, 1<<40)
		})
	})
}

// eachHostLID visits the LIDs of hosts in the order of routing, with their switches: base
// LIDs before all others.
func eachHostLID(g *fabric.Graph, plan *route.Plan, visit func(s int32, lid fabric.LID)) {
	eachLID(g, plan, 0, 1, visit)
	eachLID(g, plan, 1, 1<<plan.Ends.MaxLMC(), visit)
}

// eachLID visits those at some offsets to the base LID.
func eachLID(g *fabric.Graph, plan *route.Plan, first, end int, visit func(s int32, lid fabric.LID)) {
	order := make([]int32, g.NumSwitches) // most hosts first
	for s := range order {
		order[s] = int32(s)
	}
	sort.SliceStable(order, func(i, j int) bool { return len(g.HostsOf(order[i])) > len(g.HostsOf(order[j])) })
	for _, s := range order {
		for _, h := range g.HostsOf(s) {
			for k := first; k < min(end, plan.Ends.Count(h)); k++ {
				visit(s, plan.Ends.Base[h]+fabric.LID(k))
			}
		}
	}
}

// add adds so much to the loads of all paths from hosts to a LID at switch target.
func add(g *fabric.Graph, plan *route.Plan, lid fabric.LID, target int32, load []int64, much int64) {
	for s := range int32(g.NumSwitches) {
		for x := s; x != target; {
			c, _ := g.At(x, plan.Tables.Port(x, lid))
			if c < 0 {
				break
			}
			load[c] += much * int64(len(g.HostsOf(s)))
			x = g.To[c]
		}
	}
}

// follow compares the paths to a LID at switch target with least weights, and adds
// their loads.
func follow(t *rapid.T, g *fabric.Graph, plan *route.Plan, lid fabric.LID, target int32, load []int64, initial int64) {
	least := distances(g, target, load, initial)
	added := make([]int64, g.NumChannels)
	for s := range int32(g.NumSwitches) {
		if least[s] < 0 {
			continue
		}
		weight := int64(0)
		for x := s; x != target; {
			c, _ := g.At(x, plan.Tables.Port(x, lid))
			weight += initial + load[c]
			added[c] += int64(len(g.HostsOf(s)))
			x = g.To[c]
		}
		if weight != least[s] {
			t.Fatalf("LID %d from switch %d: weight %d, want %d", lid, s, weight, least[s])
		}
	}
	for c, n := range added {
		load[c] += n
	}
}

// distances are the least weights to a switch, -1 where there is no way: every
// channel is relaxed until nothing changes.
func distances(g *fabric.Graph, target int32, load []int64, initial int64) []int64 {
	dist := make([]int64, g.NumSwitches)
	for s := range dist {
		dist[s] = -1
	}
	dist[target] = 0
	for changed := true; changed; {
		changed = false
		for c := range g.NumChannels {
			s, v := g.From[c], g.To[c]
			if dist[v] < 0 || (v != target && g.Drained[v]) {
				continue
			}
			if d := dist[v] + initial + load[c]; dist[s] < 0 || d < dist[s] {
				dist[s], changed = d, true
			}
		}
	}
	return dist
}

// square builds the square of switches A, B, C, D with n hosts on A and B each and a
// link between A and B, as figure 1 of the paper has a detour beside a loaded channel.
func square(t *testing.T, n int) *fabric.Graph {
	t.Helper()
	b := &conformance.Builder{F: fabric.New("square")}
	var s [4]fabric.NodeID
	for i := range s {
		s[i] = b.Switch()
	}
	for i := range s {
		b.Link(s[i], s[(i+1)%4])
	}
	b.Hosts(s[0], n)
	b.Hosts(s[1], n)
	return b.F.Compile()
}

// TestInitialWeight is the example of figure 1: with weights that start at 1 the
// second destination is reached by a detour. With |V|^2 they stay minimal, unless
// ports have several LIDs; the engine's paths are minimal always.
func TestInitialWeight(t *testing.T) {
	g := square(t, 8)
	V := int64(g.NumSwitches + g.NumHosts)
	toward := int32(-1) // from B to A
	for c := range int32(g.NumChannels) {
		if g.From[c] == 1 && g.To[c] == 0 {
			toward = c
		}
	}
	// The load when the LIDs of all hosts of A but one have been routed.
	for _, tc := range []struct {
		name    string
		initial int64
		lmc     uint
		detour  bool
	}{
		{"1", 1, 0, true},
		{"|V|^2", V * V, 0, false},
		{"|V|^2 with 128 LIDs a port", V * V, 7, true},
	} {
		load := make([]int64, g.NumChannels)
		load[toward] = 8 * (8<<tc.lmc - 1)
		straight := tc.initial + load[toward]
		detour := distances(g, 0, load, tc.initial)[1] < straight
		if detour != tc.detour {
			t.Errorf("%s: a detour is shorter: %v", tc.name, detour)
		}
	}
	req := &recipe.Request{Engine: Spec(), Names: lids.Options{LMC: 7}, Workers: 1}
	plan, err := recipe.Run(t.Context(), g, req, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 1}); err != nil || !r.Minimal {
		t.Errorf("%v, %d paths are not minimal", err, r.NonMinimal)
	}
}

// TestRing: on a ring the paths depend on each other in a cycle, as the paper says.
func TestRing(t *testing.T) {
	f, err := gen.Parse("torus(6,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 1})
	if err != nil || r.DeadlockFree != check.No {
		t.Errorf("deadlock-free: %v, %v", r.DeadlockFree, err)
	}
}

func BenchmarkTree36(b *testing.B) { conformance.Bench(b, Spec(), "rlft(36,3)", 0) }
