package state

import (
	"database/sql"
	"fmt"
	"maps"
	"time"

	"weft/fabric"
	"weft/sm/terms"
)

// TakeLIDs stores LIDs that ports have had under another manager, in a file without LIDs. Those that are stored already are taken
// again without a change; others are refused.
func (s *Store) TakeLIDs(now time.Time, lids terms.LIDMap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case maps.Equal(s.lids, lids):
		return nil
	case len(s.lids) > 0:
		return fmt.Errorf("%s has other LIDs already, of %d ports: name another file, or move it away", s.path, len(s.lids))
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
