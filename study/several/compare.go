package several

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/intersubnet"
	"weft/planner/between"
	"weft/route"
	simbetween "weft/sim/between"
)

// Methods lists the methods to compare.
var Methods = []intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR, intersubnet.Nearest, intersubnet.Auto}

// Comparison is the document of `weft compare` of several subnets.
type Comparison struct {
	Network string         `json:"network"`
	Runs    int            `json:"runs"` // random bisections of all hosts
	Methods []MethodRow    `json:"methods"`
	Best    string         `json:"best"` // the proven engine with the most bandwidth; "" for none
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

// Compare routes each subnet once, and between the subnets by each method. now measures the
// seconds; ready receives each new row.
func Compare(ctx context.Context, n *subnets.Network, req *between.Request, methods []intersubnet.Method, hostsOnly bool, flows *simbetween.FlowRequest, now func() time.Time, ready func(*MethodRow)) (*Comparison, error) {
	out := &Comparison{Network: n.Name, Runs: flows.Runs, Methods: []MethodRow{}}
	one := *req
	best := -1.0
	for _, m := range methods {
		one.Method = m
		begun := now()
		d, r, err := Route(ctx, n, &one, hostsOnly)
		if refusal, ok := errors.AsType[*route.Refusal](err); ok {
			out.Methods = append(out.Methods, MethodRow{Method: m, Refused: refusal.Error()})
			ready(&out.Methods[len(out.Methods)-1])
			continue
		}
		if err != nil {
			return nil, err
		}
		row := MethodRow{Method: m, OK: d.Check.OK, Layers: d.Layers, VLs: d.VLs, MaxHops: d.Check.Hops.Max, AvgHops: d.Check.Hops.Avg, Seconds: now().Sub(begun).Seconds(), Fallbacks: len(d.Fallbacks)}
		if one.Routed == nil {
			one.Routed, out.Subnets = r.Jobs, d.Subnets
		}
		if row.Bandwidth, err = bandwidth(ctx, r.Plan, flows, "bisect"); err != nil {
			return nil, err
		}
		if row.Shift, err = bandwidth(ctx, r.Plan, flows, "shift"); err != nil {
			return nil, err
		}
		if row.OK && row.Bandwidth > best {
			best, out.Best = row.Bandwidth, string(m)
		}
		out.Methods = append(out.Methods, row)
		ready(&row)
	}
	return out, nil
}

// bandwidth returns the mean bandwidth of the flows of a pattern, 0 with fewer than two hosts.
func bandwidth(ctx context.Context, p *intersubnet.Plan, flows *simbetween.FlowRequest, pattern string) (float64, error) {
	if len(p.Hosts()) < 2 {
		return 0, nil
	}
	req := *flows
	req.Pattern, req.Order = pattern, "auto"
	f, err := simbetween.Simulate(ctx, p, &req)
	if err != nil {
		return 0, err
	}
	return f.Mean, nil
}

// Write prints the comparison for people.
func (d *Comparison) Write(w io.Writer) error {
	WriteMethodsHead(w, d.Network)
	for i := range d.Methods {
		d.Methods[i].Write(w)
	}
	return d.WriteEnd(w)
}

// methodRow formats a row for people. Its widths are fixed, because rows are printed one by one.
const methodRow = "%-9s %-11s %-6s %-4s %-6s %-7s %-7s %s\n"

// WriteMethodsHead prints the head of the rows.
func WriteMethodsHead(w io.Writer, network string) {
	fmt.Fprintf(w, "network  %s\n\n", fold.Text(9, network))
	fmt.Fprintf(w, methodRow, "METHOD", "VERDICT", "LAYERS", "VLs", "HOPS", "EBB", "SHIFT", "SECONDS")
}

// Write prints a row for people.
func (r *MethodRow) Write(w io.Writer) {
	if r.Refused != "" {
		fmt.Fprintf(w, methodRow, r.Method, "refused", "-", "-", "-", "-", "-", "-")
		return
	}
	verdict := "proven"
	if !r.OK {
		verdict = "NOT PROVEN"
	}
	f := func(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }
	fmt.Fprintf(w, methodRow, r.Method, verdict, strconv.Itoa(r.Layers), strconv.Itoa(r.VLs), f(r.AvgHops, 2), f(r.Bandwidth, 4), f(r.Shift, 4), f(r.Seconds, 2))
}

// WriteEnd prints the lines below the rows: each reason of a refusal once, and the best method.
func (d *Comparison) WriteEnd(w io.Writer) error {
	var reasons []string
	refused := map[string][]string{}
	for i := range d.Methods {
		if r := &d.Methods[i]; r.Refused != "" {
			if refused[r.Refused] == nil {
				reasons = append(reasons, r.Refused)
			}
			refused[r.Refused] = append(refused[r.Refused], string(r.Method))
		}
	}
	for _, reason := range reasons {
		fmt.Fprintf(w, "\n%s\n", fold.Text(2, fmt.Sprintf("%s: %s", strings.Join(refused[reason], ", "), reason)))
	}
	if d.Best == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nThe most bandwidth in random bisections has %s.\n", d.Best)
	return err
}
