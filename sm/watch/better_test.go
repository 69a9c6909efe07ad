package watch

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/planner"
	"weft/route/engine"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestBetterLater: with engine auto the first proven Plan comes into force at once. A routing from
// scratch that somebody asks for later, or that new settings need, is made while the Plan in force
// stays, whichever the engine. A cable that is pulled meanwhile is repaired at once. The better
// Plan then comes into force as it fits the subnet of that time, moves no LID, and is proven. The
// recording replays.
func TestBetterLater(t *testing.T) {
	const network = "random(switches=40,hosts=2,links=100,seed=3)"
	for _, c := range []struct {
		name, formula, chain string
		again                *planner.Request // a routing from scratch by these settings; nil: none
		pulled               bool
		engine               string // of the better Plan; "": any
	}{
		{"calm", network, engine.Auto, nil, false, ""},
		{"pulled", network, engine.Auto, nil, true, ""},
		{"rebalance", "rlft(8,3)|fail(links=20,seed=1)", engine.Auto, jobOf(engine.Auto, 0), false, ""},
		{"named engine", network, "nue", jobOf("nue", 0), true, "nue"},
		{"other engine", network, "updn", jobOf("dfsssp", 0), true, "dfsssp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := newVirtual(smtest.Formula(t, c.formula), emulator.Options{}, terms.Config{}, *jobOf(c.chain, 0))
			if err != nil {
				t.Fatal(err)
			}
			watch := terms.UsualWatch
			watch.Moves = 0
			v.manager, v.planTime, v.besides = NewManager(terms.Config{}, watch), 30*time.Millisecond, time.Minute
			var b bytes.Buffer
			v.recorder = recording.NewRecorder(&b, &v.manager.cfg, &v.manager.watch, &v.routing)
			v.step(&terms.Event{Kind: terms.Start})
			v.runUntil(v.now + 5*time.Second)
			if c.again != nil {
				v.routeAgain(c.chain, c.again)
			}
			lids, s := v.lidsOf(), v.manager.Snapshot(v.now)
			if s.InForce == nil || s.Routed.Planning == nil {
				t.Fatalf("%+v is in force, nothing under way", s.InForce)
			}
			if rules := v.manager.rules(); !v.manager.Successor().LastAfresh || !rules.Rebalance {
				t.Error("the next manager would not route from scratch")
			}
			if c.pulled {
				v.pullWhilePlanning(t)
			}
			v.runUntil(v.now + 70*time.Second)
			s = v.manager.Snapshot(v.now)
			r := s.InForce.Report.Routing
			if s.Routed.Planning != nil || s.InForce.Why != whyBetter || !r.Check.OK || strings.Contains(r.Choice, "first one") || c.engine != "" && r.Engine != c.engine {
				t.Errorf("in force: %+v, by %s: %s; %v", s.InForce, r.Engine, r.Choice, v.texts(0, terms.BetterPlan))
			}
			if due := v.manager.afresh < terms.Never; due != c.pulled {
				t.Errorf("routing from scratch is due again: %v", due)
			}
			for guid, lid := range v.lidsOf() {
				if lids[guid] != lid {
					t.Errorf("LID %d of %s is %d now", lids[guid], guid, lid)
				}
			}
			v.verify(t)
			if err := v.recorder.Close(); err != nil {
				t.Fatal(err)
			}
			replayed(t, &b)
		})
	}
}

func jobOf(chain string, lmc uint8) *planner.Request {
	req := smtest.JobOf(chain, lmc)
	return &req
}

// routeAgain has all routed from scratch: because a person asks for it, or by new settings.
func (v *virtual) routeAgain(chain string, req *planner.Request) {
	ev := &terms.Event{Kind: terms.Rebalance}
	if chain != req.Chain[0].Engine.Name {
		v.routing = *req
		ev = &terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, Routing: *req, Afresh: true, What: "another engine"}}
	}
	v.step(ev)
	v.runUntil(v.now + time.Second)
}

// pullWhilePlanning pulls a cable, which is repaired at once. The better Plan is made meanwhile.
func (v *virtual) pullWhilePlanning(t *testing.T) {
	t.Helper()
	pulled, repairs := v.now, v.manager.tally.Repairs
	if err := v.sub.SetLinkDown(switchLinks(v.sub.Fabric())[0], true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 3*time.Second)
	if v.manager.tally.Repairs == repairs || v.manager.good.Ended < pulled || v.manager.good.Ended > pulled+2*time.Second { // most of it is Watch.Quiet
		t.Errorf("pulled at %v, in force since %v", pulled, v.manager.good.Ended)
	}
	if v.manager.Snapshot(v.now).Routed.Planning == nil {
		t.Error("the better Plan is not being made any more")
	}
	if v.manager.afresh < terms.Never {
		t.Error("besides the better Plan, routing from scratch is due")
	}
}

// TestNoBetter: if the engine refuses, the Plan in force stays, and nothing is planned again before
// the subnet changes.
func TestNoBetter(t *testing.T) {
	v := staying(t, "random(switches=40,hosts=2,links=100,seed=3)", emulator.Options{}, terms.Config{})
	v.manager.watch.Moves, v.besides = 0, time.Second
	v.routeAgain("", jobOf("torus", 0))
	rounds, told := v.told(terms.RoundBegun), v.told(terms.BetterPlan)
	v.runUntil(v.now + 10*time.Minute)
	s := v.manager.Snapshot(v.now)
	texts := v.texts(0, terms.BetterPlan)
	if len(texts) > told+1 || !strings.HasPrefix(texts[len(texts)-1], "no better Plan") || s.Routed.Planning != nil {
		t.Errorf("%q", texts)
	}
	if more := v.told(terms.RoundBegun) - rounds; more > 0 || !s.InForce.Report.Routing.Check.OK {
		t.Errorf("%d rounds more", more)
	}
	v.verify(t)
}

// TestMovesAwaitBetter: while a better Plan is being planned, no entries move to less loaded links:
// it replaces what they do. If none comes into force, they move after all.
func TestMovesAwaitBetter(t *testing.T) {
	v, err := newVirtual(smtest.Formula(t, "rlft(8,3)"), emulator.Options{}, terms.Config{}, *jobOf("ftree", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Moves, watch.Rebalance = 60, 0
	v.manager, v.besides = NewManager(terms.Config{}, watch), 10*time.Minute
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	v.pullAndReturn(t, 5*time.Second)
	v.routeAgain("", jobOf("dor", 0)) // it will refuse
	before := v.manager.tally.Spread
	v.runUntil(v.now + 5*time.Minute)
	if s := v.manager.Snapshot(v.now); s.Routed.Planning == nil || !v.manager.moves.Pending() || v.manager.tally.Spread > before {
		t.Errorf("planning: %v, moves pending: %t; %d entries moved, before %d", s.Routed.Planning, v.manager.moves.Pending(), v.manager.tally.Spread, before)
	}
	v.runUntil(v.now + 10*time.Minute)
	if s := v.manager.Snapshot(v.now); s.Routed.Planning != nil || v.manager.tally.Spread == before {
		t.Errorf("planning: %v; no entry moved after it", s.Routed.Planning)
	}
	v.verify(t)
}
