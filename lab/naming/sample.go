package naming

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/fabric"
	"weft/lab"
	"weft/route"
	"weft/route/names"
	"weft/route/paths"
	"weft/sim/flow"
)

// measured holds the results of a row: by quantity, a value for each instance.
type measured map[string][]float64

func (m measured) summary(quantity string) flow.Summary { return flow.SummariseFew(m[quantity]) }

// mean returns the mean of a quantity, NaN if no network was measured.
func (m measured) mean(quantity string) float64 { return mean(m[quantity]) }

// first keeps the values of the first n networks.
func (m measured) first(n int) measured {
	all := measured{}
	for q, values := range m {
		all[q] = values[:min(n, len(values))]
	}
	return all
}

// percentAbove returns the excess of one quantity's mean over another's, in percent.
func (m measured) percentAbove(quantity, base string) float64 {
	return 100 * (m.mean(quantity)/m.mean(base) - 1)
}

// eachOver is percentAbove network by network: a paired difference.
func (m measured) eachOver(quantity, base string) flow.Summary {
	var each []float64
	for i, v := range m[quantity] {
		each = append(each, 100*(v/m[base][i]-1))
	}
	return flow.SummariseFew(each)
}

// sample measures n networks of a row, each with a seed of its own.
func sample(ctx context.Context, s *lab.Setup, n int, measure func(seed uint64) map[string]float64) measured {
	each := make([]map[string]float64, n)
	s.Parallel(ctx, n, func(k int) { each[k] = measure(s.Seed + uint64(k)) })
	m := measured{}
	for _, values := range each {
		for q, v := range values {
			m[q] = append(m[q], v)
		}
	}
	return m
}

// buildFrom builds networks from formulas.
func buildFrom(formula func(seed uint64) string) func(seed uint64) *fabric.Graph {
	return func(seed uint64) *fabric.Graph { return lab.Must(lab.Graph(formula(seed))) }
}

// shownSeeds prints the networks of a table whose largest rows have half as many.
func shownSeeds(s *lab.Setup) string {
	return seeds(s, shownNetworks(s, blockNetworks(s))) + ", half as many of 512 machines"
}

// seeds prints the networks of a table.
func seeds(s *lab.Setup, n int) string {
	return fmt.Sprintf("%d instances, seeds %d to %d", n, s.Seed, s.Seed+uint64(n)-1)
}

// compute runs a path computation with some options on one core.
func compute(ctx context.Context, s *lab.Setup, algorithm string, g *fabric.Graph, seed uint64, options route.Options) *paths.Set {
	in := &paths.Input{Graph: g, Seed: seed, Workers: 1, Root: -1, SolveLinear: s.SolveLinear, Options: options}
	return lab.Must(lab.Must(paths.Find(algorithm)).Compute(ctx, in))
}

// assign runs a LID assignment.
func assign(ctx context.Context, set *paths.Set, scheme string, opt names.Options) *names.Assignment {
	return lab.Must(names.Assign(ctx, set, lab.Must(names.ByName(scheme)), opt))
}

// conf is a row of paper 000: machines on switches of average degree 8.
type conf struct{ machines, switches int }

func (c conf) String() string { return fmt.Sprintf("%d/%d", c.machines, c.switches) }

func (c conf) formula(seed uint64) string {
	return fmt.Sprintf("irregular(switches=%d,degree=8,hosts=%d,seed=%d)", c.switches, c.machines, seed)
}

// networks returns the networks of the row under the active readings.
func (c conf) networks(s *lab.Setup) networks {
	if s.Reads(byChance) {
		return networks{c.String() + " by chance", c.buildByChance}
	}
	return networks{c.String(), buildFrom(c.formula)}
}

// buildByChance joins each pair of switches with probability 8/(switches-1). It draws the number of
// links, builds a network with more links, and removes random ones down to that number. It repeats
// this until the network is connected.
func (c conf) buildByChance(seed uint64) *fabric.Graph {
	const degree, most = 8, 12
	rng := rand.New(rand.NewPCG(seed, degree))
	for {
		links := 0
		for range c.switches * (c.switches - 1) / 2 {
			if rng.Float64() < degree/float64(c.switches-1) {
				links++
			}
		}
		formula := fmt.Sprintf("irregular(switches=%d,degree=%d,hosts=%d,seed=%d)", c.switches, most, c.machines, rng.Uint32())
		if less := c.switches*most/2 - links; less > 0 {
			formula += fmt.Sprintf("|fail(links=%d,seed=%d)", less, rng.Uint32())
		}
		g := lab.Must(lab.Graph(formula))
		if _, parts := g.Components(); parts == 1 {
			return g
		}
	}
}

// confOf returns the configuration of a printed row.
func confOf(p lab.Printed) conf { return conf{p.Int("machines"), p.Int("switches")} }

// heuristics of paper 000: the scheme, and its name in print and in the tables' files.
var heuristics = []struct{ scheme, name, column string }{
	{"greedy", "greedy", "greedy"},
	{"split-merge-s", "s-m/S", "split_merge_S"},
	{"split-merge-l", "s-m/L", "split_merge_L"},
	{"color-s", "color/S", "color_S"},
	{"color-l", "color/L", "color_L"},
}

// paired returns the excess of one measurement over another in percent, network by network, over
// the first networks, which were measured for both.
func paired(m, base measured, quantity string) flow.Summary {
	n := min(len(m[quantity]), len(base[quantity]))
	return measured{"m": m[quantity][:n], "base": base[quantity][:n]}.eachOver("m", "base")
}
