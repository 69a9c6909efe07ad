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

// agent is the state of an Agent.
type agent struct {
	at          Address
	first, num  int32 // ports
	known       bool  // its ClassPortInfo was read
	ext, errors bool  // has PortCountersExtended; these include the error counters
	moved       bool  // it has redirected requests
	failed      int   // consecutive rounds without an answer
	skip        int   // rounds left to skip
}

// kind is the type of a request to an agent.
type kind uint8

const (
	classInfo kind = iota
	readExtended
	readPlain
	clearPlain
)

// pending is a request under way.
type pending struct {
	tag   uint64 // 0: free
	kind  kind
	agent int32
	port  int32
	mask  uint32
}

// Monitor polls the counters. Its clock never goes back. It is not for concurrent use.
type Monitor struct {
	cfg    Config
	subnet *Subnet
	agents []agent
	ports  []port

	pending []pending
	count   uint64    // tags used
	more    []pending // requests to send next
	under   int       // requests under way

	round
	totals
	events []Event
	base   *cables.Report // report on the cables without counters
	report *Report
}

// round is the state of a round: one reading of all ports.
type round struct {
	begun     time.Duration
	due       time.Duration // time of the next request, to spread them over the Interval
	gap       time.Duration // between two requests, likewise
	free      time.Duration // earliest time of the next request, by the Rate
	atAgent   int
	atPort    int32 // index among the agent's ports
	asked     int
	passed    int // events in this round
	active    bool
	nextBegin time.Duration
}

// totals are sums since the start.
type totals struct {
	requests, failures, back int
	gone                     [mad.NumCounters]uint64 // counts of ports that have left the subnet
}

// New returns a Monitor without a subnet.
func New(cfg Config) *Monitor {
	if cfg.Rate <= 0 {
		cfg.Rate = UsualRate
	}
	if cfg.Window <= 0 {
		cfg.Window = UsualWindow
	}
	return &Monitor{cfg: cfg, pending: make([]pending, cfg.Window)}
}

// Follow sets the subnet to poll from now on, nil for none. Ports of the previous subnet keep their
// counts.
func (m *Monitor) Follow(now time.Duration, s *Subnet) {
	old := map[key]*port{}
	for i := range m.ports {
		p := &m.ports[i]
		old[key{m.subnet.Fabric.Nodes[p.end.Node].GUID, p.end.Port}] = p
	}
	was := map[key]agent{}
	for _, a := range m.agents {
		p := &m.ports[a.first]
		was[key{m.subnet.Fabric.Nodes[p.end.Node].GUID, p.end.Port}] = a
	}
	m.subnet, m.agents, m.ports, m.more, m.under = s, nil, nil, nil, 0
	clear(m.pending)
	m.round = round{nextBegin: now}
	if s == nil {
		s = &Subnet{}
	}
	for i := range s.Agents {
		a := &s.Agents[i]
		next := agent{at: Address{LID: a.LID, SL: a.SL, QP: 1}, first: int32(len(m.ports)), num: int32(len(a.Ports))}
		guid := s.Fabric.Nodes[a.Node].GUID
		if w, ok := was[key{guid, a.Ports[0]}]; ok && !w.moved {
			next.known, next.ext, next.errors, next.failed, next.skip = w.known, w.ext, w.errors, w.failed, w.skip
		}
		for _, number := range a.Ports {
			p := port{end: fabric.End{Node: a.Node, Port: number}, agent: int32(i)}
			if o := old[key{guid, number}]; o != nil {
				p.at, p.took, p.over, p.counts = o.at, o.took, o.over, o.counts
				delete(old, key{guid, number})
			}
			m.ports = append(m.ports, p)
		}
		m.agents = append(m.agents, next)
	}
	for _, p := range old {
		for c, n := range p.total {
			m.gone[c] += n
		}
	}
	m.base, m.report = nil, nil
}

// Next returns the next request, or nil if there is none to send now. Then call it again at time
// wake, or after an answer.
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
	if m.under >= len(m.pending) {
		return nil, never
	}
	if next := max(m.due, m.free); now < next {
		return nil, next
	}
	p, ok := m.choose()
	if !ok {
		if m.under > 0 {
			return nil, never
		}
		m.end(now)
		return nil, m.nextBegin
	}
	m.due += m.gap
	least := time.Second / time.Duration(m.cfg.Rate)
	m.free = max(m.free, now-time.Duration(len(m.pending))*least) + least
	return m.ask(p), now
}

// begin starts a round.
func (m *Monitor) begin(now time.Duration) {
	m.round = round{begun: now, due: now, free: m.free, active: true}
	requests := time.Duration(len(m.ports))
	for i := range m.agents {
		if a := &m.agents[i]; !a.known {
			requests++
		} else if a.ext && !a.errors {
			requests += time.Duration(a.num)
		}
		if m.agents[i].skip > 0 {
			m.agents[i].skip--
		}
	}
	m.gap = m.cfg.Interval * 9 / 10 / (requests + 1)
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
	for ; m.atAgent < len(m.agents); m.atAgent, m.atPort = m.atAgent+1, 0 {
		a := &m.agents[m.atAgent]
		switch {
		case a.skip > 0:
		case !a.known: // its ports follow after the answer
			m.atAgent++
			return pending{kind: classInfo, agent: int32(m.atAgent - 1), port: a.first}, true
		case m.atPort < a.num:
			m.atPort++
			return m.reading(int32(m.atAgent), m.atPort-1), true
		}
	}
	return pending{}, false
}

// reading returns the request for the counters of an agent's port.
func (m *Monitor) reading(agent, at int32) pending {
	p := pending{kind: readPlain, agent: agent, port: m.agents[agent].first + at}
	if m.agents[agent].ext {
		p.kind = readExtended
	}
	return p
}

// ask stores a request as pending, and returns it in full.
func (m *Monitor) ask(p pending) *Ask {
	slot := 0
	for m.pending[slot].tag != 0 {
		slot++
	}
	m.count++
	p.tag = m.count<<16 | uint64(slot)
	m.pending[slot] = p
	m.under++
	m.asked++
	m.requests++
	a := &Ask{Tag: p.tag, To: m.agents[p.agent].at, Method: mad.Get}
	number := uint64(m.ports[p.port].end.Port)
	switch p.kind {
	case classInfo:
		a.Attr = mad.AttrClassPortInfo
	case readExtended:
		a.Attr = mad.AttrPortCountersExtended
		mad.PortCountersExtendedPortSelect.Put(a.Data[:], number)
	case readPlain, clearPlain:
		a.Attr = mad.AttrPortCounters
		mad.PortCountersPortSelect.Put(a.Data[:], number)
		if p.kind == clearPlain {
			a.Method = mad.Set
			mad.PortCountersCounterSelect.Put(a.Data[:], uint64(p.mask)&0xFFFF)
			mad.PortCountersCounterSelect2.Put(a.Data[:], uint64(p.mask)>>16)
		}
	}
	return a
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
	m.under--
	switch outcome {
	case Answered:
		m.agents[p.agent].failed = 0
		m.answered(now, p, data)
	case Redirected:
		m.redirected(p, data)
	case Refused:
		m.refused(p)
	case Silent:
		m.failures++
		m.giveUp(p.agent)
	}
}

// Events returns the events since the last call.
func (m *Monitor) Events() (events []Event) {
	events, m.events = m.events, nil
	return events
}

// Report returns the report of the last complete round, nil before the first. It does not change
// later.
func (m *Monitor) Report() *Report { return m.report }
