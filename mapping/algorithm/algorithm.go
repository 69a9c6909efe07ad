package algorithm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weft/mapping"
)

// Options is what an algorithm is told.
type Options struct {
	Self  mapping.Host // the mapper
	Radix int          // the most ports that a switch can have
	// Depth bounds the probe strings of the algorithms that need a bound.
	Depth int
	// Retries is how often a silent probe is sent again.
	Retries int
	// Limit stops an algorithm that has sent so many probes; 0 is no limit, and 20 million
	// for the labels, whose tree stays in memory.
	Limit int
	// Explored is called after each exploration of a switch; it may be nil. The labels, of
	// which none is merged before the end, do not call it.
	Explored func(Step)
}

// Step is the state of a mapper after it explored a switch (Fig. 8).
type Step struct {
	Nodes, Wires, Frontier int
}

// Result is a map, and what it took.
type Result struct {
	Map          *mapping.Network
	Probes       Probes
	Elapsed      time.Duration // modelled
	Peak         int           // most vertices of the model graph
	Explorations int
}

// Algorithm maps a network.
type Algorithm struct {
	Name string
	What string
	// Whole is set for those that map N, others map its core N - F.
	Whole bool
	// SelfIdentifying is set for those that need switches which answer with an ID.
	SelfIdentifying bool
	Run             func(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error)
}

// All lists the algorithms.
func All() []Algorithm {
	return []Algorithm{
		{Name: "berkeley-labels", What: "the version that is proved: explore, merge labels, prune", Run: berkeleyLabels},
		{Name: "berkeley", What: "the version in use: merged vertices, probes that must fail left out", Run: berkeley},
		{Name: "myricom", What: "each switch found is compared with those known", Whole: true, Run: myricom},
		{Name: "coupon", What: "our own: depth first, by experience, comparison where deduction is slow", Run: coupon},
		{Name: "self-identifying", What: "switches answer with an identifier: the floor", Whole: true, SelfIdentifying: true, Run: selfIdentifying},
	}
}

// Find finds an algorithm by name.
func Find(name string) (*Algorithm, error) {
	var names []string
	for _, a := range All() {
		if a.Name == name {
			return &a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("mapping: no algorithm is called %q (there are: %s)", name, strings.Join(names, ", "))
}
