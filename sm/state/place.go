package state

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// inPlace verifies that the open file is still at its path: data written to a removed file would be
// lost at the next restart. It creates a removed file again, with all its contents.
func (s *Store) inPlace() error {
	if s.file == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	switch {
	case err == nil && os.SameFile(now, s.file):
		return nil
	case err == nil:
		return errors.New("another file has taken its place: move that file away, and the next write restores this one")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	held, err := s.lock.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(s.lock.Name()); err != nil || !os.SameFile(held, there) {
		lock, err := takeLock(s.path)
		if err != nil {
			return err
		}
		_ = s.lock.Close()
		s.lock = lock
	}
	return s.writeAnew()
}

// writeAnew copies the contents of the open file to a new one at its path, and switches to that.
func (s *Store) writeAnew() error {
	next := s.path + "-anew"
	for _, path := range []string{next, s.path + "-wal", s.path + "-shm"} { // leftovers of an interrupted attempt, and of the removed file
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := s.db.Exec("VACUUM INTO ?", next); err != nil {
		return err
	}
	if err := syncPath(next); err != nil {
		return err
	}
	if err := os.Rename(next, s.path); err != nil {
		return err
	}
	db, file, err := reopen(s.path)
	if err != nil {
		return errors.Join(err, os.Remove(s.path)) // the next attempt writes it again
	}
	_ = s.db.Close() // SQLite sees that its file is gone, and does not touch the log of the new one
	s.db, s.file = db, file
	return nil
}

// reopen opens a file just written.
func reopen(path string) (db *sql.DB, file os.FileInfo, err error) {
	if err := syncPath(filepath.Dir(path)); err != nil {
		return nil, nil, err
	}
	if file, err = os.Stat(path); err != nil {
		return nil, nil, err
	}
	if db, err = connect(path, "rw"); err != nil {
		return nil, nil, err
	}
	if err = useLog(db); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

// syncPath syncs a file or a directory to disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
