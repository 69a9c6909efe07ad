package app

import (
	"context"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
	"weft/planner"
	"weft/sim/packet"
)

// Usual returns a Request by flows with the costs, places and hardware that a run has if nothing
// else is asked for.
func Usual() Request {
	return Request{Costs: machine.Usual, Placement: "leaf", Hardware: packet.Default(), Memory: places.UsualMemory}
}

// Time is the time of a program alone on a Plan.
type Time struct {
	Program string  `json:"program"`
	EndNS   float64 `json:"end_ns,omitempty"`
	IdealNS float64 `json:"ideal_ns,omitempty"` // on one switch for all hosts
	Cost    float64 `json:"cost,omitempty"`     // EndNS divided by IdealNS
	Failed  string  `json:"failed,omitempty"`   // why there is no time
}

// TimeOf runs a program alone, with the options of a Request.
func TimeOf(ctx context.Context, g *fabric.Graph, r *planner.Result, p *Program, options Request) (Time, error) {
	options.Jobs = []*Program{p}
	run, err := On(ctx, g, r, &options)
	if err != nil {
		return Time{}, err
	}
	return Time{Program: p.Name, EndNS: run.EndNS, IdealNS: run.IdealNS, Cost: run.Cost}, nil
}

// OpenEach reads programs that run one after the other, each alone.
func OpenEach(texts []string, d collective.Defaults) (list []*Program, err error) {
	for _, text := range texts {
		p, err := Open(text, d)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
