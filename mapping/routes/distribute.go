package routes

import (
	"time"

	"weft/mapping"
)

// Trial counts routes tried in a network.
type Trial struct {
	Pairs     int // ordered pairs of hosts of the map
	Delivered int // pairs whose route ends at the right host
}

// OK reports whether every pair has a working route.
func (t *Trial) OK() bool { return t.Delivered == t.Pairs }

// Try sends a message over every route of a map through the network itself: turns are relative, so
// the map's numbering of ports does not matter.
func (t *Table) Try(n *mapping.Network, m *mapping.Model) Trial {
	host := hostsOf(n, m)
	var trial Trial
	for a := range n.Hosts {
		for b := range n.Hosts {
			if a == b {
				continue
			}
			trial.Pairs++
			if turns := t.Turns[a][b]; turns != nil {
				if outcome, at, _ := m.Send(host[a], turns); outcome == mapping.Delivered && at == host[b] {
					trial.Delivered++
				}
			}
		}
	}
	return trial
}

// hostsOf returns the host of the network for each host of the map.
func hostsOf(n *mapping.Network, m *mapping.Model) []int32 {
	host := make([]int32, n.NumHosts())
	for i, h := range n.Hosts {
		host[i] = m.HostByID(h.ID)
	}
	return host
}

// An entry of a host's table is an interface address, the number of turns and the turns. A table
// message begins with the number of entries; an answer is that short.
const (
	addressBytes = 6
	headBytes    = 4
)

// Distribution is the cost of sending all interfaces their routes.
type Distribution struct {
	Messages int           // tables sent, one to each other host, each to be answered
	Unheard  int           // tables lost or not answered
	Bytes    int           // of all tables, without the turns of the messages
	Elapsed  time.Duration // modelled
}

// Distribute sends each host its table as one message over the master's own route, and the host
// answers over its new route to the master. The next table leaves when the answer has arrived or
// the timeout is over.
func (t *Table) Distribute(n *mapping.Network, master int32, m *mapping.Model, clock mapping.Clock) Distribution {
	host := hostsOf(n, m)
	var d Distribution
	for h := range int32(n.NumHosts()) {
		if h == master {
			continue
		}
		size := headBytes
		for _, turns := range t.Turns[h] {
			if turns != nil {
				size += addressBytes + 1 + len(turns)
			}
		}
		d.Messages++
		d.Bytes += size
		there, ok := send(m, host[master], host[h], t.Turns[master][h], size, clock)
		if ok {
			var back time.Duration
			back, ok = send(m, host[h], host[master], t.Turns[h][master], headBytes, clock)
			there += back + clock.Overhead
		}
		if !ok {
			d.Unheard++
			there = clock.Timeout
		}
		d.Elapsed += there
	}
	return d
}

// send sends a message of this many bytes. It returns the time, and whether the message arrived.
func send(m *mapping.Model, from, to int32, turns []mapping.Turn, bytes int, clock mapping.Clock) (time.Duration, bool) {
	hw := m.Hardware
	m.Hardware.Payload = bytes
	outcome, at, hops := m.Send(from, turns)
	m.Hardware = hw
	return clock.Way(hops, bytes+len(turns)), turns != nil && outcome == mapping.Delivered && at == to
}
