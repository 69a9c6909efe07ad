package algorithm

import (
	"testing"
	"time"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// wiresSeen follows answered probes in the network and notes the wires they cross.
func wiresSeen(n *mapping.Network, m *mapping.Mapper, seen map[mapping.End]bool) mapping.Prober {
	return mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
		reply, took := m.Probe(turns)
		for at, k := (mapping.End{Node: m.Host}), 0; reply.Answered; k++ {
			in, _ := n.Peer(at)
			if in.Node < at.Node || in.Node == at.Node && in.Port < at.Port {
				at = in
			}
			seen[at] = true
			if k == len(turns)-reply.Left {
				break
			}
			at = mapping.End{Node: in.Node, Port: in.Port + int32(turns[k])}
		}
		return reply, took
	})
}

// phaseFinds returns the mean number of wires that 300 probes of a random phase find.
func phaseFinds(t *testing.T, n *mapping.Network, anyTurn, depthFirst bool) float64 {
	t.Helper()
	const runs = 6
	sum := 0
	for seed := range uint64(runs) {
		hardware, seen := mapping.Myrinet, map[mapping.End]bool{}
		hardware.Early = true
		m := mapping.NewMapper(mapping.NewModel(n, mapping.CutThrough, hardware), 0, mapping.Conditions{})
		RandomPhase(t.Context(), wiresSeen(n, m, seen), &Options{Self: n.Hosts[0], Radix: n.Radix(), Seed: seed, Limit: 300, AnyTurn: anyTurn}, depthFirst)
		sum += len(seen)
	}
	return float64(sum) / runs
}

// TestRandomPhase: on a graph that expands, long probes find more than depth-first branches, and
// many times as much as with turns that answers have shown to be illegal.
func TestRandomPhase(t *testing.T) {
	n := mappingtest.Network(t, "regular(switches=32,degree=5,hosts=3,seed=1)")
	long, branches, anyTurn := phaseFinds(t, n, false, false), phaseFinds(t, n, false, true), phaseFinds(t, n, true, false)
	if long < 1.4*branches || long < 3*anyTurn || branches < 1.2*phaseFinds(t, n, true, true) {
		t.Errorf("of %d wires long probes find %.0f, branches %.0f, probes with any turn %.0f", n.NumWires(), long, branches, anyTurn)
	}
}

// TestDrawLegal: once the map is known, a walk leaves each switch by one of its ports, and never
// for a host.
func TestDrawLegal(t *testing.T) {
	n := mappingtest.Network(t, "regular(switches=12,degree=5,hosts=3,seed=1)") // every port is wired
	hardware := mapping.Myrinet
	hardware.Early = true
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, hardware), 0, mapping.Conditions{})
	w := newRandomWalks(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: -1, Limit: 50_000})
	c := &w.collector
	c.frontier = []int32{1}
	if r, err := c.run(); err != nil || theory.Same(r.Map, n) != nil {
		t.Fatal(err)
	}
	for range 200 {
		turns := make([]Turn, 0, longProbeTurns)
		at, entry := int32(1), 0
		for range longProbeTurns {
			turns = append(turns, w.draw(at, entry))
			at, entry = w.step(at, entry, turns[len(turns)-1])
		}
		if outcome, _, _ := m.Model.Send(0, turns); outcome != mapping.Stranded {
			t.Fatalf("%v: %s", turns, outcome)
		}
	}
}

// TestShorten: a string that crosses itself is replaced by a shorter one. Here the string of a
// neighbour and one more turn is no shorter, and the algorithm once replaced it without end.
func TestShorten(t *testing.T) {
	for _, seed := range []uint64{4294967491, 4294967554, 4294967883} {
		n := mappingtest.Random(seed, 60)
		hardware := mapping.Myrinet
		hardware.Early = true
		m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, hardware), 0, mapping.Conditions{})
		r, err := find(t, "vazirani").Run(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: -1, Limit: 20_000})
		if err == nil {
			err = theory.Same(r.Map, theory.Core(n))
		}
		if err != nil {
			t.Errorf("network %d: %v", seed, err)
		}
	}
}
