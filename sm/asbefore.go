package sm

import (
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// switchBefore returns the node of a switch in the round before, if it held all of its forwarding table then and holds it still.
func (l *ledger) switchBefore(b *ledger, id int32) (before int32, ok bool) {
	if b == nil {
		return 0, false
	}
	before, ok = b.byGUID[l.nodes[id].guid]
	return before, ok && b.prog.sw[before] >= 0 && b.prog.holds[before] && !b.prog.closed[before] &&
		mad.SwitchInfoLinearFDBTop.Get(l.nodes[id].sw[:]) == uint64(b.prog.top) &&
		mad.PortInfoLID.Get(l.info[l.nodes[id].first][:]) == mad.PortInfoLID.Get(b.info[b.nodes[before].first][:])
}

// isAsBefore reports whether a port has the LID of the round before and is Active still, and the switch is as it was that it belongs to,
// or, for a channel adapter, the one at its cable: a port of that may have changed its state because the adapter restarted.
func (l *ledger) isAsBefore(b *ledger, slot int32) bool {
	if b == nil {
		return false
	}
	if l.isSwitch(slot) {
		if _, ok := l.switchBefore(b, l.owner[slot]); !ok || l.portNumber(slot) == 0 {
			return ok
		}
	}
	old, ok := b.slotOf(l.nodes[l.owner[slot]].guid, l.portNumber(slot))
	if !ok || !l.isSwitch(slot) && b.peer[old] != noSlot && b.prog.wrong[b.owner[b.peer[old]]] {
		return false
	}
	return b.state(old) == mad.PortActive && l.state(slot) == mad.PortActive &&
		mad.PortInfoLID.Get(l.info[slot][:]) == mad.PortInfoLID.Get(b.info[old][:])
}

// isNodeAsBefore reports whether a node is as it was in the round before. A channel adapter is if all
// of its ports are that have LIDs in the Plan.
func (l *ledger) isNodeAsBefore(b *ledger, id int32) bool {
	if l.nodes[id].typ == fabric.Switch {
		_, ok := l.switchBefore(b, id)
		return ok
	}
	is := false
	for slot := range l.portsOf(id) {
		if l.prog.end[slot] < 0 {
			continue
		}
		if is = l.isAsBefore(b, slot); !is {
			break
		}
	}
	return is
}

// countSince notes for each node the first round since which it has not restarted. For nodes that are as
// before, this is the round that the round before noted. It goes by asBefore, and not by what ports
// hold now: they may have been told that after a restart, in this round.
func (l *ledger) countSince(before *ledger, round int) {
	l.since = make([]uint32, len(l.nodes))
	for id := range l.since {
		l.since[id] = uint32(round)
		if before != nil && l.prog.asBefore[id] {
			l.since[id] = before.since[before.byGUID[l.nodes[id].guid]]
		}
	}
}

// addRewritten adds the Sets that no light sweep has read again since the round before. Lane tables are not written for a Plan of one lane, and
// may hold what they held before.
func (l *ledger) addRewritten(before *ledger) {
	if before == nil {
		return
	}
	for _, tag := range before.rewritten {
		k, index, arg := splitTag(tag)
		if k == setSL2VL {
			slot, ok := l.slotOf(before.nodes[before.owner[index]].guid, before.portNumber(index))
			if ok && l.plan.VLs > 1 && l.plan.SL2VL != nil && (!l.isSwitch(slot) && l.prog.end[slot] >= 0 || l.prog.sw[l.owner[slot]] >= 0) {
				l.rewritten = append(l.rewritten, makeTag(k, slot, arg))
			}
			continue
		}
		if id, ok := l.byGUID[before.nodes[index].guid]; ok && l.prog.sw[id] >= 0 && arg < l.tableBlocks() {
			l.rewritten = append(l.rewritten, makeTag(k, id, arg))
		}
	}
	slices.Sort(l.rewritten)
	l.rewritten = slices.Compact(l.rewritten)
}

// differsFrom reports whether a port of a switch has another state than in an earlier round, or had meanwhile.
func (l *ledger) differsFrom(b *ledger, guid fabric.GUID) bool {
	id, ok := l.byGUID[guid]
	old, was := b.byGUID[guid]
	if !ok || !was || l.nodes[id].ports != b.nodes[old].ports {
		return true
	}
	for slot := range l.portsOf(id) {
		before := b.nodes[old].first + int32(l.portNumber(slot))
		if l.state(slot) != b.state(before) || l.flags[slot]&portCame != 0 && b.state(before) != mad.PortInit {
			return true
		}
	}
	return false
}
