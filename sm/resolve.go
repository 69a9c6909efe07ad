package sm

import (
	"weft/fabric"
	"weft/mad"
)

// doubt is a port whose cable looks different from its other end.
type doubt struct {
	slot, seen int32 // what it claimed
	again      int32 // what it claims when asked once more
	linked     bool  // the port that it claimed has a live link after all
	rival      bool  // it claimed first what another one claims
}

// resolve pairs the ports that agree on a cable, and doubts the others. A cable
// between switches was asked from both ends, so that two switches with one GUID
// show, and cables that moved.
func (c *Core) resolve() {
	for s, t := range c.claim {
		slot := int32(s)
		switch {
		case t == noSlot:
		case t == slot:
			c.note(Loopback, c.portPlace(slot), "%s is cabled to itself", c.slotName(slot))
		case c.agree(slot, t):
			c.peer[slot], c.peer[t] = t, slot
			if c.owner[slot] == c.owner[t] && slot < t {
				c.note(OwnCable, c.portPlace(slot), "%s is cabled to port %d of the same node", c.slotName(slot), c.portOf(t))
			}
		default:
			c.doubts = append(c.doubts, doubt{slot: slot, seen: t, again: noSlot})
			if first := c.claimedBy[t]; first != slot {
				c.doubts = append(c.doubts, doubt{slot: first, seen: t, again: noSlot, rival: true})
			}
		}
	}
}

// agree tells whether both ends say the same of a cable, as far as they were asked.
func (c *Core) agree(slot, t int32) bool {
	if c.claimedBy[t] != slot || !c.linked(t) {
		return false
	}
	if c.flags[t]&probed == 0 { // a CA's port, or the way to its switch
		return true
	}
	return c.claim[t] == slot
}

func (c *Core) queueRecheck() {
	for i := range c.doubts {
		c.enqueue(makeTag(askAgain, c.doubts[i].slot, uint32(i)))
		if seen := c.doubts[i].seen; c.flags[seen]&known != 0 && !c.linked(seen) {
			c.enqueue(makeTag(askLinked, seen, uint32(i)))
		}
	}
}

// onLinked takes the PortInfo of a port that had no link when it was read, though
// another port led to it: a cable that was pulled and put back shows in it.
func (c *Core) onLinked(i uint32, ev *Event) {
	c.doubts[i].linked = ev.Outcome == Answered && mad.PortInfoPortState.Get(ev.Data[:]) >= mad.PortInit
}

// onAgain takes a second answer about what is behind a port.
func (c *Core) onAgain(i uint32, ev *Event) {
	d := &c.doubts[i]
	if ev.Outcome != Answered {
		return
	}
	guid, local := nodeAndPort(ev.Data[:])
	if id, ok := c.byGUID[guid]; ok && local <= c.nodes[id].ports {
		d.again = c.nodes[id].first + int32(local)
	}
}

// judgeDoubts says of every doubt what it was, and whether to sweep again: where
// a second look says the same, two nodes have one GUID.
func (c *Core) judgeDoubts() (again bool) {
	for _, d := range c.doubts {
		switch {
		case d.again != d.seen || d.linked:
			again = true
			c.noteLoss(MovedCable, c.portPlace(d.slot), "the cable in %s was moved during the sweep", c.slotName(d.slot))
		case d.rival:
		case c.claimedBy[d.seen] != d.slot || c.claim[d.seen] != noSlot:
			c.duplicate(c.owner[d.seen], d.slot)
		case !c.linked(d.seen) && c.flags[d.seen]&known != 0:
			c.duplicate(c.owner[d.seen], d.slot)
		default:
			c.noteLoss(OneSided, c.portPlace(d.slot), "the cable of %s to %s shows from one end only: left out", c.slotName(d.slot), c.slotName(d.seen))
		}
	}
	return again
}

// reach marks the nodes that good cables join to us. A CA forwards nothing.
func (c *Core) reach() []bool {
	seen := make([]bool, len(c.nodes))
	seen[0] = true
	todo := []int32{0}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		n := &c.nodes[id]
		if id != 0 && n.typ != fabric.Switch {
			continue
		}
		for p := range int32(n.ports) + 1 {
			t := c.peer[n.first+p]
			if t == noSlot || seen[c.owner[t]] || !c.usable(c.owner[t]) {
				continue
			}
			if id == 0 && n.typ != fabric.Switch && n.first+p != n.entry {
				continue
			}
			seen[c.owner[t]] = true
			todo = append(todo, c.owner[t])
		}
	}
	return seen
}

// usable tells whether a node has said what must be known to manage it.
func (c *Core) usable(id int32) bool {
	n := &c.nodes[id]
	return n.typ != fabric.Switch ||
		c.flags[n.first]&known != 0 && mad.SwitchInfoLinearFDBCap.Get(n.sw[:]) > 0
}
