package watch

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/tally"
	"weft/wire/mad"
)

// TestSnapshot: the snapshots of a manager through a fault: its role, its present work, and its
// planned work.
func TestSnapshot(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Priority: 4})
	s := v.manager.Snapshot(v.now)
	if s.Role != terms.Master || s.Priority != 4 || s.Port == 0 || s.UnderWay != nil || s.Last.Number != 1 || s.InForce != s.Last ||
		s.Last.Report.State != terms.Up || s.Last.Why != "the manager has started" || s.Last.Ended <= s.Last.Begun {
		t.Fatalf("%+v", s)
	}
	if len(s.Due) != 1 || s.Due[0].What != "a light sweep" || s.Due[0].At <= s.Now || s.Due[0].At > s.Now+terms.UsualWatch.Interval {
		t.Errorf("due: %v", s.Due)
	}
	if again := v.manager.Snapshot(v.now); s.Routed.Servers() != 32 || testing.AllocsPerRun(1, func() { again.Routed.Servers() }) > 0 {
		t.Errorf("%d servers, counted anew", s.Routed.Servers())
	}
	tally := s.Tally
	if err := v.sub.SetLinkDown(v.linkOf(t, v.manager.inForce.Fabric, 40), true); err != nil {
		t.Fatal(err)
	}
	for !v.manager.inRound {
		v.runUntil(v.now + 100*time.Microsecond)
	}
	if s := v.manager.Snapshot(v.now); s.UnderWay == nil || s.UnderWay.Number != 2 || s.UnderWay.Phase == "" || s.InForce.Number != 1 || s.Role != terms.Master {
		t.Errorf("%+v", s)
	}
	v.runUntil(v.now + time.Second)
	after := v.manager.Snapshot(v.now)
	if n := after.Tally; n.Repairs == 0 || n.Moved == 0 || n.Blocks <= tally.Blocks || n.HeavySweeps <= tally.HeavySweeps || n.RoundsBy()[terms.Up] < 2 ||
		n.TrapsBy()[128] == 0 || n.TrapsBy()[144] != 0 {
		t.Errorf("%+v", n)
	}
	if after.InForce.Number < 2 || s.InForce.Number != 1 || s.Tally != tally {
		t.Error("an earlier snapshot has changed")
	}
	v.runUntil(v.now + 3*terms.UsualWatch.Interval)
	if n := v.manager.Snapshot(v.now).Tally.LightSweeps; n < 2 {
		t.Errorf("%d light sweeps", n)
	}
	v.manager.noteChange(v.now, "a test")
	if due := v.manager.Snapshot(v.now).Due; len(due) != 3 || due[0].What != "a round: a test" {
		t.Errorf("due: %v", due)
	}
	v.step(&terms.Event{Kind: terms.Stop})
	if v.runUntil(terms.Never); v.manager.Snapshot(v.now).Role != terms.Gone {
		t.Error(v.manager.Snapshot(v.now).Role)
	}
}

// TestTallyOfSMPs: every SMP that has ended is counted under its own attribute.
func TestTallyOfSMPs(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	v.runUntil(v.now + 5*terms.UsualWatch.Interval + time.Second)
	counted := map[string]int{}
	all := v.manager.Snapshot(v.now).Tally
	for _, n := range all.SMPs() {
		counted[n.Attribute] += n.Requests
	}
	sent := map[string]int{}
	for attr, n := range v.sent {
		sent[ledger.AttrName(attr)] = n
	}
	if !reflect.DeepEqual(counted, sent) {
		t.Errorf("counted %v, sent %v", counted, sent)
	}
	for tag, want := range map[uint64]terms.Count{
		terms.ElectionTag << 56: {Method: "Get", Attribute: "SMInfo"}, terms.ElectionTag<<56 | askedOwnPort<<32: {Method: "Get", Attribute: "PortInfo"},
		terms.ElectionTag<<56 | mad.SMSetHandover<<32: {Method: "Set", Attribute: "SMInfo"},
	} {
		var one tally.Tally
		one.Answer(kindOf(tag), &terms.Event{Kind: terms.Answer, Tag: tag, Outcome: terms.Silent, Attempts: 8})
		want.Requests, want.Sent, want.Failed = 1, 8, 1
		if got := one.SMPs(); len(got) != 1 || got[0] != want {
			t.Errorf("%x: %v, want %v", tag, got, want)
		}
	}
}

// TestStandbySnapshot: a standby names its master, and says when it asks it next.
func TestStandbySnapshot(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	all[0].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	all[1].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	s := all[1].manager.Snapshot(all[1].now)
	if s.Role != terms.StandBy || !strings.Contains(s.Other, "host 0") || s.InForce != nil || len(s.Due) != 1 || s.Due[0].What != "a poll of the master" {
		t.Errorf("%+v", s)
	}
}
