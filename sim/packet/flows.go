package packet

import (
	"cmp"
	"slices"
)

// Flow counts the packets that one end port received from another since the warm-up.
type Flow struct {
	Src, Dst       int32
	Packets, Bytes int64 // bytes of payload
	Latency        Time  // sum over its packets
}

// Flows counts the flows of a run.
type Flows struct {
	list   []Flow
	byEnds map[[2]int32]int32 // index in list, by source and target
}

// CountFlows makes a run count what each end port receives from each other one. It takes some 80
// bytes for each pair that sends.
func (s *Sim) CountFlows() *Flows {
	s.measure.flows = &Flows{byEnds: map[[2]int32]int32{}}
	return s.measure.flows
}

// add counts a packet.
func (c *Flows) add(src, dst, payload int32, latency Time) {
	i, ok := c.byEnds[[2]int32{src, dst}]
	if !ok {
		i = int32(len(c.list))
		c.byEnds[[2]int32{src, dst}] = i
		c.list = append(c.list, Flow{Src: src, Dst: dst})
	}
	f := &c.list[i]
	f.Packets, f.Bytes, f.Latency = f.Packets+1, f.Bytes+int64(payload), f.Latency+latency
}

// List returns the flows ordered by source and target.
func (c *Flows) List() []Flow {
	return slices.SortedFunc(slices.Values(c.list), func(a, b Flow) int { return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst)) })
}
