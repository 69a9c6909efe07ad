package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/planner"
	"weft/sm/terms"
)

// Player plays a recording on a new machine of the recorded kind. Plan computes the Plans again.
type Player struct {
	Machine interface {
		Step(now time.Duration, ev *terms.Event, out []terms.Action) []terms.Action
	}
	Plan func(ctx context.Context, req planner.Request, q *terms.RouteRequest) *terms.Event
}

// Play gives the machine all recorded events. After each event it calls see, which may be nil, with
// the resulting actions. It returns ErrOtherActions if they differ from the recorded ones, usually
// because another version of weft recorded them. In recordings of textsVersion it does not compare
// actions with texts: each weft words them in its own way.
func (by Player) Play(ctx context.Context, r *Recording, see func(now time.Duration, ev *terms.Event, actions []terms.Action)) error {
	p := player{Player: by, routing: r.Made.Routing, asked: map[uint64]int{}}
	var actions []terms.Action
	var scratch []byte
	for {
		now, ev, sum, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.complete(ctx, ev)
		}
		if err != nil {
			return err
		}
		actions = p.Machine.Step(now, ev, actions[:0])
		if see != nil {
			see(now, ev, actions)
		}
		p.take(actions)
		var follows uint32
		follows, scratch = sumOf(actions, r.version, scratch)
		if follows != sum && !(r.version == textsVersion && haveTexts(actions)) {
			return fmt.Errorf("event %d, at %v: %w", r.number, now, ErrOtherActions)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// ErrOtherActions is the error of a replay whose actions differ from the recorded ones.
var ErrOtherActions = errors.New("other actions follow than were recorded")

// player tracks the events that the machine is waiting for.
type player struct {
	Player
	routing planner.Request
	begun   bool
	asked   map[uint64]int      // by tag: Sends that have not ended
	route   *terms.RouteRequest // of a Route that has not ended
	request planner.Request     // of that Route
	better  *terms.RouteRequest // of an Improve that has not ended
	beside  planner.Request     // of that Improve
	compute func()              // of a Compute that has not ended
	store   bool
	claim   bool
}

// errNotAsked is the error of an event that the machine is not waiting for.
var errNotAsked = errors.New("an event that nothing has asked for: the recording is damaged, or of another version of weft")

// complete adds the values that a recording lacks to an event. It refuses events that the machine
// is not waiting for.
func (p *player) complete(ctx context.Context, ev *terms.Event) error {
	if (ev.Kind == terms.Start) == p.begun {
		return errNotAsked
	}
	p.begun = true
	ok := true
	switch ev.Kind {
	case terms.Answer:
		if ok = p.asked[ev.Tag] > 0; ok {
			p.asked[ev.Tag]--
		}
		if p.asked[ev.Tag] == 0 {
			delete(p.asked, ev.Tag)
		}
	case terms.Planned:
		if ok = p.route != nil; ok && ev.Err == nil {
			*ev = *p.Plan(ctx, p.request, p.route)
		} else {
			ev.Result = &planner.Result{}
		}
		p.route = nil
	case terms.Improved:
		if ok = p.better != nil; ok && ev.Err == nil {
			*ev = *p.Plan(ctx, p.beside, p.better)
		} else {
			ev.Result = &planner.Result{}
		}
		p.better = nil
	case terms.Computed:
		if ok = p.compute != nil; ok {
			p.compute()
		}
		p.compute = nil
	case terms.Stored:
		ok, p.store = p.store, false
	case terms.Claimed:
		ok, p.claim = p.claim, false
	case terms.Reconfigure:
		p.routing = ev.Settings.Routing
	default: // may come at any time
	}
	if !ok {
		return errNotAsked
	}
	return nil
}

// take records which events the machine now waits for.
func (p *player) take(actions []terms.Action) {
	for i := range actions {
		switch a := actions[i]; a.Kind {
		case terms.Send:
			p.asked[a.Tag]++
		case terms.Route:
			p.route, p.request = a.Request, p.routing
		case terms.Improve:
			p.better, p.beside = a.Request, p.routing
		case terms.Compute:
			p.compute = a.Do
		case terms.Store:
			p.store = true
		case terms.Claim:
			p.claim = true
		default: // wants no event
		}
	}
}
