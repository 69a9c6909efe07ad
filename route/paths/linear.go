package paths

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/names/ilp"
)

// balanceByProgramme takes a shortest legal path for each pair of hosts, guided by a linear
// programme. The programme models the traffic to each switch as a flow over its shortest paths,
// with the least load on the most loaded link. A solver solves it. Pairs then take whole paths one
// after another, at each switch by the link with the most flow left.
func balanceByProgramme(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	if in.SolveLinear == nil {
		return nil, route.Refuse("smart", "use balance=weights", "balance=programme needs an installed solver of linear programmes, which only weft route starts")
	}
	p := newFlowProgramme(in, r)
	values, err := in.SolveLinear(ctx, &p.programme)
	if err != nil {
		return nil, err
	}
	return p.pathSet(values)
}

// flowProgramme is the linear programme of balanceByProgramme. Variable 0 is the greatest load; the
// others are flows to a switch from a node onto the next channel.
type flowProgramme struct {
	in        *Input
	ways      *lightestPaths
	programme ilp.Linear
	flow      []map[[2]int32]int32 // by target switch: the variable of node and channel
}

func newFlowProgramme(in *Input, r *Rule) *flowProgramme {
	g := in.Graph
	p := &flowProgramme{in: in, ways: newLightestPaths(r, true), flow: make([]map[[2]int32]int32, g.NumSwitches), programme: ilp.Linear{Variables: 1}}
	onto := make([][]ilp.Term, g.NumChannels) // by channel: the flows onto it
	for t := range int32(g.NumSwitches) {
		if len(g.HostsOf(t)) > 0 {
			p.addTarget(t, onto)
		}
	}
	for _, terms := range onto {
		if len(terms) > 0 {
			p.programme.Rows = append(p.programme.Rows, ilp.Row{Terms: append(terms, ilp.Term{Variable: 0, Factor: -1}), AtMost: true})
		}
	}
	return p
}

// addTarget adds the flows to a switch: a node's outflow equals its inflow plus, at switches, its
// hosts' traffic.
func (p *flowProgramme) addTarget(t int32, onto [][]ilp.Term) {
	g, r, dist := p.in.Graph, p.ways.r, p.ways.distancesTo(t)
	p.flow[t] = map[[2]int32]int32{}
	var layer []int32 // nodes with flow, the farthest first
	byDist := map[int32][]int32{}
	farthest := int32(0)
	for s := range int32(g.NumSwitches) {
		if x := r.source(s); s != t && len(g.HostsOf(s)) > 0 && dist[x] < unreachable {
			byDist[dist[x]] = append(byDist[dist[x]], x)
			farthest = max(farthest, dist[x])
		}
	}
	into := map[int32][]ilp.Term{} // by node: the flows into it, with negative factors
	for d := farthest; d > 0; d-- {
		layer = byDist[d]
		for _, x := range layer {
			row := ilp.Row{}
			if x >= int32(g.NumChannels) {
				row.Value = float64(len(g.HostsOf(r.at(x))) * len(g.HostsOf(t)))
			}
			for _, c := range r.next(x) {
				if dist[c] != d-1 {
					continue
				}
				v := int32(p.programme.Variables)
				p.programme.Variables++
				p.flow[t][[2]int32{x, c}] = v
				row.Terms = append(row.Terms, ilp.Term{Variable: v, Factor: 1})
				onto[c] = append(onto[c], ilp.Term{Variable: v, Factor: 1})
				if d > 1 && len(into[c]) == 0 {
					byDist[d-1] = append(byDist[d-1], c)
				}
				into[c] = append(into[c], ilp.Term{Variable: v, Factor: -1})
			}
			row.Terms = append(row.Terms, into[x]...)
			p.programme.Rows = append(p.programme.Rows, row)
		}
	}
}

// pathSet rounds the flows to whole paths.
func (p *flowProgramme) pathSet(left []float64) (*Set, error) {
	g, r := p.in.Graph, p.ways.r
	out := newBuilder(r)
	weight := make([]float64, g.NumChannels)
	var way []int32
	for dst := range int32(g.NumHosts) {
		t := g.EndSwitch[dst]
		dist := p.ways.distancesTo(t)
		for src := range int32(g.NumHosts) {
			x := r.source(g.EndSwitch[src])
			if src == dst || dist[x] == unreachable {
				continue
			}
			way = way[:0]
			for dist[x] > 0 {
				next, most := fabric.Nothing, 0.0
				for _, c := range r.next(x) {
					if v, ok := p.flow[t][[2]int32{x, c}]; ok && (next < 0 || left[v] > most) {
						next, most = c, left[v]
					}
				}
				left[p.flow[t][[2]int32{x, next}]]--
				way, x = append(way, next), next
			}
			if !loopless(g, g.EndSwitch[src], way) {
				way, _ = p.ways.find(g.EndSwitch[src], t, weight, way[:0])
			}
			out.Add(src, dst, way)
		}
	}
	return out.Build()
}
