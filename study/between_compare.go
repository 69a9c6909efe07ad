package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/intersubnet"
	"weft/route"
)

// BetweenMethods are the ways to route between subnets that are compared.
var BetweenMethods = []intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR, intersubnet.Nearest, intersubnet.Auto}

// ComparedBetween is the document of `weft compare` of several subnets.
type ComparedBetween struct {
	Network string         `json:"network"`
	Runs    int            `json:"runs"` // random bisections of all hosts
	Methods []MethodRow    `json:"methods"`
	Best    string         `json:"best"` // of those that are proven, the one with the most bandwidth; "" for none
	Subnets []RoutedSubnet `json:"subnets"`
}

// MethodRow is one way to route between the subnets.
type MethodRow struct {
	Method    intersubnet.Method `json:"method"`
	OK        bool               `json:"ok"` // proven
	Layers    int                `json:"layers"`
	VLs       int                `json:"vls"`
	MaxHops   int                `json:"max_hops"`
	AvgHops   float64            `json:"avg_hops"`
	Bandwidth float64            `json:"bandwidth"` // mean of random bisections, share of a link
	Shift     float64            `json:"shift"`     // the same of all-to-all by shifts
	Seconds   float64            `json:"seconds"`   // between the subnets, proof apart from measurement
	Fallbacks int                `json:"fallbacks"`
	Refused   string             `json:"refused,omitempty"`
}

// CompareBetween routes the subnets once, and between them by each of some methods. The clock is asked for the seconds.
func CompareBetween(ctx context.Context, n *subnets.Network, req *intersubnet.Request, methods []intersubnet.Method, hostsOnly bool, flows *intersubnet.FlowRequest, now func() time.Time) (*ComparedBetween, error) {
	out := &ComparedBetween{Network: n.Name, Runs: flows.Runs, Methods: []MethodRow{}}
	one := *req
	best := -1.0
	for _, m := range methods {
		one.Method = m
		begun := now()
		d, r, err := routeBetween(ctx, n, &one, hostsOnly)
		if refusal, ok := errors.AsType[*route.Refusal](err); ok {
			out.Methods = append(out.Methods, MethodRow{Method: m, Refused: refusal.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		row := MethodRow{Method: m, OK: d.Check.OK, Layers: d.Layers, VLs: d.VLs, MaxHops: d.Check.Hops.Max, AvgHops: d.Check.Hops.Avg, Seconds: now().Sub(begun).Seconds(), Fallbacks: len(d.Fallbacks)}
		if one.Routed == nil {
			one.Routed, out.Subnets = r.Jobs, d.Subnets
		}
		if row.Bandwidth, err = bandwidthOf(ctx, r.Plan, flows, "bisect"); err != nil {
			return nil, err
		}
		if row.Shift, err = bandwidthOf(ctx, r.Plan, flows, "shift"); err != nil {
			return nil, err
		}
		if row.OK && row.Bandwidth > best {
			best, out.Best = row.Bandwidth, string(m)
		}
		out.Methods = append(out.Methods, row)
	}
	return out, nil
}

// bandwidthOf is the mean bandwidth of a flow of a pattern; 0 with fewer than two hosts.
func bandwidthOf(ctx context.Context, p *intersubnet.Plan, flows *intersubnet.FlowRequest, pattern string) (float64, error) {
	if len(p.Hosts()) < 2 {
		return 0, nil
	}
	req := *flows
	req.Pattern, req.Order = pattern, "auto"
	f, err := p.Simulate(ctx, &req)
	if err != nil {
		return 0, err
	}
	return f.Mean, nil
}

// Write prints the comparison for people.
func (d *ComparedBetween) Write(w io.Writer) error {
	fmt.Fprintf(w, "network  %s\n\n", fold.Text(9, d.Network))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METHOD\tVERDICT\tLAYERS\tVLs\tHOPS\tEBB\tSHIFT\tSECONDS")
	for i := range d.Methods {
		r := &d.Methods[i]
		if r.Refused != "" {
			fmt.Fprintf(t, "%s\trefused\t-\t-\t-\t-\t-\t-\n", r.Method)
			continue
		}
		verdict := "proven"
		if !r.OK {
			verdict = "NOT PROVEN"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.2f\t%.4f\t%.4f\t%.2f\n", r.Method, verdict, r.Layers, r.VLs, r.AvgHops, r.Bandwidth, r.Shift, r.Seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range d.Methods {
		if r := &d.Methods[i]; r.Refused != "" {
			fmt.Fprintf(w, "\n%s\n", fold.Text(2, fmt.Sprintf("%s: %s", r.Method, r.Refused)))
		}
	}
	if d.Best != "" {
		fmt.Fprintf(w, "\nThe most bandwidth in random bisections has %s.\n", d.Best)
	}
	return nil
}
