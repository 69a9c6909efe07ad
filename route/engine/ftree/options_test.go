package ftree

import (
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/check"
)

func graph(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatalf("%s: %v", formula, err)
	}
	return f.Compile()
}

func routed(t testing.TB, g *fabric.Graph, options string) *route.Plan {
	t.Helper()
	req := &route.Request{Engine: Spec(), Options: map[string]string{}, Workers: 2}
	for o := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(o, "=")
		req.Options[name] = value
	}
	plan, err := route.Run(t.Context(), g, req, func(string) {})
	if err != nil {
		t.Fatalf("%s: %v", options, err)
	}
	return plan
}

func judged(t testing.TB, g *fabric.Graph, plan *route.Plan) *check.Report {
	t.Helper()
	r, err := check.Judge(t.Context(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// combinations are those of all options that change paths or lanes.
func combinations() []string {
	var out []string
	for _, b := range []string{closed, dmodk, zahavi, beft} {
		for _, s := range []string{all, sftree, none} {
			for _, m := range []string{none, mftree} {
				for _, l := range []string{none, vftree} {
					out = append(out, fmt.Sprintf("balance=%s switches=%s multihomed=%s lanes=%s", b, s, m, l))
				}
			}
		}
	}
	return out
}

// TestCombinations: every combination of options, whole and degraded, is proven: all
// hosts that a way up and down joins, and with switches=all everything.
func TestCombinations(t *testing.T) {
	for _, formula := range []string{"rlft(8,2)", "rlft(6,3)", "racks648", "rlft(8,3)|ports(2)"} {
		if testing.Short() && formula == "racks648" {
			continue
		}
		for _, share := range []string{"", "0.01", "0.05", "0.1", "0.2"} {
			damaged := formula
			if share != "" {
				damaged += "|fail(share=" + share + ",links=up,seed=1)"
			}
			t.Run(damaged, func(t *testing.T) {
				g := graph(t, damaged)
				for _, options := range combinations() {
					plan := routed(t, g, options)
					r := judged(t, g, plan)
					switch {
					case strings.Contains(options, "switches=all"):
						if !r.OK {
							t.Errorf("%s: unreachable %d, loops %d, deadlock-free %v", options, r.Unreachable, r.Loops, r.DeadlockFree)
						}
					case r.Loops > 0 || r.HostPairs.Unreachable > 0 && share == "":
						t.Errorf("%s: hosts unreachable %d, loops %d", options, r.HostPairs.Unreachable, r.Loops)
					case strings.Contains(options, "switches=none") && r.DeadlockFree != check.Yes:
						t.Errorf("%s: deadlock-free %v", options, r.DeadlockFree)
					}
				}
			})
		}
	}
}
