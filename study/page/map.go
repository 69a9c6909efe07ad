package page

import (
	"context"

	"weft/fabric/layout"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/study/show"
)

// Look says what the colours of a map show.
type Look struct {
	Colour string `json:"colour,omitempty"` // load or lanes of a routing; otherwise the place of a cable
	Routing
}

// Check returns an error for an unknown colour.
func (l *Look) Check() error {
	switch l.Colour {
	case "", show.ByLoad, show.ByLanes:
		return l.Routing.Check()
	}
	return errColour
}

// mapOf returns the endpoint for the picture of a fabric.
func (p *Page) mapOf() endpoints.Endpoint {
	return question(p, fabricPath+"/map", "The picture of a fabric, as weft show --svg draws it, with the GUIDs of switches and the ports of cables.", "run weft show --svg, which has no limit",
		func(ctx context.Context, h *Held, q *Look) (*layout.Picture, error) {
			var r *planner.Result
			if q.Colour != "" {
				var err error
				if r, err = p.routedBy(ctx, h, &q.Routing); err != nil {
					return nil, err
				}
			}
			return show.Picture(ctx, h.Inspected, r, q.Colour, p.opt.Workers)
		})
}
