package state

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"weft/fabric"
	"weft/route/planfile"
	"weft/sm/terms"
)

// LIDs returns the stored LIDs.
func (s *Store) LIDs() terms.LIDMap {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.lids)
}

// Record stores the LIDs and the Plan of a manager. Once it has returned without an error, they
// survive a power cut.
func (s *Store) Record(now time.Time, r *terms.Record) error {
	var plan bytes.Buffer
	if err := planfile.Save(&plan, r.Graph, r.Plan); err != nil {
		return err
	}
	here := map[fabric.GUID]bool{}
	for _, guid := range r.Graph.EndGUID {
		here[guid] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.inTx(func(tx *sql.Tx) error {
		if err := s.writeLIDs(tx, now, r.LIDs, here); err != nil {
			return err
		}
		return s.writePlan(tx, now, r, plan.Bytes())
	})
	if err != nil {
		return s.explain(err)
	}
	s.lids, s.gone = maps.Clone(r.LIDs), map[fabric.GUID]bool{}
	for guid := range s.lids {
		if !here[guid] {
			s.gone[guid] = true
		}
	}
	return nil
}

// writeLIDs writes the changed LIDs, and marks ports that have disappeared or returned.
func (s *Store) writeLIDs(tx *sql.Tx, now time.Time, lids terms.LIDMap, here map[fabric.GUID]bool) error {
	for _, guid := range slices.Sorted(maps.Keys(s.lids)) { // all deletions first: a LID may move to another port
		if lids[guid] != s.lids[guid] {
			if err := execute(tx, "DELETE FROM lids WHERE port_guid = ?", int64(guid)); err != nil {
				return err
			}
		}
	}
	for _, guid := range slices.Sorted(maps.Keys(lids)) {
		p := lids[guid]
		var gone any
		if !here[guid] {
			gone = now.UnixMilli()
		}
		var err error
		switch old, known := s.lids[guid]; {
		case !known || old != p:
			err = execute(tx, "INSERT INTO lids (port_guid, base, lmc, gone) VALUES (?, ?, ?, ?)", int64(guid), int64(p.Base), int64(p.LMC), gone)
		case s.gone[guid] == here[guid]:
			err = execute(tx, "UPDATE lids SET gone = ? WHERE port_guid = ?", gone, int64(guid))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writePlan adds a version of the Plan, unless it equals the last one, and deletes old versions.
func (s *Store) writePlan(tx *sql.Tx, now time.Time, r *terms.Record, data []byte) error {
	var last []byte
	err := tx.QueryRow("SELECT bytes FROM plans ORDER BY version DESC LIMIT 1").Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if bytes.Equal(last, data) {
		return nil
	}
	if err := execute(tx, "INSERT INTO plans (time, engine, verdict, bytes) VALUES (?, ?, ?, ?)", now.UnixMilli(), r.Engine, r.Verdict, data); err != nil {
		return err
	}
	return execute(tx, "DELETE FROM plans WHERE version <= (SELECT max(version) FROM plans) - ?", s.limits.Plans)
}

// loadLIDs reads the LIDs, and refuses invalid ones.
func (s *Store) loadLIDs() error {
	s.lids, s.gone = terms.LIDMap{}, map[fabric.GUID]bool{}
	rows, err := s.db.Query("SELECT port_guid, base, lmc, gone IS NOT NULL FROM lids ORDER BY base")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	top := fabric.LID(0)
	for rows.Next() {
		var guid, base, lmc int64
		var gone bool
		if err := rows.Scan(&guid, &base, &lmc, &gone); err != nil {
			return err
		}
		p := terms.PortLIDs{Base: fabric.LID(base), LMC: uint8(lmc)}
		if !p.Valid() || p.Base <= top || guid == 0 {
			return damaged(fmt.Sprintf("port %s has LID %d, LMC %d", fabric.GUID(guid), base, lmc))
		}
		top = p.Last()
		if s.lids[fabric.GUID(guid)] = p; gone {
			s.gone[fabric.GUID(guid)] = true
		}
	}
	return rows.Err()
}
