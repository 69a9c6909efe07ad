// Package change compares two maps of a network of anonymous switches: Diff lists the parts that
// appeared, vanished or moved (diff.go). Watch maps a network again and again while a list of
// events changes it (watch.go, events.go).
//
// Diff pairs hosts by address, then switches by votes. Each port of a paired node votes: the switch
// behind it on the old map is the one behind it on the new map, with its ports shifted by the
// difference. The pair with the most votes is next; of equal ones, the one with the lower nodes. So
// two maps of one network never differ, whatever their numbering of switches and ports. Where hosts
// are near, Diff lists no more changes than the best pairing has.
//
// Cost: O(switches * wires).
package change

import (
	"cmp"
	"fmt"
	"slices"

	"weft/mapping"
)

// Kind is the kind of a change.
type Kind string

// The kinds.
const (
	Appeared Kind = "appeared"
	Vanished Kind = "vanished"
	Moved    Kind = "moved"
)

// Change is one difference between two maps.
type Change struct {
	Kind Kind
	// What is "host", "switch" or "cable".
	What string
	// From and To name the old and the new place, for people; one is empty unless the part moved.
	From, To string
}

// String returns the change as a line.
func (c Change) String() string {
	if c.Kind != Moved {
		return fmt.Sprintf("%s %s: %s", c.What, c.Kind, c.From+c.To)
	}
	return fmt.Sprintf("%s %s: %s -> %s", c.What, c.Kind, c.From, c.To)
}

// Diff lists the changes from an old map to a new one.
func Diff(old, now *mapping.Network) []Change {
	d := newPairing(old, now)
	d.pair()
	var changes []Change
	changes = append(changes, d.nodes()...)
	return append(changes, d.cables()...)
}

// pairing pairs nodes of the old map with nodes of the new one.
type pairing struct {
	old, now *mapping.Network
	of, back []int32 // -1 for none
	shift    []int32 // by old node: the offset of its port numbers now
	votes    map[vote]int
}

// vote is evidence that an old switch is a new one.
type vote struct {
	old, now, shift int32
}

func newPairing(old, now *mapping.Network) *pairing {
	d := &pairing{old: old, now: now, of: make([]int32, old.NumNodes()), back: make([]int32, now.NumNodes()), shift: make([]int32, old.NumNodes()), votes: map[vote]int{}}
	for v := range d.of {
		d.of[v] = -1
	}
	for v := range d.back {
		d.back[v] = -1
	}
	return d
}

// pair pairs hosts by address, then switches, most votes first.
func (d *pairing) pair() {
	for v, h := range d.old.Hosts {
		if u := d.now.HostByID(h.ID); u >= 0 {
			d.take(vote{int32(v), u, 0})
		}
	}
	for {
		best, most := vote{}, 0
		for v, n := range d.votes {
			if d.of[v.old] >= 0 || d.back[v.now] >= 0 {
				delete(d.votes, v)
				continue
			}
			if n > most || n == most && before(v, best) {
				best, most = v, n
			}
		}
		if most == 0 {
			return
		}
		d.take(best)
	}
}

func before(a, b vote) bool {
	return cmp.Or(cmp.Compare(a.old, b.old), cmp.Compare(a.now, b.now), cmp.Compare(a.shift, b.shift)) < 0
}

// take pairs two nodes; their wires vote for the switches behind them.
func (d *pairing) take(v vote) {
	d.of[v.old], d.back[v.now], d.shift[v.old] = v.now, v.old, v.shift
	for p := range d.old.Ports(v.old) {
		x, ok := d.old.Peer(mapping.End{Node: v.old, Port: p})
		if !ok || d.old.IsHost(x.Node) {
			continue
		}
		if y, ok := peer(d.now, mapping.End{Node: v.now, Port: p + v.shift}); ok && !d.now.IsHost(y.Node) {
			d.votes[vote{x.Node, y.Node, y.Port - x.Port}]++
		}
	}
}

// peer returns Network.Peer, also for ports that may not exist.
func peer(n *mapping.Network, e mapping.End) (mapping.End, bool) {
	if e.Port < 0 || e.Port >= n.Ports(e.Node) {
		return mapping.End{}, false
	}
	return n.Peer(e)
}

// nodes lists hosts and switches that appeared or vanished.
func (d *pairing) nodes() (changes []Change) {
	for v := range d.of {
		if d.of[v] < 0 {
			changes = append(changes, Change{Vanished, what(d.old, int32(v)), name(d.old, int32(v)), ""})
		}
	}
	for u := range d.back {
		if d.back[u] < 0 {
			changes = append(changes, Change{Appeared, what(d.now, int32(u)), "", name(d.now, int32(u))})
		}
	}
	return changes
}

// cables lists wires that are not in both maps. A lost wire and a new one with a common end are one
// moved wire; a host in another place has moved.
func (d *pairing) cables() (changes []Change) {
	var gone, fresh []mapping.Wire // both in the numbering of the new map
	kept := map[mapping.Wire]bool{}
	from := map[mapping.Wire]mapping.Wire{}
	for _, w := range d.old.Wires() {
		now, paired := d.translate(w)
		if !paired {
			continue // an end is gone: already listed
		}
		if y, ok := peer(d.now, now[0]); ok && y == now[1] {
			kept[ordered(now)] = true
			continue
		}
		now = ordered(now)
		gone = append(gone, now)
		from[now] = w
	}
	for _, w := range d.now.Wires() {
		if !kept[ordered(w)] && d.back[w[0].Node] >= 0 && d.back[w[1].Node] >= 0 {
			fresh = append(fresh, w)
		}
	}
	for _, g := range gone {
		i := slices.IndexFunc(fresh, func(f mapping.Wire) bool { return f[0] == g[0] && d.now.IsHost(g[0].Node) })
		if i < 0 {
			i = slices.IndexFunc(fresh, func(f mapping.Wire) bool { return share(g, f) })
		}
		if i < 0 {
			changes = append(changes, Change{Vanished, "cable", wireName(d.old, from[g]), ""})
			continue
		}
		what := "cable"
		if f := fresh[i]; d.now.IsHost(f[0].Node) || d.now.IsHost(f[1].Node) {
			what = "host"
		}
		changes = append(changes, Change{Moved, what, wireName(d.old, from[g]), wireName(d.now, fresh[i])})
		fresh = slices.Delete(fresh, i, i+1)
	}
	for _, f := range fresh {
		changes = append(changes, Change{Appeared, "cable", "", wireName(d.now, f)})
	}
	return changes
}

// translate returns an old wire in the numbering of the new map.
func (d *pairing) translate(w mapping.Wire) (mapping.Wire, bool) {
	for k, e := range w {
		if d.of[e.Node] < 0 {
			return w, false
		}
		w[k] = mapping.End{Node: d.of[e.Node], Port: e.Port + d.shift[e.Node]}
	}
	return w, true
}

func ordered(w mapping.Wire) mapping.Wire {
	if w[1].Node < w[0].Node || w[1].Node == w[0].Node && w[1].Port < w[0].Port {
		return mapping.Wire{w[1], w[0]}
	}
	return w
}

func share(a, b mapping.Wire) bool {
	return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]
}

func what(n *mapping.Network, v int32) string {
	if n.IsHost(v) {
		return "host"
	}
	return "switch"
}

// name returns the name of a node for people: a host by its name and its switch, a switch by the
// hosts that identify it.
func name(n *mapping.Network, v int32) string {
	if !n.IsHost(v) {
		return SwitchName(n, v)
	}
	if e, ok := n.Peer(mapping.End{Node: v}); ok {
		return fmt.Sprintf("%s on %s", n.Hosts[v].Name, EndName(n, e))
	}
	return n.Hosts[v].Name
}

// EndName returns the name of a wire-end for people. A port of a switch is counted from another
// host's port on it, since ports have no numbers.
func EndName(n *mapping.Network, e mapping.End) string {
	if n.IsHost(e.Node) {
		return n.Hosts[e.Node].Name
	}
	if host, port, ok := anchor(n, e.Node, e.Port); ok {
		return fmt.Sprintf("%s's switch, port %+d", host, e.Port-port)
	}
	return fmt.Sprintf("%s, port %d", n.NodeName(e.Node), e.Port)
}

// SwitchName returns the name of a switch by its first host, if it has one.
func SwitchName(n *mapping.Network, v int32) string {
	if host, _, ok := anchor(n, v, -1); ok {
		return host + "'s switch"
	}
	return n.NodeName(v)
}

// anchor returns the first host on a switch, except a host in one given port.
func anchor(n *mapping.Network, v, but int32) (string, int32, bool) {
	for p := range n.Ports(v) {
		if far, ok := n.Peer(mapping.End{Node: v, Port: p}); ok && p != but && n.IsHost(far.Node) {
			return n.Hosts[far.Node].Name, p, true
		}
	}
	return "", 0, false
}

func wireName(n *mapping.Network, w mapping.Wire) string {
	return EndName(n, w[0]) + " - " + EndName(n, w[1])
}
