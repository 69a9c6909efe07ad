package mapping

import (
	"cmp"
	"time"
)

// Prober answers probes. An algorithm learns of a network only the answer to a message with some
// turns, and the time until the answer.
type Prober interface {
	Probe(turns []Turn) (Reply, time.Duration)
}

// ProbeFunc is a function that serves as a Prober.
type ProbeFunc func(turns []Turn) (Reply, time.Duration)

// Probe calls it.
func (f ProbeFunc) Probe(turns []Turn) (Reply, time.Duration) { return f(turns) }

// Reply is the answer to a probe; the zero Reply is silence.
type Reply struct {
	Answered bool
	Host     Host // the answering host; the mapper itself if its own message came back
	Early    bool // the host was reached with turns left, and still answers
	Left     int  // number of turns left
	Switch   ID   // with self-identifying switches: the one where the message turned round
}

// ID names a self-identifying switch. The switch writes it into a message that turns round in it,
// as NodeInfo has NodeGUID, LocalPortNum and NumPorts. Ports is 0 if the switches are anonymous.
type ID struct {
	Number uint64
	Port   int32 // input port of the message, from 0
	Ports  int32
}

// Clock models time. Times are modelled, never measured.
type Clock struct {
	Overhead time.Duration // software, of an answered probe
	Timeout  time.Duration // of a silent one
	Hop      time.Duration // worst latency of a switch
	Rate     int64         // of a link, in bytes a second
}

// MyrinetClock has the latency and rate of section 1.1. Overhead and timeout are
// fitted to Figs. 6 and 7: 264, 511 and 1,051 answered and 186, 392 and 960 silent
// probes took 256, 522 and 1,011 ms.
var MyrinetClock = Clock{Overhead: 450 * time.Microsecond, Timeout: 700 * time.Microsecond, Hop: 550 * time.Nanosecond, Rate: 160e6}

// Conditions describes hosts, switches and traffic during mapping.
type Conditions struct {
	Clock Clock
	// SelfIdentifying switches write their ID into messages that turn round in them.
	SelfIdentifying bool
	// Responding tells by host whether it answers; nil means that all do.
	Responding []bool
	// Traffic of applications; its effect on probes is drawn from Seed.
	Traffic
	Seed uint64
	// Draw distinguishes mappers of one host with the same seed.
	Draw uint64
}

// Mapper is a host that sends probes. It serves one goroutine.
type Mapper struct {
	Model *Model
	Host  int32

	cond        Conditions
	disturbance *Disturbance
	late        []lateAnswer

	// Wires holds the wires of the network. Mappers that share it wait for each other.
	Wires  *Wires
	delays int

	// Outcomes counts the messages so far by outcome.
	Outcomes [Outcomes]int
	// Elapsed is the modelled time so far.
	Elapsed time.Duration
}

// NewMapper returns the mapper of a host, which is wired to a switch.
func NewMapper(m *Model, host int32, cond Conditions) *Mapper {
	cond.Clock = cmp.Or(cond.Clock, MyrinetClock)
	return &Mapper{Model: m, Host: host, cond: cond, disturbance: NewDisturbance(m.Network, cond.Traffic, cond.Seed, uint64(host)+cond.Draw<<32), Wires: NewWires(m.Network, cond.Clock)}
}

// Reconnect replaces the network by a changed one. host is the number of the host there; -1 means
// that it has no wire. Busy wires are drawn anew.
func (m *Mapper) Reconnect(model *Model, host int32) {
	m.Model, m.Host, m.disturbance.busy = model, host, m.cond.busyWires(model.Network, m.cond.Seed)
	m.Wires = NewWires(model.Network, m.cond.Clock)
}

// Delays returns the number of answers that missed the timeout because a wire was held.
func (m *Mapper) Delays() int { return m.delays }

// WaitLonger makes the timeout longer than any wire can be held.
func (m *Mapper) WaitLonger() {
	m.cond.Clock.Timeout = max(m.cond.Clock.Timeout, 2*m.Model.Hardware.Break)
}

// Probe sends a message and waits for the answer or the timeout.
func (m *Mapper) Probe(turns []Turn) (Reply, time.Duration) {
	if m.Host < 0 {
		m.Outcomes[NoSuchWire]++
		m.Elapsed += m.cond.Clock.Timeout
		return Reply{}, m.cond.Clock.Timeout
	}
	outcome, at, hops := m.Model.Send(m.Host, turns)
	back := at == m.Host
	var answer Reply
	if outcome == Delivered {
		if outcome = m.disturbance.Outcome(m.Model, back); back || m.cond.Responding == nil || m.cond.Responding[at] {
			answer = m.answer(at, hops, turns)
		}
	}
	before, within := m.cross(answer.Answered && !back, hops, len(turns))
	m.Elapsed += before
	took := m.cond.Clock.RoundTrip(hops, m.Model.Hardware.Payload+len(turns), back) + within
	switch timeout := m.cond.Clock.Timeout; {
	case !answer.Answered || outcome != Delivered && outcome != Late:
		answer = Reply{}
	case outcome == Late:
		m.addLate(turns, answer, m.disturbance.Delay(timeout))
		answer = Reply{}
	case within > 0 && took > timeout:
		outcome = Late
		m.delays++
		m.addLate(turns, answer, took)
		answer = Reply{}
	}
	m.Outcomes[outcome]++
	if !answer.Answered {
		answer, took = m.takeLate(turns)
	}
	m.Elapsed += took
	return answer, before + took
}

// answer returns the answer of the host where the latest message ended.
func (m *Mapper) answer(at int32, hops int, turns []Turn) Reply {
	r := Reply{Answered: true, Host: m.Model.Hosts[at], Early: hops <= len(turns), Left: len(turns) + 1 - hops}
	if m.cond.SelfIdentifying && at == m.Host && !r.Early {
		r.Switch = m.Model.TurnedRound(turns)
	}
	return r
}

// cross makes the latest message occupy its wires, and a host's answer the wires back. It returns
// how long the message waited before it left, and how long message and answer waited on their
// paths.
func (m *Mapper) cross(answered bool, hops, turns int) (before, within time.Duration) {
	before, within = m.Wires.Cross(m.Model, m.Elapsed, turns)
	if answered {
		arrives := m.Elapsed + before + within + m.cond.Clock.Way(hops, m.Model.Hardware.Payload+turns)
		m.Model.TurnBack()
		own, others := m.Wires.Cross(m.Model, arrives, turns)
		within += own + others
	}
	return before, within
}

// RoundTrip returns the time of an answered probe over this many wires: the message itself comes
// back, or a host answers over the same path.
func (c Clock) RoundTrip(hops, bytes int, back bool) time.Duration {
	way := c.Way(hops, bytes)
	if !back {
		way *= 2
	}
	return c.Overhead + way
}

// Way returns the time that a message takes over this many wires.
func (c Clock) Way(hops, bytes int) time.Duration {
	return time.Duration(hops)*c.Hop + time.Duration(int64(bytes)*int64(time.Second)/c.Rate)
}
