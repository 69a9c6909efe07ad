package state

import (
	"database/sql"
	"slices"
	"time"

	"weft/sm/terms"
)

// Drains returns the switches and cables to drain, as last stored. A row that is neither told nor
// drained is a trial.
func (s *Store) Drains() (d terms.Drains, err error) {
	if s.schema == 1 { // a read-only file of version 1
		return d, nil
	}
	err = s.each(func(rows *sql.Rows) error {
		var name string
		var told, drained bool
		if err := rows.Scan(&name, &told, &drained); err != nil {
			return err
		}
		if told {
			d.Told = append(d.Told, name)
		}
		if drained {
			d.Now = append(d.Now, name)
		}
		if !told && !drained {
			d.Trials = append(d.Trials, name)
		}
		return nil
	}, "SELECT name, told, drained FROM drains ORDER BY rowid")
	if err != nil {
		return d, s.explain(err)
	}
	return d, nil
}

// SetDrains stores the switches and cables to drain since a time, unless a later list is stored.
// Once it has returned without an error, the list survives a power cut.
func (s *Store) SetDrains(since time.Time, d *terms.Drains) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since.Before(s.drainsTime) {
		return nil
	}
	err := s.inTx(func(tx *sql.Tx) error {
		if err := execute(tx, "DELETE FROM drains"); err != nil {
			return err
		}
		for i, list := 0, slices.Concat(d.Told, d.Now, d.Trials); i < len(list); i++ {
			if slices.Contains(list[:i], list[i]) {
				continue
			}
			told, drained := slices.Contains(d.Told, list[i]), slices.Contains(d.Now, list[i])
			if err := execute(tx, "INSERT INTO drains (name, told, drained) VALUES (?, ?, ?)", list[i], told, drained); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.explain(err)
	}
	s.drainsTime = since
	return nil
}
