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
	"weft/route/job"
	"weft/sm"
)

// smFlags are the flags of weft sm.
type smFlags struct {
	wires   wireFlags
	routing routeFlags
	keep    keepFlags
	config  sm.Config
	chain   string
	once    bool
	lids    string // files
	plan    string
	found   string
	asJSON  bool
}

func smCmd() *cobra.Command {
	var s smFlags
	cmd := &cobra.Command{
		Use:   "sm --once",
		Short: "bring a subnet up once: find it, give LIDs, route, prove, program",
		Long: `Bring a subnet up: find it by directed routes, give every port its LID, route it,
let the judge prove the routing, write what differs from what the devices hold,
and take every link to Active. Nothing unproven is distributed, unless
--unproven says so. A switch that does not take its tables is kept closed: those of
its links that are not Active stay so, and the report says what it did not take.

Where another subnet manager is the master, or may be (a port says that one runs
there, and it does not answer SMInfo), nothing is written to the subnet, unless
--take-over says so; the other one should then be ended first, or it goes on writing.

In a subnet that carries data, the order in which tables are changed is not safe: while
old ones stand beside new ones, packets may go in circles or wait for each other. An
interrupted run leaves old and new tables side by side: run it again.

` + transportHelp + `

` + job.ChainHelp + `
An engine whose options name a switch that was not found is passed over too: a root
that died must not keep a subnet down.

--keep OLD-PLAN repairs the Plan that the subnet runs: only entries whose path met what is
lost move, and the repaired Plan is proven before it is written. With --engine or --rebalance the
engines route afresh; where they refuse, the repaired old Plan stays in force, and the report
says so. LIDs are those of the Plan.

Exit status: 0 SUBNET UP; 1 UP IN PART, or a Plan that is not proven (the report says
what); 3 there is no subnet, another subnet manager is its master,
every engine refused, or interrupted: the report then says what was sent and not
acknowledged.`,
		Example: `  weft sm --once --transport umad:mlx5_0/1
  weft sm --once --transport ibsim --engine dor,updn --lmc 1
  weft sm --once --transport 'emulate:rlft(36,2)' --json
  weft sm --once --keep yesterday.plan --plan today.plan`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.wires.add(cmd)
	s.routing.add(cmd)
	jsonFlag(cmd, &s.asJSON)
	chainFlag(cmd, &s.chain)
	s.keep.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&s.once, "once", false, "bring the subnet up and leave")
	f.BoolVar(&s.config.Unproven, "unproven", false, "distribute the Plan even if the judge finds faults in it")
	f.BoolVar(&s.config.TakeOver, "take-over", false, "write to the subnet although another subnet manager is, or may be, its master")
	f.BoolVar(&s.config.AskRoles, "ask-roles", false, "ask switches for their roles in a tree (vendor attribute SwitchRole); routing by ftree goes by them")
	f.StringVar(&s.lids, "lids", "", "file of LIDs to keep, a line for each port (GUID, first and last LID), as OpenSM's guid2lid; written when the subnet is up")
	f.StringVar(&s.plan, "plan", "", "write the Plan to this file (weft check --plan reads it)")
	f.StringVarP(&s.found, "output", "o", "", "write the fabric as it was found and named to this file")
	return cmd
}

// run brings the subnet up. Whatever can be wrong on this side is found before anything
// is sent: options, the engines' names, files to be read and to be written.
func (s *smFlags) run(cmd *cobra.Command) error {
	if !s.once {
		return errors.New("give --once: a manager that stays is not there yet")
	}
	answer, err := answerTo(cmd, s.lids, s.plan, s.found)
	if err != nil {
		return err
	}
	runner, err := s.runner(cmd)
	if err != nil {
		return err
	}
	files, err := openOutputs(cmd, s.lids, s.plan, s.found)
	if err != nil {
		return err
	}
	t, err := s.wires.open(cmd, true)
	if err != nil {
		files.drop()
		return err
	}
	var core *sm.Core
	failure := withProgress(cmd, "bringing the subnet up", func(ctx context.Context) (err error) {
		core, err = runner.Run(ctx, t)
		return interrupted(ctx, err)
	})
	r := core.Report()
	unwritten := files.writeAll([]func(io.Writer) error{
		unless(r.State != sm.Up && r.State != sm.UpInPart, core.WriteLIDs),
		unless(core.Plan() == nil, core.WritePlan),
		unless(core.Fabric() == nil, func(w io.Writer) error { return netfile.WriteIBNetDiscover(w, core.Fabric()) }),
	})
	if s.asJSON {
		err = printJSON(answer, r.BringUpJSON())
	} else {
		err = r.Write(answer)
	}
	if err = errors.Join(failure, unwritten, err); err != nil {
		return err
	}
	return smStatus(r)
}

// runner makes the subnet manager that the flags ask for.
func (s *smFlags) runner(cmd *cobra.Command) (*sm.Runner, error) {
	if err := s.keep.setChain(cmd, s.chain, &s.routing); err != nil {
		return nil, err
	}
	s.routing.Kept, s.routing.Afresh = s.keep.kept, s.keep.afresh(cmd)
	s.config.MKey = s.wires.mKey
	r := &sm.Runner{Config: s.config, Routing: s.routing.Request, Clock: clock()}
	var err error
	if r.Wire, err = s.wires.config(); err != nil {
		return nil, err
	}
	r.Stored, err = readLIDs(s.lids)
	return r, err
}

// smStatus finds the exit status of a bring-up.
func smStatus(r *sm.Report) error {
	switch {
	case r.State == sm.Up:
		return nil
	case r.State == sm.Failed || r.State == sm.OtherMaster || r.Find(sm.NoPlan) != nil:
		return &exitError{exitCannot, errors.New(string(r.State))}
	}
	return answerNo
}

// readLIDs reads the LIDs that ports had the last time; a missing file has none.
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
