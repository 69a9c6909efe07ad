package watch

import (
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// lightSweep asks every switch of the round in force whether one of its ports changed state.
type lightSweep struct {
	due         time.Duration // when the next sweep begins; never
	under       bool          // a sweep is under way
	begun       time.Duration // when it began
	number      uint32        // of sweeps begun or dropped so far: an answer to an earlier one is late
	next        int32         // the next node to ask; after the nodes, tables to read again
	outstanding int           // SMPs under way
	clean       bool          // the last one has found nothing, and no round has begun since
	calm        time.Duration // the last one found something: for moves none begins before this time
	audit       audit
}

// drop forgets the sweep under way. Its SMPs still end.
func (l *lightSweep) drop() {
	l.under, l.clean, l.due = false, false, terms.Never
	l.number++
}

// beginLightSweep begins a sweep at our own port, which another manager may have written to.
func (m *Manager) beginLightSweep() {
	m.sweep.drop()
	m.sweep.under, m.sweep.next, m.sweep.begun = true, 0, m.now
	m.tally.LightSweeps++
	m.groups.doubtSent()
	c := m.inForce
	m.sweep.audit.pick(c)
	m.askForSweep(ledger.NoSlot, terms.Action{Tag: terms.SweepTag, Attr: mad.AttrPortInfo, Modifier: mad.PortModifier(c.PortNumber(c.OwnPort()), false), Key: c.KeyOf(ledger.GetPort, c.OwnPort())})
}

// askForSweep sends an SMP of a light sweep to a node, or to our own port. a.Tag is its kind.
func (m *Manager) askForSweep(id int32, a terms.Action) {
	a.Kind, a.Method = terms.Send, mad.Get
	a.Tag = a.Tag<<56 | uint64(m.sweep.number&0xFFFFFF)<<32 | uint64(uint32(id))
	m.sweep.outstanding++
	m.out = append(m.out, a)
}

// askSwitches sends SMPs of a light sweep, up to Config.MaxPending.
func (m *Manager) askSwitches() {
	l, c := &m.sweep, m.inForce
	for ; l.under && int(l.next) < len(c.Nodes)+len(c.Rewritten)+len(l.audit.picked) && l.outstanding < m.cfg.MaxPending; l.next++ {
		if i := int(l.next) - len(c.Nodes); i >= 0 {
			a := c.ReadAgain(m.sweep.audit.readAgain(c, i), &m.paths)
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

// onSwept handles the end of an SMP of a light sweep. A silent switch is a change too.
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
		m.sweepFound(now, "our own port no longer answers")
	case id == ledger.NoSlot && mad.PortInfoMasterSMLID.Get(ev.Data[:]) != uint64(c.Prog.SMLID):
		m.contest.onOverwritten(m, now, fabric.LID(mad.PortInfoMasterSMLID.Get(ev.Data[:])))
	case id == ledger.NoSlot && mad.PortInfoLID.Get(ev.Data[:]) != mad.PortInfoLID.Get(c.Info[c.OwnPort()][:]):
		m.doubted[c.Nodes[0].GUID] = true
		m.sweepFound(now, "somebody has given our own port another LID")
	case id == ledger.NoSlot:
	case int(id) >= len(c.Nodes):
		m.onTableAgain(now, m.sweep.audit.readAgain(c, int(id)-len(c.Nodes)), ev)
	case ev.Outcome != terms.Answered:
		m.doubted[c.Nodes[id].GUID] = true
		m.sweepFound(now, c.NodeName(id)+" no longer answers SwitchInfo")
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]) && m.unsteady.watches(c.Nodes[id].GUID):
		m.wantLook(now, id, !m.unsteady.isStuck(c.Nodes[id].GUID))
	case mad.SwitchInfoPortStateChange.Is(ev.Data[:]):
		m.unsteady.sign(now, c.Nodes[id].GUID, false)
		m.sweepFound(now, "a port of "+c.NodeName(id)+" has changed its state")
	}
	if c := m.inForce; l.under && int(l.next) >= len(c.Nodes)+len(c.Rewritten)+len(l.audit.picked) && l.outstanding == 0 {
		l.under, l.clean, l.due = false, true, now+m.watch.Interval
		m.tally.LightSweepTimes.Add(now - l.begun)
		c.ForgetRewritten()
	}
}

// onTableAgain checks a table, or a block of one, that was written more than once: a late copy of
// an earlier Set may have replaced the last one.
func (m *Manager) onTableAgain(now time.Duration, tag uint64, ev *terms.Event) {
	c := m.inForce
	k, index, arg := ledger.SplitTag(tag)
	if ev.Outcome != terms.Answered {
		return
	}
	switch {
	case k == ledger.SetLFT && c.FirstWrongLID(index, arg, &ev.Data) == 0:
		m.sweep.audit.onTrueTable(c, index, arg)
	case k == ledger.SetLFT:
		c.DoubtBlocks(index)
		m.sweep.audit.onFalseTable(m, now, index, tag)
		m.sweepFound(now, c.NodeName(index)+" holds another block of its forwarding table than it was given")
	case k == ledger.SetSL2VL && c.FirstWrongSL(index, arg, &ev.Data) >= 0:
		c.DoubtTables(c.Owner[index])
		m.sweepFound(now, c.PortName(index)+" holds another SLtoVLMappingTable than it has acknowledged")
	}
}

// sweepFound reports a change and ends the light sweep: the next round asks every switch again,
// over paths that still exist.
func (m *Manager) sweepFound(now time.Duration, what string) {
	m.dropSweep()
	m.sweep.calm = now + m.watch.Interval
	m.tell(terms.SweepFound, "%s", what)
	m.noteChange(now, what)
}

// noteChange notes a change: a round begins when nothing more has changed for a while.
func (m *Manager) noteChange(now time.Duration, what string) { m.change.Note(&m.watch, now, what) }
