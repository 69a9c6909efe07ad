package sm

import (
	"cmp"
	"slices"

	"weft/route"
)

// The forwarding tables are written in steps, so that no packet goes in circles or waits in a ring while some switches hold old
// tables and others new ones: first those that the way to the new Plan has between, one after the other, then those of the Plan.

// stepTables returns the tables of a step.
func (c *Core) stepTables(step int) *route.Tables {
	if c.way == nil || step >= len(c.way.Between) {
		return c.plan.Tables
	}
	return c.way.Between[step]
}

// queueStep queues the blocks of a switch that differ from those of the step before.
func (c *Core) queueStep(id int32) {
	s := c.prog.sw[id]
	if s < 0 {
		return
	}
	was, now := c.stepTables(c.prog.step-1), c.stepTables(c.prog.step)
	for b := range c.tableBlocks() {
		if *was.Block(s, int(b)) != *now.Block(s, int(b)) {
			c.enqueue(makeTag(setLFT, id, b))
		}
	}
}

// tablesWritten goes on to the tables of the next step, once packets under way have left where they must.
func (c *Core) tablesWritten() {
	switch {
	case c.way == nil || c.prog.step == len(c.way.Between):
		c.way = nil
		c.enterPhase(arming)
	case c.way.Pause:
		c.enterPhase(pausing)
		c.out = append(c.out, Action{Kind: Pause})
	default:
		c.nextTables()
	}
}

// nextTables begins to write the tables of the next step.
func (c *Core) nextTables() {
	c.prog.step++
	c.enterPhase(tables)
}

// addRewritten adds the blocks that no light sweep has read again since the round before.
func (c *Core) addRewritten(before *Core) {
	if before == nil {
		return
	}
	for _, at := range before.rewritten {
		if id, ok := c.byGUID[before.nodes[at.node].guid]; ok && c.prog.sw[id] >= 0 && at.block < c.tableBlocks() {
			c.rewritten = append(c.rewritten, tableBlock{id, at.block})
		}
	}
	slices.SortFunc(c.rewritten, func(a, b tableBlock) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.block, b.block)) })
	c.rewritten = slices.Compact(c.rewritten)
}

// isLast reports whether the block that a switch is to get in this step is the one of the Plan.
func (c *Core) isLast(id int32, b uint32) bool {
	return *c.plannedBlock(id, b) == *c.plan.Tables.Block(c.prog.sw[id], int(b))
}

// countHeld counts a block that a switch has already, unless another one replaces it later.
func (c *Core) countHeld(id int32, b uint32) {
	if c.isLast(id, b) {
		c.prog.blocks[id].same++
	}
}
