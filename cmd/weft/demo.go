package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/demo"
	"weft/layout"
)

func demoCmd() *cobra.Command {
	var (
		routing routeFlags
		asJSON  bool
		dir     string
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
			if dir != "" {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
				c.Picture = func(name string, p *layout.Picture) error {
					return output(cmd, filepath.Join(dir, name+".svg"), func(w io.Writer) error { return p.WriteSVG(w) })
				}
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
	cmd.Flags().StringVar(&dir, "svg", "", "draw the fabrics, a file each in this directory")
	return cmd
}
