package planner

import (
	"errors"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/fabric/shape/fattree"
	"weft/route"
)

// shape is a kind of network with the engines that deliver most on it (measured:
// docs/results/map). Advice about engines that were named follows from it. Auto tries engines in
// its order, or none where it knows the best (known.go).
type shape struct {
	kind    string   // for tables
	name    string   // as in "on NAME"
	best    []string // engines that deliver most
	advised string   // the same in words
	behind  []string // engines known to deliver less; none: all but best

	// decided returns engines that Auto takes without trials, unless they refuse. oneLane says that
	// hosts know no path records.
	decided func(g *fabric.Graph, oneLane bool) []known
	order   []string // candidates of Auto, the most promising first; others follow
	oneLane []string // the same if hosts know no path records; nil: no difference
}

// shapeOf recognises the kind of a network; it returns others if it recognises none.
func shapeOf(g *fabric.Graph) *shape {
	switch {
	case fattree.IsTree(g):
		return &trees
	case isGrid(g):
		return &grids
	case coords.IsHyperX(g):
		return &hyperXs
	}
	return &others
}

// KnownBest names the engines that are known to deliver the most on such a network, the best
// first. It tries none of them.
func KnownBest(g *fabric.Graph) []string { return shapeOf(g).best }

// isGrid reports whether all parts of a network are meshes or tori, with or without holes.
func isGrid(g *fabric.Graph) bool {
	parts := coords.Parts(g)
	for _, part := range parts {
		_, err := coords.Find(part, func(places [][]int32) (*coords.Grid, error) { return coords.NewGrid(part, places) })
		if err != nil {
			return false
		}
	}
	return len(parts) > 0
}

// hasChoice reports whether hosts have more than one path to each other: somewhere the switches
// form a ring, or parallel links join two.
func hasChoice(g *fabric.Graph) bool {
	_, parts := g.Components()
	return g.NumHosts > 1 && g.NumChannels/2 > g.NumSwitches-parts
}

// note returns the hint that other engines are known to deliver as much as the named one, or more,
// on such a network; "" if none is known to.
func (s *shape) note(engine string) string {
	known := len(s.behind) == 0 || slices.Contains(s.behind, engine)
	if !known || slices.Contains(s.best, engine) {
		return ""
	}
	return s.advised + " is known to deliver as much or more on " + s.name + " (weft compare --yardstick shows by how much)"
}

// advise adds what to do instead to a refusal that does not say so.
func (s *shape) advise(err error) error {
	refusal, ok := errors.AsType[*route.Refusal](err)
	if !ok || refusal.Advice != "" {
		return err
	}
	full := *refusal
	full.Advice = "use auto, which takes the engine that delivers the most"
	if !slices.Contains(s.best, refusal.Engine) {
		full.Advice = "use " + s.advised + ", known to deliver the most on " + s.name + ", or auto"
	}
	return &full
}
