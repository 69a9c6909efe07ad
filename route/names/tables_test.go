package names

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestTables3And4: on the networks of Tables III and IV of paper 000 exact proves the
// optimum of every destination, both of LIDs and of LIDs before LMC; color/L is
// within 1 % of it (shortest-widest) and 3 % (path-selection), and below greedy.
func TestTables3And4(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
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

// TestTables456 compares Tables 4 (a), 5 (a) and 6 of paper 002 with the mean of ten
// networks: entries, renamings a host, share of conflicts.
func TestTables456(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for _, row := range []struct {
		switches, degree                  int
		original, renamed, mean, conflict float64 // 0: not printed
	}{
		{8, 4, 256, 145, 1.1, 0},
		{16, 4, 1022, 616, 1.5, 0},
		{32, 4, 4078, 2637, 1.8, 0},
		{64, 3, 0, 0, 0, 1.26},
		{64, 4, 16310, 10188, 2.1, 2.71},
	} {
		const instances = 10
		original, renamed, mean, conflict := 0.0, 0.0, 0.0, 0.0
		for seed := range instances {
			g := graph(t, fmt.Sprintf("regular(switches=%d,degree=%d,hosts=4,seed=%d)", row.switches, row.degree, seed+1))
			set := compute(t, g, "updn-shortest", uint64(seed+1))
			a := assign(t, set, "renaming")
			o, r := a.Entries()
			original += float64(o) / instances
			renamed += float64(r) / instances
			for _, b := range a.Need[:g.NumHosts] {
				mean += float64(b.Upper-1) / instances / float64(g.NumHosts)
			}
			c, entries := Conflicts(set)
			conflict += 100 * float64(c) / float64(entries) / instances
		}
		for _, x := range []struct {
			what       string
			got, paper float64
			within     float64
		}{
			{"original entries", original, row.original, 0.01},
			{"new entries", renamed, row.renamed, 0.1},
			{"renamings a host", mean, row.mean, 0.1},
			{"conflicts, %", conflict, row.conflict, 0.1},
		} {
			if x.paper != 0 && math.Abs(x.got/x.paper-1) > x.within {
				t.Errorf("%d switches of degree %d: %s: %.2f, paper %.2f", row.switches, row.degree, x.what, x.got, x.paper)
			}
		}
	}
}

// TestCounts compares the counts of entries and conflicts with sets of strings.
func TestCounts(t *testing.T) {
	g := graph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t, g)
		a := assign(t, set, "color-l")
		base, other := map[string]bool{}, map[string]bool{}
		triples, outs, places := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for dst := range int32(g.NumEnds) {
			first, last := set.To(dst)
			for p := first; p < last; p++ {
				in, at := fmt.Sprint("host ", set.Source(p)), g.EndSwitch[set.Source(p)]
				path := set.Append(nil, p)
				for i := 0; ; i++ {
					entry := fmt.Sprint(at, " ", dst, " ", a.Offset[p])
					if a.Offset[p] == 0 {
						base[entry] = true
					} else {
						other[entry] = true
					}
					triples[fmt.Sprint(at, " ", in, " ", dst)] = true
					if i == len(path) {
						outs[fmt.Sprint(at, " ", dst, " local")] = true
						places[fmt.Sprint(at, " ", dst)] = true
						break
					}
					outs[fmt.Sprint(at, " ", dst, " ", path[i])] = true
					places[fmt.Sprint(at, " ", dst)] = true
					in, at = fmt.Sprint(path[i]), g.To[path[i]]
				}
			}
		}
		if o, r := a.Entries(); o != len(base) || r != len(other) {
			t.Fatal("entries", o, r, "want", len(base), len(other))
		}
		if c, n := Conflicts(set); n != len(triples) || c != len(outs)-len(places) {
			t.Fatal("conflicts", c, n, "want", len(outs)-len(places), len(triples))
		}
	})
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
