package manage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
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

// withoutSecrets leaves a secret with a wrong form out of an error: the log has the error, and a
// misspelt key is almost the key.
func withoutSecrets(file *configfile.File, err error) error {
	wrong, ok := errors.AsType[*configfile.Error](err)
	for i := range file.Settings {
		s := &file.Settings[i]
		if ok && slices.Contains(secretOptions, s.Option) && s.Line == wrong.Line && len(s.Values) == 1 {
			hidden := *wrong
			hidden.Text, hidden.Err = strings.Replace(wrong.Text, s.Values[0], "SECRET", 1), nil
			return &hidden
		}
	}
	return err
}
