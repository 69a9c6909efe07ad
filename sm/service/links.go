package service

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"weft/sm/perf"
)

// links answers with the report on port counters.
func links(s *Service, w http.ResponseWriter, _ *http.Request) {
	r := s.shown.Load().Counters
	if r == nil {
		refuse(w, http.StatusNotFound, "no counters have been read yet: weft sm --counters INTERVAL makes the master read them; the first round takes one interval")
		return
	}
	answer(w, http.StatusOK, r)
}

// counterFigures lists the metrics of port counters. Their number does not grow with the subnet:
// counters are sums over all ports, and rates cover at most 50 ports above a threshold.
var counterFigures = []figure{
	newFigure(prometheus.CounterValue, "port_counter_total", "Growth of a counter since its first reading, summed over all ports; data in words of 4 bytes, PortXmitWait in ticks.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil {
			for i := range f.Counters.Counters {
				add(float64(f.Counters.Counters[i].Total), f.Counters.Counters[i].Name)
			}
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "ports_over_threshold", "Ports with a counter that grows faster than its threshold.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil {
			for _, rule := range perf.Rules {
				add(float64(f.Counters.Counters[rule.Counter].Over), perf.Name(rule.Counter))
			}
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "port_error_rate", "Growth per minute of a counter above its threshold; the 50 worst.", errorRates, "node_guid", "port", "counter"),
	newFigure(prometheus.GaugeValue, "hottest_link_share", "Used share of the rate of the busiest link, in its busier direction.", func(f *shown, add func(float64, ...string)) {
		if f.Counters != nil && len(f.Counters.Hot) > 0 {
			add(f.Counters.Hot[0].Share)
		}
	}),
	newFigure(prometheus.GaugeValue, "counter_ports", "Ports whose counters the last round has read, and ports that did not answer.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(float64(r.Ports), "read")
			add(float64(r.Unread), "silent")
		}
	}, "state"),
	newFigure(prometheus.GaugeValue, "counter_round_seconds", "Duration of the last round over all counters.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(r.Seconds)
		}
	}),
	newFigure(prometheus.CounterValue, "counter_requests_total", "Requests for counters, by outcome.", func(f *shown, add func(float64, ...string)) {
		if r := f.Counters; r != nil {
			add(float64(r.All.Requests-r.All.Failures), "answered")
			add(float64(r.All.Failures), "failed")
		}
	}, "outcome"),
}

// errorRates adds the rates above their thresholds.
func errorRates(f *shown, add func(float64, ...string)) {
	if f.Counters == nil {
		return
	}
	for i := range f.Counters.Over {
		o := &f.Counters.Over[i]
		add(o.Rate, o.Port.GUID.String(), strconv.Itoa(int(o.Port.Port)), o.Counter)
	}
}
