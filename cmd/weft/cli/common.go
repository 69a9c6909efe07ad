// Package cli holds the common code of the commands of weft: common flags, reading the fabrics and
// routings that they name, output files, answers as JSON or text, progress, and exit statuses.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/configfile"
	"weft/internal/spelling"
)

// JSONFlag adds --json.
func JSONFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "json", false, "print the result as one JSON object")
}

// PrintJSON prints one JSON object.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// OneArgument requires exactly one argument, named what in errors.
func OneArgument(what string) cobra.PositionalArgs { return ArgumentOrList(what, "", new(bool)) }

// Arguments requires at least one argument, named what in errors.
func Arguments(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs at least one %s (see %[1]s --help)", cmd.CommandPath(), what)
		}
		return nil
	}
}

// ArgumentOrList requires one argument, or none if the flag for a list is given.
func ArgumentOrList(what, flag string, list *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case *list && len(args) > 0:
			return fmt.Errorf("--%s takes no %s", flag, what)
		case !*list && len(args) != 1:
			return fmt.Errorf("%s needs exactly one %s, got %d (see %[1]s --help)", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// SubcommandOnly accepts no argument except the name of a subcommand.
func SubcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("%s has no command %q%s (there are: %s)", cmd.CommandPath(), args[0], spelling.Hint(args[0], names), strings.Join(names, ", "))
}

// unknownFlag adds the most similar flag to the error about an unknown one.
func unknownFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
}

// NoArguments accepts no argument.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// cores is the value of --jobs: a number of cores.
type cores int

// jobsMost limits --jobs, and so the scratch memory of the cores.
const jobsMost = 1024

// JobsFlag adds --jobs; the default is all cores.
func JobsFlag(cmd *cobra.Command, v *int) {
	*v = min(runtime.GOMAXPROCS(0), jobsMost)
	cmd.Flags().VarP((*cores)(v), "jobs", "j", "number `N` of cores to use; the result does not depend on it")
}

func (j *cores) String() string { return strconv.Itoa(int(*j)) }
func (j *cores) Type() string   { return "int" }

// Set implements pflag.Value.
func (j *cores) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > jobsMost {
		return fmt.Errorf("want a whole number from 1 to %d", jobsMost)
	}
	*j = cores(n)
	return nil
}

// AnswerTo returns the stream for the answer of a command that writes these files: stderr if one of
// them is "-", else stdout. An empty name is a file that is not wanted.
func AnswerTo(cmd *cobra.Command, files ...string) (io.Writer, error) {
	for i, path := range files {
		if path != "" && slices.Contains(files[:i], path) {
			return nil, fmt.Errorf("two output files have the same name %q", path)
		}
	}
	if slices.Contains(files, "-") {
		return cmd.ErrOrStderr(), nil
	}
	return cmd.OutOrStdout(), nil
}

// PeakRSS returns the peak resident memory of this process in MB (10^6 bytes). It uses getrusage
// only without /proc: that value starts with the memory of the parent process.
func PeakRSS() float64 {
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

// FlagError words the error of a wrong option or value.
func FlagError(cmd *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return unknownFlag(cmd, err)
	}
	return fmt.Errorf("--%s %s", wrong.GetFlag().Name, configfile.Wrong(wrong))
}

// Version is the release; the build adds the commit.
const Version = "0.1.0"

// Commit returns the commit that the program was built from; "unknown" if the build does not record
// it.
func Commit() string {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += ", changed since"
			}
		}
	}
	return commit
}
