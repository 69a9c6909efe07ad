package outage

import (
	"slices"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/route"
)

// lanes mirrors the lane tables of the devices. A device that is off keeps its last tables: no
// packet reaches it.
type lanes struct {
	held   *route.Plan           // the first Plan with the devices' tables
	number map[fabric.GUID]int32 // of switches
	ends   map[fabric.GUID]int32 // hosts, by port GUID
	ports  []fabric.End          // switch ends of cables, indexed like the Graph's ports (PortStart)
	hosts  []fabric.End
	sl2vl  map[route.VLTable]uint16
	turns  map[string]uint16 // index of an arbitration table by its bytes
}

// newLanes starts with the tables of a Plan; nil if the Plan has none.
func newLanes(g *fabric.Graph, plan *route.Plan, f *fabric.Fabric, number map[fabric.GUID]int32) *lanes {
	if plan.SL2VL == nil || plan.SL == nil {
		return nil
	}
	held := *plan
	l := &lanes{
		held: &held, number: number, ends: map[fabric.GUID]int32{}, ports: make([]fabric.End, len(g.Attached)),
		hosts: make([]fabric.End, g.NumHosts), sl2vl: map[route.VLTable]uint16{}, turns: map[string]uint16{},
	}
	for i, t := range plan.SL2VL.Pool {
		l.sl2vl[t] = uint16(i)
	}
	for s, guid := range g.SwitchGUID {
		id, _ := f.NodeByGUID(guid)
		for port := range uint8(g.SwitchPorts[s] + 1) {
			l.ports[g.PortStart[s]+int32(port)] = fabric.End{Node: id, Port: port}
		}
	}
	for h := range int32(g.NumHosts) {
		l.ends[g.EndGUID[h]] = h
		id, _ := f.NodeByGUID(g.EndNodeGUID[h])
		l.hosts[h] = fabric.End{Node: id, Port: g.EndNum[h]}
	}
	// Until the manager sets a port's table, all its VLs have equal weight.
	held.Arbitration = &route.VLArbitration{Pool: make([]route.ArbTable, 1), Host: make([]uint16, g.NumHosts), Switch: make([]uint16, len(g.Attached))}
	for vl := range route.DropVL {
		held.Arbitration.Pool[0].Low = append(held.Arbitration.Pool[0].Low, route.ArbEntry{VL: vl, Weight: 1})
	}
	return l
}

// look reads the lane tables of the devices, and returns the switches and hosts with new ones.
func (l *lanes) look(g *fabric.Graph, sub *emulator.Subnet) (switches, hosts []int32) {
	held := *l.held
	held.SL2VL = &route.SL2VL{Pool: l.held.SL2VL.Pool, Host: slices.Clone(l.held.SL2VL.Host), Switch: slices.Clone(l.held.SL2VL.Switch)}
	a := l.held.Arbitration
	held.Arbitration = &route.VLArbitration{Pool: a.Pool, Host: slices.Clone(a.Host), Switch: slices.Clone(a.Switch)}
	file := sub.Lanes()
	for i := range file.Nodes {
		n := &file.Nodes[i]
		if s, ok := l.number[n.GUID]; ok && n.Type == fabric.Switch {
			index, differs := l.switchIndex(g, s, held.SL2VL, file, n)
			held.SL2VL.Switch[s] = route.SwitchSL2VL{By: route.ByInOut, Index: index}
			for port := g.PortStart[s] + 1; port <= g.PortStart[s]+g.SwitchPorts[s]; port++ {
				differs = l.takeArbitration(held.Arbitration, &held.Arbitration.Switch[port], sub, l.ports[port]) || differs
			}
			if differs {
				switches = append(switches, s)
			}
		} else if h, ok := l.ends[n.GUID]; ok && len(n.Rows) > 0 {
			table := route.VLTable(file.Pool[n.Rows[0].Table])
			differs := table != *held.SL2VL.HostTable(h)
			held.SL2VL.Host[h] = l.intern(held.SL2VL, table)
			if l.takeArbitration(held.Arbitration, &held.Arbitration.Host[h], sub, l.hosts[h]) || differs {
				hosts = append(hosts, h)
			}
		}
	}
	l.held = &held
	return switches, hosts
}

// takeArbitration reads the VL arbitration table of an output port, and reports whether it is new.
func (l *lanes) takeArbitration(a *route.VLArbitration, index *uint16, sub *emulator.Subnet, e fabric.End) (differs bool) {
	low, high, limit := sub.VLArbitration(e)
	key, was := string(low)+string(high)+string(limit), *index
	if *index = 0; low != nil {
		at, ok := l.turns[key]
		if !ok {
			at = uint16(len(a.Pool))
			l.turns[key] = at
			a.Pool = append(slices.Clip(a.Pool), route.ArbTable{Low: entriesOf(low), High: entriesOf(high), Limit: limit})
		}
		*index = at
	}
	return *index != was
}

// entriesOf decodes a list of VL arbitration entries of a port.
func entriesOf(data []byte) (list []route.ArbEntry) {
	for i := 0; i+1 < len(data); i += 2 {
		if e := (route.ArbEntry{VL: data[i] & 15, Weight: data[i+1]}); e.Weight > 0 && e.VL < route.DropVL {
			list = append(list, e)
		}
	}
	return list
}

// switchIndex returns the tables of a switch by input and output port, and whether one has changed.
func (l *lanes) switchIndex(g *fabric.Graph, s int32, is *route.SL2VL, file *tables.SL2VLs, n *tables.NodeSL2VLs) (index []uint16, differs bool) {
	width := g.SwitchPorts[s] + 1
	index = make([]uint16, width*width)
	for in := range width {
		for out := range width {
			index[in*width+out] = is.Index(g, s, uint8(in), uint8(out))
		}
	}
	for _, row := range n.Rows {
		if int32(row.In) >= width || int32(row.Out) >= width || row.Out == 0 || row.In == row.Out {
			continue // no packet takes this path
		}
		at := int32(row.In)*width + int32(row.Out)
		if t := route.VLTable(file.Pool[row.Table]); t != is.Pool[index[at]] {
			index[at], differs = l.intern(is, t), true
		}
	}
	return index, differs
}

// intern returns the index of a table in the pool.
func (l *lanes) intern(is *route.SL2VL, t route.VLTable) uint16 {
	at, ok := l.sl2vl[t]
	if !ok {
		at = uint16(len(is.Pool))
		l.sl2vl[t] = at
		is.Pool = append(slices.Clip(is.Pool), t)
	}
	return at
}
