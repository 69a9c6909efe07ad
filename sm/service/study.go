package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"weft/sm/watch"
)

// Study is an endpoint for a question about the subnet in force. The Service gets it as a value,
// and does not know how it is answered.
type Study struct {
	path, about     string
	command         string // of weft with the same answer
	request, answer reflect.Type
	read            func(body []byte) (question, error)
}

// question is a decoded request. It returns a function for the answer on the subnet in force, or an
// error if it does not apply there.
type question func(now *watch.Routed) (func(context.Context) (any, error), error)

// NewStudy returns the study at a path; about describes it in the document. A request is a JSON
// object Q, whose Check returns errors that hold on any subnet. hold returns a function for the
// answer on the subnet in force, or an error that is reported at once. One question at a time is
// answered over all studies, including hold, for at most two minutes; command names the alternative
// without a limit. In errors, -- before the name of an option is removed.
func NewStudy[Q, A any, R interface {
	*Q
	Check() error
}](path, about, command string, hold func(request R, now *watch.Routed) (func(context.Context) (*A, error), error)) Study {
	return Study{path, about, command, reflect.TypeFor[Q](), reflect.TypeFor[A](), func(body []byte) (question, error) {
		request := R(new(Q))
		if err := readJSON(body, request); err != nil {
			return nil, err
		}
		if err := request.Check(); err != nil {
			return nil, err
		}
		return func(now *watch.Routed) (func(context.Context) (any, error), error) {
			answer, err := hold(request, now)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context) (any, error) { return answer(ctx) }, nil
		}, nil
	}}
}

// mostTime is the maximum time for an answer.
const mostTime = 2 * time.Minute

// endpoint returns the study's endpoint.
func (s *Study) endpoint() endpoint {
	return endpoint{
		method: http.MethodPost, path: s.path, about: s.about, body: s.request, answer: s.answer, media: jsonMedia, status: http.StatusOK,
		refusals: []int{http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable},
		needs:    mayCompute,
		serve:    s.serve,
	}
}

// serve answers a question.
func (s *Study) serve(of *Service, w http.ResponseWriter, r *http.Request) {
	body, ok := jsonBody(w, r)
	if !ok {
		return
	}
	asked, err := s.read(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	now := of.inForce(w)
	switch {
	case now == nil:
		return
	case !of.questions.take():
		tooMany(w, "another question is under way")
		return
	}
	defer of.questions.give()
	answerIt, err := asked(now.Routed)
	if err != nil {
		refuse(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "--"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), mostTime)
	defer cancel()
	_ = http.NewResponseController(w).SetWriteDeadline(of.opt.Clock().Add(mostTime + patience)) // some writers have no deadline
	a, err := answerIt(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: run %s on /v1/fabric, which has no limit", mostTime, s.command))
	case err != nil:
		refuse(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
	default:
		answer(w, http.StatusOK, a)
	}
}
