package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
	"weft/route"
	"weft/route/job"
)

// BetweenFault lists the parts that fail in a network of subnets.
type BetweenFault struct {
	Ports []int32         // of routers
	Links map[int]LinkSet // between switches, by subnet
}

// LinkSet is a set of links of a fabric.
type LinkSet map[fabric.LinkID]bool

// BetweenFaultHelp tells people how a part is named.
const BetweenFaultHelp = `Of several subnets these can fail (--fail PART, several times):

  ROUTER              a router, by its name or GUID
  ROUTER[PORT]        a port of it
  SUBNET: CABLE       a cable between switches of a subnet, or of a router port`

// AddFault adds a part that fails, by its name.
func (f *BetweenFault) AddFault(n *subnets.Network, text string) error {
	if name, cable, ok := fabric.CutUnquoted(text, ": "); ok {
		s := slices.IndexFunc(n.Subnets, func(s subnets.Subnet) bool { return s.Name == fabric.Unquote(strings.TrimSpace(name)) })
		if s < 0 {
			return fmt.Errorf("no subnet is called %q", name)
		}
		return f.addCable(n, s, strings.TrimSpace(cable))
	}
	name, port, wantsPort := text, uint64(0), false
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if _, err := fmt.Sscanf(text[open:], "[%d]", &port); err == nil {
			name, wantsPort = text[:open], true
		}
	}
	r, err := fabric.FindNamed("router", name, len(n.Routers), func(i int) (fabric.GUID, string) { return n.Routers[i].GUID, n.Routers[i].Name })
	if err != nil {
		return fmt.Errorf("%w (a part of a subnet is SUBNET: CABLE)", err)
	}
	found := false
	for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
		if !wantsPort || uint64(n.Ports[p].Number) == port {
			f.Ports, found = append(f.Ports, p), true
		}
	}
	if !found {
		return fmt.Errorf("router %q has no cabled port %d", n.Routers[r].Name, port)
	}
	return nil
}

// addCable adds a cable of a subnet.
func (f *BetweenFault) addCable(n *subnets.Network, s int, name string) error {
	from, g := n.Kinds[n.Subnets[s].Kind].Fabric, n.Graph(int32(s))
	if at, err := from.FindPlace(name); err == nil && at.Whole && from.Nodes[at.Node].Type == fabric.Switch {
		return fmt.Errorf("%s is a switch, and what hangs on it would go with it: ask weft whatif of that subnet by itself, or name its cables", from.NodeName(at.Node))
	}
	id, err := from.FindLink(name)
	if err != nil {
		return err
	}
	if from.IsSwitchLink(id) {
		if f.Links == nil {
			f.Links = map[int]LinkSet{}
		}
		if f.Links[s] == nil {
			f.Links[s] = LinkSet{}
		}
		f.Links[s][id] = true
		return nil
	}
	for _, end := range []fabric.End{from.Links[id].A, from.Links[id].B} {
		for _, port := range n.Subnets[s].Ports {
			if from.Nodes[end.Node].Type == fabric.Router && g.EndGUID[n.Ports[port].End] == from.Nodes[end.Node].Ports[end.Port].GUID {
				f.Ports = append(f.Ports, port)
				return nil
			}
		}
	}
	return fmt.Errorf("%s is the cable of a host, which is cut off without it: name a cable between switches, or of a router", name)
}

// BetweenAnswer is the document of `weft whatif` of several subnets.
type BetweenAnswer struct {
	Network  string        `json:"network"`
	OK       bool          `json:"ok"` // all pairs that had a way have one again, and it is proven
	Reason   string        `json:"reason"`
	Ports    []string      `json:"router_ports_down"`
	Links    int           `json:"links_down"` // between switches
	Today    *BetweenState `json:"today"`
	AsIs     *BetweenState `json:"old_tables"` // while nobody does anything
	Fresh    *BetweenState `json:"fresh"`      // after a new routing; null where that is not possible
	NotFresh string        `json:"not_fresh,omitempty"`
	// Backups is the state in which each gateway that is lost has its backup, as mapping files say it, and no other is changed; null without lost router ports.
	Backups  *BetweenState `json:"backups"`
	Targets  int64         `json:"gateways"`        // pairs of a subnet and a target in another
	Moved    int64         `json:"gateways_moved"`  // of these, those that a new routing gives another router port
	ToBackup int64         `json:"gateways_backed"` // likewise those that get their backup
	Entries  int           `json:"entries"`         // of forwarding tables that change
}

// BetweenState says how much of its traffic a network delivers, and whether that can deadlock.
type BetweenState struct {
	Pairs        int64   `json:"pairs"` // of end ports in different subnets
	Lost         int64   `json:"lost"`
	CutOff       int64   `json:"cut_off"`      // of these, without any way
	LocalFaults  int     `json:"local_faults"` // kinds of subnets that are not proven by themselves
	DeadlockFree bool    `json:"deadlock_free"`
	Layers       int     `json:"layers"`
	VLs          int     `json:"vls"`
	AvgHops      float64 `json:"avg_hops"`
	Bandwidth    float64 `json:"bandwidth"` // mean of random bisections of hosts, share of a link; lost flows have none
}

// AskBetween says what a fault does to the traffic of a network: under the Plans that it has, and after a new routing between the subnets,
// with the Plans of subnets that lost links repaired. LIDs stay.
func AskBetween(ctx context.Context, n *subnets.Network, req *intersubnet.Request, fault *BetweenFault, hostsOnly bool, flows *intersubnet.FlowRequest) (*BetweenAnswer, error) {
	q := betweenQuestion{hostsOnly: hostsOnly, flows: flows, workers: req.Local.Workers}
	_, r, err := routeBetween(ctx, n, req, hostsOnly)
	if err != nil {
		return nil, err
	}
	a := &BetweenAnswer{Network: n.Name, Ports: []string{}}
	if a.Today, err = q.state(ctx, r.Plan); err != nil {
		return nil, err
	}
	down := slices.Concat(req.Down, fault.Ports)
	for _, port := range fault.Ports {
		a.Ports = append(a.Ports, n.PortName(port))
	}
	after, asIs, err := changedNetwork(n, r.Plan, fault)
	if err != nil {
		return nil, err
	}
	asIs.Down = slices.Clone(asIs.Down)
	for _, port := range down {
		asIs.Down[port] = true
	}
	if a.AsIs, err = q.state(ctx, asIs); err != nil {
		return nil, err
	}
	again := *req
	again.Down = down
	for s, one := range r.Jobs {
		if len(fault.Links[s]) > 0 {
			a.Links += len(fault.Links[s])
			if one, err = repaired(ctx, n.Graph(int32(s)), after.Graph(int32(s)), one, &req.Local); err != nil {
				break
			}
			a.Entries += entriesOf(job.Keep(r.Jobs[s].Plan, n.Graph(int32(s))).Changes(after.Graph(int32(s)), one.Plan))
		}
		again.Routed = append(again.Routed, one)
	}
	var fresh *intersubnet.Result
	if err == nil {
		_, fresh, err = routeBetween(ctx, after, &again, hostsOnly)
	}
	if refusal, ok := errors.AsType[*route.Refusal](err); ok {
		a.NotFresh, a.Reason = refusal.Error(), "what is left cannot be routed: "+refusal.Error()
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	if a.Fresh, err = q.state(ctx, fresh.Plan); err != nil {
		return nil, err
	}
	a.Targets, a.Moved = movedGateways(r.Plan, fresh.Plan)
	if len(fault.Ports) > 0 {
		if err := a.backups(ctx, &q, r.Plan, after, &again); err != nil {
			return nil, err
		}
	}
	a.judge()
	return a, nil
}

// backups measures what mapping files with backups do by themselves.
func (a *BetweenAnswer) backups(ctx context.Context, q *betweenQuestion, today *intersubnet.Plan, after *subnets.Network, again *intersubnet.Request) error {
	req := *again
	req.Mappings = map[int]*intersubnet.Mapping{}
	for s := range after.Subnets {
		var text bytes.Buffer
		if err := today.WriteMapping(&text, int32(s)); err != nil {
			return err
		}
		m, err := intersubnet.ReadMapping(after.Subnets[s].Name, text.Bytes())
		if err != nil {
			return err
		}
		req.Mappings[s] = m
	}
	_, r, err := routeBetween(ctx, after, &req, q.hostsOnly)
	if err != nil {
		return err
	}
	_, a.ToBackup = movedGateways(today, r.Plan)
	a.Backups, err = q.state(ctx, r.Plan)
	return err
}

// betweenQuestion says by which options states are measured.
type betweenQuestion struct {
	hostsOnly bool
	workers   int
	flows     *intersubnet.FlowRequest
}

func (q *betweenQuestion) state(ctx context.Context, p *intersubnet.Plan) (*BetweenState, error) {
	r, err := betweencheck.Judge(ctx, p, betweencheck.Options{Workers: q.workers, HostsOnly: q.hostsOnly})
	if err != nil {
		return nil, err
	}
	s := &BetweenState{Pairs: r.Pairs, Lost: r.Unreachable + r.Disconnected, CutOff: r.Disconnected, LocalFaults: r.LocalFaults, DeadlockFree: r.DeadlockFree, Layers: p.Layers, VLs: r.VLs, AvgHops: r.Hops.Avg}
	s.Bandwidth, err = bandwidthOf(ctx, p, q.flows, "bisect")
	return s, err
}

// changedNetwork is a network without the links of a fault, and a Plan on it that is as it was.
func changedNetwork(n *subnets.Network, p *intersubnet.Plan, fault *BetweenFault) (*subnets.Network, *intersubnet.Plan, error) {
	after, asIs := *n, *p
	after.Kinds, after.Subnets, asIs.Local = slices.Clone(n.Kinds), slices.Clone(n.Subnets), slices.Clone(p.Local)
	asIs.Net = &after
	for s, links := range fault.Links {
		kind := n.Kinds[n.Subnets[s].Kind]
		f := kind.Fabric.Clone()
		for id := range links {
			f.SetLinkDown(id, true)
		}
		g := f.Compile()
		if !slices.Equal(g.EndGUID, kind.Graph.EndGUID) {
			return nil, nil, fmt.Errorf("subnet %q: switches are cut off without these cables", n.Subnets[s].Name)
		}
		after.Subnets[s].Kind = int32(len(after.Kinds))
		after.Kinds = append(after.Kinds, subnets.Kind{Source: kind.Source, Fabric: f, Graph: g})
		var err error
		if asIs.Local[s], err = job.Keep(p.Local[s], kind.Graph).AsIs(g); err != nil {
			return nil, nil, err
		}
	}
	return &after, &asIs, nil
}

// repaired repairs the Plan of a subnet, or routes it afresh where it has to, and keeps its LIDs.
func repaired(ctx context.Context, before, after *fabric.Graph, old *job.Result, local *job.Request) (*job.Result, error) {
	req, kept := *local, job.Keep(old.Plan, before)
	if err := kept.Hold(after, &req); err != nil {
		return nil, err
	}
	req.Kept = kept
	return job.RouteSubnet(ctx, after, &req)
}

func entriesOf(c *route.Change) int { return c.Entries.Moved + c.Entries.New + c.Entries.Gone }

// movedGateways counts the pairs of a subnet and a target in another, and of these those that another routing gives another gateway.
func movedGateways(before, after *intersubnet.Plan) (all, moved int64) {
	for s := range int32(len(before.Net.Subnets)) {
		for target := range int32(len(before.Net.Subnets)) {
			for e := range int32(before.Net.Graph(target).NumEnds) {
				if s == target || before.Net.IsRouter(target, e) {
					continue
				}
				to := intersubnet.Address{Subnet: target, End: e}
				all++
				if before.GatewayPort(s, to) != after.GatewayPort(s, to) {
					moved++
				}
			}
		}
	}
	return all, moved
}

// judge answers, with the reason.
func (a *BetweenAnswer) judge() {
	f := a.Fresh
	switch {
	case f.CutOff > a.Today.CutOff:
		a.Reason = fmt.Sprintf("%d of %d pairs between subnets have no way left", f.CutOff, f.Pairs)
	case f.Lost > a.Today.Lost:
		a.Reason = fmt.Sprintf("%d of %d pairs between subnets stay lost", f.Lost, f.Pairs)
	case f.LocalFaults > a.Today.LocalFaults:
		a.Reason = "a subnet by itself is not proven"
	case !f.DeadlockFree && a.Today.DeadlockFree:
		a.Reason = "what is left can deadlock"
	default:
		a.OK = true
		a.Reason = fmt.Sprintf("all is reached again; random bisections get %.4f of a link, today %.4f", f.Bandwidth, a.Today.Bandwidth)
	}
}

// Write prints the answer for people.
func (a *BetweenAnswer) Write(w io.Writer) error {
	verdict := "yes"
	if !a.OK {
		verdict = "no"
	}
	fmt.Fprintf(w, "may it be done  %s: %s\n", verdict, fold.Text(16, a.Reason))
	fmt.Fprintf(w, "network         %s\n", fold.Text(16, a.Network))
	fmt.Fprintf(w, "down            %d router ports, %d links between switches\n", len(a.Ports), a.Links)
	for _, name := range a.Ports[:min(len(a.Ports), betweenPortsShown)] {
		fmt.Fprintf(w, "                %s\n", name)
	}
	if more := len(a.Ports) - betweenPortsShown; more > 0 {
		fmt.Fprintf(w, "                and %d more\n", more)
	}
	a.Today.write(w, "today", a.Today.Pairs)
	a.AsIs.write(w, "old tables", a.Today.Pairs)
	if a.Fresh == nil {
		fmt.Fprintf(w, "\nrouted again    not possible: %s\n", fold.Text(16, a.NotFresh))
		return nil
	}
	a.Fresh.write(w, "routed again", a.Today.Pairs)
	fmt.Fprintf(w, "  gateways      %d of %d pairs of a subnet and a target get another\n", a.Moved, a.Targets)
	fmt.Fprintf(w, "  tables        %d entries change in the subnets\n", a.Entries)
	if a.Backups != nil {
		a.Backups.write(w, "backup routes", a.Today.Pairs)
		fmt.Fprintf(w, "  gateways      %d of %d change, to their backup or to none\n", a.ToBackup, a.Targets)
	}
	return nil
}

// betweenPortsShown limits the router ports that are listed for people.
const betweenPortsShown = 10

func (s *BetweenState) write(w io.Writer, title string, pairs int64) {
	deadlock := "deadlock-free"
	if !s.DeadlockFree {
		deadlock = "CAN DEADLOCK"
	}
	if s.LocalFaults > 0 {
		deadlock += ", not proven inside a subnet"
	}
	fmt.Fprintf(w, "\n%s\n  pairs         %d of %d between subnets lost, %d of them without a way\n", title, s.Lost, pairs, s.CutOff)
	fmt.Fprintf(w, "  proof         %s, %d layers, %d VLs\n", deadlock, s.Layers, s.VLs)
	fmt.Fprintf(w, "  bisections    %.4f of a link, %.2f hops between subnets\n", s.Bandwidth, s.AvgHops)
}
