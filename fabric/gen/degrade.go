package gen

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// suffixes lists the suffixes of Apply, Parse and Suffixes.
var suffixes = []spec{
	{
		name: "fail", params: partParams(),
		what:   "takes parts down, to be restored or not: links=N random switch links, share= of them (with links=up: of those between levels), switches=N random ones, switch=NAME, link=NAME[PORT]; host=NAME, server=NAME with all its adapters, servers=N random ones",
		source: thesis + ", Paper IV (share)", example: "|fail(links=10,seed=3)", degrade: fail,
	},
	{
		name: "drain", params: partParams(),
		what:   "takes parts out of use that stay up: a drained switch serves its own hosts and lets no other traffic through, and of a drained host or server no cable is used; the arguments are those of fail",
		source: "weft: maintenance", example: "|drain(switch=spine 1)", degrade: drain,
	},
	{
		name: "add", params: []param{optional("leaf", texts, "NAMES"), optional("pod", texts, "NAMES"), optional("group", texts, "NAMES"), optional("server", texts, "NAMES"), optional("like", word, "NAME")},
		what:   "adds what the network has several times, with these names: leaf= leaf switches with their hosts (those of all rails or planes that share servers), pod= pods of rails or of a tree of three levels, group= groups of a Dragonfly or a full mesh, server= servers. Each is cabled like the one of like=, or the first with free ports enough beside it; all else stays as it is",
		source: "weft: clusters that grow", example: "|radix(40)|add(leaf=rack 9)", degrade: add,
	},
	{
		name: "move", params: []param{needed("link", word, "NAME[PORT]"), needed("to", word, "SWITCH[PORT]")},
		what:   "puts the end of a cable that is in a switch into another port; link= may be a host, whose cable is then moved, or the end that is to be moved; to= a switch, whose first free port is taken, or a free port",
		source: "weft: clusters that are rearranged", example: "|without(hosts=90)|move(link=host 3,to=leaf 5)", degrade: move,
	},
	{
		name: "radix", params: []param{need("ports", 1, fabric.MaxPorts)},
		what:   "gives every switch that has fewer this many ports; the new ones are free",
		source: "weft: clusters that grow", example: "|radix(40)", degrade: radix,
	},
	{
		name: "without", params: []param{optional("hosts", texts, "NAMES"), option("roots", "N", 1, fabric.MaxNodes), optional("servers", texts, "NAMES")},
		what:   "removes hosts, by name, by number (from 0, in order of GUID) or by range (0-17,40), servers with all their adapters in the same way, or N switches of the highest level, evenly",
		source: thesis + ", Paper II (oversubscription)", example: "|without(roots=9)", degrade: without,
	},
	{
		name: "later", params: []param{need("from", 1, fabric.MaxNodes), option("to", "last", 1, fabric.MaxNodes)},
		what:   "a network that grows, at an earlier step: without the hosts of these numbers (from 0, in order of GUID) and the switches that only they need; what stands keeps its cables",
		source: "weft: clusters that grow", example: "|later(from=300)", degrade: later,
	},
	{
		name: "servers", params: []param{needed("groups", texts, "NxPORTS,..")},
		what:   "makes servers of several ports from the hosts, in order of GUID: 1024,64x2 leaves 1,024 hosts as they are, and makes 64 servers of two ports from the next 128, port 2 of the first from host 64 of these on; hosts beyond all groups stay",
		source: "weft: servers of several ports", example: "|servers(4,2x2)", degrade: groupServers,
	},
	{
		name: "hosts", params: []param{need("even", 0, fabric.MaxPorts), need("odd", 0, fabric.MaxPorts)},
		what:   "X:Y distribution: even= hosts on each even leaf, odd= on each odd one; leaves that are cross-linked, or share hosts of several ports (a pod of rails), count as one",
		source: thesis + ", Paper I, section IV", example: "|hosts(even=17,odd=1)", degrade: distribute,
	},
	{
		name: "ports", params: []param{need("n", 2, 2)},
		what:   "merges hosts of neighbouring leaves two by two: each is left with a port on either leaf",
		source: thesis + ", Paper VI, section V-C", example: "|ports(2)", degrade: twoPorts,
	},
	{
		name: "merge", params: []param{{name: "tree", kind: expr, required: true}, optional("at", word, "roots"), option("links", "0", 0, fabric.MaxLinks)},
		what:   "merges a second tree with the first: their roots (or at=leaves their leaves) are the same switches, in order of GUID, as far as both have them; with links=N they stay two, joined by N cables dealt out in that order",
		source: "weft: clusters bought in two parts", example: "|merge(rlft(8,2),at=leaves)", degrade: merge,
	},
	{
		name: "planes", params: []param{need("n", 2, fabric.MaxPorts)},
		what:   "builds the whole network n times, without a cable between the copies: host i of all of them is one server with n times the ports, those of plane 1 first; switches are called \"plane 2 leaf 0\"",
		source: "weft: servers of several ports", example: "|planes(2)", degrade: planes,
	},
	{
		name: "plane", params: []param{needed("network", expr, ""), optional("name", word, "plane N")},
		what:   "adds the network of another formula to the same servers, without a cable between the two: its host i is one more port of server i, those beyond are servers of their own; with name=storage its switches are \"storage leaf 0\" and its own servers \"storage 0\"",
		source: "weft: servers of several ports", example: "|plane(tree(36,700),name=storage)", degrade: plane,
	},
	{
		name:   "aggregation",
		what:   "puts an aggregation node (SHARP: a CA inside the switch, no host) on a port after the last one of every switch that has none",
		source: "dumps of Quantum and Quantum-2 switches", example: "|aggregation()", degrade: addAggregation,
	},
}

// apply applies one suffix to a fabric.
func apply(f *fabric.Fabric, t term, most Limits) (*fabric.Fabric, error) {
	c, err := parseCall(t, suffixes, "suffix", most)
	if err != nil {
		return nil, err
	}
	g, err := c.spec.degrade(f, c.args)
	if err != nil {
		return nil, located(c.args.pos, err)
	}
	return g, nil
}

// oneOf returns an error unless exactly one of the arguments is given.
func (a *args) oneOf(names ...string) error {
	var given []string
	for _, n := range names {
		if a.given(n) {
			given = append(given, n)
		}
	}
	if len(given) != 1 {
		return problemf(a.pos, "%s takes one of %s", a.spec.name, strings.Join(names, ", "))
	}
	return nil
}

// sample moves n random elements to the front and returns them.
func sample[T any](rng *rand.Rand, from []T, n int) []T {
	for i := range n {
		j := i + rng.IntN(len(from)-i)
		from[i], from[j] = from[j], from[i]
	}
	return from[:n]
}

func without(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	if err := a.oneOf("hosts", "servers", "roots"); err != nil {
		return nil, err
	}
	drop := make([]bool, len(f.Nodes))
	var err error
	switch {
	case a.given("roots"):
		err = markRoots(f, a, drop)
	case a.given("servers"):
		err = markServers(f, a, drop)
	default:
		err = markHosts(f, a, drop)
	}
	if err != nil {
		return nil, err
	}
	return f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil), nil
}

// markRoots marks the last switches of each of several equal runs of the highest level, so that
// every part of a tree loses its share.
func markRoots(f *fabric.Fabric, a *args, drop []bool) error {
	level := Levels(f)
	top := NoLevel
	for _, l := range level {
		top = max(top, l)
	}
	if top <= 0 {
		return problemf(a.pos, "there are no roots: no switch is above a leaf")
	}
	roots := nodes.ByGUID(f, func(id fabric.NodeID) bool { return level[id] == top })
	n := a.int("roots")
	if n > len(roots) {
		return problemf(a.value("roots").pos, "roots=%d: there are %d", n, len(roots))
	}
	for i := range n {
		drop[roots[(i+1)*len(roots)/n-1]] = true
	}
	return nil
}

// markHosts marks hosts by name, number or range of numbers.
func markHosts(f *fabric.Fabric, a *args, drop []bool) error {
	hosts := nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsHost(f, id) })
	return a.named("hosts", len(hosts), func(i int) { drop[hosts[i]] = true }, func(name string) error {
		id, err := f.FindHost(name)
		if err == nil {
			drop[id] = true
		}
		return err
	})
}

// markServers marks all adapters of servers by name, number or range of numbers.
func markServers(f *fabric.Fabric, a *args, drop []bool) error {
	s := f.Servers()
	mark := func(i int) {
		for _, id := range s.List[i].Adapters {
			drop[id] = true
		}
	}
	return a.named("servers", len(s.List), mark, func(name string) error {
		i, err := s.Find(f, name)
		if err == nil {
			mark(int(i))
		}
		return err
	})
}

// named calls number for each of n things that an argument lists by number or range of numbers, and
// name for the others.
func (a *args) named(argument string, n int, number func(int), name func(string) error) error {
	pos := a.value(argument).pos
	for _, text := range a.texts(argument) {
		from, to, ok := numberRange(text)
		if ok && (from > to || to >= n) {
			return problemf(pos, "%s=%s: there are %d %[1]s, numbered from 0", argument, text, n)
		}
		if ok {
			for i := from; i <= to; i++ {
				number(i)
			}
		} else if err := name(text); err != nil {
			return problemf(pos, "%v; want a %s's name, number or range of numbers", err, strings.TrimSuffix(argument, "s"))
		}
	}
	return nil
}

// numberRange parses "3" and "3-7".
func numberRange(s string) (from, to int, ok bool) {
	a, b, isRange := strings.Cut(s, "-")
	if !isRange {
		b = a
	}
	x, err1 := strconv.ParseUint(a, 10, 31)
	y, err2 := strconv.ParseUint(b, 10, 31)
	return int(x), int(y), err1 == nil && err2 == nil
}
