package endpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
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
// function that computes the answer, or an error that is the client's fault. instead names a
// command without a limit of time. Errors lose the -- before the name of an option.
func (q *Questions) Serve(w http.ResponseWriter, r *http.Request, instead string, prepare func() (func(context.Context) (any, error), error)) {
	q.answer(w, r, instead, func() (func(context.Context) error, error) {
		compute, err := prepare()
		return func(ctx context.Context) error {
			a, err := compute(ctx)
			if err = cmp.Or(err, ctx.Err()); err == nil {
				answerLarge(w, r, a)
			}
			return err
		}, err
	}, func(status int, text string) { Refuse(w, status, text) })
}

// Stream answers a question as Serve does, with lines: the function that computes the answer may
// tell others before it. After the first line an error is a line too, a Failure.
func (q *Questions) Stream(w http.ResponseWriter, r *http.Request, instead string, prepare func() (func(ctx context.Context, tell func(line any)) (any, error), error)) {
	begun := false
	tell := func(line any) {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", Lines)
		}
		encode(w, line, "")
		_ = http.NewResponseController(w).Flush() // some writers cannot
	}
	q.answer(w, r, instead, func() (func(context.Context) error, error) {
		compute, err := prepare()
		return func(ctx context.Context) error {
			a, err := compute(ctx, tell)
			if err = cmp.Or(err, ctx.Err()); err == nil {
				tell(a)
			}
			return err
		}, err
	}, func(status int, text string) {
		if begun {
			tell(Failure{text})
			return
		}
		Refuse(w, status, text)
	})
}

// answer answers a question in its turn and within its time.
func (q *Questions) answer(w http.ResponseWriter, r *http.Request, instead string, prepare func() (func(context.Context) error, error), refuse func(status int, text string)) {
	if !q.takeTurn(r.Context()) {
		TooMany(w, "another question is under way")
		return
	}
	defer q.place.Give()
	ctx, cancel := context.WithTimeout(r.Context(), LongestQuestion)
	defer cancel()
	ctx = q.gate.Rest(ctx)
	_ = http.NewResponseController(w).SetWriteDeadline(q.clock().Add(LongestQuestion + Patience)) // some writers have no deadline
	err := ctx.Err()
	if err == nil {
		compute, bad := prepare()
		if bad != nil {
			refuse(http.StatusBadRequest, strings.TrimPrefix(bad.Error(), "--"))
			return
		}
		err = compute(ctx)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: %s", LongestQuestion, instead))
	case err != nil:
		refuse(http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
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

// Asked completes the Endpoint of a question but for its answer: a JSON object Q, whose Check
// returns errors that hold whatever is asked about.
func Asked[Q any, R interface {
	*Q
	Check() error
}](e Endpoint, serve func(w http.ResponseWriter, r *http.Request, q R)) Endpoint {
	e.Method, e.Body, e.Status = http.MethodPost, reflect.TypeFor[Q](), http.StatusOK
	e.Refusals = []int{http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable}
	e.Serve = func(w http.ResponseWriter, r *http.Request) {
		body, ok := JSONBody(w, r)
		if !ok {
			return
		}
		q := R(new(Q))
		err := ReadJSON(body, q)
		if err == nil {
			err = q.Check()
		}
		if err != nil {
			Refuse(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "--"))
			return
		}
		serve(w, r, q)
	}
	return e
}

// Asking completes the Endpoint of a question with the document A as its answer. admit returns the
// function that computes the answer; if it refuses the request, it answers and returns nil.
func Asking[Q, A any, R interface {
	*Q
	Check() error
}](questions *Questions, e Endpoint, instead string, admit func(w http.ResponseWriter, r *http.Request, q R) func(context.Context) (*A, error)) Endpoint {
	e = Asked(e, func(w http.ResponseWriter, r *http.Request, q R) {
		if compute := admit(w, r, q); compute != nil {
			questions.Serve(w, r, instead, func() (func(context.Context) (any, error), error) {
				return func(ctx context.Context) (any, error) { return compute(ctx) }, nil
			})
		}
	})
	e.Answer, e.Media = reflect.TypeFor[A](), JSON
	return e
}
