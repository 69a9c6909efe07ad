package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/internal/fold"
	"weft/planner"
	"weft/route"
	"weft/study/whatif"
)

// Pair asks for the paths between two end ports under a routing.
type Pair struct {
	From string `json:"from"` // a host or a switch by name, GUID or LID, or a host port
	To   string `json:"to"`
	Fail string `json:"fail,omitempty"` // a cable: show the paths after its failure too
	Routing
}

// Check returns errors that hold on any fabric.
func (q *Pair) Check() error {
	switch {
	case !endpoints.IsName(q.From) || !endpoints.IsName(q.To):
		return errors.New("from, to: want the names of two hosts")
	case q.Fail != "" && !endpoints.IsName(q.Fail):
		return errors.New("fail: want the name of a cable, such as leaf 1[20]")
	}
	return q.Routing.Check()
}

// needs returns the role for the question: a repair takes a core for a while.
func (q *Pair) needs() endpoints.Role {
	if q.Fail != "" {
		return endpoints.MayCompute
	}
	return q.Routing.needs()
}

// Paths are the paths between two end ports.
type Paths struct {
	From   fabric.PortName `json:"from"`
	To     fabric.PortName `json:"to"`
	Engine string          `json:"engine"`
	Ways
	Failed *Failed `json:"failed,omitempty"`
}

// Ways are the paths between two end ports, there and back: one for each LID of the target.
type Ways struct {
	There []Trace `json:"there"`
	Back  []Trace `json:"back"`
	// MostPairs and MeanPairs are the largest and the mean number of pairs of hosts on a channel
	// between switches, for comparison with the pairs of the hops.
	MostPairs int64   `json:"most_pairs"`
	MeanPairs float64 `json:"mean_pairs"`
	Says      string  `json:"says"` // in sentences: what slows these paths
}

// Failed holds the paths after the failure of a cable.
type Failed struct {
	Cable   []fabric.PortName `json:"cable"`             // both ports
	Crossed bool              `json:"crossed"`           // a path of today crosses it
	How     string            `json:"how"`               // who gives the paths after the failure
	CutOff  string            `json:"cut_off,omitempty"` // what has no path then
	Ways
}

// path returns the endpoint for the paths of a pair.
func (p *Page) path() endpoints.Endpoint {
	return question(p, fabricPath+"/path", "The paths between two hosts, hop by hop, there and back; also after the failure of a cable.", "ask about a smaller fabric",
		func(ctx context.Context, h *Held, q *Pair) (*Paths, error) {
			from, err := h.endOf(q.From)
			if err != nil {
				return nil, fmt.Errorf("from: %w", err)
			}
			to, err := h.endOf(q.To)
			if err != nil {
				return nil, fmt.Errorf("to: %w", err)
			}
			r, err := p.routing(ctx, h, &q.Routing)
			if err != nil {
				return nil, err
			}
			out := &Paths{From: h.graph.EndName(from), To: h.graph.EndName(to), Engine: r.result.Engine.Name}
			if out.Ways, err = p.ways(ctx, r, from, to); err != nil || q.Fail == "" {
				return out, err
			}
			out.Failed, err = p.failed(ctx, h, q, r, out)
			return out, err
		})
}

// ways returns the paths between two end ports.
func (p *Page) ways(ctx context.Context, r *routedBy, from, to int32) (w Ways, err error) {
	loads, err := p.pairs(ctx, r)
	if err != nil {
		return w, err
	}
	t := tracer{g: r.graph, plan: r.result.Plan, loads: loads}
	w.There, w.Back = t.all(from, to), t.all(to, from)
	for _, n := range loads {
		w.MostPairs = max(w.MostPairs, n)
		w.MeanPairs += float64(n) / float64(len(loads))
	}
	w.say()
	return w, nil
}

// say names the busiest and the slowest cable of the used paths, and detours.
func (w *Ways) say() {
	var busiest, slowest *Hop
	fastest, longer := int32(0), 0
	for _, list := range [][]Trace{w.There, w.Back} {
		for i := range list {
			t := &list[i]
			if !t.Used || t.Problem != "" {
				continue
			}
			longer = max(longer, len(t.Hops)-t.Shortest)
			for k := range t.Hops {
				hop := &t.Hops[k]
				if busiest == nil || hop.Pairs > busiest.Pairs {
					busiest = hop
				}
				if hop.Rate > 0 && (slowest == nil || hop.Rate < slowest.Rate) {
					slowest = hop
				}
				fastest = max(fastest, hop.Rate)
			}
		}
	}
	if busiest == nil || busiest.Pairs == 0 {
		w.Says = "These paths share no cable between switches with other pairs."
	} else {
		w.Says = fmt.Sprintf("The busiest cable on the way, %s → %s, carries %s in this direction; a cable between switches carries %.1f on average, and the busiest of the fabric %d.",
			busiest.From.Short(), busiest.To.Short(), fold.Count(busiest.Pairs, "pair of hosts", "pairs of hosts"), w.MeanPairs, w.MostPairs)
	}
	if slowest != nil && slowest.Rate < fastest {
		w.Says += fmt.Sprintf(" The slowest cable, %s → %s, has %g Gbit/s; others on the way have up to %g.", slowest.From.Short(), slowest.To.Short(), float64(slowest.Rate)/1000, float64(fastest)/1000)
	}
	if longer > 0 {
		w.Says += fmt.Sprintf(" A path has %s more than a shortest one.", fold.Count(longer, "cable", "cables"))
	}
}

// failed returns the paths of a pair after the failure of a cable: as the manager would repair the
// routing, or as the engines route afresh if no repair is possible.
func (p *Page) failed(ctx context.Context, h *Held, q *Pair, before *routedBy, today *Paths) (*Failed, error) {
	link, err := h.Fabric.FindLink(q.Fail)
	if err != nil {
		return nil, fmt.Errorf("fail: %w", err)
	}
	ends := h.Fabric.Links[link]
	out := &Failed{Cable: []fabric.PortName{h.Fabric.PortName(ends.A), h.Fabric.PortName(ends.B)}}
	if !h.Fabric.LinkUp(link) {
		return nil, fmt.Errorf("fail: the cable %s -- %s is down already", out.Cable[0].Short(), out.Cable[1].Short())
	}
	out.Ways = Ways{There: []Trace{}, Back: []Trace{}}
	out.Crossed = today.crosses(out.Cable[0])
	r, err := p.routed.get(h, q.Routing.key()+fmt.Sprintf("\x00fail %d", link), func() (*fabric.Graph, *planner.Result, error) {
		return p.repaired(ctx, h, before.result.Plan, &q.Routing, link)
	})
	if err != nil {
		return nil, err
	}
	out.How = "a repair, which keeps all paths that do not cross the cable"
	if r.result.Repaired == nil {
		out.How = fmt.Sprintf("%s afresh: a repair is impossible (%v)", r.result.Engine.Name, r.result.NotRepaired)
	}
	from, to := r.graph.FindEnd(today.From.GUID, today.From.Port), r.graph.FindEnd(today.To.GUID, today.To.Port)
	if from < 0 || to < 0 {
		lost := cmp.Or(today.To.Short(), today.To.GUID.String())
		if from < 0 {
			lost = cmp.Or(today.From.Short(), today.From.GUID.String())
		}
		out.CutOff = lost + " has no cable left: it is cut off"
		return out, nil
	}
	out.Ways, err = p.ways(ctx, r, from, to)
	return out, err
}

// repaired returns a fabric without a cable, and the repaired routing.
func (p *Page) repaired(ctx context.Context, h *Held, before *route.Plan, q *Routing, cable fabric.LinkID) (*fabric.Graph, *planner.Result, error) {
	f := h.Fabric.Clone()
	f.SetLinkDown(cable, true)
	g := f.Compile()
	req := p.request()
	var err error
	if req.Chain, err = q.chain(); err != nil {
		return nil, nil, err
	}
	req.Afresh = false
	r, err := whatif.Repair(ctx, h.graph, g, before, *req)
	return g, r, err
}

// crosses reports whether a path crosses a cable with this port.
func (w *Ways) crosses(port fabric.PortName) bool {
	for _, list := range [][]Trace{w.There, w.Back} {
		for i := range list {
			if slices.ContainsFunc(list[i].Hops, func(h Hop) bool { return h.From == port || h.To == port }) {
				return true
			}
		}
	}
	return false
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
