package state

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"weft/sm/terms"
)

// jobsTable is the table added by version 6: the jobs that run, in the order of their starts.
const jobsTable = `
CREATE TABLE jobs (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	value BLOB NOT NULL
) STRICT;`

// Jobs returns the jobs that run, as last stored. Told names the jobs that cannot be read.
func (s *Store) Jobs() (list []terms.Job, err error) {
	if s.schema < 6 { // a read-only file of an earlier version
		return nil, nil
	}
	err = s.each(func(rows *sql.Rows) error {
		var id string
		var value []byte
		if err := rows.Scan(&id, &value); err != nil {
			return err
		}
		var j terms.Job
		err := json.Unmarshal(value, &j)
		if err == nil {
			err = j.Check()
		}
		if err == nil && j.ID != id {
			err = fmt.Errorf("its value is that of job %.64q", j.ID)
		}
		if err == nil {
			list = append(list, j)
		} else {
			s.told = append(s.told, terms.Incident{Kind: terms.NotRead, Text: fmt.Sprintf("%s: job %.64q is damaged, and left out: %v: run weft sm job reconcile", s.path, id, err)})
		}
		return nil
	}, "SELECT id, value FROM jobs ORDER BY number")
	if err != nil {
		return nil, s.explain(err)
	}
	return list, nil
}

// SetJobs stores the jobs that run, unless later ones are stored. Once it has returned without an
// error, they survive a power cut.
func (s *Store) SetJobs(now *terms.RunningJobs) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Order < s.jobsOrder {
		return nil
	}
	if err := s.inTx(func(tx *sql.Tx) error { return s.writeJobs(tx, now.List) }); err != nil {
		s.jobs = nil // what stands there is not known
		return s.explain(err)
	}
	s.jobsOrder = now.Order
	return nil
}

// writeJobs writes the rows that differ from the stored ones.
func (s *Store) writeJobs(tx *sql.Tx, list []terms.Job) error {
	if s.jobs == nil {
		if err := execute(tx, "DELETE FROM jobs"); err != nil {
			return err
		}
		s.jobs = map[string]terms.Job{}
	}
	for i := range list {
		j := &list[i]
		if was, met := s.jobs[j.ID]; met && isSameJob(&was, j) {
			continue
		}
		value, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if err := execute(tx, "INSERT INTO jobs (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value", j.ID, value); err != nil {
			return err
		}
		s.jobs[j.ID] = *j
	}
	if len(s.jobs) == len(list) { // none has ended
		return nil
	}
	runs := make(map[string]bool, len(list))
	for i := range list {
		runs[list[i].ID] = true
	}
	for id := range s.jobs {
		if runs[id] {
			continue
		}
		if err := execute(tx, "DELETE FROM jobs WHERE id = ?", id); err != nil {
			return err
		}
		delete(s.jobs, id)
	}
	return nil
}

// isSameJob compares two jobs. All jobs are compared at each start and end.
func isSameJob(a, b *terms.Job) bool {
	return a.ID == b.ID && a.User == b.User && a.Nodes == b.Nodes && a.Count == b.Count && a.Began == b.Began && a.Copy == b.Copy && a.OfPartition == b.OfPartition &&
		slices.Equal(a.Unknown, b.Unknown) && slices.Equal(a.Shares, b.Shares) &&
		(a.Turn == b.Turn || a.Turn != nil && b.Turn != nil && *a.Turn == *b.Turn)
}
