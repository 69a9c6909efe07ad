package app

import (
	"weft/apps/collective"
	"weft/apps/program"
	"weft/apps/timeline"
	"weft/fabric"
	"weft/sim/packet"
)

// Size holds the predicted effort of a run.
type Size struct {
	Messages float64
	Packets  float64 // 0 unless by packets
	Memory   float64 // bytes
}

// Memory of a message under way, in bytes, as measured with 400,000 of them.
const (
	messageMemory = 4 << 10
	idealMemory   = 3 << 9
)

// Size predicts the size of a run: its messages and memory. Without a fabric the network is ideal.
func (r *Request) Size(g *fabric.Graph) (Size, error) {
	var all collective.Size
	ranks := 0
	for _, p := range r.Jobs {
		one, err := p.size()
		if err != nil {
			return Size{}, err
		}
		all = all.Plus(one)
		ranks += p.Ranks()
	}
	s := Size{Messages: all.Messages, Memory: all.AtOnce * idealMemory}
	if g == nil {
		return s, nil
	}
	s.Memory = all.AtOnce * messageMemory
	if r.Packets {
		s.Packets = all.Messages + all.Bytes/float64(r.Hardware.MTU)
	}
	if r.Record {
		s.Memory += float64(timeline.Memory(ranks, packet.Links(g)))
	}
	return s, nil
}

// size predicts the size of a program.
func (p *Program) size() (collective.Size, error) {
	switch {
	case p.operation != nil:
		return p.operation.Size()
	case p.training != nil:
		return p.training.Size()
	}
	var size collective.Size
	for i := range p.schedule.Ops {
		if o := &p.schedule.Ops[i]; o.Kind == program.Send {
			size.Messages++
			size.Bytes += float64(o.Size)
		}
	}
	size.AtOnce = size.Messages // if nothing waits
	return size, nil
}
