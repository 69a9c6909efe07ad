package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// lateNode is a NodeInfo put off until all others are handled.
type lateNode struct {
	slot int32
	ev   terms.Event
}

// isElsewhere reports whether the node with this GUID was behind another port in the previous
// round, also in one that wrote nothing. It is put off: a new node with a stolen GUID must not take
// the place of the old one. So is a node that a sweep of this round has found to be a liar.
func (f *finder) isElsewhere(slot int32, guid fabric.GUID) bool {
	if _, known := f.ByGUID[guid]; known || slot == ledger.NoSlot {
		return false
	}
	if f.liars[f.PortKey(slot)] {
		return true
	}
	b := f.given.Before
	if b == nil {
		b = f.given.Inherit.Seen
	}
	if b == nil {
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

// isTwin reports whether the node behind a port is another CA with the GUID of a known one, and the
// LID stored for that GUID can tell which is the true one.
func isTwin(f *finder, slot, id int32, says ledger.Identity, local uint8) bool {
	n := &f.Nodes[id]
	if slot == ledger.NoSlot || n.Typ != fabric.CA || says.Typ != fabric.CA || n.System == says.System && n.Device == says.Device || local > n.Ports {
		return false
	}
	t := n.First + int32(local)
	_, stored := f.inherit.Stored[f.GUID[t]]
	return stored && f.FirstFrom[t] != ledger.NoSlot
}

// hasOtherLID reports whether a CA port has another LID than the one stored for its GUID, or none.
func hasOtherLID(f *finder, slot int32) bool {
	lid := mad.PortInfoLID.Get(f.Info[slot][:])
	stored, ok := f.inherit.Stored[f.GUID[slot]]
	return ok && !f.IsSwitch(slot) && f.Flags[slot]&ledger.PortKnown != 0 && lid != uint64(stored.Base)
}

// onTwin handles the PortInfo of the second of two CA ports with one GUID. If it has the LID stored
// for that GUID, and the first has another one, the first is the liar.
func onTwin(f *finder, slot int32, ev *terms.Event) {
	first := f.Behind[slot]
	if ev.Outcome != terms.Answered || mad.PortInfoLID.Get(ev.Data[:]) != uint64(f.inherit.Stored[f.GUID[first]].Base) {
		return
	}
	if f.liars == nil {
		f.liars = map[ledger.PortKey]bool{}
	}
	f.liars[f.PortKey(f.FirstFrom[first])] = true
}
