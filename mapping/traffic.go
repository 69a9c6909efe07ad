package mapping

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Traffic holds the shares of probes that application messages disturb (section 6 of the paper asks
// for such a model). A probe and its answer count as one.
type Traffic struct {
	Loss    float64 // share of lost probes: a blocked worm is cut off
	Late    float64 // share answered after the timeout
	Corrupt float64 // share with a wrong bit: the CRC shows it, and the probe is dropped
	// Busy is the share of wires that are so busy that they lose BusyLoss of all messages crossing
	// them.
	Busy float64
}

// BusyLoss is the share of messages that a busy wire loses.
const BusyLoss = 0.2

// Check refuses numbers that are not shares.
func (t Traffic) Check() error {
	for _, s := range []struct {
		name  string
		share float64
	}{{"lost", t.Loss}, {"late", t.Late}, {"corrupted", t.Corrupt}, {"on busy wires", t.Busy}} {
		if !(s.share >= 0 && s.share < 1) {
			return fmt.Errorf("mapping: %v is not a share of probes %s: want at least 0 and below 1", s.share, s.name)
		}
	}
	if sum := t.Loss + t.Late + t.Corrupt; sum >= 1 {
		return fmt.Errorf("mapping: a share of %v of all probes is lost, late or corrupted: none would be answered", sum)
	}
	return nil
}

// Quiet reports whether there is no traffic.
func (t Traffic) Quiet() bool { return t == Traffic{} }

// Disturbance applies traffic to the messages of one host.
type Disturbance struct {
	traffic Traffic
	busy    []bool // by wire-end
	rng     *rand.Rand
}

// NewDisturbance returns the effect of traffic on the messages of one host, drawn from a seed and a
// number of its own. The choice of busy wires depends on the seed alone.
func NewDisturbance(n *Network, t Traffic, seed, own uint64) *Disturbance {
	return &Disturbance{t, t.busyWires(n, seed), rand.New(rand.NewPCG(seed, 0x9a9+own))}
}

// busyWires draws the busy wires, by wire-end.
func (t Traffic) busyWires(n *Network, seed uint64) []bool {
	if t.Busy == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0xb05))
	busy := make([]bool, len(n.peer))
	for e, p := range n.peer {
		if int32(e) < p {
			busy[e] = rng.Float64() < t.Busy
			busy[p] = busy[e]
		}
	}
	return busy
}

// Outcome returns the outcome in traffic of the model's latest message, which would otherwise be
// delivered; back means that it came back to its sender.
func (d *Disturbance) Outcome(m *Model, back bool) Outcome {
	for _, e := range m.path {
		if d.busy == nil {
			break
		}
		if d.busy[e] && (d.rng.Float64() < BusyLoss || !back && d.rng.Float64() < BusyLoss) {
			return Lost
		}
	}
	t := &d.traffic
	if t.Loss+t.Late+t.Corrupt == 0 {
		return Delivered
	}
	switch draw := d.rng.Float64(); {
	case draw < t.Loss:
		return Lost
	case draw < t.Loss+t.Late:
		return Late
	case draw < t.Loss+t.Late+t.Corrupt:
		return Corrupted
	}
	return Delivered
}

// Delay returns the time from a probe to its late answer.
func (d *Disturbance) Delay(timeout time.Duration) time.Duration {
	return time.Duration((1 + latestAnswer*d.rng.Float64()) * float64(timeout))
}

// lateAnswer is an answer that arrives after the timeout. Probes are numbered, so it is never taken
// for the answer to another one; it still counts if the same probe is sent again.
type lateAnswer struct {
	turns []Turn
	reply Reply
	at    time.Duration // time of arrival
}

const (
	latestAnswer = 4  // timeouts within which late answers arrive
	mostLate     = 64 // late answers to remember
)

// addLate notes an answer that comes too late, this long after the probe.
func (m *Mapper) addLate(turns []Turn, reply Reply, after time.Duration) {
	if len(m.late) == mostLate {
		m.late = slices.Delete(m.late, 0, 1)
	}
	m.late = append(m.late, lateAnswer{slices.Clone(turns), reply, m.Elapsed + after})
}

// takeLate waits for the answer to an earlier probe with the same turns, until the
// timeout of this one.
func (m *Mapper) takeLate(turns []Turn) (Reply, time.Duration) {
	for i, l := range m.late {
		if wait := max(0, l.at-m.Elapsed); wait < m.cond.Clock.Timeout && slices.Equal(l.turns, turns) {
			m.late = slices.Delete(m.late, i, i+1)
			return l.reply, wait + m.cond.Clock.Overhead/2
		}
	}
	return Reply{}, m.cond.Clock.Timeout
}
