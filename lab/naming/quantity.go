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
	kept string // the name under which the store keeps it: another one under each reading that changes it
	of   func(ctx context.Context, set *paths.Set) float64
}

// load is the name of the quantity of the maximum link load.
const load = "load"

var maximumLoad = quantity{load, load, func(_ context.Context, set *paths.Set) float64 { return set.MaxLoad() }}

// variants are schemes with an option that a reading sets.
var variants = map[string]struct{ reading, option, with, without string }{
	"color-s":       {frozenDegree, "degree", "frozen", "shrinking"},
	"color-l":       {frozenDegree, "degree", "frozen", "shrinking"},
	"split-merge-s": {fewestMerged, "merge", "fewest", "order"},
	"split-merge-l": {fewestMerged, "merge", "fewest", "order"},
}

// variant has the option of a scheme under the readings that are on.
func variant(s *lab.Setup, scheme string) route.Options {
	v, ok := variants[scheme]
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
		all = append(all, lids(scheme, variant(s, scheme)))
	}
	return all
}

// ofTwo are the quantities of most tables, and ofAll those of Tables I and II.
func ofTwo(s *lab.Setup) []quantity { return append(lidsBy(s, "greedy", "color-l"), maximumLoad) }

func ofAll(s *lab.Setup) []quantity {
	return append(lidsBy(s, "greedy", "split-merge-s", "split-merge-l", "color-s", "color-l"), maximumLoad)
}

// networks builds a network for each seed, all of one kind: those of a row of a table.
type networks struct {
	name  string // tells them from those of other rows
	build func(seed uint64) *fabric.Graph
}

// finder finds the paths of a network.
type finder struct {
	name string // tells it from others
	find func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set
}

// computation is a path computation under the readings that are on.
func computation(s *lab.Setup, algorithm string) finder {
	options := pathOptions(s, algorithm)
	return finder{fmt.Sprint(algorithm, options), func(ctx context.Context, g *fabric.Graph, seed uint64) *paths.Set {
		return compute(ctx, algorithm, g, seed, options)
	}}
}

// store keeps what was measured: rows of paper 002, and quantities of networks of paper 000.
type store struct {
	lab.Kept[measured]
	quantities lab.Kept[float64]
}

// measure measures quantities of the paths of the first n networks of a row. What was measured of a network for another table, reading or
// number of networks is not measured again, and its paths are computed only if something is.
func (st *store) measure(ctx context.Context, s *lab.Setup, n int, row networks, how finder, quantities []quantity) measured {
	return sample(ctx, s, n, func(seed uint64) map[string]float64 {
		set := sync.OnceValue(func() *paths.Set { return how.find(ctx, row.build(seed), seed) })
		values := map[string]float64{}
		for _, q := range quantities {
			key := fmt.Sprint(row.name, " ", how.name, " ", seed, " ", q.kept)
			values[q.name] = st.quantities.Once(key, func() float64 { return q.of(ctx, set()) })
		}
		return values
	})
}

// row measures quantities of the paths of a computation on the instances of a row of random networks.
func (st *store) row(ctx context.Context, s *lab.Setup, c conf, algorithm string, quantities []quantity) measured {
	return st.measure(ctx, s, c.instances(s), c.networks(s), computation(s, algorithm), quantities)
}
