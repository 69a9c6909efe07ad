package gen

import (
	"fmt"

	"weft/fabric"
)

// dragonfly builds groups of a switches, each with p hosts and h global cables. Ports: the group's
// other switches, global cables, hosts.
func dragonfly(a *args) (*fabric.Fabric, error) {
	n, p, h := a.int("a"), a.int("p"), a.int("h")
	groups, hosts, err := groupsAndHosts(a, n, n, p, h)
	if err != nil {
		return nil, err
	}
	switches := groups * n
	links := mul(switches, n-1)/2 + mul(switches, h)/2
	if err := (size{switches, n - 1 + h + p, hosts, links + hosts}).fits(a.most); err != nil {
		return nil, err
	}
	b := newBuilder()
	ids := make([]fabric.NodeID, 0, switches)
	for g := range groups {
		for s := range n {
			ids = append(ids, b.add(n-1+h+p, fmt.Sprintf("group %d switch %d", g, s)))
		}
	}
	for g := range groups {
		b.clique(ids[g*n : (g+1)*n])
	}
	b.joinGroups(ids, groups, h, n)
	b.spread(ids, hosts, n+h)
	return b.done()
}

// dragonflyPlus builds groups of leaves with p hosts each, joined to all spines of the group, and
// spines with h global cables each. Ports of a leaf: hosts, spines; of a spine: leaves, global
// cables.
func dragonflyPlus(a *args) (*fabric.Fabric, error) {
	leaves, spines, p, h := a.int("leaves"), a.int("spines"), a.int("p"), a.int("h")
	groups, hosts, err := groupsAndHosts(a, leaves, spines, p, h)
	if err != nil {
		return nil, err
	}
	links := mul(groups, leaves, spines) + mul(groups, spines, h)/2
	if err := (size{mul(groups, leaves+spines), max(p+spines, leaves+h), hosts, links + hosts}).fits(a.most); err != nil {
		return nil, err
	}
	b := newBuilder()
	lower := make([]fabric.NodeID, 0, groups*leaves)
	upper := make([]fabric.NodeID, 0, groups*spines)
	for i := range groups * leaves {
		lower = append(lower, b.add(p+spines, fmt.Sprintf("group %d leaf %d", i/leaves, i%leaves)))
	}
	for i := range groups * spines {
		upper = append(upper, b.add(leaves+h, fmt.Sprintf("group %d spine %d", i/spines, i%spines)))
	}
	for i, leaf := range lower {
		g, l := i/leaves, i%leaves
		for s := range spines {
			b.link(leaf, p+1+s, upper[g*spines+s], l+1)
		}
	}
	b.joinGroups(upper, groups, h, leaves+1)
	b.spread(lower, hosts, 1)
	return b.done()
}

// groupsAndHosts reads groups= and hosts= of a Dragonfly. withHosts switches of a group have at
// most p hosts each; withGlobal switches, the same or others, have h global cables each.
func groupsAndHosts(a *args, withHosts, withGlobal, p, h int) (groups, hosts int, err error) {
	most := mul(withGlobal, h) + 1
	if groups = a.int("groups"); groups < 0 {
		groups = most
	}
	if groups > most {
		return 0, 0, fmt.Errorf("groups=%d: %d global cables of a group reach %d groups at most, its own included", groups, most-1, most)
	}
	room := mul(groups, withHosts, p)
	if hosts = a.int("hosts"); hosts < 0 {
		hosts = room
	}
	if hosts > room {
		return 0, 0, fmt.Errorf("hosts=%d: there is room for %d", hosts, room)
	}
	return groups, hosts, nil
}

// joinGroups joins groups of switches by h ports of each switch, beginning with first and counted
// through the group. All pairs of groups get the same number of cables: cable q of group i leads to
// group i+1+q modulo the groups, in as many rounds as there are cables for. Remaining ports of a
// group lead to the nearest groups on both sides; a last one leads across if the number of groups
// is even.
func (b *builder) joinGroups(ids []fabric.NodeID, groups, h, first int) {
	n := len(ids) / groups
	join := func(g, q, to, back int) {
		b.link(ids[g*n+q/h], first+q%h, ids[to*n+back/h], first+back%h)
	}
	others := groups - 1
	if others == 0 {
		return
	}
	rounds, left := n*h/others, n*h%others
	for g := range groups {
		for q := range rounds * others {
			if to := g + q%others + 1; to < groups {
				join(g, q, to, q-q%others+others-1-q%others)
			}
		}
	}
	used := rounds * others
	for d := range left / 2 {
		for g := range groups {
			join(g, used+2*d, (g+d+1)%groups, used+2*d+1)
		}
	}
	if left%2 == 1 && groups%2 == 0 {
		for g := range groups / 2 {
			join(g, used+left-1, g+groups/2, used+left-1)
		}
	}
}

// clique joins all pairs: port j of switch i leads to switch j-1, or to j for higher ports.
func (b *builder) clique(ids []fabric.NodeID) {
	for i := range ids {
		for j := i + 1; j < len(ids); j++ {
			b.link(ids[i], j, ids[j], i+1)
		}
	}
}
