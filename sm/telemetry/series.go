package telemetry

import (
	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// Series describes what a port did over the time of the history, by its readings.
type Series struct {
	Port   fabric.PortName `json:"port"`
	Peer   fabric.PortName `json:"peer"`      // other end of its cable
	Rate   int32           `json:"rate_mbit"` // of its link, 0 if unknown
	Points []Point         `json:"points"`    // oldest first; with more readings than points, evenly chosen ones
}

// Point is a reading of a port.
type Point struct {
	Time     string  `json:"time"`         // end of the reading, UTC
	Took     float64 `json:"took_seconds"` // time that the reading covers
	Sent     float64 `json:"transmit_gbit_per_second"`
	Received float64 `json:"receive_gbit_per_second"`
	Wait     float64 `json:"wait_ticks_per_second"` // waiting of data at the port; the device defines the length of a tick
	Errors   uint64  `json:"errors"`                // growth of all counters of errors together
}

// MostPoints is the maximum number of points of a Series.
const MostPoints = 60

// Add adds what a Frame says of the port with this GUID of its node and this number.
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

// Numbers returns the numbers of at most some rounds of the last hour, evenly chosen, with the
// last one.
func (r *Ring) Numbers(most int) (list []uint64) {
	if len(r.list) == 0 {
		return nil
	}
	last, begin := r.list[len(r.list)-1].time, 0
	for begin < len(r.list) && r.list[begin].time < last-hour.Milliseconds() {
		begin++
	}
	n := len(r.list) - begin
	for i := range min(n, most) {
		list = append(list, r.list[begin+(i+1)*n/min(n, most)-1].number)
	}
	return list
}

// Stored returns the Frame of a number as it stands in the file, for Decode; nil if it has made
// room for another one.
func (r *Ring) Stored(number uint64) ([]byte, error) {
	for i := range r.list {
		if r.list[i].number == number {
			return r.bytes(&r.list[i])
		}
	}
	return nil, nil
}
