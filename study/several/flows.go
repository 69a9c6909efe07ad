package several

import (
	"fmt"
	"io"

	simbetween "weft/sim/between"

	"weft/internal/fold"
)

// Flows is the document of `weft simulate flow` of several subnets.
type Flows struct {
	Network string `json:"network"`
	Layers  int    `json:"layers"`
	*simbetween.FlowReport
}

// Write prints the result for people.
func (d *Flows) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "network     %s\npattern     %s, %d hosts, %d runs\nflows       %d, %.1f %% between subnets, %d undelivered\nbandwidth   mean %.4f, min %.4f, max %.4f of a link\ncongestion  max %d\n",
		fold.Text(12, d.Network), d.Pattern, d.Hosts, d.Runs, d.FlowReport.Flows, 100*d.Across, d.Undelivered, d.Mean, d.Min, d.Max, d.MaxCongestion)
	return err
}
