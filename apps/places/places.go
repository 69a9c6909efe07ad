// Package places puts the ranks of an application on the servers of a fabric.
package places

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Places say where each rank runs.
type Places struct {
	// Ports are the host ports of each rank, in the order of its network ports: network port k of a
	// program is port k, modulo their number.
	Ports [][]int32
	// Server is the machine of each rank. Ranks of one machine exchange messages in its memory.
	Server []int32
	// Plane is the plane of each host port; nil if all are of one. No message changes its plane.
	Plane []int32
}

// Part returns the places of the ranks from first to the one before last.
func (p *Places) Part(first, last int) *Places {
	return &Places{Ports: p.Ports[first:last], Server: p.Server[first:last], Plane: p.Plane}
}

// Between returns the ports of a message that a rank sends by its network port nic to another rank:
// the ports of that number, or if their planes differ the next ones of the same plane, as a server
// may lack a port. local is true for ranks on one machine.
func (p *Places) Between(from, to int32, nic uint8) (src, dst int32, local bool) {
	a, b, local := p.Ports[from], p.Ports[to], p.Server[from] == p.Server[to]
	if p.Plane == nil || local {
		return port(a, nic), port(b, nic), local
	}
	for i := range a {
		for k := range b {
			src, dst = a[(int(nic)+i)%len(a)], b[(int(nic)+k)%len(b)]
			if p.Plane[src] == p.Plane[dst] {
				return src, dst, false
			}
		}
	}
	return a[int(nic)%len(a)], b[int(nic)%len(b)], false
}

// port returns the port of a number, modulo their number.
func port(list []int32, nic uint8) int32 {
	if int(nic) < len(list) {
		return list[nic]
	}
	return list[int(nic)%len(list)]
}

// Memory holds the costs of messages between ranks of one machine.
type Memory struct {
	Latency int64 // in nanoseconds
	Rate    int64 // in Mbit/s
}

// UsualMemory is the memory of a server without figures of its own.
var UsualMemory = Memory{Latency: 500, Rate: 200_000}

// Picoseconds returns the time of a message, at most 2^61.
func (m Memory) Picoseconds(bytes int64) int64 {
	return m.Latency*1000 + int64(min(float64(bytes)*8e6/float64(m.Rate), 1<<60))
}

// validate returns an error for a Memory that takes no time for anything, or all.
func (m Memory) validate() error {
	if m.Latency < 0 || m.Rate < 1 {
		return fmt.Errorf("exchange on one server takes %d ns and %d Mbit/s: at least 0 and 1 are expected", m.Latency, m.Rate)
	}
	return nil
}

// ParseMemory reads a latency and a rate in Gbit/s, such as 500ns,200.
func ParseMemory(text string) (Memory, error) {
	latency, rate, ok := strings.Cut(text, ",")
	d, err := time.ParseDuration(strings.TrimSpace(latency))
	gbps, other := strconv.ParseFloat(strings.TrimSpace(rate), 64)
	if !ok || err != nil || other != nil || !(gbps <= 1e6) || d > time.Hour {
		return Memory{}, fmt.Errorf("%q: a latency and a rate in Gbit/s such as 500ns,200 are expected", text)
	}
	m := Memory{Latency: d.Nanoseconds(), Rate: int64(1000 * gbps)}
	return m, m.validate()
}
