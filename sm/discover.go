package sm

import (
	"strings"
	"unicode"

	"weft/fabric"
	"weft/mad"
)

// beginSweep forgets the fabric and asks our own port for its NodeInfo.
func (c *Core) beginSweep() {
	c.sweep++
	c.inventory = inventory{byGUID: map[fabric.GUID]int32{}}
	c.incomplete, c.programmed, c.uncleared = false, false, false
	c.overtaken = overtaken{}
	c.mismatches, c.late, c.silent, c.movedKeys = c.mismatches[:0], nil, nil, nil
	c.enterPhase(discovering)
	c.enqueue(makeTag(getNode, noSlot, 0))
}

// onNodeInfo takes the NodeInfo of the node behind a port. One that does not answer is asked with the next of the M_Keys that it may have.
func (c *Core) onNodeInfo(slot int32, arg uint32, ev *Event) {
	if ev.Outcome == Silent && c.triesAgain(slot, arg) {
		return
	}
	if ev.Outcome != Answered {
		c.noteNothingBehind(slot, ev)
		return
	}
	data := ev.Data[:]
	if !c.isPlausible(slot, data) {
		return
	}
	guid, _ := nodeAndPort(data)
	switch {
	case c.isStranger(slot, guid):
	case c.isElsewhere(slot, guid):
		c.late = append(c.late, lateNode{slot, *ev})
	default:
		c.takeNodeInfo(slot, ev)
	}
}

// triesAgain asks for the node behind a port with the next of the M_Keys that it may have, and reports whether there is another one.
func (c *Core) triesAgain(slot int32, arg uint32) bool {
	keys := len(c.movedKeys)
	if arg&triesMoved == 0 {
		keys = len(c.keys.ofStrangers(c.expected(slot)))
	}
	switch {
	case int(arg&^triesMoved)+1 < keys:
		c.enqueue(makeTag(getNode, slot, arg+1))
		return true
	case arg&triesMoved == 0 && slot != noSlot && c.keys.Given() && c.keys.hiding:
		c.silent = append(c.silent, slot)
		return true
	}
	return false
}

// takeNodeInfo takes the NodeInfo of a node that may be there.
func (c *Core) takeNodeInfo(slot int32, ev *Event) {
	data := ev.Data[:]
	guid, local := nodeAndPort(data)
	id, known := c.byGUID[guid]
	if !known {
		if len(c.nodes) == maxNodes {
			c.noteTooMany(slot)
			return
		}
		id = c.addFound(slot, data, local)
	} else if !c.isSameNode(slot, id, data, local) {
		return
	}
	if slot == noSlot {
		return
	}
	t := c.nodes[id].first + int32(local)
	c.behind[slot] = t
	first := c.firstFrom[t] == noSlot
	if first {
		c.firstFrom[t] = slot
	}
	if c.nodes[id].typ != fabric.Switch {
		c.guid[t] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		if known && first {
			c.askFor(t)
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
func (c *Core) noteTooMany(slot int32) {
	if !c.full {
		c.full = true
		c.noteLoss(TooMany, c.portPlace(slot), "there are more than %d nodes, and LIDs for no more: the others are left out, the first of them behind %s",
			maxNodes, c.portName(slot))
	}
}

// noteNothingBehind notes that nobody answers behind a port.
func (c *Core) noteNothingBehind(slot int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
	case slot == noSlot:
		c.note(NoAnswer, Place{}, "our own port does not answer NodeInfo%s", c.perhapsLocked())
	case ev.Outcome == Refused:
		c.noteLoss(NoAnswer, c.portPlace(slot), "the node behind %s refuses NodeInfo (%v)", c.portName(slot), ev.Status)
	default:
		c.missed = true
		c.noteLoss(NoAnswer, c.portPlace(slot), "nobody answers behind %s, though its link is up%s", c.portName(slot), c.perhapsLocked())
	}
}

// isPlausible reports whether a node may give a NodeInfo, and notes it when not.
func (c *Core) isPlausible(slot int32, data []byte) bool {
	typ := fabric.NodeType(mad.NodeInfoNodeType.Get(data))
	guid := fabric.GUID(mad.NodeInfoNodeGUID.Get(data))
	local := mad.NodeInfoLocalPortNum.Get(data)
	switch {
	case typ < fabric.CA || typ > fabric.Router:
		c.noteLoss(BadNode, c.portPlace(slot), "the node behind %s says that it is of type %d", c.portName(slot), typ)
	case guid == 0:
		c.noteLoss(BadNode, c.portPlace(slot), "the node behind %s has node GUID 0", c.portName(slot))
	case local > fabric.MaxPorts || local == 0 && (typ != fabric.Switch || slot != noSlot):
		c.noteLoss(BadNode, c.portPlace(slot), "the node %s behind %s says that it was reached by its port %d", guid, c.portName(slot), local)
	default:
		return true
	}
	return false
}

// addFound adds a node that was not known and asks for what else there is to know of it.
func (c *Core) addFound(slot int32, data []byte, local uint8) int32 {
	var path []byte
	if slot != noSlot {
		path = c.pathBehind(slot, &c.paths)
	}
	ports := mad.NodeInfoNumPorts.Get(data)
	id := c.addNode(data, path, local)
	n := &c.nodes[id]
	if ports == 0 || ports > fabric.MaxPorts || uint64(local) > ports {
		c.note(BadPortCount, c.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", c.nodeName(id), ports, local)
	}
	guid := fabric.GUID(mad.NodeInfoPortGUID.Get(data))
	if n.typ != fabric.Switch {
		c.guid[n.entry] = guid
		c.askFor(n.entry)
	} else {
		for slot := range c.portsOf(id) {
			c.guid[slot] = guid
		}
		c.askFor(n.first)
	}
	if !c.usesKeys() {
		c.enqueue(makeTag(getDescription, id, 0))
	}
	return id
}

// isSameNode reports whether a NodeInfo with a known GUID can be of the node that has it,
// and notes it when not.
func (c *Core) isSameNode(slot, id int32, data []byte, local uint8) bool {
	n, says := &c.nodes[id], identityOf(data)
	switch {
	case n.typ != says.typ || n.system != says.system || n.device != says.device:
		c.noteDuplicate(id, slot)
	case local > n.ports:
		c.noteLoss(BadPortCount, c.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", c.nodeName(id), n.ports, local)
	default:
		return slot != noSlot
	}
	return false
}

// noteDuplicate notes that another node, behind a port, has the GUID of a known one.
func (c *Core) noteDuplicate(id, slot int32) {
	c.noteLoss(DuplicateGUID, c.portPlace(slot), "two nodes have the GUID %s: %s, and one behind %s, which is left out",
		c.nodes[id].guid, c.nodeName(id), c.portName(slot))
}

// onNodeDescription takes the name of a node. Control characters become blanks: some names
// end with a line break, and no file holds one.
func (c *Core) onNodeDescription(id int32, ev *Event) {
	if ev.Outcome != Answered {
		if ev.Outcome != Cancelled {
			c.note(NoAnswer, c.nodePlace(id), "%s does not answer NodeDescription: its name is not known", c.nodeName(id))
		}
		return
	}
	blank := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	c.nodes[id].desc = strings.TrimSpace(strings.Map(blank, mad.NodeDescriptionText.Text(ev.Data[:])))
}

// onSwitchInfo takes SwitchInfo. PortStateChange is cleared before the ports are read, so
// that a change after that shows.
func (c *Core) onSwitchInfo(id int32, ev *Event) {
	n := &c.nodes[id]
	if ev.Outcome == Answered {
		copy(n.sw[:], ev.Data[:])
		n.hasSwitch = true
		if mad.SwitchInfoLinearFDBCap.Get(n.sw[:]) == 0 {
			c.note(NotEnough, c.nodePlace(id), "%s has no linear forwarding table", c.nodeName(id))
		}
		c.programmed = c.programmed || mad.SwitchInfoLinearFDBTop.Get(n.sw[:]) != 0
		c.doubtRestarted(id)
		if mad.SwitchInfoPortStateChange.Is(n.sw[:]) && !c.given.ReadOnly {
			if c.given.Before != nil {
				c.given.Before.doubtUnverified(n)
			}
			c.beliefs.doubt(n.guid)
			if c.mayClearChange() && !c.locked[id] {
				c.enqueue(makeTag(clearChange, id, 0))
				return
			}
			c.uncleared = true
		}
	} else {
		c.noteSilent(id, "SwitchInfo", ev)
	}
	c.queuePorts(id)
}

// SeesChanges reports whether a change of a port of a switch that has come about by now is seen by this round: PortStateChange of
// every switch is read when discovery has ended, and cleared only before its ports are read. So does one that sweeps again.
func (c *Core) SeesChanges() bool {
	return c.phase > idle && c.phase < settling || c.phase <= reading && c.brokenOff
}

// queuePorts asks for all ports of a switch.
func (c *Core) queuePorts(id int32) {
	for slot := range c.portsOf(id) {
		c.enqueue(makeTag(getPort, slot, 0))
	}
}

// noteSilent notes, once for a node, that it does not answer what it must.
func (c *Core) noteSilent(id int32, what string, ev *Event) {
	if ev.Outcome == Silent && (c.linkChanged || c.phase >= settling) {
		c.breakOff()
	}
	if c.nodes[id].silent || ev.Outcome == Cancelled || c.brokenOff && c.phase < reading {
		return
	}
	c.nodes[id].silent, c.missed = true, true
	verb := "does not answer " + what
	if ev.Outcome == Refused {
		verb = "refuses " + what + " (" + ev.Status.String() + ")"
	}
	c.noteLoss(NoAnswer, c.nodePlace(id), "%s %s", c.nodeName(id), verb)
}

// onPortInfo takes PortInfo, and asks for the node behind the port where that is not known
// yet.
func (c *Core) onPortInfo(slot int32, ev *Event) {
	id := c.owner[slot]
	switch ev.Outcome {
	case Answered:
	case Refused:
		c.note(BadPortCount, c.portPlace(slot), "%s says that it has %d ports, and refuses to describe port %d (%v)",
			c.nodeName(id), c.nodes[id].ports, c.portNumber(slot), ev.Status)
		return
	default:
		c.noteSilent(id, "PortInfo", ev)
		return
	}
	c.info[slot] = ev.Data
	c.flags[slot] |= portKnown
	if c.state(slot) == mad.PortInit {
		c.flags[slot] |= portCame
	}
	c.programmed = c.programmed || slot == c.ownPort() && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != 0
	if c.portNumber(slot) == 0 || !c.hasLink(slot) || c.flags[slot]&portProbed != 0 || c.isHeld(slot) {
		return
	}
	// Behind the port by which a switch was found is the node that found it. A CA
	// forwards nothing, but our own port has a cable.
	if c.isSwitch(slot) && (slot != c.nodes[id].entry || id == 0) || slot == c.ownPort() {
		c.flags[slot] |= portProbed
		c.enqueue(makeTag(getNode, slot, 0))
	}
}

// queueChangeRead asks a switch whether a port changed its state meanwhile, and after the
// sweep for its role and for speeds that PortInfo does not tell apart.
func (c *Core) queueChangeRead(id int32) {
	if c.phase == settling {
		c.queueFDR10(id)
		if c.given.AskRoles && c.nodes[id].typ == fabric.Switch {
			c.enqueue(makeTag(getRole, id, 0))
		}
	}
	if c.nodes[id].hasSwitch {
		c.enqueue(makeTag(getChange, id, 0))
	}
}

// onChangeRead takes PortStateChange at the end of the sweep, or of the bring-up. A
// discovery cannot clear it, and sees changes only where it was clear.
func (c *Core) onChangeRead(id int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
		return
	case ev.Outcome != Answered:
		c.changed = true
		c.noteSilent(id, "SwitchInfo any more", ev)
		return
	case !mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		if c.phase == verifying {
			c.prog.verified[id] = true
		}
		return
	}
	if c.phase == verifying {
		c.prog.wrong[id] = true // it may have restarted after its tables were written, and have been told the rest since
	}
	switch {
	case c.given.Apart.Nodes[c.nodes[id].guid]: // its ports are read after the round
		c.changing = append(c.changing, c.nodes[id].guid)
	case c.phase == verifying:
		c.noteLoss(Changed, c.nodePlace(id), "a port of %s changed its state while the subnet was brought up: sweep again", c.nodeName(id))
	case !c.given.ReadOnly || !mad.SwitchInfoPortStateChange.Is(c.nodes[id].sw[:]):
		c.changed = true
		c.note(Changed, c.nodePlace(id), "a port of %s changed its state while it was swept", c.nodeName(id))
	}
}

// queueFDR10 asks for the vendor's ExtendedPortInfo where a cable runs at QDR and
// both ends are of a family that knows FDR10, which PortInfo does not tell apart.
func (c *Core) queueFDR10(id int32) {
	if !c.nodes[id].knowsFDR10() {
		return
	}
	for slot := range c.portsOf(id) {
		if t := c.peer[slot]; t > slot && c.nodes[c.owner[t]].knowsFDR10() && mad.LinkSpeed(c.info[slot][:]) == mad.SpeedQDR {
			c.enqueue(makeTag(getFDR10, slot, 0))
		}
	}
}

// onRole takes the role of a switch. Another vendor's device may answer the attribute with
// something else, or not at all: it then has no role.
func (c *Core) onRole(id int32, ev *Event) {
	if ev.Outcome != Answered || mad.SwitchRoleSignature.Get(ev.Data[:]) != mad.SwitchRoleMagic {
		return
	}
	if role := mad.SwitchRoleRole.Get(ev.Data[:]); role <= uint64(fabric.RoleLeaf) {
		c.nodes[id].role = fabric.Role(role)
	}
}

// knowsFDR10 reports whether a device is of the families from SwitchX and ConnectX-3 on.
func (n *node) knowsFDR10() bool {
	const mellanox, connectX3, connectXEnd, switchX = 0x0002C9, 0x1003, 0x2000, 0xC738
	return n.vendor == mellanox && (n.device >= switchX || n.device >= connectX3 && n.device < connectXEnd)
}
