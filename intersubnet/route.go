package intersubnet

import (
	"fmt"

	"weft/fabric/subnets"
	"weft/route"
)

// Method is a way to route between subnets.
type Method string

// The methods.
const (
	Baseline Method = "baseline"
	ISSR     Method = "issr"
	ISFR     Method = "isfr"
	Nearest  Method = "nearest"
	Auto     Method = "auto" // ISFR into fat-trees, Nearest into other subnets
)

// Methods lists them with a line each, for help texts.
const Methods = `auto (isfr into fat-trees, nearest into others), isfr (routers follow the primary
path of fat-trees; issr elsewhere), issr (gateways round robin; routers hash source and destination
LID), nearest (shortest paths, unless others carry less) or baseline (one router port for each
target subnet, like OpenSM's prefix routes)`

// ParseMethod reads the name of a method.
func ParseMethod(s string) (Method, error) {
	switch m := Method(s); m {
	case Baseline, ISSR, ISFR, Nearest, Auto:
		return m, nil
	}
	return "", fmt.Errorf("no way to route between subnets is called %q (%s, %s, %s, %s or %s)", s, Auto, ISFR, ISSR, Nearest, Baseline)
}

// Request says how to route between the subnets of a Network.
type Request struct {
	Method    Method
	Mappings  map[int]*Mapping // by subnet: gateways by a mapping file
	SumOfLIDs bool             // hash the sum of both LIDs, as the paper's algorithm 1 does
	Down      []int32          // router ports that are not to be used
	MaxVLs    int              // data VLs that may be used; 0: as many as every link has
	// OneGateway makes Nearest use one gateway for all switches of a subnet, which takes fewer
	// lanes in some networks.
	OneGateway bool
}

// Result holds the Plan of a Request, and how it was made.
type Result struct {
	Plan      *Plan
	Fallbacks []Fallback
	VLs       int // data VLs in use
}

// Route routes between subnets that have Plans, by subnet; subnets of one Kind may share one. It
// returns two results. oneLayer is on one layer of lanes, and the better one if the judge proves
// it. layered has as many layers as lanes.go needs; it is nil if one is enough, and with
// *TooManyLanes.
func Route(n *subnets.Network, local []*route.Plan, req *Request) (layered, oneLayer *Result, err error) {
	r := &Result{Plan: &Plan{Net: n, Local: local, SumOfLIDs: req.SumOfLIDs, Down: make([]bool, len(n.Ports))}}
	for _, p := range req.Down {
		r.Plan.Down[p] = true
	}
	for p := range n.Ports {
		r.Plan.Down[p] = r.Plan.Down[p] || n.Ports[p].End < 0
	}
	p := r.Plan
	p.clearWays()
	a := newAdmissible(n, p.Down)
	switch req.Method {
	case Baseline:
		p.baseline(a)
	case ISSR:
		p.issr(a)
	case Nearest:
		p.nearestSpread(a)
		p.chooseBySwitch(a, func(_, _ int32) bool { return !req.OneGateway })
	case ISFR:
		p.issr(a)
		r.Fallbacks = p.isfr(a, ISSR, p.byTables())
	case Auto:
		p.nearestSpread(a)
		r.Fallbacks = p.isfr(a, Nearest, p.byTables())
		if !req.OneGateway {
			p.chooseBySwitch(a, p.leftToNearest(r.Fallbacks))
		}
	}
	for s, m := range req.Mappings {
		if err := p.apply(a, int32(s), m); err != nil {
			return nil, nil, err
		}
	}
	one := *r
	plan := *p
	one.Plan = &plan
	one.VLs = one.Plan.fitLanes()
	p.LayerMap = newLayerMap(len(n.Subnets))
	p.chooseLayers(a.distance)
	if p.Layers == 1 {
		return nil, &one, nil
	}
	sls, vls := p.stride()
	most := allowedVLs(n, req.MaxVLs)
	if p.Layers*sls > route.NumSLs || p.Layers*vls > most {
		return nil, &one, &TooManyLanes{Layers: p.Layers, SLs: sls, VLs: vls, Allowed: most}
	}
	r.VLs = p.fitLanes()
	return r, &one, nil
}

// allowedVLs returns the number of data VLs that may be used: asked, or fewer if a link has fewer;
// route.UsualVLs if neither is known.
func allowedVLs(n *subnets.Network, asked int) int {
	most := asked
	for k := range n.Kinds {
		for _, vls := range n.Kinds[k].Graph.PortVLs {
			if vls > 0 && (most == 0 || int(vls) < most) {
				most = int(vls)
			}
		}
	}
	if most == 0 {
		return route.UsualVLs
	}
	return most
}

// TooManyLanes says that the layers of a Plan need more SLs or VLs than there are.
type TooManyLanes struct{ Layers, SLs, VLs, Allowed int }

func (e *TooManyLanes) Error() string {
	return e.Unwrap().Error()
}

// Unwrap returns the error as a route.Refusal.
func (e *TooManyLanes) Unwrap() error {
	return route.Refuse("between subnets", "route the subnets by an engine of fewer lanes, such as updn, or allow more VLs",
		"%d layers of %d SLs and %d VLs are more than %d SLs and %d VLs", e.Layers, e.SLs, e.VLs, route.NumSLs, e.Allowed)
}

// stride returns the number of SLs and of VLs of one layer: the most that a local Plan uses.
func (p *Plan) stride() (sls, vls int) {
	known := map[*route.Plan]bool{}
	for _, local := range p.Local {
		if !known[local] {
			known[local] = true
			s, v := lanesOf(local)
			sls, vls = max(sls, s), max(vls, v)
		}
	}
	return sls, vls
}

// fitLanes gives the local Plans their layers, and returns the number of VLs.
func (p *Plan) fitLanes() int {
	sls, vls := p.stride()
	p.SLs = sls
	made := map[*route.Plan]*route.Plan{}
	local := make([]*route.Plan, len(p.Local))
	for s, plan := range p.Local {
		if made[plan] == nil {
			made[plan] = p.onLayers(int32(s), plan, vls)
		}
		local[s] = made[plan]
	}
	p.Local = local
	return p.Layers * vls
}
