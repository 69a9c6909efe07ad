package sample

import (
	"math"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/lids"
	"weft/route/routetest"
)

func TestHosted(t *testing.T) {
	for _, c := range []struct {
		formula string
		list    []int32
		hosted  []int32
		weights []int64
	}{
		{"rlft(4,2)", []int32{5, 3, 0, 4}, []int32{3, 0}, []int64{0, 2, 2, 0}},
		{"rlft(4,2)", []int32{4, 5}, []int32{4, 5}, []int64{0, 0}},
		{"mesh(2x1,hosts=0)", []int32{1, 0}, []int32{1, 0}, []int64{1, 1}},
		{"rlft(4,2)", nil, nil, nil},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		if got := Hosted(g, c.list); !slices.Equal(got, c.hosted) {
			t.Errorf("%s: of %v %v have hosts, want %v", c.formula, c.list, got, c.hosted)
		}
		var weights []int64
		for _, s := range c.list {
			weights = append(weights, Weight(g, s))
		}
		if !slices.Equal(weights, c.weights) {
			t.Errorf("%s: weights of %v: %v, want %v", c.formula, c.list, weights, c.weights)
		}
	}
}

func TestSpread(t *testing.T) {
	list := []int32{9, 8, 7, 6, 5}
	for n, want := range [][]int32{{}, {9}, {9, 7}, {9, 8, 6}, {9, 8, 7, 6}, list, list} {
		if got := Spread(list, n); !slices.Equal(got, want) {
			t.Errorf("%d of %v: %v, want %v", n, list, got, want)
		}
	}
	if got := Spread(nil, 3); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestBandwidth: of two hosts each on two switches that one link joins, in a third of all halves
// both send over the link in one direction, and get half of it.
func TestBandwidth(t *testing.T) {
	f, err := gen.Parse("mesh(2x1,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	for lmc := range uint8(2) {
		ends, err := lids.Assign(g, lids.Options{LMC: lmc})
		if err != nil {
			t.Fatal(err)
		}
		in := &route.Input{Graph: g, Ends: ends}
		tables := route.NewTables(g.NumSwitches, ends.Top())
		for end, base := range ends.Base {
			for k := range ends.Count(int32(end)) {
				for s := range int32(g.NumSwitches) {
					port := g.EndPort[end]
					if s != g.EndSwitch[end] {
						port = g.FromPort[g.OutOf(s)[0]]
					}
					tables.Set(s, base+fabric.LID(k), port)
				}
			}
		}
		for _, all := range []bool{false, true} {
			if got := Bandwidth(in, tables, all); math.Abs(got-5./6) > .03 {
				t.Errorf("LMC %d, all LIDs %v: bandwidth %.3f, want %.3f", lmc, all, got, 5./6)
			}
		}
	}
}

// TestBandwidthOfAllLIDs: the same two switches with a second link. What goes to LIDs that are no
// base LIDs takes it, so that nothing meets where packets are dealt out over all LIDs.
func TestBandwidthOfAllLIDs(t *testing.T) {
	f := routetest.Line(t, 2, 2)
	routetest.Must(f.Connect(fabric.End{Node: 0, Port: 3}, fabric.End{Node: 1, Port: 3}, 4, fabric.HDR))(t)
	g := f.Compile()
	ends := routetest.Must(lids.Assign(g, lids.Options{LMC: 1}))(t)
	tables := route.NewTables(g.NumSwitches, ends.Top())
	for end, base := range ends.Base {
		for k := range ends.Count(int32(end)) {
			for s := range int32(g.NumSwitches) {
				port := g.EndPort[end]
				if s != g.EndSwitch[end] {
					port = g.FromPort[g.OutOf(s)[k]]
				}
				tables.Set(s, base+fabric.LID(k), port)
			}
		}
	}
	in := &route.Input{Graph: g, Ends: ends}
	if base, all := Bandwidth(in, tables, false), Bandwidth(in, tables, true); math.Abs(base-5./6) > .03 || all != 1 {
		t.Errorf("bandwidth %.3f over base LIDs, %.3f over all, want %.3f and 1", base, all, 5./6)
	}
}
