package service

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/wire/mad"
)

// mostPortMetrics is the maximum number of ports with metrics of their own. Each has 20 series.
const mostPortMetrics = 5000

// portFigure is a metric of single ports.
type portFigure struct {
	*prometheus.Desc
	kind  prometheus.ValueType
	value func(p *perf.Port, c *perf.Counts) float64
}

var portLabels = []string{"node", "node_guid", "port"}

// portFlow returns a metric of a counter that counts no errors.
func portFlow(name, help string, counter int, unit float64) portFigure {
	return portFigure{prometheus.NewDesc("weft_port_"+name, help, portLabels, nil), prometheus.CounterValue, func(_ *perf.Port, c *perf.Counts) float64 {
		return float64(c.Total[counter]) * unit
	}}
}

const (
	bitsPerMegabit = 1e6
	bitsPerByte    = 8
)

// portFigures lists the metrics of single ports with one value for each.
var portFigures = []portFigure{
	portFlow("transmit_bytes_total", "Data sent by the port since the first reading (PortXmitData).", mad.CounterXmitData, bytesInWord),
	portFlow("receive_bytes_total", "Data received by the port since the first reading (PortRcvData).", mad.CounterRcvData, bytesInWord),
	portFlow("transmit_packets_total", "Packets sent by the port since the first reading (PortXmitPkts).", mad.CounterXmitPkts, 1),
	portFlow("receive_packets_total", "Packets received by the port since the first reading (PortRcvPkts).", mad.CounterRcvPkts, 1),
	portFlow("transmit_wait_ticks_total", "Ticks in which data waited at the port (PortXmitWait); the device defines the length of a tick.", mad.CounterXmitWait, 1),
	{prometheus.NewDesc("weft_port_rate_bytes_per_second", "Rate of the port's link in one direction; 0 if unknown.", portLabels, nil), prometheus.GaugeValue, func(p *perf.Port, _ *perf.Counts) float64 {
		return float64(p.Rate) * bitsPerMegabit / bitsPerByte
	}},
}

// portErrors, portInfo and portsBeyond are the metrics of single ports with other labels, and the
// number of ports that have none.
var (
	portErrors  = prometheus.NewDesc("weft_port_errors_total", "Errors and discarded packets of the port since the first reading, by counter.", append(portLabels, "counter"), nil)
	portInfo    = prometheus.NewDesc("weft_port_peer_info", "The other end of the port's cable; always 1.", append(portLabels, "peer", "peer_guid", "peer_port"), nil)
	portsBeyond = prometheus.NewDesc("weft_sm_port_metrics_omitted", "Ports that port-metrics selects beyond the 5000 that have metrics of their own.", nil, nil)
)

// chosenPorts remembers the selected ports as long as subnet and selection are the same.
type chosenPorts struct {
	mu     sync.Mutex
	of     *perf.Port // the first port of the list
	by     *telemetry.Selection
	ports  []chosenPort
	beyond int
}

// chosenPort is a port with its labels.
type chosenPort struct {
	at     int
	labels []string // portLabels, and those of portInfo
}

// choose returns the selected ports of a Reading.
func (c *chosenPorts) choose(r *perf.Reading, by *telemetry.Selection) (ports []chosenPort, beyond int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == &r.Ports[0] && c.by == by {
		return c.ports, c.beyond
	}
	chosen, beyond := by.Select(r.Ports, mostPortMetrics)
	c.of, c.by, c.beyond, c.ports = &r.Ports[0], by, beyond, make([]chosenPort, len(chosen))
	for i, at := range chosen {
		p := &r.Ports[at]
		number := func(n uint8) string { return strconv.Itoa(int(n)) }
		c.ports[i] = chosenPort{at, []string{text(p.Name.Name), p.Name.GUID.String(), number(p.Name.Port), text(p.Peer.Name), p.Peer.GUID.String(), number(p.Peer.Port)}}
	}
	return c.ports, c.beyond
}

// portCollector collects the metrics of single ports (option port-metrics).
type portCollector struct{ s *Service }

// Describe implements prometheus.Collector.
func (portCollector) Describe(to chan<- *prometheus.Desc) {
	for i := range portFigures {
		to <- portFigures[i].Desc
	}
	for _, d := range []*prometheus.Desc{portErrors, portInfo, portsBeyond} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c portCollector) Collect(to chan<- prometheus.Metric) {
	now, by := readings(c.s.shown.Load()).Reading, (*telemetry.Selection)(nil)
	if c.s.opt.PortMetrics != nil {
		by = c.s.opt.PortMetrics()
	}
	var ports []chosenPort
	beyond := 0
	if now != nil && by != nil && len(now.Ports) > 0 {
		ports, beyond = c.s.chosen.choose(now, by)
	}
	to <- prometheus.MustNewConstMetric(portsBeyond, prometheus.GaugeValue, float64(beyond))
	n := len(portLabels)
	for i := range ports {
		port, counts, labels := &now.Ports[ports[i].at], &now.Counts[ports[i].at], ports[i].labels
		for j := range portFigures {
			f := &portFigures[j]
			to <- prometheus.MustNewConstMetric(f.Desc, f.kind, f.value(port, counts), labels[:n]...)
		}
		for counter, total := range counts.Total {
			if !perf.IsFlow(counter) {
				to <- prometheus.MustNewConstMetric(portErrors, prometheus.CounterValue, float64(total), labels[0], labels[1], labels[2], perf.Name(counter))
			}
		}
		if port.Peer.GUID != 0 {
			to <- prometheus.MustNewConstMetric(portInfo, prometheus.GaugeValue, 1, labels...)
		}
	}
}
