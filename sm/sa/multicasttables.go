package sa

import (
	"sort"

	"weft/fabric"
	"weft/mad"
)

// multicastTables offers the blocks of a switch's multicast table up to the last group that there is.
func (c *search) multicastTables(n *Node) {
	lid := c.s.lidOf(&c.s.Ports[n.First])
	groups := c.s.Spread.Groups
	if n.Sw < 0 || lid == 0 {
		return
	}
	blocks := 0
	if len(groups) > 0 {
		blocks = int(groups[len(groups)-1].MLID-fabric.FirstMLID)/mad.MFTBlock + 1
	}
	for b := range blocks {
		for position := range int(n.Num)/16 + 1 {
			rec := c.record()
			mad.MulticastForwardingTableRecordLID.Put(rec, uint64(lid))
			mad.MulticastForwardingTableRecordPosition.Put(rec, uint64(position))
			mad.MulticastForwardingTableRecordBlock.Put(rec, uint64(b))
			masks := c.s.Spread.Block(n.Sw, b, position)
			data := mad.MulticastForwardingTableRecordTable.Get(rec)
			for i, m := range masks {
				mad.MulticastForwardingTablePort.Set(data, i, uint64(m))
			}
			c.offer()
		}
	}
}

// Block makes a block of a switch's multicast table: the masks of 32 MLIDs for 16 ports.
func (s *Spread) Block(sw int32, block, position int) (masks [mad.MFTBlock]uint16) {
	first := fabric.FirstMLID + fabric.LID(block*mad.MFTBlock)
	i := sort.Search(len(s.Groups), func(i int) bool { return s.Groups[i].MLID >= first })
	for ; i < len(s.Groups) && s.Groups[i].MLID-first < mad.MFTBlock; i++ {
		ports := s.Trees[i].At(sw)
		masks[s.Groups[i].MLID-first] = ports.Bits(position)
	}
	return masks
}
