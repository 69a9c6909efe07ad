package whatif

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
	"weft/route"
	"weft/sim/flow"
	"weft/study"
)

// BetweenHelp tells people how parts of several subnets are named.
const BetweenHelp = `Of several subnets a part is

  ROUTER              a router, by its name or GUID: --fail, --drain
  ROUTER[PORT]        a port of it: --fail, --drain
  SUBNET: PART        what of one fabric stands behind --fail, --drain, --add, --move

and --each router lets each router fail by itself.`

// BetweenOptions say how a network of subnets is routed and measured.
type BetweenOptions struct {
	Request   *intersubnet.Request
	HostsOnly bool // prove pairs of hosts alone
	Flows     *intersubnet.FlowRequest
	Pace      Pace
}

// BetweenToday is a network of subnets with the routing that it has now.
type BetweenToday struct {
	net   *subnets.Network
	opt   BetweenOptions
	now   *intersubnet.Result
	state *BetweenState
	brief bool // no backups
}

// NewBetween routes a network of subnets, judges and measures it.
func NewBetween(ctx context.Context, n *subnets.Network, opt BetweenOptions) (*BetweenToday, error) {
	t := &BetweenToday{net: n, opt: opt}
	_, r, err := study.RouteBetween(ctx, n, opt.Request, opt.HostsOnly)
	if err != nil {
		return nil, err
	}
	t.now = r
	t.state, err = t.measure(ctx, r.Plan)
	return t, err
}

// BetweenAnswer is the document of `weft whatif` of several subnets.
type BetweenAnswer struct {
	Network string `json:"network"`
	Verdict        // all pairs that had a way have one again, and it is proven

	Change *Parts   `json:"change"`            // inside the subnets
	Ports  []string `json:"router_ports_gone"` // router ports that fail, are drained, or lose their switch or cable
	CutOff []string `json:"hosts_cut_off"`     // hosts that stay up but lose their last cable to a switch
	Gone   int      `json:"host_ports_gone"`   // ports of these hosts and of failed hosts

	Today    *BetweenState `json:"today"`
	AsIs     *BetweenState `json:"old_tables"` // until somebody acts; null if a subnet is gone
	Fresh    *BetweenState `json:"fresh"`      // subnets repaired, and routed again between them; null if impossible
	NotFresh string        `json:"not_fresh,omitempty"`
	// Backups is the state with each lost gateway replaced by its backup from the mapping files,
	// and nothing else changed. It is null if no router port is lost.
	Backups  *BetweenState `json:"backups"`
	Targets  int64         `json:"gateways"`        // pairs of a subnet and a target in another
	Moved    int64         `json:"gateways_moved"`  // of these, the ones with another router port in a new routing
	ToBackup int64         `json:"gateways_backed"` // of these, the ones that switch to their backup
	Writes   *Writes       `json:"writes"`          // writes in changed subnets; null without a new routing
	Pace     Pace          `json:"pace"`            // the assumption behind the seconds
}

// BetweenState says how much of its traffic a network delivers, and whether it can deadlock.
type BetweenState struct {
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

func (t *BetweenToday) measure(ctx context.Context, p *intersubnet.Plan, changed ...int) (*BetweenState, error) {
	workers := t.opt.Request.Local.Workers
	r, err := betweencheck.Judge(ctx, p, betweencheck.Options{Workers: workers, HostsOnly: t.opt.HostsOnly})
	if err != nil {
		return nil, err
	}
	s := &BetweenState{Pairs: r.Pairs, Lost: r.Unreachable + r.Disconnected, CutOff: r.Disconnected, LocalFaults: r.LocalFaults, DeadlockFree: r.DeadlockFree, Layers: p.Layers, VLs: r.VLs, AvgHops: r.Hops.Avg}
	for _, sub := range changed {
		inside, err := measure(ctx, p.Net.Graph(int32(sub)), p.Local[sub], flow.Measure{Runs: noFigures, Workers: workers})
		if err != nil {
			return nil, err
		}
		s.Inside.Pairs, s.Inside.Lost, s.Inside.CutOff = s.Inside.Pairs+inside.Pairs, s.Inside.Lost+inside.Lost, s.Inside.CutOff+inside.CutOff
	}
	s.Bandwidth, err = study.BandwidthBetween(ctx, p, t.opt.Flows, "bisect")
	return s, err
}

// changedNetwork is a network of subnets after changes.
type changedNetwork struct {
	failed, drained []int32 // router ports
	inside          []int   // subnets that change
	still, after    *subnets.Network
	parts           Parts
	ports, cutOff   []string
	gone            int
}

// CheckBetween reports changes of a network that cannot be made: names that are wrong, or what changes nothing.
func CheckBetween(n *subnets.Network, changes []Change) error {
	_, err := changeNetwork(n, changes)
	if _, gone := errors.AsType[*goneSubnet](err); gone {
		return nil // that is an answer
	}
	return err
}

// changeNetwork makes changes of a network. With *goneSubnet it returns what was found until then.
func changeNetwork(n *subnets.Network, changes []Change) (*changedNetwork, error) {
	c, inside := &changedNetwork{}, map[int][]Change{}
	for _, x := range changes {
		if err := c.read(n, x, inside); err != nil {
			return nil, fmt.Errorf("--%s %s: %w", x.Kind, x.What, err)
		}
	}
	fabrics, still := map[int]*fabric.Fabric{}, map[int]*fabric.Fabric{}
	for _, s := range slices.Sorted(maps.Keys(inside)) {
		before := n.Kinds[n.Subnets[s].Kind].Fabric
		after, err := Apply(before, inside[s])
		if err != nil {
			return nil, fmt.Errorf("subnet %q: %w", n.Subnets[s].Name, err)
		}
		c.inside = append(c.inside, s)
		fabrics[s], still[s] = after, stillUp(before, after)
	}
	return c, c.build(n, fabrics, still)
}

// read reads a change of a router, or adds one to those of a subnet.
func (c *changedNetwork) read(n *subnets.Network, x Change, inside map[int][]Change) error {
	s, part, ok, err := n.CutName(x.What)
	switch {
	case err != nil:
		return err
	case ok:
		inside[s] = append(inside[s], Change{x.Kind, part})
		return nil
	case x.Kind == "add" || x.Kind == "move" || argument.MatchString(x.What):
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

// build makes the network with other fabrics, and lists what is gone.
func (c *changedNetwork) build(n *subnets.Network, fabrics, still map[int]*fabric.Fabric) error {
	c.after, c.still = n.With(fabrics), n.With(still)
	c.parts, c.cutOff = Parts{[]string{}, []string{}, []string{}, []string{}}, []string{}
	for _, s := range c.inside {
		name, g := n.Subnets[s].Name+": ", n.Graph(int32(s))
		one := partsOf(n.Kinds[n.Subnets[s].Kind].Fabric, fabrics[s])
		for _, list := range []struct{ to, from *[]string }{{&c.parts.Failed, &one.Failed}, {&c.parts.Drained, &one.Drained}, {&c.parts.Added, &one.Added}, {&c.parts.Moved, &one.Moved}} {
			for _, part := range *list.from {
				*list.to = append(*list.to, name+part)
			}
		}
		left := c.after.Graph(int32(s))
		if left.NumSwitches == 0 || left.NumHosts == 0 {
			return &goneSubnet{n.Subnets[s].Name}
		}
		cutOff, gone := lostHosts(g, fabrics[s], left)
		for _, host := range cutOff {
			c.cutOff = append(c.cutOff, name+host)
		}
		c.gone += gone
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

// withDown returns a Plan in which router ports are down besides those that are.
func withDown(p *intersubnet.Plan, ports []int32) *intersubnet.Plan {
	out := *p
	out.Down = slices.Clone(p.Down)
	for _, port := range ports {
		out.Down[port] = true
	}
	return &out
}

// oldTables is the Plan of today as switches and routers hold it on a changed network.
func (t *BetweenToday) oldTables(c *changedNetwork, net *subnets.Network, down ...int32) (*intersubnet.Plan, error) {
	local := slices.Clone(t.now.Plan.Local)
	for _, s := range c.inside {
		var err error
		if local[s], err = planner.Keep(local[s], t.net.Graph(int32(s))).AsIs(net.Graph(int32(s))); err != nil {
			return nil, err
		}
	}
	return withDown(t.now.Plan.On(net, local), down), nil
}

// Ask says what changes do to the traffic of the network: under the Plans that it has, and after a new routing between the subnets, with the Plans of subnets that
// change repaired. LIDs stay.
func (t *BetweenToday) Ask(ctx context.Context, changes []Change) (*BetweenAnswer, error) {
	c, err := changeNetwork(t.net, changes)
	_, gone := errors.AsType[*goneSubnet](err)
	if err != nil && !gone {
		return nil, err
	}
	a := &BetweenAnswer{Network: t.net.Name, Change: &c.parts, Ports: append([]string{}, c.ports...), CutOff: c.cutOff, Gone: c.gone, Today: t.state, Pace: t.opt.Pace}
	if gone {
		a.NotFresh, a.Verdict = err.Error(), Verdict{false, err.Error()}
		return a, nil
	}
	return a, t.ask(ctx, c, a)
}

// ask fills in an answer.
func (t *BetweenToday) ask(ctx context.Context, c *changedNetwork, a *BetweenAnswer) error {
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

// routeAgain repairs the subnets that change, and routes again between all. Where that is refused it says why in the answer, and returns no result.
func (t *BetweenToday) routeAgain(ctx context.Context, c *changedNetwork, a *BetweenAnswer) (*intersubnet.Result, *intersubnet.Request, error) {
	again, writes := *t.opt.Request, &Writes{}
	again.Down = slices.Concat(again.Down, c.failed, c.drained)
	again.Routed = slices.Clone(t.now.Jobs)
	var err error
	for _, s := range c.inside {
		if err = t.repair(ctx, c, s, &again, writes); err != nil {
			break
		}
	}
	var r *intersubnet.Result
	if err == nil {
		_, r, err = study.RouteBetween(ctx, c.after, &again, t.opt.HostsOnly)
	}
	if refusal, ok := errors.AsType[*route.Refusal](err); ok {
		a.NotFresh = refusal.Error()
		a.Verdict = Verdict{false, "what is left cannot be routed: " + a.NotFresh}
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	writes.Seconds = t.opt.Pace.Seconds(writes.Blocks)
	a.Writes = writes
	return r, &again, nil
}

// repair repairs the Plan of a subnet, or routes it afresh where it has to, and keeps its LIDs.
func (t *BetweenToday) repair(ctx context.Context, c *changedNetwork, s int, again *intersubnet.Request, w *Writes) error {
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
	w.add(kept.Changes(g, r.Plan))
	w.Lanes = w.Lanes || lanesChange(kept, r)
	return nil
}

// backups measures what mapping files with backups do by themselves.
func (t *BetweenToday) backups(ctx context.Context, c *changedNetwork, a *BetweenAnswer, old *intersubnet.Plan, again *intersubnet.Request) error {
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
	_, r, err := study.RouteBetween(ctx, c.after, &req, t.opt.HostsOnly)
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

// judge answers, with the reason.
func (a *BetweenAnswer) judge() Verdict {
	f, today := a.Fresh, a.Today
	switch {
	case len(a.CutOff) > 0:
		return Verdict{false, fmt.Sprintf("%s cut off: %s", hosts(len(a.CutOff)), list(a.CutOff))}
	case f.CutOff > today.CutOff:
		return Verdict{false, fmt.Sprintf("%d of %d pairs between subnets have no way left", f.CutOff, f.Pairs)}
	case f.Inside.CutOff > today.Inside.CutOff:
		return Verdict{false, fmt.Sprintf("%d of %d pairs inside a subnet have no way left", f.Inside.CutOff, f.Inside.Pairs)}
	case f.Lost > today.Lost:
		return Verdict{false, fmt.Sprintf("%d of %d pairs between subnets stay lost", f.Lost, f.Pairs)}
	case f.Inside.Lost > today.Inside.Lost:
		return Verdict{false, fmt.Sprintf("%d of %d pairs inside a subnet stay lost", f.Inside.Lost, f.Inside.Pairs)}
	case f.LocalFaults > today.LocalFaults:
		return Verdict{false, "a subnet by itself is not proven"}
	case !f.DeadlockFree && today.DeadlockFree:
		return Verdict{false, "what is left can deadlock"}
	}
	return Verdict{true, fmt.Sprintf("all is reached again; random bisections get %.4f of a link, today %.4f", f.Bandwidth, today.Bandwidth)}
}
