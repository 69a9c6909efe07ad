package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/sm/watch/tally"
	"weft/study/whatif"
)

// fixed is a clock that stands.
func fixed() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

// asked remembers events.
type asked struct {
	mu   sync.Mutex
	list []terms.EventKind
	err  error

	answer func(context.Context) (*Asked, error) // of a study
	decide func(ev *terms.Event)                 // nil: nothing is ever decided
}

func (a *asked) ask(_ context.Context, ev *terms.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.list = append(a.list, ev.Kind)
		if a.decide != nil {
			a.decide(ev)
		}
	}
	return a.err
}

// hold is a study: no subnet has a part that is called none.
func (a *asked) hold(q *whatif.Question, _ *watch.Routed) (func(context.Context) (*Asked, error), error) {
	if q.Changes[0].What == "none" {
		return nil, errors.New("--fail none: no such part")
	}
	return a.answer, nil
}

func newService(lines int) (*Service, *asked) {
	a := &asked{}
	s := New(Options{Version: "test", Clock: fixed, Ask: a.ask, Lines: lines, Studies: []Study{NewStudy("/v1/whatif", "", "weft whatif", a.hold)}})
	a.decide = func(ev *terms.Event) { s.Decide(ev.Tag, ev.Name, "", nil) }
	return s, a
}

// master is the Snapshot of a manager that has brought a subnet up and looks at it again.
func master() *watch.Snapshot {
	check := &quality.Report{Load: quality.Load{Max: 28}}
	check.OK = true
	held := &quality.Report{Load: quality.Load{Max: 27}, HostPairs: quality.HostPairs{Pairs: 992, Unreachable: 9, Disconnected: 3}}
	up := &watch.Round{Number: 1, Why: "the manager has started", Begun: 0, Ended: 2 * time.Second, Report: &terms.Report{
		State: terms.Up, Found: terms.Found{Switches: 12, CAs: 32, Links: 64}, LIDs: terms.LIDs{SM: 7}, Written: terms.Written{Blocks: 12},
		Routing: terms.Routing{Engine: "ftree", VLs: 1, Check: check},
	}}
	last := &watch.Round{Number: 2, Why: "a trap", Begun: 3 * time.Second, Ended: 4 * time.Second, Report: &terms.Report{
		State: terms.NotRouted, Found: terms.Found{Switches: 12, CAs: 32, Links: 63}, Routing: terms.Routing{Held: held}, Incidents: []terms.Incident{{Kind: terms.NoPlan, Text: "all refused", At: terms.Place{Node: 5, Name: "spine 1", Port: 3}}},
	}}
	return &watch.Snapshot{
		Now: 5 * time.Second, Role: terms.Master, Port: 0x1234, Priority: 3, Engines: []string{"ftree", "updn"}, InForce: up, Last: last,
		UnderWay: &watch.Round{Number: 3, Why: "asked for", Begun: 4500 * time.Millisecond, Phase: "route"},
		Due:      []watch.Due{{What: "a round: asked for", At: 0}, {What: "a light sweep", At: 8 * time.Second}},
		Tally:    tally.Tally{LightSweeps: 4, HeavySweeps: 3},
		Share:    &planner.Share{Runs: 100, Ours: 0.6, Fresh: 0.75},
		Clients:  terms.Registered{Services: 3, Subscriptions: 2, Groups: 4, Members: 70, MLIDs: 1024, MLIDsUsed: 5, Refused: sa.RefusedCounts{Groups: 11, Members: 12, Services: 13, Subscriptions: 14}, Standbys: 1, Reports: sa.ReportCounts{Acknowledged: 9, Unanswered: 1, Dropped: 4}},
		Queries: []terms.QueryCount{
			{Attribute: "LinkRecord", Answered: 1},
			{Attribute: "NodeRecord", Answered: 7, Refused: 2},
			{Attribute: "PathRecord", Answered: 500, Busy: 3},
			{Attribute: "PortInfoRecord", Answered: 7},
			{Attribute: "other", Refused: 4},
		},
	}
}

// get asks a handler.
func get(t testing.TB, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	return w
}

// TestStatusOfHalfWritten: where a switch does not hold its tables, the proof of the Plan is not
// told of the subnet.
func TestStatusOfHalfWritten(t *testing.T) {
	for _, kind := range []terms.IncidentKind{terms.HalfWritten, terms.KeptClosed} {
		s, _ := newService(0)
		m := master()
		m.Last = m.InForce
		m.InForce.Report.Incidents = append(m.InForce.Report.Incidents, terms.Incident{Kind: kind})
		s.Show(m)
		f := s.Status().InForce
		if f.Proven || f.Unreachable != nil || f.DeadlockFree != unknown || !strings.HasPrefix(f.proof(), "unknown") {
			t.Errorf("%s: %+v", kind, f)
		}
		if _, ok := samples(t, s)["weft_sm_unreachable_pairs"]; ok {
			t.Error("the metric says how many pairs are unreachable")
		}
	}
}

func TestStatus(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	w := get(t, s.Handler(), "GET", "/v1/status")
	var got Status
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatal(err, w.Code)
	}
	var b strings.Builder
	if err := got.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `role             master; the manager has run for 0s
port             0x0000000000001234, priority 3
engine asked     ftree,updn
in force         engine ftree since 2026-11-23T11:59:57Z: NOT ROUTED
rounds failed    1 since then: switches hold the old tables
unreachable      12 pairs of hosts
proven           no
subnet           12 switches, 32 CAs, 0 routers, 63 links; the subnet manager
                 has LID 7
worst link       27 paths between hosts; 1 lane
bandwidth        80.0 % of a fresh routing's (ebb 0.600 of 0.750)
round under way  3, route, for 500ms: asked for
last round       2, NOT ROUTED in 1s: a trap
next             in 0s a round: asked for
                 in 3s a light sweep
sweeps           4 light, 3 heavy; 0 traps
SMPs             0 sent, 0 requests failed
queries          515 answered (most: 500 PathRecord, 7 NodeRecord, 7
                 PortInfoRecord), 6 refused, 3 busy
clients          3 services, 2 subscriptions; reports: 9 acknowledged, 1
                 unanswered, 4 dropped; 1 standby with a copy
groups           4, with 70 members; 5 of 1024 multicast LIDs in use; refused
                 over a port's share: 11 groups, 12 members, 13 services, 14
                 subscriptions
incidents        1
no-plan: all refused
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	if got.Incidents[0].GUID != fabric.GUID(5).String() || *got.Incidents[0].Port != 3 || got.Due[1].Seconds != 3 {
		t.Errorf("%+v", got)
	}
	empty, _ := newService(0)
	if st := empty.Status(); st.Role != terms.Looking || st.InForce != nil || st.Write(&b) != nil {
		t.Errorf("%+v", st)
	}
}

// TestStatusOfQuarantine: status says why a link is in quarantine and until when, and names parts
// to drain and the manager's port.
func TestStatusOfQuarantine(t *testing.T) {
	s, _ := newService(0)
	snapshot := master()
	snapshot.PortName, snapshot.Drains, snapshot.ToDrain = fabric.PortName{Type: "CA", GUID: 0x12, Name: "host 1", Port: 1}, []string{"0x0000000000000007"}, []string{`switch "spine 1" (0x0000000000000007)`}
	snapshot.Held = []watch.HeldLink{
		{Name: "the link a[1] - b[2]", Port: ledger.PortKey{Node: 7, Port: 1}, Why: "came back 6 times within 10m0s", Returns: 6, Since: time.Second, Release: 65 * time.Second, Hold: time.Minute},
		{Name: "the link c[1] - b[3]", Release: terms.Never, Hold: 2 * time.Minute},
	}
	s.Show(snapshot)
	st := s.Status()
	var b strings.Builder
	if err := st.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		`port 0x0000000000001234 at CA "host 1" (0x0000000000000012)[1], priority 3`, `to drain switch "spine 1" (0x0000000000000007)`,
		"in quarantine the link a[1] - b[2]: came back 6 times within 10m0s; to be used again at 2026-11-23T12:01:00Z unless it changes before",
		"the link c[1] - b[3]; down, to be used again when it has been up for 2m0s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	want := HeldLink{"the link a[1] - b[2]", "0x0000000000000007[1]", "came back 6 times within 10m0s", 6, "2026-11-23T11:59:56Z", "2026-11-23T12:01:00Z", "1m0s"}
	if st.Reasons[0] != want || st.Reasons[1].Until != "" || !slices.Equal(st.Held, []string{"the link a[1] - b[2]", "the link c[1] - b[3]"}) {
		t.Errorf("%+v %q", st.Reasons, st.Held)
	}
	v := samples(t, s)
	for name, want := range map[string]float64{
		"weft_sm_quarantined_links": 2, `weft_sm_quarantined_link_returns{link="a[1] - b[2]"}`: 6,
		`weft_sm_quarantined_link_release_timestamp_seconds{link="a[1] - b[2]"}`: float64(fixed().Add(time.Minute).Unix()),
		`weft_sm_quarantined_link_release_timestamp_seconds{link="c[1] - b[3]"}`: 0,
	} {
		if got, ok := v[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestStatusOfServers: status counts machines beside channel adapters.
func TestStatusOfServers(t *testing.T) {
	s, _ := newService(0)
	snapshot := master()
	f := smtest.Formula(t, "rail(2,3,2,spines=1)")
	for i := range f.Nodes { // an adapter of one port each
		if f.Nodes[i].Type == fabric.CA {
			f.Nodes[i].Desc = fmt.Sprintf("n%d mlx5_%d", i/2, i%2)
		}
	}
	g := f.Compile()
	snapshot.Routed = &watch.Routed{Fabric: f, Graph: g, Plan: &route.Plan{}, Servers: func() int { return len(g.Servers().List) }}
	s.Show(snapshot)
	st := s.Status()
	var b strings.Builder
	if err := st.Write(&b); err != nil {
		t.Fatal(err)
	}
	if st.InForce.Servers != len(f.Servers().List) || st.InForce.Servers != 4 || !strings.Contains(b.String(), "CAs (4 servers)") {
		t.Errorf("%d servers: %s", st.InForce.Servers, b.String())
	}
}

// TestAsk: what is asked becomes an event, once; a standby refuses, a manager that does not take it
// is busy.
func TestAsk(t *testing.T) {
	s, a := newService(0)
	s.Show(master())
	for path, kind := range map[string]terms.EventKind{"/v1/resweep": terms.Resweep, "/v1/rebalance": terms.Rebalance} {
		a.list = nil
		if w := get(t, s.Handler(), "POST", path); w.Code != http.StatusAccepted || !slices.Equal(a.list, []terms.EventKind{kind}) {
			t.Errorf("%s: %d %s, %v", path, w.Code, w.Body, a.list)
		}
	}
	a.list, a.err = nil, context.DeadlineExceeded
	if w := get(t, s.Handler(), "POST", "/v1/resweep"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "busy") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	a.err = nil
	s.Show(&watch.Snapshot{Role: terms.StandBy, Other: "host 9 port 1"})
	if w := get(t, s.Handler(), "POST", "/v1/resweep"); w.Code != http.StatusConflict || len(a.list) > 0 || !strings.Contains(w.Body.String(), "host 9") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestDrain: what is to be drained is asked of the manager, whose decision is the answer; who has
// gone, or waits for none, is no trouble.
func TestDrain(t *testing.T) {
	s, a := newService(0)
	s.Show(master())
	for _, c := range []struct {
		path, name, warning string
		err                 error
		status              int
		text                string
	}{
		{"/v1/drain?name=spine+1", "spine 1", "", nil, http.StatusOK, `"asked": "spine 1 is drained from the next round on"`},
		{"/v1/undrain?name=x%5B3%5D", "x[3]", "no room", nil, http.StatusOK, `"warning": "no room"`},
		{"/v1/drain?name=none", "none", "", errors.New("no node is called none"), http.StatusConflict, "no node is called none"},
		{"/v1/drain", "", "", nil, http.StatusBadRequest, "a switch by name"},
	} {
		a.decide = func(ev *terms.Event) {
			if ev.Name != c.name {
				t.Errorf("%q is asked for", ev.Name)
			}
			s.Decide(ev.Tag+1, "another", "", nil)
			s.Decide(ev.Tag, ev.Name, c.warning, c.err)
			s.Decide(ev.Tag, ev.Name, "again", nil)
		}
		if r := get(t, s.Handler(), http.MethodPost, c.path); r.Code != c.status || !strings.Contains(r.Body.String(), c.text) {
			t.Errorf("%s: %d %s", c.path, r.Code, r.Body)
		}
	}
	a.decide = nil
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	r := httptest.NewRecorder()
	s.Handler().ServeHTTP(r, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/drain?name=a", nil))
	if r.Code != http.StatusServiceUnavailable || len(s.wants.open) > 0 {
		t.Errorf("%d, %d questions are open", r.Code, len(s.wants.open))
	}
	s.Show(&watch.Snapshot{Role: terms.StandBy, Other: "host 9"})
	if r := get(t, s.Handler(), http.MethodPost, "/v1/drain?name=a"); r.Code != http.StatusConflict || !strings.Contains(r.Body.String(), "host 9") {
		t.Errorf("%d %s", r.Code, r.Body)
	}
}

// TestNotAnswered: requests that are none of the page, or wrong, are answered with 4xx, and change
// nothing.
func TestNotAnswered(t *testing.T) {
	s, a := newService(0)
	for _, r := range []string{
		"GET /v1/resweep", "DELETE /v1/status", "GET /", "GET /v1/", "POST /v1/status", "GET /v1/events?since=-1", "GET /v1/events?since=x",
		"GET /v1/events?follow=1", "POST /v1/nothing", "GET /v2/status", "PUT /v1/rebalance",
	} {
		method, path, _ := strings.Cut(r, " ")
		if w := get(t, s.Handler(), method, path); w.Code < 400 || w.Code > 499 {
			t.Errorf("%s: %d", r, w.Code)
		}
	}
	if len(a.list) > 0 {
		t.Errorf("%v was asked", a.list)
	}
}

// TestLog: of any lines the last ones are kept, in order, and those behind a number are given.
func TestLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most, told := rapid.IntRange(1, 5).Draw(t, "most"), rapid.IntRange(0, 20).Draw(t, "told")
		since := rapid.Uint64Range(0, 25).Draw(t, "since")
		s, _ := newService(most)
		var want []string
		for i := range told {
			text := fmt.Sprint(i)
			if line := s.Tell(terms.Incident{Kind: terms.TrapCame, Text: text}); line.Number != uint64(i+1) {
				t.Fatalf("line %d has number %d", i, line.Number)
			}
			if i >= told-most && uint64(i+1) > since {
				want = append(want, text)
			}
		}
		lines, _, _ := s.log.after(since)
		var got []string
		for _, l := range lines {
			got = append(got, l.Text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
	s, _ := newService(3)
	s.Tell(terms.Incident{})
	if lines, _, _ := s.log.after(^uint64(0)); len(lines) > 0 {
		t.Error(lines)
	}
}

// serve serves a Service at a socket until the test ends.
func serve(t *testing.T, s *Service) (socket string, end func()) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "sm.sock")
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- endpoints.Serve(ctx, l, s.Handler()) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return socket, end
}

// overUnix makes a client of a socket.
func overUnix(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}}
}

// TestFollow: lines come to all who follow as they are told, in order and each once, and the end
// after the last.
func TestFollow(t *testing.T) {
	s, _ := newService(0)
	s.opt.Clock = time.Now // deadlines of writing
	socket, end := serve(t, s)
	const told, followers = 200, 5
	var all sync.WaitGroup
	for range followers {
		all.Go(func() {
			answer, err := overUnix(socket).Get("http://weft/v1/events?follow=true")
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = answer.Body.Close() }()
			next := uint64(1)
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); next++ {
				var line terms.LogLine
				if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Number != next {
					t.Errorf("line %d: %v %+v", next, err, line)
				}
			}
			if next != told+1 {
				t.Errorf("%d lines", next-1)
			}
		})
	}
	for i := range told {
		s.Tell(terms.Incident{Kind: terms.TrapCame, Text: fmt.Sprint(i)})
	}
	s.End()
	all.Wait()
	end()
	if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestSocket: a socket is open to its owner alone; one at which a manager answers stays, one at
// which nobody does is taken.
func TestSocket(t *testing.T) {
	s, _ := newService(0)
	socket, end := serve(t, s)
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(err, info.Mode())
	}
	if _, err := Listen(socket); err == nil || !strings.Contains(err.Error(), "a manager already serves ") {
		t.Errorf("a second manager takes the socket: %v", err)
	}
	end()

	stale, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	_ = stale.Close()
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()

	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(socket); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file is taken: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(socket)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if _, err := Listen(filepath.Join(socket, "no", "dir")); err == nil {
		t.Error("a socket without a directory")
	}
}

// TestNotActive: one that another manager has switched off does not do what is asked.
func TestNotActive(t *testing.T) {
	for role, want := range map[terms.Role]int{terms.NotActive: http.StatusConflict, terms.StandBy: http.StatusConflict, terms.Master: http.StatusAccepted} {
		s, _ := newService(0)
		snapshot := master()
		snapshot.Role = role
		s.Show(snapshot)
		if w := get(t, s.Handler(), "POST", "/v1/resweep"); w.Code != want {
			t.Errorf("%s: %d", role, w.Code)
		}
	}
}

// TestFollowFromTheMiddle: who follows a log whose first lines are not kept any more gets each line
// once.
func TestFollowFromTheMiddle(t *testing.T) {
	s := New(Options{Version: "test", Clock: time.Now, Lines: 3})
	for range 10 {
		s.Tell(terms.Incident{Kind: terms.Started})
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	answer, err := http.Get(server.URL + "/v1/events?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	dec := json.NewDecoder(answer.Body)
	for want := uint64(8); want <= 12; want++ {
		if want > 10 {
			s.Tell(terms.Incident{Kind: terms.Started})
		}
		var line terms.LogLine
		if err := dec.Decode(&line); err != nil || line.Number != want {
			t.Fatalf("line %d: %+v, %v", want, line, err)
		}
	}
	s.End()
}
