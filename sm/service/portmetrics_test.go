package service

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weft/fabric"
	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire/mad"
)

// withReading returns a Service that shows n ports, of which the selection chooses some, and that
// took the time of the first port.
func withReading(t *testing.T, n int, selection ...string) *Service {
	t.Helper()
	chosen, err := telemetry.ParseSelection(selection)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Version: "test", Clock: time.Now, PortMetrics: func() *telemetry.Selection { return chosen }})
	s.Show(readingOf(n, 1000))
	return s
}

// readingOf returns the Snapshot of a master with n ports that have sent words.
func readingOf(n int, words uint64) *watch.Snapshot {
	r := &perf.Reading{}
	for i := range n {
		r.Ports = append(r.Ports, perf.Port{
			Name: fabric.PortName{Type: "switch", GUID: fabric.GUID(i/36 + 1), Name: fmt.Sprint("leaf \xff\"\n", i/36), Port: uint8(i%36 + 1)},
			Peer: fabric.PortName{Type: "CA", GUID: fabric.GUID(1<<32 + i), Name: "n1 HCA-1", Port: 1}, Rate: 100_000,
		})
		c := perf.Counts{Took: time.Minute, Growth: new(perf.Growth)}
		c.Total[mad.CounterXmitData], c.Grown[mad.CounterXmitData], c.Total[mad.CounterSymbolError] = words, words/2, uint64(i)
		r.Counts = append(r.Counts, c)
	}
	return &watch.Snapshot{Role: terms.Master, Counters: &perf.Report{Counters: make([]perf.Counter, mad.NumCounters), Reading: r}}
}

// TestPortMetrics: selected ports have series of their own, in base units, with names that are
// valid whatever the device says; the linter of Prometheus agrees. A standby shows none, since its
// counts are out of date.
func TestPortMetrics(t *testing.T) {
	s := withReading(t, 80, "0x1[3]", "0x2")
	v := samples(t, s)
	label := `node="leaf ` + "\uFFFD" + `\"\n0",node_guid="0x0000000000000001",port="3"`
	for name, want := range map[string]float64{
		`weft_port_transmit_bytes_total{` + label + `}`:                      4000,
		`weft_port_rate_bytes_per_second{` + label + `}`:                     12.5e9,
		`weft_port_errors_total{counter="SymbolErrorCounter",` + label + `}`: 2,
		`weft_port_errors_total{counter="PortXmitDiscards",` + label + `}`:   0,
		`weft_port_peer_info{node="leaf ` + "\uFFFD" + `\"\n0",node_guid="0x0000000000000001",peer="n1 HCA-1",peer_guid="0x0000000100000002",peer_port="1",port="3"}`: 1,
		`weft_sm_port_metrics_omitted`: 0,
	} {
		if got, ok := v[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	count := func(v map[string]float64) (n int) {
		for name := range v {
			if strings.HasPrefix(name, "weft_port_") {
				n++
			}
		}
		return n
	}
	if n := count(v); n != 37*20 {
		t.Errorf("%d series of 37 ports", n)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(portCollector{s})
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
	s.Show(&watch.Snapshot{Role: terms.StandBy})
	if n := count(samples(t, s)); n != 0 {
		t.Errorf("a standby has %d series", n)
	}
	many := samples(t, withReading(t, mostPortMetrics+7, "all"))
	if n := count(many); n != mostPortMetrics*20 || many["weft_sm_port_metrics_omitted"] != 7 {
		t.Errorf("%d series, %v omitted", n, many["weft_sm_port_metrics_omitted"])
	}
}

// TestPorts: all ports come as lines, once or after each round; the end of the manager ends the
// stream, and clients beyond the limit are told to ask again.
func TestPorts(t *testing.T) {
	s := withReading(t, 3)
	w := get(t, s.Handler(), http.MethodGet, "/v1/ports")
	if lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n"); w.Code != http.StatusOK || len(lines) != 3 || !strings.Contains(lines[1], `"transmit_bytes":4000`) || !strings.Contains(lines[1], `"errors":{"SymbolErrorCounter":1},"grown":{"transmit_bytes":2000`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	empty := New(Options{Clock: time.Now})
	if w := get(t, empty.Handler(), http.MethodGet, "/v1/ports"); w.Code != http.StatusNotFound {
		t.Error(w.Code, w.Body)
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	resp, err := http.Get(server.URL + "/v1/ports?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	follow := func(n int, want string) {
		t.Helper()
		for range n {
			if !lines.Scan() || !strings.Contains(lines.Text(), want) {
				t.Fatalf("%s, want %s: %v", lines.Text(), want, lines.Err())
			}
		}
	}
	follow(3, `"took_seconds":60,"transmit_bytes":4000`)
	for len(s.streams) < cap(s.streams) {
		s.streams.Take()
	}
	if w := get(t, s.Handler(), http.MethodGet, "/v1/ports"); w.Code != http.StatusTooManyRequests {
		t.Error(w.Code)
	}
	s.Show(readingOf(2, 2000))
	follow(2, `"took_seconds":60,"transmit_bytes":8000`)
	s.End()
	if lines.Scan() || lines.Err() != nil {
		t.Error(lines.Text(), lines.Err())
	}
}

// TestHot: a question about the history is answered, refused without one, or says which times are
// kept.
func TestHot(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 5, 0, 0, time.UTC)
	var asked time.Time
	var fails error
	s := New(Options{Clock: time.Now, Moment: func(t time.Time) (*telemetry.Moment, error) {
		asked = t
		return &telemetry.Moment{Ports: 7}, fails
	}, History: func() *HistoryFile {
		return &HistoryFile{From: "2026-11-29T13:10:00Z", To: "2026-11-29T14:09:00Z"}
	}})
	if w := get(t, s.Handler(), http.MethodGet, "/v1/hot?at=2026-11-29T14:05:00Z"); w.Code != http.StatusOK || !asked.Equal(at) || !strings.Contains(w.Body.String(), `"ports": 7`) {
		t.Error(w.Code, w.Body, asked)
	}
	fails = telemetry.ErrNotKept
	if w := get(t, s.Handler(), http.MethodGet, "/v1/hot?at=2026-11-29T12:05:00Z"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "from 2026-11-29T13:10:00Z to 2026-11-29T14:09:00Z") {
		t.Error(w.Code, w.Body)
	}
	for path, want := range map[string]int{"/v1/hot": http.StatusBadRequest, "/v1/hot?at=yesterday": http.StatusBadRequest, "/v1/hot?at=2026-11-29T14:05:00Z&x=1": http.StatusBadRequest} {
		if w := get(t, s.Handler(), http.MethodGet, path); w.Code != want {
			t.Error(path, w.Code)
		}
	}
	s.looks.Take()
	if w := get(t, s.Handler(), http.MethodGet, "/v1/hot?at=2026-11-29T14:05:00Z"); w.Code != http.StatusTooManyRequests {
		t.Error(w.Code)
	}
	if w := get(t, New(Options{Clock: time.Now}).Handler(), http.MethodGet, "/v1/hot?at=2026-11-29T14:05:00Z"); w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

// TestContribMetrics: every metric that the rules and dashboards name is one that the manager
// serves, and so are the labels that they join or show.
func TestContribMetrics(t *testing.T) {
	served := map[string]string{} // with labels
	descriptions := make(chan *prometheus.Desc, 1000)
	figures{}.Describe(descriptions)
	portCollector{}.Describe(descriptions)
	close(descriptions)
	of := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)
	for d := range descriptions {
		m := of.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatal(d)
		}
		served[m[1]] = m[2]
	}
	for _, name := range []string{"process_cpu_seconds_total", "process_resident_memory_bytes"} { // of client_golang
		served[name] = ""
	}
	files, err := filepath.Glob("../../contrib/*/*")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, file := range files {
		if !slices.Contains([]string{"grafana", "prometheus"}, filepath.Base(filepath.Dir(file))) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\b(?:weft_(?:sm|port)_|process_|weft_build)[a-z0-9_]+`).FindAllString(string(data), -1) {
			name := m
			if _, there := served[name]; !there {
				name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(m, "")
			}
			if _, there := served[name]; !there {
				t.Errorf("%s: no metric %s", file, m)
			}
			named[name] = true
		}
		for _, m := range regexp.MustCompile(`(weft_[a-z_]+)\{([^{}]*)\}`).FindAllStringSubmatch(string(data), -1) {
			for _, l := range regexp.MustCompile(`([a-z_]+)=~?\\?"`).FindAllStringSubmatch(m[2], -1) {
				labels := strings.Split(served[m[1]], ",")
				if _, there := served[m[1]]; there && !slices.Contains(append(labels, "instance", "job", "subnet"), l[1]) {
					t.Errorf("%s: %s has no label %s", file, m[1], l[1])
				}
			}
		}
	}
	if len(named) < 30 {
		t.Errorf("only %d metrics are named in %v", len(named), files)
	}
}

// BenchmarkScrape measures a scrape with 2,000 selected ports.
func BenchmarkScrape(b *testing.B) {
	chosen, err := telemetry.ParseSelection([]string{"all"})
	if err != nil {
		b.Fatal(err)
	}
	s := New(Options{Version: "test", Clock: time.Now, PortMetrics: func() *telemetry.Selection { return chosen }})
	s.Show(readingOf(2000, 1))
	b.ReportAllocs()
	for b.Loop() {
		if w := get(b, s.Handler(), http.MethodGet, "/metrics"); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
