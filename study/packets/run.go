package packets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"weft/fabric"
	"weft/internal/par"
	"weft/planner"
	"weft/sim/beff"
	simbetween "weft/sim/between"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
	"weft/study"
	"weft/study/flows"
)

// job is a request with the state that all its runs share.
type job struct {
	*Request
	g       *fabric.Graph
	plan    *planner.Result
	hosts   []int32 // end ports of the ranks, before shuffling
	ranks   int
	where   flows.Where
	servers *traffic.Servers   // nil if each has one port
	pattern *traffic.Pattern   // nil for Uniform
	place   *traffic.Placement // of the ranks of the pattern
	timed   []traffic.Message  // in place of it
	streams []traffic.Stream   // likewise
	beside  []beff.Stream      // beside BEff
	shuffle bool
	once    bool
	changes []NetworkChange
	vls     int // needed by the Plan and by repairs
}

// oneRun is one run of a job.
type oneRun struct {
	load            float64
	seed            uint64
	hosts           []int32 // end ports of the ranks
	result          *packet.Result
	series          *packet.Series // nil if nothing was recorded over time
	flows           *packet.Flows  // nil if they were not counted
	senders, takers []int32        // end ports
	// sendersTo lists the senders to each end port; nil if all send to anyone.
	sendersTo map[int32][]int32
}

// Simulate sends the packets of a traffic pattern through a network in time. Runs differ by load
// and seed, and run in parallel.
func Simulate(ctx context.Context, g *fabric.Graph, routing *planner.Result, r *Request) (*Simulation, error) {
	j := &job{Request: r, g: g, plan: routing, vls: packet.Lanes(routing.Plan)}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	if err := j.prepareChanges(ctx); err != nil {
		return nil, err
	}
	out := j.document()
	if r.IsBEff() {
		return out, j.runBEff(ctx, out)
	}
	loads := r.loads()
	if out.Seeds = r.Seeds; j.allSame(loads[0]) {
		out.Seeds = 1 // all runs are the same
	}
	seeds := out.Seeds
	runs := make([]*oneRun, len(loads)*seeds)
	step, end := par.Steps(ctx, len(runs)*stepsOfRun)
	err := par.For(ctx, r.Workers, len(runs), func(_, i int) (err error) {
		runs[i], err = j.run(ctx, loads[i/seeds], r.Seed+uint64(i%seeds), step)
		return err
	})
	end()
	if err != nil {
		return nil, err
	}
	for i := range loads {
		out.Rows = append(out.Rows, j.row(runs[i*seeds:(i+1)*seeds]))
	}
	for _, run := range runs {
		out.Packets += run.result.Arrived
	}
	shown := runs[(len(loads)-1)*seeds]
	out.OverTime = j.overTime(shown)
	out.Links, out.Busiest = j.links(shown)
	out.Limit = j.limit(shown, out.Rows[len(out.Rows)-1].Share.Mean)
	out.Hosts, out.Flows = j.hostsAndFlows(shown)
	return out, nil
}

// allSame reports whether runs do not depend on their seeds.
func (j *job) allSame(load float64) bool {
	switch {
	case j.streams != nil:
		return !slices.ContainsFunc(j.streams, func(s traffic.Stream) bool { return s.Gbps > 0 })
	case j.pattern != nil:
		return !j.shuffle && !j.pattern.Drawn && load == 0
	}
	return j.timed != nil
}

// document returns the settings of the simulation, without figures.
func (j *job) document() *Simulation {
	out := &Simulation{Rows: []Row{}, Busiest: []BusyLink{}}
	out.Settings = Settings{
		Fabric: j.g.Name, Pattern: j.Pattern, Order: "natural", Ranks: j.ranks, Seeds: 1, VLs: packet.Lanes(j.plan.Plan),
		Refused: study.RefusalsOf(j.plan.Refused), Choice: j.plan.Choice, Changes: j.changes, Where: j.where,
	}
	if j.plan.Engine != nil {
		out.Engine = j.plan.Engine.Name
	}
	if j.Between != nil {
		out.Engine = j.plan.Plan.Recipe.Paths
	}
	switch {
	case j.timed != nil:
		out.Pattern = j.Messages
	case j.beside != nil:
		out.Pattern += ", beside " + j.Streams
	case j.streams != nil:
		out.Pattern = j.Streams
	case j.pattern != nil:
		out.Pattern = j.pattern.Name
	case j.HotSpots.Groups > 0:
		out.Pattern = fmt.Sprintf("uniform, %g %% to %s", 100*j.HotSpots.Share, study.Plural(j.HotSpots.Groups, "hot-spot"))
	}
	if j.FarShare != nil {
		out.Pattern += fmt.Sprintf(", %g %% to other subnets", 100**j.FarShare)
	}
	if j.Bursts.On > 0 {
		out.Pattern += fmt.Sprintf(", in bursts of %v", time.Duration(j.Bursts.On/packet.Nanosecond))
	}
	switch {
	case j.shuffle:
		out.Order = "random"
	case j.Order == "leaf":
		out.Order = "leaf"
	}
	switch {
	case j.timed != nil || j.IsBEff():
	case j.once:
		out.Message = j.message().Least
	default:
		out.Window = float64(j.Duration)
		out.Message, out.MostMessage = j.Message.Least, j.Message.Most
	}
	return out
}

// prepare finds the ranks and the pattern.
func (j *job) prepare(ctx context.Context) error {
	ranks, err := j.findRanks(ctx)
	if err != nil {
		return err
	}
	j.once = j.Once
	switch {
	case j.Messages != "":
		j.once = true
		ranks, err = j.readMessages(ranks)
	case j.IsBEff():
		if j.servers != nil {
			j.hosts, err = j.ranksOfBEff()
		}
		if err == nil {
			err = j.readBeside()
		}
	case j.Streams != "":
		ranks, err = j.readStreams(ranks)
	case j.File == "" && j.Pattern == Uniform:
		err = j.checkUniform(ranks)
	default:
		err = j.findPattern(ranks)
	}
	if err != nil {
		return err
	}
	switch {
	case j.onServers():
		j.hosts = j.portsOf(ranks)
	case !j.shuffle:
		j.hosts = j.hosts[:ranks]
	}
	if j.ranks = len(j.hosts); j.onServers() && !j.IsBEff() {
		j.ranks = ranks
	}
	return nil
}

// findRanks finds the hosts in order, and returns the number of ranks.
func (j *job) findRanks(ctx context.Context) (ranks int, err error) {
	n, err := flow.New(ctx, j.g, j.plan.Plan, j.Workers)
	if err != nil {
		return 0, err
	}
	if j.Between == nil { // hosts of several subnets reach each other through routers
		j.servers = n.Servers()
	}
	j.where = flows.WhereOf(j.servers, n.Hosts, j.RanksOn)
	ranks, what := len(n.Hosts), "host port"
	if j.onServers() {
		ranks, what = j.where.Servers, "server"
	}
	if j.Ranks > ranks {
		return 0, fmt.Errorf("--ranks %d: the fabric has %d %ss with a LID", j.Ranks, ranks, what)
	}
	if ranks = cmp.Or(j.Ranks, ranks); ranks < 2 {
		return 0, fmt.Errorf("%s with a LID: traffic needs two", study.Plural(ranks, what))
	}
	j.hosts = n.Hosts
	if j.Order == "leaf" {
		j.hosts = n.ByLeaf()
	}
	return ranks, nil
}

// findPattern makes the pattern of traffic, and puts its ranks on hosts.
func (j *job) findPattern(ranks int) (err error) {
	f := &flows.Request{Pattern: j.Pattern, File: j.File, Text: j.Text, Ranks: ranks, RanksOn: j.RanksOn}
	if j.pattern, j.place, err = f.Place(j.g, j.servers, j.hosts); err != nil {
		return err
	}
	j.shuffle = j.Order == "random" || j.Order == "auto" && j.pattern.Shuffled
	if j.pattern.Rounds > 1 {
		if j.loads()[0] > 0 {
			return fmt.Errorf("--load: pattern %s has %d rounds, which wait for one another; a load is for patterns of one round", j.pattern.Name, j.pattern.Rounds)
		}
		j.once = true
	}
	if j.once && j.Message.drawn() {
		return fmt.Errorf("--message: all messages of pattern %s have one size, because its rounds wait for one another", j.pattern.Name)
	}
	return nil
}

// checkUniform returns an error if so many ranks cannot have the uniform traffic.
func (j *job) checkUniform(ranks int) error {
	if j.Once {
		return errors.New("--once: pattern uniform has no end")
	}
	if j.FarShare != nil && j.Between == nil {
		return errors.New("--far-share: the fabric is a single subnet")
	}
	if j.HotSpots.Groups > ranks/2 {
		return fmt.Errorf("--hot-spots %d: %d ranks make at most %d groups", j.HotSpots.Groups, ranks, ranks/2)
	}
	return nil
}

// stepsOfRun is the number of progress steps of a run.
const stepsOfRun = 100

// run makes one run; it calls step for each of its steps.
func (j *job) run(ctx context.Context, load float64, seed uint64, step func()) (*oneRun, error) {
	r := &oneRun{load: load, seed: seed, hosts: j.hosts}
	var rounds []traffic.Flows
	if j.pattern != nil {
		var rng rand.PCG
		units := j.place.Units
		if j.shuffle {
			units = slices.Clone(units)
			traffic.Seed(&rng, seed, 0, -1)
			j.place.Shuffle(units, &rng)
		}
		rounds = make([]traffic.Flows, j.pattern.Rounds)
		for i := range rounds {
			traffic.Seed(&rng, seed, 0, i)
			j.pattern.Round(&rounds[i], i, &rng)
		}
		if r.hosts = units[:j.pattern.Ranks]; j.servers != nil && !j.pattern.Fixed {
			r.hosts = j.onNetwork(rounds, units)
		}
	}
	work := j.workload(r, rounds)
	hardware := j.Hardware
	hardware.VLs = max(hardware.VLs, j.vls)
	sim, err := packet.New(j.g, j.plan.Plan, hardware, work)
	if err != nil {
		return nil, err
	}
	var relay *simbetween.Transition
	if j.Between != nil {
		relay = j.Between.Flat.Transition()
		sim.UseRelay(relay)
	}
	warmup, until := packet.Time(j.Warmup)*packet.Nanosecond, packet.Time(j.Warmup+j.Duration)*packet.Nanosecond
	if j.once {
		warmup, until = 0, packet.Time(j.Duration)*packet.Nanosecond
	}
	j.scheduleChanges(sim, relay, warmup)
	r.series = j.record(sim)
	if j.CountFlows {
		r.flows = sim.CountFlows()
	}
	steps := 0
	sim.Watch(func(now packet.Time) {
		for ; steps < int(stepsOfRun*float64(now)/float64(until)); steps++ {
			step()
		}
	})
	if r.result, err = sim.Run(ctx, warmup, until); err != nil {
		return nil, err
	}
	for ; steps < stepsOfRun; steps++ {
		step()
	}
	if w, ok := work.(interface{ Done() bool }); ok && !w.Done() && r.result.Deadlock == nil {
		return nil, fmt.Errorf("after %v of the network's time messages are still under way: give a longer --duration", j.Duration)
	}
	return r, nil
}
