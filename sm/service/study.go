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

// Study is a question about the subnet in force that a Service is handed: it serves the question, and does
// not know how it is answered.
type Study struct {
	path, about     string
	command         string // of weft that answers the same
	request, answer reflect.Type
	read            func(body []byte) (question, error)
}

// question is a request of a study that was read. It returns what answers it on the subnet in force, or what is wrong with it there.
type question func(now *watch.Routed) (func(context.Context) (any, error), error)

// NewStudy makes the study at a path, of which the document says what it is about. A request is a JSON object Q, whose Check says
// what is wrong with it on any subnet. Hold returns what answers it on the subnet in force, or what is wrong with it there, which
// is told at once. Of all studies one question is answered at a time, from hold on, and not for longer than two minutes: command
// names what takes as long as it needs. In errors, -- before the name of an option is left out.
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

// mostTime bounds the time that an answer takes.
const mostTime = 2 * time.Minute

// endpoint makes the request that is served.
func (s *Study) endpoint() endpoint {
	return endpoint{
		method: http.MethodPost, path: s.path, about: s.about, body: s.request, answer: s.answer, media: jsonMedia, status: http.StatusOK,
		refusals: []int{http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable},
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
	_ = http.NewResponseController(w).SetWriteDeadline(of.opt.Clock().Add(mostTime + patience)) // some writers have none
	a, err := answerIt(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v: %s on /v1/fabric takes as long as it needs", mostTime, s.command))
	case err != nil:
		refuse(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "--"))
	default:
		answer(w, http.StatusOK, a)
	}
}
