package fattree

import (
	"fmt"

	"weft/fabric"
)

// Gap is a part that the regular shape of a tree has and this tree lacks.
type Gap struct {
	// Kind is "links" or "switches". "links": Switch has Have links up to Other (or up at all,
	// without Other), and should have Want. "switches": Have switches of Level are joined to the
	// same switches as Switch, and should be Want.
	Kind   string `json:"kind"`
	Level  int    `json:"level"`
	Switch string `json:"switch"`
	Other  string `json:"other,omitempty"`
	Have   int    `json:"have"`
	Want   int    `json:"want"`
}

// The kinds of gaps.
const (
	GapLinks    = "links"
	GapSwitches = "switches"
)

// String describes the gap in one line.
func (p Gap) String() string {
	switch {
	case p.Kind == GapSwitches:
		return fmt.Sprintf("%s: %d of %d switches of level %d in its group", p.Switch, p.Have, p.Want, p.Level)
	case p.Other != "":
		return fmt.Sprintf("%s - %s: %d of %d links", p.Switch, p.Other, p.Have, p.Want)
	}
	return fmt.Sprintf("%s: %d of %d links up", p.Switch, p.Have, p.Want)
}

// gaps compares a tree with its probable regular form. In a PGFT the switches of two levels form
// groups. In a group every lower switch has the same number of links to every higher one. If most
// of these links exist, gaps lists the missing ones. Otherwise it only compares the numbers of
// links up, if most switches have the same. If all levels form groups, it also returns the formula
// of the PGFT. Cost: O(switches x radix).
func (t *Tree) gaps() ([]Gap, *formula) {
	var all []Gap
	levels := t.switchesByLevel()
	hosts := map[int]int{}
	for _, s := range levels[0] {
		hosts[len(t.G.HostsOf(s))]++
	}
	f := &formula{m: []int{commonest(hosts)}, w: []int{1}, p: []int{1}}
	for h := range t.Top {
		b := t.newLevelPair(levels[h], h)
		if !b.isNearlyWhole() {
			all, f = append(all, t.fewerUplinks(levels[h])...), nil
			continue
		}
		all = append(all, b.missing()...)
		if f != nil {
			f.m, f.w, f.p = append(f.m, b.lowCount), append(f.w, b.highCount), append(f.p, b.links)
		}
	}
	if !f.nearly(levels) {
		f = nil
	}
	return all, f
}

// nearly reports whether every level has at least three quarters of the switches of a formula, and
// no more than all.
func (f *formula) nearly(levels [][]int32) bool {
	if f == nil {
		return false
	}
	for h, level := range levels {
		want := 1
		for i := range f.m {
			switch {
			case i > h:
				want *= f.m[i]
			default:
				want *= f.w[i]
			}
		}
		if len(level) > want || 4*len(level) < 3*want {
			return false
		}
	}
	return true
}

// levelPair holds the links between a level and the next one.
type levelPair struct {
	t      *Tree
	lower  int32
	groups []*switchGroup
	lone   []int32 // switches of the lower level without a link up
	joined int     // pairs of switches with any link

	lowCount, highCount int // switches of a usual group
	links               int // between the same two switches, usually
}

// switchGroup holds switches of two levels that are connected by the links between these levels.
type switchGroup struct{ low, high []int32 }

func (t *Tree) newLevelPair(low []int32, h int32) *levelPair {
	b := &levelPair{t: t, lower: h}
	p := partition(fabric.Numbers(t.G.NumSwitches))
	times := map[int]int{}
	for _, s := range low {
		up := t.uplinks(s)
		for _, i := range up {
			p.union(s, t.Neighbour[i])
			times[len(t.PortsOf(i))]++
		}
		if b.joined += len(up); len(up) == 0 && t.countLinks(s).up == 0 {
			b.lone = append(b.lone, s)
		}
	}
	b.links = commonest(times)
	of := map[int32]*switchGroup{}
	for s := range int32(t.G.NumSwitches) {
		if part := p.find(s); t.Level[s] == h && len(t.uplinks(s)) > 0 {
			if of[part] == nil {
				of[part] = &switchGroup{}
				b.groups = append(b.groups, of[part])
			}
			of[part].low = append(of[part].low, s)
		}
	}
	for s := range int32(t.G.NumSwitches) { // their numbers may be below those of their lower switches
		if group := of[p.find(s)]; t.Level[s] == h+1 && group != nil {
			group.high = append(group.high, s)
		}
	}
	lows, highs := map[int]int{}, map[int]int{}
	for _, g := range b.groups {
		lows[len(g.low)]++
		highs[len(g.high)]++
	}
	b.lowCount, b.highCount = commonest(lows), commonest(highs)
	return b
}

// uplinks lists the bundles of a switch to the next level.
func (t *Tree) uplinks(s int32) []int32 {
	var up []int32
	for i, v := range t.Bundles(s) {
		if t.Level[v] == t.Level[s]+1 {
			up = append(up, i)
		}
	}
	return up
}

// isNearlyWhole reports whether at least three quarters of the pairs of switches of all groups are
// linked.
func (b *levelPair) isNearlyWhole() bool {
	pairs := 0
	for _, g := range b.groups {
		pairs += len(g.low) * len(g.high)
	}
	return pairs > 0 && 4*b.joined >= 3*pairs
}

// missing lists the links that the groups lack, and the missing switches if three quarters of the
// groups have the same number.
func (b *levelPair) missing() []Gap {
	t := b.t
	var all []Gap
	for _, s := range b.lone {
		all = append(all, Gap{Kind: GapLinks, Level: int(b.lower), Switch: t.name(s), Want: b.highCount * b.links})
	}
	lows, highs := 0, 0
	for _, g := range b.groups {
		if len(g.low) == b.lowCount {
			lows++
		}
		if len(g.high) == b.highCount {
			highs++
		}
	}
	has := make([]int, t.G.NumSwitches)
	for _, g := range b.groups {
		if n := len(g.low); n < b.lowCount && 4*lows >= 3*len(b.groups) {
			all = append(all, Gap{Kind: GapSwitches, Level: int(b.lower), Switch: t.name(g.low[0]), Have: n, Want: b.lowCount})
		}
		if n := len(g.high); n < b.highCount && 4*highs >= 3*len(b.groups) {
			all = append(all, Gap{Kind: GapSwitches, Level: int(b.lower) + 1, Switch: t.name(g.high[0]), Have: n, Want: b.highCount})
		}
		for _, s := range g.low {
			up := t.uplinks(s)
			for _, i := range up {
				has[t.Neighbour[i]] = len(t.PortsOf(i))
			}
			for _, v := range g.high {
				if has[v] < b.links {
					all = append(all, Gap{Kind: GapLinks, Level: int(b.lower), Switch: t.name(s), Other: t.name(v), Have: has[v], Want: b.links})
				}
				has[v] = 0
			}
		}
	}
	return all
}

// fewerUplinks lists the switches of a level with fewer links up than most.
func (t *Tree) fewerUplinks(level []int32) []Gap {
	var all []Gap
	times := map[int]int{}
	for _, s := range level {
		times[t.countLinks(s).up]++
	}
	usual := commonest(times)
	if 2*times[usual] < len(level) {
		return nil
	}
	for _, s := range level {
		if n := t.countLinks(s); n.up < usual {
			all = append(all, Gap{Kind: GapLinks, Level: int(t.Level[s]), Switch: t.name(s), Have: n.up, Want: usual})
		}
	}
	return all
}

// commonest returns the most common number; of several the greatest.
func commonest(times map[int]int) int {
	best := 0
	for n, k := range times {
		if k > times[best] || k == times[best] && n > best {
			best = n
		}
	}
	return best
}
