package naming

import (
	"context"
	"errors"
	"fmt"

	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
)

// mostNodes is the limit of the search tree for a question of the exact search, in place of the 4 h of lp_solve for a
// programme in the paper; nodes are the same on any machine.
const mostNodes = 4

// poolInstances is the number of networks of a row: in all blocks together the paper's.
func poolInstances(s *lab.Setup) int { return lab.Pick(s, 2, 4) }

// spare is the number of networks that may be tried in place of those that a limited search does not finish.
const spare = 4

// solved measures the first networks of a row under the readings that are on: LIDs by heuristic and the proven optimum. It leaves out what the
// exact search does not prove in its usual limit.
func (st *store) solved(ctx context.Context, s *lab.Setup, c conf, algorithm string) measured {
	n := poolInstances(s)
	m, _ := proven(st.pool(ctx, s, c, algorithm, n, names.DefaultBudget), n)
	return m
}

// finished measures the first networks of a row that a search with a limit of nodes finishes, and says how many of those tried it finished.
func (st *store) finished(ctx context.Context, s *lab.Setup, c conf, algorithm string) (m measured, finished, tried int) {
	n := poolInstances(s)
	tried = n + spare
	m, finished = proven(st.pool(ctx, s, c, algorithm, tried, mostNodes), n)
	return m, finished, tried
}

// proven keeps the first n networks whose optimum is proven, and counts all of them.
func proven(all measured, n int) (m measured, count int) {
	m = measured{}
	for k, optimum := range all[optimal] {
		if optimum == 0 {
			continue
		}
		if count++; count <= n {
			for q, values := range all {
				m[q] = append(m[q], values[k])
			}
		}
	}
	return m, count
}

// optimal is the quantity of the least LIDs, 0 where the search has not proven them.
const optimal = "optimum"

// pool measures so many networks with a limit of nodes of the search.
func (st *store) pool(ctx context.Context, s *lab.Setup, c conf, algorithm string, n int, budget int64) measured {
	least := quantity{optimal, fmt.Sprint(optimal, budget), func(ctx context.Context, set *paths.Set) float64 { return leastLIDs(ctx, set, budget) }}
	return st.measure(ctx, s, n, c.networks(s), computation(s, algorithm), append(ofTwo(s), least))
}

// leastLIDs is the proven optimum of a set, 0 where the search with a limit of nodes does not prove the least number of colours of every destination.
func leastLIDs(ctx context.Context, set *paths.Set, budget int64) float64 {
	a, err := names.Assign(ctx, set, lab.Must(names.ByName("exact")), names.Options{Workers: 1, Goal: names.Colours, Budget: budget, Proven: true})
	if _, unproven := errors.AsType[*names.Unproven](err); unproven {
		return 0
	}
	lab.Check(err)
	return float64(a.LIDs())
}
