package state

import (
	"database/sql"
	"encoding/json"
	"reflect"

	"weft/sm/terms"
)

// jobsTable is the table added by version 6: the jobs that run, in the order of their starts.
const jobsTable = `
CREATE TABLE jobs (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	value BLOB NOT NULL
) STRICT;`

// Jobs returns the jobs that run, as last stored.
func (s *Store) Jobs() (list []terms.Job, err error) {
	if s.schema < 6 { // a read-only file of an earlier version
		return nil, nil
	}
	err = s.each(func(rows *sql.Rows) error {
		var value []byte
		if err := rows.Scan(&value); err != nil {
			return err
		}
		var j terms.Job
		if err := json.Unmarshal(value, &j); err != nil {
			return err
		}
		list = append(list, j)
		return nil
	}, "SELECT value FROM jobs ORDER BY number")
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
	s.jobs, s.jobsOrder = map[string]terms.Job{}, now.Order
	for _, j := range now.List {
		s.jobs[j.ID] = j
	}
	return nil
}

// writeJobs writes the rows that differ from the stored ones.
func (s *Store) writeJobs(tx *sql.Tx, list []terms.Job) error {
	if s.jobs == nil {
		if err := execute(tx, "DELETE FROM jobs"); err != nil {
			return err
		}
	}
	stays := map[string]bool{}
	for i := range list {
		j := &list[i]
		stays[j.ID] = true
		if was, met := s.jobs[j.ID]; met && reflect.DeepEqual(was, *j) {
			continue
		}
		value, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if err := execute(tx, "INSERT INTO jobs (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value", j.ID, value); err != nil {
			return err
		}
	}
	for id := range s.jobs {
		if !stays[id] {
			if err := execute(tx, "DELETE FROM jobs WHERE id = ?", id); err != nil {
				return err
			}
		}
	}
	return nil
}
