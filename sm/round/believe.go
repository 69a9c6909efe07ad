package round

import (
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// beliefs decides which answers of the previous round still hold, so that the round need not ask
// again. Every switch is asked for its SwitchInfo; without a PortStateChange its ports are as they
// were. A port that was Active and still is has the same link: a link that was down comes back in
// state Init. So the node behind such a link is the same as before. But a link that came up in the
// previous round may have failed between its NodeInfo and its step to Active: its end shows that by
// PortStateChange.
type beliefs struct {
	on      bool                 // some answers are taken from the previous round
	doubted map[fabric.GUID]bool // node GUIDs to ask everything, until a round succeeds
	answer  terms.Event          // memory for the last answer taken
}

// doubt marks a node, so that the round asks it everything again.
func (b *beliefs) doubt(node fabric.GUID) {
	if b.doubted != nil {
		b.doubted[node] = true
	}
}

// doubtReached doubts a node that answered a real NodeInfo request first: its link is new, so the
// node may have been off.
func (f *finder) doubtReached(ev *terms.Event) {
	if k, _, _ := ledger.SplitTag(ev.Tag); k != ledger.GetNode || ev.Outcome != terms.Answered {
		return
	}
	guid, _ := nodeAndPort(ev.Data[:])
	if _, known := f.ByGUID[guid]; !known {
		f.beliefs.doubt(guid)
	}
}

// doubtRestarted doubts a switch whose LinearFDBTop is not the value written in the previous round.
func (f *finder) doubtRestarted(id int32) {
	b, n := f.given.Before, &f.Nodes[id]
	if b == nil {
		return
	}
	if before, ok := b.ByGUID[n.GUID]; ok && b.Prog.Sw[before] >= 0 && mad.SwitchInfoLinearFDBTop.Get(n.Sw[:]) != uint64(b.Prog.Top) {
		f.beliefs.doubt(n.GUID)
	}
}

// answerFromBefore fills in the answer that the device gave to the same SMP in the previous round.
// It reports whether the device would give the same answer now.
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

// nodeBefore returns the index of a node in the previous ledger, and whether the node is believed
// unchanged.
func (f *finder) nodeBefore(id int32) (before int32, ok bool) {
	guid := f.Nodes[id].GUID
	before, ok = f.given.Before.ByGUID[guid]
	return before, ok && !f.beliefs.doubted[guid]
}

// portBefore returns the slot of a port in the previous ledger, and whether the port is believed
// unchanged. Our own port never is. Nor is a port that says IsSM, because its MasterSMLID can have
// changed.
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

// behindBefore returns the slot, in the previous ledger, at the other end of a cable, and whether
// the cable is believed unchanged.
func (f *finder) behindBefore(slot int32) (behind int32, ok bool) {
	if slot == ledger.NoSlot {
		return ledger.NoSlot, false
	}
	b, id := f.given.Before, f.Owner[slot]
	before, ok := b.SlotOf(f.Nodes[id].GUID, f.PortNumber(slot))
	if !ok || f.Flags[slot]&ledger.PortKnown == 0 || f.State(slot) != mad.PortActive || b.State(before) != mad.PortActive {
		return ledger.NoSlot, false
	}
	if b.Flags[before]&ledger.PortCame != 0 && !b.Prog.Verified[b.Owner[before]] && f.beliefs.doubted[f.Nodes[id].GUID] {
		return ledger.NoSlot, false
	}
	behind = b.Peer[before]
	return behind, behind != ledger.NoSlot && !f.beliefs.doubted[b.Nodes[b.Owner[behind]].GUID]
}
