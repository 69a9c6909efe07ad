package sa

import (
	"weft/route"
	"weft/wire/mad"
)

// The tables of Plans with one lane: every SL has VL 0, which has a turn.
var (
	oneLane route.VLTable
	oneTurn = route.ArbTable{Low: []route.ArbEntry{{VL: 0, Weight: route.UsualWeight}}}
)

// lanes offers the SL2VL tables of a node's output ports, from the Plan.
func (c *search) lanes(n *Node) {
	plan := c.s.Plan
	if plan.VLs > 1 && plan.SL2VL == nil {
		return
	}
	ofSwitch := func(in, out uint8) *route.VLTable { return plan.SL2VL.Table(c.s.Graph, n.Sw, in, out) }
	ofHost := func(end int32) *route.VLTable { return plan.SL2VL.HostTable(end) }
	if plan.VLs <= 1 {
		ofSwitch = func(_, _ uint8) *route.VLTable { return &oneLane }
		ofHost = func(int32) *route.VLTable { return &oneLane }
	}
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		switch {
		case p.Peer < 0 || c.s.lidOf(p) == 0:
		case n.Sw >= 0:
			for in := range c.s.portsOf(n) {
				if q := &c.s.portsOf(n)[in]; q != p && (q.Num == 0 || q.Peer >= 0) {
					c.laneTable(p, q.Num, p.Num, ofSwitch(q.Num, p.Num))
				}
			}
		case p.End >= 0 && mad.PortInfoVLCap.Get(p.Info[:]) != 1:
			c.laneTable(p, 0, 0, ofHost(p.End))
		}
	}
}

// laneTable offers an SL2VL table.
func (c *search) laneTable(p *Port, in, out uint8, table *route.VLTable) {
	rec := c.record()
	mad.SLtoVLMappingTableRecordLID.Put(rec, uint64(c.s.lidOf(p)))
	mad.SLtoVLMappingTableRecordInPort.Put(rec, uint64(in))
	mad.SLtoVLMappingTableRecordOutPort.Put(rec, uint64(out))
	data := mad.SLtoVLMappingTableRecordTable.Get(rec)
	for sl, vl := range table {
		mad.SLtoVLMappingTableVL.Set(data, sl, uint64(vl))
	}
	c.offer()
}

// arbBlock is the number of entries in a block of a VLArbitrationTable.
const arbBlock = 32

// arbitration offers the VL arbitration tables of a node's output ports, from the Plan.
func (c *search) arbitration(n *Node) {
	arb := c.s.Plan.Arbitration
	one := c.s.Plan.VLs <= 1
	if !one && arb == nil {
		return
	}
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		var table *route.ArbTable
		switch {
		case p.Peer < 0 || c.s.lidOf(p) == 0 || mad.PortInfoVLCap.Get(p.Info[:]) == 1:
			continue // a port with one VL has nothing to arbitrate
		case one:
			table = &oneTurn
		case n.Sw >= 0:
			table = arb.OfSwitch(c.s.Graph, n.Sw, p.Num)
		case p.End >= 0:
			table = arb.OfHost(p.End)
		}
		if table == nil {
			continue
		}
		low, high := int(mad.PortInfoVLArbLowCap.Get(p.Info[:])), int(mad.PortInfoVLArbHighCap.Get(p.Info[:]))
		if low < len(table.Low) || high < len(table.High) {
			continue // not written: the port lacks room
		}
		for _, b := range [...]struct {
			block uint64
			has   bool
			list  []route.ArbEntry
		}{
			{mad.VLArbLowLower, low > 0, table.Low},
			{mad.VLArbLowUpper, low > arbBlock, table.Low[min(len(table.Low), arbBlock):]},
			{mad.VLArbHighLower, high > 0, table.High},
			{mad.VLArbHighUpper, high > arbBlock, table.High[min(len(table.High), arbBlock):]},
		} {
			if b.has {
				c.arbitrationBlock(p, b.block, b.list)
			}
		}
	}
}

// arbitrationBlock offers a block of a VL arbitration table.
func (c *search) arbitrationBlock(p *Port, block uint64, list []route.ArbEntry) {
	rec := c.record()
	mad.VLArbitrationTableRecordLID.Put(rec, uint64(c.s.lidOf(p)))
	if c.s.Nodes[p.Node].Switch != nil {
		mad.VLArbitrationTableRecordPort.Put(rec, uint64(p.Num))
	}
	mad.VLArbitrationTableRecordBlock.Put(rec, block)
	data := mad.VLArbitrationTableRecordTable.Get(rec)
	for i, e := range list[:min(len(list), arbBlock)] {
		mad.VLArbitrationTableVL.Set(data, i, uint64(e.VL))
		mad.VLArbitrationTableWeight.Set(data, i, uint64(e.Weight))
	}
	c.offer()
}
