package opensm

import (
	"context"

	"weft/route"
	"weft/route/engine/minhop"
)

// MinHop is OpenSM's: among the ports on shortest paths it takes the one with the fewest table
// entries so far, whether or not paths to these destinations come this way.
func MinHop(o Order) *route.Spec {
	return Spec("minhop by entries, "+string(o), shortest{order: o})
}

// FirstPort always takes the first port on shortest paths. It is OpenSM's LASH without lanes, and
// OpenSM's DOR if ports are numbered by dimension; it does not balance anything else.
func FirstPort() *route.Spec { return Spec("first port", shortest{order: ByLeaf, first: true}) }

// Spec returns the Spec of an experiment's own engine without options.
func Spec(name string, e route.Engine) *route.Spec {
	return &route.Spec{Name: name, Lanes: "none", New: func(route.Options) (route.Engine, error) { return e, nil }}
}

// shortest takes the paths of minhop.ByEntries, in an order of hosts.
type shortest struct {
	order Order
	first bool
}

// Route implements route.Engine.
func (e shortest) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := minhop.ByEntries(ctx, in, e.order.Ends(in), e.first)
	return &route.Plan{Ends: in.Ends, Tables: tables}, err
}
