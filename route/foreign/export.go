package foreign

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/route"
)

// FitsTables returns a *Refusal if forwarding tables for OpenSM's engine "file" cannot carry the
// Plan: it needs several lanes, unless files of SLs and SL2VL tables go with them, or its sources
// must choose among the LIDs of a target.
func FitsTables(p *route.Plan, withLanes bool) error {
	const advice = "save the Plan instead (weft route -o FILE)"
	if p.SL == nil || p.SL2VL == nil || p.VLs != 1 && !withLanes {
		return route.Refuse("file", advice+", or write the lanes too (--sl FILE --sl2vl FILE)", "forwarding tables alone cannot carry the SLs and SL2VL tables of this Plan (it needs %d lanes)", p.VLs)
	}
	if by := p.Choice.By; by != route.AnyLID && by != route.BaseLID {
		return route.Refuse("file", advice, "forwarding tables alone cannot carry which DLID a source is to use")
	}
	return nil
}

// LFTs returns the Plan's forwarding tables for a file, with the owners of the LIDs and the hops of
// every entry.
func LFTs(g *fabric.Graph, p *route.Plan) *tables.LFTs {
	out := &tables.LFTs{}
	for lid, end := range p.Ends.ByLID() {
		if end >= 0 {
			out.Targets = append(out.Targets, tables.Target{
				LID: fabric.LID(lid), GUID: g.EndGUID[end], Type: g.EndType[end], Desc: g.EndDesc[end],
			})
		}
	}
	top := int(p.Ends.Top())
	best := fewestHops(g, p)
	for s := range int32(g.NumSwitches) {
		sw := tables.SwitchLFT{
			GUID: g.SwitchGUID[s], LID: p.Ends.Base[g.PortZero(s)], Desc: g.SwitchDesc[s],
			Ports: make([]uint8, top+1),
			Claims: &tables.Claims{
				Hops: make([]uint8, top+1), Best: best[s], BestVia: make([]uint8, top+1),
			},
		}
		for lid := range top + 1 {
			sw.Ports[lid] = p.Tables.Port(s, fabric.LID(lid))
			sw.Claims.Hops[lid], sw.Claims.BestVia[lid] = tables.UnknownHops, tables.NoPort
			if hops, ok := p.Tables.Hops(g, s, fabric.LID(lid)); ok {
				sw.Claims.Hops[lid] = uint8(min(hops, int(tables.UnknownHops)-1))
			}
		}
		viaOfBest(g, s, best, sw.Claims)
		out.Switches = append(out.Switches, sw)
	}
	return out
}

// PathSLs returns the Plan's service levels for a file, by source and destination LID. The Plan
// must have SLs.
func PathSLs(g *fabric.Graph, p *route.Plan) *tables.PathSLs {
	out := &tables.PathSLs{Engine: p.Recipe.Paths}
	by := p.Ends.ByLID()
	rows := make([][]uint8, p.SL.NumSrc)
	for end := range int32(g.NumEnds) {
		if p.Ends.Base[end] == 0 {
			continue
		}
		class := p.SL.Src[end]
		if rows[class] == nil {
			rows[class] = make([]uint8, len(by))
			for lid, target := range by {
				rows[class][lid] = tables.NoSL
				if target >= 0 {
					rows[class][lid] = p.SL.ByClass(class, p.SL.Dst[lid])
				}
			}
		}
		out.Rows = append(out.Rows, tables.SLRow{LID: p.Ends.Base[end], SL: rows[class]})
	}
	slices.SortFunc(out.Rows, func(a, b tables.SLRow) int { return int(a.LID) - int(b.LID) })
	return out
}

// SL2VLs returns the Plan's SL2VL tables for a file. The Plan must have some.
func SL2VLs(g *fabric.Graph, p *route.Plan) *tables.SL2VLs {
	out := &tables.SL2VLs{}
	for _, t := range p.SL2VL.Pool {
		out.Pool = append(out.Pool, tables.SL2VL(t))
	}
	for end := range int32(g.NumEnds) {
		n := tables.NodeSL2VLs{Type: g.EndType[end], GUID: g.EndGUID[end], LID: p.Ends.Base[end], Desc: g.EndDesc[end]}
		if g.IsPortZero(end) {
			n.Rows = switchRows(g, p, g.EndSwitch[end])
		} else {
			n.Rows = []tables.SL2VLRow{{Table: p.SL2VL.Host[end]}}
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

// switchRows lists a switch's tables by output, then input port.
func switchRows(g *fabric.Graph, p *route.Plan, s int32) []tables.SL2VLRow {
	var rows []tables.SL2VLRow
	for out := int32(1); out <= g.SwitchPorts[s]; out++ {
		for in := range g.SwitchPorts[s] + 1 {
			rows = append(rows, tables.SL2VLRow{In: uint8(in), Out: uint8(out), Table: p.SL2VL.Index(g, s, uint8(in), uint8(out))})
		}
	}
	return rows
}

// fewestHops returns the fewest hops from every switch to every LID in use.
func fewestHops(g *fabric.Graph, p *route.Plan) [][]uint8 {
	best := make([][]uint8, g.NumSwitches)
	for s := range best {
		best[s] = make([]uint8, int(p.Ends.Top())+1)
		for lid := range best[s] {
			best[s][lid] = tables.UnknownHops
		}
	}
	search := g.NewSearch(nil)
	at := int32(-1)
	for lid, end := range p.Ends.ByLID() {
		if end < 0 {
			continue
		}
		if to := g.EndSwitch[end]; to != at {
			search.From(to)
			at = to
		}
		last := int32(1) // the link to a host
		if g.IsPortZero(end) {
			last = 0
		}
		for s, h := range search.Hops {
			if h != fabric.Unreached {
				best[s][lid] = uint8(min(h+last, int32(tables.UnknownHops)-1))
			}
		}
	}
	return best
}

// viaOfBest names, for entries with a detour, the first port of a shortest path.
func viaOfBest(g *fabric.Graph, s int32, best [][]uint8, claims *tables.Claims) {
	for lid, h := range claims.Hops {
		if h == tables.UnknownHops || h <= best[s][lid] {
			continue
		}
		for _, c := range g.OutOf(s) {
			if best[g.To[c]][lid]+1 == best[s][lid] {
				claims.BestVia[lid] = g.FromPort[c]
				break
			}
		}
	}
}

// WrongClaims lists hop counts in the files that differ from the tables': at most limit of them,
// and their total.
func (f *Files) WrongClaims(g *fabric.Graph, p *route.Plan, limit int) (examples []string, total int) {
	index := indexByGUID(g.SwitchGUID)
	for i := range f.LFTs.Switches {
		sw := &f.LFTs.Switches[i]
		s, ok := index[sw.GUID]
		if !ok || sw.Claims == nil {
			continue
		}
		for lid, claimed := range sw.Claims.Hops {
			if claimed == tables.UnknownHops {
				continue
			}
			hops, ok := p.Tables.Hops(g, s, fabric.LID(lid))
			if ok && hops == int(claimed) {
				continue
			}
			if total++; len(examples) < limit {
				walked := "walking the tables does not arrive"
				if ok {
					walked = fmt.Sprintf("walking the tables gives %d", hops)
				}
				examples = append(examples, fmt.Sprintf("the file says that LID %d is %d hops from %s: %s", lid, claimed, fabric.SwitchName(g, s), walked))
			}
		}
	}
	return examples, total
}
