package sm

import (
	"weft/fabric"
	"weft/mad"
	"weft/route"
	"weft/route/job"
)

// Where no Plan of ours is in force, or its writing was broken off, what switches hold is read before a Plan is made, so that there is an order of writing from that
// to the new Plan: after a start, a handover, or in place of another manager.

// startReading reads the forwarding tables of all switches, as far as ports were found with LIDs. Where there is nothing to be read the Plan
// comes at once.
func (c *Core) startReading() {
	top := fabric.LID(0)
	for end, base := range c.graph.EndLID {
		if base > 0 && base <= fabric.MaxUnicastLID {
			top = max(top, base+1<<min(c.graph.EndLMC[end], fabric.MaxLMC)-1)
		}
	}
	if c.given.Before != nil && !c.given.Before.halfWritten || top == 0 {
		c.askForPlan()
		return
	}
	c.readTop, c.read = min(top, fabric.MaxUnicastLID), map[uint64]*route.Block{}
	c.enterPhase(reading)
}

// queueRead queues the blocks of a switch.
func (c *Core) queueRead(id int32) {
	if n := &c.nodes[id]; n.hasSwitch && c.prog.fabricNode[id] >= 0 {
		top := min(fabric.LID(mad.SwitchInfoLinearFDBTop.Get(n.sw[:])), c.readTop)
		for b := uint32(0); top > 0 && b <= uint32(top)/mad.LFTBlock; b++ {
			c.enqueue(makeTag(getLFT, id, b))
		}
	}
}

// foundPlan makes a Plan of what the devices were found with; nil where no switch has said anything. Nobody knows the service levels of it.
func (c *Core) foundPlan() *job.Kept {
	if len(c.read) == 0 {
		return nil
	}
	blocks := int(c.readTop)/route.BlockSize + 1
	tables := route.NewTables(c.graph.NumSwitches, c.readTop)
	for s, guid := range c.graph.SwitchGUID {
		id := c.byGUID[guid]
		top := fabric.LID(mad.SwitchInfoLinearFDBTop.Get(c.nodes[id].sw[:]))
		for b := range blocks {
			has := c.read[makeTag(getLFT, id, uint32(b))]
			for i := 0; has != nil && i < route.BlockSize; i++ {
				if lid := fabric.LID(b*route.BlockSize + i); lid > 0 && lid <= top {
					tables.Set(int32(s), lid, has[i])
				}
			}
		}
	}
	return job.Keep(&route.Plan{Ends: route.Seen(c.graph).Ends, Tables: tables}, c.graph)
}
