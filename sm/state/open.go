package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver

	"weft/fabric"
	"weft/sm/terms"
)

const (
	schemaVersion = 3
	applicationID = 0x77656674 // "weft"
)

const schema = `
CREATE TABLE lids (
	port_guid INTEGER PRIMARY KEY,
	base INTEGER NOT NULL UNIQUE CHECK (base BETWEEN 1 AND 49151),
	lmc INTEGER NOT NULL CHECK (lmc BETWEEN 0 AND 7),
	gone INTEGER
) STRICT;
CREATE TABLE plans (
	version INTEGER PRIMARY KEY AUTOINCREMENT,
	time INTEGER NOT NULL,
	engine TEXT NOT NULL,
	verdict TEXT NOT NULL,
	bytes BLOB NOT NULL
) STRICT;
CREATE TABLE events (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	time INTEGER NOT NULL,
	code TEXT NOT NULL,
	text TEXT NOT NULL,
	node_guid INTEGER,
	node_name TEXT,
	port INTEGER
) STRICT;
CREATE TABLE subnet (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	time INTEGER NOT NULL,
	netfile BLOB NOT NULL
) STRICT;` + drainsTable + entriesTable

// drainsTable is the table added by version 2.
const drainsTable = `
CREATE TABLE drains (
	name TEXT PRIMARY KEY,
	told INTEGER NOT NULL CHECK (told IN (0, 1)),
	drained INTEGER NOT NULL CHECK (drained IN (0, 1))
) STRICT;`

// Limits says how many Plans and events to keep. The zero value stands for UsualLimits.
type Limits struct {
	Plans  int // versions
	Events int
}

// UsualLimits are the default limits.
var UsualLimits = Limits{Plans: 3, Events: 10000}

// Store is an open state file. It is safe for concurrent use.
type Store struct {
	path   string
	limits Limits
	schema int // schema version of the file when opened

	use  sync.Mutex // guards the fields below, as the file may be created again during use
	db   *sql.DB
	lock *os.File    // nil if read-only
	file os.FileInfo // the open file; nil if read-only, and while opening

	mu   sync.Mutex
	lids terms.LIDMap // as stored
	gone map[fabric.GUID]bool

	drainsTime time.Time // time of the last SetDrains
}

// Open opens a state file, or creates it, and verifies that it is writable.
func Open(path string, limits Limits) (*Store, error) {
	if limits.Plans < 1 {
		limits.Plans = UsualLimits.Plans
	}
	if limits.Events < 1 {
		limits.Events = UsualLimits.Events
	}
	s := &Store{path: path, limits: limits}
	var err error
	if s.lock, err = takeLock(path); err == nil {
		s.db, err = connect(path, "rw"+createUnless(path))
	}
	if err == nil {
		err = s.prepare()
	}
	if err == nil {
		s.file, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(s.explain(err), s.Close())
	}
	return s, nil
}

// Read opens a state file for reading, even while a manager has it open.
func Read(path string) (*Store, error) {
	s := &Store{path: path, limits: UsualLimits}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	var err error
	if s.db, err = connect(path, "ro"); err == nil {
		err = s.check()
	}
	if err == nil {
		err = s.loadLIDs()
	}
	if err != nil {
		return nil, errors.Join(s.explain(err), s.Close())
	}
	return s, nil
}

// createUnless returns the SQLite mode that creates a file, unless it exists.
func createUnless(path string) string {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return ""
	}
	return "c"
}

// takeLock locks a file against other managers.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(errLocked, lock.Close())
	}
	return lock, nil
}

var errLocked = errors.New("another process has it open: two managers must not share a state file")

// connect opens a database with a single connection.
func connect(path, mode string) (*sql.DB, error) {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)"}}
	if mode != "ro" {
		q["_pragma"] = append(q["_pragma"], "synchronous(FULL)", "journal_size_limit(16777216)", "cell_size_check(ON)")
	}
	name := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// useLog switches a database to a write-ahead log.
func useLog(db *sql.DB) error {
	var mode string
	if err := db.QueryRow("PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return errors.New("the file system does not support its write-ahead log: name a file on another one")
	}
	return nil
}

// prepare creates the tables of a new file or checks an existing one, and tests that it can write.
func (s *Store) prepare() error {
	var tables int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		if err := s.check(); err != nil {
			return err
		}
	}
	if err := useLog(s.db); err != nil {
		return err
	}
	if tables == 0 {
		if err := s.create(); err != nil {
			return err
		}
	}
	if err := s.loadLIDs(); err != nil {
		return err
	}
	// A full disk or a read-only file shows here, and not in the middle of a round.
	err := s.inTx(func(tx *sql.Tx) error {
		for i, table := range []string{drainsTable, entriesTable} {
			if tables > 0 && s.schema <= i+1 {
				if err := execute(tx, table); err != nil {
					return err
				}
			}
		}
		return execute(tx, "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - ?", s.limits.Events)
	}, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	s.schema = schemaVersion
	return err
}

// create creates all tables in one transaction.
func (s *Store) create() error {
	return s.inTx(func(tx *sql.Tx) error { return execute(tx, schema) },
		fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
}

// check refuses a file that is foreign, newer than this program, or damaged.
func (s *Store) check() error {
	var app, version int
	if err := s.db.QueryRow("PRAGMA application_id").Scan(&app); err != nil {
		return err
	}
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case app != applicationID:
		return errors.New("it is the database of another program: name another file")
	case version > schemaVersion:
		return fmt.Errorf("a newer weft wrote it (schema %d; this one supports %d): run the newer one, or name another file", version, schemaVersion)
	case version < 1:
		return fmt.Errorf("unknown schema %d: want 1 to %d", version, schemaVersion)
	}
	s.schema = version
	var verdict string
	if err := s.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return damaged(verdict)
	}
	return nil
}

// damaged returns the error for a damaged file.
func damaged(what string) error {
	return fmt.Errorf("it is damaged (%s): restore a copy, or move it away: ports then keep their present LIDs", what)
}

// explain translates errors of SQLite into plain words.
func (s *Store) explain(err error) error {
	text := err.Error()
	for _, known := range []struct{ part, words string }{
		{"file is not a database", "it is not a database: name another file"},
		{"malformed", damaged("SQLite: " + text).Error()},
		{"disk is full", "the disk is full"},
		{"unable to open database file", "it cannot be opened: its directory must exist and be writable"},
		{"readonly database", "it is read-only"},
		{"database is locked", errLocked.Error()},
	} {
		if strings.Contains(text, known.part) {
			return fmt.Errorf("%s: %s", s.path, known.words)
		}
	}
	if _, known := errors.AsType[*os.PathError](err); known {
		return err
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// Close closes the file.
func (s *Store) Close() (err error) {
	if s.db != nil {
		err = s.db.Close()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// inTx runs a function in a transaction, after these PRAGMAs.
func (s *Store) inTx(do func(tx *sql.Tx) error, pragmas ...string) error {
	s.use.Lock()
	defer s.use.Unlock()
	if err := s.inPlace(); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, p := range pragmas {
		if err == nil {
			err = execute(tx, p)
		}
	}
	if err == nil {
		err = do(tx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// execute runs a statement.
func execute(tx *sql.Tx, text string, args ...any) error {
	_, err := tx.Exec(text, args...)
	return err
}
