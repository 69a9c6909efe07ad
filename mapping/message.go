package mapping

import (
	"fmt"
	"time"
)

// Turn is the port by which a message leaves a switch, relative to the port by which it
// came in. The sum is not taken modulo the number of ports.
type Turn = int8

// Outcome is the end of a message.
type Outcome uint8

// The outcomes: delivered, the four ways in which a routing address fails to be a path
// (section 2.2), and what happens to messages on a path all the same.
const (
	Delivered   Outcome = iota
	IllegalTurn         // there is no such port
	NoSuchWire          // the port has no wire
	HostTooSoon         // a host, and turns are left
	Stranded            // a switch, and no turns are left
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

// Collision is the rule of collisions.
type Collision string

// The rules; the package comment says what they are.
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
	return "", fmt.Errorf("mapping: no collision model is called %q (there are: %v)", name, Collisions())
}

// Hardware describes the switches and messages of section 1.1.
type Hardware struct {
	Buffer  int // bytes that a port holds
	Payload int // bytes of a message besides its turns: header, data, CRC, tail
	// Early makes a host answer a message that reaches it with turns left, as section
	// 6 supposes.
	Early bool
	// Break is the longest time that a message waits for a wire; then a switch destroys the one that has it.
	Break time.Duration
}

// Myrinet is the hardware of the paper. What a probe carries is not printed; 200 bytes
// are about two ports' buffers, so that worms do step on their tails. The break is that of
// section 2.2; section 1.1 says 50 ms.
var Myrinet = Hardware{Buffer: 108, Payload: 200, Break: 55 * time.Millisecond}

// Model is a network with its rule of collisions.
type Model struct {
	*Network
	Rule     Collision
	Hardware Hardware

	used []int32 // by wire-end: the step at which the message left by it, from 1
	path []int32 // wire-ends by which the message left
	met  int     // the first of them that it still held when it came there again, or len(path)
}

// NewModel makes a model; it serves one goroutine.
func NewModel(n *Network, rule Collision, hw Hardware) *Model {
	return &Model{Network: n, Rule: rule, Hardware: hw, used: make([]int32, len(n.peer))}
}

// Send follows a message from a host. It returns how it ended, the node where it did
// and the number of wires that it crossed.
func (m *Model) Send(from int32, turns []Turn) (Outcome, int32, int) {
	outcome, at := m.walk(from, turns)
	if m.met = m.collision(len(turns)); m.met < len(m.path) {
		outcome = Collided
	}
	return outcome, m.node[at], len(m.path)
}

// Path returns the wire-ends by which the message last sent left nodes, numbered by node
// and port. It is valid until the next one is sent.
func (m *Model) Path() []int32 { return m.path }

// TurnedRound returns the identity of the first switch in which the message last sent took
// the turn 0.
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

// walk follows a message, and records the wire-ends by which it leaves each node.
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

// collision returns the step at which the message on m.path needs a wire that it holds
// itself, len(m.path) if there is none.
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

// holds reports whether a message of so many turns that stands before step head of its
// way still holds the wire of an earlier step: under cut-through, if what is left of it
// does not fit into the buffers behind that wire. Turns are taken off by the switches that
// they were for.
func (m *Model) holds(step, head, turns int) bool {
	left := m.Hardware.Payload + turns - head
	return m.Rule == Circuit || m.Rule == CutThrough && left > m.Hardware.Buffer*(head-step)
}
