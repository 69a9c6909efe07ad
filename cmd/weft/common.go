package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric/source"
)

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "json", false, "print one JSON object")
}

// printJSON prints one JSON object.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// fabricFlags are the options of every command that takes a FABRIC.
type fabricFlags struct {
	ibnl  string
	quiet bool
}

func (f *fabricFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ibnl, "ibnl", "", "directory of .ibnl system definitions for topo files (default: ibnl beside the file)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not print warnings about odd input")
}

// warningsShown is how many warnings of one file are printed in full.
const warningsShown = 10

// open reads the FABRIC argument and prints what is odd about it on stderr.
func (f *fabricFlags) open(cmd *cobra.Command, arg string) (*source.Source, error) {
	src, err := source.Open(arg, source.Options{IBNL: f.ibnl, Stdin: cmd.InOrStdin()})
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		for i, w := range src.Warnings {
			if i == warningsShown {
				fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: and %d more (weft show --warnings prints all)\n", len(src.Warnings)-i)
				break
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
		}
	}
	return src, nil
}

// output calls write with the file called path, or with stdout when path is "" or
// "-". A file appears under its name only when it is complete.
func output(cmd *cobra.Command, path string, write func(io.Writer) error) (err error) {
	if path == "" || path == "-" {
		return write(cmd.OutOrStdout())
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if err := write(tmp); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// table prints rows in aligned columns.
func table(w io.Writer, rows [][]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// peakRSS is the largest resident memory of this process so far, in MB (10^6 bytes).
// What getrusage says begins with the memory of the process that started this one, so
// it is only asked where there is no /proc.
func peakRSS() float64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		var kB float64
		_, text, _ := strings.Cut(string(status), "VmHWM:")
		if _, err := fmt.Sscanf(text, "%f kB", &kB); err == nil {
			return kB * 1024 / 1e6
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) * 1024 / 1e6
}

// timed measures how long work takes, in seconds.
func timed(work func() error) (float64, error) {
	start := time.Now()
	err := work()
	return time.Since(start).Seconds(), err
}
