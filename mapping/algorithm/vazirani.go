package algorithm

import (
	"context"
	"math/rand/v2"

	"weft/mapping"
	"weft/mapping/internal/graph"
)

// mapByLongProbes implements Vazirani's variant (section 6): probes of maximal depth in random
// directions, answered by the first host on the path, collect most of a network that expands well.
// The switches found are explored, and parts hanging off them breadth first. Each switch found
// there is compared with the explored ones, as in the Myricom algorithm. It needs hosts that answer
// messages with turns left.
func mapByLongProbes(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	w := newRandomWalks(ctx, p, opt)
	w.collect()
	c := &w.collector
	c.frontier = c.nearest()
	c.collected = int32(c.graph.Len())
	return c.run()
}

// A walk takes longProbeTurns turns. Collecting ends after uselessProbes walks in a row that found
// neither a wire nor that two switches are one. The paper says nothing of the end. A switch that is
// left to comparisons costs more than such a row, so the row may be long: with half of it the phase
// sometimes ends before it found a first host.
const (
	longProbeTurns = 12
	uselessProbes  = 80
)

// RandomPhase runs only a random phase, until it reaches the limit of probes or has none to send:
// long probes, or depth-first branches, where each step is probed by itself. Section 6 compares
// them. Prober p sees what the phase finds.
func RandomPhase(ctx context.Context, p mapping.Prober, opt *Options, depthFirst bool) {
	w := newRandomWalks(ctx, p, opt)
	w.depthFirst = depthFirst
	for before := -1; w.Stopped() == nil && w.Probes.Total().Sent > before; {
		before = w.Probes.Total().Sent
		w.collect()
	}
}

// randomWalks probes in random directions from the mapper.
type randomWalks struct {
	collector
	rng                 *rand.Rand
	anyTurn, depthFirst bool
}

func newRandomWalks(ctx context.Context, p mapping.Prober, opt *Options) *randomWalks {
	return &randomWalks{
		collector: collector{explorer: newExplorer(ctx, p, opt), depth: -1, compared: map[int32]bool{}},
		rng:       rand.New(rand.NewPCG(opt.Seed, 0xc0)), anyTurn: opt.AnyTurn,
	}
}

// collect walks in random directions, and adds the answered paths.
func (w *randomWalks) collect() {
	g := w.graph
	walk := w.longProbe
	if w.depthFirst {
		walk = w.branch
	}
	for useless := 0; useless < uselessProbes && w.Stopped() == nil; useless++ {
		wires, nodes := g.Wires(), g.Nodes()
		walk()
		g.Deduce()
		if g.Wires() != wires || g.Nodes() != nodes {
			useless = 0
		}
	}
}

// longProbe sends one probe along a whole walk, and adds the path to the first host on it.
func (w *randomWalks) longProbe() {
	turns := make([]Turn, longProbeTurns)
	at, entry := int32(1), 0
	for k := range turns {
		turns[k] = w.draw(at, entry)
		at, entry = w.step(at, entry, turns[k])
	}
	if reply, atEnd := w.Host(turns...); atEnd || reply.Early {
		w.graph.addWay(1, turns[:len(turns)-reply.Left], reply.Host)
	}
}

// branch walks to the first host, and probes each step whose end is not known.
func (w *randomWalks) branch() {
	g := w.graph
	var turns []Turn
	at, entry := int32(1), 0
	for range longProbeTurns {
		turn := w.draw(at, entry)
		turns = append(turns, turn)
		if next, in := w.step(at, entry, turn); next != graph.None {
			at, entry = next, in
			continue
		}
		v, i := w.port(at, entry, turn)
		switch what, reply := w.probePair(turns, aHost); what {
		case aHost:
			g.addHost(v, i, reply.Host)
			return
		case aSwitch:
			at, entry = w.addBehind(v, i, len(turns)), 0
		case nothing:
			g.addSilence(v, i)
			turns = turns[:len(turns)-1]
		}
	}
}

// addBehind adds a switch behind a port.
func (w *randomWalks) addBehind(v int32, i, length int) int32 {
	g := w.graph
	u := g.AddSwitch(length)
	g.extend()
	g.AddWire(v, i, u, 0)
	return u
}

// port returns the vertex of a switch, and its port at a turn from an entry port.
func (w *randomWalks) port(at int32, entry int, turn Turn) (int32, int) {
	v, shift := w.graph.Find(at)
	return v, entry + shift + int(turn)
}

// step returns the switch behind a turn, and its entry port; graph.None if it is not known.
func (w *randomWalks) step(at int32, entry int, turn Turn) (int32, int) {
	if at == graph.None {
		return graph.None, 0
	}
	p := w.graph.At(w.port(at, entry, turn))
	return p.To, int(p.At)
}

// draw draws a turn from a switch: to any port that it can have by the wires known so far, unless a
// known host is behind it, or a branch found it silent. At an unknown switch both the port of entry
// and the port out are random, so small turns are more frequent, as section 3.3 says.
func (w *randomWalks) draw(at int32, entry int) Turn {
	g := w.graph
	switch {
	case w.anyTurn:
		return drawTurn(w.rng, g.Radix)
	case at == graph.None:
		in, out := w.rng.IntN(g.Radix), w.rng.IntN(g.Radix-1)
		if out >= in {
			out++
		}
		return Turn(out - in)
	}
	v, in := w.port(at, entry, 0)
	low, high := g.Window(v)
	var turns []Turn
	for i := max(low, in-g.Radix+1); i <= min(high, in+g.Radix-1); i++ {
		if i != in && g.kindOf(v, i, nothing) != aHost && !g.At(v, i).IsSilent() {
			turns = append(turns, Turn(i-in))
		}
	}
	if len(turns) == 0 {
		return drawTurn(w.rng, g.Radix)
	}
	return turns[w.rng.IntN(len(turns))]
}

// drawTurn draws any turn but 0.
func drawTurn(rng *rand.Rand, radix int) Turn {
	turn := Turn(1 + rng.IntN(radix-1))
	if rng.IntN(2) == 0 {
		turn = -turn
	}
	return turn
}
