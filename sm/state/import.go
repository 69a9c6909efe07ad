package state

import (
	"database/sql"
	"fmt"
	"maps"
	"time"

	"weft/fabric"
	"weft/sm/terms"
)

// TakeLIDs stores the LIDs that another manager has assigned. The file must be without LIDs, or
// have the same ones.
func (s *Store) TakeLIDs(now time.Time, lids terms.LIDMap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case maps.Equal(s.lids, lids):
		return nil
	case len(s.lids) > 0:
		return fmt.Errorf("%s already has other LIDs for %d ports: name another file, or move it away", s.path, len(s.lids))
	}
	here := map[fabric.GUID]bool{}
	for guid := range lids {
		here[guid] = true
	}
	if err := s.inTx(func(tx *sql.Tx) error { return s.writeLIDs(tx, now, lids, here) }); err != nil {
		return s.explain(err)
	}
	s.lids = maps.Clone(lids)
	return nil
}
