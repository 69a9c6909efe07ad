package naming

import (
	"context"
	"fmt"
	"sync"

	"weft/fabric"
	"weft/internal/par"
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
	measure func(g *fabric.Graph, seed uint64) (map[string]float64, error),
) (measured, error) {
	each := make([]map[string]float64, n)
	err := par.For(ctx, s.Workers, n, func(_, k int) error {
		seed := s.Seed + uint64(k)
		g, err := lab.Graph(formula(seed))
		if err != nil {
			return err
		}
		each[k], err = measure(g, seed)
		return err
	})
	if err != nil {
		return nil, err
	}
	m := measured{}
	for _, values := range each {
		for q, v := range values {
			m[q] = append(m[q], v)
		}
	}
	return m, nil
}

// pathSets computes the paths of the instances of a row.
func pathSets(ctx context.Context, s *lab.Setup, c conf, algorithm string, n int) ([]*paths.Set, error) {
	sets := make([]*paths.Set, n)
	err := par.For(ctx, s.Workers, n, func(_, k int) error {
		seed := s.Seed + uint64(k)
		g, err := lab.Graph(c.formula(seed))
		if err == nil {
			sets[k], err = compute(ctx, algorithm, g, seed)
		}
		return err
	})
	return sets, err
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
func compute(ctx context.Context, algorithm string, g *fabric.Graph, seed uint64) (*paths.Set, error) {
	in := &paths.Input{Graph: g, Seed: seed, Workers: 1, Root: -1}
	if vary, ok := variants[algorithm]; ok {
		return vary(ctx, in)
	}
	a, err := paths.Find(algorithm)
	if err != nil {
		return nil, err
	}
	return a.Compute(ctx, in)
}

// assign runs a LID assignment.
func assign(ctx context.Context, set *paths.Set, scheme string, opt names.Options) (*names.Assignment, error) {
	n, err := names.ByName(scheme)
	if err != nil {
		return nil, err
	}
	return names.Assign(ctx, set, n, opt)
}

// lids counts the LIDs that a scheme needs.
func lids(ctx context.Context, set *paths.Set, scheme string) (float64, error) {
	a, err := assign(ctx, set, scheme, names.Options{Workers: 1})
	if err != nil {
		return 0, err
	}
	return float64(a.LIDs()), nil
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
func confOf(p printed) conf { return conf{p.whole("machines"), p.whole("switches"), 0} }

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

// load is the quantity of the maximum link load.
const load = "load"

// store keeps what was measured, since tables share rows.
type store struct {
	mu   sync.Mutex
	rows map[string]measured
}

// row is the maximum link load and the LIDs by heuristic of the paths of a
// computation.
func (st *store) row(ctx context.Context, s *lab.Setup, c conf, algorithm string, n int) (measured, error) {
	key := fmt.Sprint(c, c.fewer, algorithm, n, s.Seed)
	st.mu.Lock()
	defer st.mu.Unlock()
	if m, ok := st.rows[key]; ok {
		return m, nil
	}
	m, err := sample(ctx, s, n, c.formula, func(g *fabric.Graph, seed uint64) (map[string]float64, error) {
		set, err := compute(ctx, algorithm, g, seed)
		if err != nil {
			return nil, err
		}
		values, err := namesOf(ctx, set)
		if err == nil && algorithm == "path-selection" {
			err = countVaried(ctx, set, values)
		}
		return values, err
	})
	if err == nil {
		st.rows[key] = m
	}
	return m, err
}

// namesOf measures a path set.
func namesOf(ctx context.Context, set *paths.Set) (values map[string]float64, err error) {
	values = map[string]float64{load: set.MaxLoad()}
	for _, h := range heuristics {
		if values[h.scheme], err = lids(ctx, set, h.scheme); err != nil {
			return nil, err
		}
	}
	return values, nil
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
func countVaried(ctx context.Context, set *paths.Set, values map[string]float64) error {
	for scheme, s := range varied {
		a, err := names.Assign(ctx, set, s, names.Options{Workers: 1})
		if err != nil {
			return err
		}
		values[variedOf(scheme)] = float64(a.LIDs())
	}
	return nil
}
