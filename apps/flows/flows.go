// Package flows runs a Program on the paths of a Plan, with messages as flows of max-min fair rates
// (sim/fluid). A message begins when its rank hands it to a port, takes its share of every link of
// its path, and is at its target after its last byte and the latency of the path.
package flows

import (
	"context"
	"fmt"

	"weft/apps/machine"
	"weft/apps/places"
	"weft/apps/program"
	"weft/apps/timeline"
	"weft/internal/event"
	"weft/sim/flow"
	"weft/sim/fluid"
)

// Hardware holds the times and shares of the hardware.
type Hardware struct {
	Payload     float64       // share of a link's rate that carries data
	Switch      int64         // latency of a switch, in picoseconds
	Cable       int64         // delay of a cable, in picoseconds
	UnknownRate int32         // of links without a known rate, in Mbit/s
	Memory      places.Memory // between ranks of one machine
	OneSwitch   bool          // in place of the fabric, a switch that joins all hosts
}

// Run is a Program under way.
type Run struct {
	Machine  *machine.Machine
	net      *flow.Network
	places   *places.Places
	hardware Hardware
	fluid    *fluid.Network
	queue    event.Queue[int64, occasion]
	failed   error
	path     []int32
	ended    []int32
	latency  []int64 // by number of a message under way: from the end of its flow to its arrival
	bytes    []float64
	ends     []ends
	begun    []int64   // by number of a message under way: the begin of its flow
	link     []float64 // by link: bytes that crossed it
	record   *timeline.Recorder
}

// ends are the ranks and the host ports of a message.
type ends struct{ from, to, src, dst int32 }

// occasion is the begin of a message's flow, or its arrival.
type occasion struct {
	message int32
	begin   bool
}

// New prepares a run.
func New(net *flow.Network, where *places.Places, h Hardware, p program.Program, costs machine.Parameters) *Run {
	capacity := make([]float64, net.Links())
	for l := range capacity {
		rate := net.Rate(int32(l))
		if rate == 0 {
			rate = h.UnknownRate
		}
		capacity[l] = float64(rate) / 8e6 * h.Payload
	}
	r := &Run{net: net, places: where, hardware: h, fluid: fluid.New(capacity, net.LongestPath()), link: make([]float64, len(capacity))}
	r.fluid.Slack = slack
	r.Machine = machine.On(r, p, costs, unit)
	return r
}

// slack is the share of a message's time by which its begin and the release of its links may be
// late where a link has many flows.
const slack = 0.001

// Record lets the run record what ranks and links do.
func (r *Run) Record(to *timeline.Recorder) {
	r.record = to
	r.Machine.Computed = func(rank int32, from, until machine.Time) {
		to.Computing.Add(rank, int64(from), int64(until), float64(until-from))
	}
}

// recordFlow records a flow that ends.
func (r *Run) recordFlow(at int64, m int32) {
	e := &r.ends[m]
	r.record.Receiving.Add(e.to, r.begun[m], at, r.bytes[m])
	path, _ := r.net.Path(e.src, e.dst, r.path[:0])
	for _, l := range path {
		r.record.Links.Add(l, r.begun[m], at, r.bytes[m])
	}
}

// unit is a nanosecond in picoseconds.
const unit = 1000

// Send takes a message of the Machine.
func (r *Run) Send(at machine.Time, m machine.Message) {
	for int(m.Number) >= len(r.bytes) {
		r.bytes, r.latency, r.ends, r.begun = append(r.bytes, 0), append(r.latency, 0), append(r.ends, ends{}), append(r.begun, 0)
	}
	src, dst, local := r.places.Between(m.From, m.To, m.NIC)
	r.ends[m.Number], r.bytes[m.Number] = ends{m.From, m.To, src, dst}, float64(max(m.Bytes, 1))
	if local {
		r.queue.Put(int64(at)+r.hardware.Memory.Picoseconds(m.Bytes), occasion{message: m.Number})
		return
	}
	if !m.Control {
		r.queue.Put(int64(at), occasion{m.Number, true})
		return
	}
	// A request is smaller than a packet: it takes no share of a link.
	if path, ok := r.findPath(m.Number); ok {
		r.queue.Put(int64(at)+r.latency[m.Number]+r.timeAlone(path, m.Number), occasion{message: m.Number})
	}
}

// findPath finds the path of a message and its latency.
func (r *Run) findPath(m int32) ([]int32, bool) {
	e := &r.ends[m]
	path, ok := r.net.Path(e.src, e.dst, r.path[:0])
	r.path = path
	if !ok {
		r.fail(m, "the tables do not lead there (weft check names the fault); ports of different planes never reach each other")
		return nil, false
	}
	if r.hardware.OneSwitch {
		path = append(path[:1], path[len(path)-1])
	}
	r.latency[m] = int64(len(path))*r.hardware.Cable + int64(len(path)-1)*r.hardware.Switch
	return path, true
}

// fail stops the run because of a message.
func (r *Run) fail(m int32, why string) {
	e := &r.ends[m]
	port := func(h int32) string { name := r.net.HostPort(h); return name.Short() }
	r.failed = fmt.Errorf("a message from rank %d on %s to rank %d on %s: %s", e.from, port(e.src), e.to, port(e.dst), why)
}

// timeAlone is the time of a message's bytes on the slowest link of a path.
func (r *Run) timeAlone(path []int32, m int32) int64 {
	rate := r.fluid.Capacity(path[0])
	for _, l := range path {
		rate = min(rate, r.fluid.Capacity(l))
	}
	return int64(r.bytes[m] / rate)
}

// beginFlow starts the flow of a message.
func (r *Run) beginFlow(at int64, m int32) {
	path, ok := r.findPath(m)
	if !ok {
		return
	}
	for _, l := range path {
		r.link[l] += r.bytes[m]
	}
	r.begun[m] = at
	r.fluid.Begin(at, path, r.bytes[m], m)
}

// next returns the time of the network's next event; rates are computed only if nothing else
// happens before time now has passed.
func (r *Run) next(now int64) (at int64, ok bool) {
	at, ok = r.queue.Next()
	if ok && at <= now {
		return at, true
	}
	if r.fluid.Active() > 0 {
		if end, some := r.fluid.Next(); some && (!ok || end <= at) {
			if end > int64(machine.Longest) {
				m := r.fluid.First()
				r.fail(m, fmt.Sprintf("%.3g bytes: %s", r.bytes[m], machine.TooLong(unit)))
			}
			return end, true
		}
	}
	return at, ok
}

// Run executes the Program to its end, or until nothing moves.
func (r *Run) Run(ctx context.Context) error {
	now := int64(0)
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		own, some := r.Machine.Next()
		if some && int64(own) <= now {
			r.Machine.Step()
			continue
		}
		at, ok := r.next(now)
		if err := r.Machine.Err(); err != nil {
			return err
		}
		switch {
		case r.failed != nil:
			return r.failed
		case !some && !ok:
			return nil
		case some && (!ok || int64(own) <= at):
			now = int64(own)
			r.Machine.Step()
		default:
			now = at
			r.step(at)
		}
	}
}

// step lets everything happen that the network has for a time.
func (r *Run) step(at int64) {
	for {
		next, ok := r.queue.Next()
		if !ok || next != at {
			break
		}
		_, e := r.queue.Take()
		if e.begin {
			r.beginFlow(at, e.message)
		} else {
			r.Machine.Arrive(machine.Time(at), e.message)
		}
	}
	if !r.fluid.Changed() {
		if end, ok := r.fluid.Next(); ok && end == at {
			r.ended = r.fluid.End(r.ended[:0])
			for _, m := range r.ended {
				if r.record != nil {
					r.recordFlow(at, m)
				}
				r.queue.Put(at+r.latency[m], occasion{message: m})
			}
		}
	}
}

// LinkBytes returns the bytes that crossed each link of the Network.
func (r *Run) LinkBytes() []float64 { return r.link }

// Capacity returns the rate of a link for data, in bytes per picosecond.
func (r *Run) Capacity(link int32) float64 { return r.fluid.Capacity(link) }
