package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/mapping"
	"weft/mapping/routes"
	"weft/route/check"
	"weft/route/quality"
)

// mapRoutes are the source routes that weft map computes on a map.
type mapRoutes struct {
	file string
}

func (r *mapRoutes) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.file, "routes", "", "file for the routes of all pairs of hosts, as turns (text, or JSON by its ending)")
}

// routesReport is what weft map says of the routes.
type routesReport struct {
	Root         string   `json:"root"`
	Relabelled   []string `json:"relabelled"`
	Pairs        int      `json:"pairs"`
	Delivered    int      `json:"delivered"` // tried in the network
	DeadlockFree string   `json:"deadlock_free"`
	Messages     int      `json:"messages"` // that tell the hosts their routes
	Unheard      int      `json:"unheard"`
	Bytes        int      `json:"bytes"`
	ModelledMS   float64  `json:"modelled_ms"`
}

// ok says that no route failed and none can deadlock; so do routes not asked for.
func (rep *routesReport) ok() bool {
	return rep == nil || rep.Delivered == rep.Pairs && rep.Unheard == 0 && rep.DeadlockFree != check.No.String()
}

// run computes the routes, tries every one in the network, has the judge look for
// deadlock, sends the hosts their tables and writes the file. It returns nil when no
// routes were asked for.
func (r *mapRoutes) run(cmd *cobra.Command, n *mapping.Network, master, utility int32, m *mapping.Model, seed uint64) (*routesReport, error) {
	if r.file == "" {
		return nil, nil
	}
	table := routes.Compute(n, &routes.Options{Utility: utility, Seed: seed})
	trial := table.Try(n, m)
	told := table.Distribute(n, master, m, mapping.MyrinetClock)
	rep := &routesReport{
		Root: n.NodeName(table.Root), Relabelled: []string{}, Pairs: trial.Pairs, Delivered: trial.Delivered,
		Messages: told.Messages, Unheard: told.Unheard, Bytes: told.Bytes, ModelledMS: float64(told.Elapsed) / float64(time.Millisecond),
	}
	for _, s := range table.Relabelled {
		rep.Relabelled = append(rep.Relabelled, n.NodeName(s))
	}
	var err error
	if rep.DeadlockFree, err = judgeRoutes(cmd.Context(), n, table); err != nil {
		return nil, err
	}
	return rep, output(cmd, r.file, func(w io.Writer) error {
		if filepath.Ext(r.file) == ".json" {
			return writeRoutesJSON(w, n, table)
		}
		return writeRoutes(w, n, table)
	})
}

// judgeRoutes asks the judge whether messages on the routes can wait for each other in
// a circle: yes, no, or why it was not asked.
func judgeRoutes(ctx context.Context, n *mapping.Network, table *routes.Table) (string, error) {
	f, err := n.ToFabric("map", 4, fabric.SDR)
	if err != nil {
		return "", err
	}
	g := f.Compile()
	plan, err := table.Plan(ctx, n, g)
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	if err != nil {
		return "not judged: " + err.Error(), nil
	}
	report, err := quality.Judge(ctx, g, plan, check.Options{Workers: 1})
	if err != nil {
		return "", err
	}
	if report.DifferingPaths > 0 {
		return "", fmt.Errorf("weft: %d routes were judged as others than they are", report.DifferingPaths)
	}
	return report.HostOnly.DeadlockFree.String(), nil
}

func address(h mapping.Host) string { return fmt.Sprintf("0x%016x", h.ID) }

// writeRoutes writes a line for each pair of hosts: two addresses and the turns.
func writeRoutes(out io.Writer, n *mapping.Network, table *routes.Table) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# source routes, up*/down* from %s: source, destination, turns\n", n.NodeName(table.Root))
	for _, h := range n.Hosts {
		fmt.Fprintf(w, "# %s %s\n", address(h), h.Name)
	}
	for a, to := range table.Turns {
		for b, turns := range to {
			if turns == nil {
				continue
			}
			fmt.Fprintf(w, "%s %s", address(n.Hosts[a]), address(n.Hosts[b]))
			for _, turn := range turns {
				fmt.Fprintf(w, " %+d", turn)
			}
			fmt.Fprintln(w)
		}
	}
	return w.Flush()
}

// writeRoutesJSON writes the same as one JSON object.
func writeRoutesJSON(w io.Writer, n *mapping.Network, table *routes.Table) error {
	type host struct {
		Address string `json:"address"`
		Name    string `json:"name"`
	}
	type pair struct {
		From  string `json:"from"`
		To    string `json:"to"`
		Turns []int  `json:"turns"`
	}
	all := struct {
		Root   string `json:"root"`
		Hosts  []host `json:"hosts"`
		Routes []pair `json:"routes"`
	}{Root: n.NodeName(table.Root)}
	for _, h := range n.Hosts {
		all.Hosts = append(all.Hosts, host{address(h), h.Name})
	}
	for a, to := range table.Turns {
		for b, turns := range to {
			if turns == nil {
				continue
			}
			p := pair{From: address(n.Hosts[a]), To: address(n.Hosts[b])}
			for _, turn := range turns {
				p.Turns = append(p.Turns, int(turn))
			}
			all.Routes = append(all.Routes, p)
		}
	}
	return printJSON(w, all)
}

// rows are the lines of the report for people.
func (rep *routesReport) rows() [][]string {
	if rep == nil {
		return nil
	}
	root := rep.Root
	if k := len(rep.Relabelled); k > 0 {
		root += fmt.Sprintf("; locally dominant and relabelled: %d", k)
	}
	return [][]string{
		{"routes", fmt.Sprintf("%d pairs of hosts, %d tried with success", rep.Pairs, rep.Delivered)},
		{"  root", root},
		{"  deadlock-free", rep.DeadlockFree},
		{"  distribution", fmt.Sprintf("%d messages, %d not answered, %d bytes, %.1f ms (modelled)", rep.Messages, rep.Unheard, rep.Bytes, rep.ModelledMS)},
	}
}
