package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// lateNode is a NodeInfo that is taken when all others have been.
type lateNode struct {
	slot int32
	ev   terms.Event
}

// isElsewhere reports whether a node with the GUID was behind another port in the round in force. The one that is there still is to be
// found first: a node that has come with the GUID of another one must not take its place.
func (f *finder) isElsewhere(slot int32, guid fabric.GUID) bool {
	b := f.given.Before
	if b == nil || slot == ledger.NoSlot {
		return false
	}
	if _, known := f.ByGUID[guid]; known {
		return false
	}
	old, ok := b.ByGUID[guid]
	if !ok || b.Prog.FabricNode[old] < 0 {
		return false
	}
	was, ok := b.SlotOf(f.Nodes[f.Owner[slot]].GUID, f.PortNumber(slot))
	return !ok || b.Peer[was] == ledger.NoSlot || b.Owner[b.Peer[was]] != old
}

// takeLate takes the NodeInfos that were put off, and reports whether there were any.
func (f *finder) takeLate() bool {
	late := f.late
	f.late = nil
	for i := range late {
		f.takeNodeInfo(late[i].slot, &late[i].ev)
	}
	return len(late) > 0
}
