package fattree

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// Whole describes the links up of the switches if no link of the tree were missing. In a regular
// tree the switches of two levels form groups: every lower switch of a group has links to every
// higher one.
type Whole struct {
	Ways  []int32 // by switch: number of neighbours above
	Place []int32 // by switch: its number among the parents of a switch below it
	Width []int32 // by level: links to one neighbour above
}

// InferWhole infers the complete tree from groups; nil if these are not nearly complete. Cost:
// O(switches x radix).
func (t *Tree) InferWhole() *Whole {
	n := t.G.NumSwitches
	w := &Whole{Ways: make([]int32, n), Place: make([]int32, n), Width: make([]int32, t.Top)}
	levels, pairs := t.switchesByLevel(), make([]*levelPair, t.Top)
	for h := range pairs {
		pairs[h] = t.newLevelPair(levels[h], int32(h))
		if !pairs[h].isNearlyWhole() {
			return nil
		}
		w.Width[h] = int32(pairs[h].links)
	}
	roots := lowestRoots(n, pairs)
	for _, pair := range pairs {
		above := map[int32][]position{} // by the lowest root above the lower switches
		for _, g := range pair.groups {
			root := roots[g.low[0]]
			above[root] = append(above[root], positions(g.high, roots)...)
		}
		for root, of := range above {
			slices.SortFunc(of, position.compare)
			above[root] = slices.Compact(of)
		}
		for _, g := range pair.groups {
			of := above[roots[g.low[0]]]
			for _, s := range g.low {
				w.Ways[s] = int32(len(of))
			}
			for i, p := range positions(g.high, roots) {
				place, _ := slices.BinarySearchFunc(of, p, position.compare)
				w.Place[g.high[i]] = int32(place)
			}
		}
	}
	return w
}

// lowestRoots returns, by switch, the lowest root above its group. Switches at one place in
// different pods have the same, whichever links are missing.
func lowestRoots(n int, pairs []*levelPair) []int32 {
	lowest := fabric.Numbers(n)
	for _, pair := range slices.Backward(pairs) {
		for _, g := range pair.groups {
			least := lowest[g.high[0]]
			for _, s := range g.high {
				least = min(least, lowest[s])
			}
			for _, s := range g.low {
				lowest[s] = least
			}
		}
	}
	return lowest
}

// position identifies a higher switch of a group: the lowest root above it, and its number among
// the switches with the same root.
type position struct{ root, number int32 }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.root, q.root), cmp.Compare(p.number, q.number))
}

// positions returns the positions of the higher switches of a group.
func positions(high, roots []int32) []position {
	all, times := make([]position, len(high)), map[int32]int32{}
	for i, s := range high {
		all[i] = position{roots[s], times[roots[s]]}
		times[roots[s]]++
	}
	return all
}
