package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/route/planfile"
	"weft/sm"
)

func smCmd() *cobra.Command {
	var (
		wires    wireFlags
		routing  routeFlags
		chain    string
		once     bool
		unproven bool
		takeOver bool
		askRoles bool
		lids     string
		plan     string
		found    string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "sm --once",
		Short: "bring a subnet up: find it, name it, route it, prove it, program it",
		Long: `Bring a subnet up: find it by directed routes, give every port its LID, route it,
let the judge prove the routing, write what differs from what the devices hold,
and take every link to Active. Nothing unproven is distributed, unless
--unproven says so. A switch that does not take its tables is kept closed: those of
its links that are not Active stay so, and the report says what it did not take.

Where another subnet manager is the master, or may be (a port says that one runs
there, and it does not answer SMInfo), nothing is written to the subnet, unless
--take-over says so; the other one should then be ended first, or it goes on writing.

In a subnet that carries data already, tables are changed in no order that keeps the
time between safe: while old ones stand beside new ones, packets may go in circles
or wait for each other. An interrupted run leaves it so: run it again.

` + transportHelp + `

` + chainHelp + `
An engine whose options name a switch that was not found is passed over too: a root
that died must not keep a subnet down.

Exit status: 0 SUBNET UP; 1 not, or not all that was found, or the Plan was not proven
(the report says what); 3 there is no subnet, another subnet manager is its master,
every engine refused, or interrupted: the report then says what was sent and not
acknowledged.`,
		Example: `  weft sm --once --transport umad:mlx5_0/1
  weft sm --once --transport ibsim --engine dor,updn --lmc 1
  weft sm --once --transport 'emulate:rlft(36,2)' --json`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !once {
				return errors.New("only --once is there yet: a manager that stays is not")
			}
			specs, err := routing.specs(chain)
			if err != nil {
				return err
			}
			answer, err := answerTo(cmd, lids, plan, found)
			if err != nil {
				return err
			}
			runner := sm.Runner{Config: sm.Config{Unproven: unproven, TakeOver: takeOver, AskRoles: askRoles, MKey: wires.mKey}, Clock: clock()}
			runner.Workers = routing.workers
			for _, s := range specs {
				runner.Chain = append(runner.Chain, routing.request(s))
			}
			if runner.Wire, err = wires.config(); err != nil {
				return err
			}
			if runner.Stored, err = readLIDs(lids); err != nil {
				return err
			}
			t, err := wires.open(cmd, true)
			if err != nil {
				return err
			}
			var core *sm.Core
			err = withProgress(cmd, "bringing the subnet up", func(ctx context.Context) (err error) {
				core, err = runner.Run(ctx, t)
				return interrupted(ctx, err)
			})
			return finishSM(cmd, core, answer, asJSON, lids, plan, found, err)
		},
	}
	wires.add(cmd)
	routing.add(cmd)
	jsonFlag(cmd, &asJSON)
	f := cmd.Flags()
	chainFlag(cmd, &chain)
	f.BoolVar(&once, "once", false, "bring the subnet up and leave")
	f.BoolVar(&unproven, "unproven", false, "distribute the Plan even if the judge finds faults in it")
	f.BoolVar(&takeOver, "take-over", false, "write to the subnet although another subnet manager is, or may be, its master")
	f.BoolVar(&askRoles, "ask-roles", false, "ask switches for their roles in a tree (vendor attribute SwitchRole); routing by ftree goes by them")
	f.StringVar(&lids, "lids", "", "file of LIDs to keep, a line for each port (GUID, first and last LID), as OpenSM's guid2lid; written when the subnet is up")
	f.StringVar(&plan, "plan", "", "write the Plan to this file (weft check --plan reads it)")
	f.StringVarP(&found, "output", "o", "", "write the fabric as it was found and named to this file")
	return cmd
}

// finishSM writes the files, prints the report, whatever became of them, and finds the
// exit status.
func finishSM(cmd *cobra.Command, core *sm.Core, answer io.Writer, asJSON bool, lids, plan, found string, failure error) error {
	r := core.Report()
	up := r.State == sm.Up || r.State == sm.UpInPart
	var unwritten error
	for _, file := range []struct {
		path  string
		ready bool
		write func(io.Writer) error
	}{
		{lids, up, func(w io.Writer) error { return core.WriteLIDs(w) }},
		{plan, core.Plan() != nil, func(w io.Writer) error { return planfile.Save(w, core.Graph(), core.Plan()) }},
		{found, core.Fabric() != nil, func(w io.Writer) error { return netfile.WriteIBNetDiscover(w, core.Fabric()) }},
	} {
		if file.path == "" || !file.ready {
			continue
		}
		unwritten = errors.Join(unwritten, output(cmd, file.path, file.write))
	}
	var err error
	if asJSON {
		err = printJSON(answer, r)
	} else {
		err = r.Write(answer)
	}
	if err = errors.Join(failure, unwritten, err); err != nil {
		return err
	}
	switch {
	case r.State == sm.Up:
		return nil
	case r.State == sm.Failed || r.State == sm.OtherMaster || r.Find(sm.NoPlan) != nil:
		return &exitError{exitCannot, errors.New(string(r.State))}
	}
	return answerNo
}

// readLIDs reads the LIDs of the last time; a file that is not there yet has none.
func readLIDs(path string) (map[fabric.GUID]fabric.LID, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := sm.ReadLIDs(path, data)
	if err != nil {
		return nil, fmt.Errorf("--lids %w", err)
	}
	return m, nil
}
