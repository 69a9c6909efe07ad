package conformance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// Claims holds the promises of an engine, beyond routing every pair that can be connected.
type Claims struct {
	Minimal      bool // every path is a shortest one
	HostsMinimal bool // every path between hosts is a shortest one
	DeadlockFree bool // on the lanes of the Plan, for any traffic
	OneLane      bool // deadlock-free when all packets share a single lane
	Refuses      bool // may refuse networks; other engines must route every one
}

// Run tests an engine with its default options against the contract of route.Engine, on the table
// of fabrics and on random networks.
func Run(t *testing.T, spec *route.Spec, claims Claims) {
	for _, c := range Fabrics() {
		t.Run(c.Name, func(t *testing.T) {
			f, err := c.Build()
			if err != nil {
				t.Fatal(err)
			}
			verify(t, spec, claims, f.Compile())
		})
	}
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			verify(t, spec, claims, Draw(t).Compile())
		})
	})
}

// verify tests an engine against its contract on one graph.
func verify(t rapid.TB, spec *route.Spec, claims Claims, g *fabric.Graph) {
	for lmc := range uint8(4) {
		plan := sameOnAnyCores(t, spec, claims, g, lmc)
		if plan == nil {
			return
		}
		found := inspect(g, plan)
		for i, p := range found.problems {
			if i == 5 {
				t.Errorf("LMC %d: and %d more problems", lmc, len(found.problems)-i)
				break
			}
			t.Errorf("LMC %d: %s", lmc, p)
		}
		if claims.Minimal && found.longer > 0 {
			t.Errorf("LMC %d: %d paths are longer than the shortest", lmc, found.longer)
		}
		if claims.HostsMinimal && found.hostsLonger > 0 {
			t.Errorf("LMC %d: %d paths to hosts from switches with hosts are longer than the shortest", lmc, found.hostsLonger)
		}
		if claims.OneLane && found.cyclic() {
			t.Errorf("LMC %d: the dependencies of channels form a cycle", lmc)
		}
		judge(t, claims, g, plan)
	}
	if fault := cancelled(spec, g); fault != "" {
		t.Error(fault)
	}
}

// sameOnAnyCores routes with several numbers of workers and compares the Plans. It returns nil if
// the engine refuses.
func sameOnAnyCores(t rapid.TB, spec *route.Spec, claims Claims, g *fabric.Graph, lmc uint8) *route.Plan {
	var first *route.Plan
	for _, workers := range []int{1, 2, 7} {
		req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc}, Workers: workers}
		plan, err := recipe.Run(context.Background(), g, req, func(string) {})
		var no *route.Refusal
		if errors.As(err, &no) && claims.Refuses {
			if first != nil {
				t.Fatalf("%d workers refuse, 1 does not: %v", workers, no)
			}
			return nil
		}
		if err != nil {
			t.Fatalf("LMC %d: %v", lmc, err)
		}
		if first == nil {
			first = plan
		} else if what := differ(first, plan); what != "" {
			t.Fatalf("LMC %d: 1 and %d workers give different Plans: %s", lmc, workers, what)
		}
	}
	return first
}

// differ names the first difference of two Plans, "" if there is none.
func differ(a, b *route.Plan) string {
	for s := range int32(a.Tables.NumSwitches()) {
		for i := range a.Tables.NumBlocks() {
			if *a.Tables.Block(s, i) != *b.Tables.Block(s, i) {
				return fmt.Sprintf("tables of switch %d, block %d", s, i)
			}
		}
	}
	if !reflect.DeepEqual(a.SL, b.SL) || !reflect.DeepEqual(a.SL2VL, b.SL2VL) || a.VLs != b.VLs {
		return "lanes"
	}
	return ""
}

// cancelled names the fault of an engine that ignores the end of its context, "" for none.
func cancelled(spec *route.Spec, g *fabric.Graph) string {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	req := &recipe.Request{Engine: spec, Workers: 2}
	switch _, err := recipe.Run(ctx, g, req, func(string) {}); {
	case errors.Is(err, context.Canceled):
		return ""
	case err == nil:
		return "the context was cancelled before the engine began: it ignored that and went on to the end. Its loops must look at ctx.Err(), or go through internal/par"
	default:
		return fmt.Sprintf("the context was cancelled before the engine began: it returned %q instead of context.Canceled", err)
	}
}
