package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/study"
)

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
		Short: "count what is in a fabric, describe it as a fat-tree, or compare it with another",
		Long: `Count what is in a fabric, or list what changed since another one.

With --tree also describe it as a fat-tree, as the engine ftree recognises it: levels,
roots, leaves, parallel and horizontal links, separate cores, the formula (rlft, pgft)
that gives exactly this tree; if none does, what is missing from the regular shape.
Switches have the role that --roles gives them, or else the one that the fabric says, or
else the one that follows from their place.`,
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
	var report *study.Fabric
	err := withProgress(cmd, "measuring the diameter", func(ctx context.Context) (err error) {
		report, err = study.ShowFabric(ctx, src, flags.tree)
		return err
	})
	if err != nil {
		return err
	}
	if err := answer(cmd.OutOrStdout(), report, flags.asJSON); err != nil || flags.asJSON || !flags.warnings {
		return err
	}
	for _, w := range report.Warnings {
		fmt.Fprintln(cmd.OutOrStdout(), "warning:", w)
	}
	return nil
}

// showDiff lists what must change in the fabric of --diff to get to.
func showDiff(cmd *cobra.Command, flags *showFlags, to *fabric.Fabric) error {
	from, err := flags.open(cmd, flags.other)
	if err != nil {
		return err
	}
	diff := summary.Compare(from.Fabric, to)
	if err := answer(cmd.OutOrStdout(), diff, flags.asJSON); err != nil || diff.Equal {
		return err
	}
	return answerNo
}
