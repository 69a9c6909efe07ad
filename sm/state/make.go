package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/sm/terms"
)

// companions end the names of files that belong to a database file.
var companions = []string{"-wal", "-shm", "-journal"}

// protect gives a file and its log to their owner alone.
func protect(path string) error {
	for _, name := range []string{path, path + "-lock", path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(name, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// build makes a whole file with a function, next to its later path, and moves it there.
func build(path string, copied int64, fill func(next string) error) error {
	next := path + "-anew"
	if err := removeAll(next); err != nil { // left by an interrupted attempt
		return err
	}
	f, err := os.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = f.Close()
	if err == nil {
		err = fill(next)
	}
	if err == nil {
		err = seal(next, copied)
	}
	if err == nil {
		err = dropCompanions(path) // of a file that is gone
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, removeAll(next))
	}
	return syncPath(filepath.Dir(path))
}

// removeAll removes a file and its companions, if they are there.
func removeAll(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return dropCompanions(path)
}

// dropCompanions removes the companions of a missing file.
func dropCompanions(path string) error {
	for _, end := range companions {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// createAt makes a new file.
func createAt(path string) error { return build(path, 0, fillSchema) }

// fillSchema makes the tables of a new file.
func fillSchema(next string) error {
	db, err := connect(next, "rwc")
	if err != nil {
		return err
	}
	for _, text := range []string{schema, fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)} {
		if err == nil {
			_, err = db.Exec(text)
		}
	}
	return errors.Join(err, db.Close())
}

// vacuum copies the contents that a connection sees into a file.
func vacuum(db *sql.DB, next string) error {
	_, err := db.Exec("VACUUM INTO ?", next)
	return err
}

// Backup copies the contents of a state file to another path while a manager may be writing to it.
// It replaces a file there only if told to.
func Backup(now time.Time, path, to string, replace bool) error {
	s, err := Read(path)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if err := mayReplace(path, to, replace); err != nil {
		return err
	}
	if err := build(to, now.UnixMilli(), func(next string) error { return vacuum(s.db, next) }); err != nil {
		return (&Store{path: to}).explain(err)
	}
	return nil
}

// mayReplace refuses a path of a backup that is in use.
func mayReplace(path, to string, replace bool) error {
	there, err := os.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !there.Mode().IsRegular():
		return fmt.Errorf("%s: it is not a file: name one", to)
	}
	if here, err := os.Stat(path); err != nil || os.SameFile(here, there) {
		return errors.Join(err, fmt.Errorf("%s: it is the state itself: name another file", to))
	}
	if !replace {
		return fmt.Errorf("%s is there already: name another file, or add --force to replace it", to)
	}
	lock, err := takeLock(to) // it may be the state of another manager
	if err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	return errors.Join(lock.Close(), os.Remove(lock.Name()))
}

// Restore puts a backup in place of a state file that no manager has open. It returns where the
// file that was there is now; "" if there was none. If told to, it takes the contents of a copy
// without its log.
func Restore(path, from string, incomplete bool) (aside string, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", err
	}
	if here, err := os.Stat(path); err == nil && os.SameFile(here, info) {
		return "", fmt.Errorf("%s: it is the state itself: name a copy", from)
	}
	s, err := Read(from)
	if err != nil && incomplete {
		s, err = readAlone(from)
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	made := info.ModTime().UnixMilli()
	if m, err := readMark(s.db); err == nil && m.Copied != 0 {
		made = m.Copied
	}
	return replaced(path, func() error {
		return build(path, made, func(next string) error { return vacuum(s.db, next) })
	})
}

// readAlone reads a file without its log.
func readAlone(path string) (*Store, error) {
	s := &Store{path: path, limits: UsualLimits, alone: true}
	var err error
	if s.db, err = connect(path, "immutable"); err == nil {
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

// StartEmpty moves a state file away that no manager has open, so that the next start has an empty
// one. It returns where the file is now.
func StartEmpty(path string) (aside string, err error) {
	return replaced(path, func() error { return nil })
}

// replaced moves a state file away and puts another in its place, while it holds the lock.
func replaced(path string, put func() error) (aside string, err error) {
	lock, err := takeLock(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w: stop the manager first", path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	aside, err = setAside(path)
	if err != nil {
		return "", (&Store{path: path}).explain(err)
	}
	if err := put(); err != nil {
		err = (&Store{path: path}).explain(err)
		if aside != "" {
			err = errors.Join(err, putBack(aside, path))
		}
		return "", err
	}
	return aside, nil
}

// setAside renames a file and its log, and returns the new name; "" if neither is there.
func setAside(path string) (aside string, err error) {
	aside = freeName(path + ".aside-")
	moved, err := moveAll(path, aside)
	if err != nil || !moved {
		return "", err
	}
	return aside, syncPath(filepath.Dir(path))
}

// moveAll renames a file and its companions, and reports whether one of them was there.
func moveAll(from, to string) (moved bool, err error) {
	for _, end := range append([]string{""}, companions...) {
		switch err := os.Rename(from+end, to+end); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return moved, err
		default:
			moved = true
		}
	}
	return moved, nil
}

// freeName numbers a name that no file has, nor a log.
func freeName(start string) string {
	for n := 1; ; n++ {
		name := fmt.Sprint(start, n)
		_, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) && !hasLog(name) {
			return name
		}
	}
}

// putBack takes a file back that was set aside.
func putBack(aside, path string) error {
	_, err := moveAll(aside, path)
	return err
}

// parts of a file. Without the needed ones a manager would move LIDs, use drained parts, or take
// ports out of partitions.
var parts = []struct {
	table, words string
	needed       bool
}{
	{"lids", "LIDs", true},
	{"drains", "drained parts", true},
	{"partitions", "partitions of programs", true},
	{"plans", "Plans", false},
	{"jobs", "jobs that run", false},
	{"entries", "services, subscriptions and groups of clients", false},
	{"subnet", "the last discovered subnet", false},
	{"events", "the log of events", false},
}

// salvage builds a new file from the undamaged parts of a damaged one, which it sets aside. It
// returns the damage if a needed part is damaged too.
func (s *Store) salvage(why error) error {
	db, err := connect(s.path, "ro")
	if err != nil {
		return why
	}
	old := &Store{path: s.path, limits: s.limits, db: db}
	if err := errors.Join(db.QueryRow("PRAGMA user_version").Scan(&old.schema), old.loadLIDs()); err != nil {
		return errors.Join(why, db.Close())
	}
	whole, lost, err := old.wholeParts()
	if err = errors.Join(err, db.Close()); err != nil {
		return errors.Join(why, err)
	}
	rescued := s.path + ".rescued"
	if err := build(rescued, 0, func(next string) error { return copyParts(next, s.path, whole) }); err != nil {
		_ = removeAll(rescued)
		return err
	}
	aside, err := setAside(s.path)
	if err != nil {
		return err
	}
	if err := os.Rename(rescued, s.path); err != nil {
		return errors.Join(err, putBack(aside, s.path))
	}
	what := "nothing is lost"
	if len(lost) > 0 {
		what = "lost: " + strings.Join(lost, ", ")
	}
	s.told = append(s.told, terms.Incident{Kind: terms.SetAside, Text: fmt.Sprintf("%s was damaged (%v); %s. All else is kept. The damaged file is now %s", s.path, why, what, aside)})
	return syncPath(filepath.Dir(s.path))
}

// wholeParts checks each part alone.
func (s *Store) wholeParts() (whole, lost []string, err error) {
	for _, p := range parts {
		var n int
		if err := s.db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", p.table).Scan(&n); err != nil {
			return nil, nil, err
		}
		if n == 0 { // an older schema
			continue
		}
		switch s.isWhole(p.table) {
		case true:
			whole = append(whole, p.table)
		default:
			if p.needed {
				return nil, nil, damaged(p.words)
			}
			lost = append(lost, p.words)
		}
	}
	return whole, lost, nil
}

// isWhole reports whether a table has no damage and can be read to its end.
func (s *Store) isWhole(table string) bool {
	var verdict string
	if err := s.db.QueryRow("PRAGMA quick_check('" + table + "')").Scan(&verdict); err != nil || verdict != "ok" {
		return false
	}
	return s.each(func(*sql.Rows) error { return nil }, "SELECT * FROM "+table) == nil
}

// copyParts makes a file with some tables of another one.
func copyParts(next, from string, tables []string) error {
	if err := fillSchema(next); err != nil {
		return err
	}
	db, err := connect(next, "rwc")
	if err != nil {
		return err
	}
	_, err = db.Exec("ATTACH ? AS old", fileName(from, "ro"))
	for _, table := range tables {
		if err == nil {
			_, err = db.Exec("INSERT INTO main." + table + " SELECT * FROM old." + table)
		}
	}
	return errors.Join(err, db.Close())
}
