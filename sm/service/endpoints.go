package service

import (
	"net/http"
	"reflect"
	"slices"

	"weft/sm/perf"
	"weft/sm/terms"
)

// handle answers a request.
type handle func(s *Service, w http.ResponseWriter, r *http.Request)

// endpoint is a request that is served: a method and a path.
type endpoint struct {
	method, path string
	about        string
	parameters   []parameter
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

var named = []parameter{{"name", aName, "a switch by its name or GUID, or a port of it for the cable: leaf 3[20]", true}}

// endpointsWith lists all that is served where a Service is handed studies. The document openapi.json has the same, with the studies of weft sm.
func endpointsWith(studies []Study) []endpoint {
	list := slices.Clone(endpoints)
	for i := range studies {
		list = append(list, studies[i].endpoint())
	}
	return list
}

// endpoints lists what is served besides studies.
var endpoints = []endpoint{
	{
		method: http.MethodGet, path: "/v1/status", about: "What the manager is and does.", answer: reflect.TypeFor[Status](), media: jsonMedia, status: http.StatusOK,
		serve: func(s *Service, w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Status()) },
	},
	{
		method: http.MethodGet, path: "/v1/events", about: "The log, a JSON object a line, oldest first. The header Weft-Run names the run in which lines are numbered.",
		parameters: []parameter{
			{"since", aNumber, "only lines behind this number", false},
			{"run", aName, "the run that since is of: where the manager has been started again meanwhile, all lines are sent", false},
			{"follow", aTruth, "true: go on with lines to come, until the manager ends", false},
		},
		answer: reflect.TypeFor[terms.LogLine](), media: linesMedia, status: http.StatusOK, serve: events,
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
		parameters: []parameter{{"version", aNumber, "of /v1/plans", true}}, media: "application/octet-stream", status: http.StatusOK,
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
		method: http.MethodPost, path: "/v1/resweep", about: "Find the whole subnet again, and write what differs.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: ask("a full sweep", terms.Resweep),
	},
	{
		method: http.MethodPost, path: "/v1/rebalance", about: "Route all afresh.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: ask("a routing afresh", terms.Rebalance),
	},
	{
		method: http.MethodPost, path: "/v1/drain", about: "Take a switch or a cable out of use. What would cut switches off is refused.", parameters: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: drain(terms.DrainPart),
	},
	{
		method: http.MethodPost, path: "/v1/undrain", about: "Use a switch or a cable again, one in quarantine too.", parameters: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		serve: drain(terms.UndrainPart),
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
