package naming

import (
	"context"
	"fmt"
	"sync"

	"weft/fabric"
	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
	"weft/sim/flow"
)

// measured holds the figures of a row: by quantity, a value for each instance.
type measured map[string][]float64

func (m measured) summary(quantity string) flow.Summary { return flow.Summarise(m[quantity]) }

func (m measured) mean(quantity string) float64 { return m.summary(quantity).Mean }

// sample measures n instances of a network, each with a seed of its own.
func sample(ctx context.Context, s *lab.Setup, n int, formula func(seed uint64) string,
	measure func(g *fabric.Graph, seed uint64) map[string]float64,
) measured {
	each := make([]map[string]float64, n)
	s.Parallel(ctx, n, func(k int) {
		seed := s.Seed + uint64(k)
		each[k] = measure(lab.Must(lab.Graph(formula(seed))), seed)
	})
	m := measured{}
	for _, values := range each {
		for q, v := range values {
			m[q] = append(m[q], v)
		}
	}
	return m
}

// pathSets computes the paths of the instances of a row.
func pathSets(ctx context.Context, s *lab.Setup, c conf, algorithm string, n int) []*paths.Set {
	sets := make([]*paths.Set, n)
	s.Parallel(ctx, n, func(k int) {
		seed := s.Seed + uint64(k)
		sets[k] = compute(ctx, algorithm, lab.Must(lab.Graph(c.formula(seed))), seed)
	})
	return sets
}

// seeds says which instances a table is about.
func seeds(s *lab.Setup, n int) string {
	return fmt.Sprintf("%d instances, seeds %d to %d", n, s.Seed, s.Seed+uint64(n)-1)
}

// Path computations with one assumption changed.
const (
	anyLength = "path-selection from 16 candidates of any length" // not longer than the shortest by one hop
	newFirst  = "dor, of the paths to a destination those that replace others first"
	fromTop   = "mport, paths over broken links up*/down* from a switch at the top" // not from a leaf
)

var variants = map[string]func(context.Context, *paths.Input) (*paths.Set, error){
	anyLength: paths.SelectAnyLength, newFirst: paths.DORNewFirst, fromTop: paths.MPortFromTop,
}

// compute runs a path computation on one core.
func compute(ctx context.Context, algorithm string, g *fabric.Graph, seed uint64) *paths.Set {
	in := &paths.Input{Graph: g, Seed: seed, Workers: 1, Root: -1}
	if vary, ok := variants[algorithm]; ok {
		return lab.Must(vary(ctx, in))
	}
	return lab.Must(lab.Must(paths.Find(algorithm)).Compute(ctx, in))
}

// assign runs a LID assignment.
func assign(ctx context.Context, set *paths.Set, scheme string, opt names.Options) *names.Assignment {
	return lab.Must(names.Assign(ctx, set, lab.Must(names.ByName(scheme)), opt))
}

// lids counts the LIDs that a scheme needs.
func lids(ctx context.Context, set *paths.Set, scheme string) float64 {
	return float64(assign(ctx, set, scheme, names.Options{Workers: 1}).LIDs())
}

// conf is a row of paper 000: machines on switches of average degree 8, less some
// cables in an experiment.
type conf struct{ machines, switches, fewer int }

func (c conf) String() string { return fmt.Sprintf("%d/%d", c.machines, c.switches) }

func (c conf) formula(seed uint64) string {
	f := fmt.Sprintf("irregular(switches=%d,degree=8,hosts=%d,seed=%d)", c.switches, c.machines, seed)
	if c.fewer > 0 {
		f += fmt.Sprintf("|fail(links=%d,seed=%d)", c.fewer, seed)
	}
	return f
}

// less is the row with fewer cables.
func (c conf) less(cables int) conf {
	c.fewer = cables
	return c
}

// confOf is the configuration of a printed row.
func confOf(p lab.Printed) conf { return conf{p.Int("machines"), p.Int("switches"), 0} }

// heuristics of paper 000: the scheme, and its name in print and in the tables' files.
var heuristics = []struct{ scheme, name, column string }{
	{"greedy", "greedy", "greedy"},
	{"split-merge-s", "s-m/S", "split_merge_S"},
	{"split-merge-l", "s-m/L", "split_merge_L"},
	{"color-s", "color/S", "color_S"},
	{"color-l", "color/L", "color_L"},
}

// experiment is a row with one assumption changed.
type experiment struct {
	text      string
	c         conf
	algorithm string
	times     int // as many instances
}

// experiments lists what is tried for a row whose means are off, until one explains it: with 16 switches ours need too many LIDs, and need fewer with fewer cables; with
// more switches too few, and more with longer candidates.
func experiments(c conf, algorithm string) []experiment {
	list := []experiment{{
		"4 cables less, the mean when each pair of switches is joined with probability 8/switches", c.less(4), algorithm, 1,
	}, {
		fmt.Sprintf("8 cables less, an average degree of %.2f", 8-16/float64(c.switches)), c.less(8), algorithm, 1,
	}}
	if algorithm != "path-selection" {
		return list
	}
	long := experiment{anyLength, c, anyLength, 1}
	if c.switches > 16 {
		return append([]experiment{long}, list...)
	}
	return append(list, long)
}

// triesOf lists experiments with how each is run.
func triesOf(list []experiment, run func(experiment) measured) (tries []try) {
	for _, x := range list {
		tries = append(tries, try{x.text, func() measured { return run(x) }})
	}
	return tries
}

// load is the quantity of the maximum link load.
const load = "load"

// store keeps what was measured, since tables share rows.
type store struct {
	mu   sync.Mutex
	rows map[string]measured
}

// row is the maximum link load and the LIDs by heuristic of the paths of a
// computation.
func (st *store) row(ctx context.Context, s *lab.Setup, c conf, algorithm string, n int) measured {
	return st.once(fmt.Sprint(c, c.fewer, algorithm, n, s.Seed), func() measured {
		return sample(ctx, s, n, c.formula, func(g *fabric.Graph, seed uint64) map[string]float64 {
			set := compute(ctx, algorithm, g, seed)
			values := namesOf(ctx, set)
			if algorithm == "path-selection" {
				countVaried(ctx, set, values)
			}
			return values
		})
	})
}

// once returns what is kept under a key, or measures it.
func (st *store) once(key string, measure func() measured) measured {
	st.mu.Lock()
	defer st.mu.Unlock()
	m, ok := st.rows[key]
	if !ok {
		m = measure()
		st.rows[key] = m
	}
	return m
}

// namesOf measures a path set.
func namesOf(ctx context.Context, set *paths.Set) map[string]float64 {
	values := map[string]float64{load: set.MaxLoad()}
	for _, h := range heuristics {
		values[h.scheme] = lids(ctx, set, h.scheme)
	}
	return values
}

// varied are split-merge with one assumption changed, by the scheme that they replace.
var varied = map[string]*names.Scheme{
	"split-merge-s": names.SplitMergeFewest(false), "split-merge-l": names.SplitMergeFewest(true),
}

// variedOf is the quantity of a scheme in the experiment.
func variedOf(scheme string) string {
	if _, ok := varied[scheme]; ok {
		return scheme + ", varied"
	}
	return scheme
}

// countVaried adds the quantities of the experiment.
func countVaried(ctx context.Context, set *paths.Set, values map[string]float64) {
	for scheme, s := range varied {
		a := lab.Must(names.Assign(ctx, set, s, names.Options{Workers: 1}))
		values[variedOf(scheme)] = float64(a.LIDs())
	}
}
