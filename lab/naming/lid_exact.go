package naming

import (
	"context"
	"errors"
	"fmt"

	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
)

// mostNodes limits the search tree for a question of the exact search, instead of the paper's 4 h
// of lp_solve for a programme. Nodes are the same on any machine.
const mostNodes = 4

// Quantities of the exact search.
const (
	optimal = "optimum"        // the fewest LIDs found
	least   = "least possible" // the proven lower bound of LIDs; equals the optimum if that is proven
)

// exactQuantity measures the exact search with its default limit.
func exactQuantity(name string, of func(a *names.Assignment) float64) quantity {
	return quantity{name, fmt.Sprint("exact ", name), func(ctx context.Context, set *paths.Set) float64 {
		return of(assign(ctx, set, "exact", names.Options{Workers: 1}))
	}}
}

var (
	fewestFound   = exactQuantity(optimal, func(a *names.Assignment) float64 { return float64(a.LIDs()) })
	leastPossible = exactQuantity(least, func(a *names.Assignment) float64 { return float64(a.LeastLIDs()) })
)

// provenOptimum is the optimum, for networks where its proof always succeeds.
var provenOptimum = exactQuantity(optimal, func(a *names.Assignment) float64 {
	if a.LIDs() != a.LeastLIDs() {
		g := a.Set.Graph()
		lab.Check(fmt.Errorf("naming: no proof of the optimum on %d switches with %d links", g.NumSwitches, g.NumChannels/2))
	}
	return float64(a.LIDs())
})

// proven returns the number of networks with a proven optimum.
func (m measured) proven() (n int) {
	for k, v := range m[least] {
		if v == m[optimal][k] {
			n++
		}
	}
	return n
}

// firstFinished measures the first networks of a row that a search with a limit of nodes finishes,
// and returns the numbers of finished and tried networks.
func (st *store) firstFinished(ctx context.Context, s *lab.Setup, c conf, algorithm string) (m measured, finished, tried int) {
	n := blockNetworks(s)
	tried = n + spareNetworks
	bounded := quantity{optimal, fmt.Sprint(optimal, mostNodes), func(ctx context.Context, set *paths.Set) float64 { return optimumWithin(ctx, set, mostNodes) }}
	all := st.measure(ctx, s, tried, c.networks(s), computation(s, algorithm), append(greedyColorAndLoad(s), bounded))
	m = measured{}
	for k, optimum := range all[optimal] {
		if optimum == 0 {
			continue
		}
		if finished++; finished <= n {
			for q, values := range all {
				m[q] = append(m[q], values[k])
			}
		}
	}
	return m, finished, tried
}

// optimumWithin returns the optimum of a set. It returns 0 if the search within the budget of nodes
// does not prove the least number of colours of every destination.
func optimumWithin(ctx context.Context, set *paths.Set, budget int64) float64 {
	a, err := names.Assign(ctx, set, lab.Must(names.ByName("exact")), names.Options{Workers: 1, Goal: names.Colours, Budget: budget, Proven: true})
	if _, unproven := errors.AsType[*names.Unproven](err); unproven {
		return 0
	}
	lab.Check(err)
	return float64(a.LIDs())
}
