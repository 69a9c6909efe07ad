package sm

import "weft/wire/mad"

// mismatch is a cable of which its two ends do not say the same.
type mismatch struct {
	slot, seen int32 // the port that was asked through, and the one that answered
	again      int32 // the one that answers when asked once more
	linked     bool  // seen had no link when it was read, and has one when read once more
	rival      bool  // slot was the first port that seen answered through, another came later
}

// pairPorts joins the ports that agree on a cable, and lists the others in mismatches. A
// cable between switches was asked from both ends, so that cables that moved and two
// switches with one GUID show.
func (f *finder) pairPorts() {
	for s, t := range f.behind {
		slot := int32(s)
		switch {
		case t == noSlot:
		case t == slot:
			f.note(Loopback, f.portPlace(slot), "%s is cabled to itself", f.portName(slot))
		case f.bothEndsAgree(slot, t):
			f.peer[slot], f.peer[t] = t, slot
			if f.owner[slot] == f.owner[t] && slot < t {
				f.note(OwnCable, f.portPlace(slot), "%s is cabled to port %d of the same node", f.portName(slot), f.portNumber(t))
			}
		default:
			f.mismatches = append(f.mismatches, mismatch{slot: slot, seen: t, again: noSlot})
			if first := f.firstFrom[t]; first != slot {
				f.mismatches = append(f.mismatches, mismatch{slot: first, seen: t, again: noSlot, rival: true})
			}
		}
	}
}

// bothEndsAgree reports whether both ends say the same of a cable, as far as they were
// asked.
func (f *finder) bothEndsAgree(slot, t int32) bool {
	if f.firstFrom[t] != slot || !f.hasLink(t) {
		return false
	}
	if f.flags[t]&portProbed == 0 { // a CA's port, or the way to its switch
		return true
	}
	return f.behind[t] == slot
}

// queueRecheck asks once more for the node behind every port in doubt.
func (f *finder) queueRecheck() {
	for i, m := range f.mismatches {
		f.enqueue(makeTag(getNodeAgain, m.slot, uint32(i)))
		if f.flags[m.seen]&portKnown != 0 && !f.hasLink(m.seen) {
			f.enqueue(makeTag(getLinkAgain, m.seen, uint32(i)))
		}
	}
}

// onNodeAgain takes a second NodeInfo from behind a port.
func (f *finder) onNodeAgain(i uint32, ev *Event) {
	if ev.Outcome != Answered {
		return
	}
	guid, local := nodeAndPort(ev.Data[:])
	if id, ok := f.byGUID[guid]; ok && local <= f.nodes[id].ports {
		f.mismatches[i].again = f.nodes[id].first + int32(local)
	}
}

// onLinkAgain takes the PortInfo of a port that had no link when it was read, though
// another port led to it: a cable that was pulled and put back shows in it.
func (f *finder) onLinkAgain(i uint32, ev *Event) {
	f.mismatches[i].linked = ev.Outcome == Answered && mad.PortInfoPortState.Get(ev.Data[:]) >= mad.PortInit
}

// judgeMismatches notes the cause of every mismatch, and reports whether a cable moved,
// so that the fabric must be swept again. Where a second look says the same as the first,
// two nodes have one GUID, or one end of the cable was not to be read.
func (f *finder) judgeMismatches() (moved bool) {
	for _, m := range f.mismatches {
		switch {
		case m.again != m.seen || m.linked:
			moved = true
			f.noteLoss(MovedCable, f.portPlace(m.slot), "the cable in %s was moved during the sweep", f.portName(m.slot))
		case m.rival:
		case f.firstFrom[m.seen] != m.slot || f.behind[m.seen] != noSlot,
			f.flags[m.seen]&portKnown != 0 && !f.hasLink(m.seen):
			f.noteDuplicate(f.owner[m.seen], m.slot)
		default:
			f.noteLoss(OneSided, f.portPlace(m.slot), "the cable of %s to %s shows from one end only: left out", f.portName(m.slot), f.portName(m.seen))
		}
	}
	return moved
}
