package studies

import (
	"context"
	"slices"

	"weft/planner"
	"weft/route/engine"
	"weft/sm/watch"
	"weft/study/whatif"
)

// whatIf predicts the effect of changes. It measures the subnet once for each Plan, and answers one
// question at a time.
type whatIf struct {
	routing func() planner.Request
	of      *watch.Routed // whose Plan today is about
	today   *whatif.Today
}

// hold checks the names in a question at once, and returns the function that answers it.
func (s *whatIf) hold(q *whatif.Question, now *watch.Routed) (func(context.Context) (*whatif.Answer, error), error) {
	if _, err := whatif.Apply(now.Fabric, q.Changes); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*whatif.Answer, error) { return s.ask(ctx, now, q.Changes) }, nil
}

// ask uses one core and leaves the others to the manager. It keeps the measurement of the unchanged
// subnet for the next question.
func (s *whatIf) ask(ctx context.Context, now *watch.Routed, changes []whatif.Change) (*whatif.Answer, error) {
	if s.of == nil || s.of.Plan != now.Plan {
		req := s.routing()
		chain, err := engine.ChainOf(&now.Plan.Recipe, nil)
		if err != nil {
			return nil, err
		}
		req.Chain, req.Levels = slices.Concat(chain, req.Chain), now.Levels
		req.Workers, req.PassDeadSwitch, req.NoPathRecords, req.LIDs.Fresh = 1, true, true, false
		t, err := whatif.New(ctx, now.Fabric, now.Plan, whatif.Options{Request: req, Pace: whatif.UsualPace})
		if err != nil {
			return nil, err
		}
		s.of, s.today = now, t
	}
	return s.today.Ask(ctx, changes)
}
