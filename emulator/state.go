package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/wire/mad"
)

// Stats counts datagrams since the start.
type Stats struct {
	Sent      uint64 // by programs
	Answered  uint64 // by management agents
	Delivered uint64 // to programs, without returned ones
	Traps     uint64 // sent by nodes, with repetitions
	Lost      [numCauses]uint64
	Multicast MulticastStats
}

// MulticastStats counts datagrams to multicast groups.
type MulticastStats struct {
	Sent    uint64
	Copies  uint64 // made by switches
	Arrived uint64 // at end ports, with or without a program
}

// Losses returns the losses by cause, in words, without causes that did not occur.
func (s *Stats) Losses() map[string]uint64 {
	m := map[string]uint64{}
	for c, n := range s.Lost {
		if n > 0 {
			m[Cause(c).String()] = n
		}
	}
	return m
}

// Stats returns the counts so far.
func (s *Subnet) Stats() Stats { return s.stats }

// States counts the cabled external ports by PortState: Down at index 1, Init 2, Armed 3, Active 4.
func (d *devices) States() (n [5]int) {
	for p := range d.ports {
		if x := &d.ports[p]; x.cable >= 0 {
			n[min(x.state(), 4)]++
		}
	}
	return n
}

// PortInfo returns the PortInfo of a port (64 bytes), as its agent would answer with the right
// M_Key.
func (d *devices) PortInfo(e fabric.End) ([]byte, error) {
	p, err := d.portAt(e)
	if err != nil {
		return nil, err
	}
	b := slices.Clone(d.ports[p].info[:])
	mad.PortInfoLocalPortNum.Put(b, uint64(e.Port))
	return b, nil
}

// NodeInfo returns the NodeInfo of a node (40 bytes) as reached through a port.
func (d *devices) NodeInfo(e fabric.End) ([]byte, error) {
	p, err := d.portAt(e)
	if err != nil {
		return nil, err
	}
	b := slices.Clone(d.nodes[e.Node].info[:])
	mad.NodeInfoPortGUID.Put(b, d.ports[d.agentPort(p)].guid)
	mad.NodeInfoLocalPortNum.Put(b, uint64(e.Port))
	return b, nil
}

// PKeys returns the P_Keys of a port that are set, in order of their index.
func (d *devices) PKeys(e fabric.End) ([]uint16, error) {
	p, err := d.portAt(e)
	if err != nil {
		return nil, err
	}
	if d.ports[p].tables == nil {
		return []uint16{0xFFFF}, nil
	}
	keys := d.ports[p].tables.pkeys[:]
	n := len(keys)
	for n > 0 && keys[n-1] == 0 {
		n--
	}
	return slices.Clone(keys[:n]), nil
}

// Fabric returns the current subnet: its live parts, LIDs, LMCs, VLs, cables. Nodes keep their
// numbers; so do links, without links unplugged by Connect.
func (d *devices) Fabric() *fabric.Fabric {
	f := fabric.New(d.fab.Name)
	for i := range d.fab.Nodes {
		old := &d.fab.Nodes[i]
		// The original GUID: a Fabric cannot hold one twice.
		id, err := f.AddNode(old.Type, old.GUID, old.NumPorts(), old.Desc)
		if err != nil {
			panic(err) // the same node was added to the original
		}
		n := &f.Nodes[id]
		ports := n.Ports
		*n = *old
		n.Ports = ports
		n.Down = d.nodes[i].off
		for p := range ports {
			x := &d.ports[d.nodes[i].first+int32(p)]
			ports[p] = old.Ports[p]
			ports[p].Link = fabric.NoLink
			ports[p].LID = fabric.LID(mad.PortInfoLID.Get(x.info[:]))
			ports[p].LMC = uint8(mad.PortInfoLMC.Get(x.info[:]))
		}
	}
	for i := range d.cables {
		c := &d.cables[i]
		if c.a < 0 {
			continue
		}
		id, err := f.Connect(d.end(c.a), d.end(c.b), c.width, c.speed)
		if err != nil {
			panic(err) // a port holds one cable
		}
		f.Links[id].Down = !d.up(int32(i))
	}
	return f
}

// Tables returns the programmed forwarding tables of the switches that are on, in order of GUID,
// and the ports of the LIDs.
func (d *devices) Tables() *tables.LFTs {
	t := &tables.LFTs{}
	for i := range d.switches {
		w := &d.switches[i]
		if d.nodes[w.node].off {
			continue
		}
		f := &d.fab.Nodes[w.node]
		ports := slices.Clone(w.lft)
		if top := int(mad.SwitchInfoLinearFDBTop.Get(w.info[:])); len(ports) > top+1 {
			ports = ports[:top+1]
		}
		t.Switches = append(t.Switches, tables.SwitchLFT{
			GUID: f.GUID, LID: fabric.LID(d.lid(d.nodes[w.node].first)), Desc: f.Desc, Ports: ports,
		})
	}
	slices.SortFunc(t.Switches, func(a, b tables.SwitchLFT) int { return cmp.Compare(a.GUID, b.GUID) })
	t.Targets = d.targets()
	return t
}

// targets returns the end ports that are up and have LIDs, by LID. If two ports share a LID, it
// keeps the first.
func (d *devices) targets() []tables.Target {
	var out []tables.Target
	for p := range d.ports {
		x := &d.ports[p]
		lid := d.lid(int32(p))
		if lid == 0 || d.nodes[x.node].off || d.agentPort(int32(p)) != int32(p) {
			continue
		}
		f := &d.fab.Nodes[x.node]
		for i := range uint16(1) << mad.PortInfoLMC.Get(x.info[:]) {
			out = append(out, tables.Target{LID: fabric.LID(lid + i), GUID: fabric.GUID(x.guid), Type: f.Type, Desc: f.Desc})
		}
	}
	slices.SortStableFunc(out, func(a, b tables.Target) int { return int(a.LID) - int(b.LID) })
	return slices.CompactFunc(out, func(a, b tables.Target) bool { return a.LID == b.LID })
}

// Lanes returns the SL to VL mapping tables of the nodes that are on: for a switch between port 0
// and all cabled ports, for other nodes of their cabled ports.
func (d *devices) Lanes() *tables.SL2VLs {
	l := lanes{pool: map[uint64]uint16{}}
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.off {
			continue
		}
		if n.sw >= 0 {
			l.addSwitch(d, int32(i))
			continue
		}
		for p := n.first + 1; p <= n.first+int32(n.numPorts); p++ {
			if d.ports[p].cable >= 0 {
				l.addPort(d, p)
			}
		}
	}
	return &l.out
}

// lanes gathers mapping tables and stores equal ones once.
type lanes struct {
	out  tables.SL2VLs
	pool map[uint64]uint16
}

func (l *lanes) table(v uint64) uint16 {
	i, ok := l.pool[v]
	if !ok {
		i = uint16(len(l.out.Pool))
		var t tables.SL2VL
		for sl := range t {
			t[sl] = laneOf(v, uint8(sl))
		}
		l.pool[v] = i
		l.out.Pool = append(l.out.Pool, t)
	}
	return i
}

func (l *lanes) addSwitch(d *devices, id int32) {
	n, f := &d.nodes[id], &d.fab.Nodes[id]
	node := tables.NodeSL2VLs{Type: f.Type, GUID: f.GUID, LID: fabric.LID(d.lid(n.first)), Desc: f.Desc}
	for out := range int(n.numPorts) + 1 {
		for in := range int(n.numPorts) + 1 {
			if out > 0 && d.ports[n.first+int32(out)].cable < 0 || in > 0 && d.ports[n.first+int32(in)].cable < 0 {
				continue
			}
			v := d.switchLanes(n, uint8(in), uint8(out))
			node.Rows = append(node.Rows, tables.SL2VLRow{In: uint8(in), Out: uint8(out), Table: l.table(v)})
		}
	}
	l.out.Nodes = append(l.out.Nodes, node)
}

func (l *lanes) addPort(d *devices, p int32) {
	x := &d.ports[p]
	f := &d.fab.Nodes[x.node]
	v := identityLanes(mad.DataVLs(mad.PortInfoVLCap.Get(x.info[:])))
	if x.tables != nil {
		v = x.tables.sl2vl
	}
	l.out.Nodes = append(l.out.Nodes, tables.NodeSL2VLs{
		Type: f.Type, GUID: fabric.GUID(x.guid), LID: fabric.LID(d.lid(p)), Desc: f.Desc,
		Rows: []tables.SL2VLRow{{Table: l.table(v)}},
	})
}

// NodeName names a node for people: its description and GUID.
func (d *devices) NodeName(id fabric.NodeID) string { return d.fab.NodeName(id) }

// FindNode finds a node by name.
func (d *devices) FindNode(name string) (fabric.NodeID, error) { return d.fab.FindNode(name) }

// DefaultEnd returns the port for a program that names none: the first CA port with a cable, or
// else port 0 of the first switch.
func (d *devices) DefaultEnd() (fabric.End, error) {
	for p := range d.ports {
		if x := &d.ports[p]; x.cable >= 0 && d.fab.Nodes[x.node].Type == fabric.CA {
			return d.end(int32(p)), nil
		}
	}
	for i := range d.switches {
		return fabric.End{Node: fabric.NodeID(d.switches[i].node)}, nil
	}
	return fabric.End{}, errors.New("emulator: the fabric has no port to attach to")
}

// EndOf returns the port for a program that names only a node: port 0 of a switch, or the first
// cabled port of another node, or its port 1.
func (d *devices) EndOf(id fabric.NodeID) (fabric.End, error) {
	n, err := d.checkNode(id)
	if err != nil {
		return fabric.End{}, err
	}
	if n.sw >= 0 {
		return fabric.End{Node: id}, nil
	}
	for p := uint8(1); p <= n.numPorts; p++ {
		if d.ports[n.first+int32(p)].cable >= 0 {
			return fabric.End{Node: id, Port: p}, nil
		}
	}
	return fabric.End{Node: id, Port: 1}, nil
}

// FindEnd returns the port for a program that names NODE or NODE/PORT (see fabric.NameHelp); an
// empty name is DefaultEnd.
func (d *devices) FindEnd(name string) (fabric.End, error) {
	if name == "" {
		return d.DefaultEnd()
	}
	at, err := d.fab.FindPlace(name)
	if err != nil || !at.Whole {
		return at.End, err
	}
	return d.EndOf(at.Node)
}

// NodeID names a node in the form of ibsim and ibnetdiscover: a letter for its type and its GUID.
func (d *devices) NodeID(id fabric.NodeID) string {
	letter := map[fabric.NodeType]string{fabric.Switch: "S", fabric.CA: "H", fabric.Router: "R"}[d.fab.Nodes[id].Type]
	return fmt.Sprintf("%s-%016x", letter, uint64(d.fab.Nodes[id].GUID))
}

// NumNodes returns the number of nodes, on or off.
func (d *devices) NumNodes() int { return len(d.nodes) }

// NodeDown reports whether a node is off.
func (d *devices) NodeDown(id fabric.NodeID) bool { return d.nodes[id].off }
