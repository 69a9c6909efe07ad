package watch

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// looks reads the ports of single switches between rounds, where a sign of change may come from a
// port in quarantine. A round follows only if another port has changed. A look first clears
// PortStateChange, so that it shows the next change; the next round asks the switch for everything.
type looks struct {
	wanted      []look
	last        []look // made lately
	node        int32  // the switch of the look under way: a node of the round in force
	under       bool
	trap        bool             // a new sign of change asked for the look under way
	differs     bool             // it found a changed port
	doubtful    []ledger.PortKey // ports that had changed in the last look, at switches with false alarms
	number      uint32
	outstanding int
}

// look is a request to read the ports of a switch.
type look struct {
	node fabric.GUID
	due  time.Duration // when to make it, or when it was made
	trap bool          // a new sign of change asked for it
}

// drop forgets the look under way and the requested ones: a round reads more.
func (l *looks) drop() {
	l.under, l.wanted, l.doubtful = false, l.wanted[:0], nil
	l.number++
}

// due returns when the next look begins; never while one is under way.
func (l *looks) due() time.Duration {
	due := terms.Never
	for _, w := range l.wanted {
		due = min(due, w.due)
	}
	if l.under {
		return terms.Never
	}
	return due
}

// wantLook requests a look at a switch, after Watch.Quiet and at most once in Watch.MostQuiet.
func (m *Manager) wantLook(now time.Duration, id int32, trap bool) {
	l, guid := &m.looks, m.inForce.Nodes[id].GUID
	is := func(w look) bool { return w.node == guid }
	if i := slices.IndexFunc(l.wanted, is); i >= 0 {
		l.wanted[i].trap = l.wanted[i].trap || trap
		return
	}
	due := now + m.watch.Quiet
	l.last = slices.DeleteFunc(l.last, func(w look) bool { return now-w.due > m.watch.MostQuiet })
	if i := slices.IndexFunc(l.last, is); i >= 0 {
		due = max(due, l.last[i].due+m.watch.MostQuiet)
	}
	l.wanted = append(l.wanted, look{guid, due, trap})
}

// beginLook begins a look that is due, by reading SwitchInfo.
func (m *Manager) beginLook(now time.Duration) {
	l, c := &m.looks, m.inForce
	i := slices.IndexFunc(l.wanted, func(w look) bool { return now >= w.due })
	w := l.wanted[i]
	l.wanted = slices.Delete(l.wanted, i, i+1)
	id, ok := c.ByGUID[w.node]
	if !ok {
		return
	}
	l.last = append(l.last, look{node: w.node, due: now})
	l.node, l.under, l.trap, l.differs = id, true, w.trap, false
	l.number++
	m.doubted[w.node] = true
	m.askOfLook(terms.Action{Method: mad.Get}, readByLook)
}

// readByLook and clearedByLook mark, in a tag, the first SMPs of a look: read SwitchInfo, clear
// PortStateChange.
const (
	clearedByLook = uint32(1<<32 - 1 - iota)
	readByLook
)

// askOfLook sends an SMP of SwitchInfo to the switch of the look.
func (m *Manager) askOfLook(a terms.Action, what uint32) {
	l, c := &m.looks, m.inForce
	l.outstanding++
	a.Kind, a.Attr, a.Path, a.Key = terms.Send, mad.AttrSwitchInfo, c.Nodes[l.node].Path, c.KeyOf(ledger.SetSwitch, l.node)
	a.Tag = terms.LookTag<<56 | uint64(l.number&0xFFFFFF)<<32 | uint64(what)
	m.out = append(m.out, a)
}

// onReadByLook takes the SwitchInfo of the look's switch and clears PortStateChange. It leaves a
// restarted switch to a round: a Set would make it look as if it still held its tables.
func (m *Manager) onReadByLook(now time.Duration, ev *terms.Event) {
	l, c := &m.looks, m.inForce
	switch {
	case ev.Outcome != terms.Answered:
		m.readPorts()
	case mad.SwitchInfoLinearFDBTop.Get(ev.Data[:]) != uint64(c.Prog.Top):
		l.under = false
		m.alarms.found(m, now, c.Nodes[l.node].GUID, c.NodeName(l.node)+" was restarted")
	default:
		if mad.SwitchInfoPortStateChange.Is(ev.Data[:]) {
			c.DoubtUnverified(&c.Nodes[l.node])
		}
		info := ev.Data
		mad.SwitchInfoPortStateChange.Put(info[:], 1)
		m.askOfLook(terms.Action{Method: mad.Set, Data: info[:]}, clearedByLook)
	}
}

// readPorts asks for all ports of the look's switch.
func (m *Manager) readPorts() {
	l, c := &m.looks, m.inForce
	for slot := range c.PortsOf(l.node) {
		if c.PortNumber(slot) == 0 || c.Flags[slot]&ledger.PortKnown == 0 {
			continue
		}
		l.outstanding++
		m.out = append(m.out, terms.Action{
			Kind: terms.Send, Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: mad.PortModifier(c.PortNumber(slot), false), Path: c.Nodes[l.node].Path,
			Key: c.KeyOf(ledger.GetPort, slot),
			Tag: terms.LookTag<<56 | uint64(l.number&0xFFFFFF)<<32 | uint64(uint32(slot)),
		})
	}
}

// onLooked handles the end of an SMP of a look.
func (m *Manager) onLooked(now time.Duration, ev *terms.Event) {
	l := &m.looks
	l.outstanding--
	_, slot, number := ledger.SplitTag(ev.Tag)
	if !l.under || m.stopped || number != l.number&0xFFFFFF || ev.Outcome == terms.Cancelled {
		return
	}
	switch uint32(slot) {
	case clearedByLook:
		m.readPorts()
		return
	case readByLook:
		m.onReadByLook(now, ev)
		return
	}
	c := m.inForce
	u := m.unsteady.at(c.PortKey(slot))
	differed := slices.Contains(l.doubtful, c.PortKey(slot))
	l.doubtful = slices.DeleteFunc(l.doubtful, func(k ledger.PortKey) bool { return k == c.PortKey(slot) })
	switch {
	case ev.Outcome != terms.Answered:
		m.alarms.found(m, now, c.Nodes[l.node].GUID, c.NodeName(l.node)+" no longer answers PortInfo")
		l.differs = true
	case mad.PortInfoPortState.Get(ev.Data[:]) == c.State(slot):
	case (u == nil || u.state == succession.LinkUsed) && !differed && m.unsteady.isVain(c.Nodes[l.node].GUID): // perhaps only for a moment
		l.doubtful = append(l.doubtful, c.PortKey(slot))
		l.differs = true
		m.wantLook(now, l.node, false)
	case u == nil || u.state == succession.LinkUsed:
		m.sweepFound(now, c.PortName(slot)+" has changed its state")
		l.differs = true
	default:
		c.See(slot, ev.Data)
		u.changed, l.differs = now, true
		m.babble.toggles(m, now, u)
		m.waitLonger(now, u)
	}
	if l.outstanding > 0 {
		return
	}
	l.under = false
	if l.trap && !l.differs { // something changed, and changed back
		m.unsteady.restart(now, c.Nodes[l.node].GUID)
	}
}

// waitLonger schedules a round for a link that is the only way to a switch, later each time.
func (m *Manager) waitLonger(now time.Duration, u *unsteadyLink) {
	if u.state == succession.LinkSpared {
		u.came = append(u.came, now)
		m.again = min(m.again, now+m.watch.RetryAfter(len(u.came)))
	}
}

// waitsFor handles a trap about a changed link of a switch and reports whether no round begins for
// it yet: the round under way sees it, a look reads the ports, or the switch is missing and has an
// unsteady link only.
func (m *Manager) waitsFor(now time.Duration, id int32, lid fabric.LID) bool {
	if id >= 0 {
		node := m.inForce.Nodes[id].GUID
		watches := m.unsteady.watches(node)
		if watches {
			m.wantLook(now, id, true)
		} else {
			m.stepRound(&terms.Event{Kind: terms.LinkChanged})
		}
		seen := m.inRound && m.current.SeesChanges()
		m.unsteady.sign(now, node, seen)
		return watches || seen
	}
	i := -1
	if m.inForce != nil {
		i = slices.IndexFunc(m.inForce.Plan.Absent, func(a route.Absent) bool { return a.Base == lid && a.Node != 0 && m.unsteady.watches(a.Node) })
	}
	if i < 0 {
		m.stepRound(&terms.Event{Kind: terms.LinkChanged})
		return false
	}
	for _, u := range m.unsteady.links {
		if node := m.inForce.Plan.Absent[i].Node; u.ends[0].Node == node || u.ends[1].Node == node {
			m.waitLonger(now, u)
		}
	}
	return true
}

// restart counts a change that is no longer visible as a change of the switch's unsteady links.
func (u *unsteady) restart(now time.Duration, node fabric.GUID) {
	for _, l := range u.links {
		if l.state != succession.LinkUsed && (l.ends[0].Node == node || l.ends[1].Node == node) {
			l.changed = now
		}
	}
}

// watchStuck counts, by switch, the rounds that ended with PortStateChange set. After stuckAfter
// rounds looks read the ports of the switch.
func (m *Manager) watchStuck() {
	c, u := m.result.Ledger, &m.unsteady
	set := slices.Clone(m.result.Changing)
	for _, i := range m.result.Report.Incidents {
		if i.Kind == terms.Changed && i.At.Node != 0 {
			set = append(set, i.At.Node)
		}
	}
	u.stuck = slices.DeleteFunc(u.stuck, func(s stuckSwitch) bool {
		id, ok := c.ByGUID[s.node]
		return !slices.Contains(set, s.node) && !(ok && m.result.IsLeftOut(id))
	})
	slices.Sort(set)
	for _, guid := range slices.Compact(set) {
		i := slices.IndexFunc(u.stuck, func(s stuckSwitch) bool { return s.node == guid })
		if i < 0 {
			i = len(u.stuck)
			u.stuck = append(u.stuck, stuckSwitch{node: guid})
		}
		if u.stuck[i].rounds++; u.stuck[i].rounds == stuckAfter && !m.given.Apart.Nodes[guid] {
			m.tell(terms.StuckChange, "PortStateChange of %s stays set after every round: from now on weft reads its ports, and a round begins only when one has changed", c.NodeName(c.ByGUID[guid]))
		}
	}
}

// lookAfterRound reads the ports of the switches whose PortStateChange the ended round ignored.
func (m *Manager) lookAfterRound(now time.Duration) {
	again := slices.Sorted(slices.Values(m.result.Changing))
	for _, guid := range slices.Compact(again) {
		if id, ok := m.inForce.ByGUID[guid]; ok {
			m.wantLook(now, id, false)
		}
	}
}

// sign notes a sign of change from a switch: for the round under way if it still sees the change,
// otherwise for the next.
func (u *unsteady) sign(now time.Duration, node fabric.GUID, seen bool) {
	if i := slices.IndexFunc(u.vain, func(s stuckSwitch) bool { return s.node == node }); i >= 0 {
		u.vain[i].last = now
	}
	signs := &u.signs
	if seen {
		signs = &u.begun
	}
	if !slices.Contains(*signs, node) {
		*signs = append(*signs, node)
	}
}

// watchVain counts, by switch, the rounds that its signs began and that found nothing there.
func (u *unsteady) watchVain(now time.Duration, c, b *ledger.Ledger, within time.Duration) {
	u.vain = slices.DeleteFunc(u.vain, func(s stuckSwitch) bool { return now-s.last > within })
	for _, guid := range u.begun {
		i := slices.IndexFunc(u.vain, func(s stuckSwitch) bool { return s.node == guid })
		switch {
		case b == nil || c.DiffersFrom(b, guid):
			if i >= 0 {
				u.vain = slices.Delete(u.vain, i, i+1)
			}
		case i >= 0:
			u.vain[i].rounds++
		default:
			u.vain = append(u.vain, stuckSwitch{guid, 1, now})
		}
	}
	u.begun = nil
}
