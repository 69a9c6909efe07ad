package service

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire/mad"
)

// TestLinks: what the counters of ports tell is served, and in metrics: of all ports together, and
// of those over a threshold. Before there is something it is said that there is nothing.
func TestLinks(t *testing.T) {
	s := New(Options{Clock: time.Now, Ask: func(context.Context, *terms.Event) error { return nil }})
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	if code, body := get("/v1/links"); code != http.StatusNotFound || !strings.Contains(body, "--counters") {
		t.Errorf("%d %s", code, body)
	}
	r := &perf.Report{Ports: 7, Unread: 2, Seconds: 1.5, All: perf.Totals{Requests: 20, Failures: 3}, Counters: make([]perf.Counter, mad.NumCounters), Hot: []perf.Hot{{Share: 0.25}}}
	for c := range r.Counters {
		r.Counters[c].Name = perf.Name(c)
	}
	r.Counters[0] = perf.Counter{Name: perf.Name(0), Total: 12, Over: 1}
	r.Counters[mad.CounterXmitData].Total, r.Counters[mad.CounterRcvPkts].Total, r.Counters[mad.CounterXmitWait].Total = 1000, 7, 8
	r.Over = []perf.Over{{Port: fabric.PortName{GUID: 0x10, Name: "leaf 1", Port: 3}, Counter: perf.Name(0), Rate: 99, Most: 10}}
	s.Show(&watch.Snapshot{Role: terms.Master, Counters: r})
	if code, body := get("/v1/links"); code != http.StatusOK || !strings.Contains(body, `"per_minute": 99`) {
		t.Errorf("%d %s", code, body)
	}
	_, body := get("/metrics")
	for _, line := range []string{
		`weft_sm_port_errors_total{counter="SymbolErrorCounter"} 12`, `weft_sm_port_transmit_bytes_total 4000`, `weft_sm_port_receive_bytes_total 0`,
		`weft_sm_port_receive_packets_total 7`, `weft_sm_port_transmit_wait_ticks_total 8`, `weft_sm_ports_over_threshold{counter="SymbolErrorCounter"} 1`,
		`weft_sm_port_error_rate_per_second{counter="SymbolErrorCounter",node="leaf 1",node_guid="0x0000000000000010",port="3"} 1.65`, `weft_sm_hottest_link_utilization_ratio 0.25`,
		`weft_sm_reading_ports{state="read"} 7`, `weft_sm_reading_ports{state="silent"} 2`, `weft_sm_last_reading_duration_seconds 1.5`,
		`weft_sm_reading_requests_total{outcome="answered"} 17`, `weft_sm_reading_requests_total{outcome="failed"} 3`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(body, `weft_sm_port_errors_total{counter="PortXmitData"}`) {
		t.Error("data are no errors")
	}
}
