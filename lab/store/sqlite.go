package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// applicationID marks the files of a store: "wlab".
const applicationID = 0x776c6162

// batch is the most rows of a transaction, and patience the longest time that a row waits for its
// transaction.
const (
	batch    = 500
	patience = time.Second
)

// Store is an open file of rows. It is safe for concurrent use.
type Store[R any] struct {
	queue[R]
	path    string
	columns []Column
	lock    *os.File // nil if read-only
	db      *sql.DB
	copied  *copied // of a store on a network file system
}

// Open opens a store for writing, or creates it. It refuses a network file system, a second writer,
// a file that is no store, and a store whose rows have other columns.
func Open[R any](path string) (*Store[R], error) {
	if err := checkPlace(path, syscall.Statfs); err != nil {
		return nil, err
	}
	lock, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	s := &Store[R]{path: path, columns: Columns[R](), lock: lock}
	s.most, s.patience, s.write = batch, patience, s.insert
	if err = s.connect("rwc"); err == nil {
		err = s.create()
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Read opens a store for reading. On a network file system it takes no locks: nobody changes such a
// file in place.
func Read[R any](path string) (*Store[R], error) { return read[R](path, syscall.Statfs) }

func read[R any](path string, statfs statfs) (*Store[R], error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	mode := "rw&_pragma=query_only(1)" // rw: it may have to take back the last write of a killed process
	if kind, err := networkFileSystem(filepath.Dir(path), statfs); err == nil && kind != "" {
		mode = "ro&immutable=1"
	}
	s := &Store[R]{path: path, columns: Columns[R]()}
	err := s.connect(mode)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store[R]) connect(mode string) (err error) {
	full, err := filepath.Abs(s.path)
	if err != nil {
		return err
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "synchronous(NORMAL)"}}
	if s.db, err = sql.Open("sqlite", "file:"+(&url.URL{Path: full}).EscapedPath()+"?mode="+mode+"&"+q.Encode()); err == nil {
		s.db.SetMaxOpenConns(1)
	}
	return err
}

// create makes the tables of a new file.
func (s *Store[R]) create() error {
	// A process that was killed while it made the tables has left part of them. Reading takes that
	// back: the file is empty again.
	var version int
	if err := s.db.QueryRow("PRAGMA schema_version").Scan(&version); err != nil {
		return nil // check says why
	}
	info, err := os.Stat(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() > 0 {
		return nil
	}
	var cells []string
	for i := range s.columns {
		c := &s.columns[i]
		cell := fmt.Sprintf("%q %s", c.Name, c.sql())
		switch {
		case c.Name == keyColumn:
			cell += " PRIMARY KEY"
		case !c.Optional():
			cell += " NOT NULL"
		}
		cells = append(cells, cell)
	}
	// One transaction makes the tables and the mark, so that a killed process leaves all of them or
	// an empty file.
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	_, err = tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; CREATE TABLE rows (%s) STRICT; CREATE TABLE about (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;",
		applicationID, strings.Join(cells, ", ")))
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// check returns an error if the file is no store of these rows.
func (s *Store[R]) check() error {
	var id int
	if err := s.db.QueryRow("PRAGMA application_id").Scan(&id); err != nil || id != applicationID {
		return fmt.Errorf("%s: no store of weft lab", s.path)
	}
	rows, err := s.db.Query("SELECT name FROM pragma_table_info('rows')")
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	defer func() { _ = rows.Close() }() // its error is in Err
	var have []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		have = append(have, name)
	}
	if !slices.Equal(have, Head(s.columns)) {
		return fmt.Errorf("%s: another version of weft made it, with other columns: export it with that version, and begin a new store", s.path)
	}
	return rows.Err()
}

// Rows returns all rows, in the order of their names.
func (s *Store[R]) Rows() (list []R, err error) {
	rows, err := s.db.Query(`SELECT * FROM rows ORDER BY "case"`)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	defer func() { _ = rows.Close() }() // its error is in Err
	for rows.Next() {
		var r R
		cells := make([]any, len(s.columns))
		for i := range cells {
			cells[i] = fieldOf(&r, &s.columns[i])
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// insert stores rows, each in place of one of the same name.
func (s *Store[R]) insert(rows []R) error {
	tx, err := s.db.Begin()
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	insert, err := tx.Prepare("INSERT OR REPLACE INTO rows VALUES (?" + strings.Repeat(", ?", len(s.columns)-1) + ")")
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	for i := range rows {
		cells := make([]any, len(s.columns))
		for k := range cells {
			cells[k] = Value(&rows[i], &s.columns[k])
		}
		if _, err := insert.Exec(cells...); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s.path, err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// SetAbout stores a text about the rows by its name, such as the description of the sweep.
func (s *Store[R]) SetAbout(name, text string) error {
	_, err := s.db.Exec("INSERT OR REPLACE INTO about VALUES (?, ?)", name, text)
	return err
}

// About returns a text about the rows, "" if there is none.
func (s *Store[R]) About(name string) (text string, err error) {
	err = s.db.QueryRow("SELECT text FROM about WHERE name = ?", name).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return text, err
}

// Close writes the waiting rows, and closes the file.
func (s *Store[R]) Close() (err error) {
	if s.db != nil {
		err = errors.Join(s.Flush(), s.db.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, dropLock(s.lock))
	}
	if s.copied != nil {
		err = s.copied.end(err)
	}
	return err
}
