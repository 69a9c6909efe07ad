package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/concurrent"
	"weft/mapping/internal/survey"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// Result is a map with its network and cost.
type Result struct {
	algorithm.Result // the map and its cost
	Mode             Mode
	Algorithm        *algorithm.Algorithm
	Collision        mapping.Collision
	Network          *mapping.Network // the part reachable by the mapper
	Mapper           mapping.Host     // the mapping host, or the winner
	Facts            *theory.Facts
	Sender           *mapping.Mapper // of its probes
	Differs          error           // nil if the map is isomorphic to the expected one

	Election *concurrent.Election // nil in other modes
	Parallel *concurrent.Merging  // nil in other modes
	Survey   *survey.Result       // nil without traffic
	// GaveUp is the number of probes after which the algorithm gave up in traffic, so that the
	// survey began without a hint; 0 if it did not give up.
	GaveUp int

	quiet bool // there was no traffic
}

// IsCertain reports whether the mapper itself knows that its map is right: a survey left nothing in
// doubt, or in a quiet network every switch found was explored.
func (r *Result) IsCertain() bool {
	if r.Survey != nil {
		return r.Survey.Certain()
	}
	return r.quiet && r.Unexplored == 0 && (r.Parallel == nil || r.Parallel.Maps[0].Certain())
}

// mostInTraffic is the number of probes per switch after which an algorithm for quiet networks
// gives up: in traffic it may never end.
const mostInTraffic = 1000

// Spread is the time within which the mappers of an election start, drawn from the seed.
const Spread = 20 * time.Millisecond

// ErrLimit says that hosts mapping together gave up.
var ErrLimit = probe.ErrLimit

// Run maps a network once. It may end with ErrLimit.
func Run(ctx context.Context, n *mapping.Network, opt *Options) (*Result, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	host, err := opt.host(n)
	if err != nil {
		return nil, err
	}
	if !n.OnSwitch(host) {
		return nil, fmt.Errorf("%s: host %s is not wired to a switch: choose another host with --mapper", opt.Network, n.Hosts[host].Name)
	}
	r := &Result{Mode: opt.Mode, Collision: opt.Collision, Mapper: n.Hosts[host], Network: theory.Reached(n, host), quiet: opt.Traffic.Quiet()}
	if opt.Mode != Master && opt.Mapper != "" && r.Network.NumNodes() == n.NumNodes() {
		return nil, fmt.Errorf("--mapper does nothing with --mode %s: all hosts map, and the network has one part", opt.Mode)
	}
	if r.Algorithm, err = opt.algorithm(); err != nil {
		return nil, err
	}
	switch opt.Mode {
	case Master:
		err = r.runMaster(ctx, opt)
	case Election:
		err = r.runElection(ctx, opt)
	case Parallel:
		err = r.runParallel(ctx, opt)
	}
	if err == nil && opt.isSurveyed() {
		err = r.runSurvey(ctx, opt)
	}
	if err != nil {
		return nil, err
	}
	r.Differs = theory.Same(r.Map, r.expected())
	return r, nil
}

// expected returns the map that a correct algorithm makes.
func (r *Result) expected() *mapping.Network {
	if r.Algorithm.Whole && r.Survey == nil && r.Parallel == nil {
		return r.Network
	}
	return theory.Core(r.Network)
}

// setMapper sets the mapping host, or the winner. It returns the bound of its probe strings.
func (r *Result) setMapper(h mapping.Host, opt *Options) (depth int) {
	host := r.Network.HostByID(h.ID)
	r.Mapper, r.Facts = h, theory.FactsOf(r.Network, host)
	r.Sender = mapping.NewMapper(mapping.NewModel(r.Network, r.Collision, opt.hardware()), host, mapping.Conditions{
		SelfIdentifying: r.Algorithm.SelfIdentifying, Traffic: opt.Traffic, Seed: opt.Seed,
	})
	return cmp.Or(opt.depth(), r.Facts.Depth())
}

// bounds returns the number of repetitions of a silent probe, and the maximum number of probes of a
// host.
func (r *Result) bounds(opt *Options) (retries, limit int) {
	if !opt.isSurveyed() {
		return opt.Retries, opt.Limit
	}
	limit = mostInTraffic * r.Network.NumSwitches()
	if opt.Limit > 0 {
		limit = min(limit, opt.Limit)
	}
	return max(opt.Retries, 1), limit
}

// gaveUp notes that an algorithm gave up in traffic after this many probes: the survey begins
// without a hint. It returns any other error.
func (r *Result) gaveUp(err error, opt *Options, limit int) error {
	if !opt.isSurveyed() || !errors.Is(err, probe.ErrLimit) {
		return err
	}
	r.GaveUp = limit
	return nil
}

// runMaster lets one host map.
func (r *Result) runMaster(ctx context.Context, opt *Options) error {
	a := &algorithm.Options{Self: r.Mapper, Radix: r.Network.Radix(), Depth: r.setMapper(r.Mapper, opt), Seed: opt.Seed}
	a.Retries, a.Limit = r.bounds(opt)
	r.warn(opt, a.Depth, a.Limit)
	made, err := r.Algorithm.Run(ctx, r.Sender, a)
	if err != nil {
		r.Elapsed = r.Sender.Elapsed
		return r.gaveUp(err, opt, a.Limit)
	}
	r.Result = *made
	return nil
}

// warn warns of an exponential algorithm, with its number of probes.
func (r *Result) warn(opt *Options, depth, limit int) {
	if opt.Warn == nil || !r.Algorithm.Exponential {
		return
	}
	turns, many := "", "no bound"
	if depth >= 0 {
		turns = fmt.Sprintf(" of up to %d turns", depth)
		many = fmt.Sprintf("about %.3g probes", theory.LabelProbes(r.Network, r.Network.HostByID(r.Mapper.ID), depth))
	}
	opt.Warn(fmt.Sprintf("%s tries every probe string%s, and their number grows exponentially: %s here. It stops after %d (--limit). --algorithm berkeley finds the same map with far fewer.",
		r.Algorithm.Name, turns, many, cmp.Or(limit, algorithm.MostLabelled)))
}

// runElection lets all hosts map until one is left. If probes are lost, several may be left: the
// lowest has won.
func (r *Result) runElection(ctx context.Context, opt *Options) error {
	e := &concurrent.ElectionOptions{
		Algorithm: r.Algorithm, Rule: r.Collision, Hardware: opt.hardware(), Depth: opt.depth(), Spread: Spread, Seed: opt.Seed, Traffic: opt.Traffic,
	}
	e.Retries, e.Limit = r.bounds(opt)
	held, err := concurrent.Elect(ctx, r.Network, e)
	if err != nil {
		r.setMapper(slices.MinFunc(r.Network.Hosts, func(a, b mapping.Host) int { return cmp.Compare(a.ID, b.ID) }), opt)
		return r.gaveUp(err, opt, e.Limit)
	}
	w := slices.MinFunc(held.Winners, func(a, b concurrent.Winner) int {
		return cmp.Compare(r.Network.Hosts[a.Host].ID, r.Network.Hosts[b.Host].ID)
	})
	r.Election, r.Result, r.Elapsed = held, *w.Result, w.Done
	r.setMapper(r.Network.Hosts[w.Host], opt)
	return nil
}

// runParallel lets all hosts map and merge their graphs.
func (r *Result) runParallel(ctx context.Context, opt *Options) (err error) {
	_, limit := r.bounds(opt)
	r.Parallel, err = concurrent.Merge(ctx, r.Network, &concurrent.MergeOptions{
		Rule: r.Collision, Hardware: opt.hardware(), Limit: limit, Traffic: opt.Traffic, Seed: opt.Seed, MessageLoss: opt.Traffic.Loss + opt.Traffic.Corrupt,
	})
	if err != nil {
		r.setMapper(r.Mapper, opt)
		return r.gaveUp(err, opt, limit)
	}
	made := r.Parallel.Maps[0]
	if made.Contradiction != nil {
		return made.Contradiction
	}
	r.Result = algorithm.Result{Map: made.Map, Probes: r.Parallel.Probes, Elapsed: r.Parallel.Elapsed}
	r.setMapper(r.Network.Hosts[made.Leader], opt)
	return nil
}

// runSurvey surveys the network in its traffic, with the map so far as a hint.
func (r *Result) runSurvey(ctx context.Context, opt *Options) (err error) {
	r.Survey, err = survey.Run(ctx, r.Sender, &survey.Options{
		Self: r.Mapper, Radix: r.Network.Radix(), Hint: r.Map, Error: opt.Error, Worst: opt.Worst, Limit: opt.Limit,
	})
	if err != nil {
		return err
	}
	if r.Survey.Contradiction != nil {
		return r.Survey.Contradiction
	}
	r.Map = r.Survey.Map
	r.Probes.Add(&r.Survey.Probes)
	r.Elapsed += r.Survey.Elapsed
	return nil
}
