package outage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sim/packet"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Setup describes a simulation: the subnet, its managers, the traffic and the fault.
type Setup struct {
	Fabric   *fabric.Fabric
	Routing  planner.Request
	Watch    terms.Watch   // of every manager
	Managers int           // number of managers, at the first hosts; the first is the master
	Planning time.Duration // time to compute a Plan
	Hop      time.Duration // time of an SMP for one link
	Seed     uint64        // of the traffic

	Packet packet.Config
	Load   float64 // share of each host's bandwidth, sent to random hosts
	Bytes  int64   // size of a message
	// Streams returns the traffic for the master's Graph, in place of Load and Bytes; it has no
	// end.
	Streams func(*fabric.Graph) []packet.Stream

	Fault  Fault
	Before time.Duration // time with traffic before the fault
	After  time.Duration // time after it
	Step   time.Duration // resolution of Result.Steps
}

// Fault selects the cable, the switch and the manager that fail.
type Fault struct {
	Pull   fabric.LinkID // cable that fails for good; fabric.NoLink for none
	Reboot fabric.NodeID // switch that restarts with empty tables; -1 for none
	Down   time.Duration // how long it is off
	Kill   bool          // the master dies at the same moment
}

// Result counts packets, losses and SMPs of a run.
type Result struct {
	Sent, Arrived int64 // packets
	Lost          packet.Losses
	First, Last   time.Duration // first and last step with losses, after the fault; 0 if none
	Quiet         time.Duration // from the fault to the last Set of a table or a port
	SMPs, Blocks  int           // from the fault on; Blocks are Sets of blocks of forwarding tables
	Steps         []Step        // from the start of the traffic
	Log           []Line        // of the managers, from the fault on
	Deadlock      *packet.Deadlock
}

// Step counts the packets of a time step: arrived, lost, and the payload bytes of the arrived ones.
type Step struct{ Arrived, Lost, Bytes int64 }

// Line is a line of a manager's log.
type Line struct {
	At      time.Duration // after the fault
	Manager int
	terms.Incident
}

// run is a simulation under way.
type run struct {
	*Setup
	control
	sim    *packet.Sim
	graph  *fabric.Graph
	lanes  *lanes        // nil if the Plan has no lane tables
	begun  time.Duration // start of the traffic, in the managers' time
	fault  time.Duration // time of the fault, likewise
	due    packet.Time   // next event of devices or managers, in the packets' time
	links  []mirrored
	number map[fabric.GUID]int32 // of switches in the Graph
	top    fabric.LID
	result Result
	lost   int64 // packets lost up to the last step
	series *packet.Series
	failed error
}

// mirrored is a link with its state in the packet simulation.
type mirrored struct {
	a, b   fabric.End
	sw     int32 // a switch at one end
	port   uint8
	active bool
}

// Run simulates a Setup.
func Run(ctx context.Context, u *Setup) (*Result, error) {
	if err := u.Validate(); err != nil {
		return nil, fmt.Errorf("outage: %w", err)
	}
	r := &run{Setup: u}
	if err := r.bringUp(ctx); err != nil {
		return nil, err
	}
	if err := r.startTraffic(); err != nil {
		return nil, err
	}
	steps := int((u.Before + u.After) / u.Step)
	r.series = r.sim.Record(0, ps(u.Step), steps, false)
	r.result.Steps = make([]Step, steps)
	for i := range r.result.Steps {
		r.sim.At(ps(u.Step)*packet.Time(i+1), func(s *packet.Sim) { r.endStep(i, s) })
	}
	r.sim.At(ps(u.Before), r.fail)
	r.schedule()
	got, err := r.sim.Run(ctx, 0, ps(u.Before+u.After))
	if err = errors.Join(r.failed, err); err != nil {
		return nil, err
	}
	out := &r.result
	out.Sent, out.Arrived, out.Lost, out.Deadlock = got.Sent, got.Arrived, got.Lost, got.Deadlock
	for i := range out.Steps {
		out.Steps[i].Arrived, out.Steps[i].Bytes = r.series.Packets[i], r.series.Bytes[i]
	}
	for _, m := range r.managers {
		out.SMPs, out.Blocks = out.SMPs+m.smps, out.Blocks+m.blocks
	}
	return out, nil
}

// ps converts a duration to the packets' time.
func ps(d time.Duration) packet.Time { return packet.Time(d) * packet.Nanosecond }

// bringUp lets the managers bring up the subnet, before any traffic.
func (r *run) bringUp(ctx context.Context) error {
	sub, err := emulator.New(r.Fabric, emulator.Options{Seed: r.Seed, Impairment: emulator.Impairment{Delay: r.Hop}})
	if err != nil {
		return err
	}
	r.control = control{ctx: ctx, subnet: sub}
	for id := range r.Fabric.Nodes {
		if len(r.managers) == r.Managers {
			break
		}
		at, err := sub.EndOf(fabric.NodeID(id))
		if err != nil || r.Fabric.Nodes[id].Type != fabric.CA {
			continue
		}
		k := len(r.managers)
		cfg := terms.Config{Elect: true, Priority: uint8(max(0, 14-k))}
		m, err := newManager(sub, at, cfg, r.Setup, func(now time.Duration, i terms.Incident) {
			if r.fault > 0 && now >= r.fault {
				r.result.Log = append(r.result.Log, Line{now - r.fault, k, i})
			}
		})
		if err != nil {
			return err
		}
		m.now = sub.Now()
		r.managers = append(r.managers, m)
		m.step(ctx, &terms.Event{Kind: terms.Start})
		r.advance(sub.Now() + 2*time.Second)
	}
	if len(r.managers) < max(1, r.Managers) {
		return fmt.Errorf("outage: %d managers need as many hosts: the subnet has %d", r.Managers, len(r.managers))
	}
	if rep := r.managers[0].machine.Result().Report; rep.State != terms.Up {
		return fmt.Errorf("outage: the subnet is not up before the fault: %s", rep.State)
	}
	return ctx.Err()
}

// startTraffic starts the packet simulation with the Plan and the tables in force.
func (r *run) startTraffic() (err error) {
	core := r.managers[0].machine.Result()
	g, plan := core.Fabric().Compile(), core.Plan()
	cfg := r.Packet
	for _, vls := range g.PortVLs { // a repair may need more lanes than the first Plan
		cfg.VLs = max(cfg.VLs, int(vls))
	}
	r.graph, r.top, r.number = g, plan.Ends.Top(), map[fabric.GUID]int32{}
	for s, guid := range g.SwitchGUID {
		r.number[guid] = int32(s)
	}
	if r.lanes = newLanes(g, plan, r.subnet.Fabric(), r.number); r.lanes != nil {
		r.lanes.look(g, r.subnet)
		plan = r.lanes.held
	}
	if r.sim, err = packet.New(g, plan, cfg, r.traffic(g)); err != nil {
		return err
	}
	f := r.subnet.Fabric()
	for i := range f.Links {
		m := mirrored{a: f.Links[i].A, b: f.Links[i].B, active: true}
		e := m.a
		if f.Nodes[e.Node].Type != fabric.Switch {
			e = m.b
		}
		s, ok := r.number[f.Nodes[e.Node].GUID]
		if !ok {
			continue
		}
		m.sw, m.port = s, e.Port
		r.links = append(r.links, m)
	}
	r.begun = r.subnet.Now()
	r.fault = r.begun + r.Before
	for _, m := range r.managers {
		m.counts = counts{}
	}
	return nil
}

// traffic returns the streams of the hosts.
func (r *run) traffic(g *fabric.Graph) *packet.Streams {
	w := &packet.Streams{Seed: r.Seed}
	if r.Streams != nil {
		w.List = r.Streams(g)
		return w
	}
	for h := range int32(g.NumHosts) {
		w.Targets = append(w.Targets, h)
		gap := float64(r.Bytes*8) / (float64(max(g.EndRate[h], 1)) * 1e6 * r.Load) * float64(packet.Second)
		w.List = append(w.List, packet.Stream{Src: h, Dst: packet.Anyone, Bytes: r.Bytes, Gap: packet.Time(gap), Stop: ps(r.Before + r.After)})
	}
	return w
}

// now returns the current time of the devices and managers.
func (r *run) now() time.Duration { return r.begun + time.Duration(r.sim.Now()/packet.Nanosecond) }

// schedule adds the next event of the devices and managers to the packets' events.
func (r *run) schedule() {
	next := r.next()
	if next == never {
		return
	}
	at := max(ps(max(0, next-r.begun)), r.sim.Now())
	r.due = at
	r.sim.At(at, func(*packet.Sim) {
		if r.due == at { // else an earlier event has replaced this one
			r.runDue()
		}
	})
}

// runDue runs the due events of devices and managers, and updates the packets' view.
func (r *run) runDue() {
	r.advance(r.now())
	if what := r.takeSet(); what > noAttribute {
		r.mirror(what == laneTable)
	}
	r.schedule()
}

// fail makes the cable, switch or manager of Setup.Fault fail.
func (r *run) fail(s *packet.Sim) {
	r.advance(r.now())
	for _, m := range r.managers {
		m.counts = counts{}
	}
	f := &r.Fault
	var err error
	if f.Kill {
		m := r.managers[0]
		r.subnet.Detach(m.id)
		m.gone = true
		clear(m.underWay)
	}
	if f.Pull != fabric.NoLink {
		err = r.subnet.SetLinkDown(f.Pull, true)
	}
	if f.Reboot >= 0 && err == nil {
		err = r.subnet.Reboot(f.Reboot, f.Down)
		sw := r.number[r.subnet.Fabric().Nodes[f.Reboot].GUID]
		s.SetSwitchDown(sw, true)
		s.At(s.Now()+ps(f.Down), func(s *packet.Sim) { s.SetSwitchDown(sw, false) })
	}
	if err != nil {
		r.failed = err
		s.Fail(err)
		return
	}
	r.mirror(true)
	r.schedule()
}

// mirror copies the devices' tables and the state of the links to the packet simulation.
func (r *run) mirror(laneTables bool) {
	changed := false
	for i := range r.links {
		m := &r.links[i]
		if active := r.isActive(m.a) && r.isActive(m.b); active != m.active {
			m.active, changed = active, true
			r.sim.SetPortDown(m.sw, m.port, !active)
		}
	}
	held := r.subnet.Tables()
	for i := range held.Switches {
		sw, ok := r.number[held.Switches[i].GUID]
		if !ok {
			continue
		}
		for first := fabric.LID(0); first <= r.top; first += route.BlockSize {
			var b route.Block
			differs := false
			for k := range b {
				lid := first + fabric.LID(k)
				b[k] = held.Switches[i].Port(lid)
				differs = differs || lid > 0 && b[k] != r.sim.Port(sw, lid)
			}
			if differs {
				changed = true
				r.sim.WriteBlock(sw, int(first/route.BlockSize), &b)
			}
		}
	}
	if r.lanes != nil && (laneTables || changed) {
		switches, hosts := r.lanes.look(r.graph, r.subnet)
		for _, sw := range switches {
			r.sim.WriteLanes(sw, r.lanes.held)
		}
		for _, h := range hosts {
			r.sim.WriteHost(h, r.lanes.held)
		}
		changed = changed || len(switches)+len(hosts) > 0
	}
	if changed {
		r.result.Quiet = r.now() - r.fault
	}
}

// isActive reports whether a port is Active.
func (r *run) isActive(e fabric.End) bool {
	info, err := r.subnet.PortInfo(e)
	return err == nil && mad.PortInfoPortState.Get(info) == mad.PortActive
}

// endStep stores the losses of a step.
func (r *run) endStep(i int, s *packet.Sim) {
	n := s.Lost()
	lost := n.Total() - r.lost
	r.lost += lost
	r.result.Steps[i].Lost = lost
	if at := r.Step*time.Duration(i) - r.Before; lost > 0 {
		if r.result.Last == 0 && r.result.First == 0 {
			r.result.First = at
		}
		r.result.Last = at + r.Step
	}
}
