package state

import (
	"database/sql"
	"slices"
	"time"

	"weft/sm/terms"
)

// Drains returns what is to be drained, as it was stored last.
func (s *Store) Drains() (d terms.Drains, err error) {
	if s.schema == 1 { // of a file that is only read
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
		return nil
	}, "SELECT name, told, drained FROM drains ORDER BY rowid")
	if err != nil {
		return d, s.explain(err)
	}
	return d, nil
}

// SetDrains stores what is to be drained since a time, unless something later is stored already. When it returns without an error it
// outlives a power cut.
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
		for i, list := 0, append(slices.Clone(d.Told), d.Now...); i < len(list); i++ {
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
