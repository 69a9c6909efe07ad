package service

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"weft/internal/endpoints"
	"weft/sm/perf"
	"weft/wire/mad"
)

// links answers with the report on port counters.
func links(s *Service, w http.ResponseWriter, _ *http.Request) {
	r := s.shown.Load().Counters
	if r == nil {
		endpoints.Refuse(w, http.StatusNotFound, noReading)
		return
	}
	endpoints.Answer(w, http.StatusOK, r)
}

// bytesInWord is the number of bytes in a word of PortXmitData and PortRcvData.
const bytesInWord = 4

// flow returns a figure of one counter that counts no errors, summed over all ports.
func flow(name, help string, counter int, unit float64) figure {
	return newFigure(prometheus.CounterValue, name, help, func(f *shown, add func(float64, ...string)) {
		add(float64(sums(f)[counter].Total) * unit)
	})
}

// sums returns the sums of all counters; zeros if none were read.
func sums(f *shown) []perf.Counter {
	if f.Counters == nil {
		return make([]perf.Counter, mad.NumCounters)
	}
	return f.Counters.Counters
}

// readings returns the report on port counters; an empty one if none were read.
func readings(f *shown) *perf.Report {
	if f.Counters == nil {
		return &perf.Report{}
	}
	return f.Counters
}

// counterFigures lists the metrics of port counters. Their number does not grow with the subnet:
// counters are sums over all ports, and rates cover at most 50 ports above a threshold.
var counterFigures = []figure{
	flow("port_transmit_bytes_total", "Sent data since the first reading, summed over all ports (PortXmitData).", mad.CounterXmitData, bytesInWord),
	flow("port_receive_bytes_total", "Received data since the first reading, summed over all ports (PortRcvData).", mad.CounterRcvData, bytesInWord),
	flow("port_transmit_packets_total", "Sent packets since the first reading, summed over all ports (PortXmitPkts).", mad.CounterXmitPkts, 1),
	flow("port_receive_packets_total", "Received packets since the first reading, summed over all ports (PortRcvPkts).", mad.CounterRcvPkts, 1),
	flow("port_transmit_wait_ticks_total", "Ticks in which data waited, summed over all ports (PortXmitWait); the device defines the length of a tick.", mad.CounterXmitWait, 1),
	newFigure(prometheus.CounterValue, "port_errors_total", "Errors and discarded packets since the first reading, by counter, summed over all ports.", func(f *shown, add func(float64, ...string)) {
		for c, n := range sums(f) {
			if !perf.IsFlow(c) {
				add(float64(n.Total), perf.Name(c))
			}
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "ports_over_threshold", "Ports with a counter that grows faster than its threshold.", func(f *shown, add func(float64, ...string)) {
		for _, rule := range perf.Rules {
			add(float64(sums(f)[rule.Counter].Over), perf.Name(rule.Counter))
		}
	}, "counter"),
	newFigure(prometheus.GaugeValue, "port_error_rate_per_second", "Growth per second of a counter above its threshold; the 50 worst.", errorRates, "node", "node_guid", "port", "counter"),
	newFigure(prometheus.GaugeValue, "hottest_link_utilization_ratio", "Used share of the rate of the busiest link, in its busier direction, 0 to 1.", func(f *shown, add func(float64, ...string)) {
		if hot := readings(f).Hot; len(hot) > 0 {
			add(hot[0].Share)
			return
		}
		add(0)
	}),
	newFigure(prometheus.GaugeValue, "reading_ports", "Ports whose counters the last round has read, and ports that did not answer.", func(f *shown, add func(float64, ...string)) {
		add(float64(readings(f).Ports), "read")
		add(float64(readings(f).Unread), "silent")
	}, "state"),
	newFigure(prometheus.GaugeValue, "last_reading_duration_seconds", "Duration of the last round over all counters.", func(f *shown, add func(float64, ...string)) {
		add(readings(f).Seconds)
	}),
	newFigure(prometheus.CounterValue, "reading_requests_total", "Requests for counters of ports, by outcome.", func(f *shown, add func(float64, ...string)) {
		all := &readings(f).All
		add(float64(all.Requests-all.Failures), "answered")
		add(float64(all.Failures), "failed")
	}, "outcome"),
}

// errorRates adds the rates above their thresholds.
func errorRates(f *shown, add func(float64, ...string)) {
	over := readings(f).Over
	for i := range over {
		o := &over[i]
		add(o.Rate/60, text(o.Port.Name), o.Port.GUID.String(), strconv.Itoa(int(o.Port.Port)), o.Counter)
	}
}

// text returns a device's name as the value of a label, which must be valid UTF-8.
func text(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
