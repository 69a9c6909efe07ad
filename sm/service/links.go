package service

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"weft/sm/perf"
)

// links answers with what the counters of ports tell.
func links(s *Service, w http.ResponseWriter, _ *http.Request) {
	r := s.shown.Load().Counters
	if r == nil {
		refuse(w, http.StatusNotFound, "no counters have been read: weft sm --counters INTERVAL reads them, as the master, and the first time takes as long")
		return
	}
	answer(w, http.StatusOK, r)
}

// counterFigures lists the metrics of counters of ports. Their number does not grow with the subnet: counters are told for all ports together,
// rates for at most 50 ports that are over a threshold.
var counterFigures = []figure{
	newFigure(prometheus.CounterValue, "port_counter_total", "What a counter of all ports has grown by since it was first read; data in words of 4 bytes, PortXmitWait in ticks.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil {
			for i := range f.Counters.Counters {
				add(float64(f.Counters.Counters[i].Total), f.Counters.Counters[i].Name)
			}
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "ports_over_threshold", "Ports of which a counter grows faster than its threshold.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil {
			for _, rule := range perf.Rules {
				add(float64(f.Counters.Counters[rule.Counter].Over), perf.Name(rule.Counter))
			}
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "port_error_rate", "By how much a counter grows a minute that is over its threshold; the 50 worst.", errorRates, "node_guid", "port", "counter"),
	newFigure(prometheus.GaugeValue, "hottest_link_share", "Share of its rate that the most used link uses, in one direction.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil && len(f.Counters.Hot) > 0 {
			add(f.Counters.Hot[0].Share)
		}
	}),
	newFigure(prometheus.GaugeValue, "counter_ports", "Ports whose counters the last round over all has read, and those that did not answer.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(float64(r.Ports), "read")
			add(float64(r.Unread), "silent")
		}
	}, "state"),
	newFigure(prometheus.GaugeValue, "counter_round_seconds", "How long the last round over all counters took.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(r.Seconds)
		}
	}),
	newFigure(prometheus.CounterValue, "counter_requests_total", "Requests for counters, by how they ended.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(float64(r.All.Requests-r.All.Failures), "answered")
			add(float64(r.All.Failures), "failed")
		}
	}, "outcome"),
}

// errorRates tells the rates that are over their thresholds.
func errorRates(f *shown, add func(float64, ...string)) {
	if f.Counters == nil {
		return
	}
	for i := range f.Counters.Over {
		o := &f.Counters.Over[i]
		add(o.Rate, o.Port.GUID.String(), strconv.Itoa(int(o.Port.Port)), o.Counter)
	}
}
