package repair

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// eachPath walks the paths of all pairs of hosts, by all LIDs of the destination.
func eachPath(g *fabric.Graph, p *route.Plan, visit func(src, dst int32, lid fabric.LID, channels []int32)) {
	for dst := range int32(g.NumHosts) {
		for k := range p.Ends.Count(dst) {
			lid := p.Ends.Base[dst] + fabric.LID(k)
			for src := range int32(g.NumHosts) {
				var channels []int32
				for x := g.EndSwitch[src]; x != g.EndSwitch[dst]; {
					c, _ := g.At(x, p.Tables.Port(x, lid))
					if c < 0 {
						break
					}
					channels = append(channels, c)
					x = g.To[c]
				}
				if g.IsHost(src) && p.Ends.Base[src] != 0 {
					visit(src, dst, lid, channels)
				}
			}
		}
	}
}

// sharedParts counts the channels and the switches that paths between the same two nodes share, by
// their ends and LIDs.
func sharedParts(g *fabric.Graph, p *route.Plan) map[[4]int32][2]int {
	type path struct {
		src      int32
		lid      fabric.LID
		channels []int32
	}
	between := map[[2]int32][]path{}
	eachPath(g, p, func(src, dst int32, lid fabric.LID, channels []int32) {
		nodes := [2]int32{g.EndNode[src], g.EndNode[dst]}
		between[nodes] = append(between[nodes], path{src, lid, channels})
	})
	shared := map[[4]int32][2]int{}
	for _, paths := range between {
		for i, a := range paths {
			for _, b := range paths[:i] {
				if a.lid == b.lid {
					continue
				}
				n := [2]int{}
				for _, c := range a.channels {
					if slices.Contains(b.channels, c) {
						n[0]++
					}
					if slices.ContainsFunc(b.channels, func(d int32) bool { return g.To[d] == g.To[c] }) {
						n[1]++
					}
				}
				shared[[4]int32{a.src, int32(a.lid), b.src, int32(b.lid)}] = n
			}
		}
	}
	return shared
}

// allMeetings is the number of pairs of pairs of hosts that may meet on a channel: with other
// destinations, by walking all paths.
func allMeetings(g *fabric.Graph, p *route.Plan) (sum int64) {
	load := make([]map[fabric.LID]int64, g.NumChannels)
	eachPath(g, p, func(_, _ int32, lid fabric.LID, channels []int32) {
		for _, c := range channels {
			if load[c] == nil {
				load[c] = map[fabric.LID]int64{}
			}
			load[c][lid]++
		}
	})
	for _, by := range load {
		all, same := int64(0), int64(0)
		for _, n := range by {
			all += n
			same += n * n
		}
		sum += all*all - same
	}
	return sum
}

// TestSpread: networks of the table lose and get back links, and are repaired. Whatever then moves
// is within the limit and lowers meetings; no path is longer, nothing but entries changes; the Plan
// is proven if it was, and so is every mixture with the one before, in any order of writing. Paths
// between the same two nodes, to several LIDs or between several ports, share no more links than
// before. The same comes out on one core and on four.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		engine string
		lmc    uint8
	}{{"updn", 0}, {"ftree", 0}, {"dfsssp", 0}, {"torus", 0}, {"lash", 0}, {"nue", 0}, {"updn", 1}, {"ftree", 1}, {"dfsssp", 1}} {
		t.Run(fmt.Sprint(c.engine, " LMC ", c.lmc), func(t *testing.T) {
			if c.engine != "updn" && c.engine != "torus" {
				racing.SkipLong(t)
			}
			moved, least := 0, 0
			req := &recipe.Request{Engine: found(t, c.engine), Names: lids.Options{LMC: c.lmc}}
			changeThrice(t, req, func(what string, old *fabric.Graph, plan *route.Plan, g *fabric.Graph, rng *rand.Rand) *route.Plan {
				plan, _, err := Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 2})
				if err != nil {
					return nil
				}
				next := spread(t, what, g, plan, 1+rng.IntN(20))
				if next != plan {
					moved++
				}
				least++
				return next
			})
			if t.Logf("%d of %d moved", moved, least); moved == 0 {
				t.Error("nothing ever moved")
			}
		})
	}
}

// spread moves entries of a Plan and checks what came of it; the same Plan if nothing moved.
func spread(t *testing.T, what string, g *fabric.Graph, plan *route.Plan, limit int) *route.Plan {
	before := saved(t, g, plan)
	next, done, err := Spread(t.Context(), g, plan, nil, limit, 1)
	again, _, second := Spread(t.Context(), g, plan, nil, limit, 4)
	if (err == nil) != (second == nil) {
		t.Fatalf("%s: %v, then %v", what, err, second)
	}
	if string(saved(t, g, plan)) != string(before) {
		t.Fatalf("%s: the old Plan has changed", what)
	}
	if _, no := errors.AsType[*Impossible](err); no {
		return plan
	}
	if err != nil {
		t.Fatal(what, err)
	}
	if string(saved(t, g, next)) != string(saved(t, g, again)) {
		t.Fatalf("%s: another Plan on four cores", what)
	}
	c := route.Compare(g, plan, g, next)
	if c.Entries.Moved != done.Moved || done.Moved > limit {
		t.Fatalf("%s: %d moved, %d counted, at most %d", what, c.Entries.Moved, done.Moved, limit)
	}
	if done.Moved == 0 {
		return plan
	}
	if was, now := allMeetings(g, plan), allMeetings(g, next); now > was {
		t.Errorf("%s: %d meetings, were %d", what, now, was)
	}
	shared := sharedParts(g, plan)
	for pair, n := range sharedParts(g, next) {
		if was := shared[pair]; n[0] > was[0] || n[1] > was[1] {
			t.Errorf("%s: paths %v share %d links and switches, shared %d", what, pair, n, was)
		}
	}
	for s := range int32(g.NumSwitches) {
		for _, lid := range plan.Ends.Base {
			was, ok := plan.Tables.Hops(g, s, lid)
			now, still := next.Tables.Hops(g, s, lid)
			if ok != still || now > was {
				t.Fatalf("%s: from %d to LID %d: %d hops (%v), were %d (%v)", what, s, lid, now, still, was, ok)
			}
		}
	}
	if !judged(t, g, plan).OK {
		return next
	}
	if r := judged(t, g, next); !r.OK {
		t.Fatalf("%s: not proven: %+v", what, r)
	}
	m, err := check.Mix(t.Context(), g, plan, g, next, check.Options{Workers: 1}, check.Writing{})
	if err != nil || !m.OK || m.LIDs == 0 {
		t.Fatalf("%s: mixture %v %+v", what, err, m)
	}
	return next
}

// TestReturnedLinkIsUsed: links of a tree fail and come back, one after the other. Entries move
// until no move gains: all links are used, and a good part of the unevenness is gone.
func TestReturnedLinkIsUsed(t *testing.T) {
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	old := f.Compile()
	plan := routed(t, old, "ftree")
	even := allMeetings(old, plan)
	for n := range 8 {
		for _, down := range []bool{true, false} {
			f.SetLinkDown(betweenSwitches(f, 4*n), down)
			g := f.Compile()
			if plan, _, err = Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 1}); err != nil {
				t.Fatal(err)
			}
			old = g
		}
	}
	repaired := allMeetings(old, plan)
	for step := 0; ; step++ {
		next, done, err := Spread(t.Context(), old, plan, nil, 20, 1)
		if err != nil || step > 50 {
			t.Fatal(step, err)
		}
		if done.Moved == 0 {
			break
		}
		plan = next
	}
	if now := allMeetings(old, plan); repaired < even*3/2 || now-even > (repaired-even)*3/4 {
		t.Errorf("%d meetings, %d repaired, %d moved", even, repaired, now)
	}
	for c := range int32(old.NumChannels) {
		if !uses(old, plan.Tables, c) {
			t.Errorf("no entry uses channel %d", c)
		}
	}
}

// TestSpreadKeepsPathsApart: links of networks whose hosts have several ports or LIDs fail and come
// back. Entries move, and less traffic meets.
func TestSpreadKeepsPathsApart(t *testing.T) {
	for _, c := range []struct {
		formula, engine string
		lmc             uint8
	}{{"rlft(6,2)|ports(2)", "updn", 0}, {"rlft(8,2)", "ftree", 2}, {"rlft(4,3)", "updn", 1}, {"torus(4x4,hosts=1)", "updn", 1}} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		old := f.Compile()
		plan := routedBy(t, old, &recipe.Request{Engine: found(t, c.engine), Names: lids.Options{LMC: c.lmc}})
		for _, down := range []bool{true, false} {
			for n := range 4 {
				f.SetLinkDown(betweenSwitches(f, 4*n), down)
			}
			g := f.Compile()
			if plan, _, err = Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 1}); err != nil {
				t.Fatal(c.formula, err)
			}
			old = g
		}
		before := allMeetings(old, plan)
		next := spread(t, c.formula, old, plan, 1000)
		if now := allMeetings(old, next); now >= before {
			t.Errorf("%s: %d meetings, were %d", c.formula, now, before)
		}
	}
}

// TestSpreadRefuses: paths by listed LIDs stay, and those of networks that are too large.
func TestSpreadRefuses(t *testing.T) {
	f, err := gen.Parse("rlft(6,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan := routed(t, g, "updn")
	plan.Choice = route.NewChoice(g.NumEnds, nil)
	_, _, err = Spread(t.Context(), g, plan, nil, 10, 1)
	if _, no := errors.AsType[*Impossible](err); !no {
		t.Error("moved", err)
	}
	large := &fabric.Graph{NumSwitches: 5120, NumHosts: 49_151}
	plan = &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, large.NumHosts), LMC: make([]uint8, large.NumHosts)}}
	for h := range plan.Ends.Base {
		plan.Ends.Base[h] = fabric.LID(h)
	}
	if no := Spreadable(large, plan); no == nil {
		t.Error("a network of 49,151 hosts would keep a repair waiting")
	}
}
