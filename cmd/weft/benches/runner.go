package benches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/shape/fattree"
	"weft/lab/bench"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
)

// runner makes runs.
type runner struct {
	*flags
	peers  *peers
	dir    string
	opened map[string]*opened
}

// mostEntries limits the tables that OpenSM dumps: it writes 70 bytes for an entry.
const mostEntries = 5_000_000

// errLate is the cause of a context whose time limit is over.
var errLate = errors.New("time limit")

// run makes a run: the tables of a program, or its costs.
func (m *runner) run(ctx context.Context, p bench.Pair, row *bench.Row) error {
	row.Load = loadAverage()
	limited, stop := context.WithTimeoutCause(ctx, m.limit, errLate)
	defer stop()
	f := m.opened[row.Fabric]
	switch {
	case row.Program == bench.Weft && row.Round == 0:
		return m.ourTables(limited, f.g, p.Ours, row)
	case row.Program == bench.Weft:
		return m.ourCost(limited, f, p.Ours, row)
	}
	if row.Round == 0 && f.g.NumSwitches*(f.g.NumHosts+f.g.NumSwitches) > mostEntries {
		return nil // without figures
	}
	sim, err := m.peers.simulate(ctx, f.net, f.g, f.ports)
	if err != nil {
		return err
	}
	defer sim.stop()
	log := m.peers.bringUp(limited, sim, p.Theirs, row.Round == 0, row)
	if row.Round > 0 {
		return nil
	}
	row.Cost = bench.Cost{} // it wrote dumps
	if row.Status != "" {
		return nil
	}
	plan, err := m.peers.plan(f.g)
	if err != nil {
		return err
	}
	row.VLs = lanesOf(p.Theirs, log)
	return m.measureTables(ctx, f.g, plan, row)
}

// request returns the routing job of an engine.
func (m *runner) request(name string) (*planner.Request, error) {
	chain, err := engine.Parse(name, nil)
	return &planner.Request{Chain: chain, Seed: 1, Workers: m.workers, Now: cli.Clock()}, err
}

// ourTables routes a fabric and measures the tables.
func (m *runner) ourTables(ctx context.Context, g *fabric.Graph, name string, row *bench.Row) error {
	req, err := m.request(name)
	if err != nil {
		return err
	}
	r, err := planner.Route(ctx, g, req)
	switch refusal, refused := errors.AsType[*route.Refusal](err); {
	case refused:
		row.Status, row.Reason = bench.Refused, strings.Join(strings.Fields(refusal.Reason), " ")
		return nil
	case errors.Is(context.Cause(ctx), errLate):
		row.Status = bench.Late
		return nil
	case err != nil:
		return err
	}
	vls := int64(r.Plan.VLs)
	row.VLs = &vls
	return m.measureTables(ctx, g, r.Plan, row)
}

// measureTables measures tables.
func (m *runner) measureTables(ctx context.Context, g *fabric.Graph, plan *route.Plan, row *bench.Row) error {
	k, err := flow.NewKeyFigures(ctx, g, plan, flow.Measure{Seed: 1, Workers: m.workers})
	if err != nil {
		return err
	}
	row.EBB, row.EBBCI, row.Shift, row.Pairs, row.Undelivered = &k.EBB.Mean, &k.EBB.CI95, &k.Shift.Sum, &k.PairLoad, &k.Undelivered
	var out int64
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) && plan.Ends.Base[h] == 0 {
			out++
		}
	}
	row.LeftOut = &out
	if fattree.IsTree(g) {
		up := mostUp(g, plan, fattree.Recognise(g, nil, nil))
		row.Up = &up
	}
	return nil
}

// mostUp returns the largest number of pairs of hosts with LIDs on a channel that leads up.
func mostUp(g *fabric.Graph, plan *route.Plan, t *fattree.Tree) (most int64) {
	on, sources := make([]int64, g.NumChannels), make([]int64, g.NumSwitches)
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) && plan.Ends.Base[h] != 0 {
			sources[g.EndSwitch[h]]++
		}
	}
	for h := range int32(g.NumHosts) {
		lid := plan.Ends.Base[h]
		if lid == 0 || !g.IsHost(h) {
			continue
		}
		for leaf := range int32(g.NumSwitches) {
			for at, hops := leaf, 0; sources[leaf] > 0 && at != g.EndSwitch[h] && hops <= g.NumSwitches; hops++ {
				c, _ := g.At(at, plan.Tables.Port(at, lid))
				if c < 0 {
					break
				}
				if on[c] += sources[leaf]; t.Level[g.To[c]] > t.Level[at] {
					most = max(most, on[c])
				}
				at = g.To[c]
			}
		}
	}
	return most
}

// routed is the answer of --route-only.
type routed struct {
	CPU float64 `json:"cpu_seconds"`
}

// route routes one fabric in this process and prints the CPU time of the routing.
func (o *flags) route(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || len(o.engines) != 1 {
		return errors.New("--route-only: want one FABRIC and one engine")
	}
	g, err := o.fabric.Graph(cmd, args[0])
	if err != nil {
		return err
	}
	m := &runner{flags: o}
	req, err := m.request(o.engines[0])
	if err != nil {
		return err
	}
	before := cpuSeconds()
	if _, err := planner.Route(cmd.Context(), g, req); err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(routed{cpuSeconds() - before})
}

// ourCost routes a fabric in a process of its own, then brings the subnet up in another.
func (m *runner) ourCost(ctx context.Context, f *opened, name string, row *bench.Row) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	jobs := fmt.Sprint(m.workers)
	e := run(ctx, m.dir, nil, nil, self, "lab", "bench", "--route-only", "--quiet", "-j", jobs, "-e", name, f.net)
	if m.failed(ctx, row, "weft lab bench --route-only", e) {
		return nil
	}
	var r routed
	if err := json.Unmarshal(e.out, &r); err != nil {
		return fmt.Errorf("weft lab bench --route-only: %w", err)
	}
	sim, err := m.peers.simulate(ctx, f.net, f.g, f.ports)
	if err != nil {
		return err
	}
	defer sim.stop()
	e = run(ctx, m.dir, nil, nil, self, "sm", "--once", "--unproven", "-j", jobs, "--transport", "ibsim:"+sim.socket, "-e", name)
	if m.failed(ctx, row, "weft sm --once", e) {
		return nil
	}
	row.RouteCPU, row.CPU, row.Wall, row.Peak = &r.CPU, &e.cpu, &e.wall, &e.peak
	return nil
}

// failed notes the end of a program that did not do its work, and reports whether it did not.
func (m *runner) failed(ctx context.Context, row *bench.Row, what string, e *ended) bool {
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		row.Status = bench.Late
	case e.err != nil:
		row.Status, row.Reason = bench.Failed, fmt.Sprintf("%s: %v: %s", what, e.err, bytes.TrimSpace(e.log))
	default:
		return false
	}
	return true
}
