package sm

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/sm/sa"
	"weft/wire/mad"
)

// allPaths asks for all paths as hosts would be told now.
func (a *administration) allPaths(t fataler, s *sa.Subnet) mad.Datagram {
	t.Helper()
	q, err := mad.Request{Method: mad.GetTable, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var r sa.Responder
	return r.Answer(s, q)
}

// TestOldPathsUntilTheEnd: as long as a round is under way hosts are told the paths of the Plan before, SLs among them, byte by byte; those of the
// new one come when all devices hold it. The order of writing relies on that.
func TestOldPathsUntilTheEnd(t *testing.T) {
	racing.SkipLong(t)
	f, err := gen.Parse("torus(5x5,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtual(f, emulator.Options{}, Config{}, jobOf("dfsssp", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := UsualWatch
	watch.Rebalance = 0
	v.manager, v.planTime = NewManager(Config{}, watch), 30*time.Millisecond
	a := &administration{members: newMembers()}
	a.serving.Store(&serving{open: true})
	var told mad.Datagram // between rounds
	var of *ledger        // whose paths these are
	during, rounds := 0, 0
	v.onEvent = func() {
		a.takeFrom(v.manager)
		o := a.serving.Load()
		switch now := a.allPaths(t, o.subnet); {
		case !o.open:
			t.Fatal("queries are not answered")
		case v.manager.inForce == nil:
			if now.Status() != mad.StatusBusy {
				t.Fatalf("in the first round: %v", now)
			}
		case v.manager.inRound:
			during++
			if !bytes.Equal(now, told) {
				t.Fatalf("in phase %s of a round hosts are told other paths than before", phaseNames[v.manager.core.phase])
			}
		case v.manager.inForce != of:
			rounds++
			v.verify(t)
			told, of = now, v.manager.inForce
		case !bytes.Equal(now, told):
			t.Fatal("between rounds hosts are told other paths than before")
		}
	}
	v.step(&Event{Kind: Start})
	v.runUntil(v.now + time.Second)
	first, sls := a.serving.Load().subnet, told
	_, link := v.switchLink(t, 7)
	if err := v.sub.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 5*time.Second)
	v.routing.Chain = jobOf("lash", 0).Chain
	v.step(&Event{Kind: Rebalance})
	v.runUntil(v.now + 5*time.Second)
	if rounds < 3 || during < 100 {
		t.Fatalf("%d rounds, asked %d times while they were under way", rounds, during)
	}
	if !bytes.Equal(a.allPaths(t, first), sls) {
		t.Error("what was told first has changed in later rounds")
	}
	changed := 0
	for i := range min(len(sls), len(told)) / 64 {
		at := mad.SAHeader.Size + 64*i
		if at+64 <= min(len(sls), len(told)) && mad.PathRecordSL.Get(sls[at:at+64]) != mad.PathRecordSL.Get(told[at:at+64]) {
			changed++
		}
	}
	if changed == 0 {
		t.Error("no SL has changed: the test shows nothing")
	}
	t.Logf("%d of %d SLs have changed", changed, len(told)/64)
}

// TestAnswersByRole: a master answers, a manager that stands by does not, and one that takes over says busy until its own round has ended:
// what it knew when it was the master before is not told again.
func TestAnswersByRole(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{Elect: true})
	a := &administration{members: newMembers()}
	a.serving.Store(&serving{open: true})
	var seen []string
	old := (*sa.Subnet)(nil)
	look := func() {
		a.takeFrom(v.manager)
		s, what := a.serving.Load(), "paths"
		switch {
		case !s.open:
			what = "nothing"
		case s.subnet == nil:
			what = "busy"
		case s.subnet == old:
			what = "old paths"
		}
		if n := len(seen); n == 0 || seen[n-1] != what {
			seen = append(seen, what)
		}
	}
	look()
	old = a.serving.Load().subnet
	v.manager.standBy(v.now, &otherManager{guid: 1, state: mad.SMStateMaster, path: []byte{99}, name: "another"})
	look()
	v.onEvent = look
	v.step(&Event{Kind: Tick})
	v.runUntil(v.now + 2*time.Minute)
	look()
	if want := []string{"paths", "nothing", "busy", "paths"}; !slices.Equal(seen, want) {
		t.Errorf("hosts are told %v, want %v", seen, want)
	}
	v.step(&Event{Kind: Stop})
	if v.runUntil(never); v.manager.ended {
		if look(); seen[len(seen)-1] != "nothing" {
			t.Errorf("a manager that has ended tells %s", seen[len(seen)-1])
		}
	}
}
