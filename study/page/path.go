package page

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/route"
)

// Pair asks for the paths between two end ports under a routing.
type Pair struct {
	From string `json:"from"` // a host or a switch by name, GUID or LID, or a host port
	To   string `json:"to"`
	Routing
}

// Check returns errors that hold on any fabric.
func (q *Pair) Check() error {
	if !endpoints.IsName(q.From) || !endpoints.IsName(q.To) {
		return errors.New("from, to: want the names of two hosts")
	}
	return q.Routing.Check()
}

// Paths are the paths between two end ports, there and back: one for each LID of the target.
type Paths struct {
	From  fabric.PortName `json:"from"`
	To    fabric.PortName `json:"to"`
	There []Trace         `json:"there"`
	Back  []Trace         `json:"back"`
}

// Trace is the path to a LID.
type Trace struct {
	LID     fabric.LID `json:"lid"`
	Used    bool       `json:"used"` // the source may send to this LID of the target
	SL      *uint8     `json:"sl,omitempty"`
	Hops    []Hop      `json:"hops"`
	Problem string     `json:"problem,omitempty"` // where a packet is lost
}

// Hop is a cable of a path.
type Hop struct {
	From fabric.PortName `json:"from"`
	To   fabric.PortName `json:"to"`
	Rate int32           `json:"rate_mbit,omitempty"`
	VL   *uint8          `json:"vl,omitempty"` // absent if lanes are unknown
}

// path returns the endpoint for the paths of a pair.
func (p *Page) path() endpoints.Endpoint {
	return question(p, fabricPath+"/path", "The paths between two hosts, hop by hop, there and back.", "ask about a smaller fabric",
		func(ctx context.Context, h *Held, q *Pair) (*Paths, error) {
			from, err := h.endOf(q.From)
			if err != nil {
				return nil, fmt.Errorf("from: %w", err)
			}
			to, err := h.endOf(q.To)
			if err != nil {
				return nil, fmt.Errorf("to: %w", err)
			}
			r, err := p.routedBy(ctx, h, &q.Routing)
			if err != nil {
				return nil, err
			}
			t := tracer{h.graph, r.Plan}
			return &Paths{h.graph.EndName(from), h.graph.EndName(to), t.all(from, to), t.all(to, from)}, nil
		})
}

// endOf returns the end port that a name stands for: of a host its first port that is up.
func (h *Held) endOf(name string) (int32, error) {
	at, err := h.Fabric.FindPlace(name)
	if err != nil {
		return 0, err
	}
	n := &h.Fabric.Nodes[at.Node]
	if n.Type == fabric.Switch {
		at.Port = 0
		at.Whole = false
	}
	for port := range n.Ports {
		if !at.Whole && port != int(at.Port) {
			continue
		}
		if end := h.graph.FindEnd(n.GUID, uint8(port)); end >= 0 {
			return end, nil
		}
	}
	return 0, fmt.Errorf("%s has no port that is up", h.Fabric.NodeName(at.Node))
}

// tracer follows packets through the tables of a Plan.
type tracer struct {
	g    *fabric.Graph
	plan *route.Plan
}

// all returns the path to each LID of a target.
func (t *tracer) all(from, to int32) []Trace {
	list := []Trace{}
	for i := range t.plan.Ends.Count(to) {
		list = append(list, t.follow(from, to, t.plan.Ends.Base[to]+fabric.LID(i)))
	}
	return list
}

// follow follows a packet to a LID.
func (t *tracer) follow(from, to int32, lid fabric.LID) Trace {
	g, plan := t.g, t.plan
	out := Trace{LID: lid, Used: plan.Uses(from, to, lid), Hops: []Hop{}}
	lane := func(*route.VLTable) *uint8 { return nil }
	if plan.SL != nil && plan.SL2VL != nil {
		sl := plan.PathSL(from, lid)
		out.SL = &sl
		lane = func(table *route.VLTable) *uint8 { return &table[sl] }
	}
	s, in := g.EndSwitch[from], g.EndPort[from]
	if !g.IsPortZero(from) {
		hop := Hop{From: g.EndName(from), To: g.SwitchPort(s, in), Rate: g.EndRate[from]}
		if out.SL != nil {
			hop.VL = lane(plan.SL2VL.HostTable(from))
		}
		out.Hops = append(out.Hops, hop)
	}
	for range g.NumSwitches + 1 {
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
		if out.SL != nil && (c >= 0 || host >= 0) {
			hop.VL = lane(plan.SL2VL.Table(g, s, in, port))
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
