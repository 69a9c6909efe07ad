package fattree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/chart"
	"weft/lab"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// Our times for Fig. 3: a spine stops and comes back, and each time the manager writes new tables
// after a delay, one block after the other.
const (
	spineStops    = 20 * packet.Millisecond
	spineReturns  = 60 * packet.Millisecond
	managerReacts = 20 * packet.Millisecond
	endOfReboot   = 100 * packet.Millisecond
	blockWritten  = 20 * packet.Microsecond
)

// stepOfReboot is the time between two points of Fig. 3.
const stepOfReboot = packet.Millisecond

// phase is the time between two changes of the fabric.
type phase struct {
	name     string
	from, to packet.Time
}

var phasesOfReboot = []phase{
	{"all up", 0, spineStops},
	{"a spine down", spineStops, spineStops + managerReacts},
	{"paths around it", spineStops + managerReacts, spineReturns + managerReacts},
	{"all up again", spineReturns + managerReacts, endOfReboot},
}

// reboot makes Fig. 3: a node sends from both its ports to another node, one flow to each port,
// when the spine of the first flow stops.
func reboot(ctx context.Context, s *lab.Setup) *lab.Result {
	const formula = "mftree-fig2"
	columns := []string{"engine"}
	for _, p := range phasesOfReboot {
		columns = append(columns, p.name+", MB/s")
	}
	t := lab.Table{Name: "fig3", Title: "What the node takes on average, and packets that were lost", Columns: append(columns, "packets lost")}
	over := chart.Chart{
		Name: "fig3", Title: "A spine stops at 20 ms and comes back at 60 ms", Kind: chart.Lines,
		X: chart.Axis{Label: "ms"}, Y: chart.Axis{Label: "throughput of the node (MB/s)"},
	}
	byManager := managedTable()
	got := map[string][]float64{}
	s.EachOf(ctx, formula, formula, enginesVI(s), func(e *lab.Candidate, trial *lab.Trial) {
		steps, lost := throughReboot(ctx, formula, e, trial)
		line, cells := chart.Series{Name: e.Name}, []string{e.Name}
		for i, v := range steps {
			line.Add(float64(i)+.5, v, 0, 0)
		}
		over.Series = append(over.Series, line)
		if e.Name == "ours" {
			over.Series = append(over.Series, managed(ctx, formula, e, &byManager))
		}
		for _, p := range phasesOfReboot {
			mean := meanOf(steps[inSteps(p.from):inSteps(p.to)])
			got[e.Name] = append(got[e.Name], mean)
			cells = append(cells, fmt.Sprintf("%.0f", mean))
		}
		t.Add(append(cells, fmt.Sprint(lost))...)
	})
	return &lab.Result{Tables: []lab.Table{t, byManager}, Claims: rebootClaims(got), Charts: lab.NonEmpty(over), Notes: []string{
		"The paper's times are those of its manager and hardware, in seconds, and were not printed; here the manager takes 20 ms to learn that the spine is gone or back, and 20 us for each block of 64 entries.",
		notesOfManaged,
	}}
}

// inSteps converts a time to steps.
func inSteps(t packet.Time) int { return int(t / stepOfReboot) }

func meanOf(v []float64) (mean float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	return mean
}

// throughReboot returns the throughput by step, in MB/s, and the number of lost packets.
func throughReboot(ctx context.Context, formula string, e *lab.Candidate, trial *lab.Trial) ([]float64, int64) {
	g := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR)
	flows := flowsOfNodes(g)
	sim := lab.Must(packet.New(g, trial.Plan, packet.Default(), &packet.Streams{List: flows}))
	spine := spineOf(g, trial.Plan, flows[0])
	sim.At(spineStops, func(s *packet.Sim) { s.SetSwitchDown(spine, true) })
	writeAll(sim, spineStops+managerReacts, g, reroutedWithout(ctx, formula, e, trial, spine))
	sim.At(spineReturns, func(s *packet.Sim) { s.SetSwitchDown(spine, false) })
	writeAll(sim, spineReturns+managerReacts, g, trial)
	series := sim.Record(0, stepOfReboot, inSteps(endOfReboot), false)
	r := lab.Must(sim.Run(ctx, 0, endOfReboot))
	steps := make([]float64, len(series.Bytes))
	for i, bytes := range series.Bytes {
		steps[i] = float64(bytes) * float64(packet.Second/stepOfReboot) / 1e6
	}
	return steps, r.Lost.Total()
}

// flowsOfNodes returns a stream from each port of the last node to a port of the first, which is on
// other leaves.
func flowsOfNodes(g *fabric.Graph) (flows []packet.Stream) {
	nodes := traffic.TwoPortNodes(g)
	from, to := g.NodeStart[nodes[len(nodes)-1]], g.NodeStart[nodes[0]]
	for k := range int32(2) {
		flows = append(flows, packet.Stream{Src: g.NodeEnds[from+k], Dst: g.NodeEnds[to+k], Bytes: longMessage})
	}
	return flows
}

// spineOf returns the switch behind the leaf of a stream's source.
func spineOf(g *fabric.Graph, p *route.Plan, flow packet.Stream) int32 {
	leaf := g.EndSwitch[flow.Src]
	channel, _ := g.At(leaf, p.Tables.Port(leaf, p.Ends.Base[flow.Dst]))
	return g.To[channel]
}

// reroutedWithout routes the fabric again without a switch; all ports keep their LIDs.
func reroutedWithout(ctx context.Context, formula string, e *lab.Candidate, trial *lab.Trial, sw int32) *lab.Trial {
	f := lab.Must(gen.Parse(formula))
	id, _ := f.NodeByGUID(trial.Graph.SwitchGUID[sw])
	f.SetNodeDown(id, true)
	g := f.Compile()
	req := &planner.Request{Chain: lab.Must(engine.Parse(e.How.Engine, nil))}
	lab.Check(planner.Keep(trial.Plan, trial.Graph).Hold(g, req))
	return &lab.Trial{Graph: g, Plan: lab.Must(planner.Route(ctx, g, req)).Plan}
}

// writeAll writes the tables of a Plan from a time on, one block after the other; the Plan's Graph
// may have fewer switches.
func writeAll(sim *packet.Sim, at packet.Time, g *fabric.Graph, now *lab.Trial) {
	numbers, _ := fabric.Match(g, now.Graph)
	for sw, number := range numbers {
		for i := range now.Plan.Tables.NumBlocks() {
			block := now.Plan.Tables.Block(int32(sw), i)
			sim.At(at, func(s *packet.Sim) { s.WriteBlock(number, i, block) })
			at += blockWritten
		}
	}
}

// rebootClaims judges the throughput of each engine in the parts of the run, in percent of its
// throughput with all switches up.
func rebootClaims(got map[string][]float64) []lab.Claim {
	const up, down, around, again = 0, 1, 2, 3
	share := func(engine string, part int) (percent float64, ok bool) {
		v := got[engine]
		if v == nil {
			return 0, false
		}
		return 100 * v[part] / v[up], true
	}
	half, ok1 := share("mFtree", down)
	none, ok2 := share("ftree", down)
	least, ok := lab.Most, true
	for _, engine := range []string{"ftree", "mFtree"} {
		for _, part := range []int{around, again} {
			v, found := share(engine, part)
			least, ok = min(least, v), ok && found
		}
	}
	return []lab.Claim{
		lab.Level("mFtree: what is left while the spine is down", "3795 MB/s down to 1897, 50.0 %", 50, lab.Exact).JudgedBy(half, ok1),
		lab.InRange("classic: what is left while the spine is down", "complete loss of service", 0, 1).JudgedBy(none, ok2),
		lab.InRange("both: least of what they get when paths lead around the spine, and when it is back", "the flows are rerouted", 98, lab.Most).JudgedBy(least, ok),
	}
}
