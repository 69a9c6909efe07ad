package service

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/sm/watch/starting"
)

// request is a start, an end or a list of jobs by one of several clients, and its answer.
type request struct {
	path string // of a start or an end
	ends bool
	jobs []NumberedJob // that start, or all that run
	age  int           // of a list

	sent, answered int64 // when, counted in both
	status         int
	done           JobsWritten
}

// model is the jobs that run, kept the simplest way.
type model struct {
	nodes map[string]string // by ID
	told  map[string]bool   // IDs of starts and ends
}

// after returns the jobs after a request, and the right answer to it.
func (r *model) after(q *request) (*model, JobsWritten) {
	now, done := &model{maps.Clone(r.nodes), maps.Clone(r.told)}, JobsWritten{}
	says, ids := map[string]string{}, map[string]bool{}
	for _, j := range q.jobs {
		says[j.ID], ids[j.ID] = j.Nodes, true
	}
	if q.path != "" {
		ids[q.path], now.told[q.path] = true, true
	} else {
		for id := range r.nodes {
			ids[id] = true
		}
	}
	for id := range ids {
		switch {
		case says[id] == r.nodes[id]:
		case q.path == "" && q.age > 0 && r.told[id]:
			done.Newer++
		case says[id] == "":
			done.Changed++
			delete(now.nodes, id)
		default:
			done.Changed++
			now.nodes[id] = says[id]
		}
	}
	done.Running = len(now.nodes)
	return now, done
}

// explained finds an order of requests, each between its start and its answer, that explains all
// answers and the jobs that run in the end.
func explained(all []request, first *model, last map[string]string) bool {
	failed := map[string]bool{}
	var from func(done uint64, now *model) bool
	from = func(done uint64, now *model) bool {
		if done == 1<<len(all)-1 {
			return maps.Equal(now.nodes, last)
		}
		key := fmt.Sprint(done, now.nodes, now.told)
		if failed[key] {
			return false
		}
		bound := int64(1 << 62)
		for i := range all {
			if done>>i&1 == 0 {
				bound = min(bound, all[i].answered)
			}
		}
		for i := range all {
			if q := &all[i]; done>>i&1 == 0 && q.sent < bound {
				next, says := now.after(q)
				if q.done.Changed == says.Changed && q.done.Running == says.Running && q.done.Newer == says.Newer && from(done|1<<i, next) {
					return true
				}
			}
		}
		failed[key] = true
		return false
	}
	return from(0, first)
}

// TestJobsAtOnce: several clients start and end jobs and list all that run, at once and in
// contradiction, while copies of the lanes are being found. Some order of their requests explains
// every answer and the list in the end.
func TestJobsAtOnce(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	g := f.Compile()
	req := smtest.JobOf("ftree", 0)
	req.Multicast, req.JobLanes = true, joblanes.Ask(3)
	made, err := planner.Run(t.Context(), g, &req)
	if err != nil || len(made.Plan.JobLanes) == 0 {
		t.Fatalf("%v: no lanes", err)
	}
	overlaps := 0
	for seed := range uint64(60) {
		all, last := jobsAtOnce(t, f, g, made.Plan, seed)
		for i := range all {
			if all[i].status != http.StatusOK {
				t.Fatalf("seed %d: status %d: %+v", seed, all[i].status, all[i])
			}
			for j := range all[:i] {
				if all[i].sent < all[j].answered && all[j].sent < all[i].answered {
					overlaps++
				}
			}
		}
		if !explained(all, &model{map[string]string{}, map[string]bool{}}, last) {
			t.Fatalf("seed %d: no order explains %+v and in the end %v", seed, all, last)
		}
	}
	if overlaps < 100 {
		t.Errorf("%d pairs of requests at once", overlaps)
	}
}

// jobsAtOnce has four clients send requests, and returns these and the jobs that run in the end.
func jobsAtOnce(t *testing.T, f *fabric.Fabric, g *fabric.Graph, plan *route.Plan, seed uint64) ([]request, map[string]string) {
	t.Helper()
	s, a := newService(0)
	jobs, events := starting.Resume(nil, 0, terms.JobRule{}), make(chan *terms.Event, 64)
	jobs.On(g, plan)
	show := func() {
		now := master()
		now.Routed = &watch.Routed{Fabric: f, Graph: g, Plan: plan, Jobs: jobs.Report()}
		s.Show(now)
	}
	show()
	a.decide = func(ev *terms.Event) { events <- ev }
	var work sync.WaitGroup
	loop := make(chan struct{})
	go func() { // as the manager's
		defer close(loop)
		for ev := range events {
			var out []terms.Action
			if ev.Kind == terms.Computed {
				out = jobs.Placed(nil)
			} else {
				done, _, err := jobs.Write(0, ev.Jobs, terms.JobRule{}, nil)
				out = jobs.Answer(terms.Action{Kind: terms.Decided, Tag: ev.Tag, Jobs: done, Err: err}, ev.Jobs, nil)
			}
			show()
			for _, a := range out {
				if a.Kind == terms.Compute {
					work.Go(func() { a.Do(); events <- &terms.Event{Kind: terms.Computed} })
				} else {
					s.DecideJobs(a.Tag, a.Jobs, "", a.Err)
				}
			}
		}
	}()
	h := &batch{Service: s, Handler: s.Handler(), t: t}
	const clients, each = 4, 4
	all := make([]request, clients*each)
	var clock atomic.Int64
	var sending sync.WaitGroup
	for k := range clients {
		sending.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			for i := range each {
				q := &all[k*each+i]
				*q = drawRequest(rng)
				q.sent = clock.Add(1)
				switch {
				case q.ends:
					q.status, q.done = h.delete("/v1/jobs/" + q.path)
				case q.path != "":
					q.status, _, q.done = h.put("/v1/jobs/"+q.path, q.jobs[0].JobBody)
				default:
					q.status, _, q.done = h.put("/v1/jobs", JobSet{Jobs: q.jobs, Age: q.age})
				}
				q.answered = clock.Add(1)
			}
		})
	}
	sending.Wait()
	work.Wait()
	close(events)
	<-loop
	last := map[string]string{}
	for _, j := range jobs.List() {
		last[j.ID] = j.Nodes
	}
	return all, last
}

// drawRequest draws a request about three jobs.
func drawRequest(rng *rand.Rand) (q request) {
	drawn := func(id string) NumberedJob {
		return NumberedJob{ID: id, JobBody: JobBody{Nodes: []string{"host[0-1]", "host[2-5]"}[rng.IntN(2)]}}
	}
	ids := []string{"1", "2", "3"}
	switch n := rng.IntN(6); {
	case n < 2:
		q.path = ids[rng.IntN(3)]
		q.jobs = []NumberedJob{drawn(q.path)}
	case n < 3:
		q.path, q.ends = ids[rng.IntN(3)], true
	default:
		q.jobs, q.age = []NumberedJob{}, rng.IntN(2)*10
		for _, id := range ids[:rng.IntN(4)] {
			q.jobs = append(q.jobs, drawn(id))
		}
		slices.Reverse(q.jobs)
	}
	return q
}
