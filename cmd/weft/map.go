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

// mapFiles are the files that weft map writes or reads.
type mapFiles struct {
	fabric, format string
	svg            string
	routes         string
	events         string
}

func mapCmd() *cobra.Command {
	m := mapFlags{job: job.Defaults()}
	algorithms, help := job.Algorithms()
	cmd := &cobra.Command{
		Use:   "map NETWORK",
		Short: "map a network of anonymous switches by probes",
		Long: `Take a FABRIC as a network of anonymous switches with source routed messages
(Myrinet), and map it from one of its hosts as if nothing were known of it. The
map is compared with the network: isomorphic up to the port offset of each switch.

Algorithms:
` + help + `
Collisions of a message with itself: packet (none), circuit (a direction of a wire is
used once), cut-through (computed from the length of messages and 108 bytes of buffer
a port).

Modes: master (one host maps), election (all do, until the lowest address is left),
parallel (all do, and merge their maps when they meet; by a method of its own, so that
--algorithm does not count).

Where other traffic loses (--loss), delays (--late) or corrupts probes, or some wires
are busy (--busy), the map is surveyed: every wire is proven by an answer, every port
that is silent is probed until the chance that it was loss is below --error for the
whole map. What stays in doubt is named, and the exit status is 1. With --mode parallel
traffic disturbs probes alone: messages between the hosts that map are not lost.

--events FILE lets things happen, one a line, and maps the network again and again; each
map is the hint for the next:
  250ms link NODE PORT down        (or up)
  1s    node NODE down             (or up)
  1.5s  connect NODE PORT NODE PORT
  2s    host NAME ADDRESS NODE PORT

The depth is Q + D of the network unless given, which a mapper cannot know; with --stop
known there is none. A map is certain if the mapper itself knows that it is right. With
--events that is so if two maps in a row are the same: it was the network at the time
between them, unless what was gone then was back before it was probed again, of which
no mapper can know. Times are modelled, not measured.
Exit status 1 says that the map is not the network, or not its part that host routes
can use.`,
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
	f.StringVarP(&m.algorithm, "algorithm", "a", "berkeley", "one of: "+strings.Join(algorithms, ", "))
	f.StringVar((*string)(&o.Collision), "collision", string(o.Collision), "packet, circuit or cut-through")
	f.StringVar(&o.Mapper, "mapper", "", "host that maps, by name or address (default: the last one)")
	f.IntVar(&o.Depth, "depth", 0, "most turns of a probe string (default: Q + D)")
	f.StringVar((*string)(&o.Stop), "stop", string(o.Stop), "when berkeley stops: at the depth, or known (every switch found is explored; needs no knowledge of the network)")
	f.IntVar(&o.Retries, "retries", 0, "how often a silent probe is sent again")
	f.StringVar((*string)(&o.Mode), "mode", string(o.Mode), "master, election or parallel")
	f.Float64Var(&o.Traffic.Loss, "loss", 0, "share of probes lost to other traffic")
	f.Float64Var(&o.Traffic.Late, "late", 0, "share of probes answered after the timeout")
	f.Float64Var(&o.Traffic.Corrupt, "corrupt", 0, "share of probes that other traffic corrupts")
	f.Float64Var(&o.Traffic.Busy, "busy", 0, fmt.Sprintf("share of wires that lose %v of what crosses them", job.BusyLoss))
	f.Float64Var(&o.Error, "error", o.Error, "chance that is allowed that the map is wrong and does not say so, with traffic, if no unknown wire is worse than --worst; 0 believes silence")
	f.Float64Var(&o.Worst, "worst", 0, "share of probes that a wire not yet known may lose (default: what the worst known one loses)")
	f.IntVar(&o.Limit, "limit", 0, "probes after which a survey gives up, and names what is in doubt (default: none)")
	f.StringVar(&m.out.events, "events", "", "file of what happens to the network while it is mapped again and again")
	f.DurationVar(&o.Every, "every", o.Every, "time from one map to the next, with --events (modelled)")
	f.IntVar(&o.Payload, "payload", o.Payload, "bytes of a message besides its turns, for cut-through")
	f.BoolVar(&o.Early, "early-reply", false, "hosts answer a message that reaches them with turns left")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed")
	f.StringVarP(&m.out.fabric, "output", "o", "", "file to write the map to, as a FABRIC")
	formatFlag(cmd, &m.out.format, "format", "of the map, ")
	f.StringVar(&m.out.svg, "svg", "", "file to draw the map to (weft show --svg draws fabrics alike)")
	f.StringVar(&m.out.routes, "routes", "", "file for the routes of all pairs of hosts, as turns (text, or JSON by its ending)")
	f.StringVar(&m.utility, "utility", "", "host that does not count when a root is chosen (default: the one that maps)")
}

func (m *mapFlags) run(cmd *cobra.Command, network string) error {
	for _, needs := range [][2]string{{"format", "output"}, {"every", "events"}, {"utility", "routes"}} {
		if cmd.Flags().Changed(needs[0]) && !cmd.Flags().Changed(needs[1]) {
			return fmt.Errorf("--%s goes with --%s", needs[0], needs[1])
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
			return fmt.Errorf("--%s is for files: leave it out, as %s is a formula", name, network)
		}
	}
	// While events happen nobody is elected by messages: the lowest host that is there maps.
	if draws := o.Draws() && (m.out.events == "" || !o.Traffic.Quiet()); cmd.Flags().Changed("seed") && !draws && m.out.routes == "" {
		return errors.New("--seed does nothing here: it draws traffic, when the mappers of an election start, the lots of --algorithm random and vazirani, and one of equal --routes")
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
	made, err := job.RunFabric(ctx, src.Fabric, &m.job)
	if errors.Is(err, job.ErrLimit) {
		return nil, cli.Cannot(err)
	}
	return made, located(err, network, src.Fabric)
}

// write writes the files that were asked for, and the report.
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

// writeRoutes computes the routes on a map and writes them.
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

// located adds the line of a file to an error that is about a host in it.
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

// watch maps a network again and again while events happen to it.
func (m *mapFlags) watch(ctx context.Context, cmd *cobra.Command, network string) error {
	for _, name := range []string{"output", "svg", "routes", "algorithm", "depth", "stop", "retries"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not go with --events, which surveys the network again and again", name)
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
		fmt.Fprintln(w, "no more maps:", strings.TrimPrefix(report.End, "mapping: "))
	}
	if err == nil && !report.OK() {
		return cli.AnswerNo
	}
	return err
}
