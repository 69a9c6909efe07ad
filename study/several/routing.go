package several

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"weft/planner/between"

	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
)

// Routing is the document of `weft route` of several subnets.
type Routing struct {
	Method    intersubnet.Method     `json:"method"`
	Subnets   []RoutedSubnet         `json:"subnets"`
	Fallbacks []intersubnet.Fallback `json:"fallbacks"` // cases where the request was isfr or auto and weft uses another method
	Layers    int                    `json:"layers"`    // of lanes
	VLs       int                    `json:"vls"`
	Why       string                 `json:"why,omitempty"` // the reason for several layers
	Seconds   float64                `json:"seconds"`
	PeakRSS   float64                `json:"peak_rss_mb"`
	Check     *betweencheck.Report   `json:"check"`
}

// RoutedSubnet is a subnet with the engine that routed it.
type RoutedSubnet struct {
	Name   string `json:"name"`
	Engine string `json:"engine"`
	LIDs   int    `json:"lids"`
	VLs    int    `json:"vls"`
}

// Route routes several subnets and judges the Plan. It takes one layer of lanes if the judge proves
// that, otherwise the layers that intersubnet.Route adds. With hostsOnly the proof covers pairs of
// hosts alone.
func Route(ctx context.Context, n *subnets.Network, req *between.Request, hostsOnly bool) (*Routing, *between.Result, error) {
	layered, r, err := between.Route(ctx, n, req)
	if r == nil {
		return nil, nil, err
	}
	opt := betweencheck.Options{Workers: req.Local.Workers, HostsOnly: hostsOnly}
	report, failed := betweencheck.Judge(ctx, r.Plan, opt)
	if failed != nil {
		return nil, nil, failed
	}
	why := ""
	if !report.DeadlockFree {
		switch {
		case layered != nil:
			why = fmt.Sprintf("one layer has a cycle of %d dependencies", len(report.Cycle))
			r = layered
			if report, failed = betweencheck.Judge(ctx, r.Plan, opt); failed != nil {
				return nil, nil, failed
			}
		case err != nil && r.Plan.BySwitch != nil:
			one := *req
			one.OneGateway, one.Routed = true, r.Jobs
			d, r, err := Route(ctx, n, &one, hostsOnly)
			if err == nil {
				d.Why = strings.TrimPrefix(d.Why+"; one gateway for all of a subnet and a target: a gateway for each switch takes more lanes than there are", "; ")
			}
			return d, r, err
		case err != nil:
			return nil, nil, err
		}
	}
	d := &Routing{Method: req.Method, Fallbacks: append([]intersubnet.Fallback{}, r.Fallbacks...), Layers: r.Plan.Layers, VLs: r.VLs, Why: why, Check: report}
	for s, one := range r.Jobs {
		d.Subnets = append(d.Subnets, RoutedSubnet{n.Subnets[s].Name, one.Engine.Name, one.Plan.Ends.Total(), one.Plan.VLs})
	}
	return d, r, nil
}

// Write prints the result for people.
func (d *Routing) Write(w io.Writer) error { return d.write(w, subnetsShown) }

// WriteAll prints it with all subnets.
func (d *Routing) WriteAll(w io.Writer) error {
	return d.write(w, len(d.Subnets)+len(d.Fallbacks))
}

func (d *Routing) write(w io.Writer, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "subnet\tengine\tLIDs\tVLs")
	for _, s := range d.Subnets[:min(most, len(d.Subnets))] {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\n", s.Name, s.Engine, s.LIDs, s.VLs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(d.Subnets) - most; more > 0 {
		fmt.Fprintf(w, "and %d more (--verbose lists them)\n", more)
	}
	fmt.Fprintf(w, "\nbetween them    %s\n", d.Method)
	d.writeFallbacks(w, most)
	fmt.Fprintf(w, "layers          %d, %d VLs", d.Layers, d.VLs)
	if d.Why != "" {
		fmt.Fprintf(w, ": %s", d.Why)
	}
	fmt.Fprintln(w)
	if d.Check == nil {
		return nil
	}
	return d.Check.Write(w)
}

// writeFallbacks prints each reason once, with its subnets.
func (d *Routing) writeFallbacks(w io.Writer, most int) {
	type reason struct {
		method intersubnet.Method
		text   string
	}
	var reasons []reason
	pairs := map[reason][]string{}
	for _, f := range d.Fallbacks {
		r, pair := reason{f.Method, f.Reason}, "from all to "+f.To
		if f.From != "" {
			pair = "from " + f.From + " to " + f.To
		}
		if pairs[r] == nil {
			reasons = append(reasons, r)
		}
		pairs[r] = append(pairs[r], pair)
	}
	for _, r := range reasons[:min(most, len(reasons))] {
		list := pairs[r]
		named := strings.Join(list[:min(len(list), pairsShown)], ", ")
		if more := len(list) - pairsShown; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(w, "  %s\n", fold.Text(4, fmt.Sprintf("%s %s: %s", r.method, named, r.text)))
	}
	if more := len(reasons) - most; more > 0 {
		fmt.Fprintf(w, "  and others for %d more reasons\n", more)
	}
}

// pairsShown limits the pairs of subnets named for one reason.
const pairsShown = 6
