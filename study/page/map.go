package page

import (
	"bytes"
	"context"
	"errors"

	"weft/fabric"
	"weft/fabric/layout"
	"weft/fabric/source"
	"weft/internal/endpoints"
	"weft/planner"
	"weft/study/show"
	"weft/study/whatif"
)

// Look selects the contents and colours of a map.
type Look struct {
	// Colour is load or lanes of a routing, speed, or errors; of a manager also traffic, waits,
	// error-rate or fault; otherwise the place of a cable.
	Colour  string         `json:"colour,omitempty"`
	Around  fabric.GUID    `json:"around,omitzero"`   // only the pod, slice or group of this switch
	Changes whatif.Changes `json:"changes,omitempty"` // the fabric after these, with its repaired routing
	Routing
}

// Check returns an error for an unknown colour.
func (l *Look) Check() error {
	switch l.Colour {
	case "", show.ByLoad, show.ByLanes, show.BySpeed, show.ByErrors:
	default:
		if !show.IsMeasured(l.Colour) {
			return errColour
		}
	}
	return errors.Join(l.Changes.Check(), l.Routing.Check())
}

// needs returns the role for a picture: changes take a core for a while.
func (l *Look) needs() endpoints.Role {
	if len(l.Changes) > 0 {
		return endpoints.MayCompute
	}
	return l.Routing.needs()
}

// draw draws a fabric.
func (p *Page) draw(ctx context.Context, h *Held, q *Look) (*layout.Picture, error) {
	var r *planner.Result
	var err error
	routed := q.Colour == show.ByLoad || q.Colour == show.ByLanes
	if routed {
		if r, err = p.routedBy(ctx, h, &q.Routing); err != nil {
			return nil, err
		}
	}
	look, f := h.Inspected, h.Fabric
	if len(q.Changes) > 0 {
		if routed {
			var req *planner.Request
			if req, err = p.again(r); err != nil {
				return nil, err
			}
			f, r, err = whatif.Repaired(ctx, f, r.Plan, *req, q.Changes)
		} else {
			f, err = whatif.Apply(f, q.Changes)
		}
		if err != nil {
			return nil, err
		}
		look = show.Inspect(&source.Source{Fabric: f, Format: h.Format})
	}
	as := show.Look{Colour: q.Colour, Around: q.Around}
	if show.IsMeasured(q.Colour) && h.inForce != nil && p.opt.Values != nil {
		if as.Values, err = p.opt.Values(q.Colour); err != nil {
			return nil, err
		}
	}
	if err = ctx.Err(); err != nil {
		return nil, err
	}
	return show.Picture(ctx, look, r, as, p.opt.Workers)
}

// mapOf returns the endpoint for the picture of a fabric.
func (p *Page) mapOf() endpoints.Endpoint {
	return question(p, fabricPath+"/map", "The picture of a fabric, as weft show --svg draws it, with the GUIDs of switches and the ports of cables.", "run weft show --svg, which has no limit",
		p.draw)
}

// Drawing is a picture as a file.
type Drawing struct {
	SVG string `json:"svg"`
}

// svg returns the endpoint for the picture as a file.
func (p *Page) svg() endpoints.Endpoint {
	return question(p, fabricPath+"/svg", "The picture of a fabric as the file that weft show --svg writes.", "run weft show --svg, which has no limit",
		func(ctx context.Context, h *Held, q *Look) (*Drawing, error) {
			picture, err := p.draw(ctx, h, q)
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			err = picture.WriteSVG(&b)
			return &Drawing{b.String()}, err
		})
}
