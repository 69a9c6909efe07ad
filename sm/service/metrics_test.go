package service

import (
	"context"
	"net/http"
	"os"
	"regexp"
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
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
)

// TestLint: names and help texts of the metrics are as Prometheus wants them.
func TestLint(t *testing.T) {
	s, _ := newService(0)
	s.Show(master())
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
	if err != nil || len(got) < len(allFigures)-4 { // no SMP was sent
		t.Errorf("%d metrics: %v", len(got), err)
	}
	for _, f := range got {
		if help := f.GetHelp(); !strings.HasSuffix(help, ".") {
			t.Errorf("%s: %s", f.GetName(), help)
		}
	}
}

// samples reads the metrics of a Service.
func samples(t *testing.T, s *Service) map[string]float64 {
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
		`weft_sm_role_info{role="master"}`: 1, `weft_sm_role_info{role="standby"}`: 0, `weft_sm_engine_info{active="updn",asked="updn,dfsssp"}`: 1,
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
	if v := samples(t, s); v[`weft_sm_role_info{role="ended"}`] != 1 {
		t.Errorf("%v", v)
	}
}

// TestMetricsAreDocumented: docs/service.md names every metric.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range allFigures {
		name := regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(f.Desc.String())[1]
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
		if s.Show(snapshot); samples(t, s)["weft_sm_pending_changes"] != want {
			t.Errorf("%v pending, want %v", samples(t, s)["weft_sm_pending_changes"], want)
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
