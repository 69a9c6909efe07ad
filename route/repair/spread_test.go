package repair

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
)

// meetings is the number of pairs of pairs of hosts that may meet on a channel: with other
// destinations, by walking all paths.
func meetings(g *fabric.Graph, p *route.Plan) (sum int64) {
	load := make([]map[fabric.LID]int64, g.NumChannels)
	for dst := range int32(g.NumHosts) {
		lid := p.Ends.Base[dst]
		for src := range int32(g.NumHosts) {
			for x := g.EndSwitch[src]; lid != 0 && g.IsHost(src) && p.Ends.Base[src] != 0 && x != g.EndSwitch[dst]; {
				c, _ := g.At(x, p.Tables.Port(x, lid))
				if c < 0 {
					break
				}
				if load[c] == nil {
					load[c] = map[fabric.LID]int64{}
				}
				load[c][lid]++
				x = g.To[c]
			}
		}
	}
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
// is proven if it was, and so is every mixture with the one before, in any order of writing. The
// same comes out on one core and on four.
func TestSpread(t *testing.T) {
	for _, name := range []string{"updn", "ftree", "dfsssp", "torus", "lash", "nue"} {
		t.Run(name, func(t *testing.T) {
			if name != "updn" && name != "torus" {
				racing.SkipLong(t)
			}
			moved, least := 0, 0
			for _, c := range conformance.Fabrics() {
				f, err := c.Build()
				if err != nil {
					t.Fatal(err)
				}
				old := f.Compile()
				plan := routed(t, old, name)
				rng := rand.New(rand.NewPCG(2, 9))
				for range 3 {
					if plan == nil {
						break
					}
					change(f, rng)
					g := f.Compile()
					if plan, _, err = Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 2}); err != nil {
						break
					}
					old = g
					limit := 1 + rng.IntN(20)
					next := spread(t, c.Name, g, plan, limit)
					if next != plan {
						moved++
					}
					least++
					plan = next
				}
			}
			if t.Logf("%d of %d moved", moved, least); moved == 0 {
				t.Error("nothing ever moved")
			}
		})
	}
}

// spread moves entries of a Plan and checks what came of it; the same Plan if nothing moved.
func spread(t *testing.T, what string, g *fabric.Graph, plan *route.Plan, limit int) *route.Plan {
	before := saved(t, g, plan)
	next, done, err := Spread(t.Context(), g, plan, limit, 1)
	again, _, second := Spread(t.Context(), g, plan, limit, 4)
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
	if was, now := meetings(g, plan), meetings(g, next); now > was {
		t.Errorf("%s: %d meetings, were %d", what, now, was)
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
	even := meetings(old, plan)
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
	repaired := meetings(old, plan)
	for step := 0; ; step++ {
		next, done, err := Spread(t.Context(), old, plan, 20, 1)
		if err != nil || step > 50 {
			t.Fatal(step, err)
		}
		if done.Moved == 0 {
			break
		}
		plan = next
	}
	if now := meetings(old, plan); repaired < even*3/2 || now-even > (repaired-even)*3/4 {
		t.Errorf("%d meetings, %d repaired, %d moved", even, repaired, now)
	}
	for c := range int32(old.NumChannels) {
		if !uses(old, plan.Tables, c) {
			t.Errorf("no entry uses channel %d", c)
		}
	}
}

// TestSpreadRefuses: paths that may be separate on purpose stay.
func TestSpreadRefuses(t *testing.T) {
	f, err := gen.Parse("rlft(6,2)|ports(2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	plan := routed(t, g, "updn")
	_, _, err = Spread(t.Context(), g, plan, 10, 1)
	if _, no := errors.AsType[*Impossible](err); !no {
		t.Error("moved", fmt.Sprint(err))
	}
	large := &fabric.Graph{NumSwitches: 1620, NumHosts: 11664}
	if no := Spreadable(large, plan); no == nil {
		t.Error("a network of 11,664 hosts would keep a repair waiting")
	}
}
