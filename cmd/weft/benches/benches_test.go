package benches

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/shape/fattree"
	"weft/planner"
	"weft/route"
)

// TestMostUp: the same as following each pair of hosts alone.
func TestMostUp(t *testing.T) {
	for _, formula := range []string{"rlft(8,2)", "rlft(4,3)|hosts(even=2,odd=1)", "rlft(8,2)|fail(links=3,seed=1)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		req, err := (&runner{flags: &flags{workers: 1}}).request("updn")
		if err != nil {
			t.Fatal(err)
		}
		r, err := planner.Route(t.Context(), g, req)
		if err != nil {
			t.Fatal(err)
		}
		tree := fattree.Recognise(g, nil, nil)
		if formula == "rlft(8,2)" { // as OpenSM leaves hosts out
			r.Plan.Ends.Base[0], r.Plan.Ends.Base[9] = 0, 0
		}
		if got, want := mostUp(g, r.Plan, tree), dumbUp(g, r.Plan, tree); got != want || want == 0 {
			t.Errorf("%s: %d pairs, want %d", formula, got, want)
		}
	}
}

func dumbUp(g *fabric.Graph, plan *route.Plan, t *fattree.Tree) (most int64) {
	on := map[int32]int64{}
	for from := range int32(g.NumHosts) {
		for to := range int32(g.NumHosts) {
			if plan.Ends.Base[from] == 0 || plan.Ends.Base[to] == 0 {
				continue
			}
			for at := g.EndSwitch[from]; at != g.EndSwitch[to]; {
				c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[to]))
				if t.Level[g.To[c]] > t.Level[at] {
					on[c]++
					most = max(most, on[c])
				}
				at = g.To[c]
			}
		}
	}
	return most
}

// TestRouteSeconds: the last whole routing counts; without one there is no time.
func TestRouteSeconds(t *testing.T) {
	for text, want := range map[string]string{
		"route 0.5\ntables 0.75\n":                        "0.25",
		"route 0.5\ntables 0.75\nroute 1\ntables 1.125\n": "0.125",
		"route 0.5\nfailed 0.7\n":                         "none",
		"tables 0.7\n":                                    "none",
		"":                                                "none",
		"route x\n":                                       "none",
	} {
		path := filepath.Join(t.TempDir(), "marks")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := "none"
		if x := routeSeconds(path); x != nil {
			got = fmt.Sprint(*x)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if routeSeconds("no file") != nil {
		t.Error("a time from no file")
	}
}

// TestLog: OpenSM's log says how many lanes it uses, and why it has none.
func TestLog(t *testing.T) {
	log := []byte("Nov 29 10:00:00 1 [A] 0x01 -> dfsssp_remove_deadlocks: Virtual Lanes needed: 3\nNov 29 10:00:00 2 [A] 0x01 -> x: ERR AD25:  Not enough\nNov 29 10:00:00 3 [A] 0x01 -> ucast_mgr_route: ERR 3A0F: dfsssp: cannot build lid matrices.\n")
	if got := reason(log); got != "x: ERR AD25: Not enough" {
		t.Errorf("reason %q", got)
	}
	if n := lanesOf("dfsssp", log); n == nil || *n != 3 {
		t.Errorf("%v lanes", n)
	}
	if n := lanesOf("nue", nil); n != nil {
		t.Errorf("%d lanes of a log without them", *n)
	}
	if n := lanesOf("minhop", nil); n == nil || *n != 1 {
		t.Errorf("minhop: %v lanes", n)
	}
}
