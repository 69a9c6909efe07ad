package sm

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/mad"
	"weft/route"
	"weft/route/check"
	"weft/route/multicast"
	"weft/sm/sa"
)

// Multicast tables of switches are written between rounds: after one, since its Plan has other trees or a switch has lost what it held, and after joins
// and leaves. What a switch holds is known by block; blocks of which that is not known are read first. Ports that an entry loses are taken
// away at all switches before others are added at any: so what switches hold at any moment is a part of the old tree of a group, or of the new one.

// groups holds the multicast groups of the subnet, and what switches hold of them.
type groups struct {
	members  []sa.Members  // as they were told last
	known    bool          // they were told since the subnet is ours: before that nothing is read or written
	due      time.Duration // when members are asked for, if nothing more changes
	latest   time.Duration // and when at the latest
	spread   sa.Spread     // by the Plan in force
	spreadOf *Core         // whose Plan that is
	version  int           // of spread
	stale    bool          // spread, or what switches hold, is not as it should be
	again    time.Duration // when what a switch has not taken is tried again

	held map[fabric.GUID]map[uint32]*[mad.MFTBlock]uint16 // by switch and block, as acknowledged; no entry: not known
	used uint32                                           // blocks of 32 MLIDs that groups have, or had
	groupWork
}

// groupWork holds how far the reading and writing of multicast tables is.
type groupWork struct {
	step        groupStep
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

// groupBlock is a block of a switch's multicast table.
type groupBlock struct {
	id       int32 // node of the round in force
	block    uint16
	position uint8
	masks    [mad.MFTBlock]uint16
}

// key names the block at its switch.
func (b *groupBlock) key() uint32 { return uint32(b.position)<<16 | uint32(b.block) }

// groupTag marks the tags of SMPs of multicast tables, in their first byte. The number of the work and the place of the block follow.
const groupTag = 0xFA

// noteMembers takes that members of groups have changed: they are asked for when nothing more has changed for a while.
func (m *Manager) noteMembers(now time.Duration) {
	gs := &m.groups
	gs.due = now + m.watch.Quiet
	if gs.latest == never {
		gs.latest = now + m.watch.MostQuiet
	}
}

// membersDue returns when members are to be asked for.
func (gs *groups) membersDue() time.Duration { return min(gs.due, gs.latest) }

// takeMembers takes the members of all groups. Those that are told before the subnet is ours are told again.
func (m *Manager) takeMembers(members []sa.Members) {
	if m.inForce == nil {
		return
	}
	m.groups.members, m.groups.known, m.groups.stale = members, true, true
	m.groups.spreadOf = nil
	m.groups.drop()
}

// drop forgets the work under way. What it has sent may be held or not.
func (gs *groups) drop() {
	gs.number++
	gs.step, gs.list, gs.next = groupsRest, nil, 0
}

// forgetRestarted forgets what switches held that are not as they were in the round before.
func (m *Manager) forgetRestarted() {
	gs, c := &m.groups, m.core
	gs.stale = true
	if c.before == nil {
		gs.held = nil
		return
	}
	for id := range c.nodes {
		if n := &c.nodes[id]; n.hasSwitch {
			if _, ok := c.switchBefore(int32(id)); !ok {
				delete(gs.held, n.guid)
			}
		}
	}
}

// workOnGroups begins, or goes on with, the writing of multicast tables.
func (m *Manager) workOnGroups(now time.Duration) {
	gs, c := &m.groups, m.inForce
	if c == nil || m.stopped || m.inRound || !gs.known {
		gs.again = never
		return
	}
	if gs.step == groupsRest {
		if !gs.stale && now < gs.again {
			return
		}
		gs.stale, gs.again, gs.failed = false, never, false
		if gs.spreadOf != c {
			m.spreadGroups()
		}
		gs.enter(c, groupsRead)
	}
	for gs.step != groupsRest {
		for gs.next < len(gs.list) && gs.outstanding < c.cfg.MaxPending {
			m.sendGroupBlock(gs.next)
			gs.next++
		}
		if gs.outstanding > 0 {
			return
		}
		if gs.step++; gs.step == groupsDone {
			gs.step = groupsRest
			if gs.failed {
				gs.again = now + m.watch.Retry
			}
			return
		}
		gs.enter(c, gs.step)
	}
}

// spreadGroups cuts the trees of all groups from the pool of the Plan in force.
func (m *Manager) spreadGroups() {
	gs, c := &m.groups, m.inForce
	gs.spreadOf = c
	ends := make(map[fabric.GUID]int32, c.graph.NumEnds)
	for e, guid := range c.graph.EndGUID {
		ends[guid] = int32(e)
	}
	endsOf := func(guids []fabric.GUID) (list []int32) {
		for _, guid := range guids {
			if e, ok := ends[guid]; ok && guid != 0 {
				list = append(list, e)
			}
		}
		slices.Sort(list)
		return list
	}
	spread := sa.Spread{}
	pool := c.plan.Multicast
	if pool == nil {
		pool = &route.Multicast{}
	}
	cutter := multicast.NewCutter(c.graph, pool)
	for _, told := range gs.members {
		g := route.Group{MLID: told.MLID, Receivers: endsOf(told.Receivers), Senders: endsOf(told.Senders)}
		spread.Groups = append(spread.Groups, g)
		spread.Trees = append(spread.Trees, cutter.Cut(&g))
	}
	faults := check.Groups(c.graph, pool, spread.Groups, spread.Trees)
	for _, f := range faults {
		spread.Trees[f.Group] = route.GroupTree{Tree: route.NoTree}
	}
	if len(faults) > 0 {
		f := faults[0]
		m.tell(NotSpread, "%d multicast groups have no tree, the first with MLID 0x%X: %s", len(faults), uint16(spread.Groups[f.Group].MLID), f.Text)
	}
	gs.spread = spread
	gs.version++
	if n := len(spread.Groups); n > 0 {
		gs.used = max(gs.used, uint32(spread.Groups[n-1].MLID-fabric.FirstMLID)/mad.MFTBlock+1)
	}
}

// enter lists the blocks of a step.
func (gs *groups) enter(c *Core, step groupStep) {
	gs.step, gs.list, gs.next = step, gs.list[:0], 0
	gs.number++
	if gs.held == nil {
		gs.held = map[fabric.GUID]map[uint32]*[mad.MFTBlock]uint16{}
	}
	for id := range c.nodes {
		n := &c.nodes[id]
		s := c.prog.sw[id]
		if s < 0 {
			continue
		}
		held := gs.held[n.guid]
		for b := range gs.used {
			for position := range n.ports/16 + 1 {
				block := groupBlock{id: int32(id), block: uint16(b), position: position}
				has, want := held[block.key()], gs.spread.Block(s, int(b), int(position))
				switch {
				case step == groupsRead && has == nil:
				case step == groupsRead || has == nil:
					continue
				case step == groupsTake:
					lost := false
					for i := range want {
						block.masks[i] = want[i] & has[i]
						lost = lost || block.masks[i] != has[i]
					}
					if !lost {
						continue
					}
				case *has == want:
					continue
				default:
					block.masks = want
				}
				gs.list = append(gs.list, block)
			}
		}
	}
}

// sendGroupBlock reads or writes a block.
func (m *Manager) sendGroupBlock(at int) {
	gs, c := &m.groups, m.inForce
	b := &gs.list[at]
	n := &c.nodes[b.id]
	a := Action{
		Kind: Send, Method: mad.Get, Attr: mad.AttrMulticastForwardingTable, Modifier: mad.MFTModifier(b.position, b.block),
		Path: n.path, Key: c.keyFor(setLFT, b.id, 0), Tag: groupTag<<56 | uint64(gs.number&0xFFFFFF)<<32 | uint64(at),
	}
	if gs.step != groupsRead {
		var data [64]byte
		for i, mask := range b.masks {
			mad.MulticastForwardingTablePort.Set(data[:], i, uint64(mask))
		}
		a.Method, a.Data = mad.Set, data[:]
		delete(gs.held[n.guid], b.key())
	}
	gs.outstanding++
	m.out = append(m.out, a)
}

// onGroupBlock takes a block as a switch says that it holds it.
func (m *Manager) onGroupBlock(ev *Event) {
	gs := &m.groups
	gs.outstanding--
	at, number := int(uint32(ev.Tag)), uint32(ev.Tag>>32)&0xFFFFFF
	if number != gs.number&0xFFFFFF || at >= len(gs.list) || m.inForce == nil {
		gs.stale = true // an answer to what was given up: what it tells is not known to be so still
		return
	}
	b := &gs.list[at]
	guid := m.inForce.nodes[b.id].guid
	if ev.Outcome != Answered {
		if !gs.failed && ev.Outcome != Cancelled {
			m.tell(NotSpread, "%s does not take block %d of its multicast table: it is tried again", m.inForce.nodeName(b.id), b.block)
		}
		gs.failed = true
		return
	}
	has := new([mad.MFTBlock]uint16)
	for i := range has {
		has[i] = uint16(mad.MulticastForwardingTablePort.At(ev.Data[:], i))
	}
	if gs.step != groupsRead {
		if *has != b.masks {
			if !gs.failed {
				m.tell(NotSpread, "%s holds another block %d of its multicast table than it was told", m.inForce.nodeName(b.id), b.block)
			}
			gs.failed = true
			return
		}
	}
	if gs.held[guid] == nil {
		gs.held[guid] = map[uint32]*[mad.MFTBlock]uint16{}
	}
	gs.held[guid][b.key()] = has
}

// noteTrees tells that a Plan has no trees for groups.
func (c *Core) noteTrees(err error) {
	if err != nil {
		c.note(NotSpread, Place{}, "multicast groups get no trees: %v", err)
	}
}

// topMLID returns the highest MLID that a switch has room for: it forwards none above its top.
func topMLID(sw []byte) uint64 {
	most := uint64(fabric.LastMLID)
	if n := mad.SwitchInfoMulticastFDBCap.Get(sw); n > 0 {
		most = min(most, uint64(fabric.FirstMLID)+n-1)
	}
	return most
}
