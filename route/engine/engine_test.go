package engine_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
)

var large = flag.Bool("large", false, "TestCatalogue takes the networks of over 300 switches too")

func TestSpecs(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range engine.All() {
		if s.Name == "" || s.Summary == "" || s.Paper == "" || s.Cost == "" || s.Lanes == "" || s.New == nil {
			t.Errorf("engine %q is described incompletely: %+v", s.Name, s)
		}
		if seen[s.Name] {
			t.Errorf("two engines are called %s", s.Name)
		}
		seen[s.Name] = true
		if _, err := s.Parse(nil); err != nil {
			t.Errorf("%s: its defaults are refused: %v", s.Name, err)
		}
	}
}

// Every formula and every named system of the catalogue, as its example gives it:
// updn reaches all, free of deadlock on one lane; minhop and sssp reach all, by
// shortest ways; the engines with lanes do both or refuse.
func TestCatalogue(t *testing.T) {
	for _, entry := range gen.Catalogue() {
		f, err := gen.Parse(entry.Example)
		if err != nil {
			t.Errorf("%s: %v", entry.Example, err)
			continue
		}
		g := f.Compile()
		if !*large && g.NumSwitches > 300 {
			continue
		}
		for _, spec := range engine.All() {
			plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 2}, func(string) {})
			if _, refused := errors.AsType[*route.Refusal](err); refused && spec.Lanes != "none" {
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", entry.Example, spec.Name, err)
				continue
			}
			r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 2})
			if err != nil {
				t.Errorf("%s: %s: %v", entry.Example, spec.Name, err)
				continue
			}
			if r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 {
				t.Errorf("%s: %s: %d unreachable, %d loops, faults %v", entry.Example, spec.Name, r.Unreachable, r.Loops, r.Faults)
			}
			if spec.Name != "minhop" && spec.Name != "sssp" && r.DeadlockFree != check.Yes {
				t.Errorf("%s: %s can deadlock: %v", entry.Example, spec.Name, r.Cycle)
			}
			if (spec.Name == "updn" || spec.Name == "nue") && plan.VLs != 1 {
				t.Errorf("%s: %s uses %d lanes", entry.Example, spec.Name, plan.VLs)
			}
			if long := notMinimal(spec.Name, r); long > 0 {
				t.Errorf("%s: %s: %d pairs are not minimal", entry.Example, spec.Name, long)
			}
		}
	}
}

// notMinimal counts the pairs whose paths an engine promises to be minimal and are
// not: none for those that go up and down in an order, those of hosts for dfsssp.
func notMinimal(name string, r *quality.Report) int64 {
	switch name {
	case "updn", "nue", "ftree", "valiant":
		return 0
	case "dfsssp", "dfsssp-online":
		return r.HostPairs.NonMinimal
	default:
		return r.NonMinimal
	}
}
