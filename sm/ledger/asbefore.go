package ledger

import (
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// SwitchBefore returns the index of a switch in the previous ledger b, and whether the switch held
// its whole forwarding table then and still does. b may be nil.
func (l *Ledger) SwitchBefore(b *Ledger, id int32) (before int32, ok bool) {
	if b == nil {
		return 0, false
	}
	before, ok = b.ByGUID[l.Nodes[id].GUID]
	return before, ok && b.Prog.Sw[before] >= 0 && b.Prog.Holds[before] && !b.Prog.Closed[before] &&
		mad.SwitchInfoLinearFDBTop.Get(l.Nodes[id].Sw[:]) == uint64(b.Prog.Top) &&
		mad.PortInfoLID.Get(l.Info[l.Nodes[id].First][:]) == mad.PortInfoLID.Get(b.Info[b.Nodes[before].First][:])
}

// IsAsBefore reports whether a port is unchanged since the previous ledger b: it has the same LID,
// is still Active, and its switch has not restarted. For a CA port the switch at its cable counts:
// a change there may mean that the adapter restarted. b may be nil.
func (l *Ledger) IsAsBefore(b *Ledger, slot int32) bool {
	if b == nil {
		return false
	}
	if l.IsSwitch(slot) {
		if _, ok := l.SwitchBefore(b, l.Owner[slot]); !ok || l.PortNumber(slot) == 0 {
			return ok
		}
	}
	old, ok := b.SlotOf(l.Nodes[l.Owner[slot]].GUID, l.PortNumber(slot))
	if !ok || !l.IsSwitch(slot) && b.Peer[old] != NoSlot && b.Prog.Wrong[b.Owner[b.Peer[old]]] {
		return false
	}
	return b.State(old) == mad.PortActive && l.State(slot) == mad.PortActive &&
		mad.PortInfoLID.Get(l.Info[slot][:]) == mad.PortInfoLID.Get(b.Info[old][:])
}

// IsNodeAsBefore reports whether a node is unchanged since the previous ledger b. For a CA this
// means all ports that have LIDs in the Plan. b may be nil.
func (l *Ledger) IsNodeAsBefore(b *Ledger, id int32) bool {
	if l.Nodes[id].Typ == fabric.Switch {
		_, ok := l.SwitchBefore(b, id)
		return ok
	}
	is := false
	for slot := range l.PortsOf(id) {
		if l.Prog.End[slot] < 0 {
			continue
		}
		if is = l.IsAsBefore(b, slot); !is {
			break
		}
	}
	return is
}

// CountSince fills Since: for each node, the number of the first round after its last restart.
// Nodes as before keep the number in the previous ledger. The test is Prog.AsBefore, not the
// current settings of ports: these may have been written in this round, after a restart.
func (l *Ledger) CountSince(before *Ledger, round int) {
	l.Since = make([]uint32, len(l.Nodes))
	for id := range l.Since {
		l.Since[id] = uint32(round)
		if before != nil && l.Prog.AsBefore[id] {
			l.Since[id] = before.Since[before.ByGUID[l.Nodes[id].GUID]]
		}
	}
}

// AddRewritten takes over from the previous ledger the Sets that no light sweep has verified yet.
// Lane tables are skipped for a Plan of one lane: they are not written, and may hold old values.
func (l *Ledger) AddRewritten(before *Ledger) {
	if before == nil {
		return
	}
	for _, tag := range before.Rewritten {
		k, index, arg := SplitTag(tag)
		if k == SetSL2VL {
			slot, ok := l.SlotOf(before.Nodes[before.Owner[index]].GUID, before.PortNumber(index))
			if ok && l.Plan.VLs > 1 && l.Plan.SL2VL != nil && (!l.IsSwitch(slot) && l.Prog.End[slot] >= 0 || l.Prog.Sw[l.Owner[slot]] >= 0) {
				l.Rewritten = append(l.Rewritten, MakeTag(k, slot, arg))
			}
			continue
		}
		if id, ok := l.ByGUID[before.Nodes[index].GUID]; ok && l.Prog.Sw[id] >= 0 && arg < l.TableBlocks() {
			l.Rewritten = append(l.Rewritten, MakeTag(k, id, arg))
		}
	}
	slices.Sort(l.Rewritten)
	l.Rewritten = slices.Compact(l.Rewritten)
}

// DiffersFrom reports whether a port of a switch, given by node GUID, has another state than in an
// earlier ledger, or has had one meanwhile.
func (l *Ledger) DiffersFrom(b *Ledger, guid fabric.GUID) bool {
	id, ok := l.ByGUID[guid]
	old, was := b.ByGUID[guid]
	if !ok || !was || l.Nodes[id].Ports != b.Nodes[old].Ports {
		return true
	}
	for slot := range l.PortsOf(id) {
		before := b.Nodes[old].First + int32(l.PortNumber(slot))
		if l.State(slot) != b.State(before) || l.Flags[slot]&PortCame != 0 && b.State(before) != mad.PortInit {
			return true
		}
	}
	return false
}
