package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// mismatch is a cable whose two ends contradict each other.
type mismatch struct {
	slot, seen int32 // the port that was asked through, and the port that answered
	again      int32 // the slot that answers the second request
	linked     bool  // seen had no link at the first read, and has one at the second
	rival      bool  // seen answered through slot first, and later through another port
}

// pairPorts pairs the two ports of every cable on which both ends agree, and lists all others in
// mismatches. A cable between switches was probed from both ends: this reveals moved cables and two
// switches with one GUID.
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

// bothEndsAgree reports whether the answers of both ends of a cable agree.
func (f *finder) bothEndsAgree(slot, t int32) bool {
	if f.FirstFrom[t] != slot || !f.HasLink(t) {
		return false
	}
	if f.Flags[t]&ledger.PortProbed == 0 { // a CA's port, or the port by which its switch was found
		return true
	}
	return f.Behind[t] == slot
}

// queueRecheck queues a second NodeInfo request behind every mismatched port.
func (f *finder) queueRecheck() {
	for i, m := range f.mismatches {
		f.enqueue(ledger.MakeTag(ledger.GetNodeAgain, m.slot, uint32(i)))
		if !m.rival && hasOtherLID(f, m.seen) {
			f.enqueue(ledger.MakeTag(ledger.GetTwin, m.slot, 0))
		}
		if f.Flags[m.seen]&ledger.PortKnown != 0 && !f.HasLink(m.seen) {
			f.enqueue(ledger.MakeTag(ledger.GetLinkAgain, m.seen, uint32(i)))
		}
	}
}

// onNodeAgain handles the second NodeInfo from behind a port.
func (f *finder) onNodeAgain(i uint32, ev *terms.Event) {
	if ev.Outcome != terms.Answered {
		return
	}
	guid, local := nodeAndPort(ev.Data[:])
	if id, ok := f.ByGUID[guid]; ok && local <= f.Nodes[id].Ports {
		f.mismatches[i].again = f.Nodes[id].First + int32(local)
	}
}

// onLinkAgain handles the second PortInfo of a port that had no link although another port led to
// it. It reveals a cable that was pulled and put back.
func (f *finder) onLinkAgain(i uint32, ev *terms.Event) {
	f.mismatches[i].linked = ev.Outcome == terms.Answered && mad.PortInfoPortState.Get(ev.Data[:]) >= mad.PortInit
}

// judgeMismatches notes the cause of every mismatch. It reports whether a cable moved, or a GUID
// was stolen, so that the sweep must be repeated. If the second answer equals the first, two nodes
// share a GUID, or one end of the cable could not be read.
func (f *finder) judgeMismatches() (again bool) {
	moved, stolen := false, false
	for _, m := range f.mismatches {
		switch {
		case m.again != m.seen || m.linked:
			moved = true
			f.noteLoss(terms.MovedCable, f.PortPlace(m.slot), "the cable in %s was moved during the sweep", f.PortName(m.slot))
		case m.rival:
		case f.liars[f.PortKey(f.FirstFrom[m.seen])] && f.sweep < f.given.Limits.Sweeps:
			stolen = true
		case f.FirstFrom[m.seen] != m.slot || f.Behind[m.seen] != ledger.NoSlot,
			f.Flags[m.seen]&ledger.PortKnown != 0 && !f.HasLink(m.seen):
			f.noteDuplicate(f.Owner[m.seen], m.slot)
		default:
			f.noteLoss(terms.OneSided, f.PortPlace(m.slot), "the cable of %s to %s shows from one end only: left out", f.PortName(m.slot), f.PortName(m.seen))
		}
	}
	return moved || stolen
}
