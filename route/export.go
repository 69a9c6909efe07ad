package route

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/netfile"
)

// LFTs are the Plan's forwarding tables for a file, with what the LIDs name and
// the hops of every entry. It returns a *Refusal when a file of tables cannot
// carry the Plan: more than one service level, or sources that must choose among
// the LIDs of a target.
func (p *Plan) LFTs(g *fabric.Graph) (*netfile.LFTs, error) {
	const advice = "save the Plan instead (weft route -o FILE)"
	if p.SL == nil || p.SL2VL == nil || p.VLs != 1 {
		return nil, Refuse("file", advice, "forwarding tables alone cannot carry the SLs of this Plan (it needs %d lanes)", p.VLs)
	}
	if p.Choice != nil {
		return nil, Refuse("file", advice, "forwarding tables alone cannot carry which DLID a source is to use")
	}
	out := &netfile.LFTs{}
	for lid, end := range p.Ends.ByLID() {
		if end >= 0 {
			out.Targets = append(out.Targets, netfile.Target{
				LID: fabric.LID(lid), GUID: g.EndGUID[end], Type: g.EndType[end], Desc: g.EndDesc[end],
			})
		}
	}
	top := int(p.Ends.Top())
	best := p.fewestHops(g)
	for s := range int32(g.NumSwitches) {
		sw := netfile.SwitchLFT{
			GUID: g.SwitchGUID[s], LID: p.Ends.Base[g.PortZero(s)], Desc: g.SwitchDesc[s],
			Ports: make([]uint8, top+1),
			Claims: &netfile.Claims{
				Hops: make([]uint8, top+1), Best: make([]uint8, top+1), BestVia: make([]uint8, top+1),
			},
		}
		for lid := range top + 1 {
			sw.Ports[lid] = p.Tables.Port(s, fabric.LID(lid))
			sw.Claims.Hops[lid], sw.Claims.BestVia[lid] = netfile.UnknownHops, netfile.NoPort
			if hops, ok := p.Tables.Hops(g, s, fabric.LID(lid)); ok {
				sw.Claims.Hops[lid] = uint8(min(hops, int(netfile.UnknownHops)-1))
			}
		}
		copy(sw.Claims.Best, best[s])
		p.viaOfBest(g, s, best, sw.Claims)
		out.Switches = append(out.Switches, sw)
	}
	return out, nil
}

// fewestHops gives the fewest hops from every switch to every LID in use.
func (p *Plan) fewestHops(g *fabric.Graph) [][]uint8 {
	best := make([][]uint8, g.NumSwitches)
	for s := range best {
		best[s] = make([]uint8, int(p.Ends.Top())+1)
		for lid := range best[s] {
			best[s][lid] = netfile.UnknownHops
		}
	}
	hops := make([]int32, g.NumSwitches)
	queue := make([]int32, g.NumSwitches)
	at := int32(-1)
	for lid, end := range p.Ends.ByLID() {
		if end < 0 {
			continue
		}
		if to := g.EndSwitch[end]; to != at {
			g.HopsFrom(to, hops, queue)
			at = to
		}
		for s, h := range hops {
			if h != fabric.Unreached {
				best[s][lid] = uint8(min(h, int32(netfile.UnknownHops)-1))
			}
		}
	}
	return best
}

// viaOfBest names, for entries with a detour, the first port of a path without.
func (p *Plan) viaOfBest(g *fabric.Graph, s int32, best [][]uint8, claims *netfile.Claims) {
	for lid, h := range claims.Hops {
		if h == netfile.UnknownHops || h <= best[s][lid] {
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

// Hops walks the tables from switch s and counts the channels to where a LID is
// delivered; ok is false when the packet is dropped, goes in circles or leaves the
// network by a dead port.
func (t *Tables) Hops(g *fabric.Graph, s int32, lid fabric.LID) (hops int, ok bool) {
	for ; hops <= g.NumSwitches; hops++ {
		port := t.Port(s, lid)
		if port == 0 {
			return hops, true
		}
		if port == NoPort {
			return hops, false
		}
		c, host := g.At(s, port)
		if host >= 0 {
			return hops, true
		}
		if c < 0 {
			return hops, false
		}
		s = g.To[c]
	}
	return hops, false
}

// WrongClaims lists hop counts of the files that the tables do not have: at most
// limit of them, and how many there are in all.
func (f *Foreign) WrongClaims(g *fabric.Graph, p *Plan, limit int) (examples []string, total int) {
	index := make(map[fabric.GUID]int32, g.NumSwitches)
	for s, guid := range g.SwitchGUID {
		index[guid] = int32(s)
	}
	for i := range f.LFTs.Switches {
		sw := &f.LFTs.Switches[i]
		s, ok := index[sw.GUID]
		if !ok || sw.Claims == nil {
			continue
		}
		for lid, claimed := range sw.Claims.Hops {
			if claimed == netfile.UnknownHops {
				continue
			}
			hops, ok := p.Tables.Hops(g, s, fabric.LID(lid))
			if ok && hops == int(claimed) {
				continue
			}
			if total++; len(examples) < limit {
				examples = append(examples, fmt.Sprintf("the file says that LID %d is %d hops from %s: walking its tables gives %d", lid, claimed, SwitchName(g, s), hops))
			}
		}
	}
	return examples, total
}
