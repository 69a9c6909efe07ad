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
func (c *Core) pairPorts() {
	for s, t := range c.behind {
		slot := int32(s)
		switch {
		case t == noSlot:
		case t == slot:
			c.note(Loopback, c.portPlace(slot), "%s is cabled to itself", c.portName(slot))
		case c.bothEndsAgree(slot, t):
			c.peer[slot], c.peer[t] = t, slot
			if c.owner[slot] == c.owner[t] && slot < t {
				c.note(OwnCable, c.portPlace(slot), "%s is cabled to port %d of the same node", c.portName(slot), c.portNumber(t))
			}
		default:
			c.mismatches = append(c.mismatches, mismatch{slot: slot, seen: t, again: noSlot})
			if first := c.firstFrom[t]; first != slot {
				c.mismatches = append(c.mismatches, mismatch{slot: first, seen: t, again: noSlot, rival: true})
			}
		}
	}
}

// bothEndsAgree reports whether both ends say the same of a cable, as far as they were
// asked.
func (c *Core) bothEndsAgree(slot, t int32) bool {
	if c.firstFrom[t] != slot || !c.hasLink(t) {
		return false
	}
	if c.flags[t]&portProbed == 0 { // a CA's port, or the way to its switch
		return true
	}
	return c.behind[t] == slot
}

// queueRecheck asks once more for the node behind every port in doubt.
func (c *Core) queueRecheck() {
	for i, m := range c.mismatches {
		c.enqueue(makeTag(getNodeAgain, m.slot, uint32(i)))
		if c.flags[m.seen]&portKnown != 0 && !c.hasLink(m.seen) {
			c.enqueue(makeTag(getLinkAgain, m.seen, uint32(i)))
		}
	}
}

// onNodeAgain takes a second NodeInfo from behind a port.
func (c *Core) onNodeAgain(i uint32, ev *Event) {
	if ev.Outcome != Answered {
		return
	}
	guid, local := nodeAndPort(ev.Data[:])
	if id, ok := c.byGUID[guid]; ok && local <= c.nodes[id].ports {
		c.mismatches[i].again = c.nodes[id].first + int32(local)
	}
}

// onLinkAgain takes the PortInfo of a port that had no link when it was read, though
// another port led to it: a cable that was pulled and put back shows in it.
func (c *Core) onLinkAgain(i uint32, ev *Event) {
	c.mismatches[i].linked = ev.Outcome == Answered && mad.PortInfoPortState.Get(ev.Data[:]) >= mad.PortInit
}

// judgeMismatches notes the cause of every mismatch, and reports whether a cable moved,
// so that the fabric must be swept again. Where a second look says the same as the first,
// two nodes have one GUID, or one end of the cable was not to be read.
func (c *Core) judgeMismatches() (moved bool) {
	for _, m := range c.mismatches {
		switch {
		case m.again != m.seen || m.linked:
			moved = true
			c.noteLoss(MovedCable, c.portPlace(m.slot), "the cable in %s was moved during the sweep", c.portName(m.slot))
		case m.rival:
		case c.firstFrom[m.seen] != m.slot || c.behind[m.seen] != noSlot,
			c.flags[m.seen]&portKnown != 0 && !c.hasLink(m.seen):
			c.noteDuplicate(c.owner[m.seen], m.slot)
		default:
			c.noteLoss(OneSided, c.portPlace(m.slot), "the cable of %s to %s shows from one end only: left out", c.portName(m.slot), c.portName(m.seen))
		}
	}
	return moved
}
