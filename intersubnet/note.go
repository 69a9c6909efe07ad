package intersubnet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/route"
)

// Note describes one subnet to the managers of others: its router ports, and the end ports that
// others send to. All managers derive the same paths from the notes of all subnets (WaysOf). They
// need to know nothing else of other subnets.
type Note struct {
	Prefix  subnets.Prefix
	Ports   []NotePort   // of routers, in order of end ports
	Targets []NoteTarget // hosts by switch and port, then port 0 of all switches in order
	Reason  string       // why the subnet is no fat-tree under routers; "" where it is
}

// NotePort is a port of a router.
type NotePort struct {
	Router fabric.GUID
	Number uint8
	GUID   fabric.GUID
	Switch uint16 // that it is at
}

// NoteTarget is an end port that other subnets send to.
type NoteTarget struct {
	GUID     fabric.GUID
	Primary  uint16 // switch with routers of the primary path to it; 0 where the subnet is no fat-tree under routers
	PortZero bool   // of a switch
	// Aggregation marks a port of an aggregation node, which is no host.
	Aggregation bool
}

// RouterPort is a port of a router as the manager of its subnet knows it.
type RouterPort struct {
	End    int32 // end port
	Router fabric.GUID
	Number uint8
}

// NewNote describes a subnet as its manager knows it. Routers are in order of end ports.
func NewNote(prefix subnets.Prefix, g *fabric.Graph, local *route.Plan, routers []RouterPort) *Note {
	note := &Note{Prefix: prefix}
	t := &tree{g: g, isRouter: func(h int32) bool { return g.EndType[h] == fabric.Router }}
	for _, r := range routers {
		note.Ports = append(note.Ports, NotePort{r.Router, r.Number, g.EndGUID[r.End], uint16(g.EndSwitch[r.End])})
		t.tops = append(t.tops, g.EndSwitch[r.End])
	}
	ends := targetsOf(g, t.isRouter)
	note.Reason = t.noTree(local, func(i int) string {
		return fmt.Sprintf("router %s[%d]", routers[i].Router, routers[i].Number)
	})
	primary := make([]int32, g.NumEnds)
	if note.Reason == "" && len(routers) > 0 {
		primary = t.primarySwitches(local, ends)
	}
	for _, e := range ends {
		note.Targets = append(note.Targets, NoteTarget{g.EndGUID[e], uint16(max(0, primary[e])), g.IsPortZero(e), e < int32(g.NumHosts) && g.Aggregation[e]})
	}
	return note
}

// Encode writes a Note as bytes.
func (n *Note) Encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(n.Prefix))
	b = binary.AppendUvarint(b, uint64(len(n.Reason)))
	b = append(b, n.Reason...)
	b = binary.AppendUvarint(b, uint64(len(n.Ports)))
	for _, p := range n.Ports {
		b = binary.BigEndian.AppendUint64(b, uint64(p.Router))
		b = append(b, p.Number)
		b = binary.BigEndian.AppendUint64(b, uint64(p.GUID))
		b = binary.BigEndian.AppendUint16(b, p.Switch)
	}
	b = binary.AppendUvarint(b, uint64(len(n.Targets)))
	for _, t := range n.Targets {
		b = binary.BigEndian.AppendUint64(b, uint64(t.GUID))
		b = binary.BigEndian.AppendUint16(b, t.Primary)
		b = append(b, uint8(btoi(t.PortZero)+2*btoi(t.Aggregation)))
	}
	return b
}

// DecodeNote reads a Note that Encode wrote.
func DecodeNote(b []byte) (*Note, error) {
	d := &decoder{b: b}
	n := &Note{Prefix: subnets.Prefix(d.uint(8)), Reason: string(d.bytes(d.count(1)))}
	n.Ports = make([]NotePort, d.count(19))
	for i := range n.Ports {
		n.Ports[i] = NotePort{fabric.GUID(d.uint(8)), uint8(d.uint(1)), fabric.GUID(d.uint(8)), uint16(d.uint(2))}
	}
	n.Targets = make([]NoteTarget, d.count(11))
	for i := range n.Targets {
		t := NoteTarget{GUID: fabric.GUID(d.uint(8)), Primary: uint16(d.uint(2))}
		what := d.uint(1)
		t.PortZero, t.Aggregation = what == 1, what == 2
		d.failed = d.failed || what > 2
		n.Targets[i] = t
	}
	if d.failed || len(d.b) > 0 {
		return nil, errors.New("the note is cut off, or has bytes after its end")
	}
	return n, n.validate()
}

// validate refuses a Note that contradicts itself.
func (n *Note) validate() error {
	switches, hosts := 0, 0
	guids := map[fabric.GUID]bool{}
	for _, t := range n.Targets {
		switch {
		case guids[t.GUID]:
			return fmt.Errorf("GUID %s appears twice", t.GUID)
		case t.PortZero:
			switches++
		case switches > 0:
			return errors.New("a host comes after the switches")
		default:
			hosts++
		}
		guids[t.GUID] = true
	}
	places := map[[2]uint64]bool{}
	for _, p := range n.Ports {
		at := [2]uint64{uint64(p.Router), uint64(p.Number)}
		switch {
		case int(p.Switch) >= switches:
			return fmt.Errorf("router port %s is at switch %d of %d", p.GUID, p.Switch, switches)
		case guids[p.GUID] || places[at]:
			return fmt.Errorf("router port %s appears twice", p.GUID)
		}
		guids[p.GUID], places[at] = true, true
	}
	for _, t := range n.Targets {
		if switches > 0 && int(t.Primary) >= switches {
			return fmt.Errorf("the primary path to %s goes through switch %d of %d", t.GUID, t.Primary, switches)
		}
	}
	return nil
}

// decoder reads numbers from bytes. Beyond the end it returns 0 and sets failed.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.b) {
		d.failed, d.b = true, nil
		return make([]byte, min(n, 8))
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) uint(size int) (x uint64) {
	for _, v := range d.bytes(size) {
		x = x<<8 | uint64(v)
	}
	return x
}

// count reads the number of items that follow, each of at least size bytes. It fails if there are
// fewer bytes.
func (d *decoder) count(size int) int {
	n, used := binary.Uvarint(d.b)
	if used <= 0 || n > uint64(len(d.b)-used)/uint64(size) {
		d.failed, d.b = true, nil
		return 0
	}
	d.b = d.b[used:]
	return int(n)
}

// Ways holds the paths between subnets that follow from their notes: by ISFR, or by ISSR where ISFR
// does not apply. Its Plan has no local Plans.
type Ways struct {
	Plan      *Plan
	Fallbacks []Fallback
	subnets   map[subnets.Prefix]int32
	ends      map[subnets.GID]int32
	byISFR    [][]bool // by subnet and target subnet: joined directly, and the target a fat-tree under routers
	a         *admissible
}

// WaysOf finds the paths between subnets from their notes, in the order of their prefixes.
func WaysOf(notes []*Note) (*Ways, error) {
	notes = slices.SortedFunc(slices.Values(notes), func(x, y *Note) int { return cmp.Compare(x.Prefix, y.Prefix) })
	n, err := networkOf(notes)
	if err != nil {
		return nil, err
	}
	m := &Ways{Plan: &Plan{Net: n, Down: make([]bool, len(n.Ports))}, subnets: map[subnets.Prefix]int32{}, ends: map[subnets.GID]int32{}}
	for s := range n.Subnets {
		m.subnets[n.Subnets[s].Prefix] = int32(s)
		for _, e := range targets(n, int32(s)) {
			m.ends[n.GID(int32(s), e)] = e
		}
	}
	p := m.Plan
	p.clearWays()
	m.a = newAdmissible(n, p.Down)
	p.issr(m.a)
	m.Fallbacks = p.isfr(m.a, ISSR, func(subnet int32) ([]int32, string) {
		note := notes[subnet]
		primary := make([]int32, n.Graph(subnet).NumEnds)
		for i, e := range targets(n, subnet) {
			primary[e] = int32(note.Targets[i].Primary)
		}
		return primary, note.Reason
	})
	m.findISFR()
	return m, nil
}

// findISFR finds the pairs of subnets that ISFR routes.
func (m *Ways) findISFR() {
	n := m.Plan.Net
	m.byISFR = make([][]bool, len(n.Subnets))
	for s := range m.byISFR {
		m.byISFR[s] = make([]bool, len(n.Subnets))
		for t := range m.byISFR[s] {
			m.byISFR[s][t] = m.a.distance[t][s] == 1
		}
	}
	for _, f := range m.Fallbacks {
		for s := range m.byISFR {
			for t := range m.byISFR[s] {
				if f.To == n.Subnets[t].Name && (f.From == "" || f.From == n.Subnets[s].Name) {
					m.byISFR[s][t] = false
				}
			}
		}
	}
}

// networkOf makes a Network from notes: hosts, router ports, and switches without links.
func networkOf(notes []*Note) (*subnets.Network, error) {
	n := &subnets.Network{Name: "notes", Kinds: make([]subnets.Kind, len(notes)), Subnets: make([]subnets.Subnet, len(notes))}
	type at struct {
		NotePort
		subnet, end int32
	}
	var all []at
	for s, note := range notes {
		if s > 0 && notes[s-1].Prefix == note.Prefix {
			return nil, fmt.Errorf("two subnets have the prefix %s", note.Prefix)
		}
		g := &fabric.Graph{Name: note.Prefix.String(), NumEnds: len(note.Targets) + len(note.Ports)}
		g.EndGUID, g.EndSwitch, g.EndPort, g.Aggregation = make([]fabric.GUID, g.NumEnds), make([]int32, g.NumEnds), make([]uint8, g.NumEnds), make([]bool, g.NumEnds)
		for _, t := range note.Targets {
			g.NumSwitches += btoi(t.PortZero)
		}
		g.NumHosts = g.NumEnds - g.NumSwitches
		hosts := len(note.Targets) - g.NumSwitches
		sub := subnets.Subnet{Name: note.Prefix.String(), Prefix: note.Prefix, Kind: int32(s), Nodes: len(note.Targets), PortOf: slices.Repeat([]int32{-1}, g.NumHosts)}
		for i, t := range note.Targets {
			end := int32(i)
			if t.PortZero {
				end += int32(len(note.Ports))
				g.EndSwitch[end] = end - int32(g.NumHosts)
			}
			g.EndGUID[end], g.Aggregation[end] = t.GUID, t.Aggregation
		}
		for i, p := range note.Ports {
			end := int32(hosts + i)
			g.EndGUID[end], g.EndSwitch[end] = p.GUID, int32(p.Switch)
			all = append(all, at{p, int32(s), end})
		}
		n.Kinds[s], n.Subnets[s] = subnets.Kind{Source: g.Name, Graph: g}, sub
	}
	slices.SortStableFunc(all, func(x, y at) int { return cmp.Or(cmp.Compare(x.Router, y.Router), cmp.Compare(x.Number, y.Number)) })
	for i, p := range all {
		if i == 0 || all[i-1].Router != p.Router {
			n.Routers = append(n.Routers, subnets.Router{Name: p.Router.String(), GUID: p.Router, First: int32(i)})
		} else if all[i-1].Number == p.Number {
			return nil, fmt.Errorf("port %d of router %s is in two subnets", p.Number, p.Router)
		}
		r := int32(len(n.Routers) - 1)
		n.Routers[r].End = int32(i + 1)
		n.Ports = append(n.Ports, subnets.Port{Router: r, Number: p.Number, GUID: p.GUID, Subnet: p.subnet, End: p.end})
		n.Subnets[p.subnet].PortOf[p.end] = int32(i)
	}
	for s := range n.Subnets {
		for _, port := range n.Subnets[s].PortOf {
			if port >= 0 {
				n.Subnets[s].Ports = append(n.Subnets[s].Ports, port)
			}
		}
	}
	return n, nil
}

// address finds the end port of a GID.
func (m *Ways) address(gid subnets.GID) (Address, bool) {
	end, ok := m.ends[gid]
	return Address{m.subnets[gid.Prefix], end}, ok
}

// Router returns the router port for packets from a subnet to a GID: the first usable one, in the
// order of a mapping file. Unless unproven is set, it answers only for hosts, and only where ISFR
// applies: up to the roots, over a router, and down, which is free of deadlock on one layer.
func (m *Ways) Router(from subnets.Prefix, gid subnets.GID, unproven bool, usable func(port fabric.GUID) bool) (fabric.GUID, bool) {
	s, known := m.subnets[from]
	to, ok := m.address(gid)
	if !known || !ok || !unproven && (!m.byISFR[s][to.Subnet] || !m.Plan.Net.Graph(to.Subnet).IsHost(to.End)) {
		return 0, false
	}
	ports := m.Plan.Net.Ports
	if port := m.Plan.GatewayPort(s, to); port >= 0 && usable(ports[port].GUID) {
		return ports[port].GUID, true
	}
	for _, place := range m.a.gateways(s, to.Subnet) {
		if guid := ports[m.Plan.Net.Subnets[s].Ports[place]].GUID; usable(guid) {
			return guid, true
		}
	}
	return 0, false
}

// TableRow says where packets for a GID go that leave a router through a port: to an end port of
// the port's subnet, which has the GID or is the next router.
type TableRow struct {
	To       subnets.GID
	Next     fabric.GUID
	Distance int32 // routers behind this one
}

// Table lists the GIDs whose packets leave a router through a port, named by its GUID. Unless
// unproven is set, it leaves out subnets behind others, subnets that are no fat-trees under
// routers, and port 0 of switches.
func (m *Ways) Table(from subnets.Prefix, port fabric.GUID, unproven bool) (list []TableRow) {
	n := m.Plan.Net
	s, known := m.subnets[from]
	at := slices.IndexFunc(n.Ports, func(p subnets.Port) bool { return p.GUID == port && p.Subnet == s })
	if !known || at < 0 {
		return nil
	}
	for t := range int32(len(n.Subnets)) {
		e := &m.Plan.Egress[n.Ports[at].Router][t]
		place := slices.Index(e.Ports, int32(at))
		if place < 0 || !unproven && (t != s || !m.entered(t)) {
			continue
		}
		for _, end := range targets(n, t) {
			if e.Pick != nil && int(e.Pick[end]) != place || !unproven && !n.Graph(t).IsHost(end) {
				continue
			}
			to := n.GID(t, end)
			next := to.GUID
			if t != s {
				gateway := m.Plan.GatewayPort(s, Address{t, end})
				if gateway < 0 {
					continue
				}
				next = n.Ports[gateway].GUID
			}
			list = append(list, TableRow{to, next, m.a.distance[t][s]})
		}
	}
	return list
}

// entered reports whether ISFR routes into a subnet from any other.
func (m *Ways) entered(target int32) bool {
	return slices.ContainsFunc(m.byISFR, func(row []bool) bool { return row[target] })
}
