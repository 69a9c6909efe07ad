package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// networkFileSystems names the file systems that other machines can write to, by magic number.
// SQLite's locks and mapped memory do not work there.
var networkFileSystems = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
	0x00c36400: "Ceph", 0x5346414f: "AFS", 0x73757245: "Coda", 0x19830326: "BeeGFS", 0x65735546: "FUSE (such as sshfs or GlusterFS)",
	0x7461636f: "OCFS2", 0x01161970: "GFS2", 0xaad7aaea: "PanFS", 0x20030528: "OrangeFS",
}

// statfs is the system call of this name.
type statfs func(string, *syscall.Statfs_t) error

// networkFileSystem does the work of NetworkFileSystem.
func networkFileSystem(dir string, statfs statfs) (string, error) {
	var s syscall.Statfs_t
	if err := statfs(dir, &s); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return networkFileSystems[uint32(s.Type)], nil
}

// NetworkFileSystem returns the kind of network file system of a folder, "" for a local disk.
func NetworkFileSystem(dir string) (string, error) { return networkFileSystem(dir, syscall.Statfs) }

// checkPlace returns an error if a path is on a network file system.
func checkPlace(path string, statfs statfs) error {
	kind, err := networkFileSystem(filepath.Dir(path), statfs)
	if err == nil && kind != "" {
		err = fmt.Errorf("%s lies on a network file system, %s: SQLite's locks do not hold there, and two machines could spoil the file. "+
			"Put the store on a local disk; on shared disks let each worker write its part (--shard I/N -o FOLDER), and merge them (weft lab merge)", path, kind)
	}
	return err
}

// errLocked says that another process writes to the store.
var errLocked = errors.New("another process has it open: a store has one writer. More workers of one sweep write parts: --shard I/N -o FOLDER")

// takeLock locks a file beside the store; the lock ends with the process.
func takeLock(path string) (*os.File, error) {
	for {
		lock, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, errLocked), lock.Close())
		}
		// The process that had the lock may have removed the file between both calls. A lock on a
		// file without a name keeps nobody out.
		mine, err := lock.Stat()
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if named, err := os.Stat(lock.Name()); err == nil && os.SameFile(mine, named) {
			return lock, nil
		}
		lock.Close()
	}
}

// dropLock removes the file of a lock, and then ends the lock: in the other order it could remove
// the file of the next process.
func dropLock(lock *os.File) error { return errors.Join(os.Remove(lock.Name()), lock.Close()) }

// copied says that an open store is a copy in a folder dir: Close puts it in place as path.
type copied struct{ path, dir string }

// OpenAnywhere opens a store for writing as Open does. On a network file system it writes a copy in
// a local folder for temporary files; Close puts the copy in place by rename.
func OpenAnywhere[R any](path string) (*Store[R], error) {
	return openAnywhere[R](path, os.TempDir(), syscall.Statfs)
}

func openAnywhere[R any](path, temporary string, statfs statfs) (*Store[R], error) {
	kind, err := networkFileSystem(filepath.Dir(path), statfs)
	if err != nil {
		return nil, err
	}
	if kind == "" {
		return Open[R](path)
	}
	if own, err := networkFileSystem(temporary, statfs); err != nil || own != "" {
		return nil, errors.Join(err, fmt.Errorf("%s lies on %s, and the folder for temporary files, %s, is not local either: set TMPDIR to a folder on a local disk", path, kind, temporary))
	}
	dir, err := os.MkdirTemp(temporary, "weft-store-")
	if err != nil {
		return nil, err
	}
	work := filepath.Join(dir, "store.db")
	if err = copyFile(path, work); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var s *Store[R]
	if err == nil {
		s, err = Open[R](work)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.copied = &copied{path, dir}
	return s, nil
}

// end puts the copy in place, unless err says that it is not whole, and removes the folder.
func (c *copied) end(err error) error {
	if err == nil {
		next := filepath.Join(filepath.Dir(c.path), "."+filepath.Base(c.path)+temporaryMark+filepath.Base(c.dir))
		if err = copyFile(filepath.Join(c.dir, "store.db"), next); err == nil {
			err = os.Rename(next, c.path)
		}
		if err != nil {
			os.Remove(next)
		}
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// copyFile copies a file, and waits until it is on disk.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
