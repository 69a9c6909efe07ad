package watch

import (
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire/mad"
)

// The manager writes multicast tables between rounds: after a round, since its Plan has other trees
// or a switch lost its table, and after joins and leaves. It tracks the tables by block and reads
// unknown blocks first. It removes ports from entries at all switches before it adds ports at any:
// so at each moment the switches hold a part of a group's old tree, or of its new one.

// groups holds the multicast groups of the subnet and the known tables of switches.
type groups struct {
	members []sa.Members  // as last told
	known   bool          // members were told since we are the master; before that nothing is read or written
	due     time.Duration // when to ask for members; never
	again   time.Duration // when to try refused blocks again

	spread  sa.Spread // by the Plan in force
	version int       // of spread
	spreading

	held map[fabric.GUID]*multicastTable // by switch, as acknowledged
	sent map[switchBlock]int             // Sets of blocks since the last light sweep
	used int                             // number of blocks of 32 MLIDs that groups have, or had

	doubtDue bool // a light sweep has begun since the work under way began
	groupWork
}

// groupWork holds the progress of reading and writing multicast tables.
type groupWork struct {
	stale       bool               // a switch may hold other entries than it should
	all         bool               // any block may differ; otherwise only touched ones
	whole       bool               // the work under way covers all blocks: the value of all when it began
	touched     map[treeBlock]bool // blocks of trees that changed since the last work ended
	begun       time.Duration
	pause       time.Duration // no other work begins before
	step        groupStep
	places                   // where blocks of this step may be
	list        []groupBlock // of this step; those before next were sent
	next        int
	outstanding int
	number      uint32 // of the list: an answer to an earlier one is late
	failed      bool   // a switch refused a block, or did not answer
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

// groupBlock is a block of a switch's multicast table, to be read or written.
type groupBlock struct {
	id       int32 // node of the round in force
	block    uint16
	position uint8
	masks    *[mad.MFTBlock]uint16 // to write; nil: read it
}

// switchBlock names a block of a switch's multicast table.
type switchBlock struct {
	sw       fabric.GUID
	block    uint16
	position uint8
}

// multicastTable holds the known blocks of a switch's multicast table.
type multicastTable struct {
	positions int                     // of 16 ports
	blocks    []*[mad.MFTBlock]uint16 // by block and position; nil: unknown
}

// noPorts is the empty block. Most blocks are empty and share it.
var noPorts [mad.MFTBlock]uint16

// at returns a block, nil if it is unknown.
func (t *multicastTable) at(block uint16, position uint8) *[mad.MFTBlock]uint16 {
	if i := int(block)*t.positions + int(position); i < len(t.blocks) {
		return t.blocks[i]
	}
	return nil
}

// put stores a block; nil makes it unknown.
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

// table returns the known table of a switch.
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

// wantMembers schedules the request for the members of groups: a little after a change, since more
// may follow.
func (gs *groups) wantMembers(at time.Duration) { gs.due = min(gs.due, at) }

// membersDue returns when to ask for members.
func (gs *groups) membersDue() time.Duration {
	if gs.step != groupsRest {
		return terms.Never
	}
	return max(gs.due, gs.pause)
}

// workDue returns when work on the tables begins or continues; never while it waits for answers.
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

// takeMembers stores the members of all groups.
func (gs *groups) takeMembers(members []sa.Members) {
	gs.members, gs.known, gs.stale = members, true, true
}

// drop forgets the work under way. Switches may or may not hold the blocks already sent.
func (gs *groups) drop() {
	gs.number++
	gs.all, gs.pause = true, 0
	gs.step, gs.list, gs.next, gs.places = groupsRest, nil, 0, places{}
}

// forgetRestarted forgets the tables of switches that differ from the round before.
func (gs *groups) forgetRestarted(c, before *ledger.Ledger) {
	gs.stale, gs.all = true, true
	if before == nil {
		gs.held = nil
		return
	}
	for id := range c.Nodes {
		if n := &c.Nodes[id]; n.HasSwitch {
			is := false
			if c.Prog.AsBefore != nil { // its present LIDs may have been written after a restart
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

// workOnGroups begins or continues the writing of multicast tables, a piece at a time.
func (m *Manager) workOnGroups(now time.Duration) {
	gs, c := &m.groups, m.inForce
	if c == nil || m.stopped || m.inRound || !gs.known {
		gs.again = terms.Never
		return
	}
	if gs.step == groupsRest {
		if gs.outstanding > 0 { // Sets of dropped work: their blocks are read when none is under way
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

// endWork ends work on the tables. The next begins later, so that any number of joins and leaves
// takes a bounded share of the Manager's time.
func (gs *groups) endWork(now time.Duration, w *terms.Watch) {
	gs.step, gs.list, gs.places = groupsRest, nil, places{}
	gs.pause = now + min(max(w.Quiet, 4*(now-gs.begun)), w.MostQuiet)
	gs.all = gs.all || gs.failed
	clear(gs.touched)
	if gs.failed {
		gs.again = now + w.Retry
	}
}

// request returns the SMP that reads or writes a block of the list, and counts it as under way.
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

// onGroupBlock stores the block in a switch's answer, and checks it if it was written.
func (m *Manager) onGroupBlock(ev *terms.Event) {
	gs := &m.groups
	gs.outstanding--
	at, number := int(uint32(ev.Tag)), uint32(ev.Tag>>32)&0xFFFFFF
	if number != gs.number&0xFFFFFF || at >= len(gs.list) || m.inForce == nil {
		gs.stale, gs.all = true, true // an answer to dropped work may be outdated
		return
	}
	b := &gs.list[at]
	n := &m.inForce.Nodes[b.id]
	if ev.Outcome != terms.Answered {
		if !gs.failed && ev.Outcome != terms.Cancelled {
			m.tell(terms.NotSpread, "%s refuses block %d of its multicast table, or does not answer: weft tries again", m.inForce.NodeName(b.id), b.block)
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
				m.tell(terms.NotSpread, "%s holds another block %d of its multicast table than was written", m.inForce.NodeName(b.id), b.block)
			}
			gs.failed = true
			return
		}
	}
	gs.table(n).put(b.block, b.position, has)
	gs.noteLeft(b, has)
}

// doubtSent makes blocks unknown that were sent more than once since the last call, so that they
// are read: a late copy of an earlier Set may have replaced the last one. If work is under way
// doubtSent waits for its end, since that has read its blocks already.
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
