package watch

import (
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Multicast tables of switches are written between rounds: after one, since its Plan has other trees or a switch has lost what it held, and after joins
// and leaves. What a switch holds is known by block; blocks of which that is not known are read first. Ports that an entry loses are taken
// away at all switches before others are added at any: so what switches hold at any moment is a part of the old tree of a group, or of the new one.

// groups holds the multicast groups of the subnet, and what switches hold of them.
type groups struct {
	members []sa.Members  // as they were told last
	known   bool          // they were told since the subnet is ours: before that nothing is read or written
	due     time.Duration // when members are asked for; never
	again   time.Duration // when what a switch has not taken is tried again

	spread  sa.Spread // by the Plan in force
	version int       // of spread
	spreading

	held map[fabric.GUID]*multicastTable // by switch, as acknowledged
	sent map[switchBlock]int             // Sets of blocks since the last light sweep
	used int                             // blocks of 32 MLIDs that groups have, or had

	doubtDue bool // a light sweep has begun since the work under way began
	groupWork
}

// groupWork holds how far the reading and writing of multicast tables is.
type groupWork struct {
	stale       bool               // what switches hold is not as it should be
	all         bool               // any block may be so; otherwise those that are touched
	whole       bool               // the work under way is on all blocks: all, as it was when that began
	touched     map[treeBlock]bool // blocks of trees that have changed since the work ended last
	begun       time.Duration
	pause       time.Duration // until when no other work begins
	step        groupStep
	places                   // where blocks of this step may be
	list        []groupBlock // of this step; those before next were handed out
	next        int
	outstanding int
	number      uint32 // counts lists, so that late answers are told apart
	failed      bool   // a switch has not taken a block
}

// groupStep is a step of the work on the tables.
type groupStep uint8

const (
	groupsRest groupStep = iota
	groupsRead
	groupsTake // ports away
	groupsAdd
	groupsDone
)

// treeBlock is a block of MLIDs at a switch of the Graph in force.
type treeBlock struct {
	sw    int32
	block uint16
}

// groupBlock is a block of a switch's multicast table.
type groupBlock struct {
	id       int32 // node of the round in force
	block    uint16
	position uint8
	masks    *[mad.MFTBlock]uint16 // that it is to get; nil: it is read
}

// switchBlock names a block of a switch's multicast table.
type switchBlock struct {
	sw       fabric.GUID
	block    uint16
	position uint8
}

// multicastTable is the multicast table of a switch, as far as it is known.
type multicastTable struct {
	positions int                     // of 16 ports
	blocks    []*[mad.MFTBlock]uint16 // by block and position; nil: not known
}

// noPorts is a block of MLIDs that nobody gets, which most are.
var noPorts [mad.MFTBlock]uint16

// at returns a block, nil where it is not known.
func (t *multicastTable) at(block uint16, position uint8) *[mad.MFTBlock]uint16 {
	if i := int(block)*t.positions + int(position); i < len(t.blocks) {
		return t.blocks[i]
	}
	return nil
}

// put notes a block; nil: it is not known.
func (t *multicastTable) put(block uint16, position uint8, has *[mad.MFTBlock]uint16) {
	i := int(block)*t.positions + int(position)
	for len(t.blocks) <= i {
		t.blocks = append(t.blocks, nil)
	}
	if has != nil && *has == noPorts {
		has = &noPorts
	}
	t.blocks[i] = has
}

// table returns what is known of a switch.
func (gs *groups) table(n *ledger.Node) *multicastTable {
	if gs.held == nil {
		gs.held, gs.sent = map[fabric.GUID]*multicastTable{}, map[switchBlock]int{}
	}
	positions := int(n.Ports)/16 + 1
	t := gs.held[n.GUID]
	if t == nil || t.positions != positions {
		t = &multicastTable{positions: positions}
		gs.held[n.GUID] = t
	}
	return t
}

// wantMembers has the members of groups asked for at a time: a little after one has changed, since
// more of them may.
func (gs *groups) wantMembers(at time.Duration) { gs.due = min(gs.due, at) }

// membersDue returns when members are to be asked for.
func (gs *groups) membersDue() time.Duration {
	if gs.step != groupsRest {
		return terms.Never
	}
	return max(gs.due, gs.pause)
}

// workDue returns when work on the tables begins or goes on; never where that depends on answers.
func (gs *groups) workDue() time.Duration {
	switch {
	case !gs.known || gs.outstanding > 0:
		return terms.Never
	case gs.step != groupsRest:
		return 0
	case gs.stale || gs.doubtDue:
		return gs.pause
	default:
		return max(gs.again, gs.pause)
	}
}

// takeMembers takes the members of all groups.
func (gs *groups) takeMembers(members []sa.Members) {
	gs.members, gs.known, gs.stale = members, true, true
}

// drop forgets the work under way. What it has sent may be held or not.
func (gs *groups) drop() {
	gs.number++
	gs.all, gs.pause = true, 0
	gs.step, gs.list, gs.next, gs.places = groupsRest, nil, 0, places{}
}

// forgetRestarted forgets what switches held that are not as they were in the round before.
func (gs *groups) forgetRestarted(c, before *ledger.Ledger) {
	gs.stale, gs.all = true, true
	if before == nil {
		gs.held = nil
		return
	}
	for id := range c.Nodes {
		if n := &c.Nodes[id]; n.HasSwitch {
			is := false
			if c.Prog.AsBefore != nil { // what it has of LIDs by now it may have been told after a restart
				is = c.Prog.AsBefore[id]
			} else {
				_, is = c.SwitchBefore(before, int32(id))
			}
			if !is {
				delete(gs.held, n.GUID)
			}
		}
	}
}

// workOnGroups begins, or goes on with, the writing of multicast tables. It does a piece at a time.
func (m *Manager) workOnGroups(now time.Duration) {
	gs, c := &m.groups, m.inForce
	if c == nil || m.stopped || m.inRound || !gs.known {
		gs.again = terms.Never
		return
	}
	if gs.step == groupsRest {
		if gs.outstanding > 0 { // Sets of work that was dropped: what they leave is read when they can come no more
			return
		}
		if gs.doubtDue {
			gs.doubtSent()
		}
		if now < gs.pause || !gs.stale && now < gs.again {
			return
		}
		gs.again, gs.failed, gs.begun = terms.Never, false, now
		if gs.stale = m.spreadGroups(); gs.partly {
			return
		}
		gs.whole, gs.all = gs.all, false
		gs.enter(c, groupsRead)
	}
	for looked := 0; ; {
		for gs.next < len(gs.list) && gs.outstanding < min(m.cfg.MaxPending, mostGroupBlocks) {
			m.out = append(m.out, gs.request(c, gs.next))
			gs.next++
		}
		switch {
		case gs.next < len(gs.list):
			return
		case gs.place < gs.places.len(c):
			if looked >= mostLooked {
				return
			}
			looked += gs.look(c)
		case gs.outstanding > 0:
			return
		case gs.step+1 == groupsDone:
			gs.endWork(now, &m.watch)
			return
		default:
			gs.enter(c, gs.step+1)
		}
	}
}

// endWork ends work on the tables. More of it begins some time later, so that joins and leaves, however many, have a bounded share of the Manager's time.
func (gs *groups) endWork(now time.Duration, w *terms.Watch) {
	gs.step, gs.list, gs.places = groupsRest, nil, places{}
	gs.pause = now + min(max(w.Quiet, 4*(now-gs.begun)), w.MostQuiet)
	gs.all = gs.all || gs.failed
	clear(gs.touched)
	if gs.failed {
		gs.again = now + w.Retry
	}
}

// request returns the SMP that reads or writes a block of the list, which is under way from now on.
func (gs *groups) request(c *ledger.Ledger, at int) terms.Action {
	b := &gs.list[at]
	n := &c.Nodes[b.id]
	a := terms.Action{
		Kind: terms.Send, Method: mad.Get, Attr: mad.AttrMulticastForwardingTable, Modifier: mad.MFTModifier(b.position, b.block),
		Path: n.Path, Key: c.KeyOf(ledger.SetLFT, b.id), Tag: terms.GroupTag<<56 | uint64(gs.number&0xFFFFFF)<<32 | uint64(at),
	}
	if b.masks != nil {
		var data [64]byte
		for i, mask := range b.masks {
			mad.MulticastForwardingTablePort.Set(data[:], i, uint64(mask))
		}
		a.Method, a.Data = mad.Set, data[:]
		gs.table(n).put(b.block, b.position, nil)
		gs.sent[switchBlock{n.GUID, b.block, b.position}]++
	}
	gs.outstanding++
	return a
}

// onGroupBlock takes a block as a switch says that it holds it.
func (m *Manager) onGroupBlock(ev *terms.Event) {
	gs := &m.groups
	gs.outstanding--
	at, number := int(uint32(ev.Tag)), uint32(ev.Tag>>32)&0xFFFFFF
	if number != gs.number&0xFFFFFF || at >= len(gs.list) || m.inForce == nil {
		gs.stale, gs.all = true, true // an answer to what was given up: what it tells is not known to be so still
		return
	}
	b := &gs.list[at]
	n := &m.inForce.Nodes[b.id]
	if ev.Outcome != terms.Answered {
		if !gs.failed && ev.Outcome != terms.Cancelled {
			m.tell(terms.NotSpread, "%s does not take block %d of its multicast table: it is tried again", m.inForce.NodeName(b.id), b.block)
		}
		gs.failed = true
		return
	}
	has := new([mad.MFTBlock]uint16)
	for i := range has {
		has[i] = uint16(mad.MulticastForwardingTablePort.At(ev.Data[:], i))
	}
	if b.masks != nil {
		gs.sent[switchBlock{n.GUID, b.block, b.position}] += ev.Attempts - 1
		if *has != *b.masks {
			if !gs.failed {
				m.tell(terms.NotSpread, "%s holds another block %d of its multicast table than it was told", m.inForce.NodeName(b.id), b.block)
			}
			gs.failed = true
			return
		}
	}
	gs.table(n).put(b.block, b.position, has)
}

// doubtSent forgets the blocks that were written more than once, or sent again, since the last call: a copy of an earlier Set that came late may have taken
// the place of the last one. They are read. While work is under way, which has read what it needs to know, this waits for its end.
func (gs *groups) doubtSent() {
	gs.doubtDue = gs.step != groupsRest
	if gs.doubtDue {
		return
	}
	for at, n := range gs.sent {
		if t := gs.held[at.sw]; n > 1 && t != nil {
			t.put(at.block, at.position, nil)
			gs.stale, gs.all = true, true
		}
	}
	clear(gs.sent)
}
