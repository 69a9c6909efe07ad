package sm

import (
	"strings"
	"unicode"

	"weft/fabric"
	"weft/mad"
)

// beginSweep forgets the fabric and asks ourselves.
func (c *Core) beginSweep() {
	c.sweep++
	c.net.reset()
	c.incomplete, c.programmed, c.uncleared = false, false, false
	c.doubts = c.doubts[:0]
	c.enter(discovering)
	c.enqueue(makeTag(askNode, noSlot, 0))
}

// onNode takes the NodeInfo of what is behind a port.
func (c *Core) onNode(slot int32, ev *Event) {
	if ev.Outcome != Answered {
		c.onMute(slot, ev)
		return
	}
	data := ev.Data[:]
	if !c.sane(slot, data) {
		return
	}
	local := uint8(mad.NodeInfoLocalPortNum.Get(data))
	id, old := c.byGUID[fabric.GUID(mad.NodeInfoNodeGUID.Get(data))]
	if !old {
		if len(c.nodes) == maxNodes {
			c.tooMany(slot)
			return
		}
		id = c.meet(slot, data, local)
	} else if !c.sameNode(slot, id, data, local) {
		return
	}
	if slot == noSlot {
		return
	}
	t := c.nodes[id].first + int32(local)
	c.claim[slot] = t
	first := c.claimedBy[t] == noSlot
	if first {
		c.claimedBy[t] = slot
	}
	if c.nodes[id].typ != fabric.Switch {
		c.guid[t] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		if old && first {
			c.enqueue(makeTag(askPort, t, 0))
		}
	}
}

// maxNodes is how many nodes can have a LID. A subnet that shows more, such as one
// with a switch that has another GUID in every answer, has no end.
const maxNodes = int(fabric.MaxUnicastLID)

func (c *Core) tooMany(slot int32) {
	c.flags[slot] |= mute
	if !c.crowded {
		c.crowded = true
		c.noteLoss(TooMany, c.portPlace(slot), "there are more than %d nodes, and LIDs for no more: the others are left out, the first of them behind %s",
			maxNodes, c.slotName(slot))
	}
}

// onMute notes that nobody answers behind a port.
func (c *Core) onMute(slot int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
	case slot == noSlot:
		c.note(NoAnswer, Place{}, "our own port does not answer NodeInfo")
	case ev.Outcome == Refused:
		c.flags[slot] |= mute
		c.noteLoss(NoAnswer, c.portPlace(slot), "the node behind %s refuses NodeInfo (%v)", c.slotName(slot), ev.Status)
	default:
		c.flags[slot] |= mute
		c.noteLoss(NoAnswer, c.portPlace(slot), "nobody answers behind %s, though its link is up", c.slotName(slot))
	}
}

// sane refuses a NodeInfo that no node may give.
func (c *Core) sane(slot int32, data []byte) bool {
	typ := fabric.NodeType(mad.NodeInfoNodeType.Get(data))
	guid := fabric.GUID(mad.NodeInfoNodeGUID.Get(data))
	local := mad.NodeInfoLocalPortNum.Get(data)
	switch {
	case typ < fabric.CA || typ > fabric.Router:
		c.noteLoss(BadNode, c.portPlace(slot), "the node behind %s says that it is of type %d", c.slotName(slot), typ)
	case guid == 0:
		c.noteLoss(BadNode, c.portPlace(slot), "the node behind %s has node GUID 0", c.slotName(slot))
	case local > fabric.MaxPorts || local == 0 && (typ != fabric.Switch || slot != noSlot):
		c.noteLoss(BadNode, c.portPlace(slot), "the node %s behind %s says that it was reached by its port %d", guid, c.slotName(slot), local)
	default:
		return true
	}
	if slot != noSlot {
		c.flags[slot] |= mute
	}
	return false
}

// meet takes in a node that was not known and asks what else there is to know.
func (c *Core) meet(slot int32, data []byte, local uint8) int32 {
	var path []byte
	if slot != noSlot {
		path = c.pathBehind(slot)
	}
	ports := mad.NodeInfoNumPorts.Get(data)
	id := c.addNode(data, path, local)
	n := &c.nodes[id]
	if ports == 0 || ports > fabric.MaxPorts || uint64(local) > ports {
		c.note(BadPortCount, c.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", c.nodeName(id), ports, local)
	}
	if n.typ != fabric.Switch {
		c.guid[n.entry] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		c.enqueue(makeTag(askPort, n.entry, 0))
	} else {
		for p := range int32(n.ports) + 1 {
			c.guid[n.first+p] = fabric.GUID(mad.NodeInfoPortGUID.Get(data))
		}
		c.enqueue(makeTag(askSwitch, id, 0))
	}
	c.enqueue(makeTag(askDesc, id, 0))
	return id
}

// sameNode tells whether a NodeInfo with a known GUID can be of the node that has
// it, and notes it when not.
func (c *Core) sameNode(slot, id int32, data []byte, local uint8) bool {
	n := &c.nodes[id]
	switch {
	case n.typ != fabric.NodeType(mad.NodeInfoNodeType.Get(data)) ||
		n.system != fabric.GUID(mad.NodeInfoSystemImageGUID.Get(data)) ||
		n.device != uint32(mad.NodeInfoDeviceID.Get(data)):
		c.duplicate(id, slot)
	case local > n.ports:
		c.noteLoss(BadPortCount, c.nodePlace(id), "%s says that it has %d ports, and was reached by its port %d", c.nodeName(id), n.ports, local)
	case slot != noSlot:
		return true
	}
	if slot != noSlot {
		c.flags[slot] |= mute
	}
	return false
}

// duplicate notes that another node behind a port has the GUID of a known one.
func (c *Core) duplicate(id, slot int32) {
	c.flags[slot] |= mute
	c.noteLoss(DuplicateGUID, c.portPlace(slot), "two nodes have the GUID %s: %s, and one behind %s, which is left out",
		c.nodes[id].guid, c.nodeName(id), c.slotName(slot))
}

// onDesc takes the name of a node, as a line: some end with a line break, and no file
// holds one with control characters.
func (c *Core) onDesc(id int32, ev *Event) {
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

// onSwitch takes SwitchInfo. PortStateChange is cleared before the ports are
// asked, so that a change after the answer shows.
func (c *Core) onSwitch(id int32, ev *Event) {
	n := &c.nodes[id]
	if ev.Outcome == Answered {
		copy(n.sw[:], ev.Data[:])
		n.hasSwitch = true
		if mad.SwitchInfoLinearFDBCap.Get(n.sw[:]) == 0 {
			c.note(NotEnough, c.nodePlace(id), "%s has no linear forwarding table", c.nodeName(id))
		}
		c.programmed = c.programmed || mad.SwitchInfoLinearFDBTop.Get(n.sw[:]) != 0
		if mad.SwitchInfoPortStateChange.Is(n.sw[:]) && !c.cfg.ReadOnly {
			if c.mayClearChange() {
				c.enqueue(makeTag(clearChange, id, 0))
				return
			}
			c.uncleared = true
		}
	} else {
		c.nodeSilent(id, "SwitchInfo", ev)
	}
	c.queuePorts(id)
}

// queuePorts asks for all ports of a switch.
func (c *Core) queuePorts(id int32) {
	n := &c.nodes[id]
	for p := range int32(n.ports) + 1 {
		c.enqueue(makeTag(askPort, n.first+p, 0))
	}
}

// nodeSilent notes, once for a node, that it does not answer what it must.
func (c *Core) nodeSilent(id int32, what string, ev *Event) {
	if c.nodes[id].silent || ev.Outcome == Cancelled {
		return
	}
	c.nodes[id].silent = true
	verb := "does not answer " + what
	if ev.Outcome == Refused {
		verb = "refuses " + what + " (" + ev.Status.String() + ")"
	}
	c.noteLoss(NoAnswer, c.nodePlace(id), "%s %s", c.nodeName(id), verb)
}

// onPort takes PortInfo, and asks who is behind the port.
func (c *Core) onPort(slot int32, ev *Event) {
	id := c.owner[slot]
	switch ev.Outcome {
	case Answered:
	case Refused:
		c.flags[slot] |= refused
		c.note(BadPortCount, c.portPlace(slot), "%s says that it has %d ports, and refuses to describe port %d (%v)",
			c.nodeName(id), c.nodes[id].ports, c.portOf(slot), ev.Status)
		return
	default:
		c.nodeSilent(id, "PortInfo", ev)
		return
	}
	c.info[slot] = ev.Data
	c.flags[slot] |= known
	c.programmed = c.programmed || slot == c.own() && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != 0
	if c.portOf(slot) == 0 || !c.linked(slot) || c.flags[slot]&probed != 0 {
		return
	}
	// Behind the port by which a switch was found is the node that found it. A CA
	// forwards nothing, but our own port has a cable.
	if c.isSwitch(slot) && (slot != c.nodes[id].entry || id == 0) || slot == c.own() {
		c.flags[slot] |= probed
		c.enqueue(makeTag(askNode, slot, 0))
	}
}

// queueSettle asks a switch whether a port changed its state meanwhile, and what
// the vendor calls the speed of cables to nodes before it, and its role.
func (c *Core) queueSettle(id int32) {
	if c.phase == settling {
		c.queueFDR10(id)
		if c.cfg.AskRoles && c.nodes[id].typ == fabric.Switch {
			c.enqueue(makeTag(askRole, id, 0))
		}
	}
	if c.nodes[id].hasSwitch {
		c.enqueue(makeTag(askSettled, id, 0))
	}
}

// onSettled looks for a change since the sweep began. One that only looks cannot
// clear the bit, and sees changes only where it was clear.
func (c *Core) onSettled(id int32, ev *Event) {
	switch {
	case ev.Outcome == Cancelled:
	case ev.Outcome != Answered:
		c.changed = true
		c.nodeSilent(id, "SwitchInfo any more", ev)
	case !mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
	case c.phase == verifying:
		c.noteLoss(Changed, c.nodePlace(id), "a port of %s changed its state while the subnet was brought up: sweep again", c.nodeName(id))
	case !c.cfg.ReadOnly || !mad.SwitchInfoPortStateChange.Is(c.nodes[id].sw[:]):
		c.changed = true
		c.note(Changed, c.nodePlace(id), "a port of %s changed its state while it was swept", c.nodeName(id))
	}
}

// queueFDR10 asks for the vendor's ExtendedPortInfo where a cable runs at QDR and
// both ends are of a family that knows FDR10, which PortInfo does not tell apart.
func (c *Core) queueFDR10(id int32) {
	n := &c.nodes[id]
	if !n.knowsFDR10() {
		return
	}
	for slot := n.first; slot <= n.first+int32(n.ports); slot++ {
		if t := c.peer[slot]; t > slot && c.nodes[c.owner[t]].knowsFDR10() && activeSpeed(c.info[slot][:]) == fabric.QDR {
			c.enqueue(makeTag(askFDR10, slot, 0))
		}
	}
}

// onRole takes the role of a switch. Another vendor's device may answer the
// attribute with something else, or not at all: then it has none.
func (c *Core) onRole(id int32, ev *Event) {
	if ev.Outcome != Answered || mad.SwitchRoleSignature.Get(ev.Data[:]) != mad.SwitchRoleMagic {
		return
	}
	if role := mad.SwitchRoleRole.Get(ev.Data[:]); role <= uint64(fabric.RoleLeaf) {
		c.nodes[id].role = fabric.Role(role)
	}
}

// knowsFDR10 tells the devices from SwitchX and ConnectX-3 on.
func (n *node) knowsFDR10() bool {
	const mellanox, connectX3, connectXEnd, switchX = 0x0002C9, 0x1003, 0x2000, 0xC738
	return n.vendor == mellanox && (n.device >= switchX || n.device >= connectX3 && n.device < connectXEnd)
}
