package packet

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/event"
	"weft/route"
)

// none is the number of no packet, message or queue.
const none int32 = -1

// packet is a packet on its way.
type packet struct {
	next    int32 // behind it in its queue, or the next free one
	message int32
	payload int32
	lid     fabric.LID
	sl, vl  uint8
	epoch   uint8 // of the link that it is on
	marked  bool  // it met congestion
	sent    Time  // its first byte left the source
	came    Time  // its first byte could leave the switch that it is in
	tail    Time  // its last byte could
	head    Time  // since when it is the first of its queue
}

// queue is the input buffer of one VL behind a link. Queues are numbered link*VLs+VL.
type queue struct {
	head, tail int32 // packets
	out        int32 // link that the first packet asks for, none while it does not
	vl         uint8 // and on which lane
	credits    int32 // blocks that the sender may fill
	waiting    int32 // blocks of the packets in the queue
}

// what an event is about.
type kind uint8

const (
	atSwitch kind = iota // a packet can leave the switch behind a link
	atEnd                // an end port has taken a packet off a link
	asks                 // the first packet of a queue may ask for its output
	isFree               // a link can send, and the host behind it
	credit               // blocks of a queue are free again
	tooOld               // the first packet of a queue may have waited too long
	over                 // a message that could not be sent
	timer                // of the workload
	change               // of the fabric
	search               // for deadlocks
	recovers             // a flow, from congestion
	resume               // a message, after the delay of its flow
)

// occasion is an event: what, of which link, queue or end port, and a packet or a number.
type occasion struct {
	kind kind
	of   int32
	with int32
}

// Sim is one run. It is not for concurrent use.
type Sim struct {
	config Config
	*network
	work   Workload
	events event.Queue[Time, occasion]
	now    Time

	queues   []queue
	size     int32    // blocks of a queue that is empty
	asking   []uint64 // by link and VL, words[s] each: inputs whose first packet asks for it
	askStart []int32  // by link
	turn     []int32  // by link and VL: input that was served last

	packets  []packet
	unused   int32 // first free packet
	messages []message
	spare    int32  // first free message
	rings    []ring // by end port and VL: messages to be sent
	sources  []source

	control  *controlled // nil without congestion control
	changes  []func(*Sim)
	measure  measure
	deadlock *Deadlock // the first that was found
	stopped  bool
	failed   error // of the workload
}

// New makes a run over a fabric and its Plan.
func New(g *fabric.Graph, p *route.Plan, c Config, w Workload) (*Sim, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := fits(g, p); err != nil {
		return nil, err
	}
	n := newNetwork(g, p, &c)
	s := &Sim{config: c, network: n, work: w, size: int32(c.Buffer / blockSize), unused: none, spare: none}
	s.queues = make([]queue, len(n.links)*int(n.vls))
	for i := range s.queues {
		s.queues[i] = queue{head: none, tail: none, out: none, credits: s.size}
	}
	s.turn = make([]int32, len(s.queues))
	s.askStart = make([]int32, len(g.Attached)+1)
	for sw := range int32(g.NumSwitches) {
		for p := range g.SwitchPorts[sw] + 1 {
			l := g.PortStart[sw] + p
			s.askStart[l+1] = s.askStart[l] + n.words[sw]*n.vls
		}
	}
	s.asking = make([]uint64, s.askStart[len(g.Attached)])
	s.rings = make([]ring, g.NumEnds*int(n.vls))
	for i := range s.rings {
		s.rings[i] = ring{none, none}
	}
	s.sources = newSources(g)
	s.measure = newMeasure(g)
	if c.Congestion != nil {
		s.control = newControlled(len(s.queues))
	}
	return s, nil
}

// Now is the present.
func (s *Sim) Now() Time { return s.now }

// At does something to the fabric at a time to come, such as (*Sim).SetLinkDown.
func (s *Sim) At(t Time, do func(*Sim)) {
	s.events.Put(max(t, s.now), occasion{change, int32(len(s.changes)), 0})
	s.changes = append(s.changes, do)
}

// Timer calls the workload at a time to come.
func (s *Sim) Timer(t Time, id int32) { s.events.Put(max(t, s.now), occasion{timer, id, 0}) }

// Fail ends the run: the workload cannot go on. Run returns the first error.
func (s *Sim) Fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
	s.stopped = true
}

// Run lets time go on until a moment, the end of the traffic or a deadlock. What is measured begins at
// the end of the warm-up.
func (s *Sim) Run(ctx context.Context, warmup, until Time) (*Result, error) {
	until = min(max(until, 0), 1<<62) // sums with the times of a Config stay in range
	s.measure.from = max(warmup, 0)
	s.work.Begin(s)
	if s.config.DeadlockCheck > 0 {
		s.events.Put(s.config.DeadlockCheck, occasion{kind: search})
	}
	for n := 0; !s.stopped; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, ok := s.events.Next()
		if !ok || t > until {
			break
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

func (s *Sim) handle(e occasion) {
	switch e.kind {
	case atSwitch:
		s.arrive(e.of, e.with)
	case atEnd:
		s.deliver(e.of, e.with)
	case asks:
		// No other packet of the same number can be the first by then: the link is busy with this one for longer.
		if s.queues[e.of].head == e.with {
			s.ask(e.of)
		}
	case isFree:
		s.links[e.of].wakes = false
		s.send(e.of)
	case credit:
		q := &s.queues[e.of]
		q.credits += e.with
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
		s.offer(e.of)
	}
}

// search looks for a deadlock, and again later while anything else is to come.
func (s *Sim) search() {
	if s.deadlock == nil {
		if s.deadlock = s.findDeadlock(); s.deadlock != nil && !s.config.GoOn {
			s.stopped = true
			return
		}
	}
	if s.events.Len() > 0 {
		s.events.Put(s.now+s.config.DeadlockCheck, occasion{kind: search})
	}
}

// newPacket takes an unused packet.
func (s *Sim) newPacket() int32 {
	if s.unused == none {
		s.packets = append(s.packets, packet{})
		return int32(len(s.packets) - 1)
	}
	i := s.unused
	s.unused = s.packets[i].next
	return i
}

// forget gives a packet back.
func (s *Sim) forget(i int32) {
	s.packets[i].next, s.unused = s.unused, i
}
