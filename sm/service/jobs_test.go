package service

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/sm/watch/starting"
)

// batch is a manager that keeps jobs alone.
type batch struct {
	*Service
	http.Handler
	t    *testing.T
	jobs starting.Machine
}

// newBatch returns a batch of a fabric.
func newBatch(t *testing.T, formula string) *batch {
	t.Helper()
	s, a := newService(0)
	b := &batch{Service: s, Handler: s.Handler(), t: t, jobs: starting.Resume(nil, 0, terms.JobRule{})}
	a.decide = func(ev *terms.Event) {
		jobs, _, err := b.jobs.Write(0, ev.Jobs, terms.JobRule{}, nil)
		b.show(formula)
		s.DecideJobs(ev.Tag, jobs, "", err)
	}
	b.show(formula)
	return b
}

// show shows the jobs, on a fabric.
func (b *batch) show(formula string) {
	b.t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		b.t.Fatal(err)
	}
	now := master()
	now.Routed = &watch.Routed{Fabric: f, Graph: f.Compile(), Jobs: b.jobs.Report()}
	b.Show(now)
}

// delete sends a request without a body.
func (b *batch) delete(path string) (status int, done JobsWritten) {
	b.t.Helper()
	w := get(b.t, b, http.MethodDelete, path)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &done); err != nil {
			b.t.Error(err)
		}
	}
	return w.Code, done
}

// put sends a request. It returns the answer, or the error.
func (b *batch) put(path string, body any) (status int, answer string, done JobsWritten) {
	b.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	status, answer = send(b, nil, false, "PUT", path, string(data))
	if status == http.StatusOK {
		if err := json.Unmarshal([]byte(answer), &done); err != nil {
			b.t.Fatal(err)
		}
	}
	return status, answer, done
}

// TestNodeAway: a job that is told again while some or all of its nodes are away stays as it is.
func TestNodeAway(t *testing.T) {
	b := newBatch(t, "rlft(4,2)")
	told := NumberedJob{ID: "7", JobBody: JobBody{Nodes: "host[0-2],host7,login"}}
	if _, answer, done := b.put("/v1/jobs/7", told.JobBody); done.Changed != 1 || len(done.Unknown) != 1 {
		t.Fatal(answer)
	}
	was := b.jobs.List()[0]
	if was.Count != 4 {
		t.Fatalf("%+v", was)
	}
	for _, without := range []string{"|without(host 7)", "|without(host 0)|without(host 1)|without(host 2)|without(host 7)"} {
		b.show("rlft(4,2)" + without)
		for path, body := range map[string]any{"/v1/jobs/7": told.JobBody, "/v1/jobs": JobSet{Jobs: []NumberedJob{told}}} {
			if _, answer, done := b.put(path, body); answer == "" || done.Changed != 0 || done.Running != 1 {
				t.Errorf("%s%s: %s", path, without, answer)
			}
		}
	}
	b.show("rlft(4,2)")
	told.Nodes = "host[0-2]"
	if _, answer, done := b.put("/v1/jobs/7", told.JobBody); done.Changed != 1 || b.jobs.List()[0].Nodes != "host[0-2]" {
		t.Errorf("fewer nodes: %s, %+v", answer, b.jobs.List())
	}
}

// TestHostileJobs: requests of any content get an answer that is short and soon, and what they
// leave in lists and logs is short and printable.
func TestHostileJobs(t *testing.T) {
	b := newBatch(t, "rlft(4,2)")
	most := 10 * time.Second
	if racing.Small() { // a loaded machine took 28 s then
		most = time.Minute
	}
	long := strings.Repeat("x", 1<<16)
	all := make([]NumberedJob, starting.MostJobs)
	for i := range all {
		all[i] = NumberedJob{ID: fmt.Sprint(i), JobBody: JobBody{Nodes: "n[0-65535]"}}
	}
	for name, c := range map[string]struct {
		path string
		body any
		want string
	}{
		"control characters": {"/v1/jobs/1", JobBody{Nodes: "host1,a\nb\x1b[31m"}, "control"},
		"a name of 64 KiB":   {"/v1/jobs/1", JobBody{Nodes: long}, "none of its nodes"},
		"open bracket":       {"/v1/jobs/1", JobBody{Nodes: "n[" + long}, "is missing"},
		"a range of words":   {"/v1/jobs/1", JobBody{Nodes: "n[" + long + "]"}, "no number"},
		"an empty name":      {"/v1/jobs/1", JobBody{Nodes: "a,," + long}, "empty"},
		"no node":            {"/v1/jobs/1", JobBody{}, "no node"},
		"an ID of 64 KiB":    {"/v1/jobs", JobSet{Jobs: []NumberedJob{{ID: long, JobBody: JobBody{Nodes: "host1"}}}}, "want 1 to 64"},
		"too many nodes":     {"/v1/jobs", JobSet{Jobs: all}, "over 1048576 nodes"},
		"no list":            {"/v1/jobs", map[string]any{}, "want a list"},
		"null":               {"/v1/jobs", map[string]any{"jobs": nil}, "want a list"},
		"an old list":        {"/v1/jobs", JobSet{Jobs: []NumberedJob{}, Age: 61}, "age 61"},
		"another cluster":    {"/v1/jobs", JobSet{Jobs: []NumberedJob{{ID: "b:1", JobBody: JobBody{Nodes: "host1"}}}, Among: "a:"}, "does not begin"},
		"a list to come":     {"/v1/jobs", JobSet{Jobs: []NumberedJob{}, Age: -1}, "age -1"},
		"too many jobs":      {"/v1/jobs", JobSet{Jobs: append(all, all[0])}, "more than 10000 jobs"},
		"twice":              {"/v1/jobs", JobSet{Jobs: []NumberedJob{{"1", JobBody{Nodes: "host1"}}, {"1", JobBody{Nodes: "host2"}}}}, "twice"},
	} {
		begun := time.Now()
		status, answer, _ := b.put(c.path, c.body)
		if took := time.Since(begun); status != http.StatusBadRequest || !strings.Contains(answer, c.want) || len(answer) > 500 || took > most {
			t.Errorf("%s: %d %.600s, in %v", name, status, answer, took)
		}
	}
	if _, answer, _ := b.put("/v1/jobs/1", JobBody{Nodes: "host1," + strings.Repeat("ü", 1<<15)}); len(b.jobs.List()) != 1 || len(answer) > 500 {
		t.Errorf("%.600s", answer)
	}
	for i := range all {
		all[i].Nodes = "host[0-7]"
	}
	if status, answer, done := b.put("/v1/jobs", JobSet{Jobs: all}); status != http.StatusOK || done.Running != len(all) {
		t.Errorf("%d jobs: %d %.600s", len(all), status, answer)
	}
}
