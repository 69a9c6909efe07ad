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
	Self  mapping.Host // the mapping host
	Radix int          // the largest possible number of ports of a switch
	// Depth bounds the probe strings of algorithms that need a bound; negative for none. Without a
	// bound Berkeley's stops when every switch found is explored, or merged with an explored one.
	// That needs no knowledge of the network. If no switch-bridge has hosts on one side only, it
	// stops no later than with Q + D; elsewhere it may stop late.
	Depth int
	// Seed seeds the randomised algorithms.
	Seed uint64
	// AnyTurn lets long random probes take any turn, also one that by the wires known so far leads
	// to no port or to a known host.
	AnyTurn bool
	// Retries is the number of times that a silent probe is sent again.
	Retries int
	// Limit stops an algorithm after this many probes; 0 means no limit, and 20 million for the
	// labels, whose tree stays in memory.
	Limit int
	// Explored is called after each exploration of a switch; it may be nil. The labels never call
	// it, since they merge only at the end.
	Explored func(Step)
}

// Step is the size of the model graph after exploring a switch (Fig. 8).
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
	// Unexplored counts switches found but not explored because of the depth. If there are any, the
	// mapper does not know whether its map is complete.
	Unexplored int
}

// Algorithm describes an algorithm for mapping a network.
type Algorithm struct {
	Name    string
	Summary string // one line
	// Whole is set for algorithms that map all of N; the others map its core N - F.
	Whole bool
	// SelfIdentifying is set for algorithms that need switches to answer with an ID.
	SelfIdentifying bool
	// EarlyReplies is set for algorithms that need hosts to answer messages that arrive with turns
	// left.
	EarlyReplies bool
	// Bounded algorithms obey Options.Depth, and Draws marks randomised ones. Exponential ones send
	// exponentially many probes in the depth, on any network (theory.LabelProbes).
	Bounded, Draws, Exponential bool
	Run                         runner
}

// runner maps a network by probes.
type runner func(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error)

// patiently runs an algorithm again if answers were delayed. The probes of both runs count.
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

// table lists the algorithms in printing order.
var table = []Algorithm{
	// Probes: the mean number of neighbours to the power of the depth.
	{Name: "berkeley-labels", Summary: "the proven version: explore, merge labels, prune; exponential: for a few switches", Bounded: true, Exponential: true, Run: patiently(mapByLabels)},
	// O(radix) a vertex; vertices grow exponentially with the distance from hosts.
	{Name: "berkeley", Summary: "the practical version: merge vertices early, skip probes that must fail", Bounded: true, Run: patiently(mapBreadthFirst)},
	// As Berkeley's.
	{Name: "random", Summary: "berkeley with random depth-first branches where no host is near", Bounded: true, Draws: true, Run: patiently(mapAtRandom)},
	// O(wires x switches x radix).
	{Name: "myricom", Summary: "compare each switch found with all known switches", Whole: true, Run: patiently(mapByComparison)},
	// O(wires x radix) where hosts are near.
	{Name: "coupon", Summary: "weft's own: explore breadth first; compare switches where deduction is slow", Run: patiently(mapBySoundings)},
	// As Myricom's for the part that the long probes leave out.
	{Name: "vazirani", Summary: "long random probes, answered by hosts on the way; compare switches for the rest", Draws: true, EarlyReplies: true, Run: patiently(mapByLongProbes)},
	// One or two a wire, two an unused port.
	{Name: "self-identifying", Summary: "switches answer with an identifier: a lower bound for the others", Whole: true, SelfIdentifying: true, Run: patiently(mapByIDs)},
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
