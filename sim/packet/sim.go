package packet

import (
	"context"
	"fmt"
	"math"

	"weft/fabric"
	"weft/internal/event"
	"weft/route"
)

// none stands for no packet, message or link.
const none int32 = -1

// packet is a packet under way.
type packet struct {
	next    int32 // the packet behind it in its queue, or the next free one
	message int32
	payload int32
	lid     fabric.LID
	from    fabric.LID // source LID in the subnet that it is in
	sl, vl  uint8
	epoch   uint8 // of the link that it is on
	marked  bool  // it met congestion
	outVL   uint8 // lane on which it leaves its current switch
	out     int32 // link by which it leaves
	sent    Time  // its first byte left the source
	came    Time  // its first byte could leave the current switch
	tail    Time  // its last byte could leave the current switch
	head    Time  // since when it is the first of its queue
}

// kind is the kind of an event.
type kind uint8

const (
	atSwitch kind = iota // a packet can leave the switch behind a link
	atEnd                // an end port has taken a packet off a link
	asks                 // the first packet of a queue may ask for its output
	isFree               // a link, and the host behind it, can send
	credit               // blocks of a buffer are free again
	tooOld               // the first packet of a queue may have waited too long
	over                 // a message that could not be sent
	timer                // a timer of the workload
	change               // a change of the fabric
	search               // a search for deadlocks
	recovers             // a flow recovers from congestion
	resume               // a flow continues after its delay
)

// occasion is an event: its kind, its link, buffer, queue or end port, and a packet or a number.
type occasion struct {
	kind kind
	of   int32
	with int32
}

// Sim is one run. It is not safe for concurrent use.
type Sim struct {
	config Config
	*network
	work   Workload
	events event.Queue[Time, occasion]
	now    Time
	queues
	hosts
	packets []packet
	unused  int32 // first free packet

	control *controlled // nil without congestion control
	hooks
	measure  measure
	deadlock *Deadlock // the first one found
	stopped  bool
	failed   error // of the workload
}

// hooks are functions that a run calls.
type hooks struct {
	relay       Relay                     // nil without routers
	changes     []func(*Sim)              // by number; events name them
	beforeLanes []func(s *Sim, end int32) // called before an end port gets the lanes of another Plan
	watch       func(now Time)            // called now and then; nil for none
	sample      func(now Time) (next Time)
	sampleAt    Time // when sample is called
}

// New creates a run over a fabric and its Plan.
func New(g *fabric.Graph, p *route.Plan, c Config, w Workload) (*Sim, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := fits(g, p); err != nil {
		return nil, err
	}
	n := newNetwork(g, p, &c)
	q, err := newQueues(n, &c)
	if err != nil {
		return nil, err
	}
	s := &Sim{config: c, network: n, work: w, queues: q, hosts: newHosts(n), unused: none, measure: newMeasure(g)}
	s.sampleAt = math.MaxInt64
	if c.Congestion != nil {
		s.control = newControlled(len(s.buffers))
	}
	return s, nil
}

// Now returns the current time of the run.
func (s *Sim) Now() Time { return s.now }

// At schedules a change of the fabric, such as (*Sim).SetPortDown.
func (s *Sim) At(t Time, do func(*Sim)) {
	s.events.Put(max(t, s.now), occasion{change, int32(len(s.changes)), 0})
	s.changes = append(s.changes, do)
}

// Watch makes the run call a function from time to time.
func (s *Sim) Watch(look func(now Time)) { s.watch = look }

// Sample makes the run call a function at a time, and then each time at the time that it returns.
// Unlike a change it is no event: a run does not go on for it, and is the same without it.
func (h *hooks) Sample(first Time, look func(now Time) (next Time)) {
	h.sampleAt, h.sample = first, look
}

// Timer schedules a call of the workload's Timer.
func (s *Sim) Timer(t Time, id int32) { s.events.Put(max(t, s.now), occasion{timer, id, 0}) }

// Fail ends the run because the workload cannot continue. Run returns the first error.
func (s *Sim) Fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
	s.stopped = true
}

// Run simulates until a time, the end of the traffic or a deadlock. Measurement begins at the end
// of the warm-up.
func (s *Sim) Run(ctx context.Context, warmup, until Time) (*Result, error) {
	until = min(max(until, 0), 1<<62) // sums with the times of a Config stay in range
	s.measure.from = max(warmup, 0)
	s.work.Begin(s)
	if s.config.DeadlockCheck > 0 {
		s.events.Put(s.config.DeadlockCheck, occasion{kind: search})
	}
	for n := 0; !s.stopped; n++ {
		if n&0xffff == 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if s.watch != nil {
				s.watch(s.now)
			}
		}
		t, ok := s.events.Next()
		if !ok || t > until {
			break
		}
		if t > s.sampleAt {
			s.now = s.sampleAt
			s.sampleAt = s.sample(s.now)
			continue
		}
		at, e := s.events.Take()
		s.now = at
		s.handle(e)
	}
	if s.failed != nil {
		return nil, s.failed
	}
	if _, ok := s.events.Next(); ok && !s.stopped {
		s.now = until
	}
	if s.deadlock == nil {
		s.deadlock = s.findDeadlock()
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("packet: at %d ps: %w", s.now, err)
	}
	return s.result(), nil
}

// handle processes an event.
func (s *Sim) handle(e occasion) {
	switch e.kind {
	case atSwitch:
		s.arrive(e.of, e.with)
	case atEnd:
		s.deliver(e.of, e.with)
	case asks:
		// No other packet can have this number and be first by then: the link is busy with this one
		// for longer.
		if s.list[e.of].head == e.with {
			s.ask(e.of)
		}
	case isFree:
		s.links[e.of].wakes = false
		s.send(e.of)
	case credit:
		s.buffers[e.of].credits += e.with
		if l := e.of / s.vls; s.links[l].asked>>(e.of%s.vls)&1 != 0 {
			s.send(l)
		}
	case tooOld:
		s.dropOld(e.of, e.with)
	case over:
		s.finish(e.of)
	case timer:
		s.work.Timer(s, e.of)
	case change:
		s.changes[e.of](s)
	case search:
		s.search()
	case recovers:
		s.quicken(e.of)
	case resume:
		s.control.flows[e.of].wakes = false
		s.serve(e.of)
	}
}

// search looks for a deadlock, and schedules the next search while other events are left.
func (s *Sim) search() {
	if s.deadlock == nil {
		if s.deadlock = s.findDeadlock(); s.deadlock != nil && !s.config.GoOn && s.config.HeadOfQueue == 0 {
			s.stopped = true
			return
		}
	}
	if s.events.Len() > 0 {
		s.events.Put(s.now+s.config.DeadlockCheck, occasion{kind: search})
	}
}

// newPacket returns an unused packet.
func (s *Sim) newPacket() int32 {
	if s.unused == none {
		s.packets = append(s.packets, packet{})
		return int32(len(s.packets) - 1)
	}
	i := s.unused
	s.unused = s.packets[i].next
	return i
}

// forget returns a packet to the unused ones.
func (s *Sim) forget(i int32) {
	s.packets[i].next, s.unused = s.unused, i
}
