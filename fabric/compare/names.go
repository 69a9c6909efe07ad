package compare

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"weft/fabric"
)

// # Names
//
// A file without GUIDs lists cables by the names of their ends. The case of names does not count.
// The description "MF0;leaf7:MQM8700/U1" is the switch leaf7, and "MF0;core1:CS8500/L04/U2" is chip
// 2 of board 4 of core1. A host is known by its description alone: the ports of one adapter share
// it.
//
// Such a file tells the cables of the devices that it names, of the kinds that it has (between two
// switches, or to hosts), and none inside a director. Ports that it names by labels alone ("1/2/1")
// are compared where the other file has labels; otherwise only the number of cables between two
// devices counts.

var (
	systemName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:mf\d+;)?([^;:/]*)(?::[^/]*)?((?:/[a-z]*\d+)*)$`) })
	partName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z]*)0*(\d+)`) })
)

// switchKey returns the name of a switch in one form: the system, and the board and chip of a
// director.
func switchKey(desc string) (system, key string) {
	text := strings.ToLower(strings.TrimSpace(desc))
	found := systemName().FindStringSubmatch(text)
	if found == nil {
		return text, text
	}
	part := partName().ReplaceAllString(found[2], "$1$2")
	if part == "/u1" { // of a switch with one chip
		part = ""
	}
	return found[1], found[1] + part
}

// kind is a kind of cable: to a host, to an aggregation node, or between two switches.
type kind uint8

const (
	toHost kind = iota
	toAggregation
	toSwitch
	kinds
)

// named is a side by name.
type named struct {
	Side
	systems  map[string]bool // those that the file names
	labelled map[string]bool // switches with labels at their ports
	switches map[string]bool // of the other file, which has types
	has      [kinds]bool
}

func newNamed(s, other Side) *named {
	n := &named{Side: s, systems: map[string]bool{}, labelled: map[string]bool{}, switches: map[string]bool{}}
	for i := range other.Nodes {
		if o := &other.Nodes[i]; s.Names && !other.Names && o.Type == fabric.Switch {
			_, key := switchKey(o.Desc)
			n.switches[key] = true
		}
	}
	for i := range s.Nodes {
		system, key := n.key(fabric.NodeID(i))
		n.systems[system] = true
		if slices.ContainsFunc(s.Nodes[i].Ports, func(p fabric.Port) bool { return p.Label != "" }) {
			n.labelled[key] = true
		}
	}
	for i := range s.Links {
		n.has[n.kind(&s.Links[i])] = true
	}
	return n
}

// key returns the names of a node: of its system, and its own.
func (n *named) key(id fabric.NodeID) (system, key string) {
	if n.isSwitch(id) {
		return switchKey(n.Nodes[id].Desc)
	}
	key = strings.ToLower(strings.TrimSpace(n.Nodes[id].Desc))
	return key, key
}

// isSwitch reports whether a node is a switch. A file without GUIDs often does not say so; then the
// other one decides.
func (n *named) isSwitch(id fabric.NodeID) bool {
	if n.Nodes[id].Type == fabric.Switch {
		return true
	}
	_, key := switchKey(n.Nodes[id].Desc)
	return n.switches[key]
}

func (n *named) kind(l *fabric.Link) kind {
	for _, e := range [2]fabric.End{l.A, l.B} {
		switch {
		case n.isSwitch(e.Node):
		case n.IsAggregationNode(e.Node):
			return toAggregation
		default:
			return toHost
		}
	}
	return toSwitch
}

// tells reports whether a file would list a cable of the other one.
func (n *named) tells(other *named, l *fabric.Link) bool {
	a, _ := other.key(l.A.Node)
	b, _ := other.key(l.B.Node)
	k := other.kind(l)
	if !n.Names {
		return true
	}
	return n.has[k] && (n.systems[a] || n.systems[b]) && (a != b || k != toSwitch)
}

// end returns the name of a port.
func (n *named) end(other *named, e fabric.End) string {
	_, key := n.key(e.Node)
	port := n.Nodes[e.Node].Ports[e.Port]
	made := n.Names && n.labelled[key] || other.Names && other.labelled[key] // numbers are
	switch {
	case !n.isSwitch(e.Node):
		return key
	case made && n.labelled[key] && other.labelled[key]:
		return key + " " + port.Label
	case made:
		return key
	}
	return key + " " + strconv.Itoa(int(e.Port))
}

// byName compares the cables of two sides by the names of their ends.
func byName(a, b Side) ([]fabric.Change, error) {
	x, y := newNamed(a, b), newNamed(b, a)
	common := false
	for system := range x.systems {
		common = common || y.systems[system]
	}
	if !common && len(x.systems) > 0 && len(y.systems) > 0 {
		return nil, errors.New("the two files have no name in common, and one of them has no GUIDs: give a node name map (--node-map)")
	}
	if err := errors.Join(x.ambiguous(y), y.ambiguous(x)); err != nil {
		return nil, err
	}
	was, is := x.cables(y), y.cables(x)
	var out []fabric.Change
	for _, key := range sortedKeys(was, is) {
		for _, id := range was[key][min(len(was[key]), len(is[key])):] {
			out = append(out, fabric.Change{Kind: "link removed", Ports: x.ports(y, id)})
		}
		for _, id := range is[key][min(len(was[key]), len(is[key])):] {
			out = append(out, fabric.Change{Kind: "link added", Ports: y.ports(x, id)})
		}
		for i := range min(len(was[key]), len(is[key])) {
			from, to := rate(a, was[key][i]), rate(b, is[key][i])
			if from != to && from != "" && to != "" {
				out = append(out, fabric.Change{Kind: "link changed", Ports: y.ports(x, is[key][i]), From: from, To: to})
			}
		}
	}
	return out, nil
}

// ambiguous returns an error if the other side names a switch, and several switches of this side
// have that name: nobody could tell which one is meant.
func (n *named) ambiguous(other *named) error {
	if n.Names {
		return nil
	}
	met := map[string]fabric.NodeID{}
	for i := range n.Nodes {
		if n.Nodes[i].Type != fabric.Switch {
			continue
		}
		id := fabric.NodeID(i)
		system, key := n.key(id)
		first, twice := met[key]
		if met[key] = id; twice && other.systems[system] {
			return fmt.Errorf("switches %s and %s have one name, and one of the files has no GUIDs: give a node name map (--node-map)", n.NodeName(first), n.NodeName(id))
		}
	}
	return nil
}

// cables lists the cables that are up and that the other side tells too, by names of their ends.
func (n *named) cables(other *named) map[string][]fabric.LinkID {
	list := map[string][]fabric.LinkID{}
	for i := range n.Links {
		l, id := &n.Links[i], fabric.LinkID(i)
		if !n.LinkUp(id) || !other.tells(n, l) {
			continue
		}
		a, b := n.end(other, l.A), n.end(other, l.B)
		if b < a {
			a, b = b, a
		}
		list[a+" - "+b] = append(list[a+" - "+b], id)
	}
	return list
}

// ports names both ends of a cable in the order of their names. Made-up GUIDs are left out.
func (n *named) ports(other *named, id fabric.LinkID) []fabric.PortName {
	l := &n.Links[id]
	ports := n.LinkPorts(id)
	if n.end(other, l.B) < n.end(other, l.A) {
		slices.Reverse(ports)
	}
	if n.Names {
		for i := range ports {
			ports[i].GUID = 0
		}
	}
	return ports
}

func sortedKeys(a, b map[string][]fabric.LinkID) []string {
	var keys []string
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return slices.Compact(keys)
}

// rate returns the rate of a cable, "" if it is not known.
func rate(s Side, id fabric.LinkID) string {
	l := &s.Links[id]
	if l.Width == 0 || l.Speed == fabric.SpeedUnknown {
		return ""
	}
	return strconv.Itoa(int(l.Width)) + "x" + l.Speed.String()
}
