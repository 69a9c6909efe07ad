package sa

import (
	"weft/route"
	"weft/wire/mad"
)

// nodes offers a NodeRecord for each LID-bearing port of a node.
func (c *search) nodes(n *Node) {
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		if p.End < 0 {
			continue
		}
		rec := c.record()
		mad.NodeRecordLID.Put(rec, uint64(c.s.lidOf(p)))
		info := mad.NodeRecordNodeInfo.Get(rec)
		copy(info, n.Info[:])
		mad.NodeInfoPortGUID.Put(info, uint64(p.GUID))
		if p.Num > 0 { // a switch keeps the port that it was discovered by
			mad.NodeInfoLocalPortNum.Put(info, uint64(p.Num))
		}
		mad.NodeDescriptionText.Put(mad.NodeRecordNodeDescription.Get(rec), []byte(n.Desc))
		c.offer()
	}
}

// portInfos offers the PortInfo of a node's ports.
func (c *search) portInfos(n *Node) {
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		lid := c.s.lidOf(p)
		if !p.Known || lid == 0 {
			continue
		}
		rec := c.record()
		mad.PortInfoRecordLID.Put(rec, uint64(lid))
		mad.PortInfoRecordPortNum.Put(rec, uint64(p.Num))
		info := mad.PortInfoRecordPortInfo.Get(rec)
		copy(info, p.Info[:])
		if !c.trusted {
			mad.PortInfoMKey.Put(info, 0)
		}
		c.offer()
	}
}

// switchInfos offers the SwitchInfo of a switch.
func (c *search) switchInfos(n *Node) {
	lid := c.s.lidOf(&c.s.Ports[n.First])
	if n.Switch == nil || lid == 0 {
		return
	}
	rec := c.record()
	mad.SwitchInfoRecordLID.Put(rec, uint64(lid))
	copy(mad.SwitchInfoRecordSwitchInfo.Get(rec), n.Switch)
	c.offer()
}

// links offers the cables at a node.
func (c *search) links(n *Node) {
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		if p.Peer < 0 {
			continue
		}
		to := &c.s.Ports[p.Peer]
		from, at := c.s.lidOf(p), c.s.lidOf(to)
		if from == 0 || at == 0 {
			continue
		}
		rec := c.record()
		mad.LinkRecordFromLID.Put(rec, uint64(from))
		mad.LinkRecordFromPort.Put(rec, uint64(p.Num))
		mad.LinkRecordToPort.Put(rec, uint64(to.Num))
		mad.LinkRecordToLID.Put(rec, uint64(at))
		c.offer()
	}
}

// managers offers the subnet managers at a node.
func (c *search) managers(n *Node) {
	for i := range c.s.Managers {
		m := &c.s.Managers[i]
		if m.End < 0 || c.s.endPort[m.End] < 0 {
			continue
		}
		p := &c.s.Ports[c.s.endPort[m.End]]
		if &c.s.Nodes[p.Node] != n {
			continue
		}
		rec := c.record()
		mad.SMInfoRecordLID.Put(rec, uint64(c.s.Plan.Ends.Base[m.End]))
		info := mad.SMInfoRecordSMInfo.Get(rec)
		mad.SMInfoGUID.Put(info, uint64(p.GUID))
		if c.trusted {
			mad.SMInfoSMKey.Put(info, m.SMKey)
		}
		mad.SMInfoActCount.Put(info, m.ActCount)
		mad.SMInfoPriority.Put(info, uint64(m.Priority))
		mad.SMInfoSMState.Put(info, m.State)
		c.offer()
	}
}

// tables offers the blocks of a switch's forwarding table.
func (c *search) tables(n *Node) {
	lid := c.s.lidOf(&c.s.Ports[n.First])
	if n.Sw < 0 || lid == 0 {
		return
	}
	for b := range int(c.s.Plan.Ends.Top())/route.BlockSize + 1 {
		rec := c.record()
		mad.LinearForwardingTableRecordLID.Put(rec, uint64(lid))
		mad.LinearForwardingTableRecordBlock.Put(rec, uint64(b))
		copy(mad.LinearForwardingTableRecordTable.Get(rec), c.s.Plan.Tables.Block(n.Sw, b)[:])
		c.offer()
	}
}

// guids offers the port GUIDs of a node.
func (c *search) guids(n *Node) {
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		if p.End < 0 {
			continue
		}
		blocks := (mad.PortInfoGUIDCap.Get(p.Info[:]) + 7) / 8
		for b := range max(1, blocks) {
			rec := c.record()
			mad.GUIDInfoRecordLID.Put(rec, uint64(c.s.lidOf(p)))
			mad.GUIDInfoRecordBlock.Put(rec, b)
			putBlock(mad.GUIDInfoRecordGUIDInfo.Get(rec), c.s.Aliases.Block(AliasBlock{p.GUID, uint8(b)}))
			c.offer()
		}
	}
}

// pkeyBlock is the number of P_Keys in a block.
const pkeyBlock = 32

// pkeys offers the P_Key table blocks of a node's ports, as read.
func (c *search) pkeys(n *Node) {
	for i := range c.s.portsOf(n) {
		p := &c.s.portsOf(n)[i]
		if p.PKeys == nil || c.s.lidOf(p) == 0 {
			continue
		}
		for from := 0; from < len(p.PKeys); from += pkeyBlock {
			rec := c.record()
			mad.PKeyTableRecordLID.Put(rec, uint64(c.s.lidOf(p)))
			mad.PKeyTableRecordBlock.Put(rec, uint64(from/pkeyBlock))
			mad.PKeyTableRecordPort.Put(rec, uint64(p.Num))
			table := mad.PKeyTableRecordTable.Get(rec)
			for i, key := range p.PKeys[from:min(from+pkeyBlock, len(p.PKeys))] {
				mad.PKeyTablePKey.Set(table, i, uint64(key))
			}
			c.offer()
		}
	}
}
