package watch

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/route/engine"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestBetterLater: with engine auto the first proven Plan comes into force at once, and a cable
// that is pulled while a better Plan is made is repaired at once. The better Plan then comes into
// force as it fits the subnet of that time, moves no LID, and is proven. The recording replays.
func TestBetterLater(t *testing.T) {
	for _, c := range []struct {
		name, formula string
		deed          func(v *virtual, t *testing.T)
	}{
		{"calm", "random(switches=20,hosts=2,links=50,seed=3)", func(*virtual, *testing.T) {}},
		{"pulled", "random(switches=20,hosts=2,links=50,seed=3)", func(v *virtual, t *testing.T) {
			pulled, repairs := v.now, v.manager.tally.Repairs
			if err := v.sub.SetLinkDown(switchLinks(v.sub.Fabric())[0], true); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 3*time.Second)
			if v.manager.tally.Repairs == repairs || v.manager.good.Ended < pulled || v.manager.good.Ended > pulled+2*time.Second { // most of it is Watch.Quiet
				t.Errorf("pulled at %v, in force since %v", pulled, v.manager.good.Ended)
			}
		}},
		{"asked", "rlft(8,3)|fail(links=20,seed=1)", func(v *virtual, _ *testing.T) { v.step(&terms.Event{Kind: terms.Rebalance}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := newVirtual(smtest.Formula(t, c.formula), emulator.Options{}, terms.Config{}, smtest.JobOf(engine.Auto, 0))
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
			lids, s := v.lidsOf(), v.manager.Snapshot(v.now)
			if s.InForce == nil || s.InForce.Ended > time.Second || s.Routed.Planning == nil || !strings.Contains(s.InForce.Report.Routing.Choice, "first one that is proven") {
				t.Fatalf("%+v is in force, %+v under way", s.InForce, s.Routed.Planning)
			}
			c.deed(v, t)
			if v.manager.Snapshot(v.now).Routed.Planning == nil {
				t.Error("the better Plan is not being made any more")
			}
			v.runUntil(v.now + 70*time.Second)
			s = v.manager.Snapshot(v.now)
			if s.Routed.Planning != nil || s.InForce.Why != whyBetter || !s.InForce.Report.Routing.Check.OK || strings.Contains(s.InForce.Report.Routing.Choice, "first one") {
				t.Errorf("in force: %+v, %s; %v", s.InForce, s.InForce.Report.Routing.Choice, v.texts(0, terms.BetterPlan))
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
			r, err := recording.NewRecording(&b, engine.Parse)
			if err != nil {
				t.Fatal(err)
			}
			if err := playerOf(r).Play(context.Background(), r, nil); err != nil {
				t.Error(err)
			}
		})
	}
}
