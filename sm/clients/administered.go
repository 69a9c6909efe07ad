package clients

import (
	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// Administered returns the Subnet for subnet administration, made from the ledger in force.
// priority, smKey and acts describe our own manager in SMInfoRecord. The Subnet shares Graph and
// Plan with the ledger, and nothing that changes later.
func Administered(l *ledger.Ledger, priority uint8, smKey, acts uint64) *sa.Subnet {
	s := sa.Subnet{Graph: l.Graph, Plan: l.Plan, SMKey: smKey, Timeout: l.By.Tuning.Timeout(), Between: l.By.Between}
	number := make([]int32, len(l.Nodes)) // by node: its index in s.Nodes
	order := make([]int32, len(l.Fabric.Nodes))
	for id, at := range l.Prog.FabricNode {
		if number[id] = int32(at); at >= 0 {
			order[at] = int32(id)
		}
	}
	slots := make([]int32, len(l.Owner)) // by slot: its index in s.Ports
	for i := range slots {
		slots[i] = -1
	}
	s.Nodes = make([]sa.Node, len(order))
	s.Ports = make([]sa.Port, 0, len(l.Owner))
	for at, id := range order {
		n := &l.Nodes[id]
		d := &s.Nodes[at]
		d.Desc, d.First, d.Num, d.Sw = n.Desc, int32(len(s.Ports)), n.Ports, l.Prog.Sw[id]
		l.NodeInfo(n.Entry, d.Info[:])
		mad.NodeInfoBaseVersion.Put(d.Info[:], 1)
		mad.NodeInfoClassVersion.Put(d.Info[:], 1)
		if n.HasSwitch {
			d.Switch = append(d.Switch, n.Sw[:]...)
			l.PlannedSwitchInfo(id, d.Switch)
		}
		for slot := range l.PortsOf(id) {
			slots[slot] = int32(len(s.Ports))
			s.Ports = append(s.Ports, sa.Port{
				Info: l.Info[slot], Known: l.Flags[slot]&ledger.PortKnown != 0, GUID: l.GUID[slot], Node: int32(at), Num: l.PortNumber(slot),
				Peer: l.Peer[slot], End: l.Prog.End[slot], PKeys: l.Prog.PKeys[slot].Held(),
			})
		}
	}
	for i := range s.Ports {
		// The SM_Key, by default 1, must not reveal the M_Keys of all ports.
		if l.Keys.Given() {
			mad.PortInfoMKey.Put(s.Ports[i].Info[:], 0)
		}
		if p := &s.Ports[i]; p.Peer != ledger.NoSlot {
			p.Peer = slots[p.Peer]
		}
	}
	own := s.Ports[slots[l.OwnPort()]].Info[:] // may be older than IsSM
	mad.PortInfoCapabilityMask.Put(own, mad.PortInfoCapabilityMask.Get(own)|mad.CapIsSM)
	s.Keys, s.Levels = l.KeysByEnd(), l.Levels()
	s.Managers = append(s.Managers, sa.Manager{End: l.Prog.End[l.OwnPort()], SMKey: smKey, ActCount: acts & 0xFFFFFFFF, Priority: priority, State: mad.SMStateMaster})
	for _, o := range l.Others {
		s.Managers = append(s.Managers, sa.Manager{End: l.EndOf(o.GUID), Priority: uint8(o.Priority), State: o.State})
	}
	return sa.New(s)
}

// managersBeside returns the other managers that may stand by, with their addresses.
func managersBeside(l *ledger.Ledger) (list []replica.Member) {
	for _, o := range l.Others {
		if o.State == mad.SMStateNotActive { // somebody must first ask it to stand by
			continue
		}
		if e := l.EndOf(o.GUID); e >= 0 {
			to := wire.ToLID(uint16(l.Plan.Ends.Base[e]), 1)
			to.SLID, to.SL = uint16(l.Prog.SMLID), l.Plan.PathSL(l.Prog.End[l.OwnPort()], l.Plan.Ends.Base[e])
			list = append(list, replica.Member{GUID: o.GUID, To: to})
		}
	}
	return list
}
