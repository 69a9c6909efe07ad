package mapping

import "time"

// Wires records until when each direction of each wire is occupied: a wire carries one message at a
// time (section 2.2). A message waits for earlier ones; meanwhile it holds as many wires behind it
// as the collision rule says. A message that collided with itself waits in vain, until a switch
// destroys it after Hardware.Break.
type Wires struct {
	until []time.Duration // by wire-end
	clock Clock
}

// NewWires returns the wires of a network, all free.
func NewWires(n *Network, clock Clock) *Wires {
	return &Wires{make([]time.Duration, n.NumEnds()), clock}
}

// Cross makes the model's latest message occupy its wires, from a time on. It returns how long the
// message waited for the sender's own wire, and for others on its path.
func (w *Wires) Cross(m *Model, leaves time.Duration, turns int) (own, others time.Duration) {
	at, through := leaves, w.clock.Way(0, m.Hardware.Payload+turns)
	for k, e := range m.path[:m.met] {
		if wait := w.until[e] - at; wait > 0 {
			at += wait
			if k == 0 {
				own = wait
			} else {
				others += wait
			}
			w.hold(m, k, turns, at+through)
		}
		w.until[e] = at + through
		at += w.clock.Hop
	}
	if m.met < len(m.path) {
		w.hold(m, m.met, turns, at+m.Hardware.Break)
	}
	return own, others
}

// hold lets the message on m.path, which waits before step head, keep its wires.
func (w *Wires) hold(m *Model, head, turns int, until time.Duration) {
	for k := head - 1; k >= 0 && m.holds(k, head, turns); k-- {
		w.until[m.path[k]] = max(w.until[m.path[k]], until)
	}
}

// Held lists the wire-ends occupied at a time.
func (w *Wires) Held(at time.Duration) (held []int32) {
	for e, until := range w.until {
		if until > at {
			held = append(held, int32(e))
		}
	}
	return held
}

// TurnBack replaces the path of the latest message by the path of its answer.
func (m *Model) TurnBack() {
	for i, j := 0, len(m.path)-1; i <= j; i, j = i+1, j-1 {
		m.path[i], m.path[j] = m.peer[m.path[j]], m.peer[m.path[i]]
	}
	m.met = len(m.path)
}
