package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// mapFlags are the options of weft map.
type mapFlags struct {
	fabric    fabricFlags
	algorithm string
	collision string
	mapper    string
	depth     int
	retries   int
	loss      float64
	payload   int
	early     bool
	seed      uint64
}

func mapCmd() *cobra.Command {
	var (
		flags  mapFlags
		asJSON bool
		out    string
		format string
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

The depth is Q + D of the network unless given. Times are modelled, not measured.
Exit status 1 says that the map is not the network, or not its part that host routes
can use.`,
		Example: `  weft map now-cab
  weft map now-c --algorithm myricom --collision circuit
  weft map 'karytree(4,3)' --algorithm coupon -o map.json --format json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := flags.run(cmd, args[0])
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
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), run.report())
			} else {
				err = run.write(cmd.OutOrStdout())
			}
			if err == nil && run.differs != nil {
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
	f.Float64Var(&flags.loss, "loss", 0, "share of probes lost to other traffic")
	f.IntVar(&flags.payload, "payload", mapping.Myrinet.Payload, "bytes of a message besides its turns, for cut-through")
	f.BoolVar(&flags.early, "early-reply", false, "hosts answer a message that reaches them with turns left")
	f.Uint64Var(&flags.seed, "seed", 1, "seed")
	f.StringVarP(&out, "output", "o", "", "file to write the map to, as a FABRIC")
	f.StringVar(&format, "format", "ibnetdiscover", "of the map, one of: "+writerNames())
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
		fmt.Fprintf(&b, "  %-17s %s\n", a.Name, a.What)
	}
	return b.String()
}

// mapRun is a map beside the network that it is of.
type mapRun struct {
	algorithm *algorithm.Algorithm
	collision mapping.Collision
	mapper    mapping.Host
	facts     *theory.Facts
	sent      *mapping.Mapper
	result    *algorithm.Result
	differs   error // nil when the map is isomorphic to what it should be
}

func (m *mapFlags) run(cmd *cobra.Command, arg string) (*mapRun, error) {
	var (
		run mapRun
		err error
	)
	if run.algorithm, err = algorithm.Find(m.algorithm); err != nil {
		return nil, err
	}
	if run.collision, err = mapping.ParseCollision(m.collision); err != nil {
		return nil, err
	}
	if m.depth < 0 || m.retries < 0 || m.payload < 0 || m.loss < 0 || m.loss >= 1 {
		return nil, fmt.Errorf("--depth, --retries and --payload are not negative, --loss is a share below 1")
	}
	src, err := m.fabric.open(cmd, arg)
	if err != nil {
		return nil, err
	}
	n, err := mapping.FromFabric(src.Fabric)
	if err != nil {
		return nil, err
	}
	if n.NumHosts() < 2 || n.NumSwitches() < 1 {
		return nil, fmt.Errorf("%s: %d hosts and %d switches (mapping takes two and one)", arg, n.NumHosts(), n.NumSwitches())
	}
	host := int32(n.NumHosts() - 1)
	if m.mapper != "" {
		if host, err = n.HostByName(m.mapper); err != nil {
			return nil, err
		}
	}
	run.mapper = n.Hosts[host]
	n = theory.Reached(n, host)
	if host, err = n.HostByName(fmt.Sprintf("0x%016x", run.mapper.ID)); err != nil {
		return nil, err
	}
	run.facts = theory.Of(n, host)
	depth := m.depth
	if depth == 0 {
		depth = run.facts.Depth()
	}
	hw := mapping.Myrinet
	hw.Payload, hw.Early = m.payload, m.early
	run.sent = mapping.NewMapper(mapping.NewModel(n, run.collision, hw), host, mapping.Conditions{
		SelfIdentifying: run.algorithm.SelfIdentifying, Loss: m.loss, Seed: m.seed,
	})
	run.result, err = run.algorithm.Run(run.sent, &algorithm.Options{
		Self: run.mapper, Radix: n.Radix(), Depth: depth, Retries: m.retries, Seed: m.seed,
	})
	if err != nil {
		return nil, err
	}
	want := n
	if !run.algorithm.Whole {
		want = theory.Core(n)
	}
	run.differs = theory.Same(run.result.Map, want)
	return &run, nil
}

// probeCounts is what was sent, by kind.
type probeCounts struct {
	Host    int `json:"host"`
	Switch  int `json:"switch"`
	Loop    int `json:"loop"`
	Compare int `json:"compare"`
	Total   int `json:"total"`
}

// mapReport is what `weft map --json` prints.
type mapReport struct {
	Algorithm    string         `json:"algorithm"`
	Collision    string         `json:"collision"`
	Mapper       string         `json:"mapper"`
	Hosts        int            `json:"hosts"`
	Switches     int            `json:"switches"`
	Wires        int            `json:"wires"`
	Q            int            `json:"q"`
	D            int            `json:"d"`
	F            int            `json:"f"`
	Probes       probeCounts    `json:"probes"`
	Answered     probeCounts    `json:"answered"`
	Outcomes     map[string]int `json:"outcomes"`
	Explorations int            `json:"explorations"`
	ModelPeak    int            `json:"model_peak"`
	ModelledMS   float64        `json:"modelled_ms"`
	Isomorphic   bool           `json:"isomorphic"`
	Difference   string         `json:"difference,omitempty"`
}

func (r *mapRun) report() *mapReport {
	p := &r.result.Probes
	count := func(of func(algorithm.Tally) int) probeCounts {
		return probeCounts{of(p.Host), of(p.Switch), of(p.Loop), of(p.Compare), of(p.Total())}
	}
	rep := &mapReport{
		Algorithm: r.algorithm.Name, Collision: string(r.collision), Mapper: r.mapper.Name,
		Hosts: r.result.Map.NumHosts(), Switches: r.result.Map.NumSwitches(), Wires: r.result.Map.NumWires(),
		Q: r.facts.Q, D: r.facts.D, F: len(r.facts.F),
		Probes:   count(func(t algorithm.Tally) int { return t.Sent }),
		Answered: count(func(t algorithm.Tally) int { return t.Answered }),
		Outcomes: map[string]int{}, Explorations: r.result.Explorations, ModelPeak: r.result.Peak,
		ModelledMS: float64(r.result.Elapsed) / float64(time.Millisecond), Isomorphic: r.differs == nil,
	}
	for o, n := range r.sent.Outcomes {
		rep.Outcomes[mapping.Outcome(o).String()] = n
	}
	if r.differs != nil {
		rep.Difference = r.differs.Error()
	}
	return rep
}

func (r *mapRun) write(w io.Writer) error {
	rep := r.report()
	rows := [][]string{
		{"algorithm", rep.Algorithm + ", " + rep.Collision + " routing, from " + rep.Mapper},
		{"map", fmt.Sprintf("%d hosts, %d switches, %d wires", rep.Hosts, rep.Switches, rep.Wires)},
		{"network", fmt.Sprintf("Q %d, D %d, F %d nodes", rep.Q, rep.D, rep.F)},
		{"probes", fmt.Sprintf("%d sent, %d answered", rep.Probes.Total, rep.Answered.Total)},
	}
	for _, k := range []struct {
		name string
		t    algorithm.Tally
	}{
		{"host", r.result.Probes.Host}, {"switch", r.result.Probes.Switch}, {"loop", r.result.Probes.Loop}, {"compare", r.result.Probes.Compare},
	} {
		if k.t.Sent > 0 {
			rows = append(rows, []string{"  " + k.name, fmt.Sprintf("%d sent, %d answered (%d %%)", k.t.Sent, k.t.Answered, 100*k.t.Answered/k.t.Sent)})
		}
	}
	for o, n := range r.sent.Outcomes {
		if n > 0 && mapping.Outcome(o) != mapping.Delivered {
			rows = append(rows, []string{"  " + mapping.Outcome(o).String(), fmt.Sprint(n)})
		}
	}
	verdict := "yes"
	if r.differs != nil {
		verdict = "NO: " + r.differs.Error()
	}
	rows = append(rows,
		[]string{"explorations", fmt.Sprintf("%d, model graph up to %d nodes", rep.Explorations, rep.ModelPeak)},
		[]string{"time", fmt.Sprintf("%.1f ms (modelled)", rep.ModelledMS)},
		[]string{"isomorphic", verdict})
	return table(w, rows)
}
