package sm

import "weft/mad"

// queueLanes queues the lane tables of an output port, where the Plan has more lanes than
// one. (With one, any mapping keeps the proof: where channels form no cycle, they form
// none on any VL.) What the port holds is not read: that would cost as much as writing it.
func (c *Core) queueLanes(slot int32) {
	if !c.hasTurns(slot) {
		c.closeForLanes(slot)
		return
	}
	if c.prog.step == c.turnStep() {
		c.queueArbitration(slot)
	}
	id := c.owner[slot]
	switch {
	case c.stepped(c.prog.step).SL2VL == nil:
	case c.prog.end[slot] >= 0: // a CA's: port 0 has no cable
		if mad.PortInfoVLCap.Get(c.info[slot][:]) != 1 { // with one VL there is nothing to map
			c.enqueueLanes(setSL2VL, slot, 0)
		}
	case c.prog.sw[id] >= 0:
		c.queueSwitchLanes(id, slot)
	}
}

// turnStep returns the step that writes VL arbitration: the first one, or the last where VLs lose their turn.
func (c *Core) turnStep() int {
	if c.given.Before != nil && c.given.Before.plan.VLs > c.plan.VLs {
		return c.lastStep()
	}
	return 0
}

// hasTurns reports whether an output port has room for its VL arbitration table.
func (c *Core) hasTurns(slot int32) bool {
	table, info := c.arbTable(slot), c.info[slot][:]
	if table == nil || len(table.Low) <= 1 && len(table.High) == 0 {
		return true
	}
	low, high := int(mad.PortInfoVLArbLowCap.Get(info)), int(mad.PortInfoVLArbHighCap.Get(info))
	if low >= len(table.Low) && high >= len(table.High) {
		return true
	}
	c.noteLoss(NotEnough, c.portPlace(slot), "%s arbitrates %d entries at low priority and %d at high: too few for %d and %d",
		c.portName(slot), low, high, len(table.Low), len(table.High))
	return false
}

// queueArbitration queues the VL arbitration table of an output port, all blocks that it
// has, unless the Plan leaves it as it is or only one VL has a turn.
func (c *Core) queueArbitration(slot int32) {
	table, info := c.arbTable(slot), c.info[slot][:]
	if table == nil || len(table.Low) <= 1 && len(table.High) == 0 {
		return
	}
	low, high := mad.PortInfoVLArbLowCap.Get(info), mad.PortInfoVLArbHighCap.Get(info)
	for _, b := range [...]struct {
		block  uint32
		exists bool
	}{
		{mad.VLArbLowLower, low > 0},
		{mad.VLArbLowUpper, low > arbBlock},
		{mad.VLArbHighLower, high > 0},
		{mad.VLArbHighUpper, high > arbBlock},
	} {
		if b.exists {
			c.enqueueLanes(setVLArb, slot, b.block)
		}
	}
}

// queueSwitchLanes queues the SL2VL mappings to one output port: one for all inputs where
// the Plan has no others and the switch takes it so (14.2.5.8).
func (c *Core) queueSwitchLanes(id, slot int32) {
	n := &c.nodes[id]
	if !c.byInput(id, c.prog.step) && mad.SwitchInfoOptimizedSLtoVL.Get(n.sw[:])&1 != 0 {
		c.enqueueLanes(setSL2VL, slot, mad.SLtoVLAllInputs)
		return
	}
	for from := range c.portsOf(id) {
		if in := c.portNumber(from); from != slot && (in == 0 || c.carries(from)) {
			c.enqueueLanes(setSL2VL, slot, uint32(in)<<8)
		}
	}
}
