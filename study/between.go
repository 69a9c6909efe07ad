package study

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"weft/fabric/subnets"
	"weft/internal/fold"
	"weft/intersubnet"
	betweencheck "weft/intersubnet/check"
)

// Network is the document of `weft show` of several subnets.
type Network struct {
	Name        string       `json:"name"`
	Switches    int          `json:"switches"` // of all subnets
	CAs         int          `json:"cas"`
	Routers     int          `json:"routers"`
	RouterPorts int          `json:"router_ports"`
	EndPorts    int          `json:"end_ports"` // CA and router ports
	Subnets     []OneSubnet  `json:"subnets"`
	Joints      []JointCount `json:"joints"`
}

// OneSubnet is one subnet of a Network.
type OneSubnet struct {
	Name        string         `json:"name"`
	Prefix      subnets.Prefix `json:"prefix"`
	Fabric      string         `json:"fabric"`
	Kind        int            `json:"kind"` // subnets of one kind are alike
	Switches    int            `json:"switches"`
	CAs         int            `json:"cas"`
	RouterPorts int            `json:"router_ports"`
}

// JointCount counts the routers between the same subnets.
type JointCount struct {
	Subnets []string `json:"subnets"`
	Routers int      `json:"routers"`
}

// NewNetwork counts what is in a network.
func NewNetwork(n *subnets.Network) *Network {
	d := &Network{Name: n.Name, Routers: len(n.Routers), RouterPorts: len(n.Ports), Joints: []JointCount{}}
	for s := range n.Subnets {
		sub, g := &n.Subnets[s], n.Graph(int32(s))
		one := OneSubnet{sub.Name, sub.Prefix, n.Kinds[sub.Kind].Source, int(sub.Kind), g.NumSwitches, sub.Nodes - g.NumSwitches, len(sub.Ports)}
		d.Subnets = append(d.Subnets, one)
		d.Switches, d.CAs, d.EndPorts = d.Switches+one.Switches, d.CAs+one.CAs, d.EndPorts+one.CAs+one.RouterPorts
	}
	at := map[string]int{}
	for r := range n.Routers {
		var names []string
		for s := range n.Subnets {
			if len(n.PortsIn(int32(r), int32(s))) > 0 {
				names = append(names, n.Subnets[s].Name)
			}
		}
		key := fmt.Sprint(names)
		if _, ok := at[key]; !ok {
			at[key] = len(d.Joints)
			d.Joints = append(d.Joints, JointCount{Subnets: names})
		}
		d.Joints[at[key]].Routers++
	}
	return d
}

// subnetsShown limits the subnets that are listed for people without --verbose.
const subnetsShown = 20

// Write prints the network for people.
func (d *Network) Write(w io.Writer) error { return d.write(w, subnetsShown) }

// WriteAll prints it with all subnets.
func (d *Network) WriteAll(w io.Writer) error { return d.write(w, len(d.Subnets)) }

func (d *Network) write(w io.Writer, most int) error {
	fmt.Fprintf(w, "network      %s\n", fold.Text(13, d.Name))
	fmt.Fprintf(w, "subnets      %d\nswitches     %d\nCAs          %d\nrouters      %d, %d ports\n\n", len(d.Subnets), d.Switches, d.CAs, d.Routers, d.RouterPorts)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "subnet\tprefix\tswitches\tCAs\trouter ports\tfabric")
	for i, s := range d.Subnets {
		if i == most {
			break
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\n", s.Name, s.Prefix, s.Switches, s.CAs, s.RouterPorts, shortened(s.Fabric, 24))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(d.Subnets) - most; more > 0 {
		fmt.Fprintf(w, "and %d more (--verbose lists them)\n", more)
	}
	fmt.Fprintln(w)
	for i, j := range d.Joints {
		if i == most {
			fmt.Fprintf(w, "and %d more\n", len(d.Joints)-i)
			break
		}
		join := "routers join"
		if j.Routers == 1 {
			join = "router joins"
		}
		fmt.Fprintf(w, "%s\n", fold.Text(2, fmt.Sprintf("%d %s %v", j.Routers, join, j.Subnets)))
	}
	return nil
}

// shortened cuts a text that is longer than some runes.
func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// RoutedBetween is the document of `weft route` of several subnets.
type RoutedBetween struct {
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

// RouteBetween routes several subnets and judges the Plan. It takes one layer of lanes where the judge proves that, or else those that
// intersubnet.Route adds. With hostsOnly the proof is for pairs of hosts alone.
func RouteBetween(ctx context.Context, n *subnets.Network, req *intersubnet.Request, hostsOnly bool) (*RoutedBetween, *intersubnet.Result, error) {
	layered, r, err := intersubnet.Route(ctx, n, req)
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
			d, r, err := RouteBetween(ctx, n, &one, hostsOnly)
			if err == nil {
				d.Why = strings.TrimPrefix(d.Why+"; one gateway for all of a subnet and a target: a gateway for each switch takes more lanes than there are", "; ")
			}
			return d, r, err
		case err != nil:
			return nil, nil, err
		}
	}
	d := &RoutedBetween{Method: req.Method, Fallbacks: append([]intersubnet.Fallback{}, r.Fallbacks...), Layers: r.Plan.Layers, VLs: r.VLs, Why: why, Check: report}
	for s, one := range r.Jobs {
		d.Subnets = append(d.Subnets, RoutedSubnet{n.Subnets[s].Name, one.Engine.Name, one.Plan.Ends.Total(), one.Plan.VLs})
	}
	return d, r, nil
}

// Write prints the result for people.
func (d *RoutedBetween) Write(w io.Writer) error { return d.write(w, subnetsShown) }

// WriteAll prints it with all subnets.
func (d *RoutedBetween) WriteAll(w io.Writer) error {
	return d.write(w, len(d.Subnets)+len(d.Fallbacks))
}

func (d *RoutedBetween) write(w io.Writer, most int) error {
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

// writeFallbacks prints each reason once, with the subnets that it holds for.
func (d *RoutedBetween) writeFallbacks(w io.Writer, most int) {
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

// pairsShown limits the pairs of subnets that are named beside a reason.
const pairsShown = 6

// FlowsBetween is the document of `weft simulate flow` of several subnets.
type FlowsBetween struct {
	Network string `json:"network"`
	Layers  int    `json:"layers"`
	*intersubnet.FlowReport
}

// Write prints the result for people.
func (d *FlowsBetween) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "network     %s\npattern     %s, %d hosts, %d runs\nflows       %d, %.1f %% between subnets, %d undelivered\nbandwidth   mean %.4f, min %.4f, max %.4f of a link\ncongestion  max %d\n",
		fold.Text(12, d.Network), d.Pattern, d.Hosts, d.Runs, d.FlowReport.Flows, 100*d.Across, d.Undelivered, d.Mean, d.Min, d.Max, d.MaxCongestion)
	return err
}
