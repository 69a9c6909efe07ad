package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// Output calls write with the file path, or with stdout if path is "" or "-".
func Output(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	o, err := OpenOutput(cmd, path)
	if err != nil {
		return err
	}
	return o.Write(write)
}

// OutputFile is a file to be written. It appears under its name only when it is complete, with the
// mode of the file that it replaces. Devices, pipes and open files (/dev/stdout) are written to,
// never replaced.
type OutputFile struct {
	to     io.Writer
	file   *os.File  // to be closed; nil for what is open already
	rename string    // what a temporary file is to be called
	path   string    // as the user named it
	Told   io.Writer // where it is said that the file was written
	Mode   fs.FileMode
	// Durable says that a power cut must leave the old file or the new one.
	Durable bool
}

// OpenOutput opens the file path, or stdout if path is "" or "-".
func OpenOutput(cmd *cobra.Command, path string) (*OutputFile, error) {
	if path == "" || path == "-" {
		return &OutputFile{to: cmd.OutOrStdout()}, nil
	}
	o := &OutputFile{rename: path, path: path, Told: cmd.ErrOrStderr(), Mode: 0o644}
	if info, err := os.Stat(path); err == nil {
		for _, std := range []*os.File{os.Stdout, os.Stderr} {
			if open, err := std.Stat(); err == nil && os.SameFile(info, open) {
				return &OutputFile{to: std}, nil
			}
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &OutputFile{to: f, file: f}, err
		}
		o.Mode = info.Mode().Perm()
		if o.rename, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(o.rename), "."+filepath.Base(o.rename)+".*")
	if failure, ok := errors.AsType[*fs.PathError](err); ok {
		failure.Path = path // whose name the user knows
	}
	o.file, o.to = f, f
	return o, err
}

// Write calls write and finishes the file; if that fails, it removes the file.
func (o *OutputFile) Write(write func(io.Writer) error) error {
	err := write(o.to)
	if o.file == nil {
		return err
	}
	if o.rename != "" && err == nil {
		err = o.file.Chmod(o.Mode)
		if err == nil && o.Durable {
			err = o.file.Sync()
		}
	}
	err = errors.Join(err, o.file.Close())
	switch {
	case o.rename == "":
	case err == nil:
		if err = os.Rename(o.file.Name(), o.rename); err == nil {
			fmt.Fprintln(o.Told, "weft: wrote", o.path)
		}
	default:
		os.Remove(o.file.Name())
	}
	return err
}

// Drop discards the file.
func (o *OutputFile) Drop() {
	if o.file != nil {
		o.file.Close()
		if o.rename != "" {
			os.Remove(o.file.Name())
		}
	}
}

// OutputFiles are files to be written; an entry is nil if its file is not wanted.
type OutputFiles []*OutputFile

// OpenOutputs opens files before the work whose results they take. An empty name is a file that is
// not wanted. It opens either all files or none.
func OpenOutputs(cmd *cobra.Command, paths ...string) (OutputFiles, error) {
	files := make(OutputFiles, len(paths))
	for i, path := range paths {
		if path == "" {
			continue
		}
		var err error
		if files[i], err = OpenOutput(cmd, path); err != nil {
			files[i] = nil
			files.Drop()
			return nil, err
		}
	}
	return files, nil
}

// WriteAll writes each file with the function at its index, and discards files without a function.
// After an error it goes on with the other files.
func (o OutputFiles) WriteAll(write []func(io.Writer) error) (err error) {
	for i, f := range o {
		switch {
		case f == nil:
		case write[i] == nil:
			f.Drop()
		default:
			err = errors.Join(err, f.Write(write[i]))
		}
	}
	return err
}

// Drop discards all files.
func (o OutputFiles) Drop() {
	for _, f := range o {
		if f != nil {
			f.Drop()
		}
	}
}

// Unless returns write, or nil if there is nothing to write.
func Unless(nothing bool, write func(io.Writer) error) func(io.Writer) error {
	if nothing {
		return nil
	}
	return write
}

// WriteQuietly writes a file without a message, because the output names it.
func WriteQuietly(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	o, err := OpenOutput(cmd, path)
	if err != nil {
		return err
	}
	o.Told = io.Discard
	return o.Write(write)
}
