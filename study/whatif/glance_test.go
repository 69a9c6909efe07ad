package whatif

import (
	"context"
	"slices"
	"testing"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
)

// The first answer has the losses and writes of the full one, and counts the pairs whose paths
// differ hop by hop.
func TestGlimpse(t *testing.T) {
	for _, c := range []struct {
		formula, engine string
		changes         []Change
	}{
		{"rlft(4,3)", "updn", []Change{{"fail", "root 1"}}},
		{"rlft(4,3)", "ftree", []Change{{"fail", "leaf 1"}, {"drain", "middle 4"}}},
		{"torus(4x4)", "dfsssp", []Change{{"fail", "links=3,seed=2"}}},
		{"rlft(8,2)|radix(10)", "updn", []Change{{"add", "rack 9"}}},
	} {
		f := parse(t, c.formula)
		chain, err := engine.Parse(c.engine, nil)
		if err != nil {
			t.Fatal(err)
		}
		req := planner.Request{Chain: chain, Workers: 2}
		g := f.Compile()
		r, err := planner.Route(context.Background(), g, &req)
		if err != nil {
			t.Fatal(err)
		}
		glance, err := Glimpse(context.Background(), f, r.Plan, req, c.changes)
		if err != nil {
			t.Fatal(c.formula, err)
		}
		today, err := New(context.Background(), f, r.Plan, Options{Request: req, Runs: NoFigures, Pace: UsualPace})
		if err != nil {
			t.Fatal(err)
		}
		full, err := today.Ask(context.Background(), c.changes)
		if err != nil {
			t.Fatal(err)
		}
		if (full.Repaired == nil) != (glance.Writes == nil) || !slices.Equal(full.CutOff, glance.HostsLost.CutOff) {
			t.Fatalf("%s: %+v, in full %+v", c.formula, glance, full)
		}
		if full.Repaired == nil {
			continue
		}
		if s := full.Repaired; glance.Pairs != s.Pairs-s.Apart || glance.Lost != s.lost() || *glance.Writes != *s.Writes || glance.Proven != s.Proven {
			t.Errorf("%s: %+v, in full %+v", c.formula, glance, s)
		}
		after, repaired, err := Repaired(context.Background(), f, r.Plan, req, c.changes)
		if err != nil {
			t.Fatal(err)
		}
		now := after.Compile()
		old, err := planner.Keep(r.Plan, g).AsIs(now)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for from := range int32(now.NumHosts) {
			for to := range int32(now.NumHosts) {
				if lid := repaired.Plan.Ends.Base[to]; from != to && lid == old.Ends.Base[to] && !slices.Equal(hops(now, old, from, lid), hops(now, repaired.Plan, from, lid)) {
					want++
				}
			}
		}
		if glance.Rerouted != want || want == 0 && c.changes[0].Kind == "fail" {
			t.Errorf("%s: %d pairs have another path, walked: %d", c.formula, glance.Rerouted, want)
		}
	}
}

// hops lists the switches and ports of a path.
func hops(g *fabric.Graph, plan *route.Plan, from int32, lid fabric.LID) (out []int32) {
	s := g.EndSwitch[from]
	for range g.NumSwitches {
		port := plan.Tables.Port(s, lid)
		out = append(out, s, int32(port))
		c, _ := g.At(s, port)
		if c < 0 {
			break
		}
		s = g.To[c]
	}
	return out
}
