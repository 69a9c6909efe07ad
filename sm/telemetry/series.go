package telemetry

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// Series holds the readings of a port over the time of the history.
type Series struct {
	Port   fabric.PortName `json:"port"`
	Peer   fabric.PortName `json:"peer"`      // other end of its cable
	Rate   int32           `json:"rate_mbit"` // of its link, 0 if unknown
	Points []Point         `json:"points"`    // oldest first; a point stands for several readings if there are more than 120
}

// Point is a reading of a port. If it stands for several, rates are the highest of them.
type Point struct {
	Time     string  `json:"time"`         // end of the last reading, UTC
	Took     float64 `json:"took_seconds"` // time that the readings cover
	Sent     float64 `json:"transmit_gbit_per_second"`
	Received float64 `json:"receive_gbit_per_second"`
	Wait     float64 `json:"wait_ticks_per_second"` // waiting of data at the port; the device defines the length of a tick
	Errors   uint64  `json:"errors"`                // growth of all counters of errors together
}

// mostPoints is the maximum number of points of a Series after Join.
const mostPoints = 120

// Join joins neighbouring points until there are at most mostPoints.
func (s *Series) Join() {
	n := len(s.Points)
	if n <= mostPoints {
		return
	}
	joined := make([]Point, 0, mostPoints)
	for i := range mostPoints {
		part := s.Points[i*n/mostPoints : (i+1)*n/mostPoints]
		p := Point{Time: part[len(part)-1].Time}
		for _, o := range part {
			p.Took, p.Errors = p.Took+o.Took, p.Errors+o.Errors
			p.Sent, p.Received, p.Wait = max(p.Sent, o.Sent), max(p.Received, o.Received), max(p.Wait, o.Wait)
		}
		joined = append(joined, p)
	}
	s.Points = joined
}

// Add adds a Frame's reading of the port with this GUID of its node and this number.
func (s *Series) Add(f *Frame, guid fabric.GUID, port uint8) {
	for i := range f.Counts {
		p, c := &f.Ports[i], &f.Counts[i]
		if p.Name.GUID != guid || p.Name.Port != port {
			continue
		}
		s.Port, s.Peer, s.Rate = p.Name, p.Peer, p.Rate
		if c.Took <= 0 {
			return
		}
		point := Point{
			Time: utc(f.End.Add(-c.Age)), Took: c.Took.Seconds(), Sent: c.Gbps(),
			Received: float64(c.Grown[mad.CounterRcvData]) * 32 / c.Took.Seconds() / 1e9, Wait: float64(c.Grown[mad.CounterXmitWait]) / c.Took.Seconds(),
		}
		for n, grown := range c.Grown {
			if !perf.IsFlow(n) {
				point.Errors += grown
			}
		}
		s.Points = append(s.Points, point)
		return
	}
}

// Numbers returns the numbers of the rounds of the last hour.
func (r *Ring) Numbers() (list []uint64) {
	for i := range r.list {
		if r.list[i].time >= r.list[len(r.list)-1].time-hour.Milliseconds() {
			list = append(list, r.list[i].number)
		}
	}
	return list
}

// Stored returns the Frame of a number as it stands in the file, for Decode; nil if it has made
// room for another one.
func (r *Ring) Stored(number uint64) ([]byte, error) {
	i, ok := slices.BinarySearchFunc(r.list, number, func(x record, n uint64) int { return cmp.Compare(x.number, n) })
	if !ok {
		return nil, nil
	}
	return r.bytes(&r.list[i])
}
