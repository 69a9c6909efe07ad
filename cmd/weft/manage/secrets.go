package manage

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"weft/internal/configfile"
)

// Mode bits that give access to others.
const (
	groupAndAll = 0o077 // beside the owner
	allOthers   = 0o007 // beside the owner and the group
)

// readPrivate reads a file with secrets, up to a number of bytes, and refuses one that others may
// read.
func readPrivate(path string, others os.FileMode, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK: a pipe must not block
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := isPrivate(f, others); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// isPrivate refuses a file that others may read.
func isPrivate(f *os.File, others os.FileMode) error {
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&others != 0 {
		err = fmt.Errorf("%s: others may read the secret in it: run chmod 600 %[1]s", f.Name())
	}
	return err
}

// secretOptions are the options whose values are secrets.
var secretOptions = []string{"m-key", "sm-key", "cc-key"}

// holdsSecret reports whether one of the options of a configuration file is a secret. The default
// of an option is none.
func holdsSecret(file *configfile.File, flags *pflag.FlagSet) bool {
	return slices.ContainsFunc(file.Settings, func(s configfile.Setting) bool {
		f := flags.Lookup(s.Option)
		return slices.Contains(secretOptions, s.Option) && f.Value.String() != f.DefValue
	})
}
