package sm

import "weft/fabric"

// lateNode is a NodeInfo that is taken when all others have been.
type lateNode struct {
	slot int32
	ev   Event
}

// isElsewhere reports whether a node with the GUID was behind another port in the round in force. The one that is there still is to be
// found first: a node that has come with the GUID of another one must not take its place.
func (c *Core) isElsewhere(slot int32, guid fabric.GUID) bool {
	b := c.given.Before
	if b == nil || slot == noSlot {
		return false
	}
	if _, known := c.byGUID[guid]; known {
		return false
	}
	old, ok := b.byGUID[guid]
	if !ok || b.prog.fabricNode[old] < 0 {
		return false
	}
	was, ok := b.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
	return !ok || b.peer[was] == noSlot || b.owner[b.peer[was]] != old
}

// takeLate takes the NodeInfos that were put off, and reports whether there were any.
func (c *Core) takeLate() bool {
	late := c.late
	c.late = nil
	for i := range late {
		c.takeNodeInfo(late[i].slot, &late[i].ev)
	}
	return len(late) > 0
}
