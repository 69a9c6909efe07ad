package sm

import (
	"strings"
	"unicode"

	"weft/fabric"
	"weft/wire/mad"
)

// beginSweep forgets the fabric and asks our own port for its NodeInfo.
func (f *finder) beginSweep() {
	f.sweep++
	f.inventory = inventory{byGUID: map[fabric.GUID]int32{}}
	f.incomplete, f.programmed, f.uncleared = false, false, false
	f.overtaken = overtaken{}
	f.mismatches, f.late, f.silent, f.movedKeys = f.mismatches[:0], nil, nil, nil
	f.enterPhase(discovering)
	f.enqueue(makeTag(getNode, noSlot, 0))
}

// onNodeInfo takes the NodeInfo of the node behind a port. One that does not answer is asked with the next of the M_Keys that it may have.
func (f *finder) onNodeInfo(slot int32, arg uint32, ev *Event) {
	if ev.Outcome == Silent && f.triesAgain(slot, arg) {
		return
	}
	if ev.Outcome != Answered {
		f.noteNothingBehind(slot, ev)
		return
	}
	data := ev.Data[:]
	if !f.isPlausible(slot, data) {
		return
	}
	guid, _ := nodeAndPort(data)
	switch {
	case f.isStranger(slot, guid):
	case f.isElsewhere(slot, guid):
		f.late = append(f.late, lateNode{slot, *ev})
	default:
		f.takeNodeInfo(slot, ev)
	}
}

// triesAgain asks for the node behind a port with the next of the M_Keys that it may have, and reports whether there is another one.
func (f *finder) triesAgain(slot int32, arg uint32) bool {
	keys := len(f.movedKeys)
	if arg&triesMoved == 0 {
		keys = len(f.keys.ofStrangers(f.expected(slot)))
	}
	switch {
	case int(arg&^triesMoved)+1 < keys:
		f.enqueue(makeTag(getNode, slot, arg+1))
		return true
	case arg&triesMoved == 0 && slot != noSlot && f.keys.Given() && f.keys.hiding:
		f.silent = append(f.silent, slot)
		return true
	}
	return false
}

// takeNodeInfo takes the NodeInfo of a node that may be there.
func (f *finder) takeNodeInfo(slot int32, ev *Event) {
	data := ev.Data[:]
	guid, local := nodeAndPort(data)
	id, known := f.byGUID[guid]
	if !known {
		if len(f.nodes) == maxNodes {
			f.noteTooMany(slot)
			return
		}
		id = f.addFound(slot, data, local)
	} else if !f.isSameNode(slot, id, data, local) {
		return
	}
	if slot == noSlot {
		return
	}
	t := f.nodes[id].first + int32(local)
	f.behind[slot] = t
	first := f.firstFrom[t] == noSlot
	if first {
		f.firstFrom[t] = slot
	}
	if f.nodes[id].typ != fabric.Switch {
		f.guid[t] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		if known && first {
			f.askFor(t)
		}
	}
}

// nodeAndPort reads the node GUID of a NodeInfo and the port that it came in by.
func nodeAndPort(data []byte) (fabric.GUID, uint8) {
	return fabric.GUID(mad.NodeInfoNodeGUID.Get(data)), uint8(mad.NodeInfoLocalPortNum.Get(data))
}

// maxNodes bounds the nodes that are taken in, by the LIDs that there are: a subnet with a
// switch that has another GUID in every answer has no end.
const maxNodes = int(fabric.MaxUnicastLID)

// noteTooMany notes the first node that is more than can have a LID.
func (f *finder) noteTooMany(slot int32) {
	if !f.full {
		f.full = true
		f.noteLoss(TooMany, f.portPlace(slot), "there are more than %d nodes, and LIDs for no more: the others are left out, the first of them behind %s",
			maxNodes, f.portName(slot))
	}
}

// noteNothingBehind notes that nobody answers behind a port.
func (f *finder) noteNothingBehind(slot int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
	case slot == noSlot:
		f.note(NoAnswer, Place{}, "our own port does not answer NodeInfo%s", f.perhapsLocked())
	case ev.Outcome == Refused:
		f.noteLoss(NoAnswer, f.portPlace(slot), "the node behind %s refuses NodeInfo (%v)", f.portName(slot), ev.Status)
	default:
		f.missed = true
		f.noteLoss(NoAnswer, f.portPlace(slot), "nobody answers behind %s, though its link is up%s", f.portName(slot), f.perhapsLocked())
	}
}

// isPlausible reports whether a node may give a NodeInfo, and notes it when not.
func (f *finder) isPlausible(slot int32, data []byte) bool {
	typ := fabric.NodeType(mad.NodeInfoNodeType.Get(data))
	guid := fabric.GUID(mad.NodeInfoNodeGUID.Get(data))
	local := mad.NodeInfoLocalPortNum.Get(data)
	switch {
	case typ < fabric.CA || typ > fabric.Router:
		f.noteLoss(BadNode, f.portPlace(slot), "the node behind %s says that it is of type %d", f.portName(slot), typ)
	case guid == 0:
		f.noteLoss(BadNode, f.portPlace(slot), "the node behind %s has node GUID 0", f.portName(slot))
	case local > fabric.MaxPorts || local == 0 && (typ != fabric.Switch || slot != noSlot):
		f.noteLoss(BadNode, f.portPlace(slot), "the node %s behind %s says that it was reached by its port %d", guid, f.portName(slot), local)
	default:
		return true
	}
	return false
}

// addFound adds a node that was not known and asks for what else there is to know of it.
func (f *finder) addFound(slot int32, data []byte, local uint8) int32 {
	var path []byte
	if slot != noSlot {
		path = f.pathBehind(slot, &f.paths)
	}
	ports := mad.NodeInfoNumPorts.Get(data)
	id := f.addNode(data, path, local)
	n := &f.nodes[id]
	if ports == 0 || ports > fabric.MaxPorts || uint64(local) > ports {
		f.note(BadPortCount, f.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", f.nodeName(id), ports, local)
	}
	guid := fabric.GUID(mad.NodeInfoPortGUID.Get(data))
	if n.typ != fabric.Switch {
		f.guid[n.entry] = guid
		f.askFor(n.entry)
	} else {
		for slot := range f.portsOf(id) {
			f.guid[slot] = guid
		}
		f.askFor(n.first)
	}
	if !f.usesKeys() {
		f.enqueue(makeTag(getDescription, id, 0))
	}
	return id
}

// isSameNode reports whether a NodeInfo with a known GUID can be of the node that has it,
// and notes it when not.
func (f *finder) isSameNode(slot, id int32, data []byte, local uint8) bool {
	n, says := &f.nodes[id], identityOf(data)
	switch {
	case n.typ != says.typ || n.system != says.system || n.device != says.device:
		f.noteDuplicate(id, slot)
	case local > n.ports:
		f.noteLoss(BadPortCount, f.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", f.nodeName(id), n.ports, local)
	default:
		return slot != noSlot
	}
	return false
}

// noteDuplicate notes that another node, behind a port, has the GUID of a known one.
func (f *finder) noteDuplicate(id, slot int32) {
	f.noteLoss(DuplicateGUID, f.portPlace(slot), "two nodes have the GUID %s: %s, and one behind %s, which is left out",
		f.nodes[id].guid, f.nodeName(id), f.portName(slot))
}

// onNodeDescription takes the name of a node. Control characters become blanks: some names
// end with a line break, and no file holds one.
func (f *finder) onNodeDescription(id int32, ev *Event) {
	if ev.Outcome != Answered {
		if ev.Outcome != Cancelled {
			f.note(NoAnswer, f.nodePlace(id), "%s does not answer NodeDescription: its name is not known", f.nodeName(id))
		}
		return
	}
	blank := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	f.nodes[id].desc = strings.TrimSpace(strings.Map(blank, mad.NodeDescriptionText.Text(ev.Data[:])))
}

// onSwitchInfo takes SwitchInfo. PortStateChange is cleared before the ports are read, so
// that a change after that shows.
func (f *finder) onSwitchInfo(id int32, ev *Event) {
	n := &f.nodes[id]
	if ev.Outcome == Answered {
		copy(n.sw[:], ev.Data[:])
		n.hasSwitch = true
		if mad.SwitchInfoLinearFDBCap.Get(n.sw[:]) == 0 {
			f.note(NotEnough, f.nodePlace(id), "%s has no linear forwarding table", f.nodeName(id))
		}
		f.programmed = f.programmed || mad.SwitchInfoLinearFDBTop.Get(n.sw[:]) != 0
		f.doubtRestarted(id)
		if mad.SwitchInfoPortStateChange.Is(n.sw[:]) && !f.given.ReadOnly {
			if f.given.Before != nil {
				f.given.Before.doubtUnverified(n)
			}
			f.beliefs.doubt(n.guid)
			if f.mayClearChange() && !f.locked[id] {
				f.enqueue(makeTag(clearChange, id, 0))
				return
			}
			f.uncleared = true
		}
	} else {
		f.noteSilent(id, "SwitchInfo", ev)
	}
	f.queuePorts(id)
}

// SeesChanges reports whether a change of a port of a switch that has come about by now is seen by this round: PortStateChange of
// every switch is read when discovery has ended, and cleared only before its ports are read. So does one that sweeps again.
func (f *finder) SeesChanges() bool {
	return f.phase > idle && f.phase < settling || f.phase <= reading && f.brokenOff
}

// queuePorts asks for all ports of a switch.
func (f *finder) queuePorts(id int32) {
	for slot := range f.portsOf(id) {
		f.enqueue(makeTag(getPort, slot, 0))
	}
}

// noteSilent notes, once for a node, that it does not answer what it must.
func (f *finder) noteSilent(id int32, what string, ev *Event) {
	if ev.Outcome == Silent && (f.linkChanged || f.phase >= settling) {
		f.breakOff()
	}
	if f.nodes[id].silent || ev.Outcome == Cancelled || f.brokenOff && f.phase < reading {
		return
	}
	f.nodes[id].silent, f.missed = true, true
	verb := "does not answer " + what
	if ev.Outcome == Refused {
		verb = "refuses " + what + " (" + ev.Status.String() + ")"
	}
	f.noteLoss(NoAnswer, f.nodePlace(id), "%s %s", f.nodeName(id), verb)
}

// onPortInfo takes PortInfo, and asks for the node behind the port where that is not known
// yet.
func (f *finder) onPortInfo(slot int32, ev *Event) {
	id := f.owner[slot]
	switch ev.Outcome {
	case Answered:
	case Refused:
		f.note(BadPortCount, f.portPlace(slot), "%s says that it has %d ports, and refuses to describe port %d (%v)",
			f.nodeName(id), f.nodes[id].ports, f.portNumber(slot), ev.Status)
		return
	default:
		f.noteSilent(id, "PortInfo", ev)
		return
	}
	f.info[slot] = ev.Data
	f.flags[slot] |= portKnown
	if f.state(slot) == mad.PortInit {
		f.flags[slot] |= portCame
	}
	f.programmed = f.programmed || slot == f.ownPort() && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != 0
	if f.portNumber(slot) == 0 || !f.hasLink(slot) || f.flags[slot]&portProbed != 0 || f.isHeld(slot) {
		return
	}
	// Behind the port by which a switch was found is the node that found it. A CA
	// forwards nothing, but our own port has a cable.
	if f.isSwitch(slot) && (slot != f.nodes[id].entry || id == 0) || slot == f.ownPort() {
		f.flags[slot] |= portProbed
		f.enqueue(makeTag(getNode, slot, 0))
	}
}

// queueChangeRead asks a switch whether a port changed its state meanwhile, and after the
// sweep for its role and for speeds that PortInfo does not tell apart.
func (f *finder) queueChangeRead(id int32) {
	if f.phase == settling {
		f.queueFDR10(id)
		if f.given.AskRoles && f.nodes[id].typ == fabric.Switch {
			f.enqueue(makeTag(getRole, id, 0))
		}
	}
	if f.nodes[id].hasSwitch {
		f.enqueue(makeTag(getChange, id, 0))
	}
}

// onChangeRead takes PortStateChange at the end of the sweep, or of the bring-up. A
// discovery cannot clear it, and sees changes only where it was clear.
func (f *finder) onChangeRead(id int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
		return
	case ev.Outcome != Answered:
		f.changed = true
		f.noteSilent(id, "SwitchInfo any more", ev)
		return
	case !mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		if f.phase == verifying {
			f.prog.verified[id] = true
		}
		return
	}
	if f.phase == verifying {
		f.prog.wrong[id] = true // it may have restarted after its tables were written, and have been told the rest since
	}
	switch {
	case f.given.Apart.Nodes[f.nodes[id].guid]: // its ports are read after the round
		f.changing = append(f.changing, f.nodes[id].guid)
	case f.phase == verifying:
		f.noteLoss(Changed, f.nodePlace(id), "a port of %s changed its state while the subnet was brought up: sweep again", f.nodeName(id))
	case !f.given.ReadOnly || !mad.SwitchInfoPortStateChange.Is(f.nodes[id].sw[:]):
		f.changed = true
		f.note(Changed, f.nodePlace(id), "a port of %s changed its state while it was swept", f.nodeName(id))
	}
}

// queueFDR10 asks for the vendor's ExtendedPortInfo where a cable runs at QDR and
// both ends are of a family that knows FDR10, which PortInfo does not tell apart.
func (f *finder) queueFDR10(id int32) {
	if !f.nodes[id].knowsFDR10() {
		return
	}
	for slot := range f.portsOf(id) {
		if t := f.peer[slot]; t > slot && f.nodes[f.owner[t]].knowsFDR10() && mad.LinkSpeed(f.info[slot][:]) == mad.SpeedQDR {
			f.enqueue(makeTag(getFDR10, slot, 0))
		}
	}
}

// onRole takes the role of a switch. Another vendor's device may answer the attribute with
// something else, or not at all: it then has no role.
func (f *finder) onRole(id int32, ev *Event) {
	if ev.Outcome != Answered || mad.SwitchRoleSignature.Get(ev.Data[:]) != mad.SwitchRoleMagic {
		return
	}
	if role := mad.SwitchRoleRole.Get(ev.Data[:]); role <= uint64(fabric.RoleLeaf) {
		f.nodes[id].role = fabric.Role(role)
	}
}

// isStranger reports whether a node is left out, since it is not expected: its link stays as it is, and it gets no LID.
func (f *finder) isStranger(slot int32, guid fabric.GUID) bool {
	if slot == noSlot || f.given.admits(guid) {
		return false
	}
	f.note(Stranger, f.portPlace(slot), "the node %s behind %s is not expected, and left out", guid, f.portName(slot))
	return true
}
