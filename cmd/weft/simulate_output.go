package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/sim/flow"
	"weft/traffic"
)

// flowOutput is what `weft simulate flow --json` prints.
type flowOutput struct {
	Fabric  string   `json:"fabric"`
	Engine  string   `json:"engine,omitempty"` // none for tables from a file
	Refused []string `json:"refused,omitempty"`
	Pattern string   `json:"pattern"`
	Order   string   `json:"order"`
	Hosts   int      `json:"hosts"`
	Seed    uint64   `json:"seed"`
	// EBB is the effective bisection bandwidth, for the bisection patterns only.
	EBB       *flow.Summary `json:"ebb,omitempty"`
	Direction string        `json:"ebb_direction,omitempty"` // "one way" or "both ways"
	*flow.Result
	// Spread is the same traffic with every flow dealt out over all LIDs of its target, where
	// sources may use any of several; the rest is about traffic to base LIDs alone then.
	Spread  *flow.Result `json:"spread_over_lids,omitempty"`
	Pairs   *pairsOutput `json:"all_pairs,omitempty"`
	Seconds float64      `json:"seconds"` // simulation alone
}

// pairsOutput are the figures over all pairs of hosts.
type pairsOutput struct {
	*flow.Pairs
	PathLoad flow.Spread `json:"path_load"`
	A2A      *int64      `json:"a2a_risk,omitempty"` // absent for a Plan with a Choice of LIDs
}

func (o *flowOutput) write(w io.Writer) error {
	tables := "tables of a file"
	if o.Engine != "" {
		tables = o.Engine
	}
	what := "bandwidth"
	if o.EBB != nil {
		what = "effective bisection bandwidth, " + o.Direction
	}
	rows := [][]string{
		{"engine", tables},
		{"pattern", fmt.Sprintf("%s, %d ranks, %s order", o.Pattern, o.Ranks, o.Order)},
		{"runs", fmt.Sprintf("%d of %s, %s in all", o.Runs, plural(o.Rounds, "round"), plural(o.Flows, "flow"))},
	}
	if o.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", plural(o.Undelivered, "flow")})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := writeResult(w, what, o.Result); err != nil {
		return err
	}
	if o.Spread != nil {
		fmt.Fprintln(w, "\nthat was to base LIDs alone; every flow dealt out over all LIDs of its target:")
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

// writeResult prints what the flows get.
func writeResult(w io.Writer, what string, r *flow.Result) error {
	stats := [][]string{{"", "MEAN", "+-95%", "MIN", "MEDIAN", "MAX"}, summaryRow(what, &r.Bandwidth, 4)}
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
	return table(w, stats)
}

// summaryRow is a row of a table: mean, confidence, least, median and largest.
func summaryRow(name string, s *flow.Summary, digits int) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{name, number(s.Mean), number(s.CI95), number(s.Min), number(s.Median), number(s.Max)}
}

func (p *pairsOutput) write(w io.Writer) error {
	spread := func(s flow.Spread) string {
		return fmt.Sprintf("%.0f to %.0f, mean %.1f, deviation %.1f", s.Min, s.Max, s.Mean, s.StdDev)
	}
	rows := [][]string{
		{"all pairs", strconv.FormatInt(p.Pairs.Pairs, 10)},
		{"pairs a channel", spread(p.Load)},
		{"largest on a path", spread(p.PathLoad)},
		{"edge forwarding index", strconv.FormatInt(p.Index, 10)},
		{"dark", fmt.Sprintf("%d of %d channels, %s both ways", p.DarkChannels, p.Channels, plural(p.DarkLinks, "link"))},
	}
	if p.Undelivered > 0 {
		rows = append(rows, []string{"not delivered", plural(p.Undelivered, "pair")})
	}
	if p.A2A != nil {
		rows = append(rows, []string{"all-to-all risk", strconv.FormatInt(*p.A2A, 10)})
	}
	return table(w, rows)
}

// writeLoads writes the pairs of hosts on every channel, by channel.
func writeLoads(w io.Writer, g *fabric.Graph, loads []int64) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "from_guid\tfrom_port\tto_guid\tto_port\tpairs")
	for c, load := range loads {
		fmt.Fprintf(b, "%s\t%d\t%s\t%d\t%d\n", g.SwitchGUID[g.From[c]], g.FromPort[c], g.SwitchGUID[g.To[c]], g.ToPort[c], load)
	}
	return b.Flush()
}

// plural is a number with its noun.
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// patternEntry is what `weft simulate flow --patterns --json` prints of a pattern.
type patternEntry struct {
	Name    string `json:"name"`
	Arg     string `json:"arg,omitempty"` // in brackets when it may be left out
	Order   string `json:"order"`
	Summary string `json:"summary"`
}

func listPatterns(w io.Writer, asJSON bool) error {
	entries := []patternEntry{}
	rows := [][]string{{"PATTERN", "ORDER", ""}}
	for _, k := range traffic.Kinds() {
		e := patternEntry{k.Name, k.Arg, "natural", k.Summary}
		if k.Shuffled {
			e.Order = "random"
		}
		entries = append(entries, e)
		name := k.Name
		switch {
		case strings.HasPrefix(k.Arg, "["):
			name += "[:" + k.Arg[1:]
		case k.Arg != "":
			name += ":" + k.Arg
		}
		rows = append(rows, []string{name, e.Order, e.Summary})
	}
	if asJSON {
		return printJSON(w, map[string]any{"patterns": entries})
	}
	return table(w, rows)
}
