package watch

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/internal/share"
	"weft/sm/clients"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// allPaths asks for all paths as hosts would be told now. The answer is in r's memory.
func allPaths(r *sa.Responder, t smtest.Fataler, s *sa.Subnet) mad.Datagram {
	t.Helper()
	q, err := mad.Request{Method: mad.GetTable, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r.Answer(s, q)
}

// TestOldPathsUntilTheEnd: during a round hosts get the paths and SLs of the old Plan, byte by
// byte. They get the new ones when all devices hold the new Plan. The order of writing relies on
// that.
func TestOldPathsUntilTheEnd(t *testing.T) {
	racing.SkipLong(t)
	f, err := gen.Parse("torus(5x5,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("dfsssp", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	watch.Rebalance = 0
	v.manager, v.planTime = NewManager(terms.Config{}, watch), 30*time.Millisecond
	a := &clients.Administration{Members: clients.NewMembers(share.Rule{})}
	a.Serving.Store(&clients.Serving{Open: true})
	var asked sa.Responder
	var told mad.Datagram // between rounds
	var of *ledger.Ledger // whose paths these are
	during, rounds := 0, 0
	v.onEvent = func() {
		takeFrom(a, v.manager)
		o := a.Serving.Load()
		switch now := allPaths(&asked, t, o.Subnet); {
		case !o.Open:
			t.Fatal("queries are not answered")
		case v.manager.inForce == nil:
			if now.Status() != mad.StatusBusy {
				t.Fatalf("in the first round: %v", now)
			}
		case v.manager.inRound:
			during++
			if !bytes.Equal(now, told) {
				t.Fatalf("in phase %s of a round hosts are told other paths than before", v.manager.current.Phase())
			}
		case v.manager.inForce != of:
			rounds++
			v.verify(t)
			told, of = bytes.Clone(now), v.manager.inForce
		case !bytes.Equal(now, told):
			t.Fatal("between rounds hosts are told other paths than before")
		}
	}
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + time.Second)
	first, sls := a.Serving.Load().Subnet, told
	_, link := v.switchLink(t, 7)
	if err := v.sub.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 5*time.Second)
	v.routing.Chain = smtest.JobOf("lash", 0).Chain
	v.step(&terms.Event{Kind: terms.Rebalance})
	v.runUntil(v.now + 5*time.Second)
	if rounds < 3 || during < 100 {
		t.Fatalf("%d rounds, asked %d times while they were under way", rounds, during)
	}
	if !bytes.Equal(allPaths(&asked, t, first), sls) {
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

// TestAnswersByRole: a master answers and a standby does not. A manager that takes over answers
// busy until its own round has ended, and never with data from an earlier time as the master.
func TestAnswersByRole(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Elect: true})
	a := &clients.Administration{Members: clients.NewMembers(share.Rule{})}
	a.Serving.Store(&clients.Serving{Open: true})
	var seen []string
	old := (*sa.Subnet)(nil)
	look := func() {
		takeFrom(a, v.manager)
		s, what := a.Serving.Load(), "paths"
		switch {
		case !s.Open:
			what = "nothing"
		case s.Subnet == nil:
			what = "busy"
		case s.Subnet == old:
			what = "old paths"
		}
		if n := len(seen); n == 0 || seen[n-1] != what {
			seen = append(seen, what)
		}
	}
	look()
	old = a.Serving.Load().Subnet
	v.manager.standBy(v.now, &ledger.OtherManager{GUID: 1, State: mad.SMStateMaster, Path: []byte{99}, Name: "another"})
	look()
	v.onEvent = look
	v.step(&terms.Event{Kind: terms.Tick})
	v.runUntil(v.now + 2*time.Minute)
	look()
	if want := []string{"paths", "nothing", "busy", "paths"}; !slices.Equal(seen, want) {
		t.Errorf("hosts are told %v, want %v", seen, want)
	}
	v.step(&terms.Event{Kind: terms.Stop})
	if v.runUntil(terms.Never); v.manager.ended {
		if look(); seen[len(seen)-1] != "nothing" {
			t.Errorf("a manager that has ended tells %s", seen[len(seen)-1])
		}
	}
}

// BenchmarkAdministered makes the data of subnet administration for 11,664 hosts. This blocks the
// manager's loop after a round.
func BenchmarkAdministered(b *testing.B) {
	v, err := newVirtual(smtest.Formula(b, "rlft(36,3)"), emulator.Options{}, terms.Config{}, smtest.JobOf("ftree", 0))
	if err != nil {
		b.Fatal(err)
	}
	if r := v.run(); r.State != terms.Up {
		b.Fatal(r.State)
	}
	b.ResetTimer()
	for range b.N {
		clients.Administered(v.manager.current.Result().Ledger, 0, 1, 0)
	}
}
