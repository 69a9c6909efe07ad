package algorithm

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"sync/atomic"
	"testing"

	"weft/internal/par"
	"weft/mapping"
	"weft/mapping/theory"
)

var (
	networks = flag.Int("networks", 300, "random networks to map")
	drawSeed = flag.Uint64("drawseed", 1, "seed of the random networks")
)

// mapped runs an algorithm from a host of a network.
func mapped(a *Algorithm, n *mapping.Network, host int32, rule mapping.Collision, depth int, seed uint64) (*Result, error) {
	m := mapping.NewMapper(mapping.NewModel(n, rule, mapping.Myrinet), host, mapping.Conditions{SelfIdentifying: a.SelfIdentifying})
	return a.Run(m, &Options{Self: n.Hosts[host], Radix: n.Radix(), Depth: depth, Limit: 300_000, Seed: seed})
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
		run(t, "berkeley", mapping.Random(seed, 60), 0, mapping.Circuit)
	}
}

// TestRandomNetworks is Theorem 1, for every algorithm but the labels (whose tree is
// too large): the map is isomorphic to the core, or to all of the network.
func TestRandomNetworks(t *testing.T) {
	var beyond atomic.Int32
	err := par.For(context.Background(), runtime.GOMAXPROCS(0), *networks, func(_, i int) error {
		seed := *drawSeed<<32 + uint64(i)
		n := mapping.Random(seed, 60)
		facts := theory.Of(n, 0)
		for _, a := range All() {
			if a.Name == "berkeley-labels" {
				continue
			}
			for _, rule := range mapping.Collisions() {
				if rule == mapping.CutThrough && len(facts.F) > 0 {
					continue
				}
				r, err := mapped(&a, n, 0, rule, facts.Depth(), seed)
				if errors.Is(err, ErrLimit) && a.Name == "berkeley" {
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
