package sa

import (
	"sort"

	"weft/fabric"
	"weft/wire/mad"
)

// multicastTables offers the blocks of a switch's multicast table, up to the last group.
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
	masks := make([][mad.MFTBlock]uint16, int(n.Num)/16+1)
	for b := range blocks {
		c.s.Spread.Block(n.Sw, b, masks)
		for position := range masks {
			rec := c.record()
			mad.MulticastForwardingTableRecordLID.Put(rec, uint64(lid))
			mad.MulticastForwardingTableRecordPosition.Put(rec, uint64(position))
			mad.MulticastForwardingTableRecordBlock.Put(rec, uint64(b))
			data := mad.MulticastForwardingTableRecordTable.Get(rec)
			for i, m := range masks[position] {
				mad.MulticastForwardingTablePort.Set(data, i, uint64(m))
			}
			c.offer()
		}
	}
}

// Block fills in a block of a switch's multicast table by position: 32 MLIDs' masks of 16 ports
// each.
func (s *Spread) Block(sw int32, block int, masks [][mad.MFTBlock]uint16) {
	clear(masks)
	first := fabric.FirstMLID + fabric.LID(block*mad.MFTBlock)
	i := sort.Search(len(s.Groups), func(i int) bool { return s.Groups[i].MLID >= first })
	for ; i < len(s.Groups) && s.Groups[i].MLID-first < mad.MFTBlock; i++ {
		ports := s.Trees[i].At(sw)
		for position := range masks {
			masks[position][s.Groups[i].MLID-first] = ports.Bits(position)
		}
	}
}

// BlockMLIDs is the number of MLIDs in a block.
const BlockMLIDs = mad.MFTBlock

// GroupsBySwitch lists the groups of each switch by their index in a Spread.
type GroupsBySwitch struct {
	first []int32 // by switch
	list  []int32
}

// Groups returns the groups of a switch, in order.
func (b *GroupsBySwitch) Groups(sw int32) []int32 { return b.list[b.first[sw]:b.first[sw+1]] }

// BySwitch lists the groups of each switch.
func (s *Spread) BySwitch(switches int) *GroupsBySwitch {
	b := &GroupsBySwitch{first: make([]int32, switches+2)}
	for i := range s.Trees {
		for _, sw := range s.Trees[i].Switches {
			b.first[sw+2]++
		}
	}
	for sw := range switches {
		b.first[sw+2] += b.first[sw+1]
	}
	b.list = make([]int32, b.first[switches+1])
	for i := range s.Trees {
		for _, sw := range s.Trees[i].Switches {
			b.list[b.first[sw+1]] = int32(i)
			b.first[sw+1]++
		}
	}
	return b
}

// Fill fills in the blocks of a switch's multicast table, by block and position, for these groups.
func (s *Spread) Fill(sw int32, groups []int32, blocks [][mad.MFTBlock]uint16, positions int) {
	clear(blocks)
	for _, i := range groups {
		at := int(s.Groups[i].MLID - fabric.FirstMLID)
		ports := s.Trees[i].At(sw)
		for position := range positions {
			blocks[at/mad.MFTBlock*positions+position][at%mad.MFTBlock] = ports.Bits(position)
		}
	}
}
