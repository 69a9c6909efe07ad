package names

import (
	"context"
	"fmt"
	"testing"
)

// TestTables3And4: on the networks of Tables III and IV of paper 000 exact proves the
// optimum of every destination, both of LIDs and of LIDs before LMC; color/L is
// within 1 % of it (shortest-widest) and 3 % (path-selection), and below greedy.
func TestTables3And4(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds, not with -short")
	}
	for _, row := range []struct {
		algorithm       string
		hosts, switches int
		within          float64
	}{
		{"shortest-widest", 64, 16, 1},
		{"shortest-widest", 192, 32, 1},
		{"shortest-widest", 192, 64, 1},
		{"path-selection", 64, 16, 3},
		{"path-selection", 128, 32, 3},
	} {
		sum := map[string]int{}
		for seed := range 8 {
			g := graph(t, fmt.Sprintf("irregular(switches=%d,hosts=%d,degree=8,seed=%d)", row.switches, row.hosts, seed+1))
			set := compute(t, g, row.algorithm, uint64(seed+1))
			for _, name := range []string{"greedy", "color-l", "exact"} {
				a := must(Assign(context.Background(), set, scheme(t, name), Options{Workers: 2, Goal: Colours}))(t)
				sum[name] += a.LIDs()
				for dst, b := range a.Need {
					if name == "exact" && b.Lower != b.Upper {
						t.Errorf("%s %d/%d seed %d: destination %d: bounds %v", row.algorithm, row.hosts, row.switches, seed+1, dst, b)
					}
				}
			}
		}
		over := 100 * (float64(sum["color-l"])/float64(sum["exact"]) - 1)
		if over > row.within || sum["color-l"] > sum["greedy"] {
			t.Errorf("%s %d/%d: %v: color/L is %.2f %% above the optimum", row.algorithm, row.hosts, row.switches, sum, over)
		}
	}
}

// TestSameOnAnyCores: the assignment does not depend on the number of workers.
func TestSameOnAnyCores(t *testing.T) {
	g := graph(t, "irregular(switches=16,hosts=64,degree=8,seed=1)")
	set := compute(t, g, "shortest-widest", 1)
	for _, s := range Schemes() {
		if s.Name == "ilp" {
			continue
		}
		one := must(Assign(context.Background(), set, s, Options{Workers: 1}))(t)
		many := must(Assign(context.Background(), set, s, Options{Workers: 7}))(t)
		if string(one.Offset) != string(many.Offset) {
			t.Error(s.Name, "differs")
		}
	}
}
