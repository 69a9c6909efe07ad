package manage

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"weft/sm/state"
	"weft/sm/terms"
)

// TestDecisionsTogether: ends of jobs that come while the disk is busy are all stored before they
// are answered, and with one write.
func TestDecisionsTogether(t *testing.T) {
	const jobs = 40
	var list []terms.Job
	for i := range jobs {
		list = append(list, terms.Job{ID: fmt.Sprint("job", i), Nodes: "node1", Count: 1})
	}
	kept := &smState{path: filepath.Join(t.TempDir(), "state")}
	var err error
	if kept.store, err = state.Open(kept.path, state.UsualLimits); err != nil {
		t.Fatal(err)
	}
	kept.writer = state.NewWriter(kept.store, func(err error) { t.Error(err) })
	if err := kept.store.SetJobs(&terms.RunningJobs{List: list}); err != nil {
		t.Fatal(err)
	}
	r := startReloading(t, "").serving
	r = newServing(r.cmd, nil, kept)

	db, err := sql.Open("sqlite", kept.path)
	if err != nil {
		t.Fatal(err)
	}
	commits := func() (n int) {
		if err := db.QueryRow("SELECT commits FROM mark").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := commits()
	slow, err := db.Conn(t.Context())
	if err == nil {
		_, err = slow.ExecContext(t.Context(), "BEGIN IMMEDIATE") // nobody else can write meanwhile
	}
	if err != nil {
		t.Fatal(err)
	}

	var clients sync.WaitGroup
	for _, j := range list {
		clients.Go(func() {
			w := httptest.NewRecorder()
			r.service.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodDelete, "/v1/jobs/"+j.ID, http.NoBody))
			stored, err := kept.store.Jobs()
			if w.Code != http.StatusOK || err != nil {
				t.Errorf("%s: %d %s, %v", j.ID, w.Code, w.Body, err)
			}
			if slices.ContainsFunc(stored, func(o terms.Job) bool { return o.ID == j.ID }) {
				t.Errorf("%s: its end is answered before it is stored", j.ID)
			}
		})
	}
	for order := range jobs { // as the manager does
		ev := <-r.asked
		list = slices.DeleteFunc(slices.Clone(list), func(j terms.Job) bool { return j.ID == ev.Jobs.End })
		r.decided(&terms.Action{Tag: ev.Tag, Jobs: &terms.RunningJobs{List: list, Changed: 1, Order: uint64(order + 1)}})
		<-time.NewTimer(time.Millisecond).C // a decision comes after the other
	}
	if _, err := slow.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	clients.Wait()
	if n := commits() - before; n > 2 { // that of the first end, and one for all others
		t.Errorf("%d writes for %d ends", n, jobs)
	}
	if err := errors.Join(slow.Close(), db.Close(), kept.close()); err != nil {
		t.Fatal(err)
	}
}
