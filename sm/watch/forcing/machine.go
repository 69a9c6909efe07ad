package forcing

import (
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/internal/fold"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/tuning"
)

// Limits of trials.
const (
	mostAtOnce   = 16
	mostLooked   = 1000 // links that are looked at for this many trials
	mostUnfit    = 100  // links that may not train now, after which the next Step goes on
	mostFailures = 3
	returnWithin = time.Minute      // after which a link has not returned
	settleWithin = 10 * time.Second // after which a link that is up at another speed stays there
	seenAfter    = 5 * time.Second  // after which a link that was never seen down counts as trained
	drainWithin  = 5 * time.Minute  // for a round that leads paths around a link
	readEvery    = time.Second
	againAfter   = 5 * time.Second // from an order that was not answered to its repetition
	mostRepeats  = 12
)

// World is the view and the reach of a Machine in a step. All of it belongs to the Manager.
type World struct {
	Now     time.Duration
	Ledger  *ledger.Ledger            // in force
	Allowed time.Duration             // when trials may begin
	Skip    func(ledger.PortKey) bool // a port in quarantine
	Out     *[]terms.Action
	Paths   *[]byte                                  // memory of the Paths in Out
	Round   func(why string, doubted ...fabric.GUID) // has a round ask these nodes again
}

// tell logs an incident.
func (w *World) tell(k terms.IncidentKind, format string, args ...any) {
	*w.Out = append(*w.Out, terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: k, Text: fmt.Sprintf(format, args...)}})
}

// Machine forces speeds and widths. The zero value has nothing to do.
type Machine struct {
	trials []*trial
	failed []Failure
	passed int // links that returned since the last Reset
	under  map[uint64]*trial
	orders uint64

	rules  *tuning.Index
	of     tuning.Rules   // of which rules is made
	looked *ledger.Ledger // for which waiting and bound are
	// waiting lists links for trials; bound counts links that stay unchanged, because they are the
	// only way to a switch.
	waiting []*trial
	bound   int
	allowed time.Duration
	changed bool // Kept has changed since it was asked
}

// Failure is a link that did not return.
type Failure struct {
	Ends [2]ledger.PortKey
	Name string
	Why  string
}

// Reset forgets failures, and looks at all links again. Trials under way go on.
func (m *Machine) Reset() {
	m.changed = m.changed || len(m.failed) > 0
	m.failed, m.passed, m.looked = nil, 0, nil
}

// stopped reports whether no more trials begin.
func (m *Machine) stopped() bool {
	return len(m.failed) > 0 && (m.passed == 0 || len(m.failed) >= mostFailures)
}

// Rest drops everything: the subnet is another manager's, who goes on with Kept.
func (m *Machine) Rest() { *m = Machine{} }

// IsUnderWay reports whether requests have not ended.
func (m *Machine) IsUnderWay() bool { return len(m.under) > 0 }

// IsTrying reports whether a trial is under way.
func (m *Machine) IsTrying() bool { return len(m.trials) > 0 }

// Drained lists the links that carry nothing for a trial, as Config.Drain names them.
func (m *Machine) Drained() (parts []string) {
	for _, t := range m.trials {
		if t.drains && t.phase <= setting {
			parts = append(parts, t.part())
		}
	}
	return parts
}

// IsIdle reports whether no rule asks for anything, and nothing is under way.
func (m *Machine) IsIdle(l *ledger.Ledger) bool {
	return len(m.trials)+len(m.of)+len(l.By.Tuning.Rules()) == 0 && !m.changed
}

// Due returns when Step has something to do, or never.
func (m *Machine) Due() time.Duration {
	due := terms.Never
	for _, t := range m.trials {
		due = min(due, t.due)
	}
	if len(m.trials) == 0 && len(m.waiting) > 0 && !m.stopped() {
		due = min(due, m.allowed)
	}
	return due
}

// Step begins trials that are due and goes on with those under way.
func (m *Machine) Step(w *World) {
	rules := w.Ledger.By.Tuning.Rules()
	if m.rules == nil || !slices.Equal(m.of, rules) {
		m.rules, m.of, m.looked = rules.Index(), rules, nil
	}
	m.allowed = w.Allowed
	for _, t := range slices.Clone(m.trials) {
		if w.Now >= t.due {
			m.goOn(w, t)
		}
	}
	if len(m.trials) > 0 {
		return
	}
	if m.looked != w.Ledger {
		m.looked = w.Ledger
		m.look(w)
	}
	if len(m.waiting) > 0 && !m.stopped() && w.Now >= w.Allowed {
		m.begin(w)
	}
}

// look finds the links that are to be tried.
func (m *Machine) look(w *World) {
	m.waiting, m.bound = nil, 0
	if len(m.of) == 0 {
		return
	}
	only := w.Ledger.OnlyWays()
	for slot := range int32(len(w.Ledger.Owner)) {
		t := m.trialOf(w, slot)
		switch {
		case t == nil:
		case only[slot]:
			m.bound++
		default:
			m.waiting = append(m.waiting, t)
		}
	}
}

// trialOf returns the trial that gives the link at a port what its rules allow; nil if it has that,
// or must not be tried. Each link comes up at one of its ports.
func (m *Machine) trialOf(w *World, slot int32) *trial {
	l := w.Ledger
	there := l.Peer[slot]
	if there == ledger.NoSlot || !l.IsSwitch(slot) || l.PortNumber(slot) == 0 || l.IsSwitch(there) && there < slot ||
		slot == l.OwnPort() || there == l.OwnPort() || l.Flags[slot]&l.Flags[there]&ledger.PortKnown == 0 || (l.Flags[slot]|l.Flags[there])&ledger.PortFDR10 != 0 ||
		w.Skip(l.PortKey(slot)) || !l.HasLink(slot) {
		return nil
	}
	if l.IsSwitch(there) && l.Nodes[l.Owner[slot]].Entry == slot { // its switch was reached over the link
		slot, there = there, slot
	}
	rates := m.rules.Of(endOf(l, slot), endOf(l, there))
	if rates == (tuning.Rates{}) {
		return nil
	}
	t := &trial{link: link{Ends: [2]ledger.PortKey{l.PortKey(slot), l.PortKey(there)}, Name: l.LinkName(slot), Ports: 1, Rates: rates}}
	if l.IsSwitch(there) {
		t.Ports = 2
	}
	fits := true
	for i, s := range [2]int32{slot, there} {
		var ok bool
		t.Was[i] = tuning.EnabledAt(l.Info[s][:])
		t.To[i], ok = rates.At(l.Info[s][:])
		if i >= t.Ports {
			t.To[i], ok = t.Was[i], true
		}
		fits = fits && ok
	}
	if !fits || t.To == t.Was || slices.ContainsFunc(m.failed, func(f Failure) bool { return f.Ends == t.Ends }) {
		return nil
	}
	t.trains = !tuning.Best(l.Info[slot][:], t.To[0], t.To[1])
	return t
}

// endOf returns an end of a link as rules see it.
func endOf(l *ledger.Ledger, slot int32) *tuning.End {
	n := &l.Nodes[l.Owner[slot]]
	return &tuning.End{GUID: n.GUID, Name: n.Called(), Port: l.PortNumber(slot)}
}

// begin begins trials: one, or after others that went well as many as those.
func (m *Machine) begin(w *World) {
	l, most := w.Ledger, max(1, min(m.passed, mostAtOnce))
	busy := map[fabric.GUID]bool{}
	var cut [][2]int32 // links between switches that are tried, each out of use for the next checks
	var drained []string
	usable := l.Fabric.Clone() // without the links that are tried
	looked, unfit := 0, 0
	for _, t := range m.waiting {
		if len(m.trials) == most || looked == mostLooked || unfit == mostUnfit {
			break
		}
		looked++
		slot, ok := l.SlotOf(t.Ends[0].Node, t.Ends[0].Port)
		if !ok || busy[t.Ends[0].Node] || busy[t.Ends[1].Node] {
			continue
		}
		if t.drains = t.Ports == 2 && t.trains; !t.isSpare(l) || t.drains && !t.canDrain(l, usable) {
			unfit++
			continue
		}
		busy[t.Ends[0].Node], busy[t.Ends[1].Node] = true, true
		t.phase, t.since, t.due, t.before = draining, w.Now, w.Now+readEvery, l
		if t.drains {
			there := l.Peer[slot]
			l.Peer[slot], l.Peer[there] = ledger.NoSlot, ledger.NoSlot
			cut, drained = append(cut, [2]int32{slot, there}), append(drained, t.Name)
		}
		m.trials = append(m.trials, t)
	}
	for _, c := range cut {
		l.Peer[c[0]], l.Peer[c[1]] = c[1], c[0]
	}
	if len(m.trials) == 0 {
		m.waiting, m.bound = m.waiting[looked:], m.bound+unfit
		return
	}
	m.waiting = nil
	m.looked, m.changed = nil, true
	for _, t := range m.trials {
		w.tell(terms.SpeedForced, "%s is to use %s: it is tried", t.Name, t.Rates)
	}
	if len(drained) > 0 {
		w.Round(fmt.Sprintf("paths are led around %s, to force the speed", fold.Count(len(drained), "link", "links")))
	}
}
