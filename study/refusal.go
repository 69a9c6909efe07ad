package study

import (
	"errors"

	"weft/route"
)

// Refusal describes why an engine did not route the fabric.
type Refusal struct {
	Engine string `json:"engine"`
	Reason string `json:"reason"`
	Advice string `json:"advice,omitempty"` // what to do instead
}

// String returns the refusal in one line.
func (r *Refusal) String() string {
	return (&route.Refusal{Engine: r.Engine, Reason: r.Reason, Advice: r.Advice}).Error()
}

// RefusalOf splits an error into engine, reason and advice. Any other error becomes the reason.
func RefusalOf(err error) Refusal {
	if r, ok := errors.AsType[*route.Refusal](err); ok {
		return Refusal{r.Engine, r.Reason, r.Advice}
	}
	return Refusal{Reason: err.Error()}
}

// RefusalsOf splits several errors.
func RefusalsOf(errs []error) (out []Refusal) {
	for _, err := range errs {
		out = append(out, RefusalOf(err))
	}
	return out
}

// Rules for the service level of replies. The lanes of a Plan are safe under its rule.
const (
	RepliesSame = "same SL" // a reply travels on the SL of its request
	RepliesOwn  = "own SL"  // it travels on the SL of its own path
)

// RepliesOf returns the rule of a Plan.
func RepliesOf(p *route.Plan) string {
	if p.Service.ReplySameSL {
		return RepliesSame
	}
	return RepliesOwn
}
