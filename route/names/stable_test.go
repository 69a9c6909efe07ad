package names

import (
	"context"
	"slices"
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
	plan, _ := realise(t, a, must(nameOf(a))(t))
	return held{g, plan}
}

// stable assigns anew after a change, and lets the judge prove the result.
func (h held) stable(t tb, set *paths.Set, name string) *route.Change {
	g := set.Graph()
	a, ends, err := Stable(context.Background(), set, scheme(t, name), Options{Workers: 2}, route.Hold(h.g, h.plan, g))
	if err != nil {
		t.Fatal(err)
	}
	if err := ends.Validate(g); err != nil {
		t.Fatal(err)
	}
	realised(t, a, ends, true)
	for end, base := range route.Hold(h.g, h.plan, g).Ends.Base {
		if o := slices.Index(h.g.EndGUID, g.EndGUID[end]); base != 0 && ends.Base[end] != base && ends.LMC[end] <= h.plan.Ends.LMC[o] {
			t.Fatal("moved without need:", route.EndName(g, int32(end)))
		}
	}
	return h.change(t, a, ends)
}

func (h held) change(t tb, a *Assignment, ends route.Ends) *route.Change {
	plan, _ := realise(t, a, ends)
	return route.Compare(h.g, h.plan, a.Set.Graph(), plan)
}

// fresh counts the pairs that move when the assignment starts anew.
func (h held) fresh(t tb, set *paths.Set, name string) int {
	a := assign(t, set, name)
	return h.change(t, a, must(nameOf(a))(t)).Pairs.Moved
}

// TestStable: nothing moves when nothing changed, no port moves that needs no more LIDs
// than it had, and far fewer pairs move than with a new start.
func TestStable(t *testing.T) {
	const base = "irregular(switches=12,hosts=60,degree=4,seed=5)"
	for _, name := range []string{"greedy", "color-l", "exact"} {
		for _, algorithm := range []string{"shortest-widest", "updn-shortest"} {
			g := graph(t, base)
			h := hold(t, g, compute(t, g, algorithm, 1), name)
			for _, change := range []string{"", "|fail(links=1,seed=1)", "|fail(links=2,seed=2)", "|without(hosts=7)", "|fail(switches=1,seed=3)"} {
				after := graph(t, base+change)
				set := compute(t, after, algorithm, 1)
				c := h.stable(t, set, name)
				fresh := h.fresh(t, set, name)
				t.Logf("%s %s %q: ports %+v, pairs %+v, %d moved with a new start", name, algorithm, change, c.Ports, *c.Pairs, fresh)
				if change == "" && (c.Pairs.Moved+c.Ports.Moved+c.Ports.New+c.Entries.Moved != 0 || len(c.Switches) > 0) {
					t.Errorf("nothing changed, but %+v", c)
				}
				if change != "" && c.Pairs.Moved*2 > fresh {
					t.Errorf("%d pairs moved, %d with a new start", c.Pairs.Moved, fresh)
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
		a, ends, err := Stable(context.Background(), set, scheme(t, "color-l"), Options{}, route.Hold(h.g, h.plan, g))
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
			if p, q, found := findSplit(&r, colour); found {
				t.Fatal("paths split under one LID:", dst, p, q)
			}
			if int(LMC(int(fresh.Need[dst].Upper))) > int(ends.LMC[dst]) {
				t.Fatal("fewer LIDs than the scheme found")
			}
			if ends.LMC[dst] > max(LMC(int(fresh.Need[dst].Upper)), h.plan.Ends.LMC[dst]) {
				t.Fatal("more LIDs than before and than the scheme needs")
			}
		}
	})
}

// TestStableGivesWay: LIDs in use are given up when they leave no room, be it LMCs that
// nobody needs any more or the LIDs of paths.
func TestStableGivesWay(t *testing.T) {
	for _, offset := range []uint8{0, 7} {
		g := graph(t, "renaming-fig1")
		set := compute(t, g, "shortest-widest", 1)
		h := route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
		var rows []route.Row
		for dst := range int32(g.NumHosts) {
			h.Ends.Base[dst], h.Ends.LMC[dst] = fabric.LID(8*(dst+1)), 3
			for src := range int32(g.NumHosts) {
				rows = append(rows, route.Row{Source: src, Target: dst, Offset: offset})
			}
		}
		choice := route.NewChoice(g.NumEnds, rows)
		h.Choice = &choice
		for _, size := range []int32{0, 80} { // entries of a table: below are 79 LIDs, of which 72 are in use and 9 switches have none
			for s := range g.SwitchFDBCap {
				g.SwitchFDBCap[s] = size
			}
			a, ends, err := Stable(context.Background(), set, scheme(t, "color-l"), Options{}, &h)
			if err != nil {
				t.Fatal(err)
			}
			if kept := ends.LMC[0] == 3; kept != (size == 0) || !kept && int32(ends.Top()) >= size {
				t.Errorf("offset %d, tables of %d: LMC %d, LIDs up to %d", offset, size, ends.LMC[0], ends.Top())
			}
			realised(t, a, ends, true)
		}
	}
}
