package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
	"weft/planner"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/study"
)

// Run is the document of `weft simulate app --json`. Times are in nanoseconds.
type Run struct {
	Fabric    string             `json:"fabric,omitempty"` // none for an ideal network
	Engine    string             `json:"engine,omitempty"`
	Refused   []study.Refusal    `json:"refused,omitempty"`
	Choice    *planner.Choice    `json:"auto,omitempty"` // how engine auto chose the engine
	Program   string             `json:"program"`
	Operation *collective.Spec   `json:"operation,omitempty"` // of a collective operation
	Network   string             `json:"network"`             // ideal, flows or packets
	Placement string             `json:"placement,omitempty"`
	Costs     machine.Parameters `json:"costs"`
	Sends     string             `json:"sends,omitempty"` // the order of sends, on a fabric
	Messages  int64              `json:"messages"`
	Bytes     int64              `json:"bytes"` // of all messages
	// Unequal counts the messages whose receive gives another size; FirstUnequal describes one.
	Unequal      int64   `json:"unequal_sizes,omitempty"`
	FirstUnequal string  `json:"first_unequal_size,omitempty"`
	LeftOut      string  `json:"left_out,omitempty"` // what was not read of a trace
	EndNS        float64 `json:"end_ns"`
	// Bandwidth is set for collective operations.
	Bandwidth *Bandwidth `json:"bandwidth,omitempty"`
	Training  *Training  `json:"training,omitempty"` // of a training step
	// IdealNS is the time of the same program, by flows, on a switch that joins all hosts at the
	// rate of their links; Cost is EndNS divided by it.
	IdealNS float64 `json:"ideal_ns,omitempty"`
	Cost    float64 `json:"cost,omitempty"`
	// Jobs are set if several programs run at once. Then IdealNS and Cost are of all of them.
	Jobs    []Job   `json:"jobs,omitempty"`
	Busiest []Link  `json:"busiest,omitempty"` // links with the largest share of their rate in use
	Ranks   []Rank  `json:"ranks"`
	Seconds float64 `json:"seconds"` // of the simulation alone
	// Pictures are set if they were asked for; they are no part of the document.
	Pictures *Pictures `json:"-"`
}

// Bandwidth holds the figures that nccl-tests prints, in GB/s (10^9 bytes).
type Bandwidth struct {
	Algorithm float64 `json:"algorithm_gb_s"` // size divided by time; of blocks, the size of all of a rank
	Bus       float64 `json:"bus_gb_s"`       // what each rank's port carries
}

// Link is a link from a port, with its use from the begin to the end.
type Link struct {
	Port  fabric.PortName `json:"port"`
	Bytes float64         `json:"bytes"` // by packets with their headers
	Share float64         `json:"share"` // of its rate
}

// Rank says when a rank ended.
type Rank struct {
	Job   int     `json:"job,omitempty"` // of several, from 0
	Rank  int     `json:"rank"`
	EndNS float64 `json:"end_ns"`
}

// Job holds the figures of one of several programs that run at once.
type Job struct {
	Program   string           `json:"program"`
	Operation *collective.Spec `json:"operation,omitempty"`
	Ranks     int              `json:"ranks"`
	StartNS   float64          `json:"start_ns"`
	TimeNS    float64          `json:"time_ns"`   // from its start to its end, with all others
	AloneNS   float64          `json:"alone_ns"`  // without the others, on the same places
	IdealNS   float64          `json:"ideal_ns"`  // alone on one switch for all hosts
	SlowDown  float64          `json:"slow_down"` // TimeNS divided by AloneNS
	Cost      float64          `json:"cost"`      // of its places: AloneNS divided by IdealNS
	Bandwidth *Bandwidth       `json:"bandwidth,omitempty"`
	Training  *Training        `json:"training,omitempty"` // with all others
}

// Request describes a run.
type Request struct {
	Jobs      []*Program
	Costs     machine.Parameters
	Packets   bool // by packets, not flows
	Placement string
	File      string // the lines of a placement by file
	Record    bool   // what ranks and links do over time, for Pictures
	OnPorts   bool   // a rank is a host port, not a server
	Hardware  packet.Config
	Memory    places.Memory
	Sends     machine.SendOrder
	Workers   int
	News      News
}

// Ideal runs a program on an ideal network.
func Ideal(ctx context.Context, p *Program, costs machine.Parameters) (*Run, error) {
	c, err := start([]*Program{p}, 1)
	if err != nil {
		return nil, err
	}
	m := machine.New(c.program, costs)
	done := m.Watch(ctx, nil)
	defer done()
	if err := m.Run(ctx); err != nil {
		return nil, err
	}
	r := &Run{Program: p.Name, Operation: p.operation, Network: "ideal", Costs: costs}
	r.measure(&played{Machine: m, copies: 1}, c, 1)
	return r, c.stuck(m)
}

// measure takes the figures of a Machine with the given units in a nanosecond.
func (r *Run) measure(m *played, c *cast, unit float64) {
	r.Messages, r.Bytes, r.Unequal, r.FirstUnequal = m.Messages, m.Bytes, m.Unequal, m.FirstUnequal
	for _, p := range c.jobs {
		if r.LeftOut == "" {
			r.LeftOut = p.leftOut
		}
	}
	r.Ranks = make([]Rank, c.ranks())
	for i := range r.Ranks {
		job, own := c.joined.Job(int32(i))
		r.Ranks[i] = Rank{job, int(own), float64(m.End(int32(i))) / unit}
		r.EndNS = max(r.EndNS, r.Ranks[i].EndNS)
	}
	if len(c.jobs) == 1 {
		r.Bandwidth = bandwidthOf(r.Operation, r.EndNS-c.jobs[0].StartNS)
		r.Training = c.trainingOf(0, unit)
	}
}

// bandwidthOf returns the bandwidth of an operation that took some nanoseconds; nil if it has none.
func bandwidthOf(o *collective.Spec, ns float64) *Bandwidth {
	if o == nil || ns <= 0 || o.BusShare() == 0 {
		return nil
	}
	return &Bandwidth{Algorithm: o.Whole() / ns, Bus: o.Whole() / ns * o.BusShare()}
}

// stuck returns an error that names everything a Machine still waits for.
func (c *cast) stuck(m *machine.Machine) error {
	if err := m.Err(); err != nil {
		return err
	}
	waiting := m.Waiting()
	if len(waiting) == 0 {
		return nil
	}
	why := c.explain(waiting)
	var b strings.Builder
	fmt.Fprintf(&b, "%s does not end: messages or receives without the other side: %d", namesOfAll(c.jobs), len(waiting))
	list := func(title string, items []string) {
		for i, item := range items {
			if i == 0 {
				fmt.Fprintf(&b, "\n%s:", title)
			}
			if i == stuckShown {
				fmt.Fprintf(&b, "\n  and %d more", len(items)-i)
				break
			}
			fmt.Fprintf(&b, "\n  %s", item)
		}
	}
	list("no operation is the other side of", why.Unmatched)
	list("operations that wait for each other, each for the next and the last for the first", why.Circle)
	return errors.New(b.String())
}

// stuckShown is the number of operations of each kind that an error names.
const stuckShown = 20

// On runs programs on the paths of a routing, all at once.
func On(ctx context.Context, g *fabric.Graph, routing *planner.Result, req *Request) (*Run, error) {
	net, err := flow.New(ctx, g, routing.Plan, req.Workers)
	if err != nil {
		return nil, err
	}
	s := &stage{g: g, routing: routing, net: net, req: req}
	all, err := start(req.Jobs, unit)
	if err != nil {
		return nil, err
	}
	s.places, err = places.On(&places.Request{
		By: req.Placement, Ranks: all.ranks(), Names: namesOf(g), Hosts: net.ByLeaf(), Servers: net.Servers(), OnPorts: req.OnPorts, File: req.File,
	})
	if err != nil {
		return nil, err
	}
	r := &Run{
		Fabric: g.Name, Refused: study.RefusalsOf(routing.Refused), Choice: routing.Choice, Program: namesOfAll(req.Jobs),
		Network: "flows", Placement: req.Placement, Costs: req.Costs,
		Sends: req.Sends.String(),
	}
	if len(req.Jobs) == 1 {
		r.Operation = req.Jobs[0].operation
	}
	if routing.Engine != nil {
		r.Engine = routing.Engine.Name
	}
	if req.Packets {
		r.Network = "packets"
	}
	if req.Record {
		s.record(all)
	}
	ended, err := s.play(ctx, all, s.places, req.Packets, false)
	if err != nil {
		return nil, err
	}
	r.measure(ended, all, unit)
	used := ended.links // the rest is not kept through the comparison
	r.busiest(&used)
	req.News.result("the run ends at %s; next the same on one switch for all hosts", duration(r.EndNS))
	rec := s.recorder
	s.recorder, s.compared = nil, true // the jobs alone are neither recorded nor news
	if err = s.compare(ctx, r, all); err == nil && rec != nil {
		r.picture(rec, s.portRate, &used)
	}
	return r, err
}

// unit is a nanosecond in the units of time of a fabric.
const unit = 1000

// compare runs each job alone, on the fabric and on one switch for all hosts.
func (s *stage) compare(ctx context.Context, r *Run, all *cast) error {
	jobs := s.req.Jobs
	list := make([]Job, len(jobs))
	for _, rank := range r.Ranks {
		list[rank.Job].TimeNS = max(list[rank.Job].TimeNS, rank.EndNS-jobs[rank.Job].StartNS)
	}
	first := 0
	for i, p := range jobs {
		j := &list[i]
		where := s.places.Part(first, first+p.Ranks())
		first += p.Ranks()
		s.req.News.now("comparing, program %d of %d alone and on one switch", i+1, len(jobs))
		var err error
		j.Program, j.Operation, j.Ranks, j.StartNS = p.Name, p.operation, p.Ranks(), p.StartNS
		if j.AloneNS = j.TimeNS; len(jobs) > 1 {
			if j.AloneNS, err = s.alone(ctx, p, where, s.req.Packets, false); err != nil {
				return err
			}
		}
		if j.IdealNS, err = s.alone(ctx, p, where, false, true); err != nil {
			return err
		}
		j.SlowDown, j.Cost = share(j.TimeNS, j.AloneNS), share(j.AloneNS, j.IdealNS)
		j.Bandwidth, j.Training = bandwidthOf(j.Operation, j.TimeNS), all.trainingOf(i, unit)
		r.IdealNS = max(r.IdealNS, j.StartNS+j.IdealNS)
	}
	if r.Cost = share(r.EndNS, r.IdealNS); len(jobs) > 1 {
		r.Jobs = list
	}
	return nil
}

// share returns a divided by b; 0 if b is 0.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// busiest lists the links with the largest share of their rate in use.
func (r *Run) busiest(all *links) {
	if r.EndNS == 0 {
		return
	}
	for l, bytes := range all.bytes {
		if bytes > 0 {
			r.Busiest = append(r.Busiest, Link{all.port(int32(l)), bytes, bytes / (all.rate[l] * r.EndNS * 1000)})
		}
	}
	slices.SortStableFunc(r.Busiest, func(a, b Link) int { return cmp.Compare(b.Share, a.Share) })
	r.Busiest = r.Busiest[:min(len(r.Busiest), 5)]
}
