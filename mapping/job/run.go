package job

import (
	"context"
	"errors"
	"fmt"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/concurrent"
	"weft/mapping/probe"
	"weft/mapping/survey"
	"weft/mapping/theory"
)

// Result is a map beside the network that it is of.
type Result struct {
	algorithm.Result // the map and its cost
	Mode             Mode
	Algorithm        *algorithm.Algorithm
	Collision        mapping.Collision
	Network          *mapping.Network // the part that the mapper reaches
	Mapper           mapping.Host     // the host that maps, or has won
	Facts            *theory.Facts
	Sender           *mapping.Mapper // of its probes
	Differs          error           // nil when the map is isomorphic to what it should be

	Election *concurrent.Election // nil in other modes
	Parallel *concurrent.Merging  // nil in other modes
	Survey   *survey.Result       // nil without traffic
	// GaveUp is the number of probes after which the algorithm gave up in traffic, so that
	// the survey began with nothing; 0 when it did not.
	GaveUp int
}

// IsCertain reports whether nothing is in doubt, as far as anybody looked.
func (r *Result) IsCertain() bool { return r.Survey == nil || r.Survey.Certain() }

// An algorithm that was made for a quiet network may never end in traffic, and hosts that
// map together may find the same switches again and again where many are far from all
// hosts. They give up after so many probes for each switch.
const (
	mostInTraffic = 1000
	mostTogether  = 1000
)

// ErrLimit says that hosts that map together gave up.
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
		return nil, fmt.Errorf("%s: host %s is wired to no switch: choose another one by --mapper", opt.Network, n.Hosts[host].Name)
	}
	r := &Result{Mode: opt.Mode, Collision: opt.Collision, Mapper: n.Hosts[host], Network: theory.Reached(n, host)}
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

// expected returns what the map should be.
func (r *Result) expected() *mapping.Network {
	if r.Algorithm.Whole && r.Survey == nil && r.Parallel == nil {
		return r.Network
	}
	return theory.Core(r.Network)
}

// setMapper makes a host the one that maps, or has won. It returns the bound of its probe
// strings.
func (r *Result) setMapper(h mapping.Host, opt *Options) (depth int) {
	host := r.Network.HostByID(h.ID)
	r.Mapper, r.Facts = h, theory.Of(r.Network, host)
	r.Sender = mapping.NewMapper(mapping.NewModel(r.Network, r.Collision, opt.hardware()), host, mapping.Conditions{
		SelfIdentifying: r.Algorithm.SelfIdentifying, Traffic: opt.Traffic, Seed: opt.Seed,
	})
	if opt.Depth > 0 {
		return opt.Depth
	}
	return r.Facts.Depth()
}

// runMaster lets one host map.
func (r *Result) runMaster(ctx context.Context, opt *Options) error {
	a := &algorithm.Options{Self: r.Mapper, Radix: r.Network.Radix(), Depth: r.setMapper(r.Mapper, opt), Retries: opt.Retries}
	if opt.isSurveyed() {
		a.Limit = mostInTraffic * r.Network.NumSwitches()
		if opt.Limit > 0 {
			a.Limit = min(a.Limit, opt.Limit)
		}
		a.Retries = max(a.Retries, 1)
	}
	made, err := r.Algorithm.Run(ctx, r.Sender, a)
	if opt.isSurveyed() && errors.Is(err, probe.ErrLimit) {
		r.GaveUp, r.Elapsed = a.Limit, r.Sender.Elapsed
		return nil
	}
	if err == nil {
		r.Result = *made
	}
	return err
}

// runElection lets all hosts map until one is left.
func (r *Result) runElection(ctx context.Context, opt *Options) (err error) {
	r.Election, err = concurrent.Elect(ctx, r.Network, &concurrent.ElectionOptions{
		Algorithm: r.Algorithm, Rule: r.Collision, Hardware: opt.hardware(), Depth: opt.Depth, Seed: opt.Seed,
	})
	if err != nil {
		return err
	}
	w := r.Election.Winners[0]
	r.Result = *w.Result
	r.Elapsed = w.Done
	r.setMapper(r.Network.Hosts[w.Host], opt)
	return nil
}

// runParallel lets all hosts map and merge their graphs.
func (r *Result) runParallel(ctx context.Context, opt *Options) (err error) {
	r.Parallel, err = concurrent.Merge(ctx, r.Network, &concurrent.MergeOptions{
		Rule: r.Collision, Hardware: opt.hardware(), Limit: mostTogether * r.Network.NumSwitches(),
	})
	if err != nil {
		return err
	}
	made := r.Parallel.Maps[0]
	if made.Contradiction != nil {
		return made.Contradiction
	}
	r.Result = algorithm.Result{Map: made.Map, Probes: r.Parallel.Probes, Elapsed: r.Parallel.Elapsed}
	r.setMapper(r.Network.Hosts[made.Leader], opt)
	return nil
}

// runSurvey surveys the network in its traffic, with the map so far for a hint.
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
