package sm

// Forwarding tables and lane tables are written in steps, so that no packet goes in circles or waits in a ring while some switches hold
// old tables and others new ones: first what the way to the new Plan has between, one after the other, then what the Plan has.

// queueStep queues the blocks of a switch that differ from those of the step before.
func (c *Core) queueStep(id int32) {
	s := c.prog.sw[id]
	if s < 0 {
		return
	}
	was, now := c.stepped(c.prog.step-1).Tables, c.stepped(c.prog.step).Tables
	for b := range c.tableBlocks() {
		if *was.Block(s, int(b)) != *now.Block(s, int(b)) {
			c.enqueue(makeTag(setLFT, id, b))
		}
	}
}

// stepEnded goes on to the next step, once packets under way have left where they must.
func (c *Core) stepEnded() {
	switch {
	case c.prog.step == c.lastStep():
		c.way = nil
		c.enterPhase(arming)
	case c.way.Between[c.prog.step].Drops:
		c.pauseOver = false
		c.enterPhase(pausing)
		c.out = append(c.out, Action{Kind: Pause})
	default:
		c.nextStep()
	}
}

// nextStep begins to write what the next step has.
func (c *Core) nextStep() {
	c.prog.step++
	c.enterPhase(tables)
}

// countHeld counts a block that a switch has already, unless another one replaces it later.
func (c *Core) countHeld(id int32, b uint32) {
	if c.isLast(id, b) {
		c.prog.blocks[id].same++
	}
}
