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
	Payload     float64           // share of a link's rate that carries data
	Switch      int64             // latency of a switch, in picoseconds
	Cable       int64             // delay of a cable, in picoseconds
	UnknownRate int32             // of links without a known rate, in Mbit/s
	Memory      places.Memory     // between ranks of one machine
	OneSwitch   bool              // in place of the fabric, a switch that joins all hosts
	Sends       machine.SendOrder // which messages leave one after the other
}

// Run is a Program under way.
type Run struct {
	Machine  *machine.Machine
	net      *flow.Network
	places   *places.Places
	hardware Hardware
	capacity []float64 // by link
	fluid    *fluid.Network
	now      int64
	queue    event.Queue[int64, occasion]
	sends    machine.SendQueues
	failed   error
	ended    []int32
	arrived  []int32   // scratch: messages that arrive at one time
	messages []message // by number, those under way
	routes   []routes  // by host port
	link     []float64 // by link: bytes that crossed it
	record   *timeline.Recorder
}

// message is a message under way.
type message struct {
	from, to int32 // ranks
	src, dst int32 // host ports
	bytes    float64
	begun    int64 // when its flow began
	latency  int64 // from the end of that to its arrival
}

// route is a path to a host port.
type route struct {
	to      int32 // none before the first message
	path    []int32
	latency int64
	rate    float64 // of the slowest link
}

// routes holds the routes of a port's last messages.
type routes struct {
	of   [2]route
	last uint8 // the one used last
}

const none int32 = -1

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
	r := &Run{net: net, places: where, hardware: h, capacity: capacity, fluid: fluid.New(capacity, net.LongestPath()), link: make([]float64, len(capacity))}
	r.fluid.Slack, r.sends.Order = slack, h.Sends
	r.Machine = machine.On(r, p, costs, unit)
	return r
}

// slack limits how late a message may begin, and free its links, where a link has many flows: a
// share of the message's time.
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
	w := &r.messages[m]
	r.record.Receiving.Add(w.to, w.begun, at, w.bytes)
	for _, l := range r.findPath(m).path {
		r.record.Links.Add(l, w.begun, at, w.bytes)
	}
}

// unit is a nanosecond in picoseconds.
const unit = 1000

// Send takes a message of the Machine.
func (r *Run) Send(at machine.Time, m machine.Message) {
	for int(m.Number) >= len(r.messages) {
		r.messages = append(r.messages, message{})
	}
	src, dst, local := r.places.Between(m.From, m.To, m.NIC)
	w := &r.messages[m.Number]
	w.from, w.to, w.src, w.dst, w.bytes = m.From, m.To, src, dst, float64(max(m.Bytes, 1))
	if local {
		r.queue.Put(int64(at)+r.hardware.Memory.Picoseconds(m.Bytes), occasion{message: m.Number})
		return
	}
	if !m.Control {
		if r.sends.Order == machine.Shared || r.sends.Enter(src, at, &m) {
			r.begin(int64(at), m.Number)
		}
		return
	}
	// A request is smaller than a packet: it takes no share of a link.
	if to := r.findPath(m.Number); to != nil {
		r.queue.Put(int64(at)+to.latency+int64(w.bytes/to.rate), occasion{message: m.Number})
	}
}

// begin lets the flow of a message begin at a time: at once if that is now and nothing else waits.
func (r *Run) begin(at int64, m int32) {
	if next, ok := r.queue.Next(); at == r.now && (!ok || next > at) {
		r.beginFlow(at, m)
		return
	}
	r.queue.Put(at, occasion{m, true})
}

// findPath finds the route of a message; nil if there is none. A port often sends to the same two:
// data to one, and answers to requests to the other.
func (r *Run) findPath(m int32) *route {
	w := &r.messages[m]
	for int(w.src) >= len(r.routes) {
		r.routes = append(r.routes, routes{of: [2]route{{to: none}, {to: none}}})
	}
	known := &r.routes[w.src]
	if to := &known.of[known.last]; to.to == w.dst {
		return to
	}
	known.last = 1 - known.last
	to := &known.of[known.last]
	if to.to == w.dst {
		return to
	}
	path, ok := r.net.Path(w.src, w.dst, to.path[:0])
	if to.to, to.path = w.dst, path; !ok {
		to.to = none
		r.fail(m, "the tables do not lead there (weft check names the fault); ports of different planes never reach each other")
		return nil
	}
	if r.hardware.OneSwitch {
		to.path = append(path[:1], path[len(path)-1])
	}
	to.latency = int64(len(to.path))*r.hardware.Cable + int64(len(to.path)-1)*r.hardware.Switch
	to.rate = r.fluid.Capacity(to.path[0])
	for _, l := range to.path {
		to.rate = min(to.rate, r.fluid.Capacity(l))
	}
	return to
}

// fail stops the run because of a message.
func (r *Run) fail(m int32, why string) {
	e := &r.messages[m]
	port := func(h int32) string { name := r.net.HostPort(h); return name.Short() }
	r.failed = fmt.Errorf("a message from rank %d on %s to rank %d on %s: %s", e.from, port(e.src), e.to, port(e.dst), why)
}

// beginFlow starts the flow of a message.
func (r *Run) beginFlow(at int64, m int32) {
	to := r.findPath(m)
	if to == nil {
		return
	}
	w := &r.messages[m]
	for _, l := range to.path {
		r.link[l] += w.bytes
	}
	w.begun, w.latency = at, to.latency
	r.fluid.Begin(at, to.path, w.bytes, m)
}

// next returns the time of the network's next event; rates are computed only if nothing else
// happens now.
func (r *Run) next() (at int64, ok bool) {
	at, ok = r.queue.Next()
	if ok && at <= r.now {
		return at, true
	}
	if r.fluid.Active() > 0 {
		if end, some := r.fluid.Next(); some && (!ok || end <= at) {
			if end > int64(machine.Longest) {
				m := r.fluid.First()
				r.fail(m, fmt.Sprintf("%.3g bytes: %s", r.messages[m].bytes, machine.TooLong(unit)))
			}
			return end, true
		}
	}
	return at, ok
}

// Run executes the Program to its end, or until nothing moves.
func (r *Run) Run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		own, some := r.Machine.Next()
		if some && int64(own) <= r.now {
			r.Machine.Step()
			continue
		}
		at, ok := r.next()
		if err := r.Machine.Err(); err != nil {
			return err
		}
		switch {
		case r.failed != nil:
			return r.failed
		case !some && !ok:
			return nil
		case some && (!ok || int64(own) <= at):
			r.now = int64(own)
			r.Machine.Step()
		default:
			r.now = at
			r.step(at)
		}
	}
}

// step lets everything happen that the network has for a time. Messages arrive last.
func (r *Run) step(at int64) {
	r.arrived = r.arrived[:0]
	for {
		next, ok := r.queue.Next()
		if !ok || next != at {
			break
		}
		_, e := r.queue.Take()
		if e.begin {
			r.beginFlow(at, e.message)
		} else {
			r.arrived = append(r.arrived, e.message)
		}
	}
	if !r.fluid.Changed() {
		if end, ok := r.fluid.Next(); ok && end == at {
			r.ended = r.fluid.End(r.ended[:0])
			for _, m := range r.ended {
				if r.record != nil {
					r.recordFlow(at, m)
				}
				r.queue.Put(at+r.messages[m].latency, occasion{message: m})
				if r.sends.Order == machine.Shared {
					continue
				}
				if from, next, ok := r.sends.Left(m, machine.Time(at)); ok {
					r.queue.Put(int64(from), occasion{next, true})
				}
			}
		}
	}
	r.Machine.ArriveNow(machine.Time(at), r.arrived)
}

// LinkBytes returns the bytes that crossed each link of the Network.
func (r *Run) LinkBytes() []float64 { return r.link }

// Capacities returns the rate of each link for data, in bytes per picosecond.
func (r *Run) Capacities() []float64 { return r.capacity }
