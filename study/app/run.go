package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/apps/collective"
	"weft/apps/flows"
	"weft/apps/machine"
	"weft/apps/packets"
	"weft/apps/places"
	"weft/apps/program"
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
	Messages  int64              `json:"messages"`
	Bytes     int64              `json:"bytes"` // of all messages
	// Unequal counts the messages whose receive gives another size; FirstUnequal describes one.
	Unequal      int64   `json:"unequal_sizes,omitempty"`
	FirstUnequal string  `json:"first_unequal_size,omitempty"`
	EndNS        float64 `json:"end_ns"`
	// Bandwidth is set for collective operations.
	Bandwidth *Bandwidth `json:"bandwidth,omitempty"`
	// IdealNS is the time of the same program, by flows, on a switch that joins all hosts at the
	// rate of their links; Cost is EndNS divided by it.
	IdealNS float64 `json:"ideal_ns,omitempty"`
	Cost    float64 `json:"cost,omitempty"`
	Busiest []Link  `json:"busiest,omitempty"` // links with the largest share of their rate in use
	Ranks   []Rank  `json:"ranks"`
	Seconds float64 `json:"seconds"` // of the simulation alone
}

// Bandwidth holds the figures that nccl-tests prints, in GB/s (10^9 bytes).
type Bandwidth struct {
	Algorithm float64 `json:"algorithm_gb_s"` // size divided by time
	Bus       float64 `json:"bus_gb_s"`       // what each rank's port carries
}

// Link is a link from a port, with its use from the begin to the end.
type Link struct {
	Port  fabric.PortName `json:"port"`
	Bytes float64         `json:"bytes"`
	Share float64         `json:"share"` // of its rate
}

// Rank says when a rank ended.
type Rank struct {
	Rank  int     `json:"rank"`
	EndNS float64 `json:"end_ns"`
}

// Request describes a run.
type Request struct {
	Program   *Program
	Costs     machine.Parameters
	Packets   bool // by packets, not flows
	Placement string
	OnPorts   bool // a rank is a host port, not a server
	Hardware  packet.Config
	Memory    places.Memory
	Workers   int
}

// Ideal runs a program on an ideal network.
func Ideal(ctx context.Context, p *Program, costs machine.Parameters) (*Run, error) {
	run, explain, err := p.start()
	if err != nil {
		return nil, err
	}
	m := machine.New(run, costs)
	if err := m.Run(ctx); err != nil {
		return nil, err
	}
	r := &Run{Program: p.Name, Operation: p.operation, Network: "ideal", Costs: costs}
	r.measure(m, p.Ranks(), 1)
	return r, stuck(m, explain)
}

// measure takes the figures of a Machine with the given units in a nanosecond.
func (r *Run) measure(m *machine.Machine, ranks int, unit float64) {
	r.Messages, r.Bytes, r.Unequal, r.FirstUnequal = m.Messages, m.Bytes, m.Unequal, m.FirstUnequal
	r.Ranks = make([]Rank, ranks)
	for i := range r.Ranks {
		r.Ranks[i] = Rank{i, float64(m.End(int32(i))) / unit}
		r.EndNS = max(r.EndNS, r.Ranks[i].EndNS)
	}
	if o := r.Operation; o != nil && r.EndNS > 0 && o.BusShare() > 0 {
		r.Bandwidth = &Bandwidth{Algorithm: float64(o.Bytes) / r.EndNS, Bus: float64(o.Bytes) / r.EndNS * o.BusShare()}
	}
}

// stuck returns an error that names all that a Machine still waits for.
func stuck(m *machine.Machine, explain func([]machine.Wait) program.Stuck) error {
	if err := m.Err(); err != nil {
		return err
	}
	waiting := m.Waiting()
	if len(waiting) == 0 {
		return nil
	}
	why := explain(waiting)
	var b strings.Builder
	fmt.Fprintf(&b, "the program does not end: messages or receives without the other side: %d", len(waiting))
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

// On runs a program on the paths of a routing.
func On(ctx context.Context, g *fabric.Graph, routing *planner.Result, req *Request) (*Run, error) {
	net, err := flow.New(ctx, g, routing.Plan, req.Workers)
	if err != nil {
		return nil, err
	}
	leafOf := func(h int32) int32 { return g.EndSwitch[h] }
	where, err := places.On(req.Placement, req.Program.Ranks(), net.ByLeaf(), leafOf, net.Servers(), req.OnPorts)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Fabric: g.Name, Refused: study.RefusalsOf(routing.Refused), Choice: routing.Choice, Program: req.Program.Name, Operation: req.Program.operation,
		Network: "flows", Placement: req.Placement, Costs: req.Costs,
	}
	if routing.Engine != nil {
		r.Engine = routing.Engine.Name
	}
	hardware := req.fluid()
	ideal, err := req.flows(ctx, net, where, hardware, true)
	if err != nil {
		return nil, err
	}
	alone := Run{}
	alone.measure(ideal.Machine, req.Program.Ranks(), 1000)
	r.IdealNS = alone.EndNS
	if req.Packets {
		r.Network = "packets"
		err = r.byPackets(ctx, g, routing, where, req)
	} else {
		var run *flows.Run
		if run, err = req.flows(ctx, net, where, hardware, false); err == nil {
			r.measure(run.Machine, req.Program.Ranks(), 1000)
			r.busiest(net, run)
		}
	}
	if r.IdealNS > 0 {
		r.Cost = r.EndNS / r.IdealNS
	}
	return r, err
}

// fluid returns the hardware for flows.
func (req *Request) fluid() flows.Hardware {
	h := req.Hardware
	return flows.Hardware{
		Payload: float64(h.MTU) / float64(h.MTU+h.Headers), Switch: int64(h.SwitchLatency), Cable: int64(h.CableDelay),
		UnknownRate: h.UnknownRate, Memory: req.Memory,
	}
}

// flows runs the program by flows; on the fabric, or on one switch for all hosts.
func (req *Request) flows(ctx context.Context, net *flow.Network, where *places.Places, h flows.Hardware, oneSwitch bool) (*flows.Run, error) {
	p, explain, err := req.Program.start()
	if err != nil {
		return nil, err
	}
	h.OneSwitch = oneSwitch
	run := flows.New(net, where, h, p, req.Costs)
	if err := run.Run(ctx); err != nil {
		return nil, err
	}
	return run, stuck(run.Machine, explain)
}

// byPackets runs the program by packets.
func (r *Run) byPackets(ctx context.Context, g *fabric.Graph, routing *planner.Result, where *places.Places, req *Request) error {
	p, explain, err := req.Program.start()
	if err != nil {
		return err
	}
	work := packets.New(where, req.Memory, p, req.Costs)
	sim, err := packet.New(g, routing.Plan, req.Hardware, work)
	if err != nil {
		return err
	}
	result, err := sim.Run(ctx, 0, 1<<62)
	if err != nil {
		return err
	}
	r.measure(work.Machine, req.Program.Ranks(), 1000)
	switch {
	case result.Deadlock != nil:
		return fmt.Errorf("a deadlock stops the packets after %.0f ns: weft check names the cycle of lanes", float64(result.Deadlock.At)/1000)
	case result.Lost.Total() > 0:
		return fmt.Errorf("%d packets were lost: an application waits for them for ever; weft check names the fault of the tables", result.Lost.Total())
	}
	return stuck(work.Machine, explain)
}

// busiest lists the links with the largest share of their rate in use.
func (r *Run) busiest(net *flow.Network, run *flows.Run) {
	if r.EndNS == 0 {
		return
	}
	for l, bytes := range run.LinkBytes() {
		if bytes > 0 {
			r.Busiest = append(r.Busiest, Link{net.LinkPort(int32(l)), bytes, bytes / (run.Capacity(int32(l)) * r.EndNS * 1000)})
		}
	}
	slices.SortStableFunc(r.Busiest, func(a, b Link) int { return cmp.Compare(b.Share, a.Share) })
	r.Busiest = r.Busiest[:min(len(r.Busiest), 5)]
}
