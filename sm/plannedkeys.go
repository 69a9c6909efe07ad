package sm

import (
	"slices"

	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire/mad"
)

// pkeyBlock is the number of P_Keys in a block of a P_KeyTable.
const pkeyBlock = 32

// pkeyTable is the P_KeyTable of a port.
type pkeyTable struct {
	has     []uint16 // as the port has it, 0 where a place is free
	planned []uint16 // as it is to be; nil where it is not known what the port has
	short   bool     // it has no room for all that it is to have
	unsure  bool     // a block was sent and not acknowledged: the port may have taken it
	refuses bool     // the port has no table
}

// held returns what a port has, nil where that is not known.
func (t *pkeyTable) held() []uint16 {
	if t == nil || t.planned == nil || t.unsure {
		return nil
	}
	return t.has
}

// isDone reports whether a port has all that it is to have.
func (t *pkeyTable) isDone() bool {
	return t.held() != nil && !t.short && slices.Equal(t.has, t.planned)
}

// putBlock writes a block as it is to be.
func (t *pkeyTable) putBlock(block uint32, data []byte) {
	for i, key := range t.planned[pkeyBlock*block : min(int(pkeyBlock*(block+1)), len(t.planned))] {
		mad.PKeyTablePKey.Set(data, i, uint64(key))
	}
}

// pkeyRoom returns how many P_Keys of a port's table are looked at: where there are no partitions, those of its first block.
func (l *ledger) pkeyRoom(slot int32) int {
	n := &l.nodes[l.owner[slot]]
	room := int(n.pkeys)
	if l.isSwitch(slot) && l.portNumber(slot) > 0 {
		room = int(mad.SwitchInfoPartitionEnfCap.Get(n.sw[:]))
	}
	if l.by.partitions == nil {
		room = min(room, pkeyBlock)
	}
	return max(1, room)
}

// keysOf returns the P_Keys that a port is to have, as partition.Index does: those of an end port, or of the one at the other end of its cable.
func (l *ledger) keysOf(slot int32) (keys []uint16, first bool) {
	if l.prog.end[slot] < 0 {
		slot = l.peer[slot]
	}
	n := &l.nodes[l.owner[slot]]
	return l.prog.members.KeysOf(&partition.Port{GUID: l.guid[slot], Type: n.typ, Desc: n.desc, Manager: slot == l.ownPort()})
}

// keysByEnd returns the P_Keys of the end ports of the Graph, nil where there are no partitions.
func (l *ledger) keysByEnd() [][]uint16 {
	if l.by.partitions == nil {
		return nil
	}
	keys := make([][]uint16, l.graph.NumEnds)
	for slot, e := range l.prog.end {
		if e >= 0 {
			keys[e], _ = l.keysOf(int32(slot))
		}
	}
	return keys
}

// levels returns the rules for levels of service, of those that the Plan has.
func (l *ledger) levels() sa.Levels {
	var all sa.Levels
	if all.Rules = l.by.levels; l.by.partitions != nil {
		all.ByKey, _, _ = l.by.partitions.Partitions.Levels(l.by.levels)
	} else {
		all.ByKey, _, _ = partition.Everyone().Levels(l.by.levels)
	}
	return all.For(l.plan)
}

// mayEnforce reports whether a port of a switch can see to it that the CA or router port at its cable keeps to its partitions, and is
// to do so.
func (l *ledger) mayEnforce(slot int32) bool {
	p, peer := l.by.partitions, l.peer[slot]
	return p != nil && (p.In || p.Out) && l.isSwitch(slot) && l.portNumber(slot) > 0 && peer != noSlot && !l.isSwitch(peer) && l.prog.end[peer] >= 0 &&
		mad.SwitchInfoPartitionEnfCap.Get(l.nodes[l.owner[slot]].sw[:]) > 0
}

// setEnforcement sets whether a port of a switch drops packets of other partitions. One whose table has not all P_Keys, or is not known,
// drops none, nor does any where there are no partitions: an earlier manager may have left P_Keys there that the host which is there now does not have.
func (l *ledger) setEnforcement(slot int32, set func(f mad.Field, v uint64)) {
	if !l.isSwitch(slot) || l.portNumber(slot) == 0 {
		return
	}
	in, out := uint64(0), uint64(0)
	if l.mayEnforce(slot) && l.prog.pkeys[slot].isDone() {
		if l.by.partitions.In {
			in = 1
		}
		if l.by.partitions.Out {
			out = 1
		}
	}
	set(mad.PortInfoEnforceInbound, in)
	set(mad.PortInfoEnforceOutbound, out)
}
