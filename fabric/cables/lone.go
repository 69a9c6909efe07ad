package cables

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// rejoinLone finds the groups of switches that have lost all cables of a tier: switches without a
// cable up on a level where most have one, and switches without any cable, which may have been at
// the top. If several groups may have lost a switch, it adds a note.
func (t *tree) rejoinLone(tiers []*tier) {
	for _, s := range t.withoutUp() {
		places := t.knownPlace(tiers, s)
		if len(places) == 0 {
			places = t.groupsLacking(tiers, s, true)
		}
		t.rejoin(s, places, true)
	}
	for s := range int32(t.g.NumSwitches) {
		if len(t.neighbours[s]) == 0 && t.g.HostCount(s) == 0 && !t.g.Drained[s] {
			t.rejoin(s, t.groupsLacking(tiers, s, false), false)
		}
	}
}

// withoutUp lists the switches without a cable up on levels where nine of ten have one.
func (t *tree) withoutUp() (lone []int32) {
	switches, without := map[int32]int{}, map[int32][]int32{}
	for s, h := range t.level {
		switches[h]++
		if t.home[s] == h && (len(t.neighbours[s]) > 0 || t.g.HostCount(int32(s)) > 0) {
			without[h] = append(without[h], int32(s))
		}
	}
	for h, list := range without {
		if 10*len(list) <= switches[h] {
			lone = append(lone, list...)
		}
	}
	slices.Sort(lone)
	return lone
}

// place is a group with fewer switches than most of its tier, below or above.
type place struct {
	*tier
	*group
}

// groupsLacking lists the groups with fewer switches than most, which may have lost the switch s.
func (t *tree) groupsLacking(tiers []*tier, s int32, low bool) (places []place) {
	for _, x := range tiers {
		if low && x.level != t.level[s] {
			continue
		}
		size := func(g *group) int {
			if low {
				return len(g.low)
			}
			return len(g.high)
		}
		times := map[int]int{}
		for _, g := range x.groups {
			times[size(g)]++
		}
		usual, k := mode(times)
		if k == 1 {
			usual = 0
			for n := range times {
				usual = max(usual, n)
			}
		}
		for _, g := range x.groups {
			switch {
			case !low && len(x.groups) > 1 && size(g) >= usual, low && size(g) >= usual && len(x.groups) > 1:
			case low && t.sharesBelow(g, s):
			default:
				places = append(places, place{x, g})
			}
		}
	}
	return places
}

// knownPlace finds the group of a switch without cables up: by a known cable that is down, or by
// its number if the switches of each group are consecutive. It returns nil if neither helps.
func (t *tree) knownPlace(tiers []*tier, s int32) []place {
	for _, x := range tiers {
		if x.level != t.level[s] {
			continue
		}
		for _, g := range x.groups {
			for _, v := range g.high {
				if len(t.down[pairOf(s, v)]) > 0 {
					return []place{{x, g}}
				}
			}
		}
		if g := t.consecutive(x, s); g != nil {
			return []place{{x, g}}
		}
	}
	return nil
}

// consecutive finds the group of a switch by its number, if the groups of a tier are consecutive
// blocks, as large as the largest group, in the list of the level's switches; nil if they are not.
func (t *tree) consecutive(x *tier, s int32) *group {
	size, of := 0, map[int32]*group{}
	for _, g := range x.groups {
		size = max(size, len(g.low))
		for _, v := range g.low {
			of[v] = g
		}
	}
	var here, block *group
	at, mine := 0, false // mine: the switch is in this block
	for v := range int32(len(t.level)) {
		if t.level[v] != x.level {
			continue
		}
		if at%size == 0 {
			block, mine = nil, false
		}
		at++
		g := of[v]
		switch {
		case g != nil && block != nil && g != block:
			return nil
		case g != nil:
			block = g
		}
		if mine = mine || v == s; mine && block != nil {
			here = block
		}
	}
	return here
}

// sharesBelow reports whether a switch of a group and s lead down to the same switch: such two are
// in different groups.
func (t *tree) sharesBelow(g *group, s int32) bool {
	for _, v := range t.neighbours[s] {
		if t.level[v] >= t.level[s] {
			continue
		}
		for _, u := range g.low {
			if t.count(u, v) > 0 {
				return true
			}
		}
	}
	return false
}

// rejoin puts a switch into its only possible group.
func (t *tree) rejoin(s int32, places []place, low bool) {
	if len(places) != 1 {
		what := "has no cable to another switch"
		if low {
			what = "has no cable up"
		}
		t.notes = append(t.notes, fmt.Sprintf("%s %s", fabric.PortName{Name: t.g.SwitchDesc[s], GUID: t.g.SwitchGUID[s]}.Short(), what))
		return
	}
	x := places[0]
	others := x.group.high
	if low {
		x.group.low = append(x.group.low, s)
	} else {
		others = x.group.low
		x.group.high = append(x.group.high, s)
	}
	for _, v := range others {
		p := pairOf(s, v)
		t.cables[p], t.group[p] = x.usual, x.group
	}
}
