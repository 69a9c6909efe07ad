package service

import (
	"net/http"
	"reflect"
	"slices"

	"weft/internal/endpoints"
	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/sm/terms"
)

// handle answers a request.
type handle func(s *Service, w http.ResponseWriter, r *http.Request)

var named = []endpoints.Parameter{{Name: "name", Kind: endpoints.Name, About: "a switch by name or GUID, or a cable by one of its switch ports: leaf 3[20]", Needed: true}}

// endpoints lists all endpoints.
func (s *Service) endpoints() []endpoints.Endpoint {
	list := slices.Concat(s.ownEndpoints(), s.partitionWrites(), s.jobEndpoints(), s.opt.More)
	for i := range s.opt.Studies {
		list = append(list, s.opt.Studies[i].endpoint(s))
	}
	return list
}

// on returns the function that serves an endpoint.
func (s *Service) on(h handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h(s, w, r) }
}

// ownEndpoints lists the endpoints except writes of partitions, jobs, studies and further ones.
func (s *Service) ownEndpoints() []endpoints.Endpoint {
	return []endpoints.Endpoint{
		{
			Method: http.MethodGet, Path: "/v1/status", About: "The state of the manager.", Answer: reflect.TypeFor[Status](), Media: endpoints.JSON, Status: http.StatusOK,
			Serve: s.on(func(s *Service, w http.ResponseWriter, _ *http.Request) {
				endpoints.Answer(w, http.StatusOK, s.Status())
			}),
		},
		{
			Method: http.MethodGet, Path: "/v1/events", About: "The log, one JSON object per line, oldest first. Lines are numbered from 1 in each run of the manager; the header Weft-Run identifies the run.",
			Parameters: []endpoints.Parameter{
				{Name: "since", Kind: endpoints.Number, About: "only lines after this number"},
				{Name: "run", Kind: endpoints.Name, About: "the run that since refers to; if the manager has restarted meanwhile, all lines are sent"},
				{Name: "follow", Kind: endpoints.Truth, About: "true: continue with new lines until the manager ends"},
			},
			Answer: reflect.TypeFor[terms.LogLine](), Media: endpoints.Lines, Status: http.StatusOK, Serve: s.on(events),
		},
		{
			Method: http.MethodGet, Path: "/v1/codes", About: "The codes of the log: what happened, what the manager does, what to do.",
			Answer: reflect.TypeFor[Codes](), Media: endpoints.JSON, Status: http.StatusOK, Serve: s.on(codes),
		},
		{
			Method: http.MethodGet, Path: "/v1/plan", About: "The Plan in force: its recipe, and the judge's verdict.",
			Answer: reflect.TypeFor[PlanInForce](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict}, Serve: s.on(planInForce),
		},
		{
			Method: http.MethodGet, Path: "/v1/plans", About: "The stored Plans (option state).",
			Answer: reflect.TypeFor[Plans](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusServiceUnavailable}, Serve: s.on(plans),
		},
		{
			Method: http.MethodGet, Path: "/v1/plans/{version}", About: "A stored Plan, as a file for weft check --plan.",
			Parameters: []endpoints.Parameter{{Name: "version", Kind: endpoints.Number, About: "a version in /v1/plans", Needed: true}}, Media: "application/octet-stream", Status: http.StatusOK,
			Refusals: []int{http.StatusServiceUnavailable}, Serve: s.on(planFile),
		},
		{
			Method: http.MethodGet, Path: "/v1/fabric", About: "The subnet in force in the format of ibnetdiscover: a FABRIC for all commands of weft.",
			Media: "text/plain; charset=utf-8", Status: http.StatusOK, Refusals: []int{http.StatusConflict}, Serve: s.on(fabricFile),
		},
		{
			Method: http.MethodGet, Path: "/v1/links", About: "Load and errors of links, from port counters (option counters).",
			Answer: reflect.TypeFor[perf.Report](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusNotFound}, Serve: s.on(links),
		},
		{
			Method: http.MethodGet, Path: "/v1/hot", About: "What was hot at a moment of the last hour (options counters and state): busiest links, longest waits, errors.",
			Parameters: []endpoints.Parameter{{Name: "at", Kind: endpoints.Time, About: "a time such as 2026-11-29T14:05:00Z", Needed: true}},
			Answer:     reflect.TypeFor[telemetry.Moment](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusNotFound, http.StatusServiceUnavailable}, Serve: s.on(hot),
		},
		{
			Method: http.MethodGet, Path: "/v1/history", About: "What a port did over the last hour (options counters and state), in at most 120 points.",
			Parameters: []endpoints.Parameter{{Name: "port", Kind: endpoints.Name, About: "a port by its node and number: leaf 3[20]", Needed: true}},
			Answer:     reflect.TypeFor[telemetry.Series](), Media: endpoints.JSON, Status: http.StatusOK,
			Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable}, Serve: s.on(seriesOf),
		},
		{
			Method: http.MethodGet, Path: "/v1/ports", About: "The counters of all ports (option counters), one JSON object per line.",
			Parameters: []endpoints.Parameter{{Name: "follow", Kind: endpoints.Truth, About: "true: continue with all ports after each round of readings, until the manager ends"}},
			Answer:     reflect.TypeFor[PortCounts](), Media: endpoints.Lines, Status: http.StatusOK, Refusals: []int{http.StatusNotFound}, Serve: s.on(ports),
		},
		{
			Method: http.MethodGet, Path: "/v1/partitions", About: "The partitions of the file (option partitions) and of programs, with their members.",
			Answer: reflect.TypeFor[Partitions](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict}, Serve: s.on(partitions),
		},
		{
			Method: http.MethodPost, Path: "/v1/resweep", About: "Discover the whole subnet again, and write what differs.",
			Answer: reflect.TypeFor[Asked](), Media: endpoints.JSON, Status: http.StatusAccepted, Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
			Needs: endpoints.MayOperate, Serve: s.on(ask("a full sweep", terms.Resweep)),
		},
		{
			Method: http.MethodPost, Path: "/v1/rebalance", About: "Compute all routes afresh.",
			Answer: reflect.TypeFor[Asked](), Media: endpoints.JSON, Status: http.StatusAccepted, Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
			Needs: endpoints.MayOperate, Serve: s.on(ask("a routing afresh", terms.Rebalance)),
		},
		{
			Method: http.MethodPost, Path: "/v1/drain", About: "Take a switch or a cable out of use. Refused if it would cut switches off.", Parameters: named,
			Answer: reflect.TypeFor[Asked](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
			Needs: endpoints.MayOperate, Serve: s.on(drain(terms.DrainPart)),
		},
		{
			Method: http.MethodPost, Path: "/v1/undrain", About: "Use a switch or a cable again, even one in quarantine.", Parameters: named,
			Answer: reflect.TypeFor[Asked](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
			Needs: endpoints.MayOperate, Serve: s.on(drain(terms.UndrainPart)),
		},
		endpoints.Document,
		{
			Method: http.MethodGet, Path: "/metrics", About: "Metrics for Prometheus.", Media: "text/plain", Status: http.StatusOK,
			Refusals: []int{http.StatusServiceUnavailable},
			Serve:    func(w http.ResponseWriter, r *http.Request) { s.metrics.ServeHTTP(w, r) },
		},
	}
}
