package sm

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// responder answers as a fake does.
func responder(s *smtest.Fake) loop.Responder {
	var data [64]byte
	return func(d *wire.Datagram, reply func(*wire.Datagram)) {
		m := d.MAD
		copy(data[:], m.Data())
		status, ok := s.Do(m.Hops(), m.Method(), m.Attr(), m.Modifier(), &data)
		if !ok || !m.Answer(status) {
			return
		}
		copy(m.Data(), data[:])
		d.Addr = d.Addr.Reply()
		reply(d)
	}
}

// attach puts a fake behind a Transport.
func attach(s *smtest.Fake) *loop.Transport { return loop.New(responder(s), loop.Options{}) }

func testClock() func() time.Duration {
	origin := time.Now()
	return func() time.Duration { return time.Since(origin) }
}

// runner is a Runner for a wire that loses nothing: on a busy machine too no SMP is sent twice.
func runner(chain string) *Runner {
	return &Runner{
		Routing: smtest.JobOf(chain, 0), Clock: testClock(),
		Wire: wire.Config{Window: 64, Timeout: time.Minute, Retries: 12},
	}
}

// TestRun brings a subnet up through the requester, over a clean wire and over one
// that loses, repeats and delays.
func TestRun(t *testing.T) {
	for name, lossy := range map[string]bool{"clean": false, "5 % loss, duplicates, reordering": true} {
		t.Run(name, func(t *testing.T) {
			s := smtest.NewFake(smtest.Formula(t, "rlft(8,2)"))
			respond, r := responder(s), runner("updn")
			if lossy {
				respond = wiretest.Lossy(respond, 3, 5*time.Millisecond)
				r.Wire.Timeout = 20 * time.Millisecond
			}
			core, err := r.Run(t.Context(), loop.New(respond, loop.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			rep := core.Report
			if rep.State != terms.Up || len(rep.Incidents) > 0 {
				t.Fatalf("%s: %v", rep.State, rep.Incidents)
			}
			s.Verify(t, core.Graph(), core.Plan(), core.Fabric(), core.Report)
			smtest.Same(t, s.F, core.Fabric())
			if (rep.SMPs.Retried > 0) != lossy {
				t.Errorf("%d SMPs sent again", rep.SMPs.Retried)
			}
			if len(rep.Time.Phases) < 6 || rep.Routing.Asked[0] != "updn" {
				t.Errorf("phases %v, asked %v", rep.Time.Phases, rep.Routing.Asked)
			}
		})
	}
}

// TestInterrupt ends a run in the middle of the tables, over a wire that loses the acknowledgement
// of every Set. The report counts what was sent.
func TestInterrupt(t *testing.T) {
	s := smtest.NewFake(smtest.Formula(t, "rlft(8,2)"))
	respond := responder(s)
	silent := func(d *wire.Datagram, reply func(*wire.Datagram)) {
		if d.MAD.Attr() == mad.AttrLinearForwardingTable {
			reply = func(*wire.Datagram) {}
		}
		respond(d, reply)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := runner("updn")
	r.Grace = 10 * time.Millisecond
	r.Wire.Timeout = time.Hour
	r.Phase = func(name string) {
		if name == "tables" {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
	}
	core, err := r.Run(ctx, loop.New(silent, loop.Options{}))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	rep := core.Report
	if rep.State != terms.Interrupted {
		t.Fatalf("%s: %v", rep.State, rep.Incidents)
	}
	n := map[terms.IncidentKind]int{}
	for _, i := range rep.Incidents {
		n[i.Kind]++
	}
	held := 0
	for i := range s.Nodes {
		held += len(s.Nodes[i].LFT)
	}
	if n[terms.Unanswered] != held || n[terms.HalfWritten] == 0 || held == 0 {
		t.Errorf("%d blocks were written and none acknowledged; incidents %v", held, n)
	}
}

// TestCancelledPlan: a run that is interrupted while it routes distributes nothing.
func TestCancelledPlan(t *testing.T) {
	s := smtest.NewFake(smtest.Formula(t, "rlft(8,2)"))
	ctx, cancel := context.WithCancel(t.Context())
	r := runner("updn")
	r.Phase = func(name string) {
		if name == "route" {
			cancel()
		}
	}
	core, err := r.Run(ctx, attach(s))
	if !errors.Is(err, context.Canceled) || core.Report.State != terms.Interrupted || core.Plan() != nil {
		t.Fatalf("%v, %s", err, core.Report.State)
	}
}

// TestTransportDies: the error is the Transport's, and the report is there.
func TestTransportDies(t *testing.T) {
	s := smtest.NewFake(smtest.Formula(t, "rlft(8,2)"))
	tr := attach(s)
	r := runner("updn")
	r.Phase = func(name string) {
		if name == "tables" {
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	core, err := r.Run(t.Context(), tr)
	if !errors.Is(err, wire.ErrClosed) {
		t.Fatalf("%v: %s", err, core.Report.State)
	}
}

// responder answers discovery from memory, as fast as can be: the same switch with
// hosts over and over would not be a fabric, so it walks a real one.
func benchmarkDiscover(b *testing.B, text string) {
	s := smtest.NewFake(smtest.Formula(b, text))
	smps := 0
	b.ReportAllocs()
	for b.Loop() {
		r := runner("updn")
		r.ReadOnly = true
		core, err := r.Run(context.Background(), attach(s))
		if err != nil || core.Report.State != terms.Discovered {
			b.Fatal(err, core.Report.Incidents)
		}
		smps = core.Report.SMPs.Sent
	}
	b.ReportMetric(float64(smps)*float64(b.N)/b.Elapsed().Seconds(), "SMPs/s")
}

func BenchmarkDiscoverFat648(b *testing.B) { benchmarkDiscover(b, "fat648") }

func BenchmarkDiscover11664(b *testing.B) { benchmarkDiscover(b, "rlft(36,3)") }

// TestStayEnds: a manager that stays ends soon after it is told to, at any moment, and when its
// transport dies; rounds are told as they end.
func TestStayEnds(t *testing.T) {
	for k := range 30 {
		transport := attach(smtest.NewFake(smtest.Formula(t, "rlft(4,2)")))
		ctx, cancel := context.WithCancel(t.Context())
		r := runner("updn")
		r.Elect, r.Grace = true, 10*time.Millisecond
		r.Watch = terms.Watch{Interval: 2 * time.Millisecond, Quiet: time.Millisecond, MostQuiet: 5 * time.Millisecond, Retry: time.Millisecond, MostRetry: 10 * time.Millisecond}
		dies := k%3 == 2
		end := func() {
			if dies {
				_ = transport.Close()
			} else {
				cancel()
			}
		}
		rounds, first := 0, k >= 20 // it ends with the first round, or at some time
		r.Round = func(*round.Result) {
			if rounds++; first && rounds == 1 {
				go end()
			}
		}
		if !first {
			time.AfterFunc(time.Duration(k)*4*time.Millisecond, end)
		}
		begun := time.Now()
		core, err := r.Run(ctx, transport)
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%d: it took %v", k, took)
		}
		if dies && !errors.Is(err, wire.ErrClosed) {
			t.Errorf("%d: the transport died: %v", k, err)
		}
		if !dies && err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", k, err)
		}
		if first && core.Report.State == "" {
			t.Errorf("%d: %d rounds, %s: %v", k, rounds, core.Report.State, core.Report.Incidents)
		}
		cancel()
	}
}

// TestAskedOfRunner: a Runner takes new settings while it runs, also in the middle of a round, and
// routes by them.
func TestAskedOfRunner(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := runner("updn")
	asked := make(chan *terms.Event)
	r.Watch, r.Elect, r.Asked = terms.UsualWatch, true, asked
	names := make(chan string, 100)
	r.Round = func(c *round.Result) {
		names <- c.Report.Routing.Asked[0]
		names <- c.Report.Routing.Engine
	}
	done := make(chan error)
	go func() {
		_, err := r.Run(ctx, attach(smtest.NewFake(smtest.Formula(t, "rlft(4,2)"))))
		done <- err
	}()
	is := func(want string) {
		t.Helper()
		for range 2 {
			if got := <-names; got != want {
				t.Errorf("routed by %s, want %s", got, want)
			}
		}
	}
	is("updn")
	for _, chain := range []string{"dfsssp", "minhop", "nue"} {
		asked <- &terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: r.Config, Watch: r.Watch, Routing: smtest.JobOf(chain, 0), Afresh: true}}
		is(chain)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestRunBreaksOff: a trap reports a changed link while nothing answers any more. A round near its
// end does not wait for SMPs under way, and the next one follows.
func TestRunBreaksOff(t *testing.T) {
	var silent atomic.Bool
	var unanswered atomic.Int32
	respond := responder(smtest.NewFake(smtest.Formula(t, "rlft(8,2)")))
	medium := loop.New(func(d *wire.Datagram, reply func(*wire.Datagram)) {
		if silent.Load() {
			unanswered.Add(1)
		} else {
			respond(d, reply)
		}
	}, loop.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := runner("updn")
	r.Watch, r.Wire = terms.UsualWatch, wire.Config{Window: 1, Timeout: 50 * time.Millisecond}
	began := false
	var lost []int32
	var states []terms.State
	r.Phase = func(name string) {
		if name == "verify" && !began {
			began = true
			silent.Store(true)
			m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: 1}.Routed(make([]byte, mad.Size))
			if err != nil {
				t.Error(err)
			}
			mad.NoticeIsGeneric.Put(m.Data(), 1)
			mad.NoticeTrapNumber.Put(m.Data(), mad.TrapLinkState)
			medium.Deliver(&wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 0x4000}, MAD: m})
		}
	}
	r.Round = func(c *round.Result) {
		silent.Store(false)
		lost, states = append(lost, unanswered.Load()), append(states, c.Report.State)
		if len(states) == 2 {
			cancel()
		}
	}
	if _, err := r.Run(ctx, medium); !errors.Is(err, context.Canceled) && err != nil {
		t.Fatal(err)
	}
	if len(states) != 2 || states[0] != terms.UpInPart || states[1] != terms.Up {
		t.Fatalf("%v", states)
	}
	if all := int32(12 * 8); lost[0] == 0 || lost[0] > all/2 { // all attempts of all switches, one after the other
		t.Errorf("the round ends after %d attempts", lost[0])
	}
}
