package naming

import (
	"context"
	"fmt"
	"sync"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/route/names"
	"weft/route/paths"
)

// quantity measures a number on the paths of a network.
type quantity struct {
	name string
	key  string // in the store; differs under each reading that changes the number
	of   func(ctx context.Context, set *paths.Set) float64
}

// load is the name of the maximum link load.
const load = "load"

var maximumLoad = quantity{load, load, func(_ context.Context, set *paths.Set) float64 { return set.MaxLoad() }}

// schemeReadings are the readings that set an option of a scheme.
var schemeReadings = map[string]struct{ reading, option, with, without string }{
	"color-s":       {frozenDegree, "degree", "frozen", "shrinking"},
	"color-l":       {frozenDegree, "degree", "frozen", "shrinking"},
	"split-merge-s": {fewestMerged, "merge", "fewest", "order"},
	"split-merge-l": {fewestMerged, "merge", "fewest", "order"},
}

// schemeOptions returns the option of a scheme under the active readings.
func schemeOptions(s *lab.Setup, scheme string) route.Options {
	v, ok := schemeReadings[scheme]
	if !ok {
		return nil
	}
	return route.Options{v.option: choice(s, v.reading, v.with, v.without)}
}

// lids returns the number of LIDs with a scheme as a quantity.
func lids(scheme string, options route.Options) quantity {
	return quantity{scheme, fmt.Sprint(scheme, options), func(ctx context.Context, set *paths.Set) float64 {
		return float64(assign(ctx, set, scheme, names.Options{Workers: 1, Values: options}).LIDs())
	}}
}

// lidsBy returns the numbers of LIDs with some schemes under the active readings.
func lidsBy(s *lab.Setup, schemes ...string) (all []quantity) {
	for _, scheme := range schemes {
		all = append(all, lids(scheme, schemeOptions(s, scheme)))
	}
	return all
}

// greedyColorAndLoad returns the quantities of Tables III to V. Their claims do not use the load;
// it is measured here so that Table VI need not compute the paths again.
func greedyColorAndLoad(s *lab.Setup) []quantity {
	return append(lidsBy(s, "greedy", "color-l"), maximumLoad)
}

// fiveHeuristicsAndLoad returns the quantities of Tables I and II.
func fiveHeuristicsAndLoad(s *lab.Setup) []quantity {
	var schemes []string
	for _, h := range heuristics {
		schemes = append(schemes, h.scheme)
	}
	return append(lidsBy(s, schemes...), maximumLoad)
}

// networks builds the networks of a table row, one for each seed.
type networks struct {
	name  string // unique among rows
	build func(seed uint64) *fabric.Graph
}

// pathComputation finds the paths of a network.
type pathComputation struct {
	name string // unique
	find func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set
}

// computation returns a path computation under the active readings.
func computation(s *lab.Setup, algorithm string) pathComputation {
	options := pathOptions(s, algorithm)
	return pathComputation{fmt.Sprint(algorithm, options), func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
		return compute(ctx, s, algorithm, g, seed, options)
	}}
}

// store caches measurements.
type store struct {
	rows       lab.Cache[measured] // of paper 002
	quantities lab.Cache[float64]  // of networks of paper 000
}

// measure measures quantities on the paths of a row's first n networks. It reuses values measured
// for another table, reading or number of networks, and computes a network's paths only if a value
// is missing.
func (st *store) measure(ctx context.Context, s *lab.Setup, n int, row networks, how pathComputation, quantities []quantity) measured {
	return sample(ctx, s, n, func(seed uint64) map[string]float64 {
		set := sync.OnceValue(func() *paths.Set { return how.find(ctx, row.build(seed), seed) })
		values := map[string]float64{}
		for _, q := range quantities {
			key := fmt.Sprint(row.name, " ", how.name, " ", seed, " ", q.key)
			values[q.name] = st.quantities.Get(key, func() float64 { return q.of(ctx, set()) })
		}
		return values
	})
}

// row measures quantities on the paths of a computation on a row's networks.
func (st *store) row(ctx context.Context, s *lab.Setup, c conf, algorithm string, quantities []quantity) measured {
	return st.measure(ctx, s, c.sampleSize(blockNetworks(s)), c.networks(s), computation(s, algorithm), quantities)
}
