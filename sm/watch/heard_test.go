package watch

import (
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/sm/terms"
	"weft/sm/watch/pacing"
)

// TestQuarantineHasAReason: the state of a manager says why a link is in quarantine, how often it
// came back, since when, and when it is used again; while it is down nobody knows. Links put there
// are counted.
func TestQuarantineHasAReason(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	_, id := v.switchLink(t, 3)
	v.flapFor(t, id, 10*time.Second, 70*time.Second)
	v.runUntil(v.now + 15*time.Second) // up, and seen by a light sweep
	s, rule := v.manager.Snapshot(v.now), terms.UsualWatch.Flaps
	if len(s.Held) != 1 || s.Tally.Quarantines != 1 {
		t.Fatalf("%+v, %d quarantines", s.Held, s.Tally.Quarantines)
	}
	l := s.Held[0]
	if l.Returns != rule.Times+1 || !strings.Contains(l.Why, "came back 6 times within 10m0s") || l.Since <= 0 || l.Since > v.now || l.Hold != rule.Hold {
		t.Errorf("%+v", l)
	}
	if l.Release <= v.now || l.Release > v.now+rule.Hold {
		t.Errorf("at %v it is to be used again at %v", v.now, l.Release)
	}
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 30*time.Second)
	if l := v.manager.Snapshot(v.now).Held[0]; l.Release != terms.Never {
		t.Errorf("it is down, and to be used again at %v", l.Release)
	}
	if err := v.sub.SetLinkDown(id, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 15*time.Second)
	due := v.manager.Snapshot(v.now).Held[0].Release
	v.runUntil(due - time.Second)
	before := len(v.manager.Snapshot(v.now).Held)
	v.runUntil(due + time.Second)
	if after := len(v.manager.Snapshot(v.now).Held); before != 1 || after != 0 {
		t.Errorf("a second before and after %v: %d and %d links", due, before, after)
	}
}

// TestTimes: durations are counted: light sweeps to their end, a Plan's computation, and a repair
// from the trap to the end of its round. A duration falls into the bucket of the least bound that
// holds it.
func TestTimes(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	v.runUntil(v.now + 35*time.Second)
	n := v.manager.Snapshot(v.now).Tally
	if n.LightSweepTimes.All != n.LightSweeps || n.LightSweeps == 0 {
		t.Errorf("%d light sweeps, %+v", n.LightSweeps, n.LightSweepTimes)
	}
	if n.RouteTimes != (terms.Times{By: [len(terms.TimeBounds)]int{3: 1}, All: 1, Sum: v.planTime}) || n.RepairTimes.All != 0 || n.RoundTimes.All != 1 {
		t.Errorf("routes %+v, repairs %+v, rounds %+v", n.RouteTimes, n.RepairTimes, n.RoundTimes)
	}
	_, id := v.switchLink(t, 3)
	v.pace(t)
	pulled := v.now
	if err := v.sub.SetLinkDown(id, true); err != nil {
		t.Fatal(err)
	}
	var trap, ended time.Duration
	var repair terms.Times
	v.onAction = func(a *terms.Action) {
		switch {
		case a.Kind == terms.Note && a.Incident.Kind == terms.TrapCame && trap == 0:
			trap = v.now
		case a.Kind == terms.RoundEnded && ended == 0:
			ended, repair = v.now, v.manager.tally.RepairTimes
		}
	}
	v.runUntil(v.now + 5*time.Second)
	if repair.All != 1 || repair.Sum != ended-trap || trap < pulled || repair.Sum < v.planTime {
		t.Errorf("pulled at %v, told at %v, ended at %v: %+v", pulled, trap, ended, repair)
	}
	var times terms.Times
	for _, d := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, time.Hour} {
		times.Add(d)
	}
	if times.By != [len(terms.TimeBounds)]int{2, 1} || times.All != 4 {
		t.Errorf("%+v", times)
	}
}

// pace has the next change begin a round at once.
func (v *virtual) pace(t *testing.T) {
	t.Helper()
	v.runUntil(v.now + 2*pacing.Forgets)
	if !v.manager.change.IsCalm(v.now) {
		t.Fatal("a change began a round lately")
	}
}

// TestNamesBesideGUIDs: parts to drain, which the manager keeps by GUID, have names in its state;
// and so has its port. A node that is missing since a restart has the name of the stored Plan.
func TestNamesBesideGUIDs(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	if d := v.order(terms.DrainPart, "spine 1"); d.Err != nil {
		t.Fatal(d.Err)
	}
	v.runUntil(v.now + time.Second)
	s := v.manager.Snapshot(v.now)
	if len(s.ToDrain) != 1 || !strings.HasPrefix(s.ToDrain[0], `switch "spine 1" (0x`) || s.PortName.Type != "CA" || s.PortName.Port != 1 {
		t.Errorf("%q %q, at %q", s.Drains, s.ToDrain, s.PortName)
	}
	c := v.manager.inForce
	f := v.sub.Fabric()
	host := fabric.NodeID(len(f.Nodes) - 1)
	for f.Nodes[host].Type != fabric.CA || f.Nodes[host].GUID == c.Nodes[c.Owner[c.OwnPort()]].GUID {
		host--
	}
	name := f.Nodes[host].Desc
	if err := v.sub.SetNodeDown(host, true); err != nil {
		t.Fatal(err)
	}
	cfg := terms.Config{History: terms.History{Last: planner.Keep(c.Plan, c.Graph), Stored: v.manager.next.Stored}}
	v.manager, v.entries = NewManager(cfg, terms.UsualWatch), nil
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	if err := v.sub.SetNodeDown(host, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 30*time.Second)
	if texts := v.texts(0, terms.NodeReturned); len(texts) != 1 || !strings.Contains(texts[0], `"`+name+`"`) {
		t.Errorf("%s is back: %q", name, texts)
	}
}
