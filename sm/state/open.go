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
	"weft/sm/partition"
	"weft/sm/terms"
)

const (
	schemaVersion = 6
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
) STRICT;` + drainsTable + entriesTable + markTable + partitionsTable + jobsTable

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
	log    int64 // bytes; 0: mostLog
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

	mark   mark // of the last transaction
	whole  bool // without its log: closed
	alone  bool // read without its log
	copied time.Time
	told   []terms.Incident

	mu   sync.Mutex
	lids terms.LIDMap // as stored
	gone map[fabric.GUID]bool

	drainsTime time.Time // time of the last SetDrains

	owned      *partition.Owned // as last stored; nil: not known
	ownedOrder uint64           // of the last SetOwned

	jobs      map[string]terms.Job // as last stored; nil: not known
	jobsOrder uint64               // of the last SetJobs
}

// Open opens a state file, or creates it, and verifies that it is writable. A *Refused names the
// change that a person must make. ErrLocked means that another process has the file open. With any
// other error the file may be there later. Damage in parts that a manager can do without is set
// aside: Told.
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
		err = s.openFile()
	}
	if err != nil {
		return nil, errors.Join(s.explain(err), s.release())
	}
	return s, nil
}

// openFile checks the file before anything writes to it, or creates it. Then it opens the file.
func (s *Store) openFile() error {
	isNew, err := isMissing(s.path)
	if err != nil {
		return err
	}
	if isNew {
		err = createAt(s.path)
	} else if err = s.examine(); isDamage(err) {
		err = s.salvage(err)
	}
	if err != nil {
		return err
	}
	if err := protect(s.path); err != nil {
		return err
	}
	if s.db, err = connect(s.path, "rw"); err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	s.file, err = os.Stat(s.path)
	return err
}

// examine checks a file without changing it.
func (s *Store) examine() error {
	r, err := read(s.path)
	if err != nil {
		return err
	}
	return r.db.Close()
}

// Told returns incidents for people about the opened file: damaged parts that were set aside.
func (s *Store) Told() []terms.Incident { return s.told }

// Read opens a state file for reading, even while a manager has it open.
func Read(path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	s, err := read(path)
	if err != nil {
		return nil, (&Store{path: path}).explain(err)
	}
	return s, nil
}

// read opens a state file for reading, and checks it.
func read(path string) (*Store, error) {
	s := &Store{path: path, limits: UsualLimits}
	db, err := connect(path, "ro")
	if err != nil && !hasLog(path) { // nothing else can be created in its directory
		db, err = connect(path, "immutable")
	}
	if err != nil {
		return nil, err
	}
	s.db = db
	if err = s.check(); err == nil {
		err = s.loadLIDs()
	}
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// takeLock locks a file against other managers.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(ErrLocked, lock.Close())
	}
	return lock, nil
}

// ErrLocked says that another process has the file open for writing.
var ErrLocked = errors.New("another process has it open: two managers must not share a state file")

// connect opens a database with a single connection.
func connect(path, mode string) (*sql.DB, error) {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "cell_size_check(ON)"}}
	switch mode {
	case "immutable": // as if it had no log and nobody wrote to it
		q["mode"], q["immutable"] = []string{"ro"}, []string{"1"}
	case "rw": // checkpoint copies the log
		q["_pragma"] = append(q["_pragma"], "synchronous(FULL)", "journal_size_limit(0)", "wal_autocheckpoint(0)")
	}
	if mode == "rwc" { // of a file that is synced and renamed when it is whole
		q["_pragma"] = append(q["_pragma"], "journal_mode(MEMORY)", "synchronous(OFF)")
	}
	db, err := sql.Open("sqlite", fileURL(path, q))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// fileURL returns a file's name for SQLite.
func fileURL(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: query.Encode()}).String()
}

// fileName returns a file's name for SQLite with a mode.
func fileName(path, mode string) string { return fileURL(path, url.Values{"mode": {mode}}) }

// useLog switches a database to a write-ahead log.
func useLog(db *sql.DB) error {
	var mode string
	if err := db.QueryRow("PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return refuse("the file system does not support its write-ahead log: name a file on another one")
	}
	return nil
}

// prepare brings an existing file to the present schema, marks it as open, and so tests that it can
// be written.
func (s *Store) prepare() error {
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&s.schema); err != nil {
		return err
	}
	if err := useLog(s.db); err != nil {
		return err
	}
	if err := s.takeMark(); err != nil {
		return err
	}
	if err := s.loadLIDs(); err != nil {
		return err
	}
	// A full disk or a read-only file shows here, and not in the middle of a round.
	err := s.inTx(func(tx *sql.Tx) error {
		if err := upgrade(tx, s.schema); err != nil {
			return err
		}
		return execute(tx, "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - ?", s.limits.Events)
	}, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	if err != nil {
		return err
	}
	s.schema = schemaVersion
	return s.checkpoint()
}

// upgrade adds the tables that a file of an older schema lacks.
func upgrade(tx *sql.Tx, schema int) error {
	for i, table := range []string{drainsTable, entriesTable, markTable, partitionsTable, jobsTable} {
		if schema > i+1 {
			continue
		}
		if err := execute(tx, table); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a file that is foreign, newer than this program, or damaged.
func (s *Store) check() error {
	var app, version, tables int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		return refuse("it holds nothing, so its write-ahead log is missing: %s", insteadOfCp(s.path))
	}
	if err := s.db.QueryRow("PRAGMA application_id").Scan(&app); err != nil {
		return err
	}
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case app != applicationID:
		return refuse("it is the database of another program: name another file")
	case version > schemaVersion:
		return refuse("a newer weft wrote it (schema %d; this one supports %d): run the newer one, put back a backup from before the upgrade (weft sm state %s --restore BACKUP), or name another file", version, schemaVersion, s.path)
	case version < 1:
		return refuse("unknown schema %d: want 1 to %d", version, schemaVersion)
	}
	s.schema = version
	if !s.alone {
		if err := s.checkLog(); err != nil {
			return err
		}
	}
	var verdict string
	if err := s.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return damaged(verdict)
	}
	return nil
}

// explain translates errors of SQLite into plain words.
func (s *Store) explain(err error) error {
	if _, known := errors.AsType[*Refused](err); known {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	text := err.Error()
	for _, known := range []struct {
		part string
		err  error
	}{
		{"file is not a database", refuse("it is not a database: name another file, or %s", startEmpty(s.path))},
		{"malformed", damaged("SQLite: " + text)},
		{"disk is full", errors.New("the disk is full")},
		{"unable to open database file", errors.New("it cannot be opened: its directory must exist and be writable")},
		{"readonly database", errors.New("it is read-only")},
		{"database is locked", ErrLocked},
	} {
		if strings.Contains(text, known.part) {
			if d, is := errors.AsType[*damage](known.err); is {
				known.err = d.refusal(s.path)
			}
			return fmt.Errorf("%s: %w", s.path, known.err)
		}
	}
	if d, is := errors.AsType[*damage](err); is {
		return fmt.Errorf("%s: %w", s.path, d.refusal(s.path))
	}
	if _, known := errors.AsType[*os.PathError](err); known {
		return err
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// Close marks the file as complete without its log, and closes it.
func (s *Store) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.file != nil && s.db != nil && s.inPlace() == nil {
		s.whole = s.commit(func(*sql.Tx) error { s.mark.Closed = true; return nil }) == nil
	}
	return s.release()
}

// release closes database and lock. SQLite removes the log when the last connection that may write
// is closed. Without the mark that the file is whole the log must stay: a reader joins until then.
func (s *Store) release() (err error) {
	if s.db != nil {
		if s.lock != nil && !s.whole {
			if reader, err := connect(s.path, "ro"); err == nil {
				_, _ = readMark(reader)
				defer func() { _ = reader.Close() }()
			}
		}
		err = s.db.Close()
		s.db = nil
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
		s.lock = nil
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
	return s.commit(do, pragmas...)
}

// commit runs a function in a transaction, and counts it in the mark.
func (s *Store) commit(do func(tx *sql.Tx) error, pragmas ...string) error {
	if s.db == nil {
		return errors.New("the file is closed")
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
	was := s.mark
	if err == nil {
		err = do(tx)
	}
	if err == nil {
		err = s.mark.write(tx)
	}
	if err != nil {
		s.mark = was
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		s.mark = was
		return err
	}
	s.copyLog()
	return nil
}

// execute runs a statement.
func execute(tx *sql.Tx, text string, args ...any) error {
	_, err := tx.Exec(text, args...)
	return err
}
