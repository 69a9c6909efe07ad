package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/cmd/weft/manage/studies"
	"weft/emulator/attach"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/internal/endpoints"
	"weft/internal/par"
	"weft/planner"
	"weft/route/engine"
	"weft/route/planfile"
	"weft/sm"
	"weft/sm/partition"
	"weft/sm/perf"
	"weft/sm/service"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/study/whatif"
	"weft/wire"
)

const token = "0123456789abcdef0123456789abcdef"

// managed is a manager of an emulated subnet, with its Service.
type managed struct {
	*service.Service
	socket, url string
	plan        func() []byte
	shown       atomic.Pointer[watch.Snapshot]
}

// manage brings an emulated subnet up, and serves what is asked of its manager at a socket and over
// TCP until the test ends.
func manage(t *testing.T, formula string) *managed {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	clock := func() time.Duration { return time.Since(begun) }
	wires, err := attach.Emulate(f, clock)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan *terms.Event)
	req := planner.Request{Chain: chain, Workers: 1, Seed: 1, Afresh: true} // as of weft sm --engine updn
	m := &managed{socket: filepath.Join(t.TempDir(), "sm.sock")}
	var stored []byte
	m.plan = func() []byte { return stored }
	up := make(chan struct{}, 1)
	planFile := func(version int64) ([]byte, error) {
		if version != 3 {
			return nil, nil
		}
		return stored, nil
	}
	var gate par.Gate
	questions := endpoints.NewQuestions(time.Now, &gate)
	routing := func() planner.Request { return req }
	m.Service = service.New(service.Options{
		Version: "test", Clock: time.Now, Studies: studies.All(routing), Questions: questions,
		More: studies.Page(questions, routing, func() float64 { return 0 }, m.shown.Load, planFile, new(studies.Faults)).Endpoints(),
		Ask: func(ctx context.Context, ev *terms.Event) error {
			select {
			case asked <- ev:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Moment: func(at time.Time) (*telemetry.Moment, error) {
			switch at.Year() {
			case 1999:
				return nil, telemetry.ErrNotKept
			case 2000:
				return nil, errors.New("damaged")
			}
			return &telemetry.Moment{Hot: []perf.Hot{{}}, Waiting: []perf.Hot{}, Doubtful: []perf.Hot{}, Errors: []telemetry.Growth{{}}}, nil
		},
		Series: func(node fabric.GUID, port uint8) (*telemetry.Series, error) {
			switch port {
			case 1:
				return nil, telemetry.ErrNotKept
			case 2:
				return nil, errors.New("damaged")
			}
			return &telemetry.Series{Port: fabric.PortName{GUID: node, Port: port}, Points: []telemetry.Point{{}}}, nil
		},
		Plans: func() ([]service.Plan, error) {
			return []service.Plan{{Version: 3, Time: "2026-11-24T10:00:00.000Z", Engine: "updn", Verdict: "yes", Bytes: len(stored)}}, nil
		},
		PlanFile: planFile,
	})
	r := &sm.Runner{
		Config: terms.Config{Partitions: &terms.Partitioning{Partitions: partition.Everyone(), In: true}}, Counters: perf.Config{Interval: 10 * time.Millisecond, Rate: 1e6},
		Watch: terms.UsualWatch, Routing: req, Clock: clock, Wire: wire.Config{Window: 32}, Asked: asked, Note: func(i terms.Incident) { m.Tell(i) }, Gate: &gate,
		Decided: func(a *terms.Action) {
			if a.Wrote != nil {
				m.DecideWrite(a.Tag, a.Wrote, "", a.Err)
				return
			}
			if a.Jobs != nil {
				m.DecideJobs(a.Tag, a.Jobs, "", a.Err)
				return
			}
			m.Decide(a.Tag, a.Name, "", a.Err)
		},
		Show: func(s *watch.Snapshot) {
			m.Show(s)
			m.shown.Store(s)
			if s.Routed != nil && s.Counters != nil && stored == nil {
				var b bytes.Buffer
				if err := planfile.Save(&b, s.Routed.Graph, s.Routed.Plan); err != nil {
					t.Error(err)
				}
				stored = b.Bytes()
				up <- struct{}{}
			}
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.Run(ctx, wires)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case <-up:
	case <-time.After(time.Minute):
		t.Fatal("the subnet does not come up")
	}
	m.serve(t)
	return m
}

// serve serves at the socket and over TCP.
func (m *managed) serve(t *testing.T) {
	t.Helper()
	unix, err := service.Listen(m.socket)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.url = "http://" + tcp.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- endpoints.Serve(ctx, unix, m.Handler()) }()
	go func() {
		done <- endpoints.Serve(ctx, tcp, service.NewGuard(service.OneToken(token), tcp.Addr(), time.Now).Protect(m.Handler(), nil))
	}()
	t.Cleanup(func() {
		m.End()
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestClient: what the manager of a subnet is asked over its socket, and over TCP with the token,
// is answered; what it drains is drained.
func TestClient(t *testing.T) {
	m := manage(t, "rlft(8,2)")
	for _, c := range []*Client{Unix(m.socket), TCP(m.url, token, nil)} {
		defer c.Close()
		ctx := t.Context()
		status, err := c.Status(ctx)
		if err != nil || status.Role != terms.Master || status.InForce.Switches != 12 || status.Run == "" {
			t.Fatalf("%+v, %v", status, err)
		}
		plan, err := c.Plan(ctx)
		if err != nil || plan.Engine != "updn" || plan.Recipe.Paths != "updn" || !plan.Verdict.OK {
			t.Errorf("%+v, %v", plan, err)
		}
		plans, err := c.Plans(ctx)
		if err != nil || len(plans.Plans) != 1 || plans.Plans[0].Version != 3 {
			t.Errorf("%+v, %v", plans, err)
		}
		if file, err := c.PlanFile(ctx, 3); err != nil || !bytes.Equal(file, m.plan()) {
			t.Errorf("a Plan of %d bytes: %v", len(file), err)
		}
		links, err := c.Links(ctx)
		for range 600 { // after a round they are read anew
			if err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
			links, err = c.Links(ctx)
		}
		if err != nil || links.Ports == 0 {
			t.Errorf("%+v, %v", links, err)
		}
		if p, err := c.Partitions(ctx); err != nil || len(p.Partitions) != 1 || p.Partitions[0].PKey != 0x7fff || !p.In || p.Out {
			t.Errorf("%+v, %v", p, err)
		}
		text, err := c.Fabric(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := netfile.Read("fabric", text, netfile.Options{})
		if err != nil || len(f.Links) != 64 {
			t.Errorf("%v", err)
		}
		answer, err := c.WhatIf(ctx, whatif.Change{Kind: "fail", What: "spine 1"})
		if err != nil || !answer.OK || answer.AsIs.Lost == 0 || answer.Repaired.Lost != 0 {
			t.Errorf("%+v, %v", answer, err)
		}
		for _, change := range []whatif.Change{{Kind: "fail", What: "spine 9"}, {Kind: "burn", What: "spine 1"}} {
			_, err = c.WhatIf(ctx, change)
			if refused, ok := errors.AsType[*Refused](err); !ok || refused.Status != http.StatusBadRequest {
				t.Errorf("%+v: %v", change, err)
			}
		}
		if asked, err := c.Drain(ctx, "spine 2"); err != nil || !strings.Contains(asked.Asked, "spine 2") {
			t.Errorf("%+v, %v", asked, err)
		}
		for range 600 { // what is shown follows what is decided
			if status, err = c.Status(ctx); err != nil || len(status.Drains) == 1 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil || len(status.Drains) != 1 {
			t.Errorf("%v, %v", status.Drains, err)
		}
		if _, err := c.Undrain(ctx, "spine 2"); err != nil {
			t.Error(err)
		}
		if _, err := c.Rebalance(ctx); err != nil {
			t.Error(err)
		}
		if _, err := c.Resweep(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := TCP(m.url, token[1:], nil).Resweep(t.Context()); err == nil || err.Error() != "wrong token" {
		t.Error(err)
	}
	_, err := Unix(filepath.Join(t.TempDir(), "none")).Status(t.Context())
	if _, ok := errors.AsType[*NoAnswer](err); !ok || !strings.Contains(err.Error(), "weft sm --socket") {
		t.Error(err)
	}
}

// TestSilent: of a manager that takes questions and says nothing, as one that is stopped, it is
// told.
func TestSilent(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "sm.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c := Unix(socket)
	c.longest = time.Millisecond
	_, err = c.Status(t.Context())
	if _, ok := errors.AsType[*NoAnswer](err); !ok || !strings.Contains(err.Error(), "no answer within 1ms") {
		t.Error(err)
	}
	if _, err = c.Fabric(t.Context()); err == nil {
		t.Error("an answer")
	}
}

// TestResume: who follows the log and loses its manager goes on where it was, and gets all of a
// manager that has been started anew.
func TestResume(t *testing.T) {
	var got []string
	at := Position{}
	for run, lines := range [][]string{{"a", "b", "c"}, {"d", "e", "f", "g", "h"}} {
		now := time.Unix(int64(run+1), 0)
		s := service.New(service.Options{Version: "test", Clock: func() time.Time { return now }})
		server := httptest.NewServer(clockless(s.Handler()))
		c := TCP(server.URL, "", nil)
		for _, text := range lines {
			s.Tell(terms.Incident{Kind: terms.TrapCame, Text: text})
			err := c.Events(t.Context(), at, false, func(to Position, line *terms.LogLine) error {
				got, at = append(got, line.Text), to
				if line.Text == "b" || line.Text == "e" {
					return io.ErrUnexpectedEOF // as where the connection breaks
				}
				return nil
			})
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
		}
		c.Close()
		server.Close()
	}
	if !slices.Equal(got, strings.Split("abcdefgh", "")) {
		t.Error(got)
	}
}

// clockless hides that a connection has deadlines, from a Service whose clock stands.
func clockless(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
}
