package sm

import (
	"weft/mad"
	"weft/route"
)

// vlWeight is a lane's turn at a port, in units of 64 bytes: half the largest MTU.
const vlWeight = 32

// queueLanes queues the lane tables of an output port, where the Plan has more lanes than
// one. (With one, any mapping keeps the proof: where channels form no cycle, they form
// none on any VL.) What the port holds is not read: that would cost as much as writing it.
func (c *Core) queueLanes(slot int32) {
	id, info, lanes := c.owner[slot], c.info[slot][:], c.linkVLs(slot)
	switch turns := mad.PortInfoVLArbLowCap.Get(info); {
	case lanes == 1: // nothing to arbitrate
	case turns < uint64(lanes):
		c.noteLoss(NotEnough, c.portPlace(slot), "%s arbitrates %d entries: too few for %d lanes", c.portName(slot), turns, lanes)
		c.closeForLanes(slot)
		return
	default:
		c.enqueue(makeTag(setVLArb, slot, mad.VLArbLowLower))
		if mad.PortInfoVLArbHighCap.Get(info) > 0 {
			c.enqueue(makeTag(setVLArb, slot, mad.VLArbHighLower))
		}
	}
	switch {
	case c.plan.SL2VL == nil:
	case c.prog.end[slot] >= 0: // a CA's: port 0 has no cable
		if mad.PortInfoVLCap.Get(info) != 1 { // with one VL there is nothing to map
			c.enqueue(makeTag(setSL2VL, slot, 0))
		}
	case c.prog.sw[id] >= 0:
		c.queueSwitchLanes(id, slot)
	}
}

// linkVLs returns how many lanes of the Plan a link has: one to a host may have fewer.
func (c *Core) linkVLs(slot int32) int {
	if !c.isSwitch(slot) {
		slot = c.peer[slot]
	}
	if s := c.prog.sw[c.owner[slot]]; s >= 0 {
		if vls := c.graph.PortVLs[c.graph.PortStart[s]+int32(c.portNumber(slot))]; vls > 0 {
			return min(int(vls), c.plan.VLs)
		}
	}
	return c.plan.VLs
}

// queueSwitchLanes queues the SL2VL mappings to one output port: one for all inputs where
// the Plan has no others and the switch takes it so (14.2.5.8).
func (c *Core) queueSwitchLanes(id, slot int32) {
	n := &c.nodes[id]
	byInput := c.plan.SL2VL.Switch[c.prog.sw[id]].By == route.ByInOut
	if !byInput && mad.SwitchInfoOptimizedSLtoVL.Get(n.sw[:])&1 != 0 {
		c.enqueue(makeTag(setSL2VL, slot, mad.SLtoVLAllInputs))
		return
	}
	for in := range int32(n.ports) + 1 {
		if from := n.first + in; from != slot && (in == 0 || c.peer[from] != noSlot) {
			c.enqueue(makeTag(setSL2VL, slot, uint32(in)<<8))
		}
	}
}

// sl2vl makes a SLtoVLMappingTable.
func (c *Core) sl2vl(slot int32, arg uint32, data []byte) {
	var table *route.VLTable
	if c.isSwitch(slot) {
		table = c.plan.SL2VL.Table(c.graph, c.prog.sw[c.owner[slot]], uint8(arg>>8), c.portNumber(slot))
	} else {
		table = c.plan.SL2VL.HostTable(c.prog.end[slot])
	}
	for sl, vl := range table {
		mad.SLtoVLMappingTableVL.Set(data, sl, uint64(vl))
	}
}

// arbitration makes a block of a VLArbitrationTable: equal turns for the lanes of
// the link at low priority, nothing at high priority.
func (c *Core) arbitration(slot int32, block uint32, data []byte) {
	if block != mad.VLArbLowLower {
		return
	}
	for vl := range c.linkVLs(slot) {
		mad.VLArbitrationTableVL.Set(data, vl, uint64(vl))
		mad.VLArbitrationTableWeight.Set(data, vl, vlWeight)
	}
}
