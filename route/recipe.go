package route

import (
	"context"
	"fmt"
	"strings"

	"weft/fabric"
)

// Recipe says how a Plan was or is to be made, stage by stage.
type Recipe struct {
	Paths   string            `json:"paths"`             // the engine
	Options map[string]string `json:"options,omitempty"` // its options as given
	Names   string            `json:"names"`             // "lmc=0", "lmc=3": that many LIDs a port
	Lanes   string            `json:"lanes"`             // "none", or the engine's own
}

// Engine is the name of the engine: PATHS, or PATHS+NAMES where the LIDs came after the
// paths.
func (r *Recipe) Engine() string {
	if r.Names == "" || strings.HasPrefix(r.Names, lmcName) {
		return r.Paths
	}
	return r.Paths + "+" + r.Names
}

// lmcName begins the name of an assignment of 2^LMC LIDs to each port.
const lmcName = "lmc="

// Request is a routing job: a recipe with the limits it must keep.
type Request struct {
	Engine  *Spec
	Options map[string]string
	Names   NameOptions
	MaxVLs  int // data VLs that may be used; 0: as many as the hardware is known to have, 8 if unknown
	Workers int
	Seed    uint64
}

// Run carries out the stages on a graph. It calls stage before each one, by name;
// a clock, if there is one, is the caller's. Where links to hosts have fewer VLs than
// there are lanes, lanes share them. Errors: *LIDsExhausted, *Refusal, a
// wrong option, or the context's.
func Run(ctx context.Context, g *fabric.Graph, req *Request, stage func(name string)) (*Plan, error) {
	options, err := req.Engine.Parse(req.Options)
	if err != nil {
		return nil, err
	}
	engine, err := req.Engine.New(options)
	if err != nil {
		return nil, err
	}
	held := req.Names.held(g)
	in := &Input{Graph: g, Workers: max(1, req.Workers), Seed: req.Seed, Held: held, Stage: stage}
	if in.Ends, err = nameFirst(g, req, stage); err != nil {
		return nil, err
	}
	if in.MaxVLs, err = allowedVLs(g, req); err != nil {
		return nil, err
	}
	stage("paths")
	plan, err := engine.Route(ctx, in)
	if err != nil {
		return nil, err
	}
	if req.Engine.OwnNames {
		if err := fitsTables(g, req.Engine.Name, &plan.Ends); err != nil {
			return nil, err
		}
	} else {
		plan.Ends = in.Ends
		plan.Recipe = Recipe{Paths: req.Engine.Name, Names: fmt.Sprint(lmcName, req.Names.LMC)}
	}
	plan.Absent = held.stillAbsent(&plan.Ends)
	plan.Service.ReplySameSL = plan.SL == nil || !plan.SL.OneWay
	plan.Recipe.Options, plan.Recipe.Lanes = req.Options, req.Engine.Lanes
	if plan.SL == nil {
		stage("lanes")
		plan.SingleLane(g)
		plan.Recipe.Lanes = "none"
	}
	plan.SL2VL.fitHosts(g, plan.VLs)
	return plan, nil
}

// nameFirst gives the LIDs for an engine that does not give them itself.
func nameFirst(g *fabric.Graph, req *Request, stage func(name string)) (Ends, error) {
	if req.Engine.OwnNames {
		if req.Names.LMC > 0 {
			return Ends{}, fmt.Errorf("route: LMC %d was asked for, but %s gives each port the LMC that its paths need", req.Names.LMC, req.Engine.Name)
		}
		return Ends{}, nil
	}
	stage("names")
	ends, err := AssignLIDs(g, req.Names)
	if err != nil {
		return Ends{}, err
	}
	return ends, fitsTables(g, req.Engine.Name, &ends)
}

// fitsTables refuses LIDs beyond the forwarding table of a switch.
func fitsTables(g *fabric.Graph, engine string, ends *Ends) error {
	top := int32(ends.Top())
	for s, size := range g.SwitchFDBCap {
		if size > 0 && top >= size {
			return Refuse(engine, "lower the LMC or assign fresh LIDs",
				"LID %d is beyond the forwarding table of %s (%d entries)", top, SwitchName(g, int32(s)), size)
		}
	}
	return nil
}

// UsualVLs is the number of data VLs of today's hardware, taken where neither the
// request nor the fabric says how many there are.
const UsualVLs = 8

// allowedVLs is the number of data VLs that the engine may use.
func allowedVLs(g *fabric.Graph, req *Request) (int, error) {
	hw := hardwareVLs(g)
	switch asked := req.MaxVLs; {
	case asked < 0 || asked > int(DropVL):
		return 0, fmt.Errorf("route: %d VLs were asked for (want 1 to %d, or 0 for what the ports have)", asked, DropVL)
	case asked == 0 && hw == 0:
		return UsualVLs, nil
	case asked == 0:
		return hw, nil
	case hw > 0 && asked > hw:
		return 0, Refuse(req.Engine.Name, fmt.Sprintf("ask for at most %d", hw),
			"%d VLs were asked for, but the ports have only %d", asked, hw)
	default:
		return asked, nil
	}
}

// hardwareVLs is the number of data VLs that every switch-to-switch link is known
// to have, 0 when nothing is known. Links to hosts do not count: see SL2VL.fitHosts.
func hardwareVLs(g *fabric.Graph) int {
	least := 0
	for c := range g.NumChannels {
		v := int(g.PortVLs[g.PortStart[g.From[c]]+int32(g.FromPort[c])])
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	return least
}
