package watch

import (
	"fmt"
	"time"

	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// lightSweep asks every switch that the last round found whether a port of it has changed its state.
type lightSweep struct {
	due         time.Duration // when the next one begins; never
	under       bool          // one is under way
	number      uint32        // of those begun and dropped so far: answers to an earlier one are late
	next        int32         // node that is asked next; after the last one, the tables that are read again
	outstanding int           // SMPs handed out and not ended
}

// drop forgets the sweep that is under way. Its SMPs still end.
func (l *lightSweep) drop() {
	l.under, l.due = false, terms.Never
	l.number++
}

// beginLightSweep begins to ask: our own port first, whether another manager has written to it.
func (m *Manager) beginLightSweep() {
	m.sweep.drop()
	m.sweep.under, m.sweep.next = true, 0
	m.tally.LightSweeps++
	m.groups.doubtSent()
	c := m.inForce
	m.askForSweep(ledger.NoSlot, terms.Action{Tag: terms.SweepTag, Attr: mad.AttrPortInfo, Modifier: mad.PortModifier(c.PortNumber(c.OwnPort()), false), Key: c.KeyOf(ledger.GetPort, c.OwnPort())})
}

// askForSweep hands out an SMP of a light sweep, to a node or to our own port. Its Tag is the kind.
func (m *Manager) askForSweep(id int32, a terms.Action) {
	a.Kind, a.Method = terms.Send, mad.Get
	a.Tag = a.Tag<<56 | uint64(m.sweep.number&0xFFFFFF)<<32 | uint64(uint32(id))
	m.sweep.outstanding++
	m.out = append(m.out, a)
}

// askSwitches hands out the SMPs of a light sweep, up to Config.MaxPending.
func (m *Manager) askSwitches() {
	l, c := &m.sweep, m.inForce
	for ; l.under && int(l.next) < len(c.Nodes)+len(c.Rewritten) && l.outstanding < m.cfg.MaxPending; l.next++ {
		if i := int(l.next) - len(c.Nodes); i >= 0 {
			a := c.ReadAgain(c.Rewritten[i], &m.paths)
			a.Tag = terms.BlockTag
			m.askForSweep(l.next, a)
			continue
		}
		n := &c.Nodes[l.next]
		if !n.HasSwitch || c.Prog.FabricNode[l.next] < 0 {
			continue
		}
		m.askForSweep(l.next, terms.Action{Tag: terms.SweepTag, Attr: mad.AttrSwitchInfo, Path: n.Path, Key: c.KeyOf(ledger.GetSwitch, l.next)})
	}
}

// onSwept takes what a switch says of its ports. One that says nothing is a change too.
func (m *Manager) onSwept(now time.Duration, ev *terms.Event) {
	l := &m.sweep
	l.outstanding--
	_, id, number := ledger.SplitTag(ev.Tag)
	if !l.under || m.stopped {
		return
	}
	switch c := m.inForce; {
	case number != l.number&0xFFFFFF || ev.Outcome == terms.Cancelled: // late, or nothing
	case id == ledger.NoSlot && ev.Outcome != terms.Answered:
		m.sweepFound(now, "our own port does not answer any more")
	case id == ledger.NoSlot && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != uint64(c.Prog.SMLID):
		m.sweepFound(now, "another manager has told our own port who the master is")
	case id == ledger.NoSlot:
	case int(id) >= len(c.Nodes):
		m.onTableAgain(now, c.Rewritten[int(id)-len(c.Nodes)], ev)
	case ev.Outcome != terms.Answered:
		m.doubted[c.Nodes[id].GUID] = true
		m.sweepFound(now, c.NodeName(id)+" does not answer SwitchInfo any more")
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]) && m.unsteady.watches(c.Nodes[id].GUID):
		m.wantLook(now, id, !m.unsteady.isStuck(c.Nodes[id].GUID))
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		m.unsteady.sign(now, c.Nodes[id].GUID, false)
		m.sweepFound(now, "a port of "+c.NodeName(id)+" has changed its state")
	}
	if c := m.inForce; l.under && int(l.next) >= len(c.Nodes)+len(c.Rewritten) && l.outstanding == 0 {
		l.under, l.due = false, now+m.watch.Interval
		c.ForgetRewritten()
	}
}

// onTableAgain takes a table, or a block of one, that was written more than once: a copy of an earlier one that came late may have taken
// its place.
func (m *Manager) onTableAgain(now time.Duration, tag uint64, ev *terms.Event) {
	c := m.inForce
	k, index, arg := ledger.SplitTag(tag)
	if ev.Outcome != terms.Answered {
		return
	}
	switch {
	case k == ledger.SetLFT && c.FirstWrongLID(index, arg, &ev.Data) > 0:
		c.DoubtBlocks(index)
		m.sweepFound(now, c.NodeName(index)+" holds another block of its forwarding table than it has acknowledged")
	case k == ledger.SetSL2VL && c.FirstWrongSL(index, arg, &ev.Data) >= 0:
		c.DoubtTables(c.Owner[index])
		m.sweepFound(now, c.PortName(index)+" holds another SLtoVLMappingTable than it has acknowledged")
	}
}

// sweepFound takes a change that a light sweep has found, and ends the sweep: the round that follows asks every switch again, and by paths
// that the change may have left.
func (m *Manager) sweepFound(now time.Duration, what string) {
	m.dropSweep()
	m.tell(terms.SweepFound, "%s", what)
	m.noteChange(now, what)
}

// pendingChange is a change that no round has looked at yet.
type pendingChange struct {
	quiet, latest time.Duration // when a round begins: if nothing more changes, and whatever happens; never
	first         string        // what changed first
	more          int           // how often something changed after that
}

var nothingChanged = pendingChange{quiet: terms.Never, latest: terms.Never}

func (p *pendingChange) due() time.Duration { return min(p.quiet, p.latest) }

func (p *pendingChange) text() string {
	if p.more == 0 {
		return p.first
	}
	return fmt.Sprintf("%s, and %d more signs of change", p.first, p.more)
}

// pace counts the rounds that changes have begun shortly after each other, so that a device which tells of changes without
// end does not keep the manager busy.
type pace struct {
	last  time.Duration // when the last one began
	count int
}

// paceForgets is the time after a round from which on the next one counts as the first again.
const paceForgets = 10 * time.Second

// add counts a round.
func (p *pace) add(now time.Duration) {
	if p.count++; p.isCalm(now) {
		p.count = 0
	}
	p.last = now
}

// isCalm reports whether no change has begun a round lately.
func (p *pace) isCalm(now time.Duration) bool { return p.last == 0 || now-p.last >= paceForgets }

// quiet returns how long nothing more must have changed for a round to begin: no time after calm, since more changes that come
// while it looks at the subnet are seen by it too.
func (p *pace) quiet(now time.Duration, w *terms.Watch) time.Duration {
	if p.isCalm(now) {
		return 0
	}
	quiet := w.Quiet
	for range min(p.count, 20) {
		quiet = min(2*quiet, w.MostQuiet)
	}
	return quiet
}

// noteChange notes a change: a round begins when nothing more has changed for a while.
func (m *Manager) noteChange(now time.Duration, what string) {
	p := &m.change
	p.quiet = now + m.pace.quiet(now, &m.watch)
	if p.latest != terms.Never {
		p.more++
		return
	}
	p.latest, p.first = now+m.watch.MostQuiet, what
}
