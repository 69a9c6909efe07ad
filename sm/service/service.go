// Package service shows a manager that runs to operators and programs, and takes what they ask of it, over HTTP:
//
//	GET  /v1/status               one JSON object: see Status
//	GET  /v1/events?since=N       the log, a JSON object a line: see sm.LogLine; with follow=true until the manager ends
//	GET  /v1/links                what the counters of ports tell: see perf.Report
//	POST /v1/resweep              find the whole subnet again
//	POST /v1/rebalance            route all afresh
//	POST /v1/drain?name=NAME      take a switch or a cable out of use
//	POST /v1/undrain?name=NAME    use it again; a link in quarantine too
//	GET  /metrics                 figures, as Prometheus reads them
//
// An answer that is no success is {"error": TEXT}. Whoever can open the socket may do all this: it is meant to be a Unix socket
// that only its owner opens. Metrics can be served alone, over TCP.
//
// Answers come from the last sm.Snapshot of the Runner and from a log of bounded length: they wait for nothing that the manager
// does, but for drains, which answer when the manager has decided. What is asked of it becomes an sm.Event.
package service

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"weft/sm"
)

// Options say what a Service is to show.
type Options struct {
	Version string
	Clock   func() time.Time
	Ask     func(context.Context, *sm.Event) error // gives an event to the Runner
	Lines   int                                    // of the log that are kept; 4096
}

// Service shows a manager. Its methods are for concurrent use.
type Service struct {
	opt   Options
	begun time.Time
	log   log
	shown atomic.Pointer[shown]
	wants wants

	metrics http.Handler
}

// shown is a Snapshot, and the moment of it.
type shown struct {
	*sm.Snapshot
	wall time.Time
}

// at returns when something is or was, by the time of a Snapshot.
func (s *shown) at(t time.Duration) time.Time { return s.wall.Add(t - s.Now) }

// New makes a Service. Until the first Show it says that the manager looks at its subnet.
func New(o Options) *Service {
	if o.Lines <= 0 {
		o.Lines = 4096
	}
	s := &Service{opt: o, begun: o.Clock(), log: log{most: o.Lines, changed: make(chan struct{})}}
	s.Show(&sm.Snapshot{Role: sm.Looking})
	s.metrics = s.Metrics()
	return s
}

// Show takes what the manager is now. It is for sm.Runner.
func (s *Service) Show(snap *sm.Snapshot) { s.shown.Store(&shown{snap, s.opt.Clock()}) }

// Tell adds a line to the log, and returns it.
func (s *Service) Tell(i sm.Incident) sm.LogLine {
	return s.log.add(sm.LogLine{Time: s.opt.Clock().UTC().Format("2006-01-02T15:04:05.000Z"), IncidentJSON: i.JSON()})
}

// End says that nothing more will be told.
func (s *Service) End() { s.log.end() }
