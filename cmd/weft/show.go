package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/route/engine/ftree"
)

// showReport is the object of `weft show --json`.
type showReport struct {
	*summary.Summary
	Tree *ftree.Shape `json:"tree,omitempty"` // with --tree
}

// showFlags are the options of weft show.
type showFlags struct {
	fabricFlags
	asJSON, warnings, tree bool
	other                  string // the FABRIC of --diff
}

func showCmd() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show FABRIC",
		Short: "count what is in a fabric, see it as a fat-tree, or compare two fabrics",
		Long: `Count what is in a fabric, or list what changed since another one.

With --tree also say what it is as a fat-tree, as routing by ftree sees it: levels,
roots, leaves, parallel and horizontal links, separate cores, the formula (rlft, pgft)
that fits it to the last link, and if none does, what is missing from the regular shape.
Switches have the role that --roles gives them, or else the one that the fabric says, or
else the one that they look like.`,
		Example: `  weft show examples/psmn-x5.ibnetdiscover
  weft show 'torus(8x8x8,hosts=1)|fail(links=10,seed=3)'
  weft show today.txt --diff yesterday.txt
  weft show 'rlft(36,2)|fail(links=10,seed=3)' --tree`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.other != "" && (flags.tree || flags.warnings) {
				return errors.New("--diff goes with neither --tree nor --warnings")
			}
			if flags.other == "-" && args[0] == "-" {
				return errors.New("standard input holds one FABRIC, not two")
			}
			flags.quiet = flags.quiet || flags.warnings || flags.asJSON
			src, err := flags.open(cmd, args[0])
			if err != nil {
				return err
			}
			if flags.other != "" {
				return showDiff(cmd, &flags, src.Fabric)
			}
			return show(cmd, &flags, src)
		},
	}
	flags.add(cmd)
	flags.addRoles(cmd)
	cmd.Flags().BoolVar(&flags.tree, "tree", false, "say what the fabric is as a fat-tree, and what is missing from it")
	jsonFlag(cmd, &flags.asJSON)
	cmd.Flags().BoolVar(&flags.warnings, "warnings", false, "list everything odd that the file holds")
	cmd.Flags().StringVar(&flags.other, "diff", "", "list what changed since this other FABRIC; exit 1 if anything did")
	return cmd
}

// show prints what a fabric holds.
func show(cmd *cobra.Command, flags *showFlags, src *source.Source) error {
	g := src.Fabric.Compile()
	report := showReport{}
	err := withProgress(cmd, "measuring the diameter", func(ctx context.Context) (err error) {
		report.Summary, err = summary.Of(ctx, src, g)
		return err
	})
	if err != nil {
		return err
	}
	if flags.tree {
		report.Tree = ftree.Recognise(g)
	}
	out := cmd.OutOrStdout()
	if flags.asJSON {
		return printJSON(out, report)
	}
	if err := writeSummary(out, report.Summary); err != nil {
		return err
	}
	if flags.tree {
		fmt.Fprintln(out)
		if err := writeTree(out, report.Tree); err != nil {
			return err
		}
	}
	if flags.warnings {
		for _, w := range report.Warnings {
			fmt.Fprintln(out, "warning:", w)
		}
	}
	return nil
}

// writeSummary prints the counts of a fabric.
func writeSummary(w io.Writer, s *summary.Summary) error {
	rows := [][]string{
		{"fabric", s.Name},
		{"format", s.Format},
		{"switches", count(s.Switches) + ports(s.SwitchPorts)},
		{"CAs", count(s.CAs)},
		{"routers", count(s.Routers)},
		{"links", fmt.Sprintf("%d (%d between switches)", s.Links.Links, s.SwitchLinks)},
		{"end ports", count(s.EndPorts)},
		{"components", count(s.Components)},
		{"diameter", fmt.Sprintf("%d links between the switches farthest apart", s.Diameter)},
		{"rates", counted(s.Rates)},
		{"LIDs seen", count(s.LIDs)},
	}
	if s.Down > 0 {
		rows = append(rows, []string{"links down", count(s.Down)})
	}
	if s.Drained > 0 {
		rows = append(rows, []string{"links drained", count(s.Drained)})
	}
	if len(s.Warnings) > 0 {
		rows = append(rows, []string{"warnings", count(len(s.Warnings))})
	}
	return table(w, rows)
}

func count(n int) string { return fmt.Sprint(n) }

// ports prints how many switches have how many ports.
func ports(by map[int]int) string {
	text := map[string]int{}
	for n, k := range by {
		text[fmt.Sprintf("%d ports", n)] = k
	}
	if len(text) == 0 {
		return ""
	}
	return " (" + counted(text) + ")"
}

// counted prints a map of counts, most frequent first.
func counted(m map[string]int) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if m[names[i]] != m[names[j]] {
			return m[names[i]] > m[names[j]]
		}
		return names[i] < names[j]
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d of %s", m[name], name)
	}
	return strings.Join(names, ", ")
}

// showDiff lists what must change in the fabric of --diff to get to.
func showDiff(cmd *cobra.Command, flags *showFlags, to *fabric.Fabric) error {
	from, err := flags.open(cmd, flags.other)
	if err != nil {
		return err
	}
	diff := summary.Compare(from.Fabric, to)
	out := cmd.OutOrStdout()
	if flags.asJSON {
		err = printJSON(out, diff)
	} else {
		for _, c := range diff.Changes {
			fmt.Fprintln(out, c)
		}
		_, err = fmt.Fprintf(out, "%d changes\n", len(diff.Changes))
	}
	if err == nil && !diff.Equal {
		return answerNo
	}
	return err
}
