package service

import (
	"context"
	"net/http"
	"reflect"

	"weft/internal/endpoints"
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
		if err := endpoints.ReadJSON(body, request); err != nil {
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

// endpoint returns the study's endpoint.
func (s *Study) endpoint(of *Service) endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodPost, Path: s.path, About: s.about, Body: s.request, Answer: s.answer, Media: endpoints.JSON, Status: http.StatusOK,
		Refusals: []int{http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable},
		Needs:    endpoints.MayCompute,
		Serve:    func(w http.ResponseWriter, r *http.Request) { s.serve(of, w, r) },
	}
}

// serve answers a question.
func (s *Study) serve(of *Service, w http.ResponseWriter, r *http.Request) {
	body, ok := endpoints.JSONBody(w, r)
	if !ok {
		return
	}
	asked, err := s.read(body)
	if err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if now := of.inForce(w); now != nil {
		of.opt.Questions.Serve(w, r, "run "+s.command+" on /v1/fabric, which has no limit", func() (func(context.Context) (any, error), error) { return asked(now.Routed) })
	}
}
