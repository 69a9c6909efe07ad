package state

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
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
	if err := build(s.path, 0, func(next string) error { return vacuum(s.db, next) }); err != nil {
		return err
	}
	db, file, err := reopen(s.path)
	if err != nil {
		return errors.Join(err, os.Remove(s.path)) // the next attempt writes it again
	}
	_ = s.db.Close() // SQLite sees that its file is gone, and does not touch the log of the new one
	s.db, s.file = db, file
	if err := s.takeMark(); err != nil {
		return err
	}
	if err := s.commit(func(*sql.Tx) error { return nil }); err != nil {
		return err
	}
	return s.checkpoint()
}

// reopen opens a file just written.
func reopen(path string) (db *sql.DB, file os.FileInfo, err error) {
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
