package sm

import (
	"weft/fabric"
	"weft/wire/mad"
)

// beliefs hold the answers that a round takes from the round in force without asking again. A switch is asked for its SwitchInfo in any case:
// as long as no port of it has changed its state, its ports are as they were. A link is as it was when its port was Active and
// is: one that was down comes back in state Init. So a node that is reached by such a link is the same one as before.
type beliefs struct {
	on      bool                 // some answers are taken from the round in force
	doubted map[fabric.GUID]bool // by node GUID: nothing is believed of it, until a round has brought the subnet up
	answer  Event                // the last one that was taken
}

// doubt believes nothing of a node any more, so that all of it is asked again.
func (b *beliefs) doubt(node fabric.GUID) {
	if b.doubted != nil {
		b.doubted[node] = true
	}
}

// doubtReached doubts a node that was first reached by a link of which nothing is believed: it may have been off.
func (f *finder) doubtReached(ev *Event) {
	if k, _, _ := splitTag(ev.Tag); k != getNode || ev.Outcome != Answered {
		return
	}
	guid, _ := nodeAndPort(ev.Data[:])
	if _, known := f.byGUID[guid]; !known {
		f.beliefs.doubt(guid)
	}
}

// doubtRestarted doubts a switch that has another LinearFDBTop than it was told in the round in force.
func (f *finder) doubtRestarted(id int32) {
	b, n := f.given.Before, &f.nodes[id]
	if b == nil {
		return
	}
	if before, ok := b.byGUID[n.guid]; ok && b.prog.sw[before] >= 0 && mad.SwitchInfoLinearFDBTop.Get(n.sw[:]) != uint64(b.prog.top) {
		f.beliefs.doubt(n.guid)
	}
}

// answerFromBefore fills in the answer to an SMP as the device gave it in the round in force, and reports whether it
// would give the same now.
func (f *finder) answerFromBefore(tag uint64, ev *Event) bool {
	if !f.beliefs.on {
		return false
	}
	k, index, _ := splitTag(tag)
	b := f.given.Before
	*ev = Event{Kind: Answer, Tag: tag}
	switch k {
	case getNode:
		behind, ok := f.behindBefore(index)
		if ok {
			b.nodeInfo(behind, ev.Data[:])
		}
		return ok
	case getPort, getKey:
		old, ok := f.portBefore(index)
		if ok {
			ev.Data = b.info[old]
		}
		return ok
	case getFDR10:
		old, ok := f.portBefore(index)
		if ok && b.flags[old]&portFDR10 != 0 {
			mad.ExtendedPortInfoSpeedActive.Put(ev.Data[:], 1)
		}
		return ok
	case getDescription:
		id, ok := f.nodeBefore(index)
		if ok {
			copy(ev.Data[:], b.nodes[id].desc)
		}
		return ok && b.nodes[id].desc != ""
	default:
		return false
	}
}

// nodeBefore returns the number that a node had in the round in force, if it is believed to be as it was.
func (f *finder) nodeBefore(id int32) (before int32, ok bool) {
	guid := f.nodes[id].guid
	before, ok = f.given.Before.byGUID[guid]
	return before, ok && !f.beliefs.doubted[guid]
}

// portBefore returns the slot that a port had in the round in force, if it is believed to be as it was: our own port
// never is, nor one that says that a subnet manager runs there, since who is its master can have changed.
func (f *finder) portBefore(slot int32) (before int32, ok bool) {
	b, id := f.given.Before, f.owner[slot]
	if _, ok := f.nodeBefore(id); !ok || slot == f.ownPort() {
		return noSlot, false
	}
	before, ok = b.slotOf(f.nodes[id].guid, f.portNumber(slot))
	if !ok || b.flags[before]&portKnown == 0 || mad.PortInfoCapabilityMask.Get(b.info[before][:])&mad.CapIsSM != 0 || b.hasLink(before) && b.state(before) != mad.PortActive {
		return noSlot, false
	}
	if f.isSwitch(slot) {
		return before, f.nodes[id].hasSwitch
	}
	if from := f.firstFrom[slot]; from != noSlot {
		behind, ok := f.behindBefore(from)
		return before, ok && behind == before
	}
	return noSlot, false
}

// behindBefore returns the slot, in the round in force, of the port at the other end of a cable, if the cable is believed to
// be as it was.
func (f *finder) behindBefore(slot int32) (behind int32, ok bool) {
	if slot == noSlot {
		return noSlot, false
	}
	b, id := f.given.Before, f.owner[slot]
	before, ok := b.slotOf(f.nodes[id].guid, f.portNumber(slot))
	if !ok || f.flags[slot]&portKnown == 0 || f.state(slot) != mad.PortActive || b.state(before) != mad.PortActive {
		return noSlot, false
	}
	behind = b.peer[before]
	return behind, behind != noSlot && !f.beliefs.doubted[b.nodes[b.owner[behind]].guid]
}
