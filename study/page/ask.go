package page

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"weft/internal/endpoints"
)

// reader is a request that may need less than the role jobs.
type reader interface{ needs() endpoints.Role }

// question returns the endpoint of a question that takes a core for a while: a JSON object Q, whose
// Check returns errors that hold on any fabric, and the document A. One question at a time is
// answered, for at most two minutes and while the client waits; instead names a command that has no
// limit. The path names the fabric; without one compute gets nil.
func question[Q, A any, R interface {
	*Q
	Check() error
}](p *Page, path, about, instead string, compute func(context.Context, *Held, R) (*A, error)) endpoints.Endpoint {
	e := asked(p, path, about, func(w http.ResponseWriter, r *http.Request, h *Held, q R) {
		p.opt.Questions.Serve(w, r, instead, func() (func(context.Context) (any, error), error) {
			return func(ctx context.Context) (any, error) {
				a, err := compute(ctx, h, q)
				if h != nil && p.find(h.ID) != h { // closed meanwhile, or no longer in force
					p.forget(h)
				}
				return a, err
			}, nil
		})
	})
	e.Answer, e.Media = reflect.TypeFor[A](), endpoints.JSON
	return e
}

// asked returns the endpoint of a question without its answer.
func asked[Q any, R interface {
	*Q
	Check() error
}](p *Page, path, about string, serve func(http.ResponseWriter, *http.Request, *Held, R)) endpoints.Endpoint {
	e := endpoints.Endpoint{Path: path, About: about, Needs: endpoints.MayCompute}
	if of, ok := any(R(new(Q))).(reader); ok {
		e.Needs = of.needs() // at least
	}
	ofFabric := strings.Contains(path, "{id}")
	if ofFabric {
		e.Parameters = []endpoints.Parameter{fabricParameter}
	}
	return endpoints.Asked(e, func(w http.ResponseWriter, r *http.Request, q R) {
		if of, ok := any(q).(reader); ok && !endpoints.May(w, r, of.needs()) {
			return
		}
		var h *Held
		if ofFabric {
			if h = p.held(w, r); h == nil {
				return
			}
		}
		serve(w, r, h, q)
	})
}
