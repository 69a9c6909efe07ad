package main

import (
	"context"

	"github.com/spf13/cobra"

	"weft/demo"
)

func demoCmd() *cobra.Command {
	var (
		routing routeFlags
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "route real clusters and formulas, bring an emulated fabric up, pull a cable",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			step := func(what string, work func(context.Context) error) error { return withProgress(cmd, what, work) }
			c := demo.Config{Routing: routing.Request, Clock: clock(), PeakRSS: peakRSS, Step: step}
			if !asJSON {
				c.Out = cmd.OutOrStdout()
			}
			d, err := demo.Run(&c)
			if err != nil || !asJSON {
				return interrupted(cmd.Context(), err)
			}
			return printJSON(cmd.OutOrStdout(), d)
		},
	}
	routing.add(cmd)
	for _, name := range []string{"lmc", "fresh-lids", "vls", "seed", "option"} {
		if err := cmd.Flags().MarkHidden(name); err != nil {
			panic(err) // a flag of routeFlags was renamed
		}
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}
