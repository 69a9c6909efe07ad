package service

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/sm"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// TestLint: names and help texts of the metrics are as Prometheus wants them, by its own linter and
// by rules that it does not have. _info metrics are 1, and all others are no info.
func TestLint(t *testing.T) {
	s, _ := newService(0)
	s.Show(measured())
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(figures{s})
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	got, err := registry.Gather()
	if err != nil || len(got) < len(allFigures)+len(counterFigures)+len(allTimes)+len(serviceFigures)-2 { // no state file, no TLS
		t.Errorf("%d metrics: %v", len(got), err)
	}
	units := regexp.MustCompile(`_(words|ms|milliseconds|minutes|minute|percent|gbps)(_|$)|_share$`)
	for _, f := range got {
		name, help := f.GetName(), f.GetHelp()
		if !strings.HasSuffix(help, ".") || units.MatchString(name) {
			t.Errorf("%s: %s", name, help)
		}
		if isInfo := strings.HasSuffix(name, "_info"); isInfo && (len(f.GetMetric()) != 1 || f.GetMetric()[0].GetGauge().GetValue() != 1) {
			t.Errorf("%s is no info: %v", name, f.GetMetric())
		}
	}
}

// measured is the Snapshot of a master of which every metric has something to say.
func measured() *watch.Snapshot {
	snapshot := master()
	snapshot.Counters = &perf.Report{
		Counters: make([]perf.Counter, mad.NumCounters), Hot: []perf.Hot{{Share: 0.25}},
		Over: []perf.Over{{Port: fabric.PortName{GUID: 0x10, Name: "leaf \xff", Port: 3}, Counter: perf.Name(0), Rate: 99, Most: 10}},
	}
	snapshot.Held = []watch.HeldLink{{Name: "leaf 1[3] - spine 1[1]", Why: "came back 6 times within 10m0s", Returns: 6, Release: 65 * time.Second}}
	return snapshot
}

// TestSeriesFromTheStart: a series exists before there is anything to count. Alerts and rates would
// miss its first growth otherwise. Only series of single links come and go.
func TestSeriesFromTheStart(t *testing.T) {
	s, _ := newService(0)
	first := samples(t, s)
	s.Show(measured())
	s.Tell(terms.Incident{Kind: terms.NodeMissing})
	for name := range samples(t, s) {
		family, _, _ := strings.Cut(name, "{")
		switch family {
		case "weft_sm_engine_info", "weft_sm_port_error_rate_per_second", "weft_sm_quarantined_link_returns", "weft_sm_quarantined_link_release_timestamp_seconds",
			"weft_sm_unreachable_pairs", "weft_sm_fresh_bandwidth_ratio": // absent while unknown
			continue
		}
		if v, ok := first[name]; !ok || v != 0 && !strings.HasSuffix(family, "_info") && name != `weft_sm_role{role="looking"}` {
			t.Errorf("%s is %v at the start, there %v", name, v, ok)
		}
	}
	if len(first) < 200 {
		t.Errorf("%d series", len(first))
	}
}

// TestEventMetrics: lines of the log and incidents of the last round are counted by code.
func TestEventMetrics(t *testing.T) {
	s, _ := newService(2)
	for range 5 {
		s.Tell(terms.Incident{Kind: terms.NodeMissing})
	}
	s.Show(master())
	v := samples(t, s)
	for name, want := range map[string]float64{
		`weft_sm_events_total{code="node-missing",severity="warning"}`: 5, `weft_sm_events_total{code="no-plan",severity="error"}`: 0,
		`weft_sm_last_round_incidents{code="no-plan"}`: 1, `weft_sm_last_round_incidents{code="no-answer"}`: 0,
	} {
		if got, ok := v[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if _, there := v[`weft_sm_last_round_incidents{code="node-missing"}`]; there {
		t.Error("a series of a code that no round reports")
	}
	if v[`weft_build_info{commit="",goversion="`+runtime.Version()+`",version="test"}`] != 1 {
		t.Error(v)
	}
}

// samples reads the metrics of a Service.
func samples(t testing.TB, s *Service) map[string]float64 {
	t.Helper()
	w := get(t, s.Handler(), http.MethodGet, "/metrics")
	if w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	values := map[string]float64{}
	for line := range strings.Lines(w.Body.String()) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if !strings.Contains(line, "{") {
			name, text, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			name += "}"
		}
		if v, err := strconv.ParseFloat(text, 64); err == nil && strings.HasPrefix(name, "weft_") {
			values[name] = v
		}
	}
	return values
}

// TestMetricsMove: a manager on an emulated subnet brings it up, a cable is pulled, and the metrics
// tell.
func TestMetricsMove(t *testing.T) {
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := sub.DefaultEnd()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	clock := func() time.Duration { return time.Since(begun) }
	subnet := live.New(sub, clock)
	defer subnet.Close()
	transport, err := subnet.Attach(at)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := engine.Parse("updn,dfsssp", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := newService(0)
	s.opt.Clock = time.Now
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &sm.Runner{
		Config: terms.Config{Elect: true}, Watch: terms.UsualWatch, Routing: planner.Request{Chain: chain, Workers: 1}, Clock: clock,
		Wire: wire.Config{Window: 32, Timeout: 5 * time.Second}, Show: s.Show, // on a busy machine too no SMP is sent twice
	}
	r.Watch.Interval = 50 * time.Millisecond
	done := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, transport)
		done <- err
	}()
	until := func(what string, is func(v map[string]float64) bool) map[string]float64 {
		t.Helper()
		for range 12_000 {
			if v := samples(t, s); is(v) {
				return v
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%s: %v", what, samples(t, s))
		return nil
	}
	up := until("up", func(v map[string]float64) bool {
		return v[`weft_sm_rounds_total{outcome="subnet up"}`] == 1 && v["weft_sm_light_sweeps_total"] > 0
	})
	for name, want := range map[string]float64{
		`weft_sm_role{role="master"}`: 1, `weft_sm_role{role="standby"}`: 0, `weft_sm_engine_info{active="updn",asked="updn,dfsssp"}`: 1,
		"weft_sm_proven": 1, "weft_sm_complete": 1, "weft_sm_links": 64, `weft_sm_nodes{type="switch"}`: 12, `weft_sm_nodes{type="ca"}`: 32,
		"weft_sm_repairs_total": 0, `weft_sm_traps_total{trap="128"}`: 0, `weft_sm_smps_failed_total{attribute="NodeInfo",method="Get"}`: 0,
		`weft_sm_smps_retried_total{attribute="NodeInfo",method="Get"}`: 0, "weft_sm_mlids_used": 1, `weft_sm_over_share_total{kind="groups"}`: 0,
	} {
		if got, ok := up[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if up["weft_sm_worst_link_load_paths"] == 0 || up["weft_sm_written_blocks_total"] != 12 || up["weft_sm_last_good_round_timestamp_seconds"] < 1e9 ||
		up[`weft_sm_smps_sent_total{attribute="PortInfo",method="Set"}`] == 0 {
		t.Errorf("%v", up)
	}

	link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	}))
	subnet.Do(func(sub *emulator.Subnet) {
		if err := sub.SetLinkDown(link, true); err != nil {
			t.Error(err)
		}
	})
	after := until("repair", func(v map[string]float64) bool { return v["weft_sm_links"] == 63 })
	if after["weft_sm_repairs_total"] == 0 || after["weft_sm_repaired_entries_total"] == 0 || after[`weft_sm_traps_total{trap="128"}`] == 0 ||
		after["weft_sm_written_blocks_total"] <= 12 || after["weft_sm_heavy_sweeps_total"] <= up["weft_sm_heavy_sweeps_total"] ||
		after["weft_sm_last_good_round_timestamp_seconds"] <= up["weft_sm_last_good_round_timestamp_seconds"] {
		t.Errorf("%v", after)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	v := samples(t, s)
	if v[`weft_sm_role{role="ended"}`] != 1 {
		t.Errorf("%v", v)
	}
	for _, what := range []string{"light_sweep", "round", "route", "repair"} {
		n, sum := v["weft_sm_"+what+"_duration_seconds_count"], v["weft_sm_"+what+"_duration_seconds_sum"]
		if n == 0 || sum <= 0 || v["weft_sm_"+what+`_duration_seconds_bucket{le="+Inf"}`] != n {
			t.Errorf("%s: %v times, %v s", what, n, sum)
		}
	}
}

// TestMetricsAreDocumented: docs/service.md names every metric.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []*prometheus.Desc
	to := make(chan *prometheus.Desc, 1000)
	figures{}.Describe(to)
	for close(to); len(to) > 0; {
		all = append(all, <-to)
	}
	for _, d := range all {
		name := regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(d.String())[1]
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s is not in docs/service.md", name)
		}
	}
}

// TestPending: a round that is due or under way is pending, a light sweep is not.
func TestPending(t *testing.T) {
	for want, change := range map[float64]func(s *watch.Snapshot){
		1: func(s *watch.Snapshot) { s.UnderWay = nil },
		0: func(s *watch.Snapshot) { s.UnderWay, s.Due = nil, s.Due[1:] },
	} {
		s, _ := newService(0)
		snapshot := master()
		change(snapshot)
		if s.Show(snapshot); samples(t, s)["weft_sm_round_pending"] != want {
			t.Errorf("%v pending, want %v", samples(t, s)["weft_sm_round_pending"], want)
		}
	}
}

// TestQueryMetrics: queries have a metric by attribute and outcome.
func TestQueryMetrics(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
	v := samples(t, s)
	for name, want := range map[string]float64{
		`weft_sm_queries_total{attribute="PathRecord",outcome="answered"}`: 500, `weft_sm_queries_total{attribute="PathRecord",outcome="busy"}`: 3,
		`weft_sm_queries_total{attribute="NodeRecord",outcome="refused"}`: 2, `weft_sm_queries_total{attribute="other",outcome="answered"}`: 0,
	} {
		if got, ok := v[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
