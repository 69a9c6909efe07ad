package ftree

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/recipe"
)

func graph(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatalf("%s: %v", formula, err)
	}
	return f.Compile()
}

func attempt(t testing.TB, g *fabric.Graph, options string) (*route.Plan, error) {
	t.Helper()
	req := &recipe.Request{Engine: Spec(), Options: map[string]string{}, Workers: 2}
	for o := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(o, "=")
		req.Options[name] = value
	}
	return recipe.Run(t.Context(), g, req, func(string) {})
}

func routed(t testing.TB, g *fabric.Graph, options string) *route.Plan {
	t.Helper()
	plan, err := attempt(t, g, options)
	if err != nil {
		t.Fatalf("%s: %v", options, err)
	}
	return plan
}

func judged(t testing.TB, g *fabric.Graph, plan *route.Plan) *quality.Report {
	t.Helper()
	r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// combinations are those of all options that change paths or lanes.
func combinations() []string {
	var out []string
	for _, b := range []string{auto, closed, dmodk, zahavi, beft} {
		for _, s := range []string{all, sftree, none} {
			for _, m := range []string{none, mftree, standby} {
				for _, l := range []string{none, vftree} {
					out = append(out, fmt.Sprintf("balance=%s switches=%s multihomed=%s lanes=%s", b, s, m, l))
				}
			}
		}
	}
	return append(out, "balance=auto switches=all multihomed=none lanes=victims", "balance=zahavi switches=none multihomed=mftree lanes=victims")
}

// levelled says for two switches whether a way up by level and then down joins them. One
// over a link between mates ends there.
func levelled(t *tree) [][]bool {
	n := int32(t.G.NumSwitches)
	rank := t.orderByLevel()
	mates := t.endingLinks(rank)
	joined := make([][]bool, n)
	for x := range n {
		falls, all := make([]bool, n), make([]bool, n)
		falls[x], all[x] = true, true
		for grew := true; grew; {
			grew = false
			for c := range int32(t.G.NumChannels) {
				u, v := t.G.From[c], t.G.To[c]
				if mates(u, v) {
					if v == x && !falls[u] {
						falls[u], all[u], grew = true, true, true
					}
					continue
				}
				if falls[v] && !falls[u] && rank.Above(u, v) && (v == x || !t.G.Drained[v]) {
					falls[u], all[u], grew = true, true, true
				}
				if all[v] && !all[u] && rank.Above(v, u) {
					all[u], grew = true, true
				}
			}
		}
		joined[x] = all
	}
	return joined
}

// prove routes a fabric with every combination of options. With switches=all the judge
// must find nothing; otherwise there are no loops, entries at least where a way by
// level is, and no deadlock. It counts what paper III's subtree refuses.
func prove(t *testing.T, formula string, options []string) (refused int) {
	if strings.HasPrefix(formula, "sftree-fig4b") { // no link of it is one up, as all its switches have hosts
		formula = strings.Replace(formula, "links=up", "links=all", 1)
	}
	g := graph(t, formula)
	var roots []int32
	named := ""
	if strings.HasPrefix(formula, "sftree-fig4b") { // all its switches have a host
		for s := range int32(g.NumSwitches) {
			if strings.HasPrefix(g.SwitchDesc[s], "root") {
				roots = append(roots, s)
				named += ";" + g.SwitchGUID[s].String()
			}
		}
		named = " roots=" + named[1:]
	}
	tr := recognise(g, roots, nil)
	odd := len(tr.Irregular()) > 0
	var joined [][]bool
	for _, o := range options {
		o += named
		plan, err := attempt(t, g, o)
		if _, no := errors.AsType[*route.Refusal](err); no && odd && strings.Contains(o, "switches=sftree") {
			refused++
			continue
		} else if err != nil {
			t.Errorf("%s %s: %v", formula, o, err)
			continue
		}
		r := judged(t, g, plan)
		lanes := 1
		if strings.Contains(o, "switches=all") && odd {
			lanes = 2
		}
		if !strings.Contains(o, "lanes=none") {
			lanes = route.UsualVLs
		}
		switch {
		case r.Loops > 0 || r.VLs > lanes:
			t.Errorf("%s %s: loops %d, lanes %d", formula, o, r.Loops, r.VLs)
		case strings.Contains(o, "switches=all"):
			if !r.OK {
				t.Errorf("%s %s: unreachable %d, deadlock-free %v", formula, o, r.Unreachable, r.DeadlockFree)
			}
			continue
		case r.DeadlockFree != check.Yes:
			t.Errorf("%s %s: deadlock-free %v", formula, o, r.DeadlockFree)
		}
		if joined == nil {
			joined = levelled(tr)
		}
		for lid, end := range plan.Ends.ByLID() {
			if end < 0 {
				continue
			}
			for s := range int32(g.NumSwitches) {
				has := plan.Tables.Port(s, fabric.LID(lid)) != route.NoPort
				if way := joined[g.EndSwitch[end]][s]; way && !has || has && !way && strings.Contains(o, "switches=none") {
					t.Fatalf("%s %s: from %s to LID %d: a way %v, an entry %v", formula, o, fabric.SwitchName(g, s), lid, way, has)
				}
			}
		}
	}
	return refused
}

// damage is what is done to the fabrics.
var damage = []string{"", "|fail(share=0.01,links=up,seed=1)", "|fail(share=0.05,links=up,seed=1)", "|fail(share=0.1,links=up,seed=1)", "|fail(share=0.2,links=up,seed=1)"}

// TestCombinations: every combination of options, whole and degraded, is proven.
func TestCombinations(t *testing.T) {
	for _, formula := range []string{"rlft(8,2)", "rlft(6,3)", "mftree-fig2", "sftree-fig4b", "vftree-fig4b", "racks216", "rlft(8,3)|ports(2)"} {
		if testing.Short() && formula == "racks216" || racing.Small() && formula != "rlft(8,2)" {
			continue
		}
		for _, d := range damage {
			prove(t, formula+d, combinations())
		}
	}
}

var soak = flag.Bool("soak", false, "prove every combination of options on every fabric of the thesis, whole and degraded")

// TestSoak is TestCombinations on all fabrics of the thesis, each also with two ports a
// host. On the large ones every damage has some of the combinations.
func TestSoak(t *testing.T) {
	if !*soak {
		t.Skip("with -soak")
	}
	fabrics := []string{
		"vftree-fig4a", "vftree-fig4b", "sftree-fig4a", "sftree-fig4b", "mftree-fig2", "over384", "racks216", "fat648",
		"racks432", "racks648", "mport(4,3)", "mport(8,3)", "karytree(3,4)", "rlft(12,3)", "xgft(2;6,4;3,2;hosts=72)", "pgft(3;6,4,3;1,4,3;1,1,2)",
		"over384|ports(2)", "racks216|ports(2)", "fat648|ports(2)", "racks432|ports(2)", "racks648|ports(2)",
		"fat648|hosts(even=17,odd=1)", "racks648|hosts(even=22,odd=1)",
		"fat3456", "fat3456|ports(2)", "juropa", "juropa|ports(2)", "ranger", "ranger|ports(2)", "dual4608", "dual4608|ports(2)",
	}
	for n, formula := range fabrics {
		options := combinations()
		every := 1
		switch size := graph(t, formula).NumSwitches; {
		case size > 500:
			every = 3 * len(damage) * 5 // 7 or 8 of them in all
		case size > 50:
			every = len(damage)
		}
		start := time.Now()
		cases, refused := 0, 0
		for i, d := range damage {
			var some []string
			for k, o := range options {
				if (k+n)%every == i*every/len(damage) {
					some = append(some, o)
				}
			}
			cases += len(some)
			refused += prove(t, formula+d, some)
		}
		t.Logf("%s: %d cases, %d refused by the subtree, %v", formula, cases, refused, time.Since(start).Round(time.Millisecond))
	}
}
