package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

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
	for s, t := range f.Behind {
		slot := int32(s)
		switch {
		case t == ledger.NoSlot:
		case t == slot:
			f.note(terms.Loopback, f.PortPlace(slot), "%s is cabled to itself", f.PortName(slot))
		case f.bothEndsAgree(slot, t):
			f.Peer[slot], f.Peer[t] = t, slot
			if f.Owner[slot] == f.Owner[t] && slot < t {
				f.note(terms.OwnCable, f.PortPlace(slot), "%s is cabled to port %d of the same node", f.PortName(slot), f.PortNumber(t))
			}
		default:
			f.mismatches = append(f.mismatches, mismatch{slot: slot, seen: t, again: ledger.NoSlot})
			if first := f.FirstFrom[t]; first != slot {
				f.mismatches = append(f.mismatches, mismatch{slot: first, seen: t, again: ledger.NoSlot, rival: true})
			}
		}
	}
}

// bothEndsAgree reports whether both ends say the same of a cable, as far as they were
// asked.
func (f *finder) bothEndsAgree(slot, t int32) bool {
	if f.FirstFrom[t] != slot || !f.HasLink(t) {
		return false
	}
	if f.Flags[t]&ledger.PortProbed == 0 { // a CA's port, or the way to its switch
		return true
	}
	return f.Behind[t] == slot
}

// queueRecheck asks once more for the node behind every port in doubt.
func (f *finder) queueRecheck() {
	for i, m := range f.mismatches {
		f.enqueue(ledger.MakeTag(ledger.GetNodeAgain, m.slot, uint32(i)))
		if f.Flags[m.seen]&ledger.PortKnown != 0 && !f.HasLink(m.seen) {
			f.enqueue(ledger.MakeTag(ledger.GetLinkAgain, m.seen, uint32(i)))
		}
	}
}

// onNodeAgain takes a second NodeInfo from behind a port.
func (f *finder) onNodeAgain(i uint32, ev *terms.Event) {
	if ev.Outcome != terms.Answered {
		return
	}
	guid, local := nodeAndPort(ev.Data[:])
	if id, ok := f.ByGUID[guid]; ok && local <= f.Nodes[id].Ports {
		f.mismatches[i].again = f.Nodes[id].First + int32(local)
	}
}

// onLinkAgain takes the PortInfo of a port that had no link when it was read, though
// another port led to it: a cable that was pulled and put back shows in it.
func (f *finder) onLinkAgain(i uint32, ev *terms.Event) {
	f.mismatches[i].linked = ev.Outcome == terms.Answered && mad.PortInfoPortState.Get(ev.Data[:]) >= mad.PortInit
}

// judgeMismatches notes the cause of every mismatch, and reports whether a cable moved,
// so that the fabric must be swept again. Where a second look says the same as the first,
// two nodes have one GUID, or one end of the cable was not to be read.
func (f *finder) judgeMismatches() (moved bool) {
	for _, m := range f.mismatches {
		switch {
		case m.again != m.seen || m.linked:
			moved = true
			f.noteLoss(terms.MovedCable, f.PortPlace(m.slot), "the cable in %s was moved during the sweep", f.PortName(m.slot))
		case m.rival:
		case f.FirstFrom[m.seen] != m.slot || f.Behind[m.seen] != ledger.NoSlot,
			f.Flags[m.seen]&ledger.PortKnown != 0 && !f.HasLink(m.seen):
			f.noteDuplicate(f.Owner[m.seen], m.slot)
		default:
			f.noteLoss(terms.OneSided, f.PortPlace(m.slot), "the cable of %s to %s shows from one end only: left out", f.PortName(m.slot), f.PortName(m.seen))
		}
	}
	return moved
}
