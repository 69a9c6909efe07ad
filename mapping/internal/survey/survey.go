// Package survey makes a map that is right, or says where it may be wrong. That is what section 6
// of paper 001 asks for: an accurate map in the presence of traffic.
//
// An answer is a proof, silence is not. So a survey
//
//   - proves every wire by one answered probe: a host-probe for a host and
//     all wires on the path to it, a comparison for a wire between two switches that are
//     on the map;
//   - sounds a new switch before exploring it: a host-probe goes through it by
//     turns that led to a host from such a position before (probe.Soundings);
//   - probes every silent port that may exist again and again, until the chance that all
//     of these probes were lost is below the allowed error. The chance follows from probes
//     that would surely be answered in a quiet network: each visit of a switch sends one.
//     An unknown wire counts as bad as the worst known one (evidence.go);
//   - compares two switches on one path that may be the same switch. If they are, a probe
//     over this path crosses itself, and only therefore gets no answer (crossing.go).
//
// A map without an unknown port is the network (package graph). The result names ports that stay in
// doubt when the probes run out.
//
// A hint, an older map or one by some algorithm, says which probe to send first. It is never
// believed. Where it is right, one answered probe proves a wire, so an unchanged network costs
// little more than one probe a wire and two a silent port. Where it is wrong, the survey explores.
//
// Cost: probes as above; a breadth-first search of the map after each new fact.
package survey

import (
	"context"
	"errors"
	"slices"
	"time"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// Options controls a survey.
type Options struct {
	Self  mapping.Host     // the mapping host
	Radix int              // the largest possible number of ports of a switch
	Hint  *mapping.Network // an older map; nil for none
	// Error is the allowed chance that the map is wrong without saying so, provided that no unknown
	// wire is worse than Worst. 0 believes silence at once, as suits a network without traffic.
	Error float64
	// Worst is the share of probes that an unknown wire may lose, besides the losses of known
	// paths; never below the loss of the worst known wire.
	Worst float64
	// Limit is the number of probes after which the survey gives up; 0 is no limit.
	Limit int
}

// Result is a map, its cost, and the places where it may be wrong.
type Result struct {
	Map     *mapping.Network // the core, N - F
	Whole   *mapping.Network // N, as far as it is known
	Probes  probe.Counts
	Elapsed time.Duration // modelled
	Passes  int
	// Restarts counts restarts because the network changed meanwhile.
	Restarts int
	Mute     bool // nothing answered
	// Uncertain is empty if the map is right.
	Uncertain []Place
	// Contradiction is set if the network changed meanwhile: Map is then nil.
	Contradiction error
}

// Certain reports whether the map is right, within the allowed error, if the network did not change
// meanwhile. If nothing answered at all, the host may be cut off.
func (r *Result) Certain() bool {
	return len(r.Uncertain) == 0 && r.Contradiction == nil && !r.Mute
}

// mostPasses is the maximum number of counted probes of a silent port of each kind.
const mostPasses = 255

// Run surveys a network, and once more with the map as a hint if answers were delayed. If answers
// contradict each other, or control probes stay silent, it starts again.
func Run(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	sent := func(r *Result) int { return r.Probes.Total().Sent }
	return probe.Patiently(p, opt.Limit, sent, func(limit int, before *Result) (*Result, error) {
		bounded := *opt
		bounded.Limit = limit
		if before != nil {
			bounded.Hint = before.Whole
		}
		r, err := runUnchanged(ctx, p, &bounded)
		if err == nil && before != nil {
			r.AddCost(before)
		}
		return r, err
	})
}

// mostRestarts is the maximum number of restarts of a survey.
const mostRestarts = 2

// runUnchanged surveys a network until it did not change meanwhile, or mostRestarts is reached.
func runUnchanged(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	r, err := runOnce(ctx, p, opt, false)
	for err == nil && r.Contradiction != nil && r.Restarts < mostRestarts {
		bounded := *opt
		if opt.Limit > 0 {
			if bounded.Limit -= r.Probes.Total().Sent; bounded.Limit <= 0 {
				return r, nil
			}
		}
		before := r
		if r, err = runOnce(ctx, p, &bounded, before.Restarts+1 == mostRestarts); err == nil {
			r.AddCost(before)
			r.Restarts++
		}
	}
	return r, err
}

// AddCost adds the cost of an earlier map.
func (r *Result) AddCost(before *Result) {
	r.Probes.Add(&before.Probes)
	r.Elapsed += before.Elapsed
	r.Passes += before.Passes
	r.Restarts += before.Restarts
}

// runOnce surveys a network once. With patiently, a switch that never answered over its path does
// not count as gone: the path may cross itself.
func runOnce(ctx context.Context, p mapping.Prober, opt *Options, patiently bool) (*Result, error) {
	if !(opt.Error >= 0 && opt.Error < 1 && opt.Worst >= 0 && opt.Worst < 1) {
		return nil, errors.New("mapping: the allowed error and the worst loss of a wire must be below 1")
	}
	e := NewExplorer(ctx, graph.New(opt.Radix), p, opt.Self)
	e.limit, e.evidence = opt.Limit, newEvidence(opt.Error, opt.Worst)
	e.evidence.patient = patiently
	if opt.Hint != nil {
		e.hint = newHint(opt.Hint, opt.Self, e.Map, e.root())
	}
	r, err := e.Finish(mostPasses)
	if err == nil {
		r.Mute = r.Probes.Total().Answered == 0
	}
	return r, err
}

// Finish visits switches until no port is in doubt, and makes the map.
func (e *Explorer) Finish(passes int) (*Result, error) {
	r := &Result{}
	for r.Passes < passes && !e.isSpent() && e.changed() == nil {
		r.Passes++
		e.visitAll()
		if e.changed() != nil || e.isSettled() && !e.recheckCrossings() && !slices.ContainsFunc(e.Tree().Order, e.isUnheard) {
			break
		}
	}
	if e.Ended() {
		return nil, e.Stopped()
	}
	r.Probes, r.Elapsed = e.Probes, e.Elapsed
	if r.Contradiction = e.changed(); r.Contradiction != nil {
		return r, nil
	}
	err := e.makeMaps(r)
	if errors.Is(err, graph.ErrContradiction) {
		r.Contradiction, err = err, nil
	}
	return r, err
}

// changed returns how the network is known to have changed: its answers contradict each other, or
// control probes are no longer answered. It returns nil otherwise.
func (e *Explorer) changed() error {
	if e.evidence.dead {
		return ErrDied
	}
	return e.Map.Err()
}

// visitAll visits every switch with a port in doubt once, including switches found meanwhile.
func (e *Explorer) visitAll() {
	e.startPass()
	visited := map[int32]bool{}
	for e.changed() == nil && !e.isSpent() {
		v, ok := e.nearest(visited)
		if !ok {
			return
		}
		visited[v] = true
		e.Visit(v)
	}
}

// nearest returns the nearest switch to visit. A switch that needs no visit counts as visited.
func (e *Explorer) nearest(visited map[int32]bool) (int32, bool) {
	for _, v := range e.Tree().Order {
		if e.Map.IsHost(v) || visited[v] {
			continue
		}
		if e.IsOpen(v) {
			return v, true
		}
		visited[v] = true
	}
	return 0, false
}

// isSettled reports whether no port is in doubt after sharing the allowed error anew.
func (e *Explorer) isSettled() bool {
	e.startPass() // other ports are silent now
	for _, v := range e.Tree().Order {
		if !e.Map.IsHost(v) && e.hasDoubt(v) {
			return false
		}
	}
	return true
}

// makeMaps makes the maps of a result, and lists the places in doubt.
func (e *Explorer) makeMaps(r *Result) error {
	whole, nodes, err := e.Map.Network()
	if err != nil {
		return err
	}
	kept := theory.Kept(whole)
	r.Whole, r.Map = whole, whole.Keep(kept)
	index := make([]int32, whole.NumNodes())
	next := int32(0)
	for v := range index {
		index[v] = -1
		if kept[v] {
			index[v] = next
			next++
		}
	}
	r.Uncertain = e.places(nodes, index)
	return nil
}
