package endpoints

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// LongestQuestion is the maximum time for the answer to a question.
const LongestQuestion = 2 * time.Minute

// Questions answers questions that use a core for a while: one at a time, each for at most
// LongestQuestion and only while its client waits. It is safe for concurrent use.
type Questions struct {
	places Places
	clock  func() time.Time
}

// NewQuestions returns Questions.
func NewQuestions(clock func() time.Time) *Questions {
	return &Questions{make(Places, 1), clock}
}

// Serve answers a question. prepare runs when no other question is under way: it returns the
// function that computes the answer, or an error that is the client's fault. instead says what has
// no limit of time. In errors, -- before the name of an option is removed.
func (q *Questions) Serve(w http.ResponseWriter, r *http.Request, instead string, prepare func() (func(context.Context) (any, error), error)) {
	if !q.places.Take() {
		TooMany(w, "another question is under way")
		return
	}
	defer q.places.Give()
	compute, err := prepare()
	if err != nil {
		Refuse(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "--"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), LongestQuestion)
	defer cancel()
	_ = http.NewResponseController(w).SetWriteDeadline(q.clock().Add(LongestQuestion + Patience)) // some writers have no deadline
	a, err := compute(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		Refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: %s", LongestQuestion, instead))
	case err != nil:
		Refuse(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
	default:
		answerLarge(w, r, a)
	}
}

// Asking completes the Endpoint of a question: a JSON object Q, whose Check returns errors that
// hold whatever is asked about, and the document A. admit returns the function that computes the
// answer; if it refuses the request, it answers and returns nil.
func Asking[Q, A any, R interface {
	*Q
	Check() error
}](questions *Questions, e Endpoint, instead string, admit func(w http.ResponseWriter, r *http.Request, q R) func(context.Context) (*A, error)) Endpoint {
	e.Method, e.Body, e.Answer, e.Media, e.Status = http.MethodPost, reflect.TypeFor[Q](), reflect.TypeFor[A](), JSON, http.StatusOK
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
		compute := admit(w, r, q)
		if compute == nil {
			return
		}
		questions.Serve(w, r, instead, func() (func(context.Context) (any, error), error) {
			return func(ctx context.Context) (any, error) { return compute(ctx) }, nil
		})
	}
	return e
}
