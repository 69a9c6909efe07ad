package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
)

// build is the document of `weft version --json`.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // "unknown" if the build does not record it
	Go      string `json:"go"`
}

func versionCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version of weft, its commit and its Go version",
		Args:  cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			commit := cli.Commit()
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), build{cli.Version, commit, runtime.Version()})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "weft %s (commit %s, %s)\n", cli.Version, commit, runtime.Version())
			return err
		},
	}
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}
