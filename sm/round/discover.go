package round

import (
	"strings"
	"unicode"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// beginSweep discards the inventory and starts discovery at our own port.
func (f *finder) beginSweep() {
	f.sweep++
	f.Inventory = ledger.Inventory{ByGUID: map[fabric.GUID]int32{}}
	f.incomplete, f.programmed, f.uncleared = false, false, false
	f.overtaken, f.unfit = overtaken{}, map[int32]bool{}
	f.mismatches, f.late, f.silent, f.movedKeys = f.mismatches[:0], nil, nil, nil
	f.enterPhase(discovering)
	f.enqueue(ledger.MakeTag(ledger.GetNode, ledger.NoSlot, 0))
}

// onNodeInfo handles the NodeInfo of the node behind a port. If the node is silent, it is asked
// again with the next M_Key that it may have.
func (f *finder) onNodeInfo(slot int32, arg uint32, ev *terms.Event) {
	if ev.Outcome == terms.Silent && f.triesAgain(slot, arg) {
		return
	}
	if ev.Outcome != terms.Answered {
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

// triesAgain asks the node behind a port with the next M_Key that it may have. It reports whether
// there is another key.
func (f *finder) triesAgain(slot int32, arg uint32) bool {
	keys := len(f.movedKeys)
	if arg&triesMoved == 0 {
		keys = len(f.Keys.OfStrangers(f.expected(slot)))
	}
	switch {
	case int(arg&^triesMoved)+1 < keys:
		f.enqueue(ledger.MakeTag(ledger.GetNode, slot, arg+1))
		return true
	case arg&triesMoved == 0 && slot != ledger.NoSlot && f.Keys.Given() && f.Keys.Hiding:
		f.silent = append(f.silent, slot)
		return true
	}
	return false
}

// takeNodeInfo adds the node of a plausible NodeInfo, or finds it among the known ones, and records
// the cable.
func (f *finder) takeNodeInfo(slot int32, ev *terms.Event) {
	data := ev.Data[:]
	guid, local := nodeAndPort(data)
	id, known := f.ByGUID[guid]
	if !known {
		if len(f.Nodes) == maxNodes {
			f.noteTooMany(slot)
			return
		}
		id = f.addFound(slot, data, local)
	} else if !f.isSameNode(slot, id, data, local) {
		return
	}
	if slot == ledger.NoSlot {
		return
	}
	t := f.Nodes[id].First + int32(local)
	f.Behind[slot] = t
	first := f.FirstFrom[t] == ledger.NoSlot
	if first {
		f.FirstFrom[t] = slot
	}
	if f.Nodes[id].Typ != fabric.Switch {
		f.GUID[t] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		if known && first {
			f.askFor(t)
		}
	}
}

// nodeAndPort returns the node GUID of a NodeInfo, and the number of the port that received the
// request.
func nodeAndPort(data []byte) (fabric.GUID, uint8) {
	return fabric.GUID(mad.NodeInfoNodeGUID.Get(data)), uint8(mad.NodeInfoLocalPortNum.Get(data))
}

// maxNodes limits the nodes of an inventory to the number of LIDs. Without a limit, a switch with
// another GUID in every answer would make the sweep endless.
const maxNodes = int(fabric.MaxUnicastLID)

// noteTooMany notes the first node beyond maxNodes.
func (f *finder) noteTooMany(slot int32) {
	if !f.Full {
		f.Full = true
		f.noteLoss(terms.TooMany, f.PortPlace(slot), "there are more than %d nodes, and LIDs for no more: the others are left out, the first of them behind %s",
			maxNodes, f.PortName(slot))
	}
}

// noteNothingBehind notes that the node behind a port does not answer.
func (f *finder) noteNothingBehind(slot int32, ev *terms.Event) {
	switch {
	case ev.Outcome == terms.Cancelled:
	case slot == ledger.NoSlot:
		f.note(terms.NoAnswer, terms.Place{}, "our own port does not answer NodeInfo%s", f.perhapsLocked())
	case ev.Outcome == terms.Refused:
		f.noteLoss(terms.NoAnswer, f.PortPlace(slot), "the node behind %s refuses NodeInfo (%v)", f.PortName(slot), ev.Status)
	default:
		f.Missed = true
		f.noteLoss(terms.NoAnswer, f.PortPlace(slot), "nobody answers behind %s, though its link is up%s", f.PortName(slot), f.perhapsLocked())
	}
}

// isPlausible reports whether a NodeInfo is valid, and notes an invalid one.
func (f *finder) isPlausible(slot int32, data []byte) bool {
	typ := fabric.NodeType(mad.NodeInfoNodeType.Get(data))
	guid := fabric.GUID(mad.NodeInfoNodeGUID.Get(data))
	local := mad.NodeInfoLocalPortNum.Get(data)
	switch {
	case typ < fabric.CA || typ > fabric.Router:
		f.noteLoss(terms.BadNode, f.PortPlace(slot), "the node behind %s says that it is of type %d", f.PortName(slot), typ)
	case guid == 0:
		f.noteLoss(terms.BadNode, f.PortPlace(slot), "the node behind %s has node GUID 0", f.PortName(slot))
	case local > fabric.MaxPorts || local == 0 && (typ != fabric.Switch || slot != ledger.NoSlot):
		f.noteLoss(terms.BadNode, f.PortPlace(slot), "the node %s behind %s says that it was reached by its port %d", guid, f.PortName(slot), local)
	default:
		return true
	}
	return false
}

// addFound adds a new node, and queues the requests for its other attributes.
func (f *finder) addFound(slot int32, data []byte, local uint8) int32 {
	var path []byte
	if slot != ledger.NoSlot {
		path = f.PathBehind(slot, &f.paths)
	}
	ports := mad.NodeInfoNumPorts.Get(data)
	id := f.AddNode(data, path, local)
	f.Nodes[id].Name = f.given.By.Names[f.Nodes[id].GUID]
	n := &f.Nodes[id]
	if ports == 0 || ports > fabric.MaxPorts || uint64(local) > ports {
		f.note(terms.BadPortCount, f.NodePlace(id), "%s says that it has %d ports, and was reached by its port %d", f.NodeName(id), ports, local)
	}
	guid := fabric.GUID(mad.NodeInfoPortGUID.Get(data))
	if n.Typ != fabric.Switch {
		f.GUID[n.Entry] = guid
		f.askFor(n.Entry)
	} else {
		for slot := range f.PortsOf(id) {
			f.GUID[slot] = guid
		}
		f.askFor(n.First)
	}
	if !f.usesKeys() {
		f.enqueue(ledger.MakeTag(ledger.GetDescription, id, 0))
	}
	return id
}

// isSameNode reports whether a NodeInfo can come from the known node with its GUID, and notes a
// contradiction.
func (f *finder) isSameNode(slot, id int32, data []byte, local uint8) bool {
	n, says := &f.Nodes[id], ledger.IdentityOf(data)
	switch {
	case isTwin(f, slot, id, says, local):
		f.Behind[slot] = n.First + int32(local) // both are compared after the sweep
	case n.Typ != says.Typ || n.System != says.System || n.Device != says.Device:
		f.noteDuplicate(id, slot)
	case local > n.Ports:
		f.noteLoss(terms.BadPortCount, f.NodePlace(id), "%s says that it has %d ports, and was reached by its port %d", f.NodeName(id), n.Ports, local)
	default:
		return slot != ledger.NoSlot
	}
	return false
}

// noteDuplicate notes that the node behind a port has the GUID of another known node.
func (f *finder) noteDuplicate(id, slot int32) {
	f.noteLoss(terms.DuplicateGUID, f.PortPlace(slot), "two nodes have the GUID %s: %s, and one behind %s, which is left out",
		f.Nodes[id].GUID, f.NodeName(id), f.PortName(slot))
}

// onNodeDescription stores the name of a node. Control characters become blanks: some names end
// with a line break, which no file format can hold.
func (f *finder) onNodeDescription(id int32, ev *terms.Event) {
	if ev.Outcome != terms.Answered {
		if ev.Outcome != terms.Cancelled {
			f.note(terms.NoAnswer, f.NodePlace(id), "%s does not answer NodeDescription: its name is not known", f.NodeName(id))
		}
		return
	}
	blank := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	f.Nodes[id].Desc = strings.TrimSpace(strings.Map(blank, mad.NodeDescriptionText.Text(ev.Data[:])))
}

// onSwitchInfo stores SwitchInfo. It clears PortStateChange before the ports are read, so that
// later changes show.
func (f *finder) onSwitchInfo(id int32, ev *terms.Event) {
	n := &f.Nodes[id]
	if ev.Outcome == terms.Answered {
		copy(n.Sw[:], ev.Data[:])
		n.HasSwitch = true
		if mad.SwitchInfoLinearFDBCap.Get(n.Sw[:]) == 0 {
			f.note(terms.NotEnough, f.NodePlace(id), "%s has no linear forwarding table", f.NodeName(id))
		}
		f.programmed = f.programmed || mad.SwitchInfoLinearFDBTop.Get(n.Sw[:]) != 0
		f.doubtRestarted(id)
		if mad.SwitchInfoPortStateChange.Is(n.Sw[:]) && !f.given.ReadOnly {
			if f.given.Before != nil {
				f.given.Before.DoubtUnverified(n)
			}
			f.beliefs.doubt(n.GUID)
			if f.mayClearChange() && !f.Locked[id] {
				f.enqueue(ledger.MakeTag(ledger.ClearChange, id, 0))
				return
			}
			f.uncleared = true
		}
	} else {
		f.noteSilent(id, "SwitchInfo", ev)
	}
	f.queuePorts(id)
}

// SeesChanges reports whether this round will see a port state change that happens now. It reads
// PortStateChange of every switch after discovery, and clears it only before reading the ports. A
// round that will sweep again also sees it.
func (f *finder) SeesChanges() bool {
	return f.phase > idle && f.phase < settling || f.phase <= reading && f.brokenOff
}

// queuePorts queues a read of every port of a switch.
func (f *finder) queuePorts(id int32) {
	for slot := range f.PortsOf(id) {
		if f.Flags[slot]&ledger.PortKnown == 0 {
			f.enqueue(ledger.MakeTag(ledger.GetPort, slot, 0))
		}
	}
}

// noteSilent notes that a node does not answer a mandatory attribute, once for each node.
func (f *finder) noteSilent(id int32, what string, ev *terms.Event) {
	if ev.Outcome == terms.Silent && (f.linkChanged || f.phase >= settling) {
		f.breakOff()
	}
	if f.Nodes[id].Silent || ev.Outcome == terms.Cancelled || f.brokenOff && f.phase < reading {
		return
	}
	f.Nodes[id].Silent, f.Missed = true, true
	verb := "does not answer " + what
	if ev.Outcome == terms.Refused {
		verb = "refuses " + what + " (" + ev.Status.String() + ")"
	}
	f.noteLoss(terms.NoAnswer, f.NodePlace(id), "%s %s", f.NodeName(id), verb)
}

// onPortInfo stores PortInfo, and asks for the node behind the port if that is unknown.
func (f *finder) onPortInfo(slot int32, ev *terms.Event) {
	id := f.Owner[slot]
	switch ev.Outcome {
	case terms.Answered:
	case terms.Refused:
		f.note(terms.BadPortCount, f.PortPlace(slot), "%s says that it has %d ports, and refuses to describe port %d (%v)",
			f.NodeName(id), f.Nodes[id].Ports, f.PortNumber(slot), ev.Status)
		return
	default:
		f.noteSilent(id, "PortInfo", ev)
		return
	}
	f.Info[slot] = ev.Data
	f.Flags[slot] |= ledger.PortKnown
	if f.State(slot) == mad.PortInit {
		f.Flags[slot] |= ledger.PortCame
	}
	f.programmed = f.programmed || slot == f.OwnPort() && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != 0
	if f.PortNumber(slot) == 0 || !f.HasLink(slot) || f.Flags[slot]&ledger.PortProbed != 0 || f.isHeld(slot) {
		return
	}
	// The entry port of a switch leads back to the node that found it. A CA forwards nothing;
	// only our own port leads on.
	if f.IsSwitch(slot) && (slot != f.Nodes[id].Entry || id == 0) || slot == f.OwnPort() {
		f.Flags[slot] |= ledger.PortProbed
		f.enqueue(ledger.MakeTag(ledger.GetNode, slot, 0))
	}
}

// queueChangeRead queues a second read of PortStateChange. After the sweep it also asks for the
// role, and for speeds that PortInfo does not distinguish.
func (f *finder) queueChangeRead(id int32) {
	if f.phase == settling {
		f.queueFDR10(id)
		if f.given.AskRoles && f.Nodes[id].Typ == fabric.Switch {
			f.enqueue(ledger.MakeTag(ledger.GetRole, id, 0))
		}
	}
	if f.Nodes[id].HasSwitch {
		f.enqueue(ledger.MakeTag(ledger.GetChange, id, 0))
	}
}

// onChangeRead handles PortStateChange after the sweep or after the bring-up. A read-only round
// cannot clear the bit, so it sees changes only where the bit was clear before.
func (f *finder) onChangeRead(id int32, ev *terms.Event) {
	switch {
	case ev.Outcome == terms.Cancelled:
		return
	case ev.Outcome != terms.Answered:
		f.Changed = true
		f.noteSilent(id, "SwitchInfo any more", ev)
		return
	}
	if f.phase == verifying {
		f.checkTop(id, ev)
	}
	switch {
	case !mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		if f.phase == verifying {
			f.Prog.Verified[id] = true
		}
		return
	}
	if f.phase == verifying {
		f.Prog.Wrong[id] = true // it may have restarted after its tables were written
	}
	switch {
	case f.given.Apart.Nodes[f.Nodes[id].GUID]: // the watch reads its ports after the round
		f.changing = append(f.changing, f.Nodes[id].GUID)
	case f.phase == verifying:
		f.noteLoss(terms.Changed, f.NodePlace(id), "a port of %s changed its state while the subnet was brought up: sweep again", f.NodeName(id))
	case !f.given.ReadOnly || !mad.SwitchInfoPortStateChange.Is(f.Nodes[id].Sw[:]):
		f.Changed = true
		f.note(terms.Changed, f.NodePlace(id), "a port of %s changed its state while it was swept", f.NodeName(id))
	}
}

// checkTop compares the top of a forwarding table, as a switch tells it after the bring-up, with
// the Plan. Some switches acknowledge a Set of SwitchInfo and do nothing.
func (s *shared) checkTop(id int32, ev *terms.Event) {
	top := mad.SwitchInfoLinearFDBTop.Get(ev.Data[:])
	mad.SwitchInfoLinearFDBTop.Put(s.Nodes[id].Sw[:], top)
	if s.Prog.Sw[id] >= 0 && top < uint64(s.Prog.Top) && !s.Prog.Closed[id] {
		s.Prog.Closed[id] = true
		s.noteLoss(terms.NotTaken, s.NodePlace(id), "%s says that the top of its forwarding table is %d, and was told %d: it forwards nothing above", s.NodeName(id), top, s.Prog.Top)
	}
}

// queueFDR10 asks for the vendor attribute ExtendedPortInfo for every QDR cable between two devices
// that support FDR10. PortInfo reports both speeds as QDR.
func (f *finder) queueFDR10(id int32) {
	if !f.Nodes[id].KnowsFDR10() {
		return
	}
	for slot := range f.PortsOf(id) {
		if t := f.Peer[slot]; t > slot && f.Nodes[f.Owner[t]].KnowsFDR10() && mad.LinkSpeed(f.Info[slot][:]) == mad.SpeedQDR {
			f.enqueue(ledger.MakeTag(ledger.GetFDR10, slot, 0))
		}
	}
}

// onRole stores the role of a switch. A device of another vendor may answer differently or not at
// all; it gets no role.
func (f *finder) onRole(id int32, ev *terms.Event) {
	if ev.Outcome != terms.Answered || mad.SwitchRoleSignature.Get(ev.Data[:]) != mad.SwitchRoleMagic {
		return
	}
	if role := mad.SwitchRoleRole.Get(ev.Data[:]); role <= uint64(fabric.RoleLeaf) {
		f.Nodes[id].Role = fabric.Role(role)
	}
}

// isStranger reports whether a node is left out because it is not among Given.Admitted. It gets no
// LID, and its link stays as it is.
func (f *finder) isStranger(slot int32, guid fabric.GUID) bool {
	if slot == ledger.NoSlot || f.given.admits(guid) {
		return false
	}
	f.note(terms.Stranger, f.PortPlace(slot), "the node %s behind %s is not expected, and left out", guid, f.PortName(slot))
	return true
}
