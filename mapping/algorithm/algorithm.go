package algorithm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weft/internal/spelling"
	"weft/mapping"
	"weft/mapping/probe"
)

// Turn is a relative turn.
type Turn = mapping.Turn

// Options tells an algorithm about the network and limits its probes.
type Options struct {
	Self  mapping.Host // the host that maps
	Radix int          // the most ports that a switch can have
	// Depth bounds the probe strings of the algorithms that need a bound; negative for
	// none. Berkeley's then stops when every switch that it found is explored or merged with
	// one that is. That needs no knowledge of the network, and where no switch-bridge has
	// hosts on one side only it comes no later than with Q + D; elsewhere it may come late.
	Depth int
	// Seed starts the draws of the algorithms that draw lots.
	Seed uint64
	// Retries tells how often a silent probe is sent again.
	Retries int
	// Limit stops an algorithm that has sent so many probes; 0 is no limit, and 20 million
	// for the labels, whose tree stays in memory.
	Limit int
	// Explored is called after each exploration of a switch; it may be nil. The labels, of
	// which none is merged before the end, do not call it.
	Explored func(Step)
}

// Step is the size of the model graph after a switch was explored (Fig. 8).
type Step struct {
	Nodes, Wires, Frontier int
}

// Result is a map and its cost.
type Result struct {
	Map          *mapping.Network
	Probes       probe.Counts
	Elapsed      time.Duration // modelled
	Peak         int           // most vertices of the model graph
	Explorations int
	// Unexplored counts the switches that were found and not explored, as the depth forbade
	// it: if there are any, the mapper does not know whether its map is whole.
	Unexplored int
}

// Algorithm describes a way to map a network.
type Algorithm struct {
	Name    string
	Summary string // one line
	// Whole is set for those that map N, others map its core N - F.
	Whole bool
	// SelfIdentifying is set for those that need switches which answer with an ID.
	SelfIdentifying bool
	// EarlyReplies is set for those that need hosts which answer messages that reach them with
	// turns left.
	EarlyReplies bool
	// Bounded is set for those that Options.Depth bounds, Draws for those that draw lots.
	Bounded, Draws bool
	Run            runner
}

// runner maps a network by probes.
type runner func(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error)

// patiently runs an algorithm again when answers were delayed. The probes of both runs
// count.
func patiently(run runner) runner {
	return func(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
		sent := func(r *Result) int { return r.Probes.Total().Sent }
		return probe.Patiently(p, opt.Limit, sent, func(limit int, before *Result) (*Result, error) {
			bounded := *opt
			bounded.Limit = limit
			r, err := run(ctx, p, &bounded)
			if err == nil && before != nil {
				r.Probes.Add(&before.Probes)
				r.Elapsed += before.Elapsed
				r.Explorations += before.Explorations
				r.Peak = max(r.Peak, before.Peak)
			}
			return r, err
		})
	}
}

// table lists the algorithms in the order in which they are printed.
var table = []Algorithm{
	// Probes: the mean number of neighbours to the power of the depth.
	{Name: "berkeley-labels", Summary: "the version that is proved: explore, merge labels, prune", Bounded: true, Run: patiently(mapByLabels)},
	// O(radix) a vertex; vertices grow exponentially with the distance from hosts.
	{Name: "berkeley", Summary: "the version in use: merged vertices, probes that must fail left out", Bounded: true, Run: patiently(mapBreadthFirst)},
	// As Berkeley's.
	{Name: "random", Summary: "berkeley with depth-first branches by lot where no host is near", Bounded: true, Draws: true, Run: patiently(mapAtRandom)},
	// O(wires x switches x radix).
	{Name: "myricom", Summary: "each switch found is compared with those known", Whole: true, Run: patiently(mapByComparison)},
	// O(wires x radix) where hosts are near.
	{Name: "coupon", Summary: "our own: breadth first, by experience, comparison where deduction is slow", Run: patiently(mapBySoundings)},
	// As Myricom's for what the long probes leave out.
	{Name: "vazirani", Summary: "long probes by lot, answered by hosts on the way; what dangles by comparison", Draws: true, EarlyReplies: true, Run: patiently(mapByLongProbes)},
	// One or two a wire, two an unused port.
	{Name: "self-identifying", Summary: "switches answer with an identifier: the floor", Whole: true, SelfIdentifying: true, Run: patiently(mapByIDs)},
}

// All lists the algorithms.
func All() []Algorithm { return append([]Algorithm(nil), table...) }

// Find finds an algorithm by name.
func Find(name string) (*Algorithm, error) {
	var names []string
	for _, a := range All() {
		if a.Name == name {
			return &a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("mapping: no algorithm is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}
