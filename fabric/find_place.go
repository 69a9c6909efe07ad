package fabric

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FindNode finds a node by name: see NameHelp.
func (f *Fabric) FindNode(name string) (NodeID, error) {
	return f.find("node", name, Switch, CA, Router)
}

// FindSwitch finds a switch by name.
func (f *Fabric) FindSwitch(name string) (NodeID, error) { return f.find("switch", name, Switch) }

// FindHost finds a host, a CA or router, by name.
func (f *Fabric) FindHost(name string) (NodeID, error) { return f.find("host", name, CA, Router) }

// find finds a node of the given types by name. If only a node of another type has the name, the
// error says so.
func (f *Fabric) find(kind, name string, types ...NodeType) (NodeID, error) {
	among := func(want func(*Node) bool) (NodeID, error) {
		var ids []NodeID
		for i := range f.Nodes {
			if want(&f.Nodes[i]) {
				ids = append(ids, NodeID(i))
			}
		}
		i, err := FindNamed(kind, name, len(ids), func(i int) (GUID, string) { n := &f.Nodes[ids[i]]; return n.GUID, n.Desc })
		if err != nil {
			return -1, err
		}
		return ids[i], nil
	}
	is := func(n *Node) bool { return slices.Contains(types, n.Type) }
	if guid, err := ParseGUID(name); err == nil && strings.HasPrefix(name, "0x") {
		if id, known := f.NodeByGUID(guid); known && is(&f.Nodes[id]) {
			return id, nil // no name fits better
		}
	}
	id, err := among(is)
	none, ok := errors.AsType[*NoName](err)
	if !ok || none.Count > 0 {
		return id, err
	}
	if end, ok := f.addressed(name); ok && is(&f.Nodes[end.Node]) {
		return end.Node, nil
	}
	if other, wrong := among(func(n *Node) bool { return !is(n) }); wrong == nil {
		return -1, fmt.Errorf("%s is a %s, not a %s", f.NodeName(other), f.Nodes[other].Type, kind)
	}
	return -1, err
}

// addressed finds a port by its port GUID, or by any of its LIDs, as in "LID 12".
func (f *Fabric) addressed(name string) (End, bool) {
	name = Unquote(strings.TrimSpace(name))
	q := newQuery(name)
	lid := uint64(0)
	if rest, ok := strings.CutPrefix(strings.ToLower(name), "lid"); ok {
		lid, _ = strconv.ParseUint(strings.TrimLeft(rest, " :"), 0, 16)
	}
	if lid == 0 && (!q.isGUID || q.guid == 0) {
		return End{}, false
	}
	for i := range f.Nodes {
		for at, p := range f.Nodes[i].Ports {
			has := p.GUID == q.guid
			if lid > 0 {
				has = p.LID > 0 && lid >= uint64(p.LID) && lid < uint64(p.LID)+1<<p.LMC
			}
			if has {
				return End{NodeID(i), uint8(at)}, true
			}
		}
	}
	return End{}, false
}

// Place is a node or one of its ports.
type Place struct {
	End
	Whole bool // the node; Port is 0
}

// FindPlace finds a node or a port by name. NODE[PORT] is a port unless it is the description of a
// node; NODE/PORT, NODE:PORT and NODE port PORT are ports if no node matches the whole name.
func (f *Fabric) FindPlace(name string) (Place, error) {
	node, port, style := cutPort(name)
	if style == atBracket && !f.called(name) {
		return f.portOf(node, port)
	}
	id, err := f.FindNode(name)
	if err == nil {
		return f.placeOf(name, id), nil
	}
	if style == atNone {
		return Place{}, err
	}
	return f.portOf(node, port)
}

// placeOf returns the place of a name that stands for a node: the port if a host is named by a GUID
// or LID of this port.
func (f *Fabric) placeOf(name string, id NodeID) Place {
	guid, err := ParseGUID(name)
	byNode := err == nil && guid == f.Nodes[id].GUID
	if end, ok := f.addressed(name); ok && !byNode && end.Node == id && f.Nodes[id].Type != Switch && !f.called(name) {
		return Place{End: end}
	}
	return Place{End: End{Node: id}, Whole: true}
}

// called reports whether a node has exactly this description.
func (f *Fabric) called(name string) bool {
	text := Unquote(strings.TrimSpace(name))
	for i := range f.Nodes {
		if f.Nodes[i].Desc == text {
			return true
		}
	}
	return false
}

// portOf finds a port by its node and its number.
func (f *Fabric) portOf(node, port string) (Place, error) {
	id, err := f.FindNode(node)
	if err != nil {
		return Place{}, err
	}
	n, err := strconv.Atoi(port)
	if err != nil || n > f.Nodes[id].NumPorts() {
		return Place{}, fmt.Errorf("%s has the ports 1 to %d, not %s", f.NodeName(id), f.Nodes[id].NumPorts(), port)
	}
	return Place{End: End{Node: id, Port: uint8(n)}}, nil
}

// portStyle is the form of a port number behind the name of its node.
type portStyle int

const (
	atNone    portStyle = iota // there is no port
	atBracket                  // NODE[PORT]
	atOther                    // NODE/PORT, NODE/PPORT, NODE:PORT, NODE port PORT
)

// cutPort splits the name of a port into the name of its node and its number.
func cutPort(name string) (node, port string, style portStyle) {
	name = strings.TrimSpace(name)
	inner, bracketed := strings.CutSuffix(name, "]")
	if i := strings.LastIndexByte(inner, '['); bracketed && i > 0 && isNumber(strings.TrimSpace(inner[i+1:])) {
		return inner[:i], strings.TrimSpace(inner[i+1:]), atBracket
	}
	i := strings.LastIndexFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	port = name[i+1:]
	if i < 0 || port == "" {
		return name, "", atNone
	}
	head := name[:i+1]
	for _, sep := range []string{" port ", "/P", "/p", "/", ":"} {
		if node, ok := strings.CutSuffix(head, sep); ok && node != "" {
			return node, port, atOther
		}
	}
	return name, "", atNone
}

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// FindLink finds a cable by name: one of its ports, a node with only this cable, or both ends as
// NODE -- NODE or NODE - NODE, each with or without a port.
func (f *Fabric) FindLink(name string) (LinkID, error) {
	var errEnd error
	if _, _, pair := CutUnquoted(name, "--"); pair {
		var a, b Place
		if a, b, errEnd = f.findEnds(name, "--"); errEnd == nil {
			return f.linkBetween(a, b)
		}
	}
	at, err := f.FindPlace(name)
	if err == nil { // perhaps a description with -- in it
		return f.linkAt(at)
	}
	if a, b, err := f.findEnds(name, " - "); err == nil { // descriptions may have this too
		return f.linkBetween(a, b)
	}
	return NoLink, cmp.Or(errEnd, err)
}

// findEnds splits the name of a cable at the first separator where both ends are found; an error is
// about the first separator.
func (f *Fabric) findEnds(name, sep string) (a, b Place, err error) {
	err = fmt.Errorf("%q names only one end", name)
	parts := SplitUnquoted(name, sep)
	for i := 1; i < len(parts); i++ {
		a, errA := f.FindPlace(strings.Join(parts[:i], sep))
		b, errB := f.FindPlace(strings.Join(parts[i:], sep))
		if errA == nil && errB == nil {
			return a, b, nil
		}
		if i == 1 {
			err = cmp.Or(errA, errB)
		}
	}
	return a, b, err
}

// linkAt returns the cable in a port, or the only cable of a node.
func (f *Fabric) linkAt(at Place) (LinkID, error) {
	if !at.Whole {
		if l := f.Nodes[at.Node].Ports[at.Port].Link; l != NoLink {
			return l, nil
		}
		return NoLink, fmt.Errorf("port %s has no cable", f.EndName(at.End))
	}
	only, count := NoLink, 0
	for _, l := range f.Cabled(at.Node, nil) {
		only = l
		count++
	}
	switch count {
	case 0:
		return NoLink, fmt.Errorf("%s has no cable", f.NodeName(at.Node))
	case 1:
		return only, nil
	}
	return NoLink, fmt.Errorf("%s has %d cables: name one by its port, NODE[PORT], or as NODE -- NODE", f.NodeName(at.Node), count)
}

// linkBetween returns the only cable between two nodes or ports.
func (f *Fabric) linkBetween(a, b Place) (LinkID, error) {
	at := func(p Place, e End) bool { return p.Node == e.Node && (p.Whole || p.Port == e.Port) }
	only, ports := NoLink, []string(nil)
	for p, l := range f.Cabled(a.Node, nil) {
		near := End{a.Node, p}
		if at(a, near) && at(b, f.Peer(near)) && l != only {
			only = l
			ports = append(ports, strconv.Itoa(int(p)))
		}
	}
	switch {
	case len(ports) == 0:
		return NoLink, fmt.Errorf("no cable joins %s and %s", f.placeName(a), f.placeName(b))
	case len(ports) > 1 && a.Node != b.Node:
		return NoLink, fmt.Errorf("%d cables join %s and %s: name one by its port: %s[%s]", len(ports), f.placeName(a), f.placeName(b), f.NodeName(a.Node), strings.Join(ports, "], ["))
	}
	return only, nil
}

// placeName names a node or port for people.
func (f *Fabric) placeName(p Place) string {
	if p.Whole {
		return f.NodeName(p.Node)
	}
	return f.EndName(p.End)
}

// FindSwitch finds a switch that is up by name.
func (g *Graph) FindSwitch(name string) (int32, error) {
	s, err := FindNamed("switch that is up", name, g.NumSwitches, func(i int) (GUID, string) { return g.SwitchGUID[i], g.SwitchDesc[i] })
	return int32(s), err
}
