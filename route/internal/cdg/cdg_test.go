package cdg

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/judge/conformance"
	"weft/route"
)

// draw makes networks most of which have cycles.
func draw(t *rapid.T) *fabric.Graph {
	formula := rapid.SampledFrom([]string{"", "torus(5,hosts=1)", "torus(3x3,hosts=1)", "random(switches=6,hosts=1,links=14,seed=3)"}).Draw(t, "formula")
	if formula == "" {
		return conformance.Draw(t).Compile()
	}
	return graph(t, formula)
}

func graph(t rapid.TB, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// acyclic takes away edges to which none leads, as long as there are any.
func acyclic(edges []Edge) bool {
	of := slices.Clone(edges)
	for {
		ends := map[int32]bool{}
		for _, e := range of {
			ends[e.D] = true
		}
		before := len(of)
		of = slices.DeleteFunc(of, func(e Edge) bool { return !ends[e.C] })
		if len(of) == before {
			return before == 0
		}
	}
}

// rising fails unless every edge leads to a greater label, and with MoveFewer the labels
// rise along the list, which has all channels.
func rising(t rapid.TB, o *Order) {
	for c := range int32(o.Graph.NumChannels) {
		for k, d := range o.Graph.OutOf(o.Graph.To[c]) {
			if o.Has(c, int32(k)) && o.label[o.Place[c]] >= o.label[o.Place[d]] {
				t.Fatalf("the edge from channel %d to %d leads backwards", c, d)
			}
		}
	}
	if o.rule != MoveFewer {
		return
	}
	n, count := int32(len(o.side)), int32(0)
	for c := n; c != n+1; c = o.after[c] {
		if next := o.after[c]; o.label[o.place(next)] <= o.label[o.place(c)] || o.before[next] != c {
			t.Fatalf("channel %d with label %d is followed by %d with %d", c, o.label[o.place(c)], next, o.label[o.place(next)])
		}
		count++
	}
	if count != n+1 {
		t.Fatalf("%d channels in the list, not %d", count-1, n)
	}
}

// walk draws the edges of a way of some channels, back and forth included.
func walk(t *rapid.T, g *fabric.Graph) []Edge {
	c := rapid.Int32Range(0, int32(g.NumChannels)-1).Draw(t, "first")
	var way []Edge
	for range rapid.IntRange(1, 4).Draw(t, "hops") {
		out := g.OutOf(g.To[c])
		d := out[rapid.IntRange(0, len(out)-1).Draw(t, "next")]
		way = append(way, Edge{c, d})
		c = d
	}
	return way
}

// TestOrder: under both rules an order takes a way if and only if the edges stay without
// a cycle. It has the edges that were taken, and those alone; one that closed a cycle by
// itself stays refused.
func TestOrder(t *testing.T) {
	taken, refused := 0, 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		if g.NumChannels == 0 {
			return
		}
		o := NewOrder(NewIndex(g), nil, rapid.SampledFrom([]Rule{MoveFewer, Exchange}).Draw(t, "rule"))
		var have []Edge
		for range rapid.IntRange(1, 40).Draw(t, "ways") {
			way := walk(t, g)
			all := slices.Concat(have, way)
			want := acyclic(all)
			if got := o.Add(way); got != want {
				t.Fatalf("%v on %v: %v, want %v", way, have, got, want)
			}
			rising(t, o)
			if want {
				have = all
				taken++
			} else {
				refused++
			}
		}
		hasEdges(t, o, have)
	}, func() string {
		if refused*10 < taken {
			return fmt.Sprintf("only %d ways of %d were refused", refused, taken+refused)
		}
		return ""
	})
	t.Logf("%d ways taken, %d refused", taken, refused)
}

// TestOrderOf: an order of edges that are there as a whole is made if and only if they close no
// cycle, has them alone, and takes others as one does to which they were added. What is removed
// again leaves no trace.
func TestOrderOf(t *testing.T) {
	made, cyclic := 0, 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		if g.NumChannels == 0 {
			return
		}
		x, have := NewIndex(g), []Edge(nil)
		for range rapid.IntRange(0, 12).Draw(t, "ways") {
			for _, e := range walk(t, g) {
				if !slices.Contains(have, e) {
					have = append(have, e)
				}
			}
		}
		edges := make([]uint64, x.Size/64+1)
		for _, e := range have {
			i := x.Number(e.C, e.D)
			edges[i/64] |= 1 << (i % 64)
		}
		o := NewOrderOf(x, edges, MoveFewer)
		if (o != nil) != acyclic(have) {
			t.Fatalf("%v: made: %v", have, o != nil)
		}
		if o == nil {
			cyclic++
			return
		}
		made++
		rising(t, o)
		way := slices.DeleteFunc(walk(t, g), func(e Edge) bool { return slices.Contains(have, e) })
		if want := acyclic(slices.Concat(have, way)); o.Add(way) != want {
			t.Fatalf("%v on %v: not %v", way, have, want)
		} else if want {
			o.Remove(way)
		}
		rising(t, o)
		hasEdges(t, o, have)
	}, func() string {
		if made == 0 || cyclic == 0 {
			return fmt.Sprintf("%d orders made, %d cycles", made, cyclic)
		}
		return ""
	})
	t.Logf("%d orders, %d cycles", made, cyclic)
}

// hasEdges fails unless an order has just these edges, and refuses only what closes a
// cycle with them.
func hasEdges(t *rapid.T, o *Order, have []Edge) {
	want := map[int]bool{}
	for _, e := range have {
		want[o.Number(e.C, e.D)] = true
	}
	for number := range o.Edges {
		if !want[number] {
			t.Fatalf("edge %d was not added", number)
		}
		delete(want, number)
	}
	if len(want) > 0 {
		t.Fatalf("the order lacks %d edges", len(want))
	}
	for c := range int32(o.Graph.NumChannels) {
		for k, d := range o.Graph.OutOf(o.Graph.To[c]) {
			if o.Has(c, int32(k)) != slices.Contains(have, Edge{c, d}) {
				t.Fatalf("channel %d to %d: Has is wrong", c, d)
			}
			if o.Refused(c, int32(k)) && acyclic(append(slices.Clone(have), Edge{c, d})) {
				t.Fatalf("the edge from %d to %d is refused without a cycle", c, d)
			}
		}
	}
}

// TestRefused: an edge that closes a cycle is refused when it comes alone; edges that
// close one together are not.
func TestRefused(t *testing.T) {
	g := graph(t, "torus(4,hosts=1)")
	o := NewOrder(NewIndex(g), nil, MoveFewer)
	ring := []int32{0}
	for len(ring) < 4 {
		c := ring[len(ring)-1]
		for _, d := range g.OutOf(g.To[c]) {
			if d != c^1 {
				ring = append(ring, d)
				break
			}
		}
	}
	edge := func(i int) Edge { return Edge{ring[i%4], ring[(i+1)%4]} }
	if o.Add([]Edge{edge(0), edge(1), edge(2), edge(3)}) {
		t.Fatal("a ring was taken")
	}
	for i := range 4 {
		if e := edge(i); o.Refused(e.C, o.Rank[e.D]) || o.Has(e.C, o.Rank[e.D]) {
			t.Errorf("edge %d of the ring is there or refused", i)
		}
	}
	last := edge(3)
	if !o.Add([]Edge{edge(0), edge(1), edge(2)}) || o.Add([]Edge{last}) || !o.Refused(last.C, o.Rank[last.D]) {
		t.Error("the edge that closes the ring is not refused")
	}
	if before := o.Moves(); o.Add([]Edge{last}) || o.Moves() != before {
		t.Error("a refused edge was tried again")
	}
}

// TestExchange: only channels that the edge's end leads to, or that lead to its start,
// change places, and among themselves.
func TestExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		if g.NumChannels == 0 {
			return
		}
		o := NewOrder(NewIndex(g), nil, Exchange)
		var have []Edge
		for range rapid.IntRange(1, 40).Draw(t, "edges") {
			e := walk(t, g)[0]
			before := slices.Clone(o.label)
			if !o.Add([]Edge{e}) {
				continue
			}
			sides := append(reached(have, e.D, false), reached(have, e.C, true)...)
			for c := range int32(g.NumChannels) {
				if at := o.Place[c]; o.label[at] != before[at] && !slices.Contains(sides, c) {
					t.Fatalf("channel %d moved for the edge %v", c, e)
				}
			}
			if have = append(have, e); !slices.Equal(sorted(before), sorted(o.label)) {
				t.Fatal("the channels got other places than they had")
			}
		}
	})
}

func sorted(list []int64) []int64 { return slices.Sorted(slices.Values(list)) }

// reached lists the channels to which edges lead from one, or with back from which.
func reached(edges []Edge, from int32, back bool) []int32 {
	list := []int32{from}
	for i := 0; i < len(list); i++ {
		for _, e := range edges {
			if back {
				e.C, e.D = e.D, e.C
			}
			if e.C == list[i] && !slices.Contains(list, e.D) {
				list = append(list, e.D)
			}
		}
	}
	return list
}

// TestSpread: channels can be moved to one place again and again.
func TestSpread(t *testing.T) {
	g := graph(t, "torus(5x5,hosts=1)")
	o := NewOrder(NewIndex(g), nil, MoveFewer)
	for range 1000 {
		x := o.before[g.NumChannels+1] // the last
		o.move([]int32{x}, 0, o.after[0])
		rising(t, o)
		if o.after[0] != x {
			t.Fatalf("channel %d was not moved", x)
		}
	}
}

// TestHaveCycle compares with a list of the dependencies of all paths, on tables that
// send LIDs anywhere.
func TestHaveCycle(t *testing.T) {
	verdicts := map[bool]int{}
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		if g.NumSwitches == 0 {
			return
		}
		lids := rapid.IntRange(1, 70).Draw(t, "LIDs")
		tables := route.NewTables(g.NumSwitches, fabric.LID(lids))
		var edges []Edge
		next := make([]int32, g.NumSwitches)
		for lid := 1; lid <= lids; lid += rapid.IntRange(1, 40).Draw(t, "unused") {
			for s := range next {
				next[s] = fabric.Nothing
				if out := g.OutOf(int32(s)); len(out) > 0 && rapid.Bool().Draw(t, "entry") {
					next[s] = rapid.SampledFrom(out).Draw(t, "channel")
					tables.Set(int32(s), fabric.LID(lid), g.FromPort[next[s]])
				}
			}
			for _, c := range next {
				if c >= 0 && next[g.To[c]] >= 0 {
					edges = append(edges, Edge{c, next[g.To[c]]})
				}
			}
		}
		want := !acyclic(edges)
		if got, err := HaveCycle(t.Context(), 2, g, tables); err != nil || got != want {
			t.Fatalf("a cycle: %v (%v), want %v", got, err, want)
		}
		verdicts[want]++
	}, func() string {
		if 10*min(verdicts[true], verdicts[false]) < verdicts[true]+verdicts[false] {
			return fmt.Sprintf("the draw is one-sided: %v", verdicts)
		}
		return ""
	})
	t.Logf("%v", verdicts)
}

// TestEachFrom: the edges of a set are visited, each once and in order.
func TestEachFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(draw(t))
		set := make([]uint64, x.Size/64+1)
		for i := range set {
			set[i] = rapid.Uint64().Draw(t, "bits")
		}
		for c := range int32(x.Graph.NumChannels) {
			var want, got []int32
			for k, d := range x.Graph.OutOf(x.Graph.To[c]) {
				if i := x.Number(c, d); set[i/64]>>(i%64)&1 == 1 {
					want = append(want, int32(k))
				}
			}
			if x.EachFrom(set, c, func(k int32) { got = append(got, k) }); !slices.Equal(got, want) {
				t.Fatalf("from channel %d: %v, want %v", c, got, want)
			}
		}
	})
}

// TestFindCycle: the node that is found is on a cycle, or a cycle leads to it.
func TestFindCycle(t *testing.T) {
	next := [][]int32{{1}, {2}, {3, 4}, {2}, {}, {0}}
	each := func(node int32, visit func(int32)) {
		for _, d := range next[node] {
			visit(d)
		}
	}
	if got := FindCycle(len(next), each); got != 2 {
		t.Errorf("found node %d", got)
	}
	next[3] = nil
	if got := FindCycle(len(next), each); got != -1 {
		t.Errorf("found node %d without a cycle", got)
	}
}
