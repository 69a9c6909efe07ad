package page

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// Trace is the path to a LID.
type Trace struct {
	LID      fabric.LID `json:"lid"`
	Used     bool       `json:"used"` // the source may send to this LID of the target
	SL       *uint8     `json:"sl,omitempty"`
	Hops     []Hop      `json:"hops"`
	Shortest int        `json:"shortest"`          // cables of a shortest path; 0 if there is none
	Problem  string     `json:"problem,omitempty"` // where a packet is lost
}

// Hop is a cable of a path.
type Hop struct {
	From  fabric.PortName `json:"from"`
	To    fabric.PortName `json:"to"`
	Rate  int32           `json:"rate_mbit,omitempty"`
	VL    *uint8          `json:"vl,omitempty"`    // absent if lanes are unknown
	Pairs int64           `json:"pairs,omitempty"` // of hosts whose packets cross this cable in this direction; only between switches
	// Others are the other ports of this switch that begin a shortest path.
	Others []Other `json:"others,omitempty"`
}

// Other is a cable that a path could take in place of the chosen one.
type Other struct {
	From  fabric.PortName `json:"from"`
	To    fabric.PortName `json:"to"`
	Pairs int64           `json:"pairs"`
}

// tracer follows packets through the tables of a Plan.
type tracer struct {
	g     *fabric.Graph
	plan  *route.Plan
	loads []int64 // by channel: pairs of hosts; nil: unknown, and alternatives are left out
}

// all returns the path to each LID of a target.
func (t *tracer) all(from, to int32) []Trace {
	g, list := t.g, []Trace{}
	search := g.NewSearch(g.Drained)
	search.From(g.EndSwitch[to])
	shortest := 0
	if hops := search.Hops[g.EndSwitch[from]]; hops != fabric.Unreached {
		shortest = int(hops)
		for _, end := range []int32{from, to} {
			if !g.IsPortZero(end) {
				shortest++
			}
		}
	}
	for i := range t.plan.Ends.Count(to) {
		lid := t.plan.Ends.Base[to] + fabric.LID(i)
		var sl *uint8
		if t.plan.SL != nil {
			its := t.plan.PathSL(from, lid)
			sl = &its
		}
		trace := t.follow(from, to, lid, sl)
		trace.Shortest = shortest
		t.addOthers(&trace, search)
		list = append(list, trace)
	}
	return list
}

// addOthers lists the alternatives of each hop. search has run from the target's switch.
func (t *tracer) addOthers(trace *Trace, search *fabric.Search) {
	g := t.g
	for i := range trace.Hops {
		hop := &trace.Hops[i]
		s := g.FindEnd(hop.From.GUID, 0) - int32(g.NumHosts)
		if s < 0 {
			continue
		}
		for _, c := range g.OutOf(s) {
			switch at := search.Hops[g.To[c]]; {
			case g.FromPort[c] == hop.From.Port:
				hop.Pairs = t.loads[c]
			case at != fabric.Unreached && at == search.Hops[s]-1:
				hop.Others = append(hop.Others, Other{g.SwitchPort(s, g.FromPort[c]), g.SwitchPort(g.To[c], g.ToPort[c]), t.loads[c]})
			}
		}
	}
}

// follow follows a packet to a LID on a service level, nil if that is unknown.
func (t *tracer) follow(from, to int32, lid fabric.LID, sl *uint8) Trace {
	g, plan := t.g, t.plan
	out := Trace{LID: lid, Used: plan.Uses(from, to, lid), SL: sl, Hops: []Hop{}}
	known := sl != nil && plan.SL2VL != nil
	s, in := g.EndSwitch[from], g.EndPort[from]
	if !g.IsPortZero(from) {
		hop := Hop{From: g.EndName(from), To: g.SwitchPort(s, in), Rate: g.EndRate[from]}
		if known {
			hop.VL = &plan.SL2VL.HostTable(from)[*sl]
		}
		out.Hops = append(out.Hops, hop)
	}
	for seen := map[int32]bool{}; !seen[s]; {
		seen[s] = true
		port := plan.Tables.Port(s, lid)
		if port == 0 {
			if to != g.PortZero(s) {
				out.Problem = fmt.Sprintf("%s takes the packet for itself", fabric.SwitchName(g, s))
			}
			return out
		}
		if port == route.NoPort {
			out.Problem = fmt.Sprintf("%s has no entry for LID %d", fabric.SwitchName(g, s), lid)
			return out
		}
		c, host := g.At(s, port)
		hop := Hop{From: g.SwitchPort(s, port)}
		if known && (c >= 0 || host >= 0) {
			hop.VL = &plan.SL2VL.Table(g, s, in, port)[*sl]
		}
		switch {
		case host >= 0:
			hop.To, hop.Rate = g.EndName(host), g.EndRate[host]
			out.Hops = append(out.Hops, hop)
			if host != to {
				out.Problem = "the packet reaches another host"
			}
			return out
		case c < 0:
			out.Problem = fmt.Sprintf("port %d of %s, where the packet leaves, has no cable that is up", port, fabric.SwitchName(g, s))
			return out
		}
		hop.To, hop.Rate = g.SwitchPort(g.To[c], g.ToPort[c]), g.ChanRate[c]
		out.Hops = append(out.Hops, hop)
		s, in = g.To[c], g.ToPort[c]
	}
	out.Problem = "the packet goes in circles"
	return out
}
