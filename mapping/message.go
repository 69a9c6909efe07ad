package mapping

import (
	"fmt"
	"time"
)

// Turn is the output port of a message at a switch, relative to its input port. The sum is not
// taken modulo the number of ports.
type Turn = int8

// Outcome is the end of a message.
type Outcome uint8

// The outcomes: delivered, the four defects of a routing address (section 2.2), and the failures of
// messages on a valid path.
const (
	Delivered   Outcome = iota
	IllegalTurn         // there is no such port
	NoSuchWire          // the port has no wire
	HostTooSoon         // a host, but turns are left
	Stranded            // a switch, but no turns are left
	Collided            // with itself
	Lost                // to other traffic
	Late                // the answer comes after the timeout
	Corrupted           // by other traffic, noticed by its CRC and dropped
	Outcomes    int     = iota
)

// String names the outcome.
func (o Outcome) String() string {
	names := [...]string{"delivered", "illegal turn", "no such wire", "hit a host too soon", "stranded in network", "collided with itself", "lost", "late", "corrupted"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Collision is a collision rule.
type Collision string

// The rules, explained in the package comment.
const (
	Packet     Collision = "packet"
	Circuit    Collision = "circuit"
	CutThrough Collision = "cut-through"
)

// Collisions lists the rules.
func Collisions() []Collision { return []Collision{Packet, Circuit, CutThrough} }

// ParseCollision reads the name of a rule.
func ParseCollision(name string) (Collision, error) {
	for _, c := range Collisions() {
		if string(c) == name {
			return c, nil
		}
	}
	return "", fmt.Errorf("mapping: unknown collision model %q (want one of %v)", name, Collisions())
}

// Hardware describes the switches and messages of section 1.1.
type Hardware struct {
	Buffer  int // capacity of a port's buffer
	Payload int // bytes of a message without its turns: header, data, CRC, tail
	// Early makes a host answer a message that reaches it with turns left, as section 6 supposes.
	Early bool
	// Break is the longest time that a message waits for a wire; then a switch destroys the message
	// that holds it.
	Break time.Duration
}

// Myrinet is the hardware of the paper. It does not print the size of a probe; 200 bytes are about
// two ports' buffers, so that worms do step on their tails. The break is from section 2.2; section
// 1.1 says 50 ms.
var Myrinet = Hardware{Buffer: 108, Payload: 200, Break: 55 * time.Millisecond}

// Model is a network with its collision rule.
type Model struct {
	*Network
	Rule     Collision
	Hardware Hardware

	used []int32 // by wire-end: the step in which the message left through it, from 1
	path []int32 // wire-ends through which the message left
	met  int     // index of the first wire-end that the message still held when it came back, or len(path)
}

// NewModel returns a model; it serves one goroutine.
func NewModel(n *Network, rule Collision, hw Hardware) *Model {
	return &Model{Network: n, Rule: rule, Hardware: hw, used: make([]int32, len(n.peer))}
}

// Send follows a message from a host. It returns the outcome, the node where the message ended, and
// the number of wires crossed.
func (m *Model) Send(from int32, turns []Turn) (Outcome, int32, int) {
	outcome, at := m.walk(from, turns)
	if m.met = m.collision(len(turns)); m.met < len(m.path) {
		outcome = Collided
	}
	return outcome, m.node[at], len(m.path)
}

// Path returns the wire-ends through which the latest message left nodes, numbered by node and
// port. It is valid until the next message.
func (m *Model) Path() []int32 { return m.path }

// TurnedRound returns the identity of the first switch where the latest message took the turn 0.
func (m *Model) TurnedRound(turns []Turn) ID {
	for i, t := range turns {
		if t != 0 {
			continue
		}
		in := m.peer[m.path[i]]
		node := m.node[in]
		return ID{Number: uint64(node), Port: in - m.start[node], Ports: m.Ports(node)}
	}
	return ID{}
}

// walk follows a message, and records the wire-end through which it leaves each node.
func (m *Model) walk(from int32, turns []Turn) (Outcome, int32) {
	out := m.start[from]
	m.path = m.path[:0]
	for i := 0; ; i++ {
		in := m.peer[out]
		if in == NoPeer {
			return NoSuchWire, out
		}
		m.path = append(m.path, out)
		node := m.node[in]
		if m.IsHost(node) {
			if i == len(turns) {
				return Delivered, in
			}
			if m.Hardware.Early {
				return Delivered, in
			}
			return HostTooSoon, in
		}
		if i == len(turns) {
			return Stranded, in
		}
		out = in + int32(turns[i])
		if out < m.start[node] || out >= m.start[node+1] {
			return IllegalTurn, in
		}
	}
}

// collision returns the step at which the message on m.path needs a wire that it still holds, or
// len(m.path) if there is none.
func (m *Model) collision(turns int) int {
	if m.Rule == Packet {
		return len(m.path)
	}
	met := len(m.path)
	for i, e := range m.path {
		if before := int(m.used[e]) - 1; before >= 0 && met == len(m.path) && m.holds(before, i, turns) {
			met = i
		}
		m.used[e] = int32(i) + 1
	}
	for _, e := range m.path {
		m.used[e] = 0
	}
	return met
}

// holds reports whether a message with this many turns, waiting before step head of its path, still
// holds the wire of an earlier step. Under cut-through it does if its remaining bytes do not fit
// into the buffers behind that wire. Each switch removes its own turn.
func (m *Model) holds(step, head, turns int) bool {
	left := m.Hardware.Payload + turns - head
	return m.Rule == Circuit || m.Rule == CutThrough && left > m.Hardware.Buffer*(head-step)
}
