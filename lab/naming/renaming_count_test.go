package naming

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
)

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
			g := mustGraph(t, fmt.Sprintf("regular(switches=%d,degree=%d,hosts=4,seed=%d)", row.switches, row.degree, seed+1))
			set := compute(t.Context(), &lab.Setup{}, "updn-shortest", g, uint64(seed+1), nil)
			a := mustAssign(t, set, "renaming")
			o, r := tableEntries(a)
			original += float64(o) / instances
			renamed += float64(r) / instances
			for _, b := range a.Need[:g.NumHosts] {
				mean += float64(b.Upper-1) / instances / float64(g.NumHosts)
			}
			n := countConflicts(set)
			conflict += 100 * float64(n.beyond) / float64(n.byInput) / instances
		}
		for _, x := range []struct {
			what       string
			got, paper float64
			within     float64
		}{
			{"original entries", original, row.original, 0.01},
			{"new entries", renamed, row.renamed, 0.1},
			{"renamings a host", mean, row.mean, 0.1},
			{"conflicts by input, %", conflict, row.conflict, 0.1},
		} {
			if x.paper != 0 && math.Abs(x.got/x.paper-1) > x.within {
				t.Errorf("%d switches of degree %d: %s: %.2f, paper %.2f", row.switches, row.degree, x.what, x.got, x.paper)
			}
		}
	}
}

// TestCounts compares the counts of entries and conflicts with sets of strings.
func TestCounts(t *testing.T) {
	g := mustGraph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t, g)
		a := mustAssign(t, set, "color-l")
		base, other := map[string]bool{}, map[string]bool{}
		triples, outs, places := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for dst := range int32(g.NumEnds) {
			first, last := set.To(dst)
			for p := first; p < last; p++ {
				in, at := fmt.Sprint("host ", set.Source(p)), g.EndSwitch[set.Source(p)]
				path := set.AppendChannels(nil, p)
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
		if o, r := tableEntries(a); o != len(base) || r != len(other) {
			t.Fatal("entries", o, r, "want", len(base), len(other))
		}
		several, switches := map[string]bool{}, map[string]bool{}
		for place := range places {
			ways := 0
			for out := range outs {
				if strings.HasPrefix(out, place+" ") {
					ways++
				}
			}
			if ways > 1 {
				several[place], switches[strings.Fields(place)[0]] = true, true
			}
		}
		want := conflictCounts{entries: len(places), contested: len(several), byInput: len(triples), beyond: len(outs) - len(places), switches: len(switches)}
		if n := countConflicts(set); n != want {
			t.Fatalf("conflicts %+v, want %+v", n, want)
		}
	})
}

func mustGraph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	g, err := lab.Graph(formula)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustAssign(t interface {
	Context() context.Context
	Fatal(...any)
}, set *paths.Set, scheme string,
) *names.Assignment {
	a := assign(t.Context(), set, scheme, names.Options{Workers: 1})
	return a
}

// drawSet draws loopless paths at random, several a pair.
func drawSet(t *rapid.T, g *fabric.Graph) *paths.Set {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	b := paths.NewBuilder(g)
	for range rapid.IntRange(0, 60).Draw(t, "paths") {
		src, dst := rng.Int32N(int32(g.NumHosts)), rng.Int32N(int32(g.NumHosts))
		var way []int32
		met := make([]bool, g.NumSwitches)
		at := g.EndSwitch[src]
		for at != g.EndSwitch[dst] && !met[at] {
			met[at] = true
			out := g.OutOf(at)
			c := out[rng.IntN(len(out))]
			way, at = append(way, c), g.To[c]
		}
		if src != dst && at == g.EndSwitch[dst] && !met[at] {
			b.Add(src, dst, way)
		}
	}
	set, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return set
}
