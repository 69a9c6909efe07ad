package forcing

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/wire/mad"
)

// link is a link that is to use other speeds or widths, as a successor must know it.
type link struct {
	Ends    [2]ledger.PortKey // the first one, of a switch, is reached without the link
	Name    string
	Ports   int // that are set: 1, or 2 between switches
	Rates   tuning.Rates
	Was, To [2]tuning.Enabled
}

// phase is a step of a trial.
type phase uint8

const (
	draining phase = iota // a round leads paths around it
	setting               // its ports are told what to enable
	waiting               // it trains
	undoing               // its ports get back what they had
)

// trial is a link under way.
type trial struct {
	link
	trains  bool // it must train again
	drains  bool // it carries nothing before
	resumed bool // it was begun before a restart or a takeover

	phase  phase
	since  time.Duration // when the phase began
	due    time.Duration
	before *ledger.Ledger // in force as it began
	down   bool           // its link was seen down
	todo   []order
	done   int // orders that ports took
	tries  int // of the first order
	why    string
}

// order is a request to a port of a trial.
type order struct {
	end    int
	enable tuning.Enabled
	trains bool // it trains again
	reads  bool // the port is only read
}

// isSpare reports whether both switches stay connected to us without the link; always so for the
// link of a host.
func (t *trial) isSpare(l *ledger.Ledger) bool {
	return t.Ports == 1 || l.IsJoinedWithout(t.Ends, true)
}

// part names the link as Config.Drain does.
func (t *trial) part() string {
	text, _ := t.Ends[0].MarshalText()
	return string(text)
}

// canDrain drains the link in a fabric, and reports whether paths can be led around it. A link that
// is the last way beside drained parts carries all their packets.
func (t *trial) canDrain(l *ledger.Ledger, f *fabric.Fabric) bool {
	_, err := l.Drain(f, t.part())
	return err == nil
}

// goOn takes the next step of a trial.
func (m *Machine) goOn(w *World, t *trial) {
	if t.due = terms.Never; len(t.todo) > 0 {
		m.send(w, t)
		return
	}
	switch t.phase {
	case draining:
		m.drained(w, t)
	case waiting:
		t.todo = []order{{reads: true}}
		m.send(w, t)
	default:
	}
}

// drained sets the ports once paths lead around the link, if it is still no switch's last way.
func (m *Machine) drained(w *World, t *trial) {
	slot, ok := w.Ledger.SlotOf(t.Ends[0].Node, t.Ends[0].Port)
	switch {
	case t.drains && t.before == w.Ledger && w.Now < t.since+drainWithin:
		t.due = w.Now + readEvery
		return
	case !ok || w.Ledger.Peer[slot] == ledger.NoSlot || t.drains && (t.before == w.Ledger || w.Ledger.Carries(slot)) || !t.isSpare(w.Ledger):
		m.drop(w, t) // it is down, or still carries traffic: later
		return
	}
	for i := t.Ports - 1; i >= 0; i-- {
		t.todo = append(t.todo, order{end: i, enable: t.To[i]})
	}
	if t.trains {
		t.todo = append(t.todo, order{enable: t.To[0], trains: true})
	}
	t.phase, t.since = setting, w.Now
	m.send(w, t)
}

// drop ends a trial without a result.
func (m *Machine) drop(w *World, t *trial) {
	m.remove(t)
	w.Round(t.Name + " is used again")
}

// remove takes a trial off the list.
func (m *Machine) remove(t *trial) {
	for i, other := range m.trials {
		if other == t {
			m.trials = append(m.trials[:i:i], m.trials[i+1:]...)
		}
	}
	m.changed = true
}

// send sends the first order of a trial.
func (m *Machine) send(w *World, t *trial) {
	o, l := t.todo[0], w.Ledger
	at := t.Ends[o.end]
	slot, ok := l.SlotOf(at.Node, at.Port)
	if !ok { // its switch is missing
		m.answered(w, t, &terms.Event{Outcome: terms.Silent})
		return
	}
	if m.under == nil {
		m.under = map[uint64]*trial{}
	}
	m.orders++
	tag := terms.SpeedTag<<56 | m.orders&(terms.ReadsSpeed-1)
	if o.reads {
		tag |= terms.ReadsSpeed
	}
	m.under[tag] = t
	a := terms.Action{
		Kind: terms.Send, Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: l.Modifier(ledger.GetPort, slot, 0), Path: l.PathTo(slot, w.Paths),
		Key: l.KeyOf(ledger.SetPort, slot), Tag: tag,
	}
	if !o.reads {
		a.Method, a.Modifier, a.Data = mad.Set, l.Modifier(ledger.SetPort, slot, 0), make([]byte, len(l.Info[slot]))
		if l.Enable(slot, a.Data); o.trains {
			mad.PortInfoPhysicalState.Put(a.Data, mad.PhysPolling)
		}
		o.enable.Put(a.Data)
	}
	*w.Out = append(*w.Out, a)
}

// Ended handles the end of a request.
func (m *Machine) Ended(w *World, ev *terms.Event) {
	t, ok := m.under[ev.Tag]
	delete(m.under, ev.Tag)
	if ok && w.Ledger != nil {
		m.answered(w, t, ev)
	}
}

// answered handles the answer to the first order of a trial.
func (m *Machine) answered(w *World, t *trial, ev *terms.Event) {
	o := t.todo[0]
	t.todo = t.todo[1:]
	took := ev.Outcome == terms.Answered && tuning.EnabledAt(ev.Data[:]) == o.enable
	switch {
	case o.reads:
		m.judge(w, t, ev)
	case t.phase == undoing:
		m.undone(w, t, o, took || o.trains && ev.Outcome == terms.Answered)
	case o.trains && ev.Outcome != terms.Refused: // the answer may have been lost with the link
		t.done++
		t.phase, t.since, t.due = waiting, w.Now, w.Now+readEvery
	case !took:
		m.fail(w, t, refusal(w.Ledger, t.Ends[o.end], ev))
	case len(t.todo) > 0:
		t.done++
		m.send(w, t)
	default: // it need not train
		m.pass(w, t)
	}
}

// refusal describes why a port did not take an order.
func refusal(l *ledger.Ledger, at ledger.PortKey, ev *terms.Event) string {
	name := fmt.Sprintf("%s[%d]", at.Node, at.Port)
	if slot, ok := l.SlotOf(at.Node, at.Port); ok {
		name = l.PortName(slot)
	}
	switch ev.Outcome {
	case terms.Answered:
		return name + " acknowledges what it is to enable, and does not"
	case terms.Refused:
		return name + " refuses what it is to enable (" + ev.Status.String() + ")"
	default:
		return name + " does not answer"
	}
}

// judge decides by a reading of the port whether the link has returned at an allowed speed.
func (m *Machine) judge(w *World, t *trial, ev *terms.Event) {
	after, info := w.Now-t.since, ev.Data[:]
	isUp := ev.Outcome == terms.Answered && mad.PortInfoPortState.Get(info) >= mad.PortInit
	t.down = t.down || ev.Outcome == terms.Answered && !isUp
	switch {
	case t.resumed && ev.Outcome == terms.Answered && tuning.EnabledAt(info) != t.To[0]:
		m.drop(w, t) // the manager before us has not changed it
	case isUp && t.Rates.Allow(t.To[0], info) && (t.down || t.resumed || after >= seenAfter):
		m.pass(w, t)
	case isUp && after >= settleWithin && !t.Rates.Allow(t.To[0], info):
		m.fail(w, t, fmt.Sprintf("it does not use %s %v after its training", t.Rates, settleWithin))
	case after >= returnWithin:
		m.fail(w, t, fmt.Sprintf("it did not return within %v", returnWithin))
	default:
		t.due = w.Now + readEvery
	}
}

// pass ends a trial that went well.
func (m *Machine) pass(w *World, t *trial) {
	m.passed++
	m.remove(t)
	w.tell(terms.SpeedForced, "%s uses %s now", t.Name, t.Rates)
	w.Round(t.Name+" has its speed", t.nodes()...)
}

// nodes lists the nodes of a trial: the next round asks them again.
func (t *trial) nodes() []fabric.GUID { return []fabric.GUID{t.Ends[0].Node, t.Ends[1].Node} }

// fail takes a trial back.
func (m *Machine) fail(w *World, t *trial, why string) {
	trained := t.phase == waiting
	t.why, t.phase, t.since, t.todo, t.tries = why, undoing, w.Now, nil, 0
	for i := range t.Ports {
		t.todo = append(t.todo, order{end: i, enable: t.Was[i], trains: trained})
	}
	m.send(w, t)
}

// undone handles the answer to an order that gives a port its former speeds. The order is repeated
// for some time: the way to the port may lead over links that the next round repairs.
func (m *Machine) undone(w *World, t *trial, o order, took bool) {
	if t.tries++; !took && t.tries <= mostRepeats {
		t.todo, t.due = append([]order{o}, t.todo...), w.Now+againAfter
		return
	}
	if !took {
		t.why += "; the end at " + t.Ends[o.end].Node.String() + " did not take back its former speeds"
	}
	if t.tries = 0; len(t.todo) > 0 {
		m.send(w, t)
		return
	}
	m.failed = append(m.failed, Failure{t.Ends, t.Name, t.why})
	m.remove(t)
	more := ""
	if m.stopped() {
		more = "; no other link is tried until a reload (SIGHUP)"
	}
	w.tell(terms.SpeedUndone, "%s gets back its former speeds, since %s%s", t.Name, t.why, more)
	w.Round(t.Name+" has its former speeds", t.nodes()...)
}
