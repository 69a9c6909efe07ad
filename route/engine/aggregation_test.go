package engine_test

import (
	"context"
	"errors"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine"
	"weft/route/engine/ftree"
	"weft/route/engine/nue"
	"weft/route/recipe"
)

// TestAggregationNodes: a CA inside every switch that is no host is reached by every engine and
// free of deadlock where the engine says so, and does not change the balance of hosts.
func TestAggregationNodes(t *testing.T) {
	for _, formula := range []string{"rlft(8,3)", "rlft(8,3)|fail(links=9,seed=4)", "torus(4x4,hosts=2)", "irregular(switches=16,hosts=48)", "pgft(2;6,4;1,2;1,2)"} {
		without := compiled(t, formula)
		with := compiled(t, formula+"|aggregation()")
		if n := with.NumHosts - without.NumHosts; n != with.NumSwitches {
			t.Fatalf("%s: %d aggregation nodes on %d switches", formula, n, with.NumSwitches)
		}
		for _, spec := range engine.All() {
			a, err := recipe.Run(context.Background(), without, &recipe.Request{Engine: spec, Workers: 2}, func(string) {})
			if _, refused := errors.AsType[*route.Refusal](err); refused {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", formula, spec.Name, err)
			}
			b, err := recipe.Run(context.Background(), with, &recipe.Request{Engine: spec, Workers: 2}, func(string) {})
			if err != nil {
				t.Errorf("%s: %s refuses aggregation nodes: %v", formula, spec.Name, err)
				continue
			}
			r, err := quality.Judge(context.Background(), with, b, check.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if r.Unreachable > 0 || len(r.Faults) > 0 || spec.Lanes != "none" && r.DeadlockFree != check.Yes {
				t.Errorf("%s: %s: %d unreachable, faults %v, free of deadlock: %v", formula, spec.Name, r.Unreachable, r.Faults, r.DeadlockFree)
			}
			before, err := quality.Judge(context.Background(), without, a, check.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if 50*r.Load.Max > 51*before.Load.Max {
				t.Errorf("%s: %s: the hottest channel carries %d pairs of hosts, %d without the nodes", formula, spec.Name, r.Load.Max, before.Load.Max)
			}
			// Two engines break ties by the number of a LID among all.
			if n := changedForHosts(without, a, with, b); n > 0 && spec.Name != nue.Name && spec.Name != ftree.Name {
				t.Errorf("%s: %s: %d entries for hosts differ", formula, spec.Name, n)
			}
		}
	}
}

func compiled(t *testing.T, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// changedForHosts counts the entries for hosts that two Plans have different, of fabrics with
// the same switches.
func changedForHosts(g *fabric.Graph, a *route.Plan, h *fabric.Graph, b *route.Plan) (n int) {
	lid := map[fabric.GUID]fabric.LID{}
	for end, guid := range h.EndGUID {
		lid[guid] = b.Ends.Base[end]
	}
	for end := range int32(g.NumEnds) {
		for s := range int32(g.NumSwitches) {
			if g.IsHost(end) && a.Tables.Port(s, a.Ends.Base[end]) != b.Tables.Port(s, lid[g.EndGUID[end]]) {
				n++
			}
		}
	}
	return n
}
