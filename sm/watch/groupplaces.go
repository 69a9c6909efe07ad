package watch

import (
	"cmp"
	"slices"

	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/wire/mad"
)

// Bounds of one Step, since events wait for its end: trees cut, blocks compared.
const (
	mostCut    = 256
	mostLooked = 4096
)

// mostGroupBlocks is the number of multicast SMPs in flight: the SMPs of a round wait behind them.
const mostGroupBlocks = 64

// places lists the blocks that a step compares: all blocks of the switches, or only blocks of
// changed trees.
type places struct {
	bySwitch *sa.GroupsBySwitch // nil: trees
	trees    []treeBlock
	place    int // the next to compare: a node of the round in force, or an index of trees
	want     [][mad.MFTBlock]uint16
}

// len returns the number of places.
func (p *places) len(l *ledger.Ledger) int {
	if p.bySwitch != nil {
		return len(l.Nodes)
	}
	return len(p.trees)
}

// enter begins a step of the work.
func (gs *groups) enter(l *ledger.Ledger, step groupStep) {
	gs.step, gs.list, gs.next, gs.places = step, gs.list[:0], 0, places{}
	gs.number++
	if gs.whole {
		gs.bySwitch = gs.spread.BySwitch(l.Graph.NumSwitches)
		return
	}
	for at := range gs.touched {
		gs.trees = append(gs.trees, at)
	}
	slices.SortFunc(gs.trees, func(a, b treeBlock) int { return cmp.Or(cmp.Compare(a.sw, b.sw), cmp.Compare(a.block, b.block)) })
}

// look compares the blocks of the next place and returns how many it compared. Blocks that need
// work join the step's list.
func (gs *groups) look(l *ledger.Ledger) int {
	at := gs.place
	gs.place++
	if gs.bySwitch != nil {
		s := l.Prog.Sw[at]
		if s < 0 || gs.isWithout(s) {
			return 0
		}
		positions := int(l.Nodes[at].Ports)/16 + 1
		blocks := gs.blocksOf(&l.Nodes[at])
		gs.want = slices.Grow(gs.want[:0], blocks*positions)[:blocks*positions]
		gs.spread.Fill(s, gs.bySwitch.Groups(s), gs.want, positions)
		for b := range blocks {
			gs.add(l, int32(at), uint16(b), gs.want[b*positions:][:positions])
		}
		return blocks * positions
	}
	tree := gs.trees[at]
	id := l.ByGUID[l.Graph.SwitchGUID[tree.sw]]
	positions := int(l.Nodes[id].Ports)/16 + 1
	gs.want = slices.Grow(gs.want[:0], positions)[:positions]
	gs.spread.Block(tree.sw, int(tree.block), gs.want)
	gs.add(l, id, tree.block, gs.want)
	return positions
}

// blocksOf returns the number of compared blocks of a switch: the blocks of groups, and one more.
// If that one is not empty, another manager had more groups: see noteLeft.
func (gs *groups) blocksOf(n *ledger.Node) int {
	if int(mad.SwitchInfoMulticastFDBCap.Get(n.Sw[:])) > gs.used*mad.MFTBlock {
		return gs.used + 1
	}
	return gs.used
}

// noteLeft has one more block compared, after a block without groups of ours was read that is not
// empty.
func (gs *groups) noteLeft(b *groupBlock, has *[mad.MFTBlock]uint16) {
	if b.masks == nil && int(b.block) >= gs.used && *has != noPorts {
		gs.used = int(b.block) + 1
		gs.stale, gs.all = true, true
	}
}

// add adds a switch's block of MLIDs to the step's list if it needs work. want holds, by position,
// the masks that the switch is to hold.
func (gs *groups) add(l *ledger.Ledger, id int32, b uint16, want [][mad.MFTBlock]uint16) {
	t := gs.table(&l.Nodes[id])
	for position := range want {
		block := groupBlock{id: id, block: b, position: uint8(position)}
		has := t.at(b, block.position)
		switch {
		case gs.step == groupsRead && has == nil:
		case gs.step == groupsRead, has == nil, *has == want[position]:
			continue
		default:
			masks := want[position]
			if gs.step == groupsTake {
				for i := range masks {
					masks[i] &= has[i]
				}
				if masks == *has {
					continue
				}
			}
			block.masks = &masks
		}
		gs.list = append(gs.list, block)
	}
}
