package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"
)

// markTable is the table added by version 4.
const markTable = `
CREATE TABLE mark (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	file INTEGER NOT NULL,
	commits INTEGER NOT NULL,
	base INTEGER NOT NULL,
	closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
	copied INTEGER
) STRICT;`

// mark says which write-ahead log belongs to a database file. Each transaction writes it.
type mark struct {
	File    int64 // drawn when the file was made; a copy has another one
	Commits int64 // transactions so far
	Base    int64 // Commits when all of the log was last copied into the file
	Closed  bool  // complete without a log
	Copied  int64 // a copy made at this time, in milliseconds since 1970; 0: the original
}

// newMark returns the mark of a new file.
func newMark() mark { return mark{File: rand.Int64(), Closed: true} }

// readMark reads the mark.
func readMark(db *sql.DB) (m mark, err error) {
	var copied sql.NullInt64
	err = db.QueryRow("SELECT file, commits, base, closed, copied FROM mark").Scan(&m.File, &m.Commits, &m.Base, &m.Closed, &copied)
	m.Copied = copied.Int64
	return m, err
}

// write counts a transaction and stores the mark in it.
func (m *mark) write(tx *sql.Tx) error {
	m.Commits++
	var copied any
	if m.Copied != 0 {
		copied = m.Copied
	}
	return execute(tx, "INSERT OR REPLACE INTO mark (id, file, commits, base, closed, copied) VALUES (1, ?, ?, ?, ?, ?)",
		m.File, m.Commits, m.Base, m.Closed, copied)
}

// hasLog reports whether a write-ahead log with contents lies next to a file.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// isMissing reports whether there is no file, and refuses an empty one, and a log without its file.
func isMissing(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && hasLog(path):
		return false, refuse("the file is gone, and its write-ahead log %s-wal is there: %s", path, instead(path))
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, refuse("it cannot be opened: it is a directory, name a file in it")
	case info.Size() == 0:
		return false, refuse("the file has 0 bytes, as after a full disk or a failed copy: %s", instead(path))
	}
	return false, nil
}

// looks is the number of times that checkLog reads a file that a manager may be changing.
const looks = 5

// checkLog refuses a file without its write-ahead log, and one with the log of another file or of
// another time. s.db reads the file with its log.
func (s *Store) checkLog() error {
	if s.schema < 4 {
		return nil
	}
	var err error
	for i := range looks {
		if i > 0 { // between two reads the manager may have copied its log
			<-time.NewTimer(20 * time.Millisecond).C
		}
		if err = s.lookAtLog(); err == nil {
			return nil
		}
	}
	return err
}

// lookAtLog compares the mark in the file alone with that of file and log.
func (s *Store) lookAtLog() error {
	alone, err := s.markAlone()
	if err != nil { // a power cut while the log was copied: the log has it all
		alone = nil
	}
	both, err := readMark(s.db)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return damaged("no mark")
	case err != nil:
		return err
	case alone == nil && hasLog(s.path):
		return nil
	case alone == nil:
		return damaged("no mark")
	case !alone.Closed && !hasLog(s.path):
		return refuse("its write-ahead log %s-wal is missing, which holds the last changes: %s", s.path, insteadOfCp(s.path))
	case alone.File != both.File:
		return refuse("the write-ahead log %s-wal belongs to another file: %s", s.path, insteadOfCp(s.path))
	case alone.Commits < both.Base:
		return refuse("it is older than its write-ahead log %s-wal, which belongs to a later state of it: %s", s.path, insteadOfCp(s.path))
	case alone.Commits > both.Commits:
		return refuse("it is newer than its write-ahead log %s-wal: %s", s.path, insteadOfCp(s.path))
	}
	return nil
}

// markAlone reads the mark in the file without its log.
func (s *Store) markAlone() (*mark, error) {
	db, err := connect(s.path, "immutable")
	if err != nil {
		return nil, err
	}
	m, err := readMark(db)
	return &m, errors.Join(err, db.Close())
}

// mostLog is the size in bytes at which the log is copied into the file.
const mostLog = 1000 * 4096

// copyLog copies a long log into the file. If that fails the log grows until it works.
func (s *Store) copyLog() {
	if info, err := os.Stat(s.path + "-wal"); err == nil && info.Size() >= s.mostLog() {
		_ = s.checkpoint()
	}
}

// mostLog returns the size at which the log is copied.
func (s *Store) mostLog() int64 {
	if s.limits.log > 0 {
		return s.limits.log
	}
	return mostLog
}

// checkpoint copies the log into the file, as far as readers permit.
func (s *Store) checkpoint() error {
	var busy, log, copied int
	if err := s.db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &copied); err != nil {
		return err
	}
	if busy == 0 && log == copied {
		s.mark.Base = s.mark.Commits
	}
	return nil
}

// takeMark begins with the mark of the opened file.
func (s *Store) takeMark() (err error) {
	s.mark = newMark()
	if s.schema >= 4 {
		if s.mark, err = readMark(s.db); err != nil {
			return err
		}
	}
	if s.mark.Copied != 0 {
		s.copied = time.UnixMilli(s.mark.Copied)
	}
	s.mark.Closed, s.mark.Copied = false, 0
	if !hasLog(s.path) { // a killed manager leaves a log that is not in the file yet
		s.mark.Base = s.mark.Commits
	}
	return nil
}

// Copied returns when a backup was made that has been put back since the last start; zero if this
// is the file that was used before.
func (s *Store) Copied() time.Time { return s.copied }

// seal completes a file that was just made, so that it needs no log, and syncs it. copied is the
// time if it is a copy to keep, 0 if it replaces the original.
func seal(path string, copied int64) error {
	db, err := connect(path, "rwc")
	if err != nil {
		return err
	}
	if err := sealed(db, copied); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := db.Close(); err != nil {
		return err
	}
	return syncPath(path)
}

func sealed(db *sql.DB, copied int64) error {
	m, schema := newMark(), 0
	m.Copied = copied
	if err := db.QueryRow("PRAGMA user_version").Scan(&schema); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return upgrade(tx, schema) },
		func() error { return execute(tx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)) },
		func() error { return m.write(tx) },
	} {
		if err := do(); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
