package paths

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/internal/spelling"
	"weft/route"
	"weft/route/names/ilp"
)

// MostHosts is the maximum number of hosts for paths of all pairs: 2^26 paths take about 1 GB.
const MostHosts = 1 << 13

// Input holds the arguments of an algorithm. The same Input gives the same Set for any number of
// Workers.
type Input struct {
	Graph       *fabric.Graph
	Seed        uint64
	Workers     int
	Root        int32           // switch at the root of the up*/down* tree; -1: drawn from Seed
	Options     route.Options   // of the algorithm; missing ones have their defaults
	SolveLinear ilp.SolveLinear // of smart with balance=programme; nil without a solver
}

// Algorithm computes paths between all hosts.
type Algorithm struct {
	Name         string
	Summary      string // one line
	Paper        string
	Cost         string
	DeadlockFree bool // on one lane, for the paths themselves
	Rootless     bool // without a tree; it ignores Input.Root
	Options      []route.Option
	Compute      func(ctx context.Context, in *Input) (*Set, error)
}

// All lists the algorithms in the order of printing.
func All() []*Algorithm {
	return []*Algorithm{
		updnShortest, updnChannel, shortestWidest, pathSelection, shortSelection, jointSelection, srd, updnIBA, smart, lTurn, dor, mport,
	}
}

// Find finds an algorithm by name.
func Find(name string) (*Algorithm, error) {
	var names []string
	for _, a := range All() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("paths: no path computation is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}
