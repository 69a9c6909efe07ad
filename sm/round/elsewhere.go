package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// lateNode is a NodeInfo put off until all others are handled.
type lateNode struct {
	slot int32
	ev   terms.Event
}

// isElsewhere reports whether the node with this GUID was behind another port in the previous
// round, also in one that wrote nothing. It is put off: a new node with a stolen GUID must not take
// the place of the old one.
func (f *finder) isElsewhere(slot int32, guid fabric.GUID) bool {
	b := f.given.Before
	if b == nil {
		b = f.given.Inherit.Seen
	}
	if b == nil || slot == ledger.NoSlot {
		return false
	}
	if _, known := f.ByGUID[guid]; known {
		return false
	}
	old, ok := b.ByGUID[guid]
	if !ok || b == f.given.Before && b.Prog.FabricNode[old] < 0 {
		return false
	}
	was, ok := b.SlotOf(f.Nodes[f.Owner[slot]].GUID, f.PortNumber(slot))
	return !ok || b.Peer[was] == ledger.NoSlot || b.Owner[b.Peer[was]] != old
}

// takeLate handles the NodeInfos that were put off, and reports whether there were any.
func (f *finder) takeLate() bool {
	late := f.late
	f.late = nil
	for i := range late {
		f.takeNodeInfo(late[i].slot, &late[i].ev)
	}
	return len(late) > 0
}
