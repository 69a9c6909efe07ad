// Package service shows a manager that runs to operators and programs, and takes what they ask of it, over HTTP:
//
//	weft sm status, events, drain ...    the Unix socket (Listen, Serve)
//	programs on other machines           TCP, with a token (Guard)
//	Prometheus                           Metrics, alone over TCP
//
// All that is served is listed in endpoints.go, but for the studies that a Service is handed, and in the document openapi.json, which is served too (GET /v1/openapi.json); a test holds the one
// against the other. An answer that is no success is {"error": TEXT}. Whoever can open the Unix socket may do all this: only its owner can.
//
// Answers come from the last sm.Snapshot of the Runner and from a log of bounded length: they wait for nothing that the manager
// does, but for drains, which answer when the manager has decided. What is asked of it becomes an sm.Event.
package service

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"weft/sm/terms"
	"weft/sm/watch"
)

// Options say what a Service is to show.
type Options struct {
	Version string
	Clock   func() time.Time
	Ask     func(context.Context, *terms.Event) error // gives an event to the Runner
	Lines   int                                       // of the log that are kept; 4096

	Studies  []Study                             // that are served too
	Plans    func() ([]Plan, error)              // that are stored; nil: none are
	PlanFile func(version int64) ([]byte, error) // of a version, as planfile.Save has written it; nil and no error where it is not stored
}

// Service shows a manager. Its methods are for concurrent use.
type Service struct {
	opt   Options
	begun time.Time
	run   string // names the run of the manager, in which lines are numbered
	log   log
	shown atomic.Pointer[shown]
	wants wants

	requests, followers, large, questions places // bound what is under way

	metrics http.Handler
}

// shown is a Snapshot, and the moment of it.
type shown struct {
	*watch.Snapshot
	wall time.Time
}

// at returns when something is or was, by the time of a Snapshot.
func (s *shown) at(t time.Duration) time.Time { return s.wall.Add(t - s.Now) }

// New makes a Service. Until the first Show it says that the manager looks at its subnet.
func New(o Options) *Service {
	if o.Lines <= 0 {
		o.Lines = 4096
	}
	s := &Service{
		opt: o, begun: o.Clock(), log: log{most: o.Lines, changed: make(chan struct{})},
		requests: make(places, 64), followers: make(places, 32), large: make(places, 1), questions: make(places, 1),
	}
	s.run = strconv.FormatInt(s.begun.UnixMicro(), 36)
	s.Show(&watch.Snapshot{Role: terms.Looking})
	s.metrics = s.Metrics()
	return s
}

// Show takes what the manager is now. It is for sm.Runner.
func (s *Service) Show(snap *watch.Snapshot) { s.shown.Store(&shown{snap, s.opt.Clock()}) }

// Tell adds a line to the log, and returns it.
func (s *Service) Tell(i terms.Incident) terms.LogLine {
	return s.log.add(terms.LogLine{Time: s.opt.Clock().UTC().Format("2006-01-02T15:04:05.000Z"), IncidentJSON: i.JSON()})
}

// End says that nothing more will be told.
func (s *Service) End() { s.log.end() }
