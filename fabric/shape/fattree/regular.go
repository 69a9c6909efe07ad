package fattree

import (
	"fmt"

	"weft/fabric"
)

// NotATree returns the reason why a network is no fat-tree: most of its links join switches of one
// level. It returns "" for a tree, however degraded, and for a network without hosts, whose leaves
// cannot be told from other switches.
func (t *Tree) NotATree() string {
	if t.G.NumHosts == 0 {
		return ""
	}
	level, all := 0, 0
	for s := range int32(t.G.NumSwitches) {
		for i, v := range t.Bundles(s) {
			all += len(t.PortsOf(i))
			if t.Level[v] == t.Level[s] {
				level += len(t.PortsOf(i))
			}
		}
	}
	if 2*level > all {
		return fmt.Sprintf("%d of %d links join switches of one level", level/2, all/2)
	}
	return ""
}

// Irregular lists the deviations of a tree from a regular one: hosts above the leaves, links within
// a level or past one, and switches whose numbers of links up or down differ from most of their
// level.
func (t *Tree) Irregular() []string {
	var odd []string
	g := t.G
	say := func(s int32, format string, args ...any) {
		odd = append(odd, fabric.SwitchName(g, s)+" "+fmt.Sprintf(format, args...))
	}
	usual := t.usualLinks()
	for s := range int32(g.NumSwitches) {
		h := t.Level[s]
		if h > 0 && len(g.HostsOf(s)) > 0 {
			say(s, "has hosts, on level %d", h)
		}
		for _, v := range t.NeighboursOf(s) {
			switch t.Level[v] - h {
			case 1, -1:
			case 0:
				say(s, "is linked to %s of its own level", fabric.SwitchName(g, v))
			default:
				say(s, "is linked to %s, levels away", fabric.SwitchName(g, v))
			}
		}
		if c, most := t.nextLinks(s), usual[h]; c != most {
			say(s, "has %d links up and %d down, most of level %d have %d and %d", c.up, c.down, h, most.up, most.down)
		}
	}
	return odd
}

// usualLinks returns, by level, the most common numbers of links to the next levels, the greater of
// equals.
func (t *Tree) usualLinks() []linkCounts {
	times := make([]map[linkCounts]int, t.Top+1)
	usual := make([]linkCounts, t.Top+1)
	for s, h := range t.Level {
		if times[h] == nil {
			times[h] = map[linkCounts]int{}
		}
		times[h][t.nextLinks(int32(s))]++
	}
	for h := range usual {
		for c, n := range times[h] {
			most := times[h][usual[h]]
			if n > most || n == most && (c.up > usual[h].up || c.up == usual[h].up && c.down > usual[h].down) {
				usual[h] = c
			}
		}
	}
	return usual
}

// nextLinks counts the links of a switch to the adjacent levels.
func (t *Tree) nextLinks(s int32) (n linkCounts) {
	for i, v := range t.Bundles(s) {
		switch t.Level[v] - t.Level[s] {
		case 1:
			n.up += len(t.PortsOf(i))
		case -1:
			n.down += len(t.PortsOf(i))
		}
	}
	return n
}
