package perf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/netfile/counters"
	"weft/wire/mad"
)

// Report is the JSON document of a round of readings.
type Report struct {
	Ports    int       `json:"ports"`            // ports read
	Unread   int       `json:"unread"`           // ports without an answer
	Seconds  float64   `json:"seconds"`          // time from start to end of the round
	Interval float64   `json:"interval_seconds"` // requested time between the starts of two rounds
	Requests int       `json:"requests"`         // requests of the round, without retries
	Rate     float64   `json:"requests_per_second"`
	All      Totals    `json:"totals"`
	Counters []Counter `json:"counters"`
	Over     []Over    `json:"over_threshold"` // highest rates first, at most 50
	Hot      []Hot     `json:"hot"`            // busiest links by share of their rate, at most 50

	// Odd lists cables to inspect, as weft show --counters does, the worst first, at most 200.
	// Their counters show the growth since the first reading.
	Odd       []cables.Odd        `json:"odd"`
	OddCounts map[cables.Kind]int `json:"odd_counts"` // number of all odd cables by kind
	Notes     []string            `json:"notes"`

	// Reading holds the counters of all ports; not in the document.
	Reading *Reading `json:"-"`
}

// Totals count from the manager's first reading.
type Totals struct {
	Requests int `json:"requests"`
	Failures int `json:"failures"` // requests without a usable answer
	SetBack  int `json:"set_back"` // counters that went down: cleared, or restarted with the device
}

// Counter is the sum of a counter over all ports.
type Counter struct {
	Name  string `json:"name"`
	Total uint64 `json:"total"` // growth since the first reading
	Grown uint64 `json:"grown"` // growth between the last two readings
	Over  int    `json:"over"`  // ports whose rate is over the threshold
	Least bool   `json:"least"` // true if a counter had reached its maximum: the real value is higher
}

// Over is a rate above its threshold.
type Over struct {
	Port    fabric.PortName `json:"port"`
	Counter string          `json:"counter"`
	Rate    float64         `json:"per_minute"`
	Most    float64         `json:"threshold_per_minute"`
}

// Hot is the load of a link in its busier direction.
type Hot struct {
	From  fabric.PortName `json:"from"`
	To    fabric.PortName `json:"to"`
	Gbps  float64         `json:"gbit_per_second"`
	Share float64         `json:"share"`                 // share of the link's rate, 0 if unknown
	Wait  float64         `json:"wait_ticks_per_second"` // waiting of data at the port; the device defines the length of a tick
}

// The maximum lengths of a Report's lists.
const (
	mostOver = 50
	mostHot  = 50
	mostOdd  = 200
)

// makeReport builds the Report of a finished round.
func (m *Monitor) makeReport(now time.Duration) {
	r := &Report{
		Seconds: (now - m.begun).Seconds(), Interval: m.cfg.Interval.Seconds(), Requests: m.asked, All: Totals{m.requests, m.failures, m.back},
		Counters: make([]Counter, mad.NumCounters), Over: []Over{}, Hot: []Hot{}, Odd: []cables.Odd{}, Notes: []string{},
	}
	if r.Seconds > r.Interval {
		r.Notes = append(r.Notes, fmt.Sprintf("a round takes %.3g s, longer than the requested %.3g s: it needs %d datagrams, at most %d a second and %d under way", r.Seconds, r.Interval, r.Requests, m.cfg.Rate, len(m.pending)))
	}
	if r.Seconds > 0 {
		r.Rate = float64(r.Requests) / r.Seconds
	}
	for c := range r.Counters {
		r.Counters[c] = Counter{Name: Name(c), Total: m.gone[c]}
	}
	if len(m.all) > len(m.ports) {
		for _, p := range m.all { // sums, whatever the order
			if p.agent.gone {
				p.addTotals(r)
			}
		}
	}
	reading, busy, odd := m.makeReading(), []*port{}, [2][]*port{}
	for i, p := range m.ports { // once, since they are more than caches hold
		p.addTotals(r)
		measured := m.hasRead(p) && p.took > 0 // what it has counted in this round is known
		to := &reading.Counts[i]
		to.Age, to.Growth = now-p.at, p.growth(measured)
		for k, of := range oddCounters {
			if p.counted != 0 && p.sum(of) > 0 {
				odd[k] = append(odd[k], p)
			}
		}
		if !m.hasRead(p) {
			r.Unread++
			continue
		}
		r.Ports++
		m.addPort(r, p)
		if measured {
			to.Took = p.took
		}
		if p.rate() > 0 {
			busy = append(busy, p)
		}
	}
	slices.SortStableFunc(r.Over, func(a, b Over) int { return cmp.Compare(b.Rate/b.Most, a.Rate/a.Most) })
	r.Over = r.Over[:min(len(r.Over), mostOver)]
	m.addHot(r, busy)
	m.addOdd(r, odd)
	r.Reading = reading
	m.report = r
}

// hasRead reports whether the round has read a port.
func (m *Monitor) hasRead(p *port) bool { return p.at >= m.begun && p.at != 0 }

// addTotals adds a port's counts since its first reading to a Report.
func (p *port) addTotals(r *Report) {
	for c := range members(p.counted) {
		r.Counters[c].Total += p.total[c]
	}
	for c := range members(p.least) {
		r.Counters[c].Least = true
	}
}

// addPort adds the counters of a port that the round has read to a Report.
func (m *Monitor) addPort(r *Report, p *port) {
	for c := range members(p.grew) {
		r.Counters[c].Grown += p.grown[c]
	}
	if p.over == 0 {
		return
	}
	for _, rule := range Rules {
		if p.over>>rule.Counter&1 == 1 {
			r.Counters[rule.Counter].Over++
			r.Over = append(r.Over, Over{m.subnet.Fabric.PortName(p.end), Name(rule.Counter), float64(p.grown[rule.Counter]) / p.took.Minutes(), rule.Most})
		}
	}
}

// rate returns the rate at which a port sends, in Gbit/s; 0 if unknown.
func (p *port) rate() float64 {
	if p.took <= 0 || p.grew == 0 {
		return 0
	}
	return float64(p.grown[mad.CounterXmitData]) * 32 / p.took.Seconds() / 1e9
}

// addHot adds the busiest links of some ports to a Report.
func (m *Monitor) addHot(r *Report, ports []*port) {
	type used struct {
		at    *port
		rate  float64
		share float64
	}
	var list []used
	f := m.subnet.Fabric
	best := make([]int32, len(f.Links)) // index in list, plus 1
	for _, p := range ports {
		link := f.Nodes[p.end.Node].Ports[p.end.Port].Link
		if link == fabric.NoLink {
			continue
		}
		u := used{at: p, rate: p.rate()}
		if most := fabric.Rate(f.Links[link].Width, f.Links[link].Speed); most > 0 {
			u.share = u.rate / (float64(most) / 1000)
		}
		if at := best[link] - 1; at < 0 {
			list = append(list, u)
			best[link] = int32(len(list))
		} else if u.rate > list[at].rate {
			list[at] = u
		}
	}
	slices.SortStableFunc(list, func(a, b used) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.rate, a.rate)) })
	for _, u := range list[:min(len(list), mostHot)] {
		p := u.at
		r.Hot = append(r.Hot, Hot{f.PortName(p.end), p.peer, u.rate, u.share, float64(p.grown[mad.CounterXmitWait]) / p.took.Seconds()})
	}
}

// oddCounters are the counters that mark a cable as odd: errors, and delayed or dropped data.
var oddCounters = [2][]int{
	{mad.CounterLinkDowned, mad.CounterLinkErrorRecovery, mad.CounterLocalLinkIntegrity, mad.CounterBufferOverrun, mad.CounterSymbolError, mad.CounterRcvErrors},
	{mad.CounterXmitDiscards, mad.CounterXmitWait},
}

// addOdd adds the cables to inspect to a Report, given the ports with counts of oddCounters.
func (m *Monitor) addOdd(r *Report, ports [2][]*port) {
	var list []counters.Port
	var bad []*port
	for k, of := range oddCounters {
		at := ports[k]
		slices.SortStableFunc(at, func(a, b *port) int { return cmp.Compare(b.sum(of), a.sum(of)) })
		bad = append(bad, at[:min(len(at), mostOdd)]...)
		for _, p := range at[:min(len(at), mostOdd)] {
			values := map[string]uint64{}
			for _, c := range append(slices.Clone(of), mad.CounterXmitData, mad.CounterRcvData) {
				values[Name(c)] = p.total[c]
			}
			list = append(list, counters.Port{GUID: p.id.node, Port: p.id.port, Values: values})
		}
		if len(at) > mostOdd {
			r.Notes = append(r.Notes, "more ports have errors or waiting data than are listed")
		}
	}
	if m.base == nil {
		m.base = cables.Of(m.subnet.Fabric, m.subnet.Fabric.Compile(), nil)
	}
	odd := *m.base
	odd.Counts, odd.Cables = maps.Clone(odd.Counts), slices.Clone(odd.Cables)
	odd.AddCounters(m.withLost(bad), list)
	r.Odd, r.OddCounts = append(r.Odd, odd.Cables[:min(len(odd.Cables), mostOdd)]...), odd.Counts
	r.Notes = append(r.Notes, odd.Notes...)
}

// withLost returns the Fabric, with the cables that some ports have lost.
func (m *Monitor) withLost(ports []*port) *fabric.Fabric {
	f := m.subnet.Fabric
	for _, p := range ports {
		if f.Nodes[p.end.Node].Ports[p.end.Port].Link != fabric.NoLink {
			continue
		}
		if f == m.subnet.Fabric {
			f = f.Clone()
		}
		node, ok := f.NodeByGUID(p.peer.GUID)
		if !ok { // a host at a bad cable is often away
			node, _ = f.AddNode(typeOf(p.peer.Type), p.peer.GUID, fabric.MaxPorts, p.peer.Name)
		}
		_, _ = f.Connect(p.end, fabric.End{Node: node, Port: p.peer.Port}, 0, fabric.SpeedUnknown) // unless the port has another cable now
	}
	return f
}

// typeOf returns the type of a node in a PortName.
func typeOf(name string) fabric.NodeType {
	for _, t := range []fabric.NodeType{fabric.Switch, fabric.Router} {
		if t.String() == name {
			return t
		}
	}
	return fabric.CA
}

// sum adds up some counters of a port.
func (p *port) sum(of []int) (n uint64) {
	for _, c := range of {
		n += p.total[c]
	}
	return n
}
