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

// quantity has a name, and measures a number of the paths of a network.
type quantity struct {
	name string
	key  string // under which the store has it: another one under each reading that changes it
	of   func(ctx context.Context, set *paths.Set) float64
}

// load is the name of the quantity of the maximum link load.
const load = "load"

var maximumLoad = quantity{load, load, func(_ context.Context, set *paths.Set) float64 { return set.MaxLoad() }}

// schemeReadings are the readings that set an option of a scheme.
var schemeReadings = map[string]struct{ reading, option, with, without string }{
	"color-s":       {frozenDegree, "degree", "frozen", "shrinking"},
	"color-l":       {frozenDegree, "degree", "frozen", "shrinking"},
	"split-merge-s": {fewestMerged, "merge", "fewest", "order"},
	"split-merge-l": {fewestMerged, "merge", "fewest", "order"},
}

// schemeOptions has the option of a scheme under the readings that are on.
func schemeOptions(s *lab.Setup, scheme string) route.Options {
	v, ok := schemeReadings[scheme]
	if !ok {
		return nil
	}
	return route.Options{v.option: choice(s, v.reading, v.with, v.without)}
}

// lids is the number of LIDs by a scheme.
func lids(scheme string, options route.Options) quantity {
	return quantity{scheme, fmt.Sprint(scheme, options), func(ctx context.Context, set *paths.Set) float64 {
		return float64(assign(ctx, set, scheme, names.Options{Workers: 1, Values: options}).LIDs())
	}}
}

// lidsBy are the numbers of LIDs by some schemes under the readings that are on.
func lidsBy(s *lab.Setup, schemes ...string) (all []quantity) {
	for _, scheme := range schemes {
		all = append(all, lids(scheme, schemeOptions(s, scheme)))
	}
	return all
}

// greedyColorAndLoad are the quantities of Tables III to V. No claim of theirs is about a load; Table VI finds it measured, and need not compute
// the paths again.
func greedyColorAndLoad(s *lab.Setup) []quantity {
	return append(lidsBy(s, "greedy", "color-l"), maximumLoad)
}

// fiveHeuristicsAndLoad are the quantities of Tables I and II.
func fiveHeuristicsAndLoad(s *lab.Setup) []quantity {
	var schemes []string
	for _, h := range heuristics {
		schemes = append(schemes, h.scheme)
	}
	return append(lidsBy(s, schemes...), maximumLoad)
}

// networks builds a network for each seed, all of one kind: those of a row of a table.
type networks struct {
	name  string // tells them from those of other rows
	build func(seed uint64) *fabric.Graph
}

// pathComputation finds the paths of a network.
type pathComputation struct {
	name string // tells it from others
	find func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set
}

// computation is a path computation under the readings that are on.
func computation(s *lab.Setup, algorithm string) pathComputation {
	options := pathOptions(s, algorithm)
	return pathComputation{fmt.Sprint(algorithm, options), func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
		return compute(ctx, s, algorithm, g, seed, options)
	}}
}

// store keeps what was measured.
type store struct {
	rows       lab.Cache[measured] // of paper 002
	quantities lab.Cache[float64]  // of networks of paper 000
}

// measure measures quantities of the paths of the first n networks of a row. What was measured of a network for another table, reading or
// number of networks is not measured again, and its paths are computed only if something is.
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

// row measures quantities of the paths of a computation on the networks of a row.
func (st *store) row(ctx context.Context, s *lab.Setup, c conf, algorithm string, quantities []quantity) measured {
	return st.measure(ctx, s, c.sampleSize(blockNetworks(s)), c.networks(s), computation(s, algorithm), quantities)
}
