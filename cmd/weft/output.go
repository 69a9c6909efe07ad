package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// output calls write with the file called path, or with stdout when path is "" or
// "-".
func output(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	o, err := openOutput(cmd, path)
	if err != nil {
		return err
	}
	return o.write(write)
}

// outputFile is a file that is going to be written. It appears under its name only when
// it is complete, with the mode of the one that it replaces; a device, a pipe or what is
// open already (/dev/stdout) is written to, never replaced.
type outputFile struct {
	to     io.Writer
	file   *os.File  // to be closed; nil for what is open already
	rename string    // what a temporary file is to be called
	path   string    // as the user named it
	told   io.Writer // where it is said that the file was written
	mode   fs.FileMode
}

// openOutput opens the file called path, or stdout when path is "" or "-".
func openOutput(cmd *cobra.Command, path string) (*outputFile, error) {
	if path == "" || path == "-" {
		return &outputFile{to: cmd.OutOrStdout()}, nil
	}
	o := &outputFile{rename: path, path: path, told: cmd.ErrOrStderr(), mode: 0o644}
	if info, err := os.Stat(path); err == nil {
		for _, std := range []*os.File{os.Stdout, os.Stderr} {
			if open, err := std.Stat(); err == nil && os.SameFile(info, open) {
				return &outputFile{to: std}, nil
			}
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &outputFile{to: f, file: f}, err
		}
		o.mode = info.Mode().Perm()
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

// write calls write and finishes the file; when that fails, nothing is left of it.
func (o *outputFile) write(write func(io.Writer) error) error {
	err := write(o.to)
	if o.file == nil {
		return err
	}
	if o.rename != "" && err == nil {
		err = o.file.Chmod(o.mode)
	}
	err = errors.Join(err, o.file.Close())
	switch {
	case o.rename == "":
	case err == nil:
		if err = os.Rename(o.file.Name(), o.rename); err == nil {
			fmt.Fprintln(o.told, "weft: wrote", o.path)
		}
	default:
		os.Remove(o.file.Name())
	}
	return err
}

// drop leaves the file unwritten.
func (o *outputFile) drop() {
	if o.file != nil {
		o.file.Close()
		if o.rename != "" {
			os.Remove(o.file.Name())
		}
	}
}

// outputFiles are files that are going to be written; nil for one that is not wanted.
type outputFiles []*outputFile

// openOutputs opens the files of these names, before the work whose results they take; ""
// is none. Either all are opened or none is.
func openOutputs(cmd *cobra.Command, paths ...string) (outputFiles, error) {
	files := make(outputFiles, len(paths))
	for i, path := range paths {
		if path == "" {
			continue
		}
		var err error
		if files[i], err = openOutput(cmd, path); err != nil {
			files[i] = nil
			files.drop()
			return nil, err
		}
	}
	return files, nil
}

// writeAll writes the files, each by the function in its place; one without a function is
// left unwritten. One that cannot be written does not keep the others from it.
func (o outputFiles) writeAll(write []func(io.Writer) error) (err error) {
	for i, f := range o {
		switch {
		case f == nil:
		case write[i] == nil:
			f.drop()
		default:
			err = errors.Join(err, f.write(write[i]))
		}
	}
	return err
}

// drop leaves all files unwritten.
func (o outputFiles) drop() {
	for _, f := range o {
		if f != nil {
			f.drop()
		}
	}
}

// unless returns nil where there is nothing to write.
func unless(nothing bool, write func(io.Writer) error) func(io.Writer) error {
	if nothing {
		return nil
	}
	return write
}

// writeQuietly writes a file that the output names itself.
func writeQuietly(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	o, err := openOutput(cmd, path)
	if err != nil {
		return err
	}
	o.told = io.Discard
	return o.write(write)
}
