package sm

import "weft/fabric"

// lateNode is a NodeInfo that is taken when all others have been.
type lateNode struct {
	slot int32
	ev   Event
}

// isElsewhere reports whether a node with the GUID was behind another port in the round in force. The one that is there still is to be
// found first: a node that has come with the GUID of another one must not take its place.
func (f *finder) isElsewhere(slot int32, guid fabric.GUID) bool {
	b := f.given.Before
	if b == nil || slot == noSlot {
		return false
	}
	if _, known := f.byGUID[guid]; known {
		return false
	}
	old, ok := b.byGUID[guid]
	if !ok || b.prog.fabricNode[old] < 0 {
		return false
	}
	was, ok := b.slotOf(f.nodes[f.owner[slot]].guid, f.portNumber(slot))
	return !ok || b.peer[was] == noSlot || b.owner[b.peer[was]] != old
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
