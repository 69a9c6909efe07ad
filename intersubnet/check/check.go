package check

import (
	"context"

	"weft/fabric/subnets"
	"weft/internal/par"
	"weft/intersubnet"
	local "weft/judge/check"
	"weft/route"
)

// judge is one run of Judge.
type judge struct {
	n        *subnets.Network
	p        *intersubnet.Plan
	locals   []*localPlan // by subnet; equal ones are shared
	parts    parts
	vls      int
	usage    []*usage      // by subnet
	inRouter []routerEdges // by router
	hosts    bool          // Options.HostsOnly
	senders  [][]bool      // by subnet and switch: some end port of it is judged
	count    []int64       // by subnet: end ports that are judged
	r        *Report
}

// Options are the options of Judge.
type Options struct {
	Workers int
	// HostsOnly judges only pairs of hosts. Port 0 of switches and routers then send only packets
	// in transit, as in the paper; so a tree with routers on its roots needs one layer of lanes
	// less.
	HostsOnly bool
}

// Judge proves a Plan, or reports its faults.
func Judge(ctx context.Context, p *intersubnet.Plan, opt Options) (*Report, error) {
	n, workers := p.Net, max(1, opt.Workers)
	j := &judge{n: n, p: p, hosts: opt.HostsOnly, r: &Report{Size: Size{Subnets: len(n.Subnets), Routers: len(n.Routers), RouterPorts: len(n.Ports)}, Deadlock: Deadlock{Cycle: []Hold{}}, Faults: []string{}}}
	if err := j.judgeLocal(ctx, workers); err != nil {
		return nil, err
	}
	for s := range n.Subnets {
		j.countSenders(int32(s))
		j.r.EndPorts += int(j.count[s])
		j.usage = append(j.usage, &usage{transit: map[[2]int32]uint16{}})
	}
	j.parts = j.joinParts()
	j.inRouter = make([]routerEdges, len(n.Routers))
	for r := range j.inRouter {
		j.inRouter[r] = newRouterEdges(int(n.Routers[r].End-n.Routers[r].First), j.vls)
	}
	j.ways()
	if err := j.dependencies(ctx, workers); err != nil {
		return nil, err
	}
	r := j.r
	r.OK = r.Unreachable == 0 && r.Loops == 0 && r.LocalFaults == 0 && len(r.Faults) == 0 && r.DeadlockFree
	return r, nil
}

// judgeLocal judges each Kind with each local Plan once by itself.
func (j *judge) judgeLocal(ctx context.Context, workers int) error {
	type key struct {
		kind int32
		plan *route.Plan
	}
	var keys []key
	at := map[key]int{}
	for s := range j.n.Subnets {
		k := key{j.n.Subnets[s].Kind, j.p.Local[s]}
		if _, ok := at[k]; !ok {
			at[k] = len(keys)
			keys = append(keys, k)
		}
	}
	reports, locals := make([]*local.Report, len(keys)), make([]*localPlan, len(keys))
	for i, k := range keys {
		var err error
		if reports[i], err = local.Judge(ctx, j.n.Kinds[k.kind].Graph, k.plan, local.Options{Workers: workers}); err != nil {
			return err
		}
	}
	err := par.For(ctx, workers, len(keys), func(_, i int) error {
		locals[i] = newLocalPlan(j.n.Kinds[keys[i].kind].Graph, keys[i].plan)
		return nil
	})
	if err != nil {
		return err
	}
	j.r.Kinds = len(keys)
	told := make([]bool, len(keys))
	for s := range j.n.Subnets {
		i := at[key{j.n.Subnets[s].Kind, j.p.Local[s]}]
		j.locals = append(j.locals, locals[i])
		if !reports[i].OK && !told[i] {
			told[i] = true
			j.r.LocalFaults++
			j.r.fault("subnet %q by itself is not proven: %d unreachable, deadlock-free %s", j.n.Subnets[s].Name, reports[i].Unreachable, reports[i].DeadlockFree)
		}
	}
	for _, d := range locals {
		for i := range d.p.SL2VL.Pool {
			for _, vl := range d.p.SL2VL.Pool[i] {
				if vl != route.DropVL {
					j.vls = max(j.vls, int(vl)+1)
				}
			}
		}
	}
	return nil
}

// parts numbers the connected parts of all subnets, as routers join them.
type parts struct {
	of    [][]int32 // by subnet and local part
	lead  []int32   // by number: another number of the same part, or itself (union-find)
	sizes [][]int64 // by subnet and local part: end ports
}

// joinParts joins the parts of subnets between which a router has ports that are up.
func (j *judge) joinParts() parts {
	var q parts
	next := int32(0)
	for s, d := range j.locals {
		most := int32(-1)
		for _, x := range d.part {
			most = max(most, x)
		}
		of := make([]int32, most+1)
		for i := range of {
			of[i] = next
			q.lead = append(q.lead, next)
			next++
		}
		q.of = append(q.of, of)
		sizes := make([]int64, most+1)
		for e := range int32(d.g.NumEnds) {
			if j.judged(int32(s), e) {
				sizes[d.part[d.g.EndSwitch[e]]]++
			}
		}
		q.sizes = append(q.sizes, sizes)
	}
	for r := range j.n.Routers {
		first := int32(-1)
		for port := j.n.Routers[r].First; port < j.n.Routers[r].End; port++ {
			if j.p.Down[port] {
				continue
			}
			at := &j.n.Ports[port]
			d := j.locals[at.Subnet]
			part := q.find(q.of[at.Subnet][d.part[d.g.EndSwitch[at.End]]])
			if first < 0 {
				first = part
			}
			q.lead[part] = q.find(first)
		}
	}
	return q
}

// find returns the number of the joined part that x belongs to.
func (q *parts) find(x int32) int32 {
	for q.lead[x] != x {
		q.lead[x] = q.lead[q.lead[x]]
		x = q.lead[x]
	}
	return x
}

// countSenders counts the judged end ports of a subnet.
func (j *judge) countSenders(s int32) {
	g := j.locals[s].g
	of, n := make([]bool, g.NumSwitches), int64(0)
	for e := range int32(g.NumEnds) {
		if j.judged(s, e) {
			of[g.EndSwitch[e]] = true
			n++
		}
	}
	j.senders, j.count = append(j.senders, of), append(j.count, n)
}

// judged reports whether an end port is a source and a target.
func (j *judge) judged(subnet, end int32) bool {
	return !j.isRouter(subnet, end) && (!j.hosts || j.locals[subnet].g.IsHost(end))
}

// isRouter reports whether an end port is one of a router.
func (j *judge) isRouter(subnet, end int32) bool {
	of := j.n.Subnets[subnet].PortOf
	return int(end) < len(of) && of[end] >= 0
}

// partOf returns the joined part of an end port.
func (j *judge) partOf(subnet, end int32) int32 {
	d := j.locals[subnet]
	return j.parts.find(j.parts.of[subnet][d.part[d.g.EndSwitch[end]]])
}

// place returns the place of a router port in its subnet's list.
func (j *judge) place(port int32) int {
	list := j.n.Subnets[j.n.Ports[port].Subnet].Ports
	lo, hi := 0, len(list)
	end := j.n.Ports[port].End
	for lo < hi { // they are in order of end ports
		if mid := (lo + hi) / 2; j.n.Ports[list[mid]].End < end {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
