package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/demo"
	"weft/fabric/layout"
)

func demoCmd() *cobra.Command {
	var (
		workers int
		asJSON  bool
		dir     string
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "tour of weft in ten seconds: a real cluster, a proof, a repair, a deadlock",
		Long: `Show what weft does in two screens, in about ten seconds. No input and no hardware is needed.

The demo reads a real cluster and lists its suspicious cables, proves its best routing beside that of
OpenSM, manages it in an emulator and repairs a pulled cable, and shows a routing that can deadlock
beside one that cannot. It ends with commands to type next.`,
		Example: "  weft demo\n  weft demo --svg pictures",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			step := func(what string, work func(context.Context) error) error { return cli.WithProgress(cmd, what, work) }
			c := demo.Config{Workers: workers, Clock: cli.Clock(), Step: step}
			if !asJSON {
				c.Out = cmd.OutOrStdout()
			}
			if dir != "" {
				if err := makeWritable(dir); err != nil {
					return err
				}
				c.Draw = func(name string, p *layout.Picture) (string, error) {
					path := filepath.Join(dir, name+".svg")
					return path, cli.WriteQuietly(cmd, path, p.WriteSVG)
				}
			}
			d, err := demo.Run(&c)
			if err != nil || !asJSON {
				return cli.Interrupted(cmd.Context(), err)
			}
			return cli.PrintJSON(cmd.OutOrStdout(), d)
		},
	}
	cli.JobsFlag(cmd, &workers)
	cli.JSONFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&dir, "svg", "", "write pictures of the cluster to directory `DIR`, as opensm.svg and weft.svg")
	return cmd
}

// makeWritable creates a folder, and checks that files can be written into it.
func makeWritable(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".weft.*"); err == nil {
			probe.Close()
			err = os.Remove(probe.Name())
		}
	}
	if failure, ok := errors.AsType[*fs.PathError](err); ok {
		err = failure.Err // without the name of the probe
	}
	if err != nil {
		return fmt.Errorf("--svg %s: cannot write pictures there: %w; name a folder that you may write to, such as %s",
			dir, err, filepath.Join(os.TempDir(), "weft-demo"))
	}
	return nil
}
