package watch

import (
	"maps"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// reconfigure tells a Manager new settings, as a Runner does.
func (v *virtual) reconfigure(chain string, priority uint8, watch terms.Watch) {
	afresh := chain != ""
	if afresh {
		v.routing = smtest.JobOf(chain, 0)
	}
	cfg := v.manager.cfg
	cfg.Priority, cfg.Elect, cfg.Keys.One = priority, !cfg.Elect, 7
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: watch, Routing: v.routing, Afresh: afresh, What: "as the test says"}})
}

// TestReconfigure: another engine, told while the manager runs or in the middle of a round, routes
// all afresh. No LID moves. What holds from the start on stays as it is.
func TestReconfigure(t *testing.T) {
	for _, during := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		lids, rounds := v.lidsOf(), 1
		if during {
			v.step(&terms.Event{Kind: terms.Resweep})
			v.runUntil(v.now + time.Millisecond)
			if !v.manager.inRound {
				t.Fatal("no round is under way")
			}
			rounds++
		}
		v.reconfigure("updn", 3, terms.UsualWatch)
		v.runUntil(v.now + 3*time.Second)
		r := v.manager.Result().Report
		if r.State != terms.Up || r.Routing.Engine != "updn" || v.told(terms.NewSettings) != 1 || v.told(terms.RoundEnds) < rounds+1 || !maps.Equal(lids, v.lidsOf()) {
			t.Errorf("during %v: %s, %s: %v", during, r.State, r.Routing.Engine, v.entries)
		}
		v.verify(t)
		if cfg := v.manager.cfg; cfg.Elect || cfg.Keys.One != 7 || cfg.Priority != 3 {
			t.Errorf("%+v", cfg)
		}
		before := v.told(terms.RoundBegun)
		if v.runUntil(v.now + 10*terms.UsualWatch.Rebalance); v.told(terms.RoundBegun) != before {
			t.Errorf("it is routed again and again: %v", v.entries)
		}
	}
}

// TestInterval: another interval holds at once, also where the next light sweep was far away.
func TestInterval(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	watch := terms.UsualWatch
	watch.Interval = time.Hour
	v.reconfigure("", 0, watch)
	v.runUntil(v.now + 2*terms.UsualWatch.Interval)
	sweeps := func(of time.Duration) int {
		before := v.sent[mad.AttrPortInfo]
		v.runUntil(v.now + of)
		return v.sent[mad.AttrPortInfo] - before
	}
	if n := sweeps(30 * time.Minute); n > 0 {
		t.Errorf("%d light sweeps", n)
	}
	watch.Interval = time.Second
	v.reconfigure("", 0, watch)
	if n := sweeps(10500 * time.Millisecond); n != 10 {
		t.Errorf("%d light sweeps", n)
	}
}

// TestAskedRounds: a full sweep writes nothing where nothing has changed, and a routing afresh uses
// what came back after a repair.
func TestAskedRounds(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	f := v.manager.inForce.Fabric
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(v.now + time.Second)
	r := v.manager.Result().Report
	if v.told(terms.RoundEnds) != 2 || r.Written.Blocks != 0 || r.State != terms.Up || !strings.HasPrefix(r.Routing.Kept, "repaired") {
		t.Fatalf("%d blocks, %s: %v", r.Written.Blocks, r.Routing.Kept, v.entries)
	}
	link := v.linkOf(t, f, 40) // between switches: hosts come first
	for _, down := range []bool{true, false} {
		if err := v.sub.SetLinkDown(link, down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
	}
	before := v.told(terms.RoundEnds)
	if v.manager.Result().Report.Written.Blocks != 0 || before < 4 {
		t.Fatalf("a repair goes back by itself: %v", v.entries)
	}
	v.step(&terms.Event{Kind: terms.Rebalance})
	v.runUntil(v.now + time.Second)
	if r := v.manager.Result().Report; v.told(terms.RoundEnds) != before+1 || r.Routing.Kept != "" || r.Written.Blocks == 0 {
		t.Errorf("%d blocks, %q: %v", r.Written.Blocks, r.Routing.Kept, v.entries)
	}
	v.verify(t)
	before = v.told(terms.RoundEnds)
	if v.runUntil(v.now + 3*terms.UsualWatch.Rebalance); v.told(terms.RoundEnds) != before {
		t.Errorf("it is routed afresh once more: %v", v.entries)
	}
	if err := v.sub.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	if v.runUntil(v.now + 5*time.Second); !isKept(v.manager.Result().Report) {
		t.Errorf("the next fault is not repaired: %v", v.entries)
	}
}

// TestPriorityAtRunTime: a standby that gets the higher priority becomes the master, and gives the
// subnet back when it gets the lower one. What is asked of a standby is refused.
func TestPriorityAtRunTime(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	all[0].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	all[1].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+2*time.Second, all...)
	is := func(i int, state uint64) {
		t.Helper()
		if got := all[i].manager.state(); got != state {
			t.Fatalf("manager %d is in state %d: %s", i, got, journals(all))
		}
	}
	is(0, mad.SMStateMaster)
	is(1, mad.SMStateStandby)
	before := all[1].told(terms.RoundBegun)
	all[1].step(&terms.Event{Kind: terms.Rebalance})
	if runTogether(all[0].now+time.Second, all...); all[1].told(terms.RoundBegun) != before || all[1].told(terms.AskedFor) != 1 {
		t.Error(journals(all))
	}
	all[1].reconfigure("", 5, terms.UsualWatch)
	runTogether(all[0].now+30*time.Second, all...)
	is(0, mad.SMStateStandby)
	is(1, mad.SMStateMaster)
	if s := all[0].manager.Snapshot(all[0].now); s.InForce != nil {
		t.Errorf("what a standby had written is in force: %+v", s.InForce)
	}
	all[1].reconfigure("", 0, terms.UsualWatch)
	runTogether(all[0].now+30*time.Second, all...)
	is(0, mad.SMStateMaster)
	is(1, mad.SMStateStandby)
}
