package cables

import (
	"fmt"
	"maps"
	"slices"

	"weft/fabric/shape/fattree"
)

// tree compares a network with a regular tree. Switches of a level that lead up to the same
// switches form a group with these. All pairs of a group should have as many cables as most pairs.
type tree struct {
	wanted
	level  []int32 // by switch
	downUp []int   // by switch: known cables to higher levels that are down
	home   []int32 // by switch: the level that most of its cables up lead to; its own if it has none
	group  map[pair]*group
	notes  []string
	odds   []Odd // with only one end known
}

// tier holds the switches of one level that lead up to one other level.
type tier struct {
	low    []int32
	level  int32 // level of low
	to     int32 // level above
	usual  int   // usual number of cables between two joined switches
	groups []*group
}

// group holds switches of a tier and the switches above them.
type group struct {
	low, high []int32
	above     map[int32]int // by switch above: number of switches in low that lead to it
}

// nearlyWhole is the least share of its cables for a tier to have the pattern; mostlyWhole is
// enough if all tiers together have a share of allWhole.
const (
	nearlyWhole = .85
	mostlyWhole = .7
	allWhole    = .92
)

// someOf is the least share of the switches of a level for unusual cables, within a level or past
// one, to belong to the pattern.
const someOf = .25

// tree finds the pattern of a tree; ok is false if the network is none.
func (n *network) tree() (p pattern, ok bool) {
	shape := fattree.Describe(n.g)
	if !shape.Tree || len(shape.Levels) < 2 {
		return p, false
	}
	t := &tree{wanted: wanted{network: n, cables: map[pair]int{}}, level: make([]int32, n.g.NumSwitches), group: map[pair]*group{}}
	t.alike = t.inGroup
	for s := range t.level {
		t.level[s] = shape.Switches[s].Level
	}
	t.raise(int32(len(shape.Levels) - 1))
	t.lift(int32(len(shape.Levels) - 1))
	t.countDown()
	t.findHomes()
	tiers := t.tiers()
	for _, tier := range tiers {
		t.makeGroups(tier)
	}
	if !t.expect(tiers) {
		return p, false
	}
	t.rejoinLone(tiers)
	t.allow(tiers)
	return pattern{name: "tree", odd: append(t.odd(), t.odds...), notes: t.notes}, true
}

// raise puts switches one level up if they have no hosts, no cable up, and most of their cables
// within their level: roots of trees of unequal heights that lost cables.
func (t *tree) raise(top int32) {
	level := slices.Clone(t.level)
	for s, h := range level {
		beside, up, all := 0, 0, 0
		for _, v := range t.neighbours[s] {
			n := t.count(int32(s), v)
			all += n
			switch {
			case level[v] == h:
				beside += n
			case level[v] > h:
				up += n
			}
		}
		if up == 0 && h > 0 && h < top && 4*beside > all && t.g.HostCount(int32(s)) == 0 {
			t.level[s]++
		}
	}
}

// lift puts apparent leaves without hosts above their neighbours if all of these have more cables
// down and fewer up than most of their level: roots that have lost most of their cables.
func (t *tree) lift(top int32) {
	level := slices.Clone(t.level)
	down, up := make([]int, len(level)), make([]int, len(level))
	for p, links := range t.plugged {
		low, high := p.a, p.b
		if level[low] > level[high] {
			low, high = high, low
		}
		if level[low] < level[high] {
			up[low] += len(links)
			down[high] += len(links)
		}
	}
	usualDown, usualUp := modesByLevel(level, down, top), modesByLevel(level, up, top)
	for s, h := range level {
		if h > 0 || t.g.HostCount(int32(s)) > 0 || len(t.neighbours[s]) == 0 {
			continue
		}
		above := int32(0)
		for _, v := range t.neighbours[s] {
			if down[v] <= usualDown[level[v]] || up[v] >= usualUp[level[v]] {
				above = top
				break
			}
			above = max(above, level[v])
		}
		if above < top {
			t.level[s] = above + 1
		}
	}
}

// modesByLevel returns the most common number of each level's switches.
func modesByLevel(level []int32, numbers []int, top int32) []int {
	times := make([]map[int]int, top+1)
	for s, h := range level {
		if times[h] == nil {
			times[h] = map[int]int{}
		}
		times[h][numbers[s]]++
	}
	modes := make([]int, top+1)
	for h := range times {
		modes[h], _ = mode(times[h])
	}
	return modes
}

// countDown counts the known cables to higher levels that are down.
func (t *tree) countDown() {
	t.downUp = make([]int, len(t.level))
	for p, links := range t.down {
		switch {
		case t.level[p.a] < t.level[p.b]:
			t.downUp[p.a] += len(links)
		case t.level[p.b] < t.level[p.a]:
			t.downUp[p.b] += len(links)
		}
	}
}

// findHomes finds the level that most cables up of each switch lead to, the nearest of equals.
func (t *tree) findHomes() {
	t.home = slices.Clone(t.level)
	for s, list := range t.neighbours {
		to := map[int32]int{}
		for _, v := range list {
			if t.level[v] > t.level[s] {
				to[t.level[v]] += t.count(int32(s), v)
			}
		}
		most := 0
		for _, h := range slices.Sorted(maps.Keys(to)) {
			if to[h] > most {
				most, t.home[s] = to[h], h
			}
		}
	}
}

// tiers lists the pairs of a level and the level that its switches lead up to.
func (t *tree) tiers() (all []*tier) {
	of := map[pair]*tier{}
	for s, h := range t.level {
		k := pair{h, t.home[s]}
		if h == k.b {
			continue
		}
		if of[k] == nil {
			of[k] = &tier{level: h, to: k.b}
			all = append(all, of[k])
		}
		of[k].low = append(of[k].low, int32(s))
	}
	slices.SortFunc(all, func(a, b *tier) int { return pair{a.level, a.to}.compare(pair{b.level, b.to}) })
	return all
}

// up lists the switches of its home level that a switch leads to.
func (t *tree) up(s int32) (up []int32) {
	for _, v := range t.neighbours[s] {
		if t.level[v] == t.home[s] && t.home[s] > t.level[s] {
			up = append(up, v)
		}
	}
	return up
}

// mode returns the most common number, the greatest of equals, and its count.
func mode(times map[int]int) (best, n int) {
	for v, k := range times {
		if k > n || k == n && v > best {
			best, n = v, k
		}
	}
	return best, n
}

// expect records the cables of the groups of nearly complete tiers; for other tiers it compares the
// cables up of their switches. A tier of few cables may lack more if all tiers together are nearly
// complete and few cables are outside the groups. It returns false if no tier is nearly complete. A
// switch with another number of cables to most of its group, for example two switches merged into
// one, keeps that number.
func (t *tree) expect(tiers []*tier) bool {
	want, share, tidy := make([]map[pair]int, len(tiers)), make([]float64, len(tiers)), make([]bool, len(tiers))
	all, have := 0, 0
	for i, x := range tiers {
		wanted, there := 0, 0
		want[i], wanted, there = t.wantedOf(x)
		share[i] = float64(there) / float64(max(wanted, 1))
		tidy[i] = float64(there) >= nearlyWhole*float64(t.cablesUp(x))
		all, have = all+wanted, have+there
	}
	together, regular := float64(have) >= allWhole*float64(all), false
	for i, x := range tiers {
		if share[i] < nearlyWhole && !(together && tidy[i] && share[i] >= mostlyWhole) {
			t.fewerUp(x)
			continue
		}
		regular = true
		maps.Copy(t.cables, want[i])
		for _, g := range x.groups {
			for _, s := range g.low {
				for _, v := range g.high {
					t.group[pairOf(s, v)] = g
				}
			}
		}
	}
	return regular
}

// cablesUp counts the cables of a tier.
func (t *tree) cablesUp(x *tier) (n int) {
	for _, s := range x.low {
		n += t.countUp(s)
	}
	return n
}

// wantedOf returns the expected cables of the groups of a tier, their number, and the number that
// exist.
func (t *tree) wantedOf(x *tier) (want map[pair]int, all, have int) {
	want = map[pair]int{}
	total := t.totalUp(x)
	for _, g := range x.groups {
		byHigh, byLow := t.factors(x, g)
		for i, s := range g.low {
			for j, v := range g.high {
				want[pairOf(s, v)] = int(float64(x.usual)*byLow[i]*byHigh[j] + .5)
			}
		}
		t.deal(g, total, want)
		for _, s := range g.low {
			for _, v := range g.high {
				n := want[pairOf(s, v)]
				all += n
				have += min(n, t.count(s, v))
			}
		}
	}
	return want, all, have
}

// factors returns the cables of each switch of a group relative to the usual number: the switches
// above, then below.
func (t *tree) factors(x *tier, g *group) (byHigh, byLow []float64) {
	byHigh, byLow = make([]float64, len(g.high)), make([]float64, len(g.low))
	for j, v := range g.high {
		byHigh[j] = factor(g.low, func(i int) float64 { return float64(t.count(g.low[i], v)) / float64(x.usual) })
	}
	for i, s := range g.low {
		byLow[i] = factor(g.high, func(j int) float64 { return float64(t.count(s, g.high[j])) / float64(x.usual) / byHigh[j] })
	}
	return byHigh, byLow
}

// factor returns the factor that most switches agree on, else 1. Fewer cables than usual may just
// be missing: such a factor needs many switches that agree.
func factor(switches []int32, of func(i int) float64) float64 {
	times := map[int]int{} // in thousandths
	for i := range switches {
		times[int(1000*of(i)+.5)]++
	}
	f, n := mode(times)
	many := n >= 6 || n >= 4 && n == len(switches)
	if f == 0 || n < 2 || 2*n <= len(switches) || f < 1000 && !many {
		return 1
	}
	return float64(f) / 1000
}

// inGroup lists the other switches on the side of s in its group, each paired with to.
func (t *tree) inGroup(s, to int32) (pairs [][2]int32) {
	g := t.group[pairOf(s, to)]
	if g == nil {
		return nil
	}
	side := g.low
	if t.level[s] > t.level[to] {
		side = g.high
	}
	for _, v := range side {
		if v != s {
			pairs = append(pairs, [2]int32{v, to})
		}
	}
	return pairs
}

// fewerUp lists the switches of a tier without groups that have fewer cables up than most, if most
// have the same number.
func (t *tree) fewerUp(x *tier) {
	ups := func(s int32) (n int) {
		for _, v := range t.up(s) {
			n += t.count(s, v)
			t.cables[pairOf(s, v)] = t.count(s, v)
		}
		return n
	}
	times := map[int]int{}
	for _, s := range x.low {
		times[ups(s)]++
	}
	usual, k := mode(times)
	if 2*k < len(x.low) || len(x.low) < 3 {
		return
	}
	for _, s := range x.low {
		if n := ups(s); n+t.downUp[s] < usual {
			odd := Odd{Kind: Missing, Text: fmt.Sprintf("%d of %d cables up", n, usual), weight: float64(usual - n - t.downUp[s]), Lacking: usual - n - t.downUp[s]}
			odd.Ports = append(odd.Ports, t.g.SwitchPort(s, 0))
			t.odds = append(t.odds, odd)
		}
	}
}

// allow accepts cables past a level and within one that belong to no tier, if enough switches have
// them. All others are extra.
func (t *tree) allow(tiers []*tier) {
	switches, with := map[int32]int{}, map[pair]map[int32]bool{}
	for _, h := range t.level {
		switches[h]++
	}
	class := func(p pair) pair { return pairOf(t.level[p.a], t.level[p.b]) }
	for p := range t.plugged {
		if _, known := t.cables[p]; known {
			continue
		}
		c := class(p)
		if with[c] == nil {
			with[c] = map[int32]bool{}
		}
		for _, s := range [2]int32{p.a, p.b} {
			if t.level[s] == c.a {
				with[c][s] = true
			}
		}
	}
	for _, x := range tiers {
		delete(with, pair{x.level, x.to})
	}
	few, all := map[pair]int{}, 0
	for p, links := range t.plugged {
		all += len(links)
		if _, known := t.cables[p]; known {
			continue
		}
		if c := class(p); float64(len(with[c])) > someOf*float64(switches[c.a]) {
			t.cables[p] = len(links)
		} else if with[c] != nil {
			few[p] = len(links)
		}
	}
	beside := 0
	for _, n := range few {
		beside += n
	}
	if float64(beside) > (1-nearlyWhole)/3*float64(all) {
		t.notes = append(t.notes, fmt.Sprintf("%d cables lead past a level or join switches of one", beside))
		maps.Copy(t.cables, few)
	}
}
