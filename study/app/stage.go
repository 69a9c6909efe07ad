package app

import (
	"context"
	"fmt"

	"weft/apps/flows"
	"weft/apps/machine"
	"weft/apps/packets"
	"weft/apps/places"
	"weft/apps/program"
	"weft/apps/script"
	"weft/apps/timeline"
	"weft/fabric"
	"weft/planner"
	"weft/sim/flow"
	"weft/sim/packet"
)

// cast is a run of some jobs as one Program.
type cast struct {
	jobs    []*Program
	program program.Program
	joined  *program.Joined
	runs    []program.Program                    // by job
	own     []func([]machine.Wait) program.Stuck // by job: says why it stopped
}

// start begins a run of jobs, on a network with the given units of time in a nanosecond.
func start(jobs []*Program, unit float64) (*cast, error) {
	c := &cast{jobs: jobs}
	var list []program.Job
	for _, p := range jobs {
		run, explain, err := p.start()
		if err != nil {
			return nil, err
		}
		at := program.Time(p.StartNS * unit)
		if s, is := run.(*script.Run); is {
			s.Start = at // its figures count from there
		}
		list = append(list, program.Job{Program: run, Start: at})
		c.own, c.runs = append(c.own, explain), append(c.runs, run)
	}
	c.joined = program.Join(list)
	c.program = c.joined
	if len(list) == 1 && list[0].Start == 0 {
		c.program = list[0].Program
	}
	return c, nil
}

func (c *cast) ranks() int { return c.joined.Shape().Ranks }

// explain says why the jobs stopped before their end.
func (c *cast) explain(waiting []machine.Wait) (all program.Stuck) {
	by := make([][]machine.Wait, len(c.jobs))
	for _, w := range waiting {
		job, own := c.joined.Job(w.Rank)
		w.Rank = own
		by[job] = append(by[job], w)
	}
	for i, own := range by {
		if len(own) == 0 {
			continue
		}
		s := c.own[i](own)
		if len(c.jobs) > 1 { // their ranks and lines have the same numbers
			s.Unmatched, s.Circle = prefixed(c.jobs[i].Name, s.Unmatched), prefixed(c.jobs[i].Name, s.Circle)
		}
		all.Unmatched = append(all.Unmatched, s.Unmatched...)
		if all.Circle == nil {
			all.Circle = s.Circle
		}
	}
	return all
}

// prefixed puts a name before each line of a list.
func prefixed(name string, list []string) []string {
	for i := range list {
		list[i] = name + ": " + list[i]
	}
	return list
}

// stage is a routed fabric with the places of all ranks.
type stage struct {
	g       *fabric.Graph
	routing *planner.Result
	net     *flow.Network
	places  *places.Places
	req     *Request
	// recorder, if set, records the next run.
	recorder *timeline.Recorder
	compared bool // the run itself has ended
	whole    bool // operations over rails that are alike run as they are, for tests
}

// record lets the next run be recorded. Its first steps are of 10 ns.
func (s *stage) record(c *cast) {
	links := s.net.Links()
	if s.req.Packets {
		links = packet.Links(s.g)
	}
	s.recorder = timeline.NewRecorder(c.ranks(), links, 10*unit)
}

// portRate returns the rate of a rank's ports for data, in bytes per picosecond.
func (s *stage) portRate(rank int) (sum float64) {
	h := s.req.Hardware
	for _, port := range s.places.Ports[rank] {
		rate := s.g.EndRate[port]
		if rate == 0 {
			rate = h.UnknownRate
		}
		sum += float64(rate) / 8e6 * float64(h.MTU) / float64(h.MTU+h.Headers)
	}
	return sum
}

// alone runs one job from time 0 and returns how long it takes, in nanoseconds.
func (s *stage) alone(ctx context.Context, p *Program, where *places.Places, byPackets, oneSwitch bool) (ns float64, err error) {
	now := *p
	now.StartNS = 0
	c, err := start([]*Program{&now}, unit)
	if err != nil {
		return 0, err
	}
	m, err := s.play(ctx, c, where, byPackets, oneSwitch)
	if err != nil {
		return 0, err
	}
	for r := range int32(c.ranks()) {
		ns = max(ns, float64(m.End(r))/unit)
	}
	return ns, nil
}

// play runs jobs by packets or by flows; on the fabric, or on one switch for all hosts.
func (s *stage) play(ctx context.Context, c *cast, where *places.Places, byPackets, oneSwitch bool) (*played, error) {
	if byPackets {
		return s.byPackets(ctx, c, where)
	}
	h := s.req.Hardware
	hardware := flows.Hardware{
		Payload: float64(h.MTU) / float64(h.MTU+h.Headers), Switch: int64(h.SwitchLatency), Cable: int64(h.CableDelay),
		UnknownRate: h.UnknownRate, Memory: s.req.Memory, OneSwitch: oneSwitch, Sends: s.req.Sends,
	}
	if f := s.fold(c, where, oneSwitch); f != nil {
		if p, ok, err := s.playFolded(ctx, f, hardware); ok {
			return p, err
		}
	}
	run := flows.New(s.net, where, hardware, c.program, s.req.Costs)
	if s.recorder != nil {
		run.Record(s.recorder)
	}
	done := run.Machine.Watch(ctx, s.news(c, run.Machine))
	defer done()
	if err := run.Run(ctx); err != nil {
		return nil, err
	}
	return &played{run.Machine, 1, s.linksOf(run)}, c.stuck(run.Machine)
}

// byPackets runs jobs by packets.
func (s *stage) byPackets(ctx context.Context, c *cast, where *places.Places) (*played, error) {
	work := packets.New(where, s.req.Memory, s.req.Sends, c.program, s.req.Costs)
	sim, err := packet.New(s.g, s.routing.Plan, s.req.Hardware, work)
	if err != nil {
		return nil, err
	}
	if s.recorder != nil {
		work.Record(s.recorder)
	}
	done := work.Machine.Watch(ctx, s.news(c, work.Machine))
	defer done()
	result, err := sim.Run(ctx, 0, 1<<62)
	switch {
	case err != nil:
		return nil, err
	case result.Deadlock != nil:
		return nil, fmt.Errorf("a deadlock stops the packets after %.0f ns: weft check names the cycle of lanes", float64(result.Deadlock.At)/1000)
	case result.Lost.Total() > 0:
		return nil, fmt.Errorf("%d packets were lost: an application waits for them for ever; weft check names the fault of the tables", result.Lost.Total())
	}
	if s.recorder != nil {
		work.RecordLinks()
	}
	bytes, rate := make([]float64, sim.Links()), make([]float64, sim.Links())
	for l := range bytes {
		bytes[l], rate[l] = float64(sim.Carried(l)), float64(sim.Rate(l))/8e6
	}
	all := links{bytes, rate, func(l int32) fabric.PortName { return packet.LinkPort(s.g, l) }}
	return &played{work.Machine, 1, all}, c.stuck(work.Machine)
}
