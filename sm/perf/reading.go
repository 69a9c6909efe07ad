package perf

import (
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// Reading holds the counters of all ports at the end of a round. It does not change later.
type Reading struct {
	Ports  []Port   // shared by the Readings of one subnet
	Counts []Counts // by index of Ports
}

// Port is a port with counters.
type Port struct {
	Name fabric.PortName
	Peer fabric.PortName // other end of its cable, now or before it was lost; without a GUID if unknown
	Rate int32           // of its link in Mbit/s; 0 if unknown
}

// Counts are the counters of a port.
type Counts struct {
	Age  time.Duration // from the last reading to the end of the round
	Took time.Duration // interval before the last reading; 0 if this round has not read the port, or for the first time
	*Growth
}

// Growth is the growth of a port's counters, indexed by the numbers of package mad. Data are in
// words of 4 bytes. While a port counts nothing, its Readings share one.
type Growth struct {
	Total [mad.NumCounters]uint64 // since the first reading
	Grown [mad.NumCounters]uint64 // within Took
}

// noGrowth is the Growth of all ports that have never counted anything.
var noGrowth = new(Growth)

// makeReading makes a Reading without counts.
func (m *Monitor) makeReading() *Reading {
	if m.named == nil {
		m.named = m.makePorts()
	}
	return &Reading{Ports: m.named, Counts: make([]Counts, len(m.ports))}
}

// makePorts names the ports of the subnet.
func (m *Monitor) makePorts() []Port {
	f := m.subnet.Fabric
	list := make([]Port, len(m.ports))
	for i, p := range m.ports {
		list[i] = Port{Name: f.PortName(p.end), Peer: p.peer}
		if link := f.Nodes[p.end.Node].Ports[p.end.Port].Link; link != fabric.NoLink {
			list[i].Rate = fabric.Rate(f.Links[link].Width, f.Links[link].Speed)
		}
	}
	return list
}

// Gbps returns the rate at which a port sends, in Gbit/s; 0 if unknown.
func (c *Counts) Gbps() float64 {
	if c.Took <= 0 {
		return 0
	}
	return float64(c.Grown[mad.CounterXmitData]) * 32 / c.Took.Seconds() / 1e9
}
