package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// beliefs hold the answers that a round takes from the round in force without asking again. A switch is asked for its SwitchInfo in any case:
// as long as no port of it has changed its state, its ports are as they were. A link is as it was when its port was Active and
// is: one that was down comes back in state Init. So a node that is reached by such a link is the same one as before.
type beliefs struct {
	on      bool                 // some answers are taken from the round in force
	doubted map[fabric.GUID]bool // by node GUID: nothing is believed of it, until a round has brought the subnet up
	answer  terms.Event          // the last one that was taken
}

// doubt believes nothing of a node any more, so that all of it is asked again.
func (b *beliefs) doubt(node fabric.GUID) {
	if b.doubted != nil {
		b.doubted[node] = true
	}
}

// doubtReached doubts a node that was first reached by a link of which nothing is believed: it may have been off.
func (f *finder) doubtReached(ev *terms.Event) {
	if k, _, _ := ledger.SplitTag(ev.Tag); k != ledger.GetNode || ev.Outcome != terms.Answered {
		return
	}
	guid, _ := nodeAndPort(ev.Data[:])
	if _, known := f.ByGUID[guid]; !known {
		f.beliefs.doubt(guid)
	}
}

// doubtRestarted doubts a switch that has another LinearFDBTop than it was told in the round in force.
func (f *finder) doubtRestarted(id int32) {
	b, n := f.given.Before, &f.Nodes[id]
	if b == nil {
		return
	}
	if before, ok := b.ByGUID[n.GUID]; ok && b.Prog.Sw[before] >= 0 && mad.SwitchInfoLinearFDBTop.Get(n.Sw[:]) != uint64(b.Prog.Top) {
		f.beliefs.doubt(n.GUID)
	}
}

// answerFromBefore fills in the answer to an SMP as the device gave it in the round in force, and reports whether it
// would give the same now.
func (f *finder) answerFromBefore(tag uint64, ev *terms.Event) bool {
	if !f.beliefs.on {
		return false
	}
	k, index, _ := ledger.SplitTag(tag)
	b := f.given.Before
	*ev = terms.Event{Kind: terms.Answer, Tag: tag}
	switch k {
	case ledger.GetNode:
		behind, ok := f.behindBefore(index)
		if ok {
			b.NodeInfo(behind, ev.Data[:])
		}
		return ok
	case ledger.GetPort, ledger.GetKey:
		old, ok := f.portBefore(index)
		if ok {
			ev.Data = b.Info[old]
		}
		return ok
	case ledger.GetFDR10:
		old, ok := f.portBefore(index)
		if ok && b.Flags[old]&ledger.PortFDR10 != 0 {
			mad.ExtendedPortInfoSpeedActive.Put(ev.Data[:], 1)
		}
		return ok
	case ledger.GetDescription:
		id, ok := f.nodeBefore(index)
		if ok {
			copy(ev.Data[:], b.Nodes[id].Desc)
		}
		return ok && b.Nodes[id].Desc != ""
	default:
		return false
	}
}

// nodeBefore returns the number that a node had in the round in force, if it is believed to be as it was.
func (f *finder) nodeBefore(id int32) (before int32, ok bool) {
	guid := f.Nodes[id].GUID
	before, ok = f.given.Before.ByGUID[guid]
	return before, ok && !f.beliefs.doubted[guid]
}

// portBefore returns the slot that a port had in the round in force, if it is believed to be as it was: our own port
// never is, nor one that says that a subnet manager runs there, since who is its master can have changed.
func (f *finder) portBefore(slot int32) (before int32, ok bool) {
	b, id := f.given.Before, f.Owner[slot]
	if _, ok := f.nodeBefore(id); !ok || slot == f.OwnPort() {
		return ledger.NoSlot, false
	}
	before, ok = b.SlotOf(f.Nodes[id].GUID, f.PortNumber(slot))
	if !ok || b.Flags[before]&ledger.PortKnown == 0 || mad.PortInfoCapabilityMask.Get(b.Info[before][:])&mad.CapIsSM != 0 || b.HasLink(before) && b.State(before) != mad.PortActive {
		return ledger.NoSlot, false
	}
	if f.IsSwitch(slot) {
		return before, f.Nodes[id].HasSwitch
	}
	if from := f.FirstFrom[slot]; from != ledger.NoSlot {
		behind, ok := f.behindBefore(from)
		return before, ok && behind == before
	}
	return ledger.NoSlot, false
}

// behindBefore returns the slot, in the round in force, of the port at the other end of a cable, if the cable is believed to
// be as it was.
func (f *finder) behindBefore(slot int32) (behind int32, ok bool) {
	if slot == ledger.NoSlot {
		return ledger.NoSlot, false
	}
	b, id := f.given.Before, f.Owner[slot]
	before, ok := b.SlotOf(f.Nodes[id].GUID, f.PortNumber(slot))
	if !ok || f.Flags[slot]&ledger.PortKnown == 0 || f.State(slot) != mad.PortActive || b.State(before) != mad.PortActive {
		return ledger.NoSlot, false
	}
	behind = b.Peer[before]
	return behind, behind != ledger.NoSlot && !f.beliefs.doubted[b.Nodes[b.Owner[behind]].GUID]
}
