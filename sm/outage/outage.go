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

// Setup says what to simulate: the subnet, its managers, the traffic and the fault.
type Setup struct {
	Fabric   *fabric.Fabric
	Routing  planner.Request
	Watch    terms.Watch   // of every manager
	Managers int           // at the first hosts; the first is the master
	Planning time.Duration // that a Plan takes
	Hop      time.Duration // that an SMP takes for a link
	Seed     uint64        // of the traffic

	Packet packet.Config
	Load   float64 // of what each host can send, to hosts drawn at random
	Bytes  int64   // of a message
	// Streams is the traffic in place of that of Load and Bytes, by the Graph that the master has found; it has no end. Nil: there is none.
	Streams func(*fabric.Graph) []packet.Stream

	Fault  Fault
	Before time.Duration // traffic runs so long before the fault
	After  time.Duration // and so long after it
	Step   time.Duration // of Result.Lost and Result.Arrived
}

// Fault names the cable, the switch or the manager that fails.
type Fault struct {
	Pull   fabric.LinkID // this cable, for good; fabric.NoLink for none
	Reboot fabric.NodeID // this switch, which comes back empty; -1 for none
	Down   time.Duration // how long it is off
	Kill   bool          // the master ends at the same moment
}

// Result counts packets, losses and SMPs of a run.
type Result struct {
	Sent, Arrived int64 // packets
	Lost          packet.Losses
	First, Last   time.Duration // when packets were lost, after the fault, to Setup.Step; 0 where none was
	Quiet         time.Duration // from the fault to the last Set of a table or a port
	SMPs, Blocks  int           // from the fault on; Blocks are Sets of blocks of forwarding tables
	Steps         []Step        // from the start of the traffic
	Log           []Line        // of the managers, from the fault on
	Deadlock      *packet.Deadlock
}

// Step counts the packets of a step of time, and the payload of those that arrived.
type Step struct{ Arrived, Lost, Bytes int64 }

// Line is a line of the log of a manager.
type Line struct {
	At      time.Duration // after the fault
	Manager int
	terms.Incident
}

// run is a Run under way.
type run struct {
	*Setup
	control
	sim    *packet.Sim
	graph  *fabric.Graph
	lanes  *lanes        // nil where the Plan says nothing of lanes
	begun  time.Duration // of the control's time: when the traffic begins
	fault  time.Duration // and the fault
	due    packet.Time   // of the next event of the control in the simulation
	links  []mirrored
	number map[fabric.GUID]int32 // of switches in the Graph
	top    fabric.LID
	result Result
	lost   int64 // until the last step
	series *packet.Series
	failed error
}

// mirrored is a link as the packets see it.
type mirrored struct {
	a, b   fabric.End
	sw     int32 // a switch that it leaves
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

// ps is a time of the control in that of the packets.
func ps(d time.Duration) packet.Time { return packet.Time(d) * packet.Nanosecond }

// bringUp has the managers bring the subnet up before there is any traffic.
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
		return fmt.Errorf("outage: %d managers: there are %d hosts for them", r.Managers, len(r.managers))
	}
	if rep := r.managers[0].machine.Result().Report; rep.State != terms.Up {
		return fmt.Errorf("outage: the subnet is not up before anything fails: %s", rep.State)
	}
	return ctx.Err()
}

// startTraffic makes the simulation of the packets from what is in force.
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

// traffic makes the streams that the hosts send.
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

// now is the time of the control at present.
func (r *run) now() time.Duration { return r.begun + time.Duration(r.sim.Now()/packet.Nanosecond) }

// schedule makes the next thing that devices or managers have to do an event among the packets.
func (r *run) schedule() {
	next := r.next()
	if next == never {
		return
	}
	at := max(ps(max(0, next-r.begun)), r.sim.Now())
	r.due = at
	r.sim.At(at, func(*packet.Sim) {
		if r.due == at { // or something has come in between
			r.runDue()
		}
	})
}

// runDue lets the devices and the managers do what is due, and shows the packets what has come of it.
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

// mirror shows the packets the tables that devices hold, and the links that carry data.
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

// endStep takes down what has been lost in a step.
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
