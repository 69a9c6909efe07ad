package algorithm

import (
	"errors"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// TestTraffic: whatever traffic does to probes, every algorithm ends, and every wire of
// its map is one of the network. Only a map made without traffic must be whole.
func TestTraffic(t *testing.T) {
	for seed := range uint64(40) {
		n := mappingtest.Random(seed, 20)
		depth := theory.FactsOf(n, 0).Depth()
		for _, a := range All() {
			for name, traffic := range mappingtest.Traffics() {
				for _, early := range []bool{false, true} {
					hardware := mapping.Myrinet
					hardware.Early = early
					model := mapping.NewModel(n, mapping.Collisions()[seed%3], hardware)
					m := mapping.NewMapper(model, 0, mapping.Conditions{SelfIdentifying: a.SelfIdentifying, Traffic: traffic, Seed: seed})
					r, err := a.Run(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: depth, Retries: int(seed % 2), Limit: 3000})
					if errors.Is(err, probe.ErrLimit) {
						continue
					}
					if err == nil {
						err = mappingtest.Embeds(r.Map, n, n.Hosts[0])
					}
					if err != nil {
						t.Errorf("network %d, %s, traffic %s, early replies %v: %v", seed, a.Name, name, early, err)
					}
				}
			}
		}
	}
}

// TestLostComparison: the Myricom algorithm once explored a switch twice when a comparison
// was lost, and then looked for the vertex that had been merged.
func TestLostComparison(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	a := find(t, "myricom")
	hardware := mapping.Myrinet
	for seed := range uint64(40) {
		hardware.Early = seed%2 == 1 // where a host that was missed is not taken for a switch
		m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, hardware), 35, mapping.Conditions{Traffic: mapping.Traffic{Loss: 0.2, Late: 0.3}, Seed: seed})
		r, err := a.Run(t.Context(), m, &Options{Self: n.Hosts[35], Radix: n.Radix(), Retries: 1})
		if err == nil {
			err = mappingtest.Embeds(r.Map, n, n.Hosts[35])
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		} else if r.Map.NumHosts() < 30 {
			t.Errorf("seed %d: only %d hosts found", seed, r.Map.NumHosts())
		}
	}
}
