package sm

import (
	"fmt"
	"time"

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
	l.under, l.due = false, never
	l.number++
}

// beginLightSweep begins to ask: our own port first, whether another manager has written to it.
func (m *Manager) beginLightSweep() {
	m.sweep.drop()
	m.sweep.under, m.sweep.next = true, 0
	m.tally.LightSweeps++
	m.groups.doubtSent()
	c := m.inForce
	m.askForSweep(noSlot, Action{Tag: sweepTag, Attr: mad.AttrPortInfo, Modifier: mad.PortModifier(c.portNumber(c.ownPort()), false), Key: c.keyOf(getPort, c.ownPort())})
}

// askForSweep hands out an SMP of a light sweep, to a node or to our own port. Its Tag is the kind.
func (m *Manager) askForSweep(id int32, a Action) {
	a.Kind, a.Method = Send, mad.Get
	a.Tag = a.Tag<<56 | uint64(m.sweep.number&0xFFFFFF)<<32 | uint64(uint32(id))
	m.sweep.outstanding++
	m.out = append(m.out, a)
}

// askSwitches hands out the SMPs of a light sweep, up to Config.MaxPending.
func (m *Manager) askSwitches() {
	l, c := &m.sweep, m.inForce
	for ; l.under && int(l.next) < len(c.nodes)+len(c.rewritten) && l.outstanding < m.cfg.MaxPending; l.next++ {
		if i := int(l.next) - len(c.nodes); i >= 0 {
			a := c.readAgain(c.rewritten[i], &m.paths)
			a.Tag = blockTag
			m.askForSweep(l.next, a)
			continue
		}
		n := &c.nodes[l.next]
		if !n.hasSwitch || c.prog.fabricNode[l.next] < 0 {
			continue
		}
		m.askForSweep(l.next, Action{Tag: sweepTag, Attr: mad.AttrSwitchInfo, Path: n.path, Key: c.keyOf(getSwitch, l.next)})
	}
}

// onSwept takes what a switch says of its ports. One that says nothing is a change too.
func (m *Manager) onSwept(now time.Duration, ev *Event) {
	l := &m.sweep
	l.outstanding--
	_, id, number := splitTag(ev.Tag)
	if !l.under || m.stopped {
		return
	}
	switch c := m.inForce; {
	case number != l.number&0xFFFFFF || ev.Outcome == Cancelled: // late, or nothing
	case id == noSlot && ev.Outcome != Answered:
		m.sweepFound(now, "our own port does not answer any more")
	case id == noSlot && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != uint64(c.prog.smLID):
		m.sweepFound(now, "another manager has told our own port who the master is")
	case id == noSlot:
	case int(id) >= len(c.nodes):
		m.onTableAgain(now, c.rewritten[int(id)-len(c.nodes)], ev)
	case ev.Outcome != Answered:
		m.doubted[c.nodes[id].guid] = true
		m.sweepFound(now, c.nodeName(id)+" does not answer SwitchInfo any more")
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]) && m.unsteady.watches(c.nodes[id].guid):
		m.wantLook(now, id, !m.unsteady.isStuck(c.nodes[id].guid))
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		m.unsteady.sign(now, c.nodes[id].guid, false)
		m.sweepFound(now, "a port of "+c.nodeName(id)+" has changed its state")
	}
	if c := m.inForce; l.under && int(l.next) >= len(c.nodes)+len(c.rewritten) && l.outstanding == 0 {
		l.under, l.due = false, now+m.watch.Interval
		c.forgetRewritten()
	}
}

// onTableAgain takes a table, or a block of one, that was written more than once: a copy of an earlier one that came late may have taken
// its place.
func (m *Manager) onTableAgain(now time.Duration, tag uint64, ev *Event) {
	c := m.inForce
	k, index, arg := splitTag(tag)
	if ev.Outcome != Answered {
		return
	}
	switch {
	case k == setLFT && c.firstWrongLID(index, arg, &ev.Data) > 0:
		c.doubtBlocks(index)
		m.sweepFound(now, c.nodeName(index)+" holds another block of its forwarding table than it has acknowledged")
	case k == setSL2VL && c.firstWrongSL(index, arg, &ev.Data) >= 0:
		c.doubtTables(c.owner[index])
		m.sweepFound(now, c.portName(index)+" holds another SLtoVLMappingTable than it has acknowledged")
	}
}

// sweepFound takes a change that a light sweep has found, and ends the sweep: the round that follows asks every switch again, and by paths
// that the change may have left.
func (m *Manager) sweepFound(now time.Duration, what string) {
	m.dropSweep()
	m.tell(SweepFound, "%s", what)
	m.noteChange(now, what)
}

// pendingChange is a change that no round has looked at yet.
type pendingChange struct {
	quiet, latest time.Duration // when a round begins: if nothing more changes, and whatever happens; never
	first         string        // what changed first
	more          int           // how often something changed after that
}

var nothingChanged = pendingChange{quiet: never, latest: never}

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
func (p *pace) quiet(now time.Duration, w *Watch) time.Duration {
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
	if p.latest != never {
		p.more++
		return
	}
	p.latest, p.first = now+m.watch.MostQuiet, what
}
