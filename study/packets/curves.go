package packets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"weft/internal/chart"
	"weft/sim/flow"
)

// Read parses the document of an earlier simulation.
func Read(name string, data []byte) (*Simulation, error) {
	var o Simulation
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("%s: %w: want what weft simulate packet --json printed", name, err)
	}
	for i := range o.Rows {
		if o.Rows[i].Load > 0 {
			return &o, nil
		}
	}
	return nil, fmt.Errorf("%s: no rows with a load: want what weft simulate packet --load LOADS --json printed", name)
}

// DrawCurves draws curves against the offered load, a line for each simulation: the accepted load,
// the latency of packets in the network, and the latency of messages with their wait at the source.
func DrawCurves(w io.Writer, list []*Simulation) error {
	draw := func(title, unit string, log bool) chart.Chart {
		return chart.Chart{Name: "load", Title: title, Kind: chart.Lines, X: chart.Axis{Label: "offered, share of a host's link"}, Y: chart.Axis{Label: unit, Log: log}}
	}
	charts := []chart.Chart{
		draw(list[len(list)-1].title()+": accepted load", "share", false), draw("Mean latency of packets in the network", "us", false),
		draw("Mean latency of messages, their wait at the source included", "us", true),
	}
	for _, o := range list {
		var lines [3]chart.Series
		for i := range o.Rows {
			r := &o.Rows[i]
			if r.Load == 0 || r.Latency.Mean == 0 {
				continue
			}
			for k, v := range []flow.Summary{r.Share, r.RunLatency} {
				scale := []float64{1, 1e-3}[k]
				lines[k].Add(r.Load, v.Mean*scale, (v.Mean-v.CI95)*scale, (v.Mean+v.CI95)*scale)
			}
			if r.Messages != nil {
				lines[2].Add(r.Load, r.Messages.Mean/1000, 0, 0)
			}
		}
		for k := range lines {
			lines[k].Name = o.label(list)
			charts[k].Series = append(charts[k].Series, lines[k])
		}
	}
	if !slices.ContainsFunc(charts[2].Series, func(s chart.Series) bool { return len(s.Points) > 0 }) {
		charts = charts[:2] // no message was received in time
	}
	return chart.WriteAll(w, charts...)
}

// title names the fabric, the engine and the pattern.
func (o *Simulation) title() string {
	return fmt.Sprintf("%s, %s, %s", o.Fabric, cmp.Or(o.Engine, "tables of a file"), o.Pattern)
}

// label returns the properties that distinguish a simulation from the others: engine, fabric and
// pattern.
func (o *Simulation) label(list []*Simulation) string {
	name := cmp.Or(o.Engine, "tables of a file")
	differ := func(part func(*Simulation) string) bool {
		for _, other := range list {
			if part(other) != part(o) {
				return true
			}
		}
		return false
	}
	if differ(func(o *Simulation) string { return o.Fabric }) {
		name += ", " + o.Fabric
	}
	if differ(func(o *Simulation) string { return o.Pattern }) {
		name += ", " + o.Pattern
	}
	return name
}
