package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/election"
	"weft/mapping/parallel"
	"weft/mapping/probe"
	"weft/mapping/survey"
	"weft/mapping/theory"
)

// mapRun is a map beside the network that it is of.
type mapRun struct {
	algorithm *algorithm.Algorithm
	collision mapping.Collision
	mapper    mapping.Host
	facts     *theory.Facts
	sent      *mapping.Mapper
	result    *algorithm.Result
	differs   error         // nil when the map is isomorphic to what it should be
	routes    *routesReport // nil when none were asked for

	mode     string
	network  *mapping.Network
	election *election.Result // nil in other modes
	parallel *parallel.Result
	survey   *survey.Result // nil without traffic
	gaveUp   int            // probes after which the algorithm did, and the survey began with nothing
}

// certain says that nothing is in doubt, as far as anybody looked.
func (r *mapRun) certain() bool { return r.survey == nil || r.survey.Certain() }

// mostPayload keeps modelled times within their range.
const mostPayload = 1 << 20

// gentle is the probes for each switch after which an algorithm that was made for a
// quiet network gives up in traffic, where it may never end.
const gentle = 1000

// together is the probes for each switch after which hosts that map together give up:
// where many switches are far from all hosts, they find the same ones again and again.
const together = 1000

// check refuses options that make no sense.
func (m *mapFlags) check(cmd *cobra.Command) error {
	switch m.mode {
	case "master", "election", "parallel":
	default:
		return fmt.Errorf("--mode %q: there are master, election and parallel", m.mode)
	}
	if m.depth < 0 || m.retries < 0 || m.payload < 0 || m.limit < 0 {
		return fmt.Errorf("--depth, --retries, --payload and --limit are not negative")
	}
	if m.payload > mostPayload {
		return fmt.Errorf("--payload %d: a probe has %d bytes at most", m.payload, mostPayload)
	}
	if err := m.traffic.Check(); err != nil {
		return err
	}
	if !(m.err >= 0 && m.err < 1) || !(m.worst >= 0 && m.worst < 1) {
		return fmt.Errorf("--error and --worst are at least 0 and below 1")
	}
	if m.mode == "parallel" && cmd.Flags().Changed("algorithm") {
		return fmt.Errorf("--mode parallel has a method of its own: leave out --algorithm")
	}
	return nil
}

// hardware is that of the network.
func (m *mapFlags) hardware() mapping.Hardware {
	hw := mapping.Myrinet
	hw.Payload, hw.Early = m.payload, m.early
	return hw
}

func (m *mapFlags) run(ctx context.Context, cmd *cobra.Command, arg string) (*mapRun, error) {
	run := &mapRun{mode: m.mode}
	var err error
	if run.algorithm, err = algorithm.Find(m.algorithm); err != nil {
		return nil, err
	}
	if run.collision, err = mapping.ParseCollision(m.collision); err != nil {
		return nil, err
	}
	if err = m.check(cmd); err != nil {
		return nil, err
	}
	src, err := m.fabric.open(cmd, arg)
	if err != nil {
		return nil, err
	}
	n, err := mapping.FromFabric(src.Fabric)
	if err != nil {
		return nil, located(err, arg, src.Fabric)
	}
	if err := enough(n, arg); err != nil {
		return nil, err
	}
	host := int32(n.NumHosts() - 1)
	if m.mapper != "" {
		if host, err = n.HostByName(m.mapper); err != nil {
			return nil, err
		}
	}
	if !n.OnSwitch(host) {
		return nil, fmt.Errorf("%s: host %s is wired to no switch: choose another one by --mapper", arg, n.Hosts[host].Name)
	}
	run.mapper, run.network = n.Hosts[host], theory.Reached(n, host)
	switch m.mode {
	case "master":
		err = run.master(ctx, m)
	case "election":
		err = run.elect(ctx, m)
	case "parallel":
		err = run.together(ctx, m)
	}
	if err == nil && !m.traffic.Quiet() && m.err > 0 {
		err = run.certify(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	want := run.network
	if !run.algorithm.Whole || run.survey != nil || run.parallel != nil {
		want = theory.Core(want)
	}
	run.differs = theory.Same(run.result.Map, want)
	return run, nil
}

// enough refuses networks in which there is nothing to map.
func enough(n *mapping.Network, arg string) error {
	if n.NumHosts() < 2 || n.NumSwitches() < 1 {
		return fmt.Errorf("%s: %d hosts and %d switches (mapping takes two and one)", arg, n.NumHosts(), n.NumSwitches())
	}
	return nil
}

// located says on which line of a file a host is that has too many wires: a fabric may
// have such hosts, and does not know lines.
func located(err error, file string, f *fabric.Fabric) error {
	var wires *mapping.HostWires
	if !errors.As(err, &wires) {
		return err
	}
	text, unread := os.ReadFile(file)
	if unread != nil {
		return err // a formula
	}
	n := &f.Nodes[wires.Node]
	for i, line := range strings.Split(string(text), "\n") {
		header := strings.HasPrefix(line, "Ca") || strings.HasPrefix(line, "Hca") || strings.HasPrefix(line, "R") || strings.HasPrefix(strings.TrimSpace(line), `"`)
		if header && (strings.Contains(strings.ToLower(line), fmt.Sprintf("%016x", uint64(n.GUID))) || n.Desc != "" && strings.Contains(line, `"`+n.Desc+`"`)) {
			return fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return err
}

// prepare makes the mapper of the host that maps, or has won.
func (r *mapRun) prepare(m *mapFlags) (depth int) {
	host := hostOf(r.network, r.mapper)
	r.facts = theory.Of(r.network, host)
	r.sent = mapping.NewMapper(mapping.NewModel(r.network, r.collision, m.hardware()), host, mapping.Conditions{
		SelfIdentifying: r.algorithm.SelfIdentifying, Traffic: m.traffic, Seed: m.seed,
	})
	if m.depth > 0 {
		return m.depth
	}
	return r.facts.Depth()
}

// master lets one host map.
func (r *mapRun) master(ctx context.Context, m *mapFlags) (err error) {
	opt := &algorithm.Options{Self: r.mapper, Radix: r.network.Radix(), Depth: r.prepare(m), Retries: m.retries}
	surveyed := !m.traffic.Quiet() && m.err > 0
	if surveyed {
		opt.Limit = gentle * r.network.NumSwitches()
		if m.limit > 0 {
			opt.Limit = min(opt.Limit, m.limit)
		}
		opt.Retries = max(opt.Retries, 1)
	}
	r.result, err = r.algorithm.Run(ctx, r.sent, opt)
	if surveyed && errors.Is(err, probe.ErrLimit) {
		r.gaveUp, err = opt.Limit, nil
		r.result = &algorithm.Result{Elapsed: r.sent.Elapsed}
	}
	return err
}

// elect lets all hosts map until one is left.
func (r *mapRun) elect(ctx context.Context, m *mapFlags) (err error) {
	opt := &election.Options{Algorithm: r.algorithm, Rule: r.collision, Hardware: m.hardware(), Depth: m.depth, Seed: m.seed}
	if r.election, err = election.Run(ctx, r.network, opt); err != nil {
		return err
	}
	w := r.election.Winners[0]
	r.mapper, r.result = r.network.Hosts[w.Host], w.Result
	r.result.Elapsed = w.Done
	r.prepare(m)
	return nil
}

// together lets all hosts map and merge their maps.
func (r *mapRun) together(ctx context.Context, m *mapFlags) (err error) {
	if r.parallel, err = parallel.Run(ctx, r.network, &parallel.Options{Rule: r.collision, Hardware: m.hardware(), Limit: together * r.network.NumSwitches()}); err != nil {
		return &exitError{exitCannot, err}
	}
	made := r.parallel.Maps[0]
	if made.Contradiction != nil {
		return made.Contradiction
	}
	r.mapper = r.network.Hosts[made.Leader]
	r.result = &algorithm.Result{Map: made.Map, Probes: r.parallel.Probes, Elapsed: r.parallel.Elapsed}
	r.prepare(m)
	return nil
}

// certify surveys the network in its traffic, with the map so far for a hint.
func (r *mapRun) certify(ctx context.Context, m *mapFlags) (err error) {
	r.survey, err = survey.Run(ctx, r.sent, &survey.Options{
		Self: r.mapper, Radix: r.network.Radix(), Hint: r.result.Map, Error: m.err, Worst: m.worst, Limit: m.limit,
	})
	if err != nil {
		return err
	}
	if r.survey.Contradiction != nil {
		return r.survey.Contradiction
	}
	r.result.Map = r.survey.Map
	r.result.Probes.Add(&r.survey.Probes)
	r.result.Elapsed += r.survey.Elapsed
	return nil
}
