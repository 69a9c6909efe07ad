package gen

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"weft/fabric"
)

// suffixes lists the suffixes of Apply, Parse and Suffixes.
var suffixes = []spec{
	{
		name: "fail", params: []param{
			optional("links", word, "N"), optional("share", share, "0..1"), option("switches", "N", 1, fabric.MaxNodes),
			optional("switch", texts, "NAME"), anySeed,
		},
		what:   "takes parts down, to be restored or not: links=N random switch links, share= of them (with links=up: of those between levels), switches=N random ones, switch=NAME",
		source: thesis + ", Paper IV (share)", example: "|fail(links=10,seed=3)", degrade: fail,
	},
	{
		name: "without", params: []param{optional("hosts", texts, "NAMES"), option("roots", "N", 1, fabric.MaxNodes)},
		what:   "removes hosts, by name, by number (from 0, in order of GUID) or by range (0-17,40), or N switches of the highest level, evenly",
		source: thesis + ", Paper II (oversubscription)", example: "|without(roots=9)", degrade: without,
	},
	{
		name: "hosts", params: []param{need("even", 0, fabric.MaxPorts), need("odd", 0, fabric.MaxPorts)},
		what:   "X:Y distribution: even= hosts on each even leaf, odd= on each odd one; leaves that are cross-linked count as one",
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
		name:   "aggregation",
		what:   "puts an aggregation node (SHARP: a CA inside the switch, no host) on a port after the last one of every switch that has none",
		source: "dumps of Quantum and Quantum-2 switches", example: "|aggregation()", degrade: addAggregation,
	},
}

// apply degrades a fabric by one suffix.
func apply(f *fabric.Fabric, t term) (*fabric.Fabric, error) {
	c, err := parseCall(t, suffixes, "suffix")
	if err != nil {
		return nil, err
	}
	g, err := c.spec.degrade(f, c.args)
	if err != nil {
		return nil, located(c.args.pos, err)
	}
	return g, nil
}

// only refuses arguments that exclude each other, and none at all.
func (a *args) only(names ...string) error {
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

// fail takes parts of a copy down.
func fail(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	kinds := []string{"links", "share", "switches", "switch"}
	if a.given("share") {
		kinds = kinds[1:] // links= then says which links
	}
	if err := a.only(kinds...); err != nil {
		return nil, err
	}
	switch {
	case a.given("share"):
		return f, failShare(f, a)
	case a.given("links"):
		return f, failLinks(f, a)
	case a.given("switches"):
		return f, failSwitches(f, a)
	}
	return f, failNamed(f, a)
}

func failLinks(f *fabric.Fabric, a *args) error {
	v := a.value("links")
	n, err := strconv.Atoi(v.text)
	if err != nil || n < 1 {
		return problemf(v.pos, "links=%s: want a number from 1, or links=up with share=", v.text)
	}
	links := switchLinks(f, func(*fabric.Link) bool { return true })
	if n > len(links) {
		return problemf(v.pos, "links=%d: %d switch-to-switch links are up", n, len(links))
	}
	for _, id := range sample(newRand(a), links, n) {
		f.SetLinkDown(id, true)
	}
	return nil
}

func failSwitches(f *fabric.Fabric, a *args) error {
	up := byGUID(f, func(id fabric.NodeID) bool { return isSwitch(f, id) && !f.Nodes[id].Down })
	n := a.int("switches")
	if n > len(up) {
		return problemf(a.value("switches").pos, "switches=%d: %d switches are up", n, len(up))
	}
	for _, id := range sample(newRand(a), up, n) {
		f.SetNodeDown(id, true)
	}
	return nil
}

func failNamed(f *fabric.Fabric, a *args) error {
	for _, name := range a.texts("switch") {
		id, err := f.NodeByName(name)
		if err != nil {
			return problemf(a.value("switch").pos, "%s", strings.TrimPrefix(err.Error(), "fabric: "))
		}
		if !isSwitch(f, id) {
			return problemf(a.value("switch").pos, "%s is a %s, not a switch", f.NodeName(id), f.Nodes[id].Type)
		}
		f.SetNodeDown(id, true)
	}
	return nil
}

// failShare fails a share of all switch links or of those between levels.
func failShare(f *fabric.Fabric, a *args) error {
	want, kind := func(*fabric.Link) bool { return true }, "between switches"
	switch text := a.text("links"); {
	case text == "up":
		level := Levels(f)
		want = func(l *fabric.Link) bool { return level[l.A.Node] != level[l.B.Node] }
		kind = "between switches of different levels"
	case a.given("links") && text != "all":
		return problemf(a.value("links").pos, "links=%s: with share= want links=up (between levels) or links=all", text)
	}
	links := switchLinks(f, want)
	if len(links) == 0 {
		return problemf(a.pos, "no link %s is up", kind)
	}
	n := int(math.Round(a.fraction("share") * float64(len(links))))
	for _, id := range sample(newRand(a), links, n) {
		f.SetLinkDown(id, true)
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
	if err := a.only("hosts", "roots"); err != nil {
		return nil, err
	}
	drop := make([]bool, len(f.Nodes))
	var err error
	if a.given("roots") {
		err = markRoots(f, a, drop)
	} else {
		err = markHosts(f, a, drop)
	}
	if err != nil {
		return nil, err
	}
	return f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil), nil
}

// markRoots marks the last of each equal run of the switches of the highest
// level, so that every part of a tree loses its share.
func markRoots(f *fabric.Fabric, a *args, drop []bool) error {
	level := Levels(f)
	top := NoLevel
	for _, l := range level {
		top = max(top, l)
	}
	if top <= 0 {
		return problemf(a.pos, "there are no roots: no switch is above a leaf")
	}
	roots := byGUID(f, func(id fabric.NodeID) bool { return level[id] == top })
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
	hosts := byGUID(f, func(id fabric.NodeID) bool { return isHost(f, id) })
	pos := a.value("hosts").pos
	for _, name := range a.texts("hosts") {
		from, to, ok := numberRange(name)
		switch {
		case ok && (from > to || to >= len(hosts)):
			return problemf(pos, "hosts=%s: there are %d hosts, numbered from 0", name, len(hosts))
		case ok:
			for _, h := range hosts[from : to+1] {
				drop[h] = true
			}
			continue
		}
		id, err := f.NodeByName(name)
		if err != nil {
			return problemf(pos, "%s; want a host's name, number or range of numbers", strings.TrimPrefix(err.Error(), "fabric: "))
		}
		if isSwitch(f, id) {
			return problemf(pos, "%s is a switch, not a host", f.NodeName(id))
		}
		drop[id] = true
	}
	return nil
}

// numberRange reads "3" and "3-7".
func numberRange(s string) (from, to int, ok bool) {
	a, b, isRange := strings.Cut(s, "-")
	if !isRange {
		b = a
	}
	x, err1 := strconv.ParseUint(a, 10, 31)
	y, err2 := strconv.ParseUint(b, 10, 31)
	return int(x), int(y), err1 == nil && err2 == nil
}
