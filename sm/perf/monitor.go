package perf

import (
	"time"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/wire/mad"
)

// Ask is a request to a performance management agent.
type Ask struct {
	Tag    uint64 // comes back with the answer
	To     Address
	Method mad.Method
	Attr   mad.AttrID
	Data   [192]byte // of the attribute
}

// Address is the destination of a request.
type Address struct {
	LID  fabric.LID
	SL   uint8
	QP   uint32
	QKey uint32 // 0: the default one
}

// Outcome is the result of a request.
type Outcome uint8

// The outcomes.
const (
	Answered   Outcome = iota
	Refused            // with an error status
	Redirected         // the answer is a ClassPortInfo with the new address
	Silent
)

// Event reports that a counter's rate has exceeded its threshold, or fallen below it again.
type Event struct {
	Port    fabric.PortName
	Counter string
	Passed  bool
	Rate    float64 // per minute
	Most    float64 // the threshold
	More    int     // if not 0: number of further events in this round; the other fields are empty
}

// agent is the state of an Agent, as long as it stays in the subnet.
type agent struct {
	at, home    Address // where it is asked; without a redirection
	index       int     // in Monitor.agents
	ports       []*port // by number; also those that have lost their cable
	next        int     // index of the first port that may not have been asked in this round
	under       int     // requests under way
	ready       bool    // is in Monitor.ready
	asked       bool    // for its ClassPortInfo or its sums, in this round
	known       bool    // its ClassPortInfo was read
	ext, errors bool    // has PortCountersExtended; these include the error counters
	moved       bool    // it has redirected requests
	gone        bool    // it has left the subnet
	failed      int     // consecutive rounds without an answer
	skip        int     // rounds left to skip
	sums        sums    // of its ports
}

// kind is the type of a request to an agent.
type kind uint8

const (
	classInfo kind = iota
	readExtended
	readPlain
	readSums
	clearPlain
)

// pending is a request under way.
type pending struct {
	tag   uint64 // 0: free
	kind  kind
	agent *agent
	port  *port
	mask  uint32
}

// Monitor polls the counters. Its clock never goes back. It is not for concurrent use.
type Monitor struct {
	cfg    Config
	subnet *Subnet
	agents []*agent
	ports  []*port       // of the agents, in their order
	all    map[key]*port // and those that have left, up to mostAway

	pending []pending
	unused  []int     // free places of pending
	ask     Ask       // the last one
	ready   []*agent  // to be asked for their next ports, in this order
	count   uint64    // tags used
	more    []pending // requests to send next
	under   int       // requests under way

	round
	totals
	events []Event
	base   *cables.Report // report on the cables without counters
	named  []Port         // ports by name; nil after a change of the subnet
	report *Report
}

// round is the state of a round: one reading of all ports.
type round struct {
	number    int
	begun     time.Duration
	due       time.Duration // time of the next request, to spread them over the Interval
	gap       time.Duration // between two requests, likewise
	free      time.Duration // earliest time of the next request, by the Rate
	together  time.Duration // requests that are due wait until then, for one wake-up of the process
	asked     int
	passed    int // events in this round
	active    bool
	nextBegin time.Duration
}

// totals are sums since the start.
type totals struct {
	requests, failures, back int
	gone                     [mad.NumCounters]uint64 // counts of ports that are forgotten
}

// New returns a Monitor without a subnet.
func New(cfg Config) *Monitor {
	cfg.fillIn()
	m := &Monitor{cfg: cfg, pending: make([]pending, cfg.Window), all: map[key]*port{}}
	m.freeAll()
	return m
}

// Configure changes Interval and Rate. All counts stay.
func (m *Monitor) Configure(now time.Duration, cfg Config) {
	cfg.fillIn()
	if cfg.Interval == m.cfg.Interval && cfg.Rate == m.cfg.Rate {
		return
	}
	m.cfg.Interval, m.cfg.Rate = cfg.Interval, cfg.Rate
	m.free = min(m.free, now)
	if m.active {
		m.spread(now)
	} else if m.number > 0 {
		m.nextBegin = max(now, m.begun+cfg.Interval)
	}
}

// Next returns the next request, which is valid until the next call, or nil if there is none to
// send now. Then call it again at time wake, or after an answer.
func (m *Monitor) Next(now time.Duration) (ask *Ask, wake time.Duration) {
	const never = time.Duration(1<<63 - 1)
	if len(m.agents) == 0 || m.cfg.Interval <= 0 {
		return nil, never
	}
	if !m.active {
		if now < m.nextBegin {
			return nil, m.nextBegin
		}
		m.begin(now)
	}
	if next := max(m.due, m.free); now < next {
		few := max(1, len(m.pending)*7/8) // some more are due when the process wakes up late
		m.together = next + min(m.gap*time.Duration(few-1), mostHeld, m.cfg.Interval/50)
	}
	if now < m.together {
		return nil, m.together
	}
	least := time.Second / time.Duration(m.cfg.Rate)
	if m.under >= len(m.pending) { // late: the next ones go together, too
		return nil, now + least*time.Duration(len(m.pending)+1)/2
	}
	p, ok := m.choose()
	if !ok {
		if m.under > 0 {
			return nil, never
		}
		m.end(now)
		return nil, m.nextBegin
	}
	if p.kind != readPlain || !p.agent.sums.can { // spread does not expect it
		m.due += m.gap
	}
	m.free = max(m.free, now-time.Duration(len(m.pending))*least) + least
	m.fill(p)
	m.makeReady(p.agent)
	return &m.ask, now
}

const (
	// mostHeld bounds the time that a request waits for others, so that the process wakes up once
	// for several. It is at most a fiftieth of the Interval.
	mostHeld = 400 * time.Millisecond
	// mostAtAgent bounds the requests under way to one agent. With many agents it is one at a time.
	mostAtAgent = 4
)

// begin starts a round.
func (m *Monitor) begin(now time.Duration) {
	m.round = round{number: m.number + 1, begun: now, free: m.free, active: true}
	for _, a := range m.agents {
		a.next, a.asked, a.skip = 0, false, max(0, a.skip-1)
		m.makeReady(a)
	}
	m.spread(now)
}

// spread spreads the requests of a round over the Interval, from now on.
func (m *Monitor) spread(now time.Duration) {
	requests := len(m.ports)
	for _, a := range m.agents {
		if a.mustTell(m.number) || !a.known {
			requests++
		}
		if a.ext && !a.errors && !a.sums.can {
			requests += len(a.ports)
		}
	}
	m.due, m.together, m.gap = now, 0, m.cfg.Interval*9/10/time.Duration(requests+1)
}

// end finishes a round.
func (m *Monitor) end(now time.Duration) {
	if m.passed > mostEvents {
		m.events = append(m.events, Event{More: m.passed - mostEvents})
	}
	m.makeReport(now)
	m.active, m.nextBegin = false, max(now, m.begun+m.cfg.Interval)
}

// choose returns the next request of the round.
func (m *Monitor) choose() (pending, bool) {
	if n := len(m.more); n > 0 {
		p := m.more[n-1]
		m.more = m.more[:n-1]
		return p, true
	}
	for len(m.ready) > 0 {
		a := m.ready[0]
		m.ready, a.ready = m.ready[1:], false
		p := a.port(m.number)
		switch {
		case p == nil || a.skip > 0:
		case a.isOpen(m.number):
			p.asked = m.number
			return a.reading(p), true
		case a.asked:
		case a.known: // its ports follow after the answer
			a.asked = true
			return pending{kind: readSums, agent: a, port: p}, true
		default: // likewise
			a.asked = true
			return pending{kind: classInfo, agent: a, port: p}, true
		}
	}
	return pending{}, false
}

// makeReady has an agent asked for its next port after the agents that are ready before it. So the
// agents take turns, and the requests to a switch are spread over the Interval.
func (m *Monitor) makeReady(a *agent) {
	if m.active && !a.ready && a.under < mostAtAgent && a.skip == 0 && (a.isOpen(m.number) || !a.asked) && a.port(m.number) != nil {
		a.ready, m.ready = true, append(m.ready, a)
	}
}

// port returns the next port to ask in a round, nil if all were asked.
func (a *agent) port(round int) *port {
	for ; a.next < len(a.ports); a.next++ {
		if p := a.ports[a.next]; p.asked != round {
			return p
		}
	}
	return nil
}

// reading returns the request for the counters of a port.
func (a *agent) reading(p *port) pending {
	if a.ext {
		return pending{kind: readExtended, agent: a, port: p}
	}
	return pending{kind: readPlain, agent: a, port: p}
}

// freeAll forgets the requests under way.
func (m *Monitor) freeAll() {
	clear(m.pending)
	m.unused = m.unused[:0]
	for slot := range m.pending {
		m.unused = append(m.unused, slot)
	}
}

// fill stores a request as pending, and as the last Ask.
func (m *Monitor) fill(p pending) {
	slot := m.unused[len(m.unused)-1]
	m.unused = m.unused[:len(m.unused)-1]
	m.count++
	p.tag = m.count<<16 | uint64(slot)
	m.pending[slot] = p
	m.under++
	p.agent.under++
	m.asked++
	m.requests++
	a := &m.ask
	*a = Ask{Tag: p.tag, To: p.agent.at, Method: mad.Get}
	number := uint64(p.port.id.port)
	switch p.kind {
	case classInfo:
		a.Attr = mad.AttrClassPortInfo
	case readExtended:
		a.Attr = mad.AttrPortCountersExtended
		mad.PortCountersExtendedPortSelect.Put(a.Data[:], number)
	case readPlain, clearPlain, readSums:
		a.Attr = mad.AttrPortCounters
		if p.kind == readSums {
			number = mad.PerfPortSelectAll
		}
		mad.PortCountersPortSelect.Put(a.Data[:], number)
		if p.kind == clearPlain {
			a.Method = mad.Set
			mad.PortCountersCounterSelect.Put(a.Data[:], uint64(p.mask)&0xFFFF)
			mad.PortCountersCounterSelect2.Put(a.Data[:], uint64(p.mask)>>16)
		}
	}
}

// Ended handles the end of a request; data is the attribute, if the outcome has one. It ignores
// unknown tags.
func (m *Monitor) Ended(now time.Duration, tag uint64, outcome Outcome, data []byte) {
	slot := int(tag & 0xFFFF)
	if slot >= len(m.pending) || m.pending[slot].tag != tag || tag == 0 {
		return
	}
	p := m.pending[slot]
	m.pending[slot] = pending{}
	m.unused = append(m.unused, slot)
	m.under--
	p.agent.under--
	if p.agent.gone {
		return
	}
	switch outcome {
	case Answered:
		p.agent.failed = 0
		m.answered(now, p, data)
	case Redirected:
		m.redirected(p, data)
	case Refused:
		m.refused(p)
	case Silent:
		m.failures++
		m.giveUp(p.agent)
	}
	m.makeReady(p.agent)
}

// Events returns the events since the last call.
func (m *Monitor) Events() (events []Event) {
	events, m.events = m.events, nil
	return events
}

// Report returns the report of the last complete round, nil before the first. Changes of the subnet
// leave it. It does not change later.
func (m *Monitor) Report() *Report { return m.report }
