package ftree

import (
	"fmt"

	"weft/route"
)

// notATree says why a network is no fat-tree: most of its links join switches of one level. It
// returns "" for a tree, however degraded, and for a network without hosts, in which nothing
// tells leaves from others.
func (t *tree) notATree() string {
	if t.g.NumHosts == 0 {
		return ""
	}
	level, all := 0, 0
	for s := range int32(t.g.NumSwitches) {
		for i, v := range t.bundles(s) {
			all += len(t.portsOf(i))
			if t.level[v] == t.level[s] {
				level += len(t.portsOf(i))
			}
		}
	}
	if 2*level > all {
		return fmt.Sprintf("%d of %d links join switches of one level", level/2, all/2)
	}
	return ""
}

// irregular lists what keeps a tree from being regular: hosts above the leaves,
// links within a level or past one, and switches that have other numbers of links
// up or down than the first of their level.
func (t *tree) irregular() []string {
	var odd []string
	g := t.g
	say := func(s int32, format string, args ...any) {
		odd = append(odd, route.SwitchName(g, s)+" "+fmt.Sprintf(format, args...))
	}
	type counts struct{ up, down int }
	first := map[int32]counts{}
	for s := range int32(g.NumSwitches) {
		h := t.level[s]
		if h > 0 && len(g.HostsOf(s)) > 0 {
			say(s, "has hosts, on level %d", h)
		}
		c := counts{}
		for i, v := range t.bundles(s) {
			switch t.level[v] - h {
			case 1:
				c.up += len(t.portsOf(i))
			case -1:
				c.down += len(t.portsOf(i))
			case 0:
				say(s, "is linked to %s of its own level", route.SwitchName(g, v))
			default:
				say(s, "is linked to %s, levels away", route.SwitchName(g, v))
			}
		}
		if f, ok := first[h]; !ok {
			first[h] = c
		} else if f != c {
			say(s, "has %d links up and %d down, others of level %d have %d and %d", c.up, c.down, h, f.up, f.down)
		}
	}
	return odd
}
