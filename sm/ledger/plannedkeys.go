package ledger

import (
	"slices"

	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire/mad"
)

// PKeyBlock is the number of P_Keys in a block of a P_KeyTable.
const PKeyBlock = 32

// PKeyTable is the P_KeyTable of a port.
type PKeyTable struct {
	Has     []uint16 // as the port has it, 0 where a place is free
	Planned []uint16 // as it is to be; nil where it is not known what the port has
	Short   bool     // it has no room for all that it is to have
	Unsure  bool     // a block was sent and not acknowledged: the port may have taken it
	Refuses bool     // the port has no table
}

// Held returns what a port has, nil where that is not known.
func (t *PKeyTable) Held() []uint16 {
	if t == nil || t.Planned == nil || t.Unsure {
		return nil
	}
	return t.Has
}

// isDone reports whether a port has all that it is to have.
func (t *PKeyTable) isDone() bool {
	return t.Held() != nil && !t.Short && slices.Equal(t.Has, t.Planned)
}

// PutBlock writes a block as it is to be.
func (t *PKeyTable) PutBlock(block uint32, data []byte) {
	for i, key := range t.Planned[PKeyBlock*block : min(int(PKeyBlock*(block+1)), len(t.Planned))] {
		mad.PKeyTablePKey.Set(data, i, uint64(key))
	}
}

// PKeyRoom returns how many P_Keys of a port's table are looked at: where there are no partitions, those of its first block.
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

// KeysOf returns the P_Keys that a port is to have, as partition.Index does: those of an end port, or of the one at the other end of its cable.
func (l *Ledger) KeysOf(slot int32) (keys []uint16, first bool) {
	if l.Prog.End[slot] < 0 {
		slot = l.Peer[slot]
	}
	n := &l.Nodes[l.Owner[slot]]
	return l.Prog.Members.KeysOf(&partition.Port{GUID: l.GUID[slot], Type: n.Typ, Desc: n.Desc, Manager: slot == l.OwnPort()})
}

// KeysByEnd returns the P_Keys of the end ports of the Graph, nil where there are no partitions.
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

// Levels returns the rules for levels of service, of those that the Plan has.
func (l *Ledger) Levels() sa.Levels {
	var all sa.Levels
	if all.Rules = l.By.Levels; l.By.Partitions != nil {
		all.ByKey, _, _ = l.By.Partitions.Partitions.Levels(l.By.Levels)
	} else {
		all.ByKey, _, _ = partition.Everyone().Levels(l.By.Levels)
	}
	return all.For(l.Plan)
}

// MayEnforce reports whether a port of a switch can see to it that the CA or router port at its cable keeps to its partitions, and is
// to do so.
func (l *Ledger) MayEnforce(slot int32) bool {
	p, peer := l.By.Partitions, l.Peer[slot]
	return p != nil && (p.In || p.Out) && l.IsSwitch(slot) && l.PortNumber(slot) > 0 && peer != NoSlot && !l.IsSwitch(peer) && l.Prog.End[peer] >= 0 &&
		mad.SwitchInfoPartitionEnfCap.Get(l.Nodes[l.Owner[slot]].Sw[:]) > 0
}

// setEnforcement sets whether a port of a switch drops packets of other partitions. One whose table has not all P_Keys, or is not known,
// drops none, nor does any where there are no partitions: an earlier manager may have left P_Keys there that the host which is there now does not have.
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
