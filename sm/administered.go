package sm

import (
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// administered makes the Subnet that subnet administration answers from, of a round that has brought the subnet up. It shares Graph and Plan
// with the round, and nothing that changes later.
func administered(l *ledger, priority uint8, smKey, acts uint64) *sa.Subnet {
	s := sa.Subnet{Graph: l.graph, Plan: l.plan, SMKey: smKey, Timeout: subnetTimeout, Between: l.by.between}
	number := make([]int32, len(l.nodes)) // by node: its place in s.Nodes
	order := make([]int32, len(l.fabric.Nodes))
	for id, at := range l.prog.fabricNode {
		if number[id] = int32(at); at >= 0 {
			order[at] = int32(id)
		}
	}
	slots := make([]int32, len(l.owner)) // by slot: its place in s.Ports
	for i := range slots {
		slots[i] = -1
	}
	s.Nodes = make([]sa.Node, len(order))
	s.Ports = make([]sa.Port, 0, len(l.owner))
	for at, id := range order {
		n := &l.nodes[id]
		d := &s.Nodes[at]
		d.Desc, d.First, d.Num, d.Sw = n.desc, int32(len(s.Ports)), n.ports, l.prog.sw[id]
		l.nodeInfo(n.entry, d.Info[:])
		mad.NodeInfoBaseVersion.Put(d.Info[:], 1)
		mad.NodeInfoClassVersion.Put(d.Info[:], 1)
		if n.hasSwitch {
			d.Switch = append(d.Switch, n.sw[:]...)
			l.plannedSwitchInfo(id, d.Switch)
		}
		for slot := range l.portsOf(id) {
			slots[slot] = int32(len(s.Ports))
			s.Ports = append(s.Ports, sa.Port{
				Info: l.info[slot], Known: l.flags[slot]&portKnown != 0, GUID: l.guid[slot], Node: int32(at), Num: l.portNumber(slot),
				Peer: l.peer[slot], End: l.prog.end[slot], PKeys: l.prog.pkeys[slot].held(),
			})
		}
	}
	for i := range s.Ports {
		if l.keys.Given() { // who knows the SM_Key, which is 1 unless told otherwise, would know them all
			mad.PortInfoMKey.Put(s.Ports[i].Info[:], 0)
		}
		if p := &s.Ports[i]; p.Peer != noSlot {
			p.Peer = slots[p.Peer]
		}
	}
	own := s.Ports[slots[l.ownPort()]].Info[:] // read before IsSM was set there, and not read again where nothing is to be told
	mad.PortInfoCapabilityMask.Put(own, mad.PortInfoCapabilityMask.Get(own)|mad.CapIsSM)
	s.Keys, s.Levels = l.keysByEnd(), l.levels()
	s.Managers = append(s.Managers, sa.Manager{End: l.prog.end[l.ownPort()], SMKey: smKey, ActCount: acts & 0xFFFFFFFF, Priority: priority, State: mad.SMStateMaster})
	for _, o := range l.others {
		s.Managers = append(s.Managers, sa.Manager{End: l.endOf(o.guid), Priority: uint8(o.priority), State: o.state})
	}
	return sa.New(s)
}

// managersBeside lists the managers beside us that may stand by.
func managersBeside(l *ledger) (list []replica.Member) {
	for _, o := range l.others {
		if e := l.endOf(o.guid); e >= 0 {
			to := wire.ToLID(uint16(l.plan.Ends.Base[e]), 1)
			to.SLID, to.SL = uint16(l.prog.smLID), l.plan.PathSL(l.prog.end[l.ownPort()], l.plan.Ends.Base[e])
			list = append(list, replica.Member{GUID: o.guid, To: to})
		}
	}
	return list
}
