package state

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// inPlace makes sure that the open file is the one that stands under its name: what is written to a file that was removed nobody finds after a restart. One that was
// removed is written anew, with all that it had.
func (s *Store) inPlace() error {
	if s.file == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	switch {
	case err == nil && os.SameFile(now, s.file):
		return nil
	case err == nil:
		return errors.New("another file has taken its place: move that one away, and it is written anew")
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

// writeAnew writes what the open file holds under its name, and goes on with that.
func (s *Store) writeAnew() error {
	next := s.path + "-anew"
	for _, path := range []string{next, s.path + "-wal", s.path + "-shm"} { // of an attempt that was cut off, and of the file that was removed
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
	_ = s.db.Close() // SQLite sees that its file is not there any more, and leaves the log of the new one alone
	s.db, s.file = db, file
	return nil
}

// reopen opens a file that was just written.
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

// syncPath has a file or a directory outlive a power cut.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
