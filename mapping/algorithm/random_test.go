package algorithm

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"weft/internal/par"
	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

var networks, drawSeed = mappingtest.Flags(300)

// mapped runs an algorithm from a host of a network.
func mapped(a *Algorithm, n *mapping.Network, host int32, rule mapping.Collision, depth int) (*Result, error) {
	hardware := mapping.Myrinet
	hardware.Early = a.EarlyReplies
	m := mapping.NewMapper(mapping.NewModel(n, rule, hardware), host, mapping.Conditions{SelfIdentifying: a.SelfIdentifying})
	return a.Run(context.Background(), m, &Options{Self: n.Hosts[host], Radix: n.Radix(), Depth: depth, Limit: 300_000})
}

// wanted is what an algorithm should find of a network.
func wanted(a *Algorithm, n *mapping.Network) *mapping.Network {
	if a.Whole {
		return n
	}
	return theory.Core(n)
}

// TestSeeds has networks that the soak found: a loopback cable far from hosts, behind
// which a merged vertex was explored only by strings that cross themselves.
func TestSeeds(t *testing.T) {
	for _, seed := range []uint64{30064780323, 30064780332} {
		run(t, "berkeley", mappingtest.Random(seed, 60), 0, mapping.Circuit)
	}
}

// TestRandomNetworks is Theorem 1, for every algorithm but the labels (whose tree is
// too large): the map is isomorphic to the core, or to all of the network.
func TestRandomNetworks(t *testing.T) {
	var beyond atomic.Int32
	err := par.For(context.Background(), runtime.GOMAXPROCS(0), *networks, func(_, i int) error {
		seed := *drawSeed<<32 + uint64(i)
		n := mappingtest.Random(seed, 60)
		facts := theory.FactsOf(n, 0)
		for _, a := range All() {
			if a.Name == "berkeley-labels" || a.Name == "random" && i%4 > 0 { // as dear as berkeley
				continue
			}
			for _, rule := range mapping.Collisions() {
				if rule == mapping.CutThrough && len(facts.F) > 0 {
					continue
				}
				r, err := mapped(&a, n, 0, rule, facts.Depth())
				if errors.Is(err, probe.ErrLimit) && (a.Name == "berkeley" || a.Name == "random") {
					beyond.Add(1)
					break
				}
				if err == nil {
					err = theory.Same(r.Map, wanted(&a, n))
				}
				if err != nil {
					t.Errorf("network %d, %s, %s: %v", seed, a.Name, rule, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d networks, %d out of the Berkeley algorithm's reach (300,000 probes)", *networks, beyond.Load())
}

// TestStop: berkeley without a bound stops when every switch found is explored, and its map is then
// the same as with Q + D. With a smaller depth it knows that its map may be incomplete, whenever it
// is.
func TestStop(t *testing.T) {
	a := find(t, "berkeley")
	for seed := range uint64(30) {
		n := mappingtest.Random(seed, 20)
		known, err := mapped(a, n, 0, mapping.Circuit, -1)
		if err != nil {
			continue
		}
		if err := theory.Same(known.Map, theory.Core(n)); err != nil || known.Unexplored > 0 {
			t.Errorf("network %d: %v, %d switches unexplored", seed, err, known.Unexplored)
		}
		for depth := range theory.FactsOf(n, 0).Depth() {
			r, err := mapped(a, n, 0, mapping.Circuit, depth)
			if err != nil {
				t.Fatal(err)
			}
			if r.Unexplored == 0 && theory.Same(r.Map, known.Map) != nil {
				t.Errorf("network %d, depth %d: nothing is unexplored, and the map is not whole", seed, depth)
			}
		}
	}
}

// TestWideSwitches: turns of switches with 128 ports fill a byte, and none of them is
// mistaken for another.
func TestWideSwitches(t *testing.T) {
	for seed := range uint64(60) {
		n := wide(t, mappingtest.Random(seed, 6))
		for _, a := range All() {
			if a.Name == "berkeley-labels" || a.Name == "berkeley" || a.Name == "random" {
				continue
			}
			r, err := mapped(&a, n, 0, mapping.Circuit, theory.FactsOf(n, 0).Depth())
			if err == nil {
				err = theory.Same(r.Map, wanted(&a, n))
			}
			if err != nil {
				t.Errorf("network %d, %s: %v", seed, a.Name, err)
			}
		}
	}
}

// wide is a network with its ports spread over 128.
func wide(t *testing.T, n *mapping.Network) *mapping.Network {
	t.Helper()
	degree := make([]int32, n.NumSwitches())
	for s := range degree {
		degree[s] = 128
	}
	wires := n.Wires()
	for i := range wires {
		for k := range wires[i] {
			wires[i][k].Port *= 18
		}
	}
	m, err := mapping.New(n.Hosts, degree, wires)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRandomEnds: random ends where berkeley does, makes the same map, and costs a few times
// as much at most. These networks have loopback cables or parts far from hosts; vertices at
// the ends of branches were explored without end there, or not at all.
func TestRandomEnds(t *testing.T) {
	for _, c := range []struct {
		seed     uint64
		switches int
		host     int32
		rule     mapping.Collision
		bounded  bool // by Q + D
	}{
		{15471, 7, 0, mapping.Packet, false},
		{15471, 7, 0, mapping.CutThrough, false},
		{109276, 10, 0, mapping.Packet, true},
		{109276, 10, 0, mapping.CutThrough, true},
		{9, 8, 0, mapping.Packet, false},
		{161, 5, 4, mapping.Packet, true},
		{947, 5, 0, mapping.Packet, true},
		{834, 8, 0, mapping.Circuit, false},
		{100967, 6, 0, mapping.Circuit, true},
	} {
		n := mappingtest.Random(c.seed, c.switches)
		depth := -1
		if c.bounded {
			depth = theory.FactsOf(n, c.host).Depth()
		}
		b, err := mapped(find(t, "berkeley"), n, c.host, c.rule, depth)
		if err != nil {
			t.Fatal(err)
		}
		r, err := mapped(find(t, "random"), n, c.host, c.rule, depth)
		if err == nil {
			err = theory.Same(r.Map, theory.Core(n))
		}
		if err != nil {
			t.Errorf("%v: %v", c, err)
		} else if ours, theirs := r.Probes.Total().Sent, b.Probes.Total().Sent; ours > 6*theirs {
			t.Errorf("%v: %d probes, berkeley %d", c, ours, theirs)
		}
	}
}

// TestRandomExploresAll: a switch that a branch found behind a port which was silent during
// exploration is explored too. Two probes in a row are lost, both of that port.
func TestRandomExploresAll(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		lost int // the first of them
	}{{112, 10}, {397, 1}, {266, 10}, {527, 6}} {
		n := mappingtest.Random(c.seed, 3+int(c.seed%5))
		m, sent := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, mapping.Myrinet), 0, mapping.Conditions{}), 0
		p := mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if sent++; sent == c.lost || sent == c.lost+1 {
				return mapping.Reply{}, 0
			}
			return m.Probe(turns)
		})
		r, err := mapAtRandom(t.Context(), p, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: -1, Limit: 3000})
		if err == nil {
			err = theory.Same(r.Map, theory.Core(n))
		}
		if err != nil {
			t.Errorf("network %d: %v", c.seed, err)
		}
	}
}

// TestRandomBound: the check at the end explores no string beyond the bound, and reports the
// switches left out. Losses hide a switch from all strings within the bound here.
func TestRandomBound(t *testing.T) {
	const seed, depth = 1927856, 1
	n := mappingtest.Random(seed, 4)
	m, longest := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.04}, Seed: seed}), 0
	p := mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
		if k := len(turns) / 2; len(turns)%2 == 1 && turns[k] == 0 { // a switch-probe
			longest = max(longest, k)
		}
		return m.Probe(turns)
	})
	r, err := mapAtRandom(t.Context(), p, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: depth})
	if err != nil || longest != depth+1 || r.Unexplored != 1 {
		t.Errorf("%v, %d turns, %d switches unexplored", err, longest, r.Unexplored)
	}
}
