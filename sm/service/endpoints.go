package service

import (
	"net/http"
	"reflect"
	"slices"

	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/sm/terms"
)

// handle answers a request.
type handle func(s *Service, w http.ResponseWriter, r *http.Request)

// endpoint is a served method and path.
type endpoint struct {
	method, path string
	about        string
	parameters   []parameter
	body         reflect.Type // JSON type; nil: no body
	answer       reflect.Type // JSON type, of the whole or of each line; nil: other media
	media        string
	status       int   // on success
	refusals     []int // in addition to those of every request
	needs        Role
	serve        handle
}

const (
	jsonMedia  = "application/json"
	linesMedia = "application/jsonl"
)

var named = []parameter{{"name", aName, "a switch by name or GUID, or a cable by one of its switch ports: leaf 3[20]", true}}

// endpointsWith lists all endpoints of a Service with these studies. openapi.json documents them,
// with the studies of weft sm.
func endpointsWith(studies []Study) []endpoint {
	list := append(slices.Clone(endpoints), partitionWrites...)
	for i := range studies {
		list = append(list, studies[i].endpoint())
	}
	return list
}

// endpoints lists the endpoints except studies.
var endpoints = []endpoint{
	{
		method: http.MethodGet, path: "/v1/status", about: "The state of the manager.", answer: reflect.TypeFor[Status](), media: jsonMedia, status: http.StatusOK,
		serve: func(s *Service, w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Status()) },
	},
	{
		method: http.MethodGet, path: "/v1/events", about: "The log, one JSON object per line, oldest first. Lines are numbered from 1 in each run of the manager; the header Weft-Run identifies the run.",
		parameters: []parameter{
			{"since", aNumber, "only lines after this number", false},
			{"run", aName, "the run that since refers to; if the manager has restarted meanwhile, all lines are sent", false},
			{"follow", aTruth, "true: continue with new lines until the manager ends", false},
		},
		answer: reflect.TypeFor[terms.LogLine](), media: linesMedia, status: http.StatusOK, serve: events,
	},
	{
		method: http.MethodGet, path: "/v1/plan", about: "The Plan in force: its recipe, and the judge's verdict.",
		answer: reflect.TypeFor[PlanInForce](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: planInForce,
	},
	{
		method: http.MethodGet, path: "/v1/plans", about: "The stored Plans (option state).",
		answer: reflect.TypeFor[Plans](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusServiceUnavailable}, serve: plans,
	},
	{
		method: http.MethodGet, path: "/v1/plans/{version}", about: "A stored Plan, as a file for weft check --plan.",
		parameters: []parameter{{"version", aNumber, "a version in /v1/plans", true}}, media: "application/octet-stream", status: http.StatusOK,
		refusals: []int{http.StatusServiceUnavailable}, serve: planFile,
	},
	{
		method: http.MethodGet, path: "/v1/fabric", about: "The subnet in force in the format of ibnetdiscover: a FABRIC for all commands of weft.",
		media: "text/plain; charset=utf-8", status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: fabricFile,
	},
	{
		method: http.MethodGet, path: "/v1/links", about: "Load and errors of links, from port counters (option counters).",
		answer: reflect.TypeFor[perf.Report](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusNotFound}, serve: links,
	},
	{
		method: http.MethodGet, path: "/v1/hot", about: "What was hot at a moment of the last hour (options counters and state): busiest links, longest waits, errors.",
		parameters: []parameter{{"at", aTime, "a time such as 2026-11-29T14:05:00Z", true}},
		answer:     reflect.TypeFor[telemetry.Moment](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusNotFound, http.StatusServiceUnavailable}, serve: hot,
	},
	{
		method: http.MethodGet, path: "/v1/ports", about: "The counters of all ports (option counters), one JSON object per line.",
		parameters: []parameter{{"follow", aTruth, "true: continue with all ports after each round of readings, until the manager ends", false}},
		answer:     reflect.TypeFor[PortCounts](), media: linesMedia, status: http.StatusOK, refusals: []int{http.StatusNotFound}, serve: ports,
	},
	{
		method: http.MethodGet, path: "/v1/partitions", about: "The partitions of the file (option partitions) and of programs, with their members.",
		answer: reflect.TypeFor[Partitions](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict}, serve: partitions,
	},
	{
		method: http.MethodPost, path: "/v1/resweep", about: "Discover the whole subnet again, and write what differs.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		needs: mayOperate, serve: ask("a full sweep", terms.Resweep),
	},
	{
		method: http.MethodPost, path: "/v1/rebalance", about: "Compute all routes afresh.",
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusAccepted, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		needs: mayOperate, serve: ask("a routing afresh", terms.Rebalance),
	},
	{
		method: http.MethodPost, path: "/v1/drain", about: "Take a switch or a cable out of use. Refused if it would cut switches off.", parameters: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		needs: mayOperate, serve: drain(terms.DrainPart),
	},
	{
		method: http.MethodPost, path: "/v1/undrain", about: "Use a switch or a cable again, even one in quarantine.", parameters: named,
		answer: reflect.TypeFor[Asked](), media: jsonMedia, status: http.StatusOK, refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
		needs: mayOperate, serve: drain(terms.UndrainPart),
	},
	{
		method: http.MethodGet, path: "/v1/openapi.json", about: "This document.", media: jsonMedia, status: http.StatusOK,
		serve: func(_ *Service, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonMedia)
			_, _ = w.Write(openAPI)
		},
	},
	{
		method: http.MethodGet, path: "/metrics", about: "Metrics for Prometheus.", media: "text/plain", status: http.StatusOK,
		refusals: []int{http.StatusServiceUnavailable},
		serve:    func(s *Service, w http.ResponseWriter, r *http.Request) { s.metrics.ServeHTTP(w, r) },
	},
}

// places is a semaphore that bounds the work under way.
type places chan struct{}

// take takes a place, and reports whether there was one.
func (p places) take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// give frees a place.
func (p places) give() { <-p }

// tooMany tells the client to try again later.
func tooMany(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusTooManyRequests, text+": ask again")
}
