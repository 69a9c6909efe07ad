package sm

import (
	"slices"

	"weft/mad"
	"weft/route"
	"weft/route/job"
)

// Forwarding tables and lane tables are written in steps, so that no packet goes in circles or waits in a ring while some switches hold
// old tables and others new ones: first what the way to the new Plan has between, one after the other, then what the Plan has.

// stepped returns what switches hold after a step.
func (c *Core) stepped(step int) job.Between {
	if c.way == nil || step >= len(c.way.Between) {
		return job.Between{Tables: c.plan.Tables, SL2VL: c.plan.SL2VL}
	}
	return c.way.Between[step]
}

// lastStep returns the number of the step that writes what the Plan has.
func (c *Core) lastStep() int {
	if c.way == nil {
		return 0
	}
	return len(c.way.Between)
}

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

// addRewritten adds the Sets that no light sweep has read again since the round before. Lane tables are not written for a Plan of one lane, and
// may hold what they held before.
func (c *Core) addRewritten(before *Core) {
	if before == nil {
		return
	}
	for _, tag := range before.rewritten {
		k, index, arg := splitTag(tag)
		if k == setSL2VL {
			slot, ok := c.slotOf(before.nodes[before.owner[index]].guid, before.portNumber(index))
			if ok && c.plan.VLs > 1 && c.plan.SL2VL != nil && (!c.isSwitch(slot) && c.prog.end[slot] >= 0 || c.prog.sw[c.owner[slot]] >= 0) {
				c.rewritten = append(c.rewritten, makeTag(k, slot, arg))
			}
			continue
		}
		if id, ok := c.byGUID[before.nodes[index].guid]; ok && c.prog.sw[id] >= 0 && arg < c.tableBlocks() {
			c.rewritten = append(c.rewritten, makeTag(k, id, arg))
		}
	}
	slices.Sort(c.rewritten)
	c.rewritten = slices.Compact(c.rewritten)
}

// readAgain makes the SMP that reads what a Set has written, with its route in memory.
func (c *Core) readAgain(tag uint64, memory *[]byte) Action {
	k, index, arg := splitTag(tag)
	if k == setLFT {
		return Action{Attr: mad.AttrLinearForwardingTable, Modifier: arg, Path: c.nodes[index].path, Key: c.keyOf(k, index)}
	}
	return Action{Attr: mad.AttrSLtoVLMappingTable, Modifier: c.modifier(getSL2VL, index, arg), Path: c.pathTo(index, memory), Key: c.keyOf(k, index)}
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

// laneTable returns the table by which an output port is to map SLs, after a step, for packets that come in by a port; nil where the
// step has none.
func (c *Core) laneTable(slot int32, in uint8, step int) *route.VLTable {
	lanes := c.stepped(step).SL2VL
	switch {
	case lanes == nil:
		return nil
	case c.isSwitch(slot):
		return lanes.Table(c.graph, c.prog.sw[c.owner[slot]], in, c.portNumber(slot))
	}
	return lanes.HostTable(c.prog.end[slot])
}
