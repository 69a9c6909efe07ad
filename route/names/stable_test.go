package names

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/paths"
)

// held is a network with a Plan in use.
type held struct {
	g    *fabric.Graph
	plan *route.Plan
}

func hold(t tb, g *fabric.Graph, set *paths.Set, name string) held {
	a := assign(t, set, name)
	plan, _ := a.Realise(must(nameOf(a))(t))
	return held{g, plan}
}

// stable assigns anew after a change, and lets the judge prove the result.
func (h held) stable(t tb, set *paths.Set, name string) (*Assignment, Moves) {
	g := set.Graph()
	a, ends, m, err := Stable(context.Background(), set, scheme(t, name), Options{Workers: 2}, Hold(h.g, h.plan, g))
	if err != nil {
		t.Fatal(err)
	}
	if err := ends.Validate(g); err != nil {
		t.Fatal(err)
	}
	realised(t, a, ends, true)
	return a, m
}

// fresh counts the paths that move when the assignment starts anew.
func (h held) fresh(t tb, set *paths.Set, name string) int {
	a := assign(t, set, name)
	ends := must(nameOf(a))(t)
	return moves(a, ends, Hold(h.g, h.plan, set.Graph())).PathsMoved
}

// TestStable: nothing moves when nothing changed, no port that stays moves, and far
// fewer paths move than with a new start.
func TestStable(t *testing.T) {
	const base = "irregular(switches=12,hosts=60,degree=4,seed=5)"
	for _, name := range []string{"greedy", "color-l", "exact"} {
		for _, algorithm := range []string{"shortest-widest", "updn-shortest"} {
			g := graph(t, base)
			h := hold(t, g, compute(t, g, algorithm, 1), name)
			for _, change := range []string{"", "|fail(links=1,seed=1)", "|fail(links=2,seed=2)", "|without(hosts=7)", "|fail(switches=1,seed=3)"} {
				after := graph(t, base+change)
				set := compute(t, after, algorithm, 1)
				_, m := h.stable(t, set, name)
				fresh := h.fresh(t, set, name)
				t.Logf("%s %s %q: %+v, %d moved with a new start", name, algorithm, change, m, fresh)
				if change == "" && m.PathsMoved+m.PortsMoved+m.New != 0 {
					t.Errorf("nothing changed, but %+v", m)
				}
				if change != "" && m.PathsMoved*2 > fresh {
					t.Errorf("%d paths moved, %d with a new start", m.PathsMoved, fresh)
				}
			}
		}
	}
}

// TestStableAnyPaths: whatever the paths before and after, the answer is right.
func TestStableAnyPaths(t *testing.T) {
	g := graph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	rapid.Check(t, func(t *rapid.T) {
		h := hold(t, g, drawSet(t, g), "color-l")
		set := drawSet(t, g)
		fresh := assign(t, set, "color-l")
		a, ends, m, err := Stable(context.Background(), set, scheme(t, "color-l"), Options{}, Hold(h.g, h.plan, g))
		if err != nil {
			t.Fatal(err)
		}
		for dst := range int32(g.NumEnds) {
			var r Routing
			var colour []int32
			first, last := set.To(dst)
			for p := first; p < last; p++ {
				var hops []Hop
				for _, c := range set.Append(nil, p) {
					hops = append(hops, Hop{g.From[c], c})
				}
				r.Add(hops...)
				colour = append(colour, int32(a.Offset[p]))
				if int(a.Offset[p]) >= ends.Count(dst) {
					t.Fatal("a path has no LID")
				}
			}
			if p, q, found := r.FindSplit(colour); found {
				t.Fatal("paths split under one LID:", dst, p, q)
			}
			if int(LMC(int(fresh.Need[dst].Upper))) > int(ends.LMC[dst]) {
				t.Fatal("fewer LIDs than the scheme found")
			}
			if ends.LMC[dst] > max(LMC(int(fresh.Need[dst].Upper)), h.plan.Ends.LMC[dst]) {
				t.Fatal("more LIDs than before and than the scheme needs")
			}
		}
		if m.PathsMoved > m.Paths || m.Paths+m.New != set.NumPaths() {
			t.Fatal(m, set.NumPaths())
		}
	})
}
