package quality

import (
	"context"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route/engine"
	"weft/route/recipe"
)

// routed routes a network by updn, and judges that.
func routed(t *testing.T, f *fabric.Fabric) (*fabric.Graph, *Report) {
	t.Helper()
	spec, err := engine.Find("updn")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, judged(t, g, p, 1)
}

// Pairs of different planes are no lost pairs where servers have a port on each. Hosts with one
// port that are cut off are.
func TestPlanes(t *testing.T) {
	for _, c := range []struct {
		formula     string
		down        string // a switch
		planes      int
		pairs       int64
		apart       int64
		servers     int
		ports       int
		text, reach string
	}{
		{"rlft(4,2)|planes(2)", "", 2, 56, 0, 8, 16, "all pairs on each of 2 planes reachable, minimal", "112 of 112 pairs of host ports"},
		{"rlft(4,2)|plane(rlft(6,2))", "", 2, 18 * 17, 0, 18, 26, "all pairs on each of 2 planes reachable", "362 of 362 pairs of host ports"},
		{"rlft(6,2)|plane(rlft(4,2))", "plane 2 leaf 0", 2, 18 * 17, 0, 18, 24, "all pairs on each of 2 planes", " pairs of host ports"},
		{"rlft(4,2)|plane(rlft(6,2))", "leaf 0", 2, 18 * 17, 0, 18, 24, "all pairs on each of 2 planes", " pairs of host ports"},
		{"rlft(4,2)|fail(switch=spine 0)|fail(switch=spine 1)", "", 0, 0, 0, 8, 8, "all pairs reachable but 108 that no cables connect", "8 of 56 pairs of hosts"},
		{"rail(2,4,2,spines=2)", "", 0, 0, 0, 8, 16, "all pairs reachable, minimal", "240 of 240 pairs of host ports"},
		{"rlft(4,2)", "", 0, 0, 0, 8, 8, "all pairs reachable, minimal", "56 of 56 pairs of hosts"},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		if c.down != "" {
			id, err := f.FindSwitch(c.down)
			if err != nil {
				t.Fatal(err)
			}
			f.SetNodeDown(id, true)
		}
		g, r := routed(t, f)
		r.CountServers(g)
		var b strings.Builder
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(text, c.text) || !strings.Contains(text, c.reach) || r.Servers != c.servers || r.HostPorts != c.ports {
			t.Errorf("%s: %d servers, %d host ports:\n%s", c.formula, r.Servers, r.HostPorts, b.String())
		}
		switch p := r.Planes; {
		case p == nil && c.planes > 0, p != nil && (p.Planes != c.planes || p.Pairs != c.pairs || p.Apart != c.apart):
			t.Errorf("%s: planes %+v", c.formula, p)
		}
		b.Reset()
		if err := r.WriteAll(&b); err != nil || strings.Contains(b.String(), "planes ") != (c.planes > 0) || strings.Contains(b.String(), "servers, ") != (c.servers < c.ports) {
			t.Errorf("%s: %v\n%s", c.formula, err, b.String())
		}
	}
}

// Servers that share no plane are counted against every pair.
func TestPairsOfServersApart(t *testing.T) {
	of := [][]int32{{1, 0}, {0}, {1}, {2}, {0, 1}, nil, {2, 1}}
	want := int64(0)
	for a := range of {
		for b := range of {
			meet := false
			for _, x := range of[a] {
				for _, y := range of[b] {
					meet = meet || x == y
				}
			}
			if a != b && !meet && of[a] != nil && of[b] != nil {
				want++
			}
		}
	}
	p := &Planes{Planes: 3}
	p.countPairs(of)
	if p.Pairs != 30 || p.Apart != want || want == 0 || !strings.Contains(p.text(), "pairs of servers share no plane") {
		t.Errorf("%+v, want %d apart: %s", p, want, p.text())
	}
}
