// Package manage implements weft sm: the subnet manager (running or with --once), the commands that
// ask a running manager, and its files: state, recordings, and OpenSM's.
//
// manage.go has the flags and the list of subcommands of weft sm. stay.go runs the manager.
// config.go reads its configuration file, reload.go reads the file again at SIGHUP. service.go
// serves the API, and has commands that ask a manager. The other files hold one group of flags or
// one subcommand each.
package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/ask"
	"weft/cmd/weft/manage/support"
	"weft/cmd/weft/manage/topology"
	"weft/fabric/netfile/discovery"
	"weft/internal/share"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm"
	"weft/sm/round"
	"weft/sm/service/client"
	"weft/sm/terms"
)

// smFlags are the flags of weft sm.
type smFlags struct {
	wires   cli.WireFlags
	others  []string // as --transport: ports that the manager goes on at
	routing cli.RouteFlags
	keep    cli.KeepFlags
	config  terms.Config
	share   share.Rule // of one port
	keys    keyFlags
	pkeys   partitionFlags
	gids    gidFlags
	tuning  tuningFlags
	chain   string
	once    bool
	codes   bool
	watch   terms.Watch
	moving  movingFlags
	state   smState
	expect  string // a fabric

	babbling string // what to do with a babbling port
	lids     string // files
	plan     string
	found    string
	record   string
	asJSON   bool
	service  serviceFlags

	topology topologyFlags
}

// movingFlags says when entries move, and how jobs are kept apart.
type movingFlags struct {
	never    []string // hours
	jobLanes int      // copies of the lanes
}

// topologyFlags are the flags for a topology file of Slurm, and the settings that they were read
// as.
type topologyFlags struct {
	topology.Flags
	read *topology.Settings
}

// Command returns weft sm.
func Command() *cobra.Command {
	cmd, _ := newSM()
	return cmd
}

// newSM returns the command and its flags with their defaults.
func newSM() (*cobra.Command, *smFlags) {
	var s smFlags
	cmd := &cobra.Command{
		Use:   "sm",
		Short: "run the subnet manager: bring a subnet up and keep it running",
		Long:  smHelp,
		Example: `  weft sm --transport umad:mlx5_0/1 --state /var/lib/weft/state
  weft sm --config /etc/weft/sm.yaml
  weft sm --config /etc/weft/sm.yaml --print-config
  weft sm --once --transport umad:mlx5_0/1
  weft sm --once --transport ibsim --engine dor,updn --lmc 1
  weft sm --once --transport 'emulate:rlft(36,2)' --json
  weft sm --once --keep yesterday.plan --plan today.plan`,
		Args: cli.SubcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.wires.Add(cmd)
	cmd.Flags().Lookup("m-key").Usage = "M_Key `KEY` to access ports with, and to set on every port (for one key each: --mkey-secret)"
	s.routing.Add(cmd)
	cli.JSONFlag(cmd, &s.asJSON)
	cmd.Flags().Lookup("json").Usage = "print one JSON object for each log line; with --once, the report as one JSON object"
	cli.ChainFlag(cmd, &s.chain)
	s.keep.Add(cmd)
	cmd.Flags().Lookup("rebalance").Usage = "with --keep or --state: route from scratch in the first round and keep only the LIDs"
	s.state.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&s.once, "once", false, "bring the subnet up, print a report and exit")
	f.DurationVar(&s.config.Pause, "pause", terms.UsualPause, "when entries must be dropped before they change: time for packets under way to leave")
	f.Uint8Var(&s.config.Priority, "priority", 0, "priority `N` among subnet managers, 0 to 15; the highest becomes master")
	f.IntVar(&s.share.Percent, "port-share", share.UsualPercent, fmt.Sprintf("`PERCENT` of the free places for multicast groups, memberships, services and subscriptions that one port may hold, 1 to 100; any port may hold %d", share.Floor))
	f.Uint64Var(&s.config.SMKey, "sm-key", 1, "SM_Key `KEY` shown to other subnet managers; OpenSM, whose default sm_key is 1, accepts no other")
	f.BoolVar(&s.codes, "codes", false, "explain the codes of the log and exit")
	f.BoolVar(&s.config.Unproven, "unproven", false, "distribute the Plan even if the judge finds faults in it")
	f.BoolVar(&s.config.TakeOver, "take-over", false, "write to the subnet even if another subnet manager is, or may be, its master")
	f.BoolVar(&s.config.AskRoles, "ask-roles", false, "ask switches for their roles in a tree (vendor attribute SwitchRole); the engine ftree uses them")
	f.StringArrayVar(&s.others, "other-port", nil, "another port `TRANSPORT` of this machine at the same subnet, as for --transport; the manager continues there if its port loses its link; can be repeated")
	s.keys.add(cmd, &s.config.Keys)
	s.pkeys.add(cmd)
	s.gids.add(cmd)
	s.tuning.add(cmd)
	s.addMovingFlags(f)
	s.addFaultFlags(cmd)
	s.addFileFlags(f)
	s.topology.Add(cmd)
	s.service.add(cmd)
	addSubcommands(cmd)
	return cmd, &s
}

// addMovingFlags adds the flags about the times of sweeps and the moves of forwarding entries.
func (s *smFlags) addMovingFlags(f *pflag.FlagSet) {
	f.DurationVar(&s.watch.Interval, "interval", terms.UsualWatch.Interval, "time between two sweeps of all switches")
	f.DurationVar(&s.watch.Rebalance, "rebalance-after", terms.UsualWatch.Rebalance, "time after the last repair until the manager routes from scratch; 0: never")
	f.IntVar(&s.watch.Moves, "moves-per-minute", terms.UsualWatch.Moves, "move at most `N` entries of forwarding tables a minute to less loaded links, such as returned ones; 0: none")
	f.StringSliceVar(&s.moving.never, "no-moves", nil, "`HOURS` of the day in UTC in which only failures move entries, for example 22:00-06:30; can be repeated")
	f.DurationVar(&s.watch.Jobs.Interval, "job-interval", terms.UsualWatch.Jobs.Interval, "time from the start of a job until entries move for it; all jobs that start within this time are taken together")
	f.IntVar(&s.watch.Jobs.Moves, "job-moves", terms.UsualWatch.Jobs.Moves, "move at most `N` entries of forwarding tables for the jobs that start within --job-interval; 0: none")
	f.IntVar(&s.moving.jobLanes, "job-lanes", 0, "spread jobs over `N` copies of the lanes of the paths, these among them, as far as links have VLs, with --once for jobs that start later; 0: all share the lanes of the paths")
	f.StringSliceVar(&s.watch.Jobs.Partitions, "job-partitions", nil, "treat each partition with this `NAME` as a job that runs, for example 'team*'; can be repeated")
}

// addFileFlags adds the flags that name files.
func (s *smFlags) addFileFlags(f *pflag.FlagSet) {
	f.StringVar(&s.lids, "lids", "", "`FILE` with LIDs to keep, one line for each port (GUID, first and last LID), like OpenSM's guid2lid; written when the subnet is up")
	f.StringVar(&s.plan, "plan", "", "write the Plan to `FILE`, for weft check --plan; rewritten after each round")
	f.StringVarP(&s.found, "output", "o", "", "write the discovered fabric, with its names, to `FILE`; rewritten after each round")
	f.StringVar(&s.record, "record", "", "record all input of the manager to `FILE` for weft sm replay, M_Keys and secret included; about 40 bytes for each SMP")
}

// addSubcommands adds the subcommands of weft sm, in groups.
func addSubcommands(cmd *cobra.Command) {
	addGroup(cmd, "The running manager:", smStatusCmd(), smEventsCmd(), smAskCmd("resweep", "make the running manager discover and program its subnet again", (*client.Client).Resweep),
		smAskCmd("rebalance", "make the running manager route from scratch", (*client.Client).Rebalance), ask.LinksCmd(), ask.PortsCmd(),
		smDrainCmd("drain", "take a switch or cable out of use, for maintenance", drainHelp, (*client.Client).Drain),
		smDrainCmd("undrain", "use a drained, quarantined or disabled part again", undrainHelp, (*client.Client).Undrain), smPartitionCmd(), ask.JobCmd())
	addGroup(cmd, "Files of the manager:", smStateCmd(), smReplayCmd(), smPartitionsCmd(), support.Command(secretOptions))
	addGroup(cmd, "OpenSM:", smImportCmd(), smExportCmd())
}

// addGroup adds subcommands that the help page lists under a title.
func addGroup(cmd *cobra.Command, title string, subcommands ...*cobra.Command) {
	cmd.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range subcommands {
		c.GroupID = title
		cmd.AddCommand(c)
	}
}

// run executes weft sm. Errors on this side (options, names of engines, files to read and write)
// are found before anything is sent.
func (s *smFlags) run(cmd *cobra.Command) error {
	if s.codes {
		return explainCodes(cmd.OutOrStdout())
	}
	given := givenFlags(cmd.Flags())
	file, err := s.service.read(cmd, given)
	switch {
	case err != nil:
		return err
	case s.service.print:
		return file.Locate(s.printConfig(cmd))
	case !s.once:
		return s.stay(cmd, given, file)
	}
	return file.Locate(s.bringUp(cmd))
}

// bringUp brings the subnet up once.
func (s *smFlags) bringUp(cmd *cobra.Command) error {
	answer, err := cli.AnswerTo(cmd, s.lids, s.plan, s.found)
	if err != nil {
		return err
	}
	runner, err := s.runner(cmd)
	if err != nil {
		return err
	}
	if err := s.remember(cmd, runner); err != nil {
		return err
	}
	files, err := cli.OpenOutputs(cmd, s.lids, s.plan, s.found)
	if err != nil {
		return errors.Join(err, s.state.close())
	}
	endRecording, err := s.openRecording(runner)
	if err != nil {
		files.Drop()
		return errors.Join(err, s.state.close())
	}
	t, err := s.wires.Open(cmd, true)
	if err != nil {
		files.Drop()
		return errors.Join(err, s.state.close(), endRecording())
	}
	runner.Note, runner.Round = s.state.note, s.state.addChanges
	then := s.state.then
	var result *round.Result
	failure := cli.WithProgress(cmd, "bringing the subnet up", func(ctx context.Context) (err error) {
		result, err = runner.Run(ctx, t)
		return cli.Interrupted(ctx, err)
	})
	r := result.Report
	unwritten := errors.Join(files.WriteAll(filesOf(result)), s.state.close(), endRecording())
	if r.State.IsUp() {
		unwritten = errors.Join(unwritten, topology.Once(cmd, s.topology.read, then, result.Fabric()))
	}
	if s.asJSON {
		err = cli.PrintJSON(answer, r.BringUpJSON())
	} else {
		err = r.Write(answer)
	}
	if err = errors.Join(failure, unwritten, err); err != nil {
		return err
	}
	return smStatus(r)
}

// filesOf returns the writers of the files after a round: LIDs, Plan, discovered fabric. An entry
// is nil if there is nothing to write.
func filesOf(result *round.Result) []func(io.Writer) error {
	state := result.Report.State
	return []func(io.Writer) error{
		cli.Unless(state != terms.Up && state != terms.UpInPart, result.WriteLIDs),
		cli.Unless(result.Plan() == nil, result.WritePlan),
		cli.Unless(result.Fabric() == nil, func(w io.Writer) error { return discovery.WriteIBNetDiscover(w, result.Fabric()) }),
	}
}

// runner converts the flags to a subnet manager.
func (s *smFlags) runner(cmd *cobra.Command) (*sm.Runner, error) {
	if err := s.setChain(cmd); err != nil {
		return nil, err
	}
	s.routing.Kept, s.routing.Afresh = s.keep.Kept, s.keep.Afresh(cmd)
	if err := s.keys.read(&s.config.Keys, s.wires.MKey); err != nil {
		return nil, err
	}
	if err := s.checkHiding(); err != nil {
		return nil, err
	}
	var err error
	if s.config.Partitions, err = s.pkeys.read(); err != nil {
		return nil, err
	}
	if s.config.Levels, err = s.routing.Levels, s.checkLevels(); err != nil {
		return nil, err
	}
	if s.config.Between, err = s.gids.read(); err != nil {
		return nil, err
	}
	if err := s.tuning.read(&s.config); err != nil {
		return nil, err
	}
	if s.config.Priority > 15 {
		return nil, fmt.Errorf("--priority %d: want 0 to 15", s.config.Priority)
	}
	if s.share.Percent < 1 || s.share.Percent > 100 {
		return nil, fmt.Errorf("--port-share %d: want 1 to 100 percent", s.share.Percent)
	}
	if s.moving.jobLanes < 0 || s.moving.jobLanes == 1 || s.moving.jobLanes > int(route.DropVL) {
		return nil, fmt.Errorf("--job-lanes must be 2 to %d, or 0 for none", route.DropVL)
	}
	s.routing.JobLanes = joblanes.Ask(s.moving.jobLanes)
	if s.config.Expected, err = s.expected(cmd); err != nil {
		return nil, err
	}
	if s.config.Names, err = s.wires.Fabric.NameMap(); err != nil {
		return nil, err
	}
	if s.topology.read, err = s.topology.Read(s.config.Names, s.watch.KeepAbsent); err != nil {
		return nil, err
	}
	if s.config.Expected != nil && s.config.Keys.Given() {
		s.config.Neighbours = terms.Neighbours(s.config.Expected)
	}
	r := &sm.Runner{Config: s.config, Routing: s.routing.Request, Share: s.share, Clock: cli.Clock()}
	r.Wire, err = s.wires.Config()
	return r, err
}

// smStatus returns the exit status of a bring-up.
func smStatus(r *terms.Report) error {
	switch {
	case r.State == terms.Up:
		return nil
	case r.State == terms.Failed || r.State == terms.OtherMaster || r.Find(terms.NoPlan) != nil:
		return cli.Cannot(errors.New(string(r.State)))
	}
	return cli.AnswerNo
}

// readLIDs reads the LIDs of an earlier run; a missing file has none.
func readLIDs(path string) (terms.LIDMap, error) {
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
	m, err := terms.ReadLIDs(path, data)
	if err != nil {
		return nil, fmt.Errorf("--lids %w", err)
	}
	return m, nil
}
