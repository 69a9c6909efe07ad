package state

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"

	"weft/sm/partition"
	"weft/sm/terms"
)

// partitionsTable is the table added by version 5: a row for each partition of programs, and the
// version in the row of P_Key 0.
const partitionsTable = `
CREATE TABLE partitions (
	p_key INTEGER PRIMARY KEY CHECK (p_key BETWEEN 0 AND 32767),
	value BLOB NOT NULL
) STRICT;`

// Owned returns the partitions of programs, as last stored.
func (s *Store) Owned() (o partition.Owned, err error) {
	if s.schema < 5 { // a read-only file of an earlier version
		return o, nil
	}
	err = s.each(func(rows *sql.Rows) error {
		var key int
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		if key == 0 {
			return json.Unmarshal(value, &o.Version)
		}
		var p partition.Partition
		if err := json.Unmarshal(value, &p); err != nil {
			return err
		}
		if int(p.Key) != key {
			return fmt.Errorf("partition 0x%04x stands in the row of 0x%04x", p.Key, key)
		}
		o.List = append(o.List, p)
		return nil
	}, "SELECT p_key, value FROM partitions ORDER BY p_key")
	if err != nil {
		return partition.Owned{}, s.explain(err)
	}
	return o, nil
}

// SetOwned stores the partitions of programs, unless later ones are stored. Once it has returned
// without an error, they survive a power cut.
func (s *Store) SetOwned(w *terms.Wrote) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.Order < s.ownedOrder {
		return nil
	}
	if err := s.inTx(func(tx *sql.Tx) error { return s.writeOwned(tx, &w.Owned) }); err != nil {
		s.owned = nil // what stands there is not known
		return s.explain(err)
	}
	s.owned, s.ownedOrder = &w.Owned, w.Order
	return nil
}

// writeOwned writes the rows that differ from the stored ones.
func (s *Store) writeOwned(tx *sql.Tx, to *partition.Owned) error {
	had := map[uint16]*partition.Partition{}
	if s.owned == nil {
		if err := execute(tx, "DELETE FROM partitions"); err != nil {
			return err
		}
	} else {
		for i := range s.owned.List {
			had[s.owned.List[i].Key] = &s.owned.List[i]
		}
	}
	put := func(key uint16, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		return execute(tx, "INSERT OR REPLACE INTO partitions (p_key, value) VALUES (?, ?)", int(key), text)
	}
	for i := range to.List {
		p := &to.List[i]
		was := had[p.Key]
		delete(had, p.Key)
		if was != nil && reflect.DeepEqual(was, p) {
			continue
		}
		if err := put(p.Key, p); err != nil {
			return err
		}
	}
	for key := range had {
		if err := execute(tx, "DELETE FROM partitions WHERE p_key = ?", int(key)); err != nil {
			return err
		}
	}
	return put(0, to.Version)
}
