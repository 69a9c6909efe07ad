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
func (l *ledger) stepped(step int) job.Between {
	if l.way == nil || step >= len(l.way.Between) {
		return job.Between{Tables: l.plan.Tables, SL2VL: l.plan.SL2VL}
	}
	return l.way.Between[step]
}

// lastStep returns the number of the step that writes what the Plan has.
func (l *ledger) lastStep() int {
	if l.way == nil {
		return 0
	}
	return len(l.way.Between)
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
func (l *ledger) addRewritten(before *ledger) {
	if before == nil {
		return
	}
	for _, tag := range before.rewritten {
		k, index, arg := splitTag(tag)
		if k == setSL2VL {
			slot, ok := l.slotOf(before.nodes[before.owner[index]].guid, before.portNumber(index))
			if ok && l.plan.VLs > 1 && l.plan.SL2VL != nil && (!l.isSwitch(slot) && l.prog.end[slot] >= 0 || l.prog.sw[l.owner[slot]] >= 0) {
				l.rewritten = append(l.rewritten, makeTag(k, slot, arg))
			}
			continue
		}
		if id, ok := l.byGUID[before.nodes[index].guid]; ok && l.prog.sw[id] >= 0 && arg < l.tableBlocks() {
			l.rewritten = append(l.rewritten, makeTag(k, id, arg))
		}
	}
	slices.Sort(l.rewritten)
	l.rewritten = slices.Compact(l.rewritten)
}

// readAgain makes the SMP that reads what a Set has written, with its route in memory.
func (l *ledger) readAgain(tag uint64, memory *[]byte) Action {
	k, index, arg := splitTag(tag)
	if k == setLFT {
		return Action{Attr: mad.AttrLinearForwardingTable, Modifier: arg, Path: l.nodes[index].path, Key: l.keyOf(k, index)}
	}
	return Action{Attr: mad.AttrSLtoVLMappingTable, Modifier: l.modifier(getSL2VL, index, arg), Path: l.pathTo(index, memory), Key: l.keyOf(k, index)}
}

// isLast reports whether the block that a switch is to get in this step is the one of the Plan.
func (l *ledger) isLast(id int32, b uint32) bool {
	return *l.plannedBlock(id, b) == *l.plan.Tables.Block(l.prog.sw[id], int(b))
}

// countHeld counts a block that a switch has already, unless another one replaces it later.
func (c *Core) countHeld(id int32, b uint32) {
	if c.isLast(id, b) {
		c.prog.blocks[id].same++
	}
}

// laneTable returns the table by which an output port is to map SLs, after a step, for packets that come in by a port; nil where the
// step has none.
func (l *ledger) laneTable(slot int32, in uint8, step int) *route.VLTable {
	lanes := l.stepped(step).SL2VL
	switch {
	case lanes == nil:
		return nil
	case l.isSwitch(slot):
		return lanes.Table(l.graph, l.prog.sw[l.owner[slot]], in, l.portNumber(slot))
	}
	return lanes.HostTable(l.prog.end[slot])
}
