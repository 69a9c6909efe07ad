package planner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// A plane is a part of the switch network that no cable joins to the rest. Planes meet only in
// servers, so that no path leads from one to another. Each is routed by itself, as if it were
// alone: an engine for one kind of network may refuse several, and balances all of them together.
// Their Plans are then joined to one. LIDs are assigned for all planes together.
//
// What has no choice of paths, such as a switch that is cut off, goes with the largest plane. All
// planes are routed together if options name switches, if the engine assigns the LIDs, with levels
// of service, and if a plane is refused by all engines.

// plane is a part of a Graph that is routed by itself.
type plane struct {
	g        *fabric.Graph
	switches []int32 // numbers in the whole Graph
	ends     []int32 // likewise, of its end ports
	result   *Result
}

// PlaneChoice says how Auto chose the engine of a plane.
type PlaneChoice struct {
	Switch   string `json:"switch"` // the first one of the plane
	Switches int    `json:"switches"`
	Hosts    int    `json:"host_ports"`
	Choice
}

// planesOf divides a Graph into the planes with a choice of paths. It returns nil for fewer than
// two.
func planesOf(g *fabric.Graph) (planes []*plane) {
	part, parts := g.Components()
	if parts < 2 {
		return nil
	}
	switches, hosts, links := make([][]int32, parts), make([]int, parts), make([]int, parts)
	for s, p := range part {
		switches[p] = append(switches[p], int32(s))
		hosts[p] += int(g.HostCount(int32(s)))
		links[p] += len(g.OutOf(int32(s)))
	}
	var others []int32
	for p, own := range switches {
		if hosts[p] > 1 && links[p]/2 >= len(own) {
			planes = append(planes, &plane{switches: own})
		} else {
			others = append(others, own...)
		}
	}
	if len(planes) < 2 {
		return nil
	}
	largest := slices.MaxFunc(planes, func(a, b *plane) int { return cmp.Compare(hosts[part[a.switches[0]]], hosts[part[b.switches[0]]]) })
	largest.switches = append(slices.Clone(largest.switches), others...)
	slices.Sort(largest.switches)
	for _, p := range planes {
		p.g, p.ends = g.Part(p.switches)
	}
	return planes
}

// divides reports whether a Request lets planes be routed by themselves.
func (req *Request) divides() bool {
	return req.given == nil && len(req.Levels) == 0 && !slices.ContainsFunc(req.Chain, func(step route.Step) bool {
		return step.Engine.OwnNames || slices.ContainsFunc(step.Engine.Options, func(o route.Option) bool { return o.Switches && step.Options[o.Name] != "" })
	})
}

// routePlanes routes each plane by itself. done is false where they are to be routed together.
func (req *Request) routePlanes(ctx context.Context, g *fabric.Graph) (r *Result, done bool, err error) {
	if !req.divides() {
		return nil, false, nil
	}
	planes := planesOf(g)
	if planes == nil {
		return nil, false, nil
	}
	names := req.LIDs
	names.LMC = max(names.LMC, req.HeldLMC)
	ends, err := lids.Assign(g, names)
	if err != nil || ends.BeyondTable(g) >= 0 {
		return nil, false, nil //nolint:nilerr // routed together, all planes refuse for that reason
	}
	for _, p := range planes {
		own := *req
		own.Kept, own.Afresh, own.Multicast, own.NoGroups, own.Trees = nil, false, false, nil, nil
		own.LIDs, own.HeldLMC = lids.Options{LMC: names.LMC}, 0
		own.planes = len(planes)
		own.given = &route.Ends{}
		for _, e := range p.ends {
			own.given.Base, own.given.LMC = append(own.given.Base, ends.Base[e]), append(own.given.LMC, ends.LMC[e])
		}
		if p.result, err = Route(ctx, p.g, &own); err != nil {
			if isRefusal(err) {
				return nil, false, nil
			}
			return nil, false, err
		}
	}
	r = req.join(g, planes, ends)
	r.Plan.Absent = names.InUse(g).StillAbsent(&ends)
	return r, true, nil
}

// join makes one Result of the Results of the planes.
func (req *Request) join(g *fabric.Graph, planes []*plane, ends route.Ends) *Result {
	first := planes[0].result
	r := &Result{Engine: first.Engine, Plan: joinPlans(g, planes, ends)}
	seconds := map[string]int{} // by stage: its place
	refusals := map[string]bool{}
	for _, p := range planes {
		for _, stage := range p.result.Stages {
			at, known := seconds[stage.Name]
			if !known {
				at = len(r.Stages)
				seconds[stage.Name] = at
				r.Stages = append(r.Stages, Stage{Name: stage.Name})
			}
			r.Stages[at].Seconds += stage.Seconds
		}
		r.Seconds += p.result.Seconds
		for _, refused := range p.result.Refused {
			if !refusals[refused.Error()] {
				refusals[refused.Error()] = true
				r.Refused = append(r.Refused, refused)
			}
		}
	}
	r.Choice = joinChoices(planes)
	if slices.ContainsFunc(planes, func(p *plane) bool { return !sameRecipe(&p.result.Plan.Recipe, &first.Plan.Recipe) }) {
		var names []string
		for _, p := range planes {
			if name := p.result.Engine.Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		r.Engine = &route.Spec{Name: strings.Join(names, " + ")}
		r.Plan.Recipe.Paths, r.Plan.Recipe.Options = chainText(req.Chain), nil
	}
	return r
}

func sameRecipe(a, b *route.Recipe) bool {
	return a.Paths == b.Paths && maps.Equal(a.Options, b.Options)
}

// chainText writes a chain as engine.Parse reads it.
func chainText(c route.Chain) string {
	var words []string
	for _, step := range c {
		words = append(words, step.Engine.Name)
		for _, name := range slices.Sorted(maps.Keys(step.Options)) {
			words = append(words, name+"="+step.Options[name])
		}
	}
	return strings.Join(words, ",")
}

// joinChoices makes one Choice of the Choices of the planes; nil if an engine was named.
func joinChoices(planes []*plane) *Choice {
	var engines []string
	out := &Choice{}
	for _, p := range planes {
		c := p.result.Choice
		if c == nil {
			return nil
		}
		out.Planes = append(out.Planes, PlaneChoice{p.g.SwitchDesc[0], p.g.NumSwitches, p.g.NumHosts, *c})
		out.Interrupted, out.Unfinished = out.Interrupted || c.Interrupted, out.Unfinished || c.Unfinished
		if !slices.Contains(engines, c.Engine) {
			engines = append(engines, c.Engine)
		}
	}
	out.Engine, out.Why = strings.Join(engines, " + "), fmt.Sprintf("each of %d planes by itself", len(planes))
	if len(engines) == 1 {
		c := out.Planes[0].Choice
		out.Next, out.Trials, out.Why = c.Next, c.Trials, out.Why+": "+c.Why
	}
	return out
}

// joinPlans makes one Plan of the Plans of the planes. No packet changes planes. So the planes
// share SLs and lanes, and each stays as free of deadlock as before.
func joinPlans(g *fabric.Graph, planes []*plane, ends route.Ends) *route.Plan {
	one := planes[0].result.Plan
	out := &route.Plan{Recipe: one.Recipe, Ends: ends, Choice: one.Choice, Service: one.Service, Tables: joinTables(g, planes, &ends)}
	out.SL, out.SL2VL = joinSLs(g, planes, &ends), joinLanes(g, planes)
	notes := map[string]bool{}
	for _, p := range planes {
		plan := p.result.Plan
		out.VLs = max(out.VLs, plan.VLs)
		if plan.VLs > 1 {
			out.Recipe.Lanes = plan.Recipe.Lanes
		}
		for _, note := range plan.Notes {
			if !notes[note] {
				notes[note] = true
				out.Notes = append(out.Notes, note)
			}
		}
	}
	out.Service.ReplySameSL = !out.SL.OneWay
	out.Arbitration, out.Ports = route.EqualArbitration(g, out.VLs), route.UsualPorts(g)
	return out
}

func joinTables(g *fabric.Graph, planes []*plane, ends *route.Ends) *route.Tables {
	blocks := int(ends.Top())/route.BlockSize + 1
	rows := make([][]*route.Block, g.NumSwitches)
	for _, p := range planes {
		for s, whole := range p.switches {
			rows[whole] = make([]*route.Block, blocks)
			for b := range blocks {
				rows[whole][b] = p.result.Plan.Tables.BlockOrEmpty(int32(s), b)
			}
		}
	}
	return route.TablesOf(blocks, rows)
}

// joinSLs joins the SLs. The planes have destination classes of their own, but number their source
// classes alike: only pairs of one plane have packets. One SL for all packets stays one, so that a
// repair knows it for new hosts.
func joinSLs(g *fabric.Graph, planes []*plane, ends *route.Ends) *route.SLs {
	sources, targets := 1, 0
	one := planes[0].result.Plan.SL
	uniform := true
	for _, p := range planes {
		sl := p.result.Plan.SL
		sources, targets = max(sources, sl.NumSrc), targets+sl.NumDst
		uniform = uniform && sl.NumSrc == 1 && sl.NumDst == 1 && sl.ByClass(0, 0) == one.ByClass(0, 0) && sl.OneWay == one.OneWay
	}
	if uniform {
		m := route.UniformSL(ends, one.ByClass(0, 0))
		m.OneWay = one.OneWay
		return m
	}
	dst := slices.Repeat([]int32{-1}, int(ends.Top())+1)
	out := route.NewSLs(make([]int32, g.NumEnds), dst, sources, targets)
	first := int32(0)
	row := make([]uint8, sources)
	for _, p := range planes {
		sl := p.result.Plan.SL
		for e, whole := range p.ends {
			out.Src[whole] = sl.Src[e]
			for k := range ends.Count(whole) {
				lid := int(ends.Base[whole]) + k
				dst[lid] = first + sl.Dst[lid]
			}
		}
		for d := range sl.NumDst {
			for s := range row {
				row[s] = sl.ByClass(int32(min(s, sl.NumSrc-1)), int32(d))
			}
			out.SetRow(first+int32(d), row)
		}
		out.OneWay = out.OneWay || sl.OneWay
		first += int32(sl.NumDst)
	}
	return out
}

func joinLanes(g *fabric.Graph, planes []*plane) *route.SL2VL {
	out := &route.SL2VL{Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	for _, p := range planes {
		m := p.result.Plan.SL2VL
		number := make([]uint16, len(m.Pool))
		for i, t := range m.Pool {
			number[i] = out.Intern(t)
		}
		for h, i := range m.Host {
			out.Host[p.ends[h]] = number[i]
		}
		for s, whole := range p.switches {
			index := slices.Clone(m.Switch[s].Index)
			for i := range index {
				index[i] = number[index[i]]
			}
			out.Switch[whole] = route.SwitchSL2VL{By: m.Switch[s].By, Index: index}
		}
	}
	return out
}
