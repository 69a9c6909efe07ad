package watch

import (
	"bytes"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/route/engine"
	"weft/sm/ledger"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// improving starts a manager with engine auto on a network that is not small. It is planning a
// better Plan, which takes a minute, when improving returns.
func improving(t *testing.T, cfg terms.Config, prepare func(v *virtual)) *virtual {
	t.Helper()
	v, err := newVirtual(smtest.Formula(t, "random(switches=40,hosts=2,links=100,seed=3)"), emulator.Options{}, cfg, *jobOf(engine.Auto, 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Moves = 0
	v.manager, v.planTime, v.besides = NewManager(cfg, watch), 30*time.Millisecond, time.Minute
	if prepare != nil {
		prepare(v)
	}
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 5*time.Second)
	if s := v.manager.Snapshot(v.now); s.Routed == nil || s.Routed.Planning == nil {
		t.Fatalf("%+v is in force, nothing under way", s.InForce)
	}
	return v
}

// reload gives the manager new settings of routing.
func (v *virtual) reload(req *planner.Request) {
	v.routing = *req
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: v.manager.cfg, Watch: v.manager.watch, Routing: *req, Afresh: true, What: "the engine"}})
}

// TestBetterInPart: a better Plan comes into force though a port never says which P_Keys it has,
// so that no round brings the whole subnet up.
func TestBetterInPart(t *testing.T) {
	some := smtest.Partitioning(t, `Default=0x7fff: ALL=full; a=0x10: "host 1"=full;`, false, false)
	v := improving(t, terms.Config{Partitions: some}, func(v *virtual) {
		f := v.sub.Fabric()
		host := f.Nodes[smtest.Find(f, fabric.CA, 7)].GUID
		v.alter = func(ev *terms.Event) {
			if k, slot, _ := ledger.SplitTag(ev.Tag); ev.Kind == terms.Answer && k == ledger.GetPKeys {
				if c := v.manager.found(); c.Nodes[c.Owner[slot]].GUID == host {
					ev.Outcome, ev.Attempts = terms.Silent, 4
				}
			}
		}
	})
	v.runUntil(v.now + 70*time.Second)
	if s := v.manager.Snapshot(v.now); s.InForce.Why != whyBetter || s.InForce.Report.State != terms.UpInPart {
		t.Errorf("%s: in force is that of %q: %q", s.InForce.Report.State, s.InForce.Why, v.texts(0, terms.BetterPlan))
	}
	rounds := v.told(terms.RoundBegun)
	if v.runUntil(v.now + 5*time.Minute); v.told(terms.RoundBegun) > rounds+10 {
		t.Errorf("%d rounds in 5 minutes", v.told(terms.RoundBegun)-rounds)
	}
}

// TestBetterOutlivesPort: a manager whose port dies while a better Plan is planned, or waits to be
// used, leaves to its successor that routing from scratch is due.
func TestBetterOutlivesPort(t *testing.T) {
	v := improving(t, terms.Config{}, nil)
	v.step(&terms.Event{Kind: terms.Stop})
	v.runUntil(v.now + time.Second)
	if !v.manager.ended || v.improved < terms.Never {
		t.Error("it goes on")
	}
	if !v.manager.Successor().LastAfresh {
		t.Error("the manager at the next port would not route from scratch")
	}
	v.manager.watch.Windows = []terms.Window{{Days: 127, Hours: terms.Hours{From: 2 * time.Hour, To: 3 * time.Hour}}}
	if v.manager.better.asked = false; v.manager.Successor().LastAfresh {
		t.Error("the manager at the next port would route from scratch outside of the change window")
	}
	if v.manager.better.asked = true; !v.manager.Successor().LastAfresh {
		t.Error("what a person asked for waits for the change window")
	}
}

// TestBetterUnproven: who allows unproven Plans gets that of the engine that new settings name.
func TestBetterUnproven(t *testing.T) {
	for _, unproven := range []bool{false, true} {
		v := improving(t, terms.Config{Unproven: unproven}, nil)
		v.reload(jobOf("minhop", 0))
		v.runUntil(v.now + 2*time.Minute)
		r := v.manager.good.Report.Routing
		if by := v.manager.inForce.Plan.Recipe.Engine(); (by == "minhop") != unproven || r.Check.OK == unproven {
			t.Errorf("unproven allowed: %t; in force is %s, proven %t: %q", unproven, by, r.Check.OK, v.texts(0, terms.BetterPlan))
		}
	}
}

// TestBetterReloads: of two reloads the last one counts, whenever it comes: while a round plans by
// the first, while the better Plan of the first is planned, or while a round programs that.
func TestBetterReloads(t *testing.T) {
	for _, after := range []time.Duration{time.Millisecond, 35 * time.Millisecond, 5 * time.Second, time.Minute + 60*time.Millisecond} {
		var b bytes.Buffer
		v := improving(t, terms.Config{}, func(v *virtual) {
			v.recorder = recording.NewRecorder(&b, &v.manager.cfg, &v.manager.watch, &v.routing)
		})
		v.reload(jobOf("updn", 0))
		v.runUntil(v.now + after)
		v.reload(jobOf("dfsssp", 0))
		v.runUntil(v.now + 3*time.Minute)
		if by := v.manager.inForce.Plan.Recipe.Engine(); by != "dfsssp" {
			t.Errorf("second reload after %v: in force is %s: %q", after, by, v.texts(0, terms.BetterPlan))
		}
		v.verify(t)
		if err := v.recorder.Close(); err != nil {
			t.Fatal(err)
		}
		replayed(t, &b)
	}
}

// TestReloadsOfSmall: the same on a small network.
func TestReloadsOfSmall(t *testing.T) {
	for _, after := range []time.Duration{time.Millisecond, 35 * time.Millisecond, 60 * time.Millisecond} {
		v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{}).still()
		v.reload(jobOf("updn", 0))
		v.runUntil(v.now + after)
		v.reload(jobOf("dfsssp", 0))
		v.runUntil(v.now + time.Minute)
		if by := v.manager.inForce.Plan.Recipe.Engine(); by != "dfsssp" {
			t.Errorf("second reload after %v: in force is %s: %q", after, by, v.texts(0, terms.RoundEnds))
		}
	}
}

// TestBetterMeetsHosts: hosts that come and go while a better Plan is planned keep their LIDs when
// it comes into force, and a switch that is drained meanwhile stays drained.
func TestBetterMeetsHosts(t *testing.T) {
	var late, gone fabric.LinkID
	v := improving(t, terms.Config{}, func(v *virtual) {
		f := v.sub.Fabric()
		late, gone = f.Nodes[smtest.Find(f, fabric.CA, 9)].Ports[1].Link, f.Nodes[smtest.Find(f, fabric.CA, 17)].Ports[1].Link
		if err := v.sub.SetLinkDown(late, true); err != nil {
			t.Fatal(err)
		}
	})
	v.step(&terms.Event{Kind: terms.Rebalance}) // so that the better Plan is used, whatever it delivers
	v.runUntil(v.now + time.Second)
	for _, id := range []fabric.LinkID{late, gone} {
		if err := v.sub.SetLinkDown(id, id == gone); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 3*time.Second)
	}
	drained := v.manager.inForce.Graph.SwitchGUID[3]
	if a := v.order(terms.DrainPart, drained.String()); a.Err != nil {
		t.Fatal(a.Err)
	}
	v.runUntil(v.now + 3*time.Second)
	lids, absent := v.lidsOf(), len(v.manager.inForce.Plan.Absent)
	v.runUntil(v.now + 55*time.Second)
	if s := v.manager.Snapshot(v.now); s.InForce.Why != whyBetter {
		t.Errorf("in force: %s; %q", s.InForce.Why, v.texts(0, terms.BetterPlan))
	}
	for guid, lid := range v.lidsOf() {
		if lids[guid] != lid {
			t.Errorf("LID %d of %s is %d now", lids[guid], guid, lid)
		}
	}
	if n := v.transit(drained); n > 0 {
		t.Errorf("%d pairs cross the drained switch", n)
	}
	if n := len(v.manager.inForce.Plan.Absent); n != absent || n != 1 {
		t.Errorf("%d absent hosts have LIDs, %d before", n, absent)
	}
	v.verify(t)
}

// TestRebalanceWhilePlanning: a person who asks for routing from scratch gets it for the subnet as
// it is, though a better Plan is being planned for the subnet as it was before a cable came.
func TestRebalanceWhilePlanning(t *testing.T) {
	var link fabric.LinkID
	v := improving(t, terms.Config{}, func(v *virtual) {
		v.manager.watch.Rebalance = 0
		link = switchLinks(v.sub.Fabric())[5]
		if err := v.sub.SetLinkDown(link, true); err != nil {
			t.Fatal(err)
		}
	})
	if err := v.sub.SetLinkDown(link, false); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 10*time.Second)
	v.step(&terms.Event{Kind: terms.Rebalance})
	v.runUntil(v.now + 3*time.Minute)
	if n := v.entriesOver(link); n[0]+n[1] == 0 || v.manager.unbalanced {
		t.Errorf("%d entries lead over the cable; unbalanced %t: %q", n, v.manager.unbalanced, v.texts(0, terms.BetterPlan))
	}
}

// TestReloadUnfit: new settings come into force though the better Plan by them does not fit a
// subnet that has changed meanwhile, and though nothing is routed from scratch after repairs.
func TestReloadUnfit(t *testing.T) {
	v := improving(t, terms.Config{}, func(v *virtual) { v.manager.watch.Rebalance = 0 })
	v.reload(jobOf("updn", 0))
	v.runUntil(v.now + time.Second)
	v.pullWhilePlanning(t)
	spoilt := false
	v.alter = func(ev *terms.Event) {
		if ev.Kind == terms.Improved && !spoilt {
			r := *ev.Result
			r.Plan, spoilt = nil, true // a repair fails
			ev.Result = &r
		}
	}
	v.runUntil(v.now + 4*time.Minute)
	texts := v.texts(0, terms.BetterPlan)
	if by := v.manager.inForce.Plan.Recipe.Engine(); by != "updn" || !spoilt || len(texts) > 6 {
		t.Errorf("in force is %s: %q", by, texts)
	}
	v.verify(t)
}
