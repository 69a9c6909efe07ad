package several

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/route"
	simbetween "weft/sim/between"
	"weft/sim/flow"
	"weft/study/whatif"
)

// ChangesHelp explains the names of parts of several subnets.
const ChangesHelp = `With several subnets a part is one of:

  ROUTER        a router, by name or GUID: --fail, --drain
  ROUTER[PORT]  one of its ports: --fail, --drain
  SUBNET: PART  a part of one subnet: --fail, --drain, --add, --move

--each router fails each router in turn.`

// Options selects the routing of a network of subnets, and the measurements.
type Options struct {
	Request   *between.Request
	HostsOnly bool // prove pairs of hosts alone
	Flows     *simbetween.FlowRequest
	Pace      whatif.Pace
}

// Today is a network of subnets with its present routing.
type Today struct {
	net   *subnets.Network
	opt   Options
	now   *between.Result
	state *State
	brief bool // no backups

	servers, hostPorts int
}

// NewToday routes a network of subnets, judges it and measures it.
func NewToday(ctx context.Context, n *subnets.Network, opt Options) (*Today, error) {
	t := &Today{net: n, opt: opt}
	for s := range n.Subnets {
		g := n.Graph(int32(s))
		servers := g.Servers()
		t.servers, t.hostPorts = t.servers+len(servers.List), t.hostPorts+whatif.CountPorts(g, servers)
	}
	_, r, err := Route(ctx, n, opt.Request, opt.HostsOnly)
	if err != nil {
		return nil, err
	}
	t.now = r
	t.state, err = t.measure(ctx, r.Plan)
	return t, err
}

// Answer is the document of `weft whatif` of several subnets.
type Answer struct {
	Network        string `json:"network"`
	whatif.Verdict        // all pairs that had a way have one again, and it is proven

	Change *whatif.Parts `json:"change"`            // inside the subnets
	Ports  []string      `json:"router_ports_gone"` // router ports that fail, are drained, or lose their switch or cable
	whatif.HostsLost

	Today    *State `json:"today"`
	AsIs     *State `json:"old_tables"` // until somebody acts; null if a subnet is gone
	Fresh    *State `json:"fresh"`      // subnets repaired, and routed again between them; null if impossible
	NotFresh string `json:"not_fresh,omitempty"`
	// Backups is the state with each lost gateway replaced by its backup from the mapping files,
	// and nothing else changed. It is null if no router port is lost.
	Backups  *State         `json:"backups"`
	Targets  int64          `json:"gateways"`        // pairs of a subnet and a target in another
	Moved    int64          `json:"gateways_moved"`  // of these, the ones with another router port in a new routing
	ToBackup int64          `json:"gateways_backed"` // of these, the ones that switch to their backup
	Writes   *whatif.Writes `json:"writes"`          // writes in changed subnets; null without a new routing
	Pace     whatif.Pace    `json:"pace"`            // the assumption behind the seconds
}

// State says how much of its traffic a network delivers, and whether it can deadlock.
type State struct {
	Pairs        int64   `json:"pairs"` // of end ports in different subnets
	Lost         int64   `json:"lost"`
	CutOff       int64   `json:"cut_off"`      // of these, without any path
	Inside       Losses  `json:"inside"`       // pairs of hosts and router ports inside changed subnets
	LocalFaults  int     `json:"local_faults"` // kinds of subnets without a proof of their own
	DeadlockFree bool    `json:"deadlock_free"`
	Layers       int     `json:"layers"`
	VLs          int     `json:"vls"`
	AvgHops      float64 `json:"avg_hops"`
	Bandwidth    float64 `json:"bandwidth"` // mean of random bisections of hosts, share of a link; lost flows have none
}

// Losses counts pairs.
type Losses struct {
	Pairs  int64 `json:"pairs"`
	Lost   int64 `json:"lost"`
	CutOff int64 `json:"cut_off"` // of these, without any path
}

func (t *Today) measure(ctx context.Context, p *intersubnet.Plan, changed ...int) (*State, error) {
	workers := t.opt.Request.Local.Workers
	r, err := betweencheck.Judge(ctx, p, betweencheck.Options{Workers: workers, HostsOnly: t.opt.HostsOnly})
	if err != nil {
		return nil, err
	}
	s := &State{Pairs: r.Pairs, Lost: r.Unreachable + r.Disconnected, CutOff: r.Disconnected, LocalFaults: r.LocalFaults, DeadlockFree: r.DeadlockFree, Layers: p.Layers, VLs: r.VLs, AvgHops: r.Hops.Avg}
	for _, sub := range changed {
		g := p.Net.Graph(int32(sub))
		inside, err := whatif.Measure(ctx, g, p.Local[sub], flow.Measure{Runs: whatif.NoFigures, Workers: workers}, whatif.FindPlanes(t.net.Kinds[t.net.Subnets[sub].Kind].Fabric, p.Net.Kinds[p.Net.Subnets[sub].Kind].Fabric))
		if err != nil {
			return nil, err
		}
		s.Inside.Pairs, s.Inside.Lost, s.Inside.CutOff = s.Inside.Pairs+inside.Pairs, s.Inside.Lost+inside.Lost-inside.Apart, s.Inside.CutOff+inside.CutOff-inside.Apart
	}
	s.Bandwidth, err = bandwidth(ctx, p, t.opt.Flows, "bisect")
	return s, err
}

// changedNetwork is a network of subnets after changes.
type changedNetwork struct {
	failed, drained []int32 // router ports
	inside          []int   // subnets that change
	still, after    *subnets.Network
	parts           whatif.Parts
	ports           []string
	lost            whatif.HostsLost
	drainedHosts    map[int]map[fabric.GUID]bool // by subnet
}

// CheckChanges returns an error for impossible changes of a network: wrong names, or no effect.
func CheckChanges(n *subnets.Network, changes []whatif.Change) error {
	_, err := changeNetwork(n, changes)
	if _, gone := errors.AsType[*goneSubnet](err); gone {
		return nil // Ask answers that
	}
	return err
}

// changeNetwork applies changes to a network. With the error *goneSubnet it returns the parts found
// so far.
func changeNetwork(n *subnets.Network, changes []whatif.Change) (*changedNetwork, error) {
	c, inside := &changedNetwork{drainedHosts: map[int]map[fabric.GUID]bool{}}, map[int][]whatif.Change{}
	for _, x := range changes {
		if err := c.read(n, x, inside); err != nil {
			return nil, fmt.Errorf("--%s %s: %w", x.Kind, x.What, err)
		}
	}
	fabrics, still := map[int]*fabric.Fabric{}, map[int]*fabric.Fabric{}
	for _, s := range slices.Sorted(maps.Keys(inside)) {
		before := n.Kinds[n.Subnets[s].Kind].Fabric
		after, err := whatif.Apply(before, inside[s])
		if err != nil {
			return nil, fmt.Errorf("subnet %q: %w", n.Subnets[s].Name, err)
		}
		c.inside = append(c.inside, s)
		c.drainedHosts[s] = whatif.DrainedHosts(before, inside[s])
		fabrics[s], still[s] = after, whatif.StillUp(before, after)
	}
	return c, c.build(n, fabrics, still)
}

// read reads a change of a router, or adds a change to its subnet's list.
func (c *changedNetwork) read(n *subnets.Network, x whatif.Change, inside map[int][]whatif.Change) error {
	s, part, ok, err := n.CutName(x.What)
	switch {
	case err != nil:
		return err
	case ok:
		inside[s] = append(inside[s], whatif.Change{Kind: x.Kind, What: part})
		return nil
	case x.Kind == "add" || x.Kind == "move" || x.HasArguments():
		return errors.New("say in which of the subnets, SUBNET: PART; what routers join stands in the file of the network (weft gen writes it)")
	}
	ports, err := n.FindRouterPorts(x.What)
	if x.Kind == "drain" {
		c.drained = append(c.drained, ports...)
	} else {
		c.failed = append(c.failed, ports...)
	}
	return err
}

// build makes the network with other fabrics, and lists the lost parts.
func (c *changedNetwork) build(n *subnets.Network, fabrics, still map[int]*fabric.Fabric) error {
	c.after, c.still = n.With(fabrics), n.With(still)
	c.parts, c.lost = whatif.Parts{Failed: []string{}, Drained: []string{}, Added: []string{}, Moved: []string{}}, whatif.NoLoss()
	for _, s := range c.inside {
		name, g := n.Subnets[s].Name+": ", n.Graph(int32(s))
		c.parts.Add(name, whatif.PartsOf(n.Kinds[n.Subnets[s].Kind].Fabric, fabrics[s]))
		left := c.after.Graph(int32(s))
		if left.NumSwitches == 0 || left.NumHosts == 0 {
			return &goneSubnet{n.Subnets[s].Name}
		}
		c.lost.Add(name, whatif.LostHosts(g, g.Servers(), fabrics[s], left, c.drainedHosts[s]))
	}
	for port := range n.Ports {
		if slices.Contains(c.failed, int32(port)) || slices.Contains(c.drained, int32(port)) || n.Ports[port].End >= 0 && c.after.Ports[port].End < 0 {
			c.ports = append(c.ports, n.PortName(int32(port)))
		}
	}
	return nil
}

// goneSubnet is the error of changes that leave nothing of a subnet.
type goneSubnet struct{ name string }

func (e *goneSubnet) Error() string {
	return fmt.Sprintf("nothing would be left of subnet %q: no switch of it with a host or a router is up", e.name)
}

// withDown returns a Plan with more router ports down.
func withDown(p *intersubnet.Plan, ports []int32) *intersubnet.Plan {
	out := *p
	out.Down = slices.Clone(p.Down)
	for _, port := range ports {
		out.Down[port] = true
	}
	return &out
}

// oldTables returns the present Plan as switches and routers hold it on a changed network.
func (t *Today) oldTables(c *changedNetwork, net *subnets.Network, down ...int32) (*intersubnet.Plan, error) {
	local := slices.Clone(t.now.Plan.Local)
	for _, s := range c.inside {
		var err error
		if local[s], err = planner.Keep(local[s], t.net.Graph(int32(s))).AsIs(net.Graph(int32(s))); err != nil {
			return nil, err
		}
	}
	return withDown(t.now.Plan.On(net, local), down), nil
}

// Ask returns the effect of changes on the network's traffic: under the present Plans, and after a
// new routing between the subnets with repaired Plans of changed subnets. LIDs stay.
func (t *Today) Ask(ctx context.Context, changes []whatif.Change) (*Answer, error) {
	c, err := changeNetwork(t.net, changes)
	_, gone := errors.AsType[*goneSubnet](err)
	if err != nil && !gone {
		return nil, err
	}
	a := &Answer{Network: t.net.Name, Change: &c.parts, Ports: append([]string{}, c.ports...), HostsLost: c.lost, Today: t.state, Pace: t.opt.Pace}
	a.Servers, a.HostPorts = t.servers, t.hostPorts
	if gone {
		a.NotFresh, a.Verdict = err.Error(), whatif.Verdict{Reason: err.Error()}
		return a, nil
	}
	return a, t.ask(ctx, c, a)
}

// ask fills in the figures of an answer.
func (t *Today) ask(ctx context.Context, c *changedNetwork, a *Answer) error {
	if len(c.inside) > 0 {
		today, err := t.measure(ctx, t.now.Plan, c.inside...)
		if err != nil {
			return err
		}
		a.Today = today
	}
	old, err := t.oldTables(c, c.still, c.failed...)
	if err != nil {
		return err
	}
	if a.AsIs, err = t.measure(ctx, old, c.inside...); err != nil {
		return err
	}
	fresh, again, err := t.routeAgain(ctx, c, a)
	if err != nil || fresh == nil {
		return err
	}
	if a.Fresh, err = t.measure(ctx, fresh.Plan, c.inside...); err != nil {
		return err
	}
	old, err = t.oldTables(c, c.after, again.Down...)
	if err != nil {
		return err
	}
	a.Targets, a.Moved = intersubnet.MovedGateways(old, fresh.Plan)
	if len(a.Ports) > 0 && !t.brief {
		if err := t.backups(ctx, c, a, old, again); err != nil {
			return err
		}
	}
	a.Verdict = a.judge()
	return nil
}

// routeAgain repairs the changed subnets, and routes again between all. If that is refused it
// stores the reason in the answer, and returns no result.
func (t *Today) routeAgain(ctx context.Context, c *changedNetwork, a *Answer) (*between.Result, *between.Request, error) {
	again, writes := *t.opt.Request, &whatif.Writes{}
	again.Down = slices.Concat(again.Down, c.failed, c.drained)
	again.Routed = slices.Clone(t.now.Jobs)
	var err error
	for _, s := range c.inside {
		if err = t.repair(ctx, c, s, &again, writes); err != nil {
			break
		}
	}
	var r *between.Result
	if err == nil {
		_, r, err = Route(ctx, c.after, &again, t.opt.HostsOnly)
	}
	if refusal, ok := errors.AsType[*route.Refusal](err); ok {
		a.NotFresh = refusal.Error()
		a.Verdict = whatif.Verdict{Reason: "what is left cannot be routed: " + a.NotFresh}
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	writes.Seconds = t.opt.Pace.Seconds(writes.Blocks)
	a.Writes = writes
	return r, &again, nil
}

// repair repairs the Plan of a subnet, or routes afresh if it must, and keeps the LIDs.
func (t *Today) repair(ctx context.Context, c *changedNetwork, s int, again *between.Request, w *whatif.Writes) error {
	old, g := t.now.Jobs[s], c.after.Graph(int32(s))
	req, kept := t.opt.Request.Local, planner.Keep(old.Plan, t.net.Graph(int32(s)))
	if chain := t.opt.Request.Chains[s]; chain != nil {
		req.Chain = chain
	}
	if err := kept.Hold(g, &req); err != nil {
		return err
	}
	req.Kept, req.PassDeadSwitch = kept, true
	r, err := planner.RouteSubnet(ctx, g, &req)
	if err != nil {
		return err
	}
	again.Routed[s] = r
	w.Add(kept.Changes(g, r.Plan))
	w.Lanes = w.Lanes || whatif.LanesChange(kept, r)
	return nil
}

// backups measures the network with the backups of the mapping files and nothing else changed.
func (t *Today) backups(ctx context.Context, c *changedNetwork, a *Answer, old *intersubnet.Plan, again *between.Request) error {
	req := *again
	req.Mappings = map[int]*intersubnet.Mapping{}
	for s := range t.net.Subnets {
		var text bytes.Buffer
		if err := t.now.Plan.WriteMapping(&text, int32(s)); err != nil {
			return err
		}
		m, err := intersubnet.ReadMapping(t.net.Subnets[s].Name, text.Bytes())
		if err != nil {
			return err
		}
		req.Mappings[s] = m
	}
	_, r, err := Route(ctx, c.after, &req, t.opt.HostsOnly)
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	_, a.ToBackup = intersubnet.MovedGateways(old, r.Plan)
	a.Backups, err = t.measure(ctx, r.Plan, c.inside...)
	return err
}

// judge returns the verdict and its reason.
func (a *Answer) judge() whatif.Verdict {
	f, today := a.Fresh, a.Today
	switch {
	case len(a.ServersCutOff) > 0:
		return whatif.Verdict{Reason: a.CutOffText()}
	case f.CutOff > today.CutOff:
		return whatif.Verdict{Reason: fmt.Sprintf("%d of %d pairs between subnets have no way left", f.CutOff, f.Pairs)}
	case f.Inside.CutOff > today.Inside.CutOff:
		return whatif.Verdict{Reason: fmt.Sprintf("%d of %d pairs inside a subnet have no way left", f.Inside.CutOff, f.Inside.Pairs)}
	case f.Lost > today.Lost:
		return whatif.Verdict{Reason: fmt.Sprintf("%d of %d pairs between subnets stay lost", f.Lost, f.Pairs)}
	case f.Inside.Lost > today.Inside.Lost:
		return whatif.Verdict{Reason: fmt.Sprintf("%d of %d pairs inside a subnet stay lost", f.Inside.Lost, f.Inside.Pairs)}
	case f.LocalFaults > today.LocalFaults:
		return whatif.Verdict{Reason: "a subnet by itself is not proven"}
	case !f.DeadlockFree && today.DeadlockFree:
		return whatif.Verdict{Reason: "what is left can deadlock"}
	}
	text := fmt.Sprintf("all is reached again; random bisections get %.4f of a link, today %.4f", f.Bandwidth, today.Bandwidth)
	if degraded := a.DegradedText(); degraded != "" {
		text += "; " + degraded
	}
	return whatif.Verdict{OK: true, Reason: text}
}
