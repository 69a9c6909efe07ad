// Package otherfiles shows files without a topology for weft show: forwarding tables, and lists of
// subnet managers.
package otherfiles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric/netfile"
	"weft/fabric/netfile/managers"
	"weft/fabric/netfile/tables"
	"weft/study/show"
)

// kind is the content of a file.
type kind string

const (
	topology kind = "a topology"
	lfts     kind = "forwarding tables"
	sms      kind = "subnet managers"
)

// kindOf looks at the beginning of a file. A file that cannot be read counts as a topology: the
// reader of topologies reports the error.
func kindOf(name string) kind {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return topology // it can be read only once, and its writer may let the opening wait
	}
	f, err := os.Open(name)
	if err != nil {
		return topology
	}
	defer f.Close()
	begin, _ := bufio.NewReaderSize(f, 1<<16).Peek(1 << 16)
	switch {
	case tables.IsLFTs(begin):
		return lfts
	case managers.Is(begin):
		return sms
	}
	return topology
}

// Show shows a file without a topology, or compares it with another one. It returns false for
// topologies, which it leaves alone.
func Show(cmd *cobra.Command, arg, other string, form cli.Form, alone bool) (handled bool, err error) {
	what := kindOf(arg)
	if with := kindOf(other); other != "" && with != what {
		return true, fmt.Errorf("%s holds %s, %s %s: compare files of one kind (weft route FABRIC --lfts FILE writes the tables of a routing)", arg, what, other, with)
	}
	if what == topology {
		return false, nil
	}
	if !alone {
		return true, fmt.Errorf("%s holds %s: with such a file weft show takes --diff, --json and --quiet alone", arg, what)
	}
	if what == lfts {
		return true, showTables(cmd, arg, other, form)
	}
	return true, showManagers(cmd, arg, other, form)
}

// difference is a document that says whether something changed.
type difference interface {
	cli.Document
	IsEqual() bool
}

func answerDifference(cmd *cobra.Command, d difference, form cli.Form) error {
	if err := cli.Answer(cmd.OutOrStdout(), d, form.JSON); err != nil || d.IsEqual() {
		return err
	}
	return cli.AnswerNo
}

func showTables(cmd *cobra.Command, arg, other string, form cli.Form) error {
	now, notes, err := read(cmd, arg, form, netfile.ReadLFTs)
	if err != nil || other == "" {
		if err == nil {
			err = cli.Answer(cmd.OutOrStdout(), show.NewTables(arg, now, notes), form.JSON)
		}
		return err
	}
	was, _, err := read(cmd, other, form, netfile.ReadLFTs)
	if err != nil {
		return err
	}
	return answerDifference(cmd, show.CompareTables(was, now), form)
}

func showManagers(cmd *cobra.Command, arg, other string, form cli.Form) error {
	now, notes, err := read(cmd, arg, form, managers.Read)
	if err != nil || other == "" {
		if err == nil {
			err = cli.Answer(cmd.OutOrStdout(), show.NewManagers(arg, now, notes), form.JSON)
		}
		return err
	}
	was, _, err := read(cmd, other, form, managers.Read)
	if err != nil {
		return err
	}
	return answerDifference(cmd, show.CompareManagers(was, now), form)
}

// read reads a file. Its warnings are printed, or part of the JSON document.
func read[T any](cmd *cobra.Command, name string, form cli.Form, parse func(string, []byte) (T, []netfile.Warning, error)) (t T, notes []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return t, nil, err
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return t, nil, err
	}
	t, warnings, err := parse(name, data)
	for _, w := range warnings {
		notes = append(notes, w.String())
		if !form.JSON {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
		}
	}
	return t, notes, err
}
