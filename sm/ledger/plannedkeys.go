package ledger

import (
	"slices"

	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire/mad"
)

// PKeyBlock is the number of P_Keys in a block of a P_KeyTable.
const PKeyBlock = 32

// PKeyTable is the P_KeyTable of a port, without its unused end.
type PKeyTable struct {
	Has     []uint16 // as reported; 0: free entry
	Planned []uint16 // as planned; nil: the port's table is unknown
	Short   bool     // the planned P_Keys do not all fit
	Unsure  bool     // a block was not acknowledged: the port may have taken it
	Refuses bool     // the port has no table
}

// Held returns the P_Keys that a port has, nil if they are unknown.
func (t *PKeyTable) Held() []uint16 {
	if t == nil || t.Planned == nil || t.Unsure {
		return nil
	}
	return t.Has
}

// isDone reports whether a port has all its planned P_Keys.
func (t *PKeyTable) isDone() bool {
	return t.Held() != nil && !t.Short && slices.Equal(t.Has, t.Planned)
}

// PutBlock writes a planned block into data.
func (t *PKeyTable) PutBlock(block uint32, data []byte) {
	for i, key := range t.Planned[PKeyBlock*block : min(int(PKeyBlock*(block+1)), len(t.Planned))] {
		mad.PKeyTablePKey.Set(data, i, uint64(key))
	}
}

// PKeyRoom returns the number of managed entries of a port's P_KeyTable: all, or without partitions
// the first block.
func (l *Ledger) PKeyRoom(slot int32) int {
	n := &l.Nodes[l.Owner[slot]]
	room := int(n.PKeys)
	if l.IsSwitch(slot) && l.PortNumber(slot) > 0 {
		room = int(mad.SwitchInfoPartitionEnfCap.Get(n.Sw[:]))
	}
	if l.By.Partitions == nil {
		room = min(room, PKeyBlock)
	}
	return max(1, room)
}

// KeysOf returns the planned P_Keys of an end port, or of the end port facing a switch port; see
// partition.Index.KeysOf.
func (l *Ledger) KeysOf(slot int32) (keys []uint16, first bool) {
	if l.Prog.End[slot] < 0 {
		slot = l.Peer[slot]
	}
	n := &l.Nodes[l.Owner[slot]]
	return l.Prog.Members.KeysOf(&partition.Port{GUID: l.GUID[slot], Type: n.Typ, Desc: n.Desc, Manager: slot == l.OwnPort()})
}

// KeysByEnd returns the P_Keys of every end port of the Graph, nil without partitions.
func (l *Ledger) KeysByEnd() [][]uint16 {
	if l.By.Partitions == nil {
		return nil
	}
	keys := make([][]uint16, l.Graph.NumEnds)
	for slot, e := range l.Prog.End {
		if e >= 0 {
			keys[e], _ = l.KeysOf(int32(slot))
		}
	}
	return keys
}

// Levels returns the rules for the levels of service that the Plan has.
func (l *Ledger) Levels() sa.Levels {
	var all sa.Levels
	if all.Rules = l.By.Levels; l.By.Partitions != nil {
		all.ByKey, _, _ = l.By.Partitions.Partitions.Levels(l.By.Levels)
	} else {
		all.ByKey, _, _ = partition.Everyone().Levels(l.By.Levels)
	}
	return all.For(l.Plan)
}

// MayEnforce reports whether a switch port is to enforce the partitions of the CA or router port at
// its cable, and is able to.
func (l *Ledger) MayEnforce(slot int32) bool {
	p, peer := l.By.Partitions, l.Peer[slot]
	return p != nil && (p.In || p.Out) && l.IsSwitch(slot) && l.PortNumber(slot) > 0 && peer != NoSlot && !l.IsSwitch(peer) && l.Prog.End[peer] >= 0 &&
		mad.SwitchInfoPartitionEnfCap.Get(l.Nodes[l.Owner[slot]].Sw[:]) > 0
}

// setEnforcement sets whether a switch port drops packets of other partitions. It drops none if its
// own table is incomplete or unknown. Without partitions it drops none either: an earlier manager
// may have left P_Keys that the present host does not have.
func (l *Ledger) setEnforcement(slot int32, set func(f mad.Field, v uint64)) {
	if !l.IsSwitch(slot) || l.PortNumber(slot) == 0 {
		return
	}
	in, out := uint64(0), uint64(0)
	if l.MayEnforce(slot) && l.Prog.PKeys[slot].isDone() {
		if l.By.Partitions.In {
			in = 1
		}
		if l.By.Partitions.Out {
			out = 1
		}
	}
	set(mad.PortInfoEnforceInbound, in)
	set(mad.PortInfoEnforceOutbound, out)
}
