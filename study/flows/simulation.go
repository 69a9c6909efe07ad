package flows

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/drawing"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
	"weft/sim/traffic"
	"weft/study"
)

// Simulation is the document of `weft simulate flow --json`.
type Simulation struct {
	Fabric  string          `json:"fabric"`
	Engine  string          `json:"engine,omitempty"` // none for tables from a file
	Refused []study.Refusal `json:"refused,omitempty"`
	Choice  *planner.Choice `json:"auto,omitempty"` // how engine auto chose the engine
	Pattern string          `json:"pattern"`
	Order   string          `json:"order"` // of ranks on hosts: random, natural or leaf
	Hosts   int             `json:"hosts"` // host ports with a LID
	Where
	Seed uint64 `json:"seed"`
	// EBB is the effective bisection bandwidth, for the bisection patterns only.
	EBB       *flow.Summary `json:"ebb,omitempty"`
	Direction string        `json:"ebb_direction,omitempty"` // "one way" or "both ways"
	*flow.Result
	// Spread is the same traffic with every flow divided equally over all LIDs of its target, if
	// sources may use any of several. The rest is then about traffic to base LIDs alone.
	Spread  *flow.Result `json:"spread_over_lids,omitempty"`
	Pairs   *Pairs       `json:"all_pairs,omitempty"`
	Seconds float64      `json:"seconds"` // simulation alone
}

// Where describes the ranks of traffic: host ports or servers, and their numbers.
type Where struct {
	RanksOn   string `json:"ranks_on"` // ports: a rank is a host port; servers: a server
	Servers   int    `json:"servers"`
	HostPorts int    `json:"host_ports"`
	Planes    int    `json:"planes,omitempty"` // networks that no cable joins; with ranks on ports each has the pattern by itself
}

// Ranks of traffic.
const (
	onPorts   = "ports"
	OnServers = "servers"
)

// WhereOf describes ranks on host ports or on servers.
func WhereOf(s *traffic.Servers, hosts []int32, on string) Where {
	w := Where{RanksOn: cmp.Or(on, onPorts), Servers: len(hosts), HostPorts: len(hosts)}
	if s != nil {
		w.Servers, w.Planes = s.Count(hosts), s.Planes
	}
	return w
}

// row describes servers with several ports; "" if each has one.
func (w *Where) row() []string {
	if w.Servers == w.HostPorts {
		return nil
	}
	text := fmt.Sprintf("%d, with %d host ports", w.Servers, w.HostPorts)
	switch {
	case w.RanksOn == OnServers:
		text += "; a rank is a server, which sends on every rail that its peer has too"
	case w.Planes > 1:
		text += fmt.Sprintf("; each of %d planes has the pattern by itself", w.Planes)
	}
	return []string{"servers", text}
}

// Pairs holds the figures over all pairs of hosts.
type Pairs struct {
	*flow.Pairs
	PathLoad flow.Spread `json:"path_load"`          // the largest load on a path
	A2A      *int64      `json:"a2a_risk,omitempty"` // absent for a Plan with a Choice of LIDs

	Hottest []quality.Hot `json:"hottest"` // channels with the most pairs for their rate, the first 5
}

// MaxRuns bounds the memory of a simulation: some 100 bytes a run.
const MaxRuns = 10_000_000

// Request describes a simulation of flows.
type Request struct {
	Pattern string // traffic.Parse reads it
	// File is the name of a file of flows in place of the pattern, Text is its content.
	File    string
	Text    []byte
	Order   string // of ranks on hosts: "random" in every run, "natural", "leaf", or "auto", as the pattern has it
	Ranks   int    // 0: all hosts
	RanksOn string // "ports", which "" is too, or OnServers
	NoPairs bool   // leave out the figures over all pairs
	flow.Options
}

// narrow is the interval of a mean that needs no more bisections, as a share of the mean.
const narrow = 0.001

// StopEarly ends random bisections when the interval of their mean is narrow. Other patterns have
// all runs, since people ask for their extremes too.
func (r *Request) StopEarly() {
	if r.File == "" && isBisection(r.Pattern) {
		r.Narrow = narrow
	}
}

func isBisection(pattern string) bool { return pattern == "bisect" || pattern == "bisect_fb_sym" }

// Validate returns an error for a value out of range, named like the option of the command.
func (r *Request) Validate() error {
	switch {
	case r.Order != "auto" && r.Order != "random" && r.Order != "natural" && r.Order != "leaf":
		return fmt.Errorf("order %q: want auto, random, natural or leaf", r.Order)
	case r.Equal && !r.MaxMin:
		return errors.New("equal-rates goes with --max-min")
	case r.Runs < 1 || r.Runs > MaxRuns:
		return fmt.Errorf("runs %d: want at least 1 and at most %d", r.Runs, MaxRuns)
	case r.Ranks < 0:
		return fmt.Errorf("ranks %d: want at least 1", r.Ranks)
	case r.RanksOn == OnServers && r.File != "":
		return errors.New("ranks-on servers: the file of flows names ports")
	}
	return CheckRanksOn(r.RanksOn)
}

// CheckRanksOn returns an error for a value of --ranks-on that does not exist.
func CheckRanksOn(on string) error {
	if on != "" && on != onPorts && on != OnServers {
		return fmt.Errorf("ranks-on %q: want ports or servers", on)
	}
	return nil
}

// Simulate puts flows on the paths of a routing and counts them on each channel.
func Simulate(ctx context.Context, g *fabric.Graph, routing *planner.Result, r *Request) (*Simulation, error) {
	plan := routing.Plan
	n, err := flow.New(ctx, g, plan, r.Workers)
	if err != nil {
		return nil, err
	}
	hosts := n.Hosts
	if r.Order == "leaf" {
		hosts = n.ByLeaf()
	}
	p, place, err := r.Place(g, n.Servers(), hosts)
	if err != nil {
		return nil, err
	}
	out := &Simulation{Fabric: g.Name, Pattern: p.Name, Order: "natural", Hosts: len(n.Hosts), Seed: r.Seed, Where: WhereOf(n.Servers(), n.Hosts, r.RanksOn), Refused: study.RefusalsOf(routing.Refused), Choice: routing.Choice}
	if routing.Engine != nil {
		out.Engine = routing.Engine.Name
	}
	opt := r.Options
	opt.Place = place
	opt.Shuffle = r.Order == "random" || r.Order == "auto" && p.Shuffled
	switch {
	case opt.Shuffle:
		out.Order = "random"
	case r.Order == "leaf":
		out.Order = "leaf"
	}
	if out.Result, err = n.Run(ctx, p, opt); err != nil {
		return nil, err
	}
	spread, err := flow.NewSpread(ctx, g, plan, r.Workers)
	if err == nil && spread != nil {
		out.Spread, err = spread.Run(ctx, p, opt)
	}
	if err != nil {
		return nil, err
	}
	if r.File == "" && isBisection(p.Name) {
		out.EBB, out.Direction = &out.Bandwidth, "one way"
		if p.Name == "bisect_fb_sym" {
			out.Direction = "both ways"
		}
	}
	if !r.NoPairs {
		out.Pairs, err = allPairs(ctx, g, n, plan, r.Workers)
	}
	return out, err
}

// Check returns an error if a fabric cannot have the pattern, the file of flows or the number of
// ranks. It runs before routing, when every host port is taken to have a LID.
func (r *Request) Check(g *fabric.Graph) error {
	hosts := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(h int32) bool { return !g.IsHost(h) })
	_, _, err := r.Place(g, traffic.ServersOf(g), hosts)
	return err
}

// Place makes the traffic pattern for hosts by rank, and puts its ranks on them.
func (r *Request) Place(g *fabric.Graph, servers *traffic.Servers, hosts []int32) (*traffic.Pattern, *traffic.Placement, error) {
	most, what := len(hosts), "host ports"
	if r.RanksOn == OnServers {
		most, what = WhereOf(servers, hosts, "").Servers, "servers"
	}
	if r.Ranks > most {
		return nil, nil, fmt.Errorf("--ranks %d: the fabric has %d %s with a LID", r.Ranks, most, what)
	}
	switch {
	case r.File != "":
		p, err := traffic.ReadFile(r.File, r.Text, g, hosts[:cmp.Or(r.Ranks, most)])
		return p, traffic.OnHosts(hosts), err
	case r.RanksOn == OnServers:
		return servers.OnServers(r.Pattern, hosts, r.Ranks)
	}
	return servers.OnPorts(r.Pattern, hosts, r.Ranks)
}

func allPairs(ctx context.Context, g *fabric.Graph, n *flow.Network, plan *route.Plan, workers int) (*Pairs, error) {
	pairs, err := n.AllPairs(ctx, workers)
	if err != nil {
		return nil, err
	}
	out := &Pairs{Pairs: pairs, Hottest: quality.Hottest(g, plan, pairs.Loads)}
	if out.PathLoad, err = n.PathLoads(ctx, pairs.Loads, workers); err != nil || plan.Choice.By != route.AnyLID {
		return out, err
	}
	risk, err := n.A2A(ctx, pairs.Targets, workers)
	out.A2A = &risk
	return out, err
}

// Warnings lists facts that qualify the figures: undelivered flows, unknown rates.
func (o *Simulation) Warnings() (list []string) {
	if o.Flows == 0 && o.Servers < o.HostPorts && o.Rounds > 0 {
		list = append(list, "all flows are between ports of one server, and use no network: add --ranks-on servers, or --order random")
	}
	if o.Undelivered > 0 {
		list = append(list, fmt.Sprintf("the tables do not deliver %d of %d flows: they count as bandwidth 0", o.Undelivered, o.Flows))
	}
	if r := o.Rates; r != nil && r.Gbps > 0 && r.Unknown > 0 {
		list = append(list, fmt.Sprintf("the rates of %s are not known: they are taken for %g Gbit/s", study.Plural(r.Unknown, "link"), r.Gbps))
	}
	return list
}

// Write prints the simulation for people.
func (o *Simulation) Write(w io.Writer) error {
	what := "bandwidth"
	if o.EBB != nil {
		what = "effective bisection bandwidth, " + o.Direction
	}
	runs := fmt.Sprintf("%d of %s, %s in all", o.Runs, study.Plural(o.Rounds, "round"), study.Plural(o.Flows, "flow"))
	if o.Enough {
		runs += fmt.Sprintf("; the mean is known to %g %% (more: -n)", 100*narrow)
	}
	rows := [][]string{
		{"engine", cmp.Or(o.Engine, "tables of a file")},
		{"pattern", fmt.Sprintf("%s, %d ranks, %s order", o.Pattern, o.Ranks, o.Order)},
		{"runs", runs},
	}
	if row := o.row(); row != nil {
		rows = append(rows, row)
	}
	if o.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", study.Plural(o.Undelivered, "flow")})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := writeResult(w, what, o.Result); err != nil {
		return err
	}
	if o.Spread != nil {
		fmt.Fprintln(w, "\nThe figures above are of traffic to base LIDs alone. With every flow divided equally over all LIDs of its target:")
		if err := writeResult(w, what, o.Spread); err != nil {
			return err
		}
	}
	if o.Pairs == nil {
		return nil
	}
	fmt.Fprintln(w)
	return o.Pairs.write(w)
}

// writeResult prints the bandwidth and the congestion of the flows.
func writeResult(w io.Writer, what string, r *flow.Result) error {
	stats := [][]string{{"", "MEAN", "+-95%", "MIN", "MEDIAN", "MAX"}, summaryRow(what, &r.Bandwidth, 4)}
	if r.PerServer != nil {
		stats = append(stats, summaryRow("the same of a server, in links", r.PerServer, 4))
	}
	if r.MaxMin != nil {
		name := "max-min fair share"
		if r.Rates.Gbps > 0 {
			name += fmt.Sprintf(" of %g Gbit/s", r.Rates.Gbps)
		}
		stats = append(stats, summaryRow(name, r.MaxMin, 4))
	}
	stats = append(stats, summaryRow("largest congestion", &r.MaxCongestion, 2))
	if r.Rounds > 1 {
		stats = append(stats, summaryRow("sum over rounds", &r.SumMaxCongestion, 2))
	}
	return study.Table(w, stats)
}

// summaryRow formats a row of a table: mean, confidence, minimum, median and maximum.
func summaryRow(name string, s *flow.Summary, digits int) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{name, number(s.Mean), number(s.CI95), number(s.Min), number(s.Median), number(s.Max)}
}

func (p *Pairs) write(w io.Writer) error {
	spread := func(s flow.Spread) string {
		return fmt.Sprintf("%.0f to %.0f, mean %.1f, deviation %.1f", s.Min, s.Max, s.Mean, s.StdDev)
	}
	rows := [][]string{
		{"all pairs", strconv.FormatInt(p.Pairs.Pairs, 10)},
		{"pairs per channel", spread(p.Load)},
		{"largest on a path", spread(p.PathLoad)},
		{"edge forwarding index", strconv.FormatInt(p.Index, 10)},
		{"dark", fmt.Sprintf("%d of %d channels, %s both ways", p.DarkChannels, p.Channels, study.Plural(p.DarkLinks, "link"))},
	}
	if p.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", study.Plural(p.Undelivered, "pair")})
	}
	if p.A2A != nil {
		rows = append(rows, []string{"all-to-all risk", strconv.FormatInt(*p.A2A, 10)})
	}
	if err := study.Table(w, rows); err != nil || len(p.Hottest) == 0 || p.Load.Max == p.Load.Mean && p.Hottest[0].Slower == 1 {
		return err
	}
	hottest := make([]string, min(len(p.Hottest), hottestShown))
	for i := range hottest {
		hottest[i] = fmt.Sprintf("%s on %s", study.Plural(p.Hottest[i].Paths, "pair"), &p.Hottest[i])
	}
	study.WriteSome(w, "hottest channels", hottest, hottestShown)
	return nil
}

// hottestShown limits the printed channels; JSON and --loads have more.
const hottestShown = 3

// WriteLoads writes the number of pairs of hosts on every channel, one line of fields with tabs
// each, the highest load first.
func WriteLoads(w io.Writer, g *fabric.Graph, loads []int64) error {
	order := fabric.Numbers(len(loads))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(loads[b], loads[a]) })
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "from_guid\tfrom_port\tto_guid\tto_port\tpairs\tfrom_name\tto_name")
	for _, c := range order {
		from, to := g.From[c], g.To[c]
		fmt.Fprintf(b, "%s\t%d\t%s\t%d\t%d\t%s\t%s\n", g.SwitchGUID[from], g.FromPort[c], g.SwitchGUID[to], g.ToPort[c], loads[c], study.OneField(g.SwitchDesc[from]), study.OneField(g.SwitchDesc[to]))
	}
	return b.Flush()
}

// WriteORCS writes a network with its forwarding tables in the format of ORCS.
func WriteORCS(w io.Writer, g *fabric.Graph, plan *route.Plan) error {
	if by := plan.Choice.By; by != route.AnyLID && by != route.BaseLID {
		return errors.New("a host of ORCS has one address, but the plan chooses among the LIDs of a target")
	}
	return drawing.WriteORCS(w, g, plan.Ends.Base, plan.Tables.Port)
}

// Patterns is the document of `weft simulate flow --patterns --json`.
type Patterns struct {
	Patterns []Pattern `json:"patterns"`
}

// Pattern describes a traffic pattern.
type Pattern struct {
	Name    string `json:"name"`
	Arg     string `json:"arg,omitempty"` // in brackets when it may be left out
	Order   string `json:"order"`         // of ranks on hosts unless --order says another
	Summary string `json:"summary"`
}

// ListPatterns lists the traffic patterns.
func ListPatterns() *Patterns {
	out := &Patterns{}
	for _, k := range traffic.Kinds() {
		p := Pattern{k.Name, k.Arg, "natural", k.Summary}
		if k.Shuffled {
			p.Order = "random"
		}
		out.Patterns = append(out.Patterns, p)
	}
	return out
}

// Write prints the patterns for people.
func (l *Patterns) Write(w io.Writer) error {
	rows := [][]string{{"PATTERN", "ORDER", ""}}
	for _, p := range l.Patterns {
		name := p.Name
		switch {
		case strings.HasPrefix(p.Arg, "["):
			name += "[:" + p.Arg[1:]
		case p.Arg != "":
			name += ":" + p.Arg
		}
		rows = append(rows, []string{name, p.Order, p.Summary})
	}
	return study.Table(w, rows)
}
