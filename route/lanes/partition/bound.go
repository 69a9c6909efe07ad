package partition

import (
	"cmp"
	"context"
	"slices"
)

// bound returns a lower bound on the number of classes: see the package comment.
func (p *Problem) bound(ctx context.Context, clique []int32, cycles int) (int, error) {
	switch {
	case len(p.join) == 0:
		return 0, nil
	case len(p.core) == 0:
		return 1, nil
	}
	n, err := p.cycleBound(ctx, cycles)
	return max(len(clique), n), err
}

// longest returns the problem of some items that matter: those with the most dependencies, as many
// as make no more than a number of pairs.
func (p *Problem) longest(pairs int) *Problem {
	some := *p
	some.core = slices.Clone(p.core)
	slices.SortStableFunc(some.core, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	n := 1
	for n < len(some.core) && n*(n+1)/2 <= pairs {
		n++
	}
	some.core = some.core[:n]
	return &some
}

// conflicts lists for every item of the core the items with which it closes a cycle.
func (p *Problem) conflicts(ctx context.Context) ([][]bool, error) {
	n := len(p.core)
	conflict := make([][]bool, n)
	for i := range conflict {
		conflict[i] = make([]bool, n)
	}
	one := p.newClass()
	for i, edges := range p.core {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one.add(edges, 1)
		for j := range i {
			conflict[i][j] = one.closes(p.core[j])
			conflict[j][i] = conflict[i][j]
		}
		one.add(edges, -1)
	}
	return conflict, nil
}

// degrees counts the conflicts of every item.
func degrees(conflict [][]bool) []int32 {
	degree := make([]int32, len(conflict))
	for i, with := range conflict {
		for _, c := range with {
			if c {
				degree[i]++
			}
		}
	}
	return degree
}

// mostStarts is the maximum number of items at which a clique starts.
const mostStarts = 256

// clique finds many items that conflict pairwise: from each item on, it adds the one with the most
// conflicts that fits.
func (p *Problem) clique(conflict [][]bool) []int32 {
	degree := degrees(conflict)
	order := make([]int32, len(degree))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(degree[b] - degree[a]) })
	var best []int32
	for _, first := range order[:min(len(order), mostStarts)] {
		clique := []int32{first}
		for _, i := range order {
			if !slices.ContainsFunc(clique, func(j int32) bool { return !conflict[i][j] }) {
				clique = append(clique, i)
			}
		}
		if len(clique) > len(best) {
			best = clique
		}
	}
	return best
}

// cycleBound counts items along one shortest cycle through each edge, or through some of the edges,
// evenly spaced.
func (p *Problem) cycleBound(ctx context.Context, cycles int) (int, error) {
	at := p.itemsByEdge(p.core)
	seen := make([]int, len(p.core)) // by item: 1 + the edge whose cycle is counted
	best := 1
	step := max(1, (len(p.head)-1)/cycles+1)
	for v := range p.nodes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for e := p.start[v]; e < p.start[v+1]; e++ {
			if int(e)%step != 0 {
				continue
			}
			on, fewest := 0, len(p.core)
			for _, f := range p.shortestCycle(v, e) {
				fewest = min(fewest, len(at[f]))
				for _, i := range at[f] {
					if seen[i] != int(e)+1 {
						seen[i] = int(e) + 1
						on++
					}
				}
			}
			best = max(best, (on+on-fewest-1)/(on-fewest))
		}
	}
	return best, nil
}

// shortestCycle finds the edges of a shortest cycle through edge first, which leaves node v. There
// is one: other edges were left out.
func (p *Problem) shortestCycle(v, first int32) []int32 {
	by := make([]int32, p.nodes) // by node: 1 + the edge by which it was found
	from := make([]int32, p.nodes)
	by[p.head[first]], from[p.head[first]] = first+1, v
	queue := []int32{p.head[first]}
	for i := 0; i < len(queue) && by[v] == 0; i++ {
		u := queue[i]
		for e := p.start[u]; e < p.start[u+1]; e++ {
			if w := p.head[e]; by[w] == 0 {
				by[w], from[w] = e+1, u
				queue = append(queue, w)
			}
		}
	}
	cycle := []int32{by[v] - 1}
	for u := from[v]; u != v; u = from[u] {
		cycle = append(cycle, by[u]-1)
	}
	return cycle
}
