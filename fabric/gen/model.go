package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/gen/internal/units"
)

// pattern adds to the units of a network the choice of one to copy, and names for the copy.
type pattern struct {
	*units.Pattern
	f *fabric.Fabric
}

// unitsOf lists the units of a kind.
func (n *pattern) unitsOf(kind string) []units.Unit {
	switch kind {
	case "leaf":
		return n.Leaves
	case "pod":
		return n.Pods
	}
	return n.Groups
}

// model returns the unit to copy: the one that like= names. Without like= it takes the units with
// room for another one beside them, and of these the first of the most frequent likeness.
func (n *pattern) model(kind string, a *args) (*units.Unit, error) {
	if len(n.Leaves) == 0 && len(n.Groups) == 0 && len(n.Level) == 0 {
		return nil, fmt.Errorf("no switch that is up has hosts: there is no %s to add another one like", kind)
	}
	all := slices.DeleteFunc(slices.Clone(n.unitsOf(kind)), func(u units.Unit) bool {
		_, outside := n.Cables(&u)
		return u.Down || len(u.Servers) == 0 || len(outside) == 0
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("no %s is known here that could be added again%s: %s", kind, n.why(), n.offers())
	}
	if a.given("like") {
		return n.named(kind, all, a)
	}
	alike := map[units.Likeness]int{} // with all counts, and with switches alone
	for i := range all {
		l := n.LikenessOf(&all[i])
		alike[l]++
		alike[units.Likeness{Switches: l.Switches}]++
	}
	var best *units.Unit
	most, first := [2]int{}, ""
	for i := range all {
		u := &all[i]
		if lacks := n.lacks(kind, u); lacks != "" {
			first = cmp.Or(first, lacks)
			continue
		}
		l := n.LikenessOf(u)
		if is := [2]int{alike[units.Likeness{Switches: l.Switches}], alike[l]}; slices.Compare(is[:], most[:]) > 0 {
			best, most = u, is
		}
	}
	switch {
	case best != nil:
		return best, nil
	case kind == "group" && n.Across != nil:
		return nil, fmt.Errorf("no group can be added: %s", first)
	case len(all) == 1:
		return nil, fmt.Errorf("no %s can be added: above the only one a switch lacks free ports (%s)", kind, first)
	}
	return nil, fmt.Errorf("no %s can be added: above each of the %d %s a switch lacks free ports (%s)", kind, len(all), plurals[kind], first)
}

var plurals = map[string]string{"leaf": "leaves", "pod": "pods", "group": "groups"}

// named returns the unit of the node that like= names.
func (n *pattern) named(kind string, all []units.Unit, a *args) (*units.Unit, error) {
	name, pos := a.text("like"), a.value("like").pos
	i := slices.IndexFunc(all, func(u units.Unit) bool { // all its switches have descriptions like "pod 3 rail 0"
		return !slices.ContainsFunc(u.Switches, func(s fabric.NodeID) bool { return !strings.HasPrefix(n.f.Nodes[s].Desc, name+" ") })
	})
	if i < 0 {
		id, err := n.f.FindNode(name)
		if err != nil {
			return nil, problemf(pos, "%v", err)
		}
		server := n.Servers.Of[id]
		i = slices.IndexFunc(all, func(u units.Unit) bool { return u.Has[id] || server >= 0 && slices.Contains(u.Servers, server) })
		switch {
		case i < 0 && kind == "leaf":
			return nil, problemf(pos, "%s has no hosts: it is no leaf", n.f.NodeName(id))
		case i < 0:
			return nil, problemf(pos, "%s is in no %s", n.f.NodeName(id), kind)
		}
		name = n.f.NodeName(id)
	}
	if lacks := n.lacks(kind, &all[i]); lacks != "" {
		return nil, problemf(pos, "another %s like %s finds no place: %s", kind, name, lacks)
	}
	return &all[i], nil
}

// lacks describes the ports that a network lacks for another unit beside one; "" if it lacks none.
func (n *pattern) lacks(kind string, u *units.Unit) string {
	if kind == "group" && n.Across != nil {
		return n.LacksGroup(u)
	}
	_, outside := n.Cables(u)
	return n.lacksPorts(outside)
}

// lacksPorts names a switch with fewer free ports than it needs, and counts such switches; "" if
// all have enough.
func (n *pattern) lacksPorts(need map[fabric.NodeID]int) string {
	first, short, all := "", 0, 0
	for _, s := range nodes.ByGUID(n.f, func(id fabric.NodeID) bool { return need[id] > 0 }) {
		all += need[s]
		free := len(nodes.FreePorts(n.f, s))
		if free >= need[s] {
			continue
		}
		if short++; first == "" {
			first = fmt.Sprintf("%s has %d free ports, it takes %d", n.f.NodeName(s), free, need[s])
		}
	}
	if short < 2 {
		return first
	}
	return fmt.Sprintf("%s; of %d switches it takes %d ports in all, and %d of these switches have too few", first, len(need), all, short)
}

// offers lists the kinds of units that can be added to a network.
func (n *pattern) offers() string {
	var list []string
	last := "server"
	for _, kind := range kinds[:3] {
		all := n.unitsOf(kind)
		i := slices.IndexFunc(all, func(u units.Unit) bool { return len(u.Servers) > 0 })
		if i < 0 || kind == "leaf" && n.Rails || kind == "pod" && !n.Rails && &n.Pods[0] == &n.Leaves[0] {
			continue
		}
		l := n.LikenessOf(&all[i])
		text := fmt.Sprintf("a %s (%d servers on %d switches)", kind, l.Servers, l.Switches)
		if l.Switches == 1 {
			text = fmt.Sprintf("a %s (a switch with %d servers)", kind, l.Servers)
		}
		list, last = append(list, text), kind
	}
	list = append(list, "a server where leaf switches have free ports")
	return "the network can take " + strings.Join(list, ", or ") + ": --add '" + last + " NAME', or add(" + last + "=NAME) as a suffix"
}

// why says why a network has no leaves that can be added; "" if it has.
func (n *pattern) why() string {
	if n.Leaves == nil {
		return ", since the switches with servers are cabled to each other"
	}
	return ""
}

// switchNames names the switches of a copy of a unit. The new name replaces the words with which
// all descriptions in the unit begin, or else end. Without such words a switch is called by the new
// name, its level and a number.
func (n *pattern) switchNames(u *units.Unit, name string) []string {
	if len(u.Switches) == 1 {
		return []string{name}
	}
	words := make([][]string, len(u.Switches))
	for i, s := range u.Switches {
		words[i] = strings.Fields(n.f.Nodes[s].Desc)
	}
	head := common(words, func(w []string, i int) string { return w[i] })
	if head > 0 && !slices.ContainsFunc(words, func(w []string) bool { return len(w) <= head || !isNumber(w[head]) }) {
		head-- // "leaf 1" and "leaf 2" begin alike, but the number alone says nothing
	}
	tail := common(words, func(w []string, i int) string { return w[len(w)-1-i] })
	out := make([]string, len(words))
	for i, w := range words {
		if head > 0 {
			out[i] = name + " " + strings.Join(w[head:], " ")
		} else if tail > 0 {
			out[i] = strings.Join(w[:len(w)-tail], " ") + " " + name
		}
		out[i] = strings.TrimSpace(out[i])
	}
	if all := slices.Sorted(slices.Values(out)); len(slices.Compact(all)) == len(out) {
		return out
	}
	next := map[string]int{}
	for i, s := range u.Switches {
		role := levelName(int(n.Level[s]), int(slices.Max(n.Level))+1)
		out[i] = fmt.Sprintf("%s %s %d", name, role, next[role])
		next[role]++
	}
	return out
}

// common counts the words that all texts have in common, in the order of at.
func common(texts [][]string, at func(words []string, i int) string) int {
	for i := 0; ; i++ {
		for _, words := range texts {
			if i >= len(words) || i >= len(texts[0]) || at(words, i) != at(texts[0], i) {
				return i
			}
		}
	}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// addServer adds a server like another one, on the leaf switches of that one.
func (x *extension) addServer(a *args, name string) error {
	server, err := x.net.modelServer(a)
	if err != nil {
		return err
	}
	if err := x.addAdapters(server, name); err != nil {
		return err
	}
	return x.copyCables(&units.Unit{Servers: []int32{server}}, true)
}

// portsOf counts the cables of a server, by switch.
func (n *pattern) portsOf(server int32) map[fabric.NodeID]int {
	need := map[fabric.NodeID]int{}
	for _, s := range n.At[server] {
		need[s]++
	}
	return need
}

// modelServer returns the server to copy, among the servers of like= or among all. It has the most
// frequent likeness, and its switches have the most free ports.
func (n *pattern) modelServer(a *args) (int32, error) {
	alike, servers := map[units.Likeness]int{}, []int32(nil)
	likenessOf := func(s int32) units.Likeness {
		return units.Likeness{Servers: len(n.Servers.List[s].Adapters), Ports: len(n.At[s])}
	}
	for s := range n.Servers.List {
		if len(n.At[s]) > 0 && !slices.ContainsFunc(n.At[s], func(id fabric.NodeID) bool { return n.f.Nodes[id].Down }) {
			servers = append(servers, int32(s))
			alike[likenessOf(int32(s))]++
		}
	}
	if a.given("like") {
		var err error
		if servers, err = n.serversLike(servers, a); err != nil {
			return -1, err
		}
	}
	if len(servers) == 0 {
		return -1, fmt.Errorf("no switch that is up has hosts: there is no server to add another one like")
	}
	type candidate struct{ alike, room int }
	best, of, first := int32(-1), candidate{}, ""
	for _, s := range servers {
		need := n.portsOf(s)
		if lacks := n.lacksPorts(need); lacks != "" {
			first = cmp.Or(first, lacks)
			continue
		}
		c := candidate{alike[likenessOf(s)], fabric.MaxPorts}
		for id, k := range need {
			c.room = min(c.room, len(nodes.FreePorts(n.f, id))-k)
		}
		if best < 0 || c.alike > of.alike || c.alike == of.alike && c.room > of.room {
			best, of = s, c
		}
	}
	if best < 0 {
		return -1, fmt.Errorf("no server can be added: beside each of the %d servers a leaf switch lacks free ports (%s)", len(servers), first)
	}
	return best, nil
}

// serversLike returns the server that like= names, or the servers of the switch that it names.
func (n *pattern) serversLike(servers []int32, a *args) ([]int32, error) {
	name := a.text("like")
	if s, err := n.Servers.Find(n.f, name); err == nil {
		return []int32{s}, nil
	}
	id, err := n.f.FindNode(name)
	if err != nil {
		return nil, problemf(a.value("like").pos, "%v", err)
	}
	some := slices.DeleteFunc(servers, func(s int32) bool { return !slices.Contains(n.At[s], id) })
	if len(some) == 0 {
		return nil, problemf(a.value("like").pos, "%s has no servers", n.f.NodeName(id))
	}
	return some, nil
}
