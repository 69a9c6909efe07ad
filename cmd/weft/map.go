package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/batch"
	"weft/mapping/job"
	"weft/study"
)

// mapFlags are the options of weft map.
type mapFlags struct {
	job       job.Options
	fabric    cli.FabricFlags
	algorithm string
	utility   string
	out       mapFiles
	asJSON    bool
}

// mapFiles names the files that weft map reads and writes.
type mapFiles struct {
	fabric, format string
	svg            string
	routes         string
	events         string
}

// mapIntro and mapSections are the text of weft map --help, before and after the algorithms.
const (
	mapIntro = `Simulate a host that maps an unknown network by probes, and compare its map with the network. No real
network is probed.

Input is a NETWORK, which is a FABRIC taken as a network like Myrinet: switches are anonymous, and
messages carry their route as a string of turns. Output is the number of probes, the modelled time, and whether the map is
right (isomorphic up to the port offset of each switch). A map is "certain" if the mapper itself
knows that it is right. Times are modelled, not measured.

Exit status 1: the map is not the network, or not the part of it that host routes can use.

ALGORITHMS

`
	mapSections = `
By default a probe string has at most Q + D turns, a bound that depends on the network and that a
real mapper cannot know. --stop known needs no bound.

COLLISIONS OF A MESSAGE WITH ITSELF

  packet       no collisions
  circuit      each direction of a wire can be used once
  cut-through  computed from the length of messages and 108 bytes of buffer at each port

MODES

  master    one host maps
  election  all hosts map, until only the one with the lowest address is left
  parallel  all hosts map, and merge their maps when they meet; --algorithm is not used

DISTURBED NETWORKS

If probes are lost (--loss), late (--late) or corrupted by other traffic, or wires are busy (--busy),
weft surveys the network: an answer proves each wire, and a silent port is probed again until the
chance of a wrong map is below --error. The output names whatever remains in doubt, and the exit
status is 1. With --mode parallel messages between mapping hosts are lost too, by the shares of
--loss and --corrupt, and sent again; busy wires disturb only probes.

EVENTS

--events FILE changes the network over time, and weft maps it again and again, each map being the
hint for the next. Each line is one event:

  250ms link NODE PORT down        (or up)
  1s    node NODE down             (or up)
  1.5s  connect NODE PORT NODE PORT
  2s    host NAME ADDRESS NODE PORT

A map is then certain if two maps in a row are equal. It was the network at the time between them,
unless a part failed and came back before it was probed again, which no mapper can see.`
)

func mapCmd() *cobra.Command {
	m := mapFlags{job: job.Defaults()}
	algorithms, help := job.Algorithms()
	cmd := &cobra.Command{
		Use:   "map NETWORK",
		Short: "research: simulate a host that maps a network of anonymous switches by probes",
		Long:  mapIntro + help + mapSections,
		Example: `  weft map now-cab
  weft map now-c --algorithm myricom --collision circuit
  weft map 'karytree(4,3)' --algorithm coupon -o map.json --format json
  weft map now-c --svg map.svg --routes routes.txt
  weft map now-cab --mode parallel
  weft map now-cab --loss 0.05 --late 0.02 --error 1e-9
  weft map now-c --mode election --events what-happens.txt --every 500ms`,
		Args: cli.OneArgument("NETWORK"),
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(cmd, args[0]) },
	}
	m.add(cmd, algorithms)
	return cmd
}

// add adds the flags.
func (m *mapFlags) add(cmd *cobra.Command, algorithms []string) {
	m.fabric.Add(cmd)
	cli.JSONFlag(cmd, &m.asJSON)
	f, o := cmd.Flags(), &m.job
	f.StringVarP(&m.algorithm, "algorithm", "a", "berkeley", "`NAME` of the algorithm, one of: "+strings.Join(algorithms, ", "))
	f.StringVar((*string)(&o.Collision), "collision", string(o.Collision), "`MODEL` of collisions: packet, circuit or cut-through")
	f.StringVar(&o.Mapper, "mapper", "", "`HOST` that maps, by name or address (default: the last one)")
	f.IntVar(&o.Depth, "depth", 0, "at most `N` turns in a probe (default: Q + D)")
	f.StringVar((*string)(&o.Stop), "stop", string(o.Stop), "`WHEN` berkeley stops: depth (at --depth) or known (every switch found is explored)")
	f.IntVar(&o.Retries, "retries", 0, "send an unanswered probe again up to `N` times")
	f.StringVar((*string)(&o.Mode), "mode", string(o.Mode), "`MODE`: master, election or parallel")
	f.Float64Var(&o.Traffic.Loss, "loss", 0, "share `X` of probes lost to other traffic")
	f.Float64Var(&o.Traffic.Late, "late", 0, "share `X` of probes answered after the timeout")
	f.Float64Var(&o.Traffic.Corrupt, "corrupt", 0, "share `X` of probes corrupted by other traffic")
	f.Float64Var(&o.Traffic.Busy, "busy", 0, fmt.Sprintf("share `X` of wires that lose %v of the messages crossing them", job.BusyLoss))
	f.Float64Var(&o.Error, "error", o.Error, "with traffic: accepted probability `X` of a wrong map that is not marked as doubtful, if no unknown wire is worse than --worst; 0 believes every silence")
	f.Float64Var(&o.Worst, "worst", 0, "share `X` of probes that an unknown wire may lose (default: that of the worst known wire)")
	f.IntVar(&o.Limit, "limit", 0, "stop the survey after `N` probes and name what is in doubt (default: no limit)")
	f.StringVar(&m.out.events, "events", "", "`FILE` with changes of the network while it is mapped again and again")
	f.DurationVar(&o.Every, "every", o.Every, "with --events: modelled time from one map to the next")
	f.IntVar(&o.Payload, "payload", o.Payload, "for cut-through: `BYTES` of a message besides its turns")
	f.BoolVar(&o.Early, "early-reply", false, "hosts answer a message that reaches them with turns left")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of all random draws")
	f.StringVarP(&m.out.fabric, "output", "o", "", "write the map to `FILE`, as a FABRIC")
	formatFlag(cmd, &m.out.format, "format", "of the map: ")
	f.StringVar(&m.out.svg, "svg", "", "draw the map to `FILE`, as weft show --svg draws fabrics")
	f.StringVar(&m.out.routes, "routes", "", "write the routes of all pairs of hosts to `FILE`, as turns; JSON if the name ends in .json")
	f.StringVar(&m.utility, "utility", "", "`HOST` that does not count when a root is chosen (default: the one that maps)")
}

func (m *mapFlags) run(cmd *cobra.Command, network string) error {
	for _, needs := range [][2]string{{"format", "output"}, {"every", "events"}, {"utility", "routes"}} {
		if cmd.Flags().Changed(needs[0]) && !cmd.Flags().Changed(needs[1]) {
			return fmt.Errorf("--%s needs --%s", needs[0], needs[1])
		}
	}
	answer, err := cli.AnswerTo(cmd, m.out.fabric, m.out.svg, m.out.routes)
	if err != nil {
		return err
	}
	o := &m.job
	o.Network = network
	if o.Mode != job.Parallel || cmd.Flags().Changed("algorithm") {
		o.Algorithm = m.algorithm
	}
	if err := o.Check(); err != nil {
		return err
	}
	if err := o.CheckUnused(cmd.Flags().Changed); err != nil {
		return err
	}
	for _, name := range []string{"ibnl", "partial"} {
		if cmd.Flags().Changed(name) && gen.IsFormula(network) {
			return fmt.Errorf("--%s is for files, and %s is a formula: leave it out", name, network)
		}
	}
	// With events there is no election by messages: the lowest present host maps.
	if draws := o.Draws() && (m.out.events == "" || !o.Traffic.Quiet()); cmd.Flags().Changed("seed") && !draws && m.out.routes == "" {
		return errors.New("--seed has no effect here: it draws traffic, start times of the mappers of an election, the random choices of --algorithm random and vazirani, and one of equal --routes")
	}
	if m.out.events != "" {
		return cli.WithProgress(cmd, "mapping", func(ctx context.Context) error { return m.watch(ctx, cmd, network) })
	}
	var made *job.Result
	err = cli.WithProgress(cmd, "mapping", func(ctx context.Context) (err error) {
		made, err = m.mapOnce(ctx, cmd, network)
		return err
	})
	if err != nil {
		return err
	}
	return m.write(cmd, answer, "map of "+network, made)
}

// mapOnce maps a network once.
func (m *mapFlags) mapOnce(ctx context.Context, cmd *cobra.Command, network string) (*job.Result, error) {
	src, err := m.fabric.Open(cmd, network)
	if err != nil {
		return nil, err
	}
	m.job.Warn = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", text) }
	made, err := job.RunFabric(ctx, src.Fabric, &m.job)
	if errors.Is(err, job.ErrLimit) {
		return nil, cli.Cannot(err)
	}
	return made, located(err, network, src.Fabric)
}

// write writes the requested files and the report.
func (m *mapFlags) write(cmd *cobra.Command, answer io.Writer, title string, made *job.Result) error {
	if m.out.fabric != "" {
		f, err := made.Fabric(title)
		if err != nil {
			return err
		}
		if err := writeFabric(cmd, f, m.out.format, m.out.fabric, batch.SlurmOptions{}); err != nil {
			return err
		}
	}
	utility, err := made.Utility(m.utility)
	if err != nil {
		return err
	}
	if m.out.svg != "" {
		if err := cli.Output(cmd, m.out.svg, func(w io.Writer) error { return made.WriteSVG(w, title) }); err != nil {
			return err
		}
	}
	report := made.Report()
	if m.out.routes != "" {
		if report.Routes, err = m.writeRoutes(cmd, made, utility); err != nil {
			return err
		}
	}
	if m.asJSON {
		err = cli.PrintJSON(answer, report)
	} else {
		err = study.Table(answer, report.Rows())
	}
	if err == nil && !report.OK() {
		return cli.AnswerNo
	}
	return err
}

// writeRoutes computes and writes the routes on a map.
func (m *mapFlags) writeRoutes(cmd *cobra.Command, made *job.Result, utility int32) (*job.RoutesReport, error) {
	table, report, err := made.Routes(cmd.Context(), utility, m.job.Seed)
	if err != nil {
		return nil, err
	}
	return report, cli.Output(cmd, m.out.routes, func(w io.Writer) error {
		if filepath.Ext(m.out.routes) == ".json" {
			return table.WriteJSON(w, made.Map)
		}
		return table.WriteText(w, made.Map)
	})
}

// located adds the line of the events file to an error about a host.
func located(err error, file string, f *fabric.Fabric) error {
	text, unread := os.ReadFile(file)
	if err == nil || unread != nil {
		return err // or a formula
	}
	if line := job.LineOf(err, f, string(text)); line > 0 {
		return fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return err
}

// watch maps a network repeatedly while events change it.
func (m *mapFlags) watch(ctx context.Context, cmd *cobra.Command, network string) error {
	for _, name := range []string{"output", "svg", "routes", "algorithm", "depth", "stop", "retries"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s cannot be combined with --events, which surveys the network again and again", name)
		}
	}
	src, err := m.fabric.Open(cmd, network)
	if err != nil {
		return err
	}
	events, err := os.Open(m.out.events)
	if err != nil {
		return err
	}
	defer events.Close()
	w := cmd.OutOrStdout()
	report, err := job.Watch(ctx, src.Fabric, m.out.events, events, &m.job, func(r *job.RoundReport) error {
		if !m.asJSON {
			fmt.Fprint(w, r)
		}
		return cmd.Context().Err()
	})
	if err != nil {
		return located(err, network, src.Fabric)
	}
	if m.asJSON {
		err = cli.PrintJSON(w, report)
	} else if report.End != "" {
		fmt.Fprintln(w, "stopped:", strings.TrimPrefix(report.End, "mapping: "))
	}
	if err == nil && !report.OK() {
		return cli.AnswerNo
	}
	return err
}
