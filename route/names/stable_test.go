package names

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
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
	a, ends, err := AssignStable(context.Background(), set, scheme(t, name), Options{Workers: 2}, route.Hold(h.g, h.plan, g))
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
		a, ends, err := AssignStable(context.Background(), set, scheme(t, "color-l"), Options{}, route.Hold(h.g, h.plan, g))
		if err != nil {
			t.Fatal(err)
		}
		for dst := range int32(g.NumEnds) {
			var r Routing
			var colour []int32
			first, last := set.To(dst)
			for p := first; p < last; p++ {
				var hops []Hop
				for _, c := range set.AppendChannels(nil, p) {
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
	for _, offset := range []uint8{0, 1, 7} {
		g := graph(t, "renaming-fig1")
		set := compute(t, g, "shortest-widest", 1)
		h := route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
		var rows []route.ChoiceRow
		for dst := range int32(g.NumHosts) {
			h.Ends.Base[dst], h.Ends.LMC[dst] = fabric.LID(8*(dst+1)), 3
			for src := range int32(g.NumHosts) {
				rows = append(rows, route.ChoiceRow{Source: src, Target: dst, Offset: offset})
			}
		}
		choice := route.NewChoice(g.NumEnds, rows)
		h.Choice = &choice
		for _, size := range []int32{0, 80} { // entries of a table: below are 79 LIDs, of which 72 are in use and 9 switches have none
			for s := range g.SwitchFDBCap {
				g.SwitchFDBCap[s] = size
			}
			a, ends, err := AssignStable(context.Background(), set, scheme(t, "color-l"), Options{}, &h)
			if err != nil {
				t.Fatal(err)
			}
			if fresh := assign(t, set, "color-l"); offset == 1 && slices.Equal(a.Offset, fresh.Offset) {
				t.Error("the paths have the offsets of a new start, though those in use have room")
			}
			if kept := ends.LMC[0] == 3; kept != (size == 0) || !kept && int32(ends.Top()) >= size {
				t.Errorf("offset %d, tables of %d: LMC %d, LIDs up to %d", offset, size, ends.LMC[0], ends.Top())
			}
			realised(t, a, ends, true)
		}
	}
}

// TestKeepMost: of the two ways to keep offsets the one that keeps more paths is taken,
// whichever it is, and no path splits from another under its offset.
func TestKeepMost(t *testing.T) {
	refillBetter := 0
	draws.Check(t, func(t *rapid.T) {
		r := drawRouting(t)
		colour, _, err := scheme(t, "color-l").Solve(context.Background(), r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		const limit = 16
		offset, previous := make([]uint8, r.Len()), make([]int32, r.Len())
		for p, c := range colour {
			offset[p], previous[p] = uint8(c), rapid.Int32Range(-1, 1).Draw(t, "previous")
		}
		c := must(newClasses(r))(t)
		renumbered := countKept(renumber(offset, previous, limit), previous)
		refilled := -1
		if other, ok := previousFirst(c, previous, limit); ok {
			refilled = countKept(other, previous)
		}
		got := keepMost(c, offset, previous, limit)
		if _, _, found := findSplit(r, got); found {
			t.Fatal("two paths split under one offset")
		}
		if kept := countKept(got, previous); kept != max(renumbered, refilled) {
			t.Fatalf("%d paths keep their offset, %d renumbered, %d refilled", kept, renumbered, refilled)
		}
		if refilled > renumbered {
			refillBetter++
		}
	}, func() string {
		if refillBetter == 0 {
			return "refilling was never better: nothing was tested"
		}
		return ""
	})
}

// TestKeepMostRenumbered: six paths split in a ring, and all had offset 0. Every second
// path may keep it; path by path the first two of the list are opposite each other, and
// no other can.
func TestKeepMostRenumbered(t *testing.T) {
	ring := []int{0, 3, 1, 2, 4, 5} // by path: its place
	r := &Routing{}
	for _, at := range ring {
		r.Add(Hop{int32(at), 0}, Hop{int32(at+1) % 6, 1}) // a node for each two neighbours
	}
	previous := make([]int32, 6)
	c := must(newClasses(r))(t)
	if refilled, ok := previousFirst(c, previous, 4); !ok || countKept(refilled, previous) != 2 {
		t.Fatal("path by path:", refilled, ok)
	}
	if got := keepMost(c, []uint8{0, 1, 1, 0, 0, 1}, previous, 4); countKept(got, previous) != 3 {
		t.Error("renumbered:", got)
	}
}

// TestRenumber: equal offsets stay equal, different ones different, and the offset with
// most paths keeps its own.
func TestRenumber(t *testing.T) {
	for _, row := range []struct {
		offset         []uint8
		previous, want []int32
	}{
		{[]uint8{0, 0, 1}, []int32{3, 3, -1}, []int32{3, 3, 0}},
		{[]uint8{0, 1, 1, 1, 0}, []int32{2, 2, 2, 1, -1}, []int32{0, 2, 2, 2, 0}},
		{[]uint8{0, 1, 2}, []int32{1, 0, -1}, []int32{1, 0, 2}},
		{[]uint8{0, 1}, []int32{1, 1}, []int32{1, 0}}, // a tie goes to the lower offset
		{[]uint8{0, 0}, []int32{3, 2}, []int32{2, 2}},
	} {
		if got := renumber(row.offset, row.previous, 4); !slices.Equal(got, row.want) {
			t.Errorf("%v, before %v: %v, want %v", row.offset, row.previous, got, row.want)
		}
	}
}

// TestRefill: paths with fewest rivals come first, and every path gets an offset or none.
func TestRefill(t *testing.T) {
	// Path 0 leaves the node by another link than paths 1 and 2.
	r := routing(t, []string{"a", "d"}, []string{"a", "e"}, []string{"a", "e"})
	c := must(newClasses(r))(t)
	for _, row := range []struct {
		previous, want []int32
		limit          int
	}{
		{[]int32{0, 0, 0}, []int32{1, 0, 0}, 2}, // two rivals against one
		{[]int32{1, 0, -1}, []int32{1, 0, 0}, 2},
		{[]int32{-1, 1, 0}, []int32{2, 1, 0}, 4},
		{[]int32{0, 0, 0}, nil, 1},
	} {
		got, ok := previousFirst(c, row.previous, row.limit)
		if !slices.Equal(got, row.want) || ok != (row.want != nil) {
			t.Errorf("before %v, %d offsets: %v %v, want %v", row.previous, row.limit, got, ok, row.want)
		}
	}
}

// TestRefillCountsAllRivals: a path has a rival at each of two nodes, whose own only rival it is.
func TestRefillCountsAllRivals(t *testing.T) {
	r := routing(t, []string{"a", "b", "d"}, []string{"a", "e"}, []string{"b", "f"})
	got, ok := previousFirst(must(newClasses(r))(t), []int32{0, 0, 0}, 2)
	if want := []int32{1, 0, 0}; !ok || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, ok, want)
	}
}

// TestPreviousOffsets: the i-th path of a pair had the i-th offset of the pair, if that is
// below the limit.
func TestPreviousOffsets(t *testing.T) {
	g := graph(t, "renaming-fig1")
	set := compute(t, g, "updn-shortest", 1)
	b := paths.NewBuilder(g)
	first, last := set.To(0)
	for p := first; p < last; p++ {
		for range 3 {
			b.Add(set.Source(p), 0, set.AppendChannels(nil, p))
		}
	}
	src := set.Source(first)
	choice := route.NewChoice(g.NumEnds, []route.ChoiceRow{{Source: src, Target: 0, Offset: 1}, {Source: src, Target: 0, Offset: 2}, {Source: src, Target: 0, Offset: 3}})
	h := &route.Held{Choice: &choice}
	h.Ends.Base, h.Ends.LMC = make([]fabric.LID, g.NumEnds), make([]uint8, g.NumEnds)
	h.Ends.Base[0], h.Ends.LMC[0], h.Ends.Base[src] = 8, 2, 1
	twice := must(b.Build())(t)
	for limit, want := range map[int][3]int32{4: {1, 2, 3}, 3: {1, 2, -1}, 1: {-1, -1, -1}} {
		var got []int32
		for i, o := range previousOffsets(twice, h, 0, limit) {
			if twice.Source(i) == src {
				got = append(got, o)
			}
		}
		if !slices.Equal(got, want[:]) {
			t.Errorf("limit %d: %v, want %v", limit, got, want)
		}
	}
}
