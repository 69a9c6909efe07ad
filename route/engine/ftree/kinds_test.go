package ftree

import (
	"maps"
	"slices"
	"testing"

	"weft/route"
)

// TestKindsTakeTurns: on whole trees every kind of hosts is spread over the ways up by itself, and
// all hosts together are numbered without gaps.
func TestKindsTakeTurns(t *testing.T) {
	for formula, ways := range map[string]int32{"rlft(8,2)": 4, "rlft(8,3)": 16, "pgft(2;12,8;1,4;1,1)": 4} {
		g := graph(t, formula)
		in := &route.Input{Graph: g, Kinds: make([]uint8, g.NumHosts)}
		for h := range in.Kinds {
			in.Kinds[h] = 1 + min(uint8(h)%4, 2) // the last of four hosts is of the kind of the third
		}
		tr := recognise(g, nil, nil)
		l := &lidOrder{placeOf: slices.Repeat([]int32{-1}, g.NumSwitches)}
		l.placeSwitches(tr)
		indexes := hostIndexes(tr, l, newHostKinds(in, none), false)
		for i, index := range slices.Sorted(slices.Values(indexes)) {
			if int(index) != i {
				t.Fatalf("%s: no host has index %d", formula, i)
			}
		}
		counts := [4]map[int32]int{{}, {}, {}, {}}
		for h, index := range indexes {
			counts[in.Kinds[h]][index%ways]++
		}
		for kind, count := range counts[1:] {
			n := slices.Sorted(maps.Values(count))
			if len(n) != int(ways) || n[len(n)-1]-n[0] > 1 {
				t.Errorf("%s: kind %d has %v hosts by way of %d", formula, kind+1, n, ways)
			}
		}
	}
}
