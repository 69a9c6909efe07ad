package service

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"weft/sm"
	"weft/sm/perf"
	"weft/whatif"
)

// handle answers a request.
type handle func(s *Service, w http.ResponseWriter, r *http.Request)

// parameter is one of a query or of a path.
type parameter struct {
	name, kind string // kind: string, integer or boolean
	about      string
	needed     bool
}

// endpoint is a request that is served: a method and a path.
type endpoint struct {
	method, path string
	about        string
	query        []parameter
	body         reflect.Type // JSON; nil: it takes none
	answer       reflect.Type // JSON, or of each line; nil: other media
	media        string
	status       int   // of success
	refusals     []int // besides those that every request may meet
	serve        handle
}

const (
	jsonMedia  = "application/json"
	linesMedia = "application/jsonl"
)

var named = []parameter{{"name", "string", "a switch by its name or GUID, or a port of it for the cable: leaf 3[20]", true}}

// endpoints lists all that is served. The document openapi.json has the same.
var endpoints = []endpoint{
	{
		method: http.MethodGet, path: "/v1/status", about: "What the manager is and does.", answer: reflect.TypeFor[Status](), media: jsonMedia, status: http.StatusOK,
		serve: func(s *Service, w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Status()) },
	},
	{
		method: http.MethodGet, path: "/v1/events", about: "The log, a JSON object a line, oldest first. The header Weft-Run names the run in which lines are numbered.",
		query: []parameter{
			{"since", "integer", "only lines behind this number", false},
			{"run", "string", "the run that since is of: where the manager has been started again meanwhile, all lines are sent", false},
			{"follow", "boolean", "true: go on with lines to come, until the manager ends", false},
		},
		answer: reflect.TypeFor[sm.LogLine](), media: linesMedia, status: http.StatusOK, serve: events,
	},
	{
		method: http.MethodGet, path: "/v1/plan", about: "The Plan in force: how it was made, and the judge's verdict.",
		answer: reflect.TypeFor[PlanInForce](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: planInForce,
	},
	{
		method: http.MethodGet, path: "/v1/plans", about: "The Plans that are stored (option state).",
		answer: reflect.TypeFor[Plans](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusServiceUnavailable}, serve: plans,
	},
	{
		method: http.MethodGet, path: "/v1/plans/{version}", about: "A Plan that is stored, as a file for weft check --plan.",
		query: []parameter{{"version", "integer", "of /v1/plans", true}}, media: "application/octet-stream", status: http.StatusOK,
		refusals: []int{http.StatusServiceUnavailable}, serve: planFile,
	},
	{
		method: http.MethodGet, path: "/v1/fabric", about: "The subnet in force, as ibnetdiscover prints it: a FABRIC for all commands of weft.",
		media: "text/plain; charset=utf-8", status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: fabricFile,
	},
	{
		method: http.MethodGet, path: "/v1/links", about: "What the counters of ports tell of links (option counters).",
		answer: reflect.TypeFor[perf.Report](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusNotFound}, serve: links,
	},
	{
		method: http.MethodGet, path: "/v1/partitions", about: "The partitions in force (option partitions), with their members as the file has them.",
		answer: reflect.TypeFor[Partitions](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: partitions,
	},
	{
		method: http.MethodPost, path: "/v1/whatif", about: "What changes would do to the subnet in force. Nothing is changed. One question is answered at a time.",
		body: reflect.TypeFor[WhatIf](), answer: reflect.TypeFor[whatif.Answer](), media: jsonMedia, status: http.StatusOK,
		refusals: []int{http.StatusConflict, http.StatusServiceUnavailable}, serve: askWhatIf,
	},
	{
		method: http.MethodPost, path: "/v1/resweep", about: "Find the whole subnet again, and write what differs.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: ask("a full sweep", sm.Resweep),
	},
	{
		method: http.MethodPost, path: "/v1/rebalance", about: "Route all afresh.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: ask("a routing afresh", sm.Rebalance),
	},
	{
		method: http.MethodPost, path: "/v1/drain", about: "Take a switch or a cable out of use. What would cut switches off is refused.", query: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: drain(sm.DrainPart),
	},
	{
		method: http.MethodPost, path: "/v1/undrain", about: "Use a switch or a cable again, one in quarantine too.", query: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: drain(sm.UndrainPart),
	},
	{
		method: http.MethodGet, path: "/v1/openapi.json", about: "This document.", media: jsonMedia, status: http.StatusOK,
		serve: func(_ *Service, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonMedia)
			_, _ = w.Write(openAPI)
		},
	},
	{
		method: http.MethodGet, path: "/metrics", about: "Figures, as Prometheus reads them.", media: "text/plain", status: http.StatusOK,
		refusals: []int{http.StatusServiceUnavailable},
		serve:    func(s *Service, w http.ResponseWriter, r *http.Request) { s.metrics.ServeHTTP(w, r) },
	},
}

// Handler serves all endpoints. Requests that are not as the document says change nothing, and are answered by a status of 400 to 499.
func (s *Service) Handler() http.Handler {
	byPath := map[string]map[string]*endpoint{}
	for i := range endpoints {
		r := &endpoints[i]
		if byPath[r.path] == nil {
			byPath[r.path] = map[string]*endpoint{}
		}
		byPath[r.path][r.method] = r
	}
	mux := http.NewServeMux()
	for at, methods := range byPath {
		mux.HandleFunc(at, func(w http.ResponseWriter, r *http.Request) { s.dispatch(methods, w, r) })
	}
	mux.HandleFunc("/", notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path.Clean(r.URL.Path) || !strings.HasPrefix(r.URL.Path, "/") { // of which the mux would tell another name
			notFound(w, r)
			return
		}
		if !s.requests.take() {
			tooMany(w, "too many requests are under way")
			return
		}
		defer s.requests.give()
		_ = http.NewResponseController(w).SetWriteDeadline(s.opt.Clock().Add(patience)) // some writers have none
		mux.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, "nothing is served there: see /v1/openapi.json")
}

// dispatch serves a request by its method, when it is as the document says.
func (s *Service) dispatch(methods map[string]*endpoint, w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	to := methods[method]
	if to == nil {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		refuse(w, http.StatusMethodNotAllowed, "want the method "+w.Header().Get("Allow"))
		return
	}
	if err := to.checkQuery(r.URL.RawQuery); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if to.body == nil && r.Body != nil {
		if n, _ := io.ReadFull(r.Body, make([]byte, 1)); n > 0 {
			refuse(w, http.StatusBadRequest, "want no body")
			return
		}
	}
	to.serve(s, w, r)
}

// checkQuery refuses parameters that are unknown or given twice.
func (r *endpoint) checkQuery(raw string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return fmt.Errorf("the query: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := slices.ContainsFunc(r.query, func(p parameter) bool { return p.name == name && !strings.Contains(r.path, "{"+name+"}") })
		switch {
		case !known:
			return fmt.Errorf("no parameter is called %.40q", name)
		case len(values[name]) > 1:
			return fmt.Errorf("%s is given twice", name)
		}
	}
	return nil
}

// places bound how much of something is under way.
type places chan struct{}

// take reports whether there is a place, and takes it.
func (p places) take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// give gives a place back.
func (p places) give() { <-p }

// tooMany says that something is to be asked again later.
func tooMany(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusTooManyRequests, text+": ask again")
}
