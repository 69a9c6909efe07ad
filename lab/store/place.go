package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// networks names the file systems that other machines can write to, by magic number. SQLite needs
// locks and mapped memory, which do not hold there.
var networks = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
	0x00c36400: "Ceph", 0x5346414f: "AFS", 0x73757245: "Coda", 0x19830326: "BeeGFS", 0x65735546: "FUSE (such as sshfs or GlusterFS)",
	0x7461636f: "OCFS2", 0x01161970: "GFS2", 0xaad7aaea: "PanFS", 0x20030528: "OrangeFS",
}

// networkOf returns the kind of network file system that a folder is on, "" for a local disk.
func networkOf(dir string, statfs func(string, *syscall.Statfs_t) error) (string, error) {
	var s syscall.Statfs_t
	if err := statfs(dir, &s); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return networks[uint32(s.Type)], nil
}

// checkPlace returns an error if a path is on a network file system.
func checkPlace(path string, statfs func(string, *syscall.Statfs_t) error) error {
	kind, err := networkOf(filepath.Dir(path), statfs)
	if err == nil && kind != "" {
		err = fmt.Errorf("%s lies on a network file system, %s: SQLite's locks do not hold there, and two machines could spoil the file. "+
			"Put the store on a local disk; on shared disks let each worker write its part (--shard I/N -o FOLDER), and merge them into a local store (weft lab merge)", path, kind)
	}
	return err
}

// errLocked says that another process writes to the store.
var errLocked = errors.New("another process has it open: a store has one writer. More workers of one sweep write parts: --shard I/N -o FOLDER")

// takeLock locks a file beside the store; the lock ends with the process.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, errLocked), lock.Close())
	}
	return lock, nil
}
