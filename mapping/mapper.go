package mapping

import (
	"math/rand/v2"
	"time"
)

// Prober is all that an algorithm sees of a network: who answers a message with these
// turns, and the time that this took.
type Prober interface {
	Probe(turns []Turn) (Reply, time.Duration)
}

// Reply is the answer to a probe; the zero Reply is silence.
type Reply struct {
	Answered bool
	Host     Host // who answered; the mapper itself when its own message came back
	Early    bool // the host was reached with turns left, and answers all the same
	Switch   ID   // of self-identifying switches: the one where the message turned round
}

// ID is what a self-identifying switch writes into a message that turns round in it,
// as NodeInfo tells NodeGUID, LocalPortNum and NumPorts. Ports is 0 when the switches
// are anonymous.
type ID struct {
	Number uint64
	Port   int32 // by which the message came in, from 0
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

// Conditions are what a mapper finds besides the network.
type Conditions struct {
	Clock Clock
	// SelfIdentifying switches write their ID into messages that turn round in them.
	SelfIdentifying bool
	// Responding says by host which of them answer; nil means that all do.
	Responding []bool
	// Loss is the share of probes that other traffic swallows or delays beyond the
	// timeout, drawn from Seed.
	Loss float64
	Seed uint64
}

// Mapper is a host that sends probes. It serves one goroutine.
type Mapper struct {
	Model *Model
	Host  int32

	cond Conditions
	rng  *rand.Rand

	// What became of the messages so far, by Outcome.
	Outcomes [Lost + 1]int
	// Elapsed is the modelled time so far.
	Elapsed time.Duration
}

// NewMapper makes the mapper of a host.
func NewMapper(m *Model, host int32, cond Conditions) *Mapper {
	if cond.Clock == (Clock{}) {
		cond.Clock = MyrinetClock
	}
	return &Mapper{Model: m, Host: host, cond: cond, rng: rand.New(rand.NewPCG(cond.Seed, 0x9a9))}
}

// Probe sends a message and waits for the answer or the timeout.
func (m *Mapper) Probe(turns []Turn) (Reply, time.Duration) {
	outcome, at, hops := m.Model.Send(m.Host, turns)
	if outcome == Delivered && m.cond.Loss > 0 && m.rng.Float64() < m.cond.Loss {
		outcome = Lost
	}
	m.Outcomes[outcome]++
	back := at == m.Host
	if outcome != Delivered || !back && m.cond.Responding != nil && !m.cond.Responding[at] {
		m.Elapsed += m.cond.Clock.Timeout
		return Reply{}, m.cond.Clock.Timeout
	}
	way := time.Duration(hops)*m.cond.Clock.Hop +
		time.Duration(int64(m.Model.Hardware.Payload+len(turns))*int64(time.Second)/m.cond.Clock.Rate)
	if !back {
		way *= 2 // the host answers by the same way
	}
	took := m.cond.Clock.Overhead + way
	m.Elapsed += took
	reply := Reply{Answered: true, Host: m.Model.Hosts[at], Early: hops <= len(turns)}
	if m.cond.SelfIdentifying && back && !reply.Early {
		reply.Switch = m.turnedRound(turns)
	}
	return reply, took
}

// turnedRound is the identity of the first switch in which the message last sent took
// the turn 0.
func (m *Mapper) turnedRound(turns []Turn) ID {
	n := m.Model.Network
	for i, t := range turns {
		if t != 0 {
			continue
		}
		in := n.peer[m.Model.path[i]]
		node := n.node[in]
		return ID{Number: uint64(node), Port: in - n.start[node], Ports: n.Ports(node)}
	}
	return ID{}
}
