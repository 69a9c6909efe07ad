package sm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// TestRunnerStores: the runner stores beside the loop, before the first port has its LID, and waits
// for it in the end.
func TestRunnerStores(t *testing.T) {
	s := smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))
	r, calls := runner("updn"), 0
	r.Store = func(rec *terms.Record) error {
		calls++
		for i := range s.Nodes {
			for p := range s.Nodes[i].Info {
				if lid := mad.PortInfoLID.Get(s.Nodes[i].Info[p][:]); lid != 0 {
					t.Errorf("a port has LID %d", lid)
				}
			}
		}
		if len(rec.LIDs) != 14 || rec.Engine != "updn" || !strings.HasPrefix(rec.Verdict, "yes") {
			t.Errorf("%+v", rec)
		}
		return nil
	}
	core, err := r.Run(t.Context(), attach(s))
	if err != nil || core.Report.State != terms.Up || calls != 1 {
		t.Errorf("%v: %s, stored %d times", err, core.Report.State, calls)
	}

	ctx, cancel := context.WithCancel(t.Context())
	stored := false
	r.Store = func(*terms.Record) error {
		cancel()
		time.Sleep(50 * time.Millisecond)
		stored = true
		return nil
	}
	core, err = r.Run(ctx, attach(smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))))
	if !errors.Is(err, context.Canceled) || core.Report.State != terms.Interrupted || !stored {
		t.Errorf("%v: %s, stored: %v", err, core.Report.State, stored)
	}
}

// TestDrainOfRunner: a Runner tells whoever asked what became of it.
func TestDrainOfRunner(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := runner("updn")
	asked, decided, up := make(chan *terms.Event), make(chan terms.Action, 2), make(chan terms.State, 100)
	r.Watch, r.Elect, r.Asked = terms.UsualWatch, true, asked
	r.Round = func(c *round.Result) { up <- c.Report.State }
	r.Decided = func(a *terms.Action) { decided <- *a }
	done := make(chan error)
	go func() {
		_, err := r.Run(ctx, attach(smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))))
		done <- err
	}()
	if s := <-up; s != terms.Up {
		t.Fatal(s)
	}
	asked <- &terms.Event{Kind: terms.DrainPart, Name: "spine 0", Tag: 5}
	if a := <-decided; a.Tag != 5 || a.Err != nil {
		t.Errorf("%+v", a)
	}
	if s := <-up; s != terms.Up {
		t.Error(s)
	}
	asked <- &terms.Event{Kind: terms.DrainPart, Name: "nobody", Tag: 6}
	if a := <-decided; a.Tag != 6 || a.Err == nil {
		t.Errorf("%+v", a)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestManyWrites: of many writes at once each is decided, in the order of the requests, although
// the rules are sent to standbys for several of them together.
func TestManyWrites(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const n = 200
	r := runner("updn")
	asked, decided, up := make(chan *terms.Event), make(chan terms.Action, n), make(chan terms.State, 100)
	r.Watch, r.Elect, r.Asked = terms.UsualWatch, true, asked
	r.Watch.Jobs.Moves = 0
	r.Round = func(c *round.Result) { up <- c.Report.State }
	r.Decided = func(a *terms.Action) { decided <- *a }
	done := make(chan error)
	go func() {
		_, err := r.Run(ctx, attach(smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))))
		done <- err
	}()
	if s := <-up; s != terms.Up {
		t.Fatal(s)
	}
	for i := range n {
		asked <- &terms.Event{Kind: terms.WriteJobs, Tag: uint64(i), Jobs: &terms.JobWrite{Start: &terms.Job{ID: fmt.Sprint(i), Nodes: "host[0-1]", Count: 2}}}
	}
	for i := range n {
		if a := <-decided; a.Err != nil || a.Tag != uint64(i) || len(a.Jobs.List) != i+1 || a.Jobs.Order != uint64(i+1) {
			t.Fatalf("%d: %+v", i, a)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestShow: a Runner shows what its Manager is, also while it routes, and at last that it has
// ended.
func TestShow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := runner("updn")
	r.Watch, r.Elect = terms.UsualWatch, true
	phases, last := map[string]bool{}, (*watch.Snapshot)(nil)
	r.Show = func(s *watch.Snapshot) {
		last = s
		if s.UnderWay != nil {
			phases[s.UnderWay.Phase] = true
		}
		if s.InForce != nil {
			cancel()
		}
	}
	if _, err := r.Run(ctx, attach(smtest.NewFake(smtest.Formula(t, "rlft(8,2)")))); err != nil {
		t.Fatal(err)
	}
	if last.Role != terms.Gone || last.Engines[0] != "updn" || !phases["route"] || last.Last.Report.Routing.Asked[0] != "updn" {
		t.Errorf("%+v, %v", last, phases)
	}
}

// TestWakesInTime: planned work is done in time, however long the manager has been running.
func TestWakesInTime(t *testing.T) {
	sub, err := emulator.New(smtest.Formula(t, "rlft(4,2)"), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := runner("updn")
	var hours atomic.Int64
	clock := r.Clock
	l, at := inRealTime(t, sub, clock)
	defer l.Close()
	r.Clock = func() time.Duration { return clock() + time.Duration(hours.Load())*time.Hour }
	r.Watch = terms.UsualWatch
	r.Watch.Interval = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	r.Round = func(*round.Result) { hours.Store(3) }
	r.Show = func(s *watch.Snapshot) {
		if s.Tally.LightSweeps > 3 {
			cancel()
		}
	}
	if _, err := r.Run(ctx, at); err != nil {
		t.Error(err)
	}
}

// TestClaim: IsSM is set once, when no master was found, and where it cannot be set
// nothing is written.
func TestClaim(t *testing.T) {
	s := smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))
	tr := &noManager{attach(s), nil}
	core, err := runner("updn").Run(t.Context(), tr)
	if err != nil || core.Report.State != terms.Up || !slices.Equal(tr.claims, []bool{true}) {
		t.Fatalf("%v, %s, claims %v", err, core.Report.State, tr.claims)
	}
	for what, fails := range map[string]terms.Config{"no": {}, "only looks": {ReadOnly: true}} {
		s := smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))
		tr := &noManager{attach(s), []bool{false}}
		r := runner("updn")
		r.Config = fails
		core, err := r.Run(t.Context(), tr)
		if fails.ReadOnly {
			if err != nil || len(tr.claims) > 1 {
				t.Errorf("%s: %v, claims %v", what, err, tr.claims)
			}
			continue
		}
		if !errors.Is(err, errNoManager) || core.Report.State != terms.Interrupted {
			t.Errorf("%s: %v, %s", what, err, core.Report.State)
		}
		for i := range s.Nodes {
			if len(s.Nodes[i].LFT) > 0 {
				t.Errorf("%s: tables were written", what)
			}
		}
	}
}

// noManager is a Transport that records what IsSM is set to, and refuses it when a
// false comes first.
type noManager struct {
	wire.Transport
	claims []bool
}

func (n *noManager) SetIsSM(_ context.Context, on bool) error {
	n.claims = append(n.claims, on)
	if !n.claims[0] {
		return errNoManager
	}
	return nil
}

var errNoManager = errors.New("no manager here")
