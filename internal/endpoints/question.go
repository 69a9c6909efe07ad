package endpoints

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"weft/internal/par"
)

// LongestQuestion is the maximum time for the answer to a question.
const LongestQuestion = 2 * time.Minute

// Limits of questions that wait for their turn. A client that is told to ask again may do so at
// once: waiting keeps it from taking a core with that.
const (
	longestTurn = time.Second
	mostInLine  = 16
)

// Questions answers questions that use a core for a while: one at a time, each for at most
// LongestQuestion and only while its client waits. It is safe for concurrent use.
type Questions struct {
	line, place Places
	clock       func() time.Time
	gate        *par.Gate
}

// NewQuestions returns Questions that begin, and go on, only while a gate is open; nil: always.
func NewQuestions(clock func() time.Time, gate *par.Gate) *Questions {
	return &Questions{make(Places, mostInLine), make(Places, 1), clock, gate}
}

// Serve answers a question. prepare runs when no other question is under way: it returns the
// function that computes the answer, or an error that is the client's fault. instead says what has
// no limit of time. In errors, -- before the name of an option is removed.
func (q *Questions) Serve(w http.ResponseWriter, r *http.Request, instead string, prepare func() (func(context.Context) (any, error), error)) {
	if !q.takeTurn(r.Context()) {
		TooMany(w, "another question is under way")
		return
	}
	defer q.place.Give()
	ctx, cancel := context.WithTimeout(r.Context(), LongestQuestion)
	defer cancel()
	ctx = q.gate.Rest(ctx)
	_ = http.NewResponseController(w).SetWriteDeadline(q.clock().Add(LongestQuestion + Patience)) // some writers have no deadline
	var a any
	err := ctx.Err()
	if err == nil {
		var compute func(context.Context) (any, error)
		if compute, err = prepare(); err != nil {
			Refuse(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "--"))
			return
		}
		if a, err = compute(ctx); err == nil {
			err = ctx.Err()
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		Refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: %s", LongestQuestion, instead))
	case err != nil:
		Refuse(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
	default:
		answerLarge(w, r, a)
	}
}

// takeTurn waits until no other question is under way, for a moment and unless many wait. It
// reports whether that is so: then place is taken.
func (q *Questions) takeTurn(ctx context.Context) bool {
	if !q.line.Take() {
		return false
	}
	defer q.line.Give()
	ctx, cancel := context.WithTimeout(ctx, longestTurn)
	defer cancel()
	select {
	case q.place <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
