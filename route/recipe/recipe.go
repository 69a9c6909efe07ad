// Package recipe makes a Plan of a Graph with one engine, in the stages NAMES, PATHS and LANES, and
// fills in what the engine leaves out. Package planner chooses the engine, handles its refusal and
// proves the result.
package recipe

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/route/levels"
	"weft/route/lids"
)

// Request is one engine with its options, the LIDs to assign, and limits.
type Request struct {
	Engine  *route.Spec
	Options map[string]string
	Names   lids.Options
	MaxVLs  int // data VLs that may be used; 0: as many as the hardware has, 8 if unknown
	Workers int
	Seed    uint64
	Kinds   []fabric.KindRule // of hosts, balanced separately
	Levels  levels.Levels     // of service; none if all traffic is alike
	Ends    *route.Ends       // LIDs assigned before, with the LMC of Names; nil: Run assigns them
}

// Run runs the stages on a graph. It calls stage before each one, by name. If links to hosts have
// fewer VLs than there are lanes, lanes share them. With levels of service an engine may use only
// its part of the VLs. Run fills in everything that the engine leaves out: one lane, equal turns of
// the VLs, the usual parameters of ports. Errors: *lids.Exhausted, *Refusal, a wrong option, or the
// context's.
func Run(ctx context.Context, g *fabric.Graph, req *Request, stage func(name string)) (*route.Plan, error) {
	options, err := req.Engine.Parse(req.Options)
	if err != nil {
		return nil, err
	}
	engine, err := req.Engine.New(options)
	if err != nil {
		return nil, err
	}
	held := req.Names.InUse(g)
	in := &route.Input{Graph: g, Workers: max(1, req.Workers), Seed: req.Seed, Held: held, Stage: stage}
	if in.Ends, err = nameFirst(g, req, stage); err != nil {
		return nil, err
	}
	if in.MaxVLs, err = allowedVLs(g, req); err != nil {
		return nil, err
	}
	kinds, err := fabric.KindsOf(g, req.Kinds)
	if err != nil {
		return nil, err
	}
	if len(kinds.Names) > 1 {
		in.Kinds = kinds.Of
	}
	stage("paths")
	vls := in.MaxVLs
	in.MaxVLs = max(1, vls/max(1, len(req.Levels)))
	plan, err := engine.Route(ctx, in)
	if in.MaxVLs < vls && err != nil {
		err = refusalForLevels(ctx, engine, in, vls, req, err)
	}
	if err != nil {
		return nil, err
	}
	if req.Engine.OwnNames {
		if err := fitsTables(g, req.Engine.Name, &plan.Ends); err != nil {
			return nil, err
		}
	} else {
		plan.Ends = in.Ends
		plan.Recipe = route.Recipe{Paths: req.Engine.Name, Names: route.LMCName(req.Names.LMC)}
	}
	plan.Absent = held.StillAbsent(&plan.Ends)
	plan.Service.ReplySameSL = plan.SL == nil || !plan.SL.OneWay
	plan.Recipe.Options, plan.Recipe.Lanes = req.Options, req.Engine.Lanes
	noteKinds(plan, req, kinds)
	fillIn(g, plan, stage)
	if len(req.Levels) > 0 {
		stage("levels")
		if err := req.Levels.Give(g, plan, vls); err != nil {
			return nil, route.Refuse(req.Engine.Name, "ask for fewer levels, or for another engine", "%v", err)
		}
	}
	return plan, nil
}

// noteKinds adds the rules of kinds to a Plan's recipe, and a note if they have no effect.
func noteKinds(plan *route.Plan, req *Request, kinds *fabric.Kinds) {
	for _, rule := range req.Kinds {
		plan.Recipe.Kinds = append(plan.Recipe.Kinds, rule.String())
	}
	if req.Engine.OwnNames && len(kinds.Names) > 1 {
		plan.Notes = append(plan.Notes, "explicit paths are balanced for all kinds of hosts together")
	}
	for _, kind := range kinds.None {
		plan.Notes = append(plan.Notes, fmt.Sprintf("no host is of kind %s", kind))
	}
}

// refusalForLevels explains an engine's refusal of its part of the VLs. It routes with all VLs, and
// returns the refusal of levels: the VLs are too few for all.
func refusalForLevels(ctx context.Context, engine route.Engine, in *route.Input, vls int, req *Request, err error) error {
	refusal, ok := errors.AsType[*route.Refusal](err)
	if !ok {
		return err
	}
	in.MaxVLs = vls
	plan, other := engine.Route(ctx, in)
	if other != nil || plan.SL == nil {
		return err
	}
	if !req.Engine.OwnNames {
		plan.Ends = in.Ends
	}
	if few, ok := errors.AsType[*levels.TooFew](req.Levels.Give(in.Graph, plan, vls)); ok {
		return route.Refuse(refusal.Engine, "ask for fewer levels, or for another engine", "%v", few)
	}
	return err
}

// fillIn fills in the parts of a Plan that its engine left out.
func fillIn(g *fabric.Graph, plan *route.Plan, stage func(name string)) {
	if plan.SL == nil {
		stage("lanes")
		plan.SingleLane(g)
		plan.Recipe.Lanes = "none"
	}
	plan.SL2VL.FitHosts(g, plan.VLs)
	if plan.Arbitration == nil {
		plan.Arbitration = route.EqualArbitration(g, plan.VLs)
	}
	if plan.Ports == nil {
		plan.Ports = route.UsualPorts(g)
	}
}

// nameFirst assigns the LIDs for an engine that does not assign them itself.
func nameFirst(g *fabric.Graph, req *Request, stage func(name string)) (route.Ends, error) {
	if req.Engine.OwnNames {
		if req.Names.LMC > 0 {
			return route.Ends{}, fmt.Errorf("route: LMC %d was asked for, but %s gives each port the LMC of its paths", req.Names.LMC, req.Engine.Name)
		}
		return route.Ends{}, nil
	}
	stage("names")
	if req.Ends != nil {
		return *req.Ends, nil
	}
	ends, err := lids.Assign(g, req.Names)
	if err != nil {
		return route.Ends{}, err
	}
	return ends, fitsTables(g, req.Engine.Name, &ends)
}

// fitsTables refuses LIDs beyond the forwarding table of a switch.
func fitsTables(g *fabric.Graph, engine string, ends *route.Ends) error {
	if s := ends.BeyondTable(g); s >= 0 {
		return route.Refuse(engine, "lower the LMC or assign fresh LIDs",
			"LID %d is beyond the forwarding table of %s (%d entries)", ends.Top(), fabric.SwitchName(g, s), g.SwitchFDBCap[s])
	}
	return nil
}

// allowedVLs returns the number of data VLs that the engine may use.
func allowedVLs(g *fabric.Graph, req *Request) (int, error) {
	hw := g.LeastVLs()
	switch asked := req.MaxVLs; {
	case asked < 0 || asked > int(route.DropVL):
		return 0, fmt.Errorf("route: %d VLs were asked for (want 1 to %d, or 0 for the number of the ports)", asked, route.DropVL)
	case asked == 0 && hw == 0:
		return route.UsualVLs, nil
	case asked == 0:
		return hw, nil
	case hw > 0 && asked > hw:
		return 0, route.Refuse(req.Engine.Name, fmt.Sprintf("ask for at most %d", hw),
			"%d VLs were asked for, but the ports have only %d", asked, hw)
	default:
		return asked, nil
	}
}
