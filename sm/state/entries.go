package state

import (
	"database/sql"
	"errors"

	"weft/sm/sa"
)

// entriesTable is the table added by version 3.
const entriesTable = `
CREATE TABLE entries (
	kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 255),
	key BLOB NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (kind, key)
) STRICT;`

// Entries returns the stored registrations of clients in order; nil if there are none.
func (s *Store) Entries() (list []sa.Entry, err error) {
	if s.schema < 3 { // a read-only file of version 1 or 2
		return nil, nil
	}
	err = s.each(func(rows *sql.Rows) error {
		var kind int
		var key, value []byte
		if err := rows.Scan(&kind, &key, &value); err != nil {
			return err
		}
		if len(key) > sa.LongestKey || len(value) > sa.LongestValue {
			return errors.New("an entry is too long")
		}
		list = append(list, sa.Entry{EntryName: sa.EntryName{Kind: sa.EntryKind(kind), Key: string(key)}, Value: append([]byte{}, value...)})
		return nil
	}, "SELECT kind, key, value FROM entries ORDER BY kind, key")
	if err != nil {
		return nil, s.explain(err)
	}
	return list, nil
}

// SetEntries stores registrations, and deletes ended ones. If replaces is set, it first deletes all
// others. Once it has returned without an error, they survive a power cut.
func (s *Store) SetEntries(replaces bool, list []sa.Entry) error {
	err := s.inTx(func(tx *sql.Tx) error {
		if replaces {
			if err := execute(tx, "DELETE FROM entries"); err != nil {
				return err
			}
		}
		for i := range list {
			e := &list[i]
			key := []byte(e.Key)
			if key == nil {
				key = []byte{}
			}
			var err error
			if e.Value == nil {
				err = execute(tx, "DELETE FROM entries WHERE kind = ? AND key = ?", int(e.Kind), key)
			} else {
				err = execute(tx, "INSERT OR REPLACE INTO entries (kind, key, value) VALUES (?, ?, ?)", int(e.Kind), key, e.Value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.explain(err)
	}
	return nil
}
