package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/mapping"
	"weft/mapping/algorithm"
)

// mapFlags are the options of weft map.
type mapFlags struct {
	fabric    fabricFlags
	algorithm string
	collision string
	mapper    string
	mode      string
	depth     int
	retries   int
	traffic   mapping.Traffic
	err       float64
	worst     float64
	limit     int
	payload   int
	early     bool
	seed      uint64
	events    string
	every     time.Duration
}

func mapCmd() *cobra.Command {
	var (
		flags   mapFlags
		asJSON  bool
		out     string
		format  string
		svg     mapDraw
		routed  mapRoutes
		utility mapUtility
	)
	cmd := &cobra.Command{
		Use:   "map NETWORK",
		Short: "map a network of anonymous switches by probes",
		Long: `Take a FABRIC as a network of anonymous switches with source routed messages
(Myrinet), and map it from one of its hosts as if nothing were known of it. The
map is compared with the network: isomorphic up to the port offset of each switch.

Algorithms:
` + algorithmLines() + `
Collisions of a message with itself: packet (none), circuit (a direction of a wire is
used once), cut-through (computed from the length of messages and 108 bytes of buffer
a port).

Modes: master (one host maps), election (all do, until the lowest address is left),
parallel (all do, and merge their maps when they meet; by a method of its own, so that
--algorithm does not count).

Where other traffic loses (--loss), delays (--late) or corrupts probes, or some wires
are busy (--busy), the map is surveyed: every wire is proven by an answer, every port
that is silent is probed until the chance that it was loss is below --error for the
whole map. What stays in doubt is named, and the exit status is 1.

--events FILE lets things happen, one a line, and maps the network again and again; each
map is the hint for the next:
  250ms link NODE PORT down        (or up)
  1s    node NODE down             (or up)
  1.5s  connect NODE PORT NODE PORT
  2s    host NAME ADDRESS NODE PORT

The depth is Q + D of the network unless given. Times are modelled, not measured.
Exit status 1 says that the map is not the network, or not its part that host routes
can use.`,
		Example: `  weft map now-cab
  weft map now-c --algorithm myricom --collision circuit
  weft map 'karytree(4,3)' --algorithm coupon -o map.json --format json
  weft map now-c --svg map.svg --routes routes.txt
  weft map now-cab --mode parallel
  weft map now-cab --loss 0.05 --late 0.02 --error 1e-9
  weft map now-c --mode election --events what-happens.txt --every 500ms`,
		Args: one("NETWORK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, needs := range [][2]string{{"format", "output"}, {"every", "events"}} {
				if cmd.Flags().Changed(needs[0]) && !cmd.Flags().Changed(needs[1]) {
					return fmt.Errorf("--%s goes with --%s", needs[0], needs[1])
				}
			}
			answer, err := answerTo(cmd, out, svg.file, routed.file)
			if err != nil {
				return err
			}
			if flags.events != "" {
				return withProgress(cmd, "mapping", func(ctx context.Context) error { return flags.watch(ctx, cmd, args[0], asJSON) })
			}
			var run *mapRun
			err = withProgress(cmd, "mapping", func(ctx context.Context) (err error) {
				run, err = flags.run(ctx, cmd, args[0])
				return err
			})
			if err != nil {
				return err
			}
			if out != "" {
				f, err := run.result.Map.ToFabric("map of "+args[0], 4, fabric.SDR)
				if err != nil {
					return err
				}
				if err := writeFabric(cmd, f, format, out, netfile.SlurmOptions{}); err != nil {
					return err
				}
			}
			aside, err := utility.host(run.result.Map, run.mapper)
			if err != nil {
				return err
			}
			if err := svg.write(cmd, "map of "+args[0], run.result.Map, aside); err != nil {
				return err
			}
			if run.routes, err = routed.run(cmd, run.result.Map, hostOf(run.result.Map, run.mapper), aside, run.sent.Model, flags.seed); err != nil {
				return err
			}
			if asJSON {
				err = printJSON(answer, run.report())
			} else {
				err = run.write(answer)
			}
			if err == nil && (run.differs != nil || !run.certain() || !run.routes.ok()) {
				return answerNo
			}
			return err
		},
	}
	flags.fabric.add(cmd)
	jsonFlag(cmd, &asJSON)
	f := cmd.Flags()
	f.StringVarP(&flags.algorithm, "algorithm", "a", "berkeley", "one of: "+strings.Join(algorithmNames(), ", "))
	f.StringVar(&flags.collision, "collision", string(mapping.Circuit), "packet, circuit or cut-through")
	f.StringVar(&flags.mapper, "mapper", "", "host that maps, by name or address (default: the last one)")
	f.IntVar(&flags.depth, "depth", 0, "most turns of a probe string (default: Q + D)")
	f.IntVar(&flags.retries, "retries", 0, "how often a silent probe is sent again")
	f.StringVar(&flags.mode, "mode", "master", "master, election or parallel")
	f.Float64Var(&flags.traffic.Loss, "loss", 0, "share of probes lost to other traffic")
	f.Float64Var(&flags.traffic.Late, "late", 0, "share of probes answered after the timeout")
	f.Float64Var(&flags.traffic.Corrupt, "corrupt", 0, "share of probes that other traffic corrupts")
	f.Float64Var(&flags.traffic.Busy, "busy", 0, fmt.Sprintf("share of wires that lose %v of what crosses them", mapping.BusyLoss))
	f.Float64Var(&flags.err, "error", 1e-6, "chance that is allowed that the map is wrong and does not say so, with traffic, if no unknown wire is worse than --worst; 0 believes silence")
	f.Float64Var(&flags.worst, "worst", 0, "share of probes that a wire not yet known may lose (default: what the worst known one loses)")
	f.IntVar(&flags.limit, "limit", 0, "probes after which a survey gives up, and names what is in doubt (default: none)")
	f.StringVar(&flags.events, "events", "", "file of what happens to the network while it is mapped again and again")
	f.DurationVar(&flags.every, "every", time.Second, "time from one map to the next, with --events (modelled)")
	f.IntVar(&flags.payload, "payload", mapping.Myrinet.Payload, "bytes of a message besides its turns, for cut-through")
	f.BoolVar(&flags.early, "early-reply", false, "hosts answer a message that reaches them with turns left")
	f.Uint64Var(&flags.seed, "seed", 1, "seed")
	f.StringVarP(&out, "output", "o", "", "file to write the map to, as a FABRIC")
	formatFlag(cmd, &format, "format", "of the map, ")
	svg.add(cmd)
	routed.add(cmd)
	utility.add(cmd)
	return cmd
}

func algorithmNames() (names []string) {
	for _, a := range algorithm.All() {
		names = append(names, a.Name)
	}
	return names
}

func algorithmLines() string {
	var b strings.Builder
	for _, a := range algorithm.All() {
		fmt.Fprintf(&b, "  %-17s %s\n", a.Name, a.Summary)
	}
	return b.String()
}
