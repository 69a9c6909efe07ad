// Package service makes a running manager available over HTTP: it shows the manager's state to
// operators and programs, and passes on their requests:
//
//	weft sm status, events, drain ...    the Unix socket (Listen)
//	programs on other machines           TCP, with a token (Guard)
//	Prometheus                           Metrics, alone over TCP
//
// endpoints.go lists the endpoints except the studies and the questions of the page, which a
// Service gets as values. Package internal/endpoints serves and documents them. The answer to an
// unsuccessful request is {"error": TEXT}. Only the owner of the Unix socket can open
// it, and may do everything.
//
// Answers come from the Runner's last Snapshot and from a log of limited length, so they do not
// wait for the manager. Only drains wait, for its decision. A request to the manager becomes an
// Event.
package service

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/internal/endpoints"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/sm/watch"
)

// Options configure a Service.
type Options struct {
	Version string
	Commit  string // that the program was built from
	Clock   func() time.Time
	Ask     func(context.Context, *terms.Event) error // passes an event to the Runner
	Lines   int                                       // maximum number of stored log lines; 0: 4096

	Studies   []Study                             // questions about the subnet in force
	More      []endpoints.Endpoint                // further endpoints
	Questions *endpoints.Questions                // answers the studies; nil: of its own
	Plans     func() ([]Plan, error)              // stored Plans; nil: none
	PlanFile  func(version int64) ([]byte, error) // a Plan as planfile.Save wrote it; nil and no error if it is not stored
	State     func() *StateFile                   // the state file; nil: there is none
	// Enforce says how switches enforce partitions of programs if no file does; nil: they do not.
	Enforce func() terms.Enforcement
	// PortMetrics returns the ports with metrics of their own; nil: none.
	PortMetrics func() *telemetry.Selection
	Moment      func(time.Time) (*telemetry.Moment, error) // of the history; nil: none is kept
	// Series returns what a port did over the time of the history; nil: none is kept.
	Series  func(node fabric.GUID, port uint8) (*telemetry.Series, error)
	History func() *HistoryFile // nil: none is kept
	// Certificate returns when the certificate of the API expires; zero without TLS. nil: no TLS.
	Certificate func() time.Time
}

// Service shows a manager. Its methods are safe for concurrent use.
type Service struct {
	opt   Options
	begun time.Time
	run   string // identifies this run of the manager in the log
	log   log
	shown atomic.Pointer[shown]
	read  atomic.Pointer[reading] // the last one
	wants wants

	callers callers

	followers, streams, looks endpoints.Places // limits

	chosen  chosenPorts
	find    atomic.Pointer[jobs.Finder] // of the last Graph that was asked for
	metrics http.Handler
}

// shown is a Snapshot with its time.
type shown struct {
	*watch.Snapshot
	wall time.Time
}

// at converts a time of the Snapshot to a date.
func (s *shown) at(t time.Duration) time.Time { return s.wall.Add(t - s.Now) }

// New returns a Service. Until the first Show its role is that of a manager that looks at its
// subnet.
func New(o Options) *Service {
	if o.Lines <= 0 {
		o.Lines = 4096
	}
	if o.Questions == nil {
		o.Questions = endpoints.NewQuestions(o.Clock, nil)
	}
	s := &Service{
		opt: o, begun: o.Clock(), log: log{most: o.Lines, by: map[terms.IncidentKind]int{}, changed: make(chan struct{}), closed: make(chan struct{})},
		followers: make(endpoints.Places, 32), streams: make(endpoints.Places, 4), looks: make(endpoints.Places, 1),
	}
	s.run = strconv.FormatInt(s.begun.UnixMicro(), 36)
	s.Show(&watch.Snapshot{Role: terms.Looking})
	s.metrics = s.Metrics()
	return s
}

// certificate returns when the certificate of the API expires; zero without TLS.
func (s *Service) certificate() time.Time {
	if s.opt.Certificate == nil {
		return time.Time{}
	}
	return s.opt.Certificate()
}

// Show stores the manager's state. It is for sm.Runner.
func (s *Service) Show(snap *watch.Snapshot) {
	now := &shown{snap, s.opt.Clock()}
	s.shown.Store(now)
	s.noteReading(now)
}

// Tell adds a line to the log, and returns it.
func (s *Service) Tell(i terms.Incident) terms.LogLine {
	return s.log.add(terms.LogLine{Time: s.opt.Clock().UTC().Format("2006-01-02T15:04:05.000Z"), IncidentJSON: i.JSON()})
}

// End ends the log.
func (s *Service) End() { s.log.end() }
