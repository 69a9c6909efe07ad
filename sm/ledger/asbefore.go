package ledger

import (
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// SwitchBefore returns the node of a switch in the round before, if it held all of its forwarding table then and holds it still.
func (l *Ledger) SwitchBefore(b *Ledger, id int32) (before int32, ok bool) {
	if b == nil {
		return 0, false
	}
	before, ok = b.ByGUID[l.Nodes[id].GUID]
	return before, ok && b.Prog.Sw[before] >= 0 && b.Prog.Holds[before] && !b.Prog.Closed[before] &&
		mad.SwitchInfoLinearFDBTop.Get(l.Nodes[id].Sw[:]) == uint64(b.Prog.Top) &&
		mad.PortInfoLID.Get(l.Info[l.Nodes[id].First][:]) == mad.PortInfoLID.Get(b.Info[b.Nodes[before].First][:])
}

// IsAsBefore reports whether a port has the LID of the round before and is Active still, and the switch is as it was that it belongs to,
// or, for a channel adapter, the one at its cable: a port of that may have changed its state because the adapter restarted.
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

// IsNodeAsBefore reports whether a node is as it was in the round before. A channel adapter is if all
// of its ports are that have LIDs in the Plan.
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

// CountSince notes for each node the first round since which it has not restarted. For nodes that are as
// before, this is the round that the round before noted. It goes by asBefore, and not by what ports
// hold now: they may have been told that after a restart, in this round.
func (l *Ledger) CountSince(before *Ledger, round int) {
	l.Since = make([]uint32, len(l.Nodes))
	for id := range l.Since {
		l.Since[id] = uint32(round)
		if before != nil && l.Prog.AsBefore[id] {
			l.Since[id] = before.Since[before.ByGUID[l.Nodes[id].GUID]]
		}
	}
}

// AddRewritten adds the Sets that no light sweep has read again since the round before. Lane tables are not written for a Plan of one lane, and
// may hold what they held before.
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

// DiffersFrom reports whether a port of a switch has another state than in an earlier round, or had meanwhile.
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
