package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"weft/sm"
	"weft/whatif"
)

// WhatIf are changes that happen together.
type WhatIf struct {
	Changes []Change `json:"changes"` // 1 to 32
}

// Change is one change of the subnet.
type Change struct {
	Kind string `json:"kind"` // fail, drain, add or move
	What string `json:"what"` // the part, as the option of weft whatif of that name takes it
}

// Bounds of a question.
const (
	mostChanges = 32
	mostTime    = 2 * time.Minute
)

// today is the subnet that questions are held against: measured once for each Plan.
type today struct {
	of     *sm.Routed // whose Plan it is
	whatIf *whatif.Today
}

// read reads a question.
func (q *WhatIf) read(body []byte) error {
	if err := readJSON(body, q); err != nil {
		return err
	}
	if len(q.Changes) < 1 || len(q.Changes) > mostChanges {
		return fmt.Errorf("changes: want 1 to %d", mostChanges)
	}
	for i := range q.Changes {
		switch c := &q.Changes[i]; {
		case !slices.Contains([]string{"fail", "drain", "add", "move"}, c.Kind):
			return fmt.Errorf("kind: %.40q: want fail, drain, add or move", c.Kind)
		case !isName(c.What) || strings.Contains(c.What, "|"):
			return fmt.Errorf("what: want a name of 1 to %d characters, without | and control characters", mostName)
		}
	}
	return nil
}

// askWhatIf answers a question.
func askWhatIf(s *Service, w http.ResponseWriter, r *http.Request) {
	body, ok := jsonBody(w, r)
	if !ok {
		return
	}
	var q WhatIf
	if err := q.read(body); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	now := s.inForce(w)
	switch {
	case now == nil:
		return
	case s.opt.Routing == nil:
		refuse(w, http.StatusConflict, "this manager answers no such questions")
		return
	case !s.questions.take():
		tooMany(w, "another question is under way")
		return
	}
	defer s.questions.give()
	changes := make([]whatif.Change, len(q.Changes))
	for i, c := range q.Changes {
		changes[i] = whatif.Change{Kind: c.Kind, What: c.What}
	}
	if _, err := whatif.Apply(now.Routed.Fabric, changes); err != nil { // a name that is wrong is told at once
		refuse(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "--"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), mostTime)
	defer cancel()
	_ = http.NewResponseController(w).SetWriteDeadline(s.opt.Clock().Add(mostTime + patience)) // some writers have none
	a, err := s.whatIf(ctx, now.Routed, changes)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: weft whatif on /v1/fabric takes as long as it needs", mostTime))
	case err != nil:
		refuse(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
	default:
		answer(w, http.StatusOK, a)
	}
}

// whatIf answers a question on one core, so that the manager keeps the others. What is measured before any change is kept for the next question.
func (s *Service) whatIf(ctx context.Context, now *sm.Routed, changes []whatif.Change) (*whatif.Answer, error) {
	if s.today.of == nil || s.today.of.Plan != now.Plan {
		req := s.opt.Routing()
		chain, err := s.opt.ChainOf(&now.Plan.Recipe, nil)
		if err != nil {
			return nil, err
		}
		req.Chain, req.Levels = slices.Concat(chain, req.Chain), now.Levels
		req.Workers, req.PassDeadSwitch, req.NoPathRecords, req.LIDs.Fresh = 1, true, true, false
		t, err := whatif.New(ctx, now.Fabric, now.Plan, whatif.Options{Request: req, Pace: whatif.UsualPace})
		if err != nil {
			return nil, err
		}
		s.today = today{now, t}
	}
	return s.today.whatIf.Ask(ctx, changes)
}
