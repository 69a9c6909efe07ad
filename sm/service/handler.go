package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"weft/internal/endpoints"
	"weft/sm/terms"
)

// patience bounds a request's wait for the manager, and a client's time to read a line.
const patience = endpoints.Patience

// Longest and LongestWhatIf are a client's timeouts.
const (
	Longest       = endpoints.LongestRequest + patience
	LongestWhatIf = endpoints.LongestQuestion + Longest
)

// Handler serves all endpoints, and UFM's interface. Each caller has places of its own, whatever
// others leave half sent.
func (s *Service) Handler() http.Handler {
	own := endpoints.Handler(s.endpoints())
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isUFM(r) {
			http.MaxBytesHandler(http.HandlerFunc(s.ufm), mostSet).ServeHTTP(w, r)
			return
		}
		own.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		endpoints.Bounded(s.callers.of(r).requests, serve).ServeHTTP(w, r)
	})
}

// Asked confirms a request to the manager.
type Asked struct {
	Asked   string `json:"asked"`             // the request, in words
	Warning string `json:"warning,omitempty"` // what the request will not achieve
}

// ask returns a handler that passes an event to the manager.
func ask(what string, kind terms.EventKind) handle {
	return func(s *Service, w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		if s.hand(ctx, w, &terms.Event{Kind: kind, By: by(r)}) {
			endpoints.Answer(w, http.StatusAccepted, Asked{Asked: what})
		}
	}
}

// hand passes an event to the manager. On failure it answers and returns false.
func (s *Service) hand(ctx context.Context, w http.ResponseWriter, ev *terms.Event) bool {
	if shown := s.shown.Load(); shown.Role == terms.StandBy || shown.Role == terms.NotActive {
		endpoints.Refuse(w, http.StatusConflict, "this manager is "+string(shown.Role)+": ask the master, "+shown.Other)
		return false
	}
	err := s.opt.Ask(ctx, ev)
	if err != nil {
		refuseLate(w, err)
	}
	return err == nil
}

// refuseLate answers why the manager has not decided.
func refuseLate(w http.ResponseWriter, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("the manager is busy: ask again")
	}
	endpoints.Refuse(w, http.StatusServiceUnavailable, err.Error())
}

// wants are the requests that the manager has not decided yet.
type wants struct {
	mu     sync.Mutex
	number uint64
	open   map[uint64]chan decision // by Tag of the event
}

// decision is the manager's decision: the name of the part and a warning, or an error if nothing
// changes.
type decision struct {
	name, warning string
	wrote         *terms.Wrote // of partitions
	jobs          *terms.RunningJobs
	err           error
}

// add opens a request until closed is called.
func (w *wants) add() (tag uint64, answer chan decision, closed func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[uint64]chan decision{}
	}
	w.number++
	tag, answer = w.number, make(chan decision, 1)
	w.open[tag] = answer
	return tag, answer, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, tag)
	}
}

// Decide answers the request of a Tag: with the name of the part that is drained or used again and
// a warning, or with an error if nothing changes.
func (s *Service) Decide(tag uint64, name, warning string, err error) {
	s.settle(tag, decision{name: name, warning: warning, err: err})
}

// DecideWrite does the same for a write of partitions.
func (s *Service) DecideWrite(tag uint64, wrote *terms.Wrote, warning string, err error) {
	s.settle(tag, decision{wrote: wrote, warning: warning, err: err})
}

// DecideJobs does the same for the start or the end of jobs.
func (s *Service) DecideJobs(tag uint64, jobs *terms.RunningJobs, warning string, err error) {
	s.settle(tag, decision{jobs: jobs, warning: warning, err: err})
}

// settle answers the request of a Tag.
func (s *Service) settle(tag uint64, d decision) {
	s.wants.mu.Lock()
	defer s.wants.mu.Unlock()
	if to := s.wants.open[tag]; to != nil {
		delete(s.wants.open, tag)
		to <- d
	}
}

// await passes an event to the manager and waits for its decision. On failure it answers.
func (s *Service) await(w http.ResponseWriter, r *http.Request, event func(tag uint64) *terms.Event) (d decision, ok bool) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	tag, decided, done := s.wants.add()
	defer done()
	if !s.hand(ctx, w, event(tag)) {
		return d, false
	}
	select {
	case d = <-decided:
		return d, true
	case <-ctx.Done():
		refuseLate(w, ctx.Err())
		return d, false
	}
}

// drain returns a handler that drains or undrains a part, and waits for the manager's decision.
func drain(kind terms.EventKind) handle {
	will := map[terms.EventKind]string{terms.DrainPart: " is drained from the next round on", terms.UndrainPart: " is used from the next round on"}[kind]
	return func(s *Service, w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		d, ok := s.await(w, r, func(tag uint64) *terms.Event { return &terms.Event{Kind: kind, Name: name, By: by(r), Tag: tag} })
		switch {
		case !ok:
		case d.err != nil:
			endpoints.Refuse(w, http.StatusConflict, d.err.Error())
		default:
			endpoints.Answer(w, http.StatusOK, Asked{d.name + will, d.warning})
		}
	}
}

// events sends the log from a number on.
func events(s *Service, w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	since, _ := strconv.ParseUint(query.Get("since"), 10, 64) // 0 if not given
	if run := query.Get("run"); run != "" && run != s.run {
		since = 0
	}
	follow := query.Get("follow") == "true" && r.Method != http.MethodHead
	if follow && !s.followers.Take() {
		endpoints.TooMany(w, "too many clients follow the log")
		return
	} else if follow {
		defer s.followers.Give()
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set(RunHeader, s.run)
	control, enc := http.NewResponseController(w), json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		lines, more, ended := s.log.after(since)
		_ = control.SetWriteDeadline(s.opt.Clock().Add(patience)) // some writers have no deadline
		for i := range lines {
			if enc.Encode(&lines[i]) != nil {
				return
			}
			since = lines[i].Number
		}
		if control.Flush() != nil || !follow || ended {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}
