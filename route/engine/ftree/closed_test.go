package ftree

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// TestClosedForm: the tables are those of the formula, looked up for one switch and LID
// at a time.
func TestClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([]string{
			"rlft(6,3)", "xgft(2;6,4;3,2;hosts=50)", "pgft(2;4,4;1,2;1,2)", "pgft(3;4,3,3;1,2,2;1,1,2)", "racks648|hosts(even=5,odd=2)", "karytree(3,3)",
		}).Draw(t, "formula")
		if share := rapid.IntRange(0, 30).Draw(t, "failed"); share > 0 {
			formula += fmt.Sprintf("|fail(share=%.2f,links=up,seed=%d)", float64(share)/100, rapid.IntRange(1, 1000).Draw(t, "seed"))
		}
		g := drawn(t, formula)
		in := &route.Input{Graph: g, Workers: rapid.IntRange(1, 3).Draw(t, "workers")}
		var err error
		if in.Ends, err = lids.Assign(g, lids.Options{LMC: uint8(rapid.IntRange(0, 3).Draw(t, "lmc"))}); err != nil {
			t.Fatal(err)
		}
		tr := recognise(g, nil, nil)
		l := orderLIDs(tr, &in.Ends, newHostKinds(in, rapid.SampledFrom([]string{none, mftree, standby}).Draw(t, "homes")), rapid.Bool().Draw(t, "dummies"))
		rank, _ := tr.joiningOrder()
		r, err := newReachability(t.Context(), tr, rank, l.placeOf, noLinks, in.Workers)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := closedForm(t.Context(), in, r, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for s := range int32(g.NumSwitches) {
			want := formulaRow(r, l, in, s)
			for lid := range tables.Top() + 1 {
				if got := tables.Port(s, lid); got != want[lid] {
					t.Fatalf("%s: switch %d sends LID %d to port %d, want %d", formula, s, lid, got, want[lid])
				}
			}
		}
	})
}

// formulaRow is the row of a switch, LID by LID.
func formulaRow(r *reachability, l *lidOrder, in *route.Input, s int32) []uint8 {
	row := slices.Repeat([]uint8{route.NoPort}, (int(in.Ends.Top())/route.BlockSize+1)*route.BlockSize)
	div, below := r.t.divisors(nil)
	for _, run := range l.runs {
		b, j := &r.blocks[run.place/blockTargets], run.place%blockTargets
		var links [][]uint8
		digit, ways := div[s], div[s]
		for k := range b.hops {
			first, last := r.t.BundlesOf(s)
			for i := first; i < last && k > 0 && b.hops[k][s].contains(j); i++ {
				if b.isNextHop(r, s, i, j, k) {
					if v := r.t.Neighbour[i]; len(links) == 0 && r.t.Level[v] < r.t.Level[s] {
						ways = below[v]
					}
					links = append(links, r.t.PortsOf(i))
				}
			}
		}
		if len(links) > 1 {
			digit = ways
		}
		var ports []uint8
		for n := range 255 {
			for _, p := range links {
				if n < len(p) {
					ports = append(ports, p[n])
				}
			}
		}
		if len(ports) == 0 {
			continue
		}
		for i := range int32(run.n) {
			row[run.lid+fabric.LID(i)] = ports[((run.index+i)/digit+l.offset[run.kind])%int32(len(ports))]
		}
	}
	for end := range in.Ends.Base {
		for k := range in.Ends.Count(int32(end)) {
			if in.Graph.EndSwitch[end] == s {
				row[in.Ends.Base[end]+fabric.LID(k)] = in.Graph.EndPort[end]
			}
		}
	}
	return row
}

// TestSharedBlocks: on a whole tree most switches share their blocks.
func TestSharedBlocks(t *testing.T) {
	g := graph(t, "rlft(18,3)")
	tables := routed(t, g, "").Tables
	own := map[*route.Block]bool{}
	for s := range int32(g.NumSwitches) {
		for b := range tables.NumBlocks() {
			own[tables.Block(s, b)] = true
		}
	}
	if all := g.NumSwitches * tables.NumBlocks(); 2*len(own) > all {
		t.Errorf("%d blocks of %d", len(own), all)
	}
}
