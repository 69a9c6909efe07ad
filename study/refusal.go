package study

import (
	"errors"

	"weft/route"
)

// Refusal is an engine that did not route the fabric.
type Refusal struct {
	Engine string `json:"engine"`
	Reason string `json:"reason"`
	Advice string `json:"advice,omitempty"` // what to do instead
}

// String is the refusal in one line.
func (r *Refusal) String() string {
	return (&route.Refusal{Engine: r.Engine, Reason: r.Reason, Advice: r.Advice}).Error()
}

// RefusalOf takes a refusal apart.
func RefusalOf(err error) Refusal {
	if r, ok := errors.AsType[*route.Refusal](err); ok {
		return Refusal{r.Engine, r.Reason, r.Advice}
	}
	return Refusal{Reason: err.Error()}
}

// RefusalsOf takes refusals apart.
func RefusalsOf(errs []error) (out []Refusal) {
	for _, err := range errs {
		out = append(out, RefusalOf(err))
	}
	return out
}

// The rules for replies for which lanes are safe.
const (
	RepliesSame = "same SL" // a reply travels on the SL of its request
	RepliesOwn  = "own SL"  // it travels on the SL of its own path
)

// RepliesOf names the rule of a Plan.
func RepliesOf(p *route.Plan) string {
	if p.Service.ReplySameSL {
		return RepliesSame
	}
	return RepliesOwn
}
