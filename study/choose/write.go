package choose

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric/bill"
	"weft/internal/fold"
)

// Write prints the proposals for people.
func (p *Proposals) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", fold.Text(0, p.needText()))
	if len(p.Proposals) == 0 {
		fmt.Fprintln(w, "No network.")
		return p.leftOut(w)
	}
	if err := p.table(w, p.Proposals); err != nil {
		return err
	}
	if len(p.Beaten) > 0 {
		fmt.Fprintf(w, "\n%s\n\n", fold.Text(0, p.beatenText()))
		if err := p.table(w, p.Beaten); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	p.notes(w)
	if err := p.leftOut(w); err != nil {
		return err
	}
	switch {
	case p.Best != nil:
		fmt.Fprintf(w, "\nRecommended: %s\n", p.Best.Whole)
		fmt.Fprintln(w, "  "+fold.Text(2, p.Best.Why+"."))
		if p.Best.But != "" {
			fmt.Fprintln(w, "  "+fold.Text(2, "But "+p.Best.But+"."))
		}
		p.growth(w)
	case p.Nearest != nil:
		fmt.Fprintf(w, "\nNothing keeps all that was asked. Nearest: %s\n", p.Nearest.Whole)
		fmt.Fprintln(w, "  "+fold.Text(2, "It misses: "+p.Nearest.Why+"."))
		p.growth(w)
	default:
		return nil
	}
	_, err := fmt.Fprintf(w, "\nGo on: %s\n", strings.Join(p.Commands, "\n       "))
	return err
}

// needText describes the need: servers, ports, rates, oversubscription.
func (p *Proposals) needText() string {
	noun := "hosts"
	if p.Rails > 1 || p.others() > 0 {
		noun = "servers"
	}
	ports := portsText(p.Rails, p.OnPlane, p.Rate)
	text := fmt.Sprintf("%d %s%s", p.Hosts, noun, ports)
	if p.Now > 0 {
		text = fmt.Sprintf("%d %s%s now, %d later", p.Now, noun, ports, p.Hosts)
	}
	for _, g := range []struct {
		what string
		Group
	}{{"for storage", p.Storage}, {"for service", p.Service}} {
		if g.Servers > 0 {
			text += fmt.Sprintf("; %d %s%s", g.Servers, g.what, portsText(g.Ports, 0, g.Rate))
		}
	}
	if p.HostPorts > p.Servers {
		text += fmt.Sprintf("; %d servers with %d host ports in all", p.Servers, p.HostPorts)
	}
	separator := ", "
	if strings.ContainsAny(text, ",;") {
		separator = "; "
	}
	text += fmt.Sprintf("%sswitches of %d ports, oversubscription up to %g:1", separator, p.Radix, p.Ratio)
	if p.Pods > p.Ratio {
		text += fmt.Sprintf(", between pods %g:1", p.Pods)
	}
	if p.OnPlane > 0 {
		text += fmt.Sprintf(", on the storage plane %g:1", p.StorageRatio)
	}
	return text
}

// portsText describes the ports of a server, "" for a single one of unknown rate.
func portsText(ports, onPlane int, rate float64) string {
	text := ""
	if ports > 1 || onPlane > 0 || rate > 0 {
		text = " of " + fold.Count(ports, "port", "ports")
	}
	if onPlane > 0 {
		text += fmt.Sprintf(" and %d to storage", onPlane)
	}
	if rate > 0 {
		text += fmt.Sprintf(" at %g Gb/s", rate)
	}
	return text
}

// beatenText returns the line above the table of beaten networks.
func (p *Proposals) beatenText() string {
	price := "no more switches"
	if p.Priced {
		price = "no more cost"
	}
	if p.Now > 0 {
		price += " at any step"
	}
	if p.Measured {
		what := "in bisections and all-to-all"
		if p.Proposals[0].Apps != nil {
			what += ", and slows no application down"
		}
		return "Beaten: one above delivers as much or more, " + what + ", for " + price
	}
	return "Beaten: one above carries as much uniform traffic or more for " + price
}

// column is a column of the table.
type column struct {
	head  string
	width int
	cell  func(*Proposal) string
}

// columns lists the columns of the table, at most 80 letters wide together.
func (p *Proposals) columns() []column {
	list := []column{
		{"SWITCHES", 9, func(c *Proposal) string { return strconv.Itoa(c.Bill.Switches) }},
		{"SWITCH CABLES", 14, func(c *Proposal) string { return strconv.Itoa(c.Bill.Between) }},
		{"FREE PORTS", 11, func(c *Proposal) string { return strconv.Itoa(c.Bill.Left) }},
	}
	host := "HOST"
	if p.HostPorts > p.Servers {
		host = "SERVER"
	}
	if p.Priced {
		list = append(list,
			column{"COST", 12, func(c *Proposal) string { return bill.Money(c.Cost, "") }},
			column{"PER " + host, 5 + len(host), func(c *Proposal) string { return bill.Money(c.Cost/float64(c.Servers), "") }})
	} else {
		list = append(list,
			column{"DIAM", 5, func(c *Proposal) string { return strconv.Itoa(c.Diameter) }},
			column{"PORTS/" + host, 7 + len(host), func(c *Proposal) string {
				return fmt.Sprintf("%.1f", float64(c.Bill.SwitchPorts())/float64(c.Servers))
			}})
	}
	if !p.Measured {
		return append(list, column{"UNIFORM", 8, func(c *Proposal) string { return fmt.Sprintf("%.2f", c.Uniform) }})
	}
	list = append(list,
		column{"EBB", 6, func(c *Proposal) string { return fmt.Sprintf("%.3f", c.EBB) }},
		column{"SHIFT", 6, func(c *Proposal) string { return fmt.Sprintf("%.1f", c.Shift) }})
	if !p.Priced {
		list = append(list, column{"LANES", 6, func(c *Proposal) string { return strconv.Itoa(c.VLs) }})
	}
	return list
}

// table prints networks: the figures, the formula, and what the network misses.
func (p *Proposals) table(w io.Writer, list []*Proposal) error {
	columns := p.columns()
	fmt.Fprintf(w, "%-10s", "NETWORK")
	for _, c := range columns {
		fmt.Fprintf(w, "%*s", c.width, c.head)
	}
	fmt.Fprintln(w)
	for _, proposal := range list {
		fmt.Fprintf(w, "%-10s", proposal.Kind)
		for _, c := range columns {
			fmt.Fprintf(w, "%*s", c.width, c.cell(proposal))
		}
		if _, err := fmt.Fprintf(w, "\n  %s\n", proposal.Whole); err != nil {
			return err
		}
		if len(proposal.Steps) > 0 {
			s := proposal.Steps[0]
			fmt.Fprintf(w, "  now: %s, %s\n", fold.Count(s.Bill.Switches, "switch", "switches"), fold.Count(s.Bill.Between, "switch cable", "switch cables"))
		}
		for _, t := range proposal.Apps {
			fmt.Fprintf(w, "  %s\n", fold.Text(2, appText(&t)))
		}
		if len(proposal.Missing) > 0 {
			fmt.Fprintf(w, "  %s\n", fold.Text(2, "misses: "+strings.Join(proposal.Missing, "; ")))
		}
	}
	return nil
}

// notes explains the figures below the tables.
func (p *Proposals) notes(w io.Writer) {
	ebb := "EBB: effective bisection bandwidth, a share of the rate of a host; SHIFT: time of all-to-all by shifts, 1 at full rate. Both with static routes of the engines that are known to deliver the most; adaptive routing would help all but trees."
	if !p.Priced {
		ebb += " LANES: VLs that it takes."
	}
	if !p.Measured {
		ebb = "Nothing was routed (--measure always does it, and takes long for large networks). UNIFORM: the share of its rate that each host gets when all send to random ones at once, under ideal balance: a bound by arithmetic, which real traffic with static routes stays below."
	}
	if !p.Priced {
		ebb = "DIAM: links between the switches farthest apart. " + ebb
	}
	all := slices.Concat(p.Proposals, p.Beaten)
	if slices.ContainsFunc(all, func(c *Proposal) bool { return c.Planes > 1 }) {
		ebb += " Planes: equal networks that meet only in servers; EBB and SHIFT are those of one."
	}
	if p.OnPlane > 0 {
		ebb += " EBB and SHIFT are those of the compute network; switches, cables and ports count the plane of storage too."
	}
	if i := slices.IndexFunc(all, func(c *Proposal) bool { return c.Subnets != nil }); i >= 0 {
		ebb += fmt.Sprintf(" Several subnets: one has %d LIDs, too few for all hosts and switches. SWITCHES counts the routers that join them.", p.subnetLIDs())
	}
	if slices.ContainsFunc(all, func(c *Proposal) bool { return c.Apps != nil }) {
		ebb += " Applications: by flows, with a rank on each compute server in order of the leaves, or on each port of servers of several; the network on which they end first is the first of its table."
	}
	fmt.Fprintln(w, fold.Text(0, ebb))
	if p.Stopped {
		fmt.Fprintln(w, "Stopped before all networks were measured.")
	}
	p.storage(w)
}

// storage describes the plane of storage and service.
func (p *Proposals) storage(w io.Writer) {
	if p.OnPlane == 0 {
		return
	}
	c := p.chosen()
	text := fmt.Sprintf("Storage plane: %s, %s for %s of all servers.", c.Storage.Formula, fold.Count(c.Storage.Bill.Switches, "switch", "switches"), fold.Count(c.Storage.Ports, "host port", "host ports"))
	storage, compute := float64(p.Storage.Servers*p.Storage.Ports)*p.Storage.Rate, float64(p.Hosts*p.OnPlane)*p.Rate
	if storage > 0 && compute > p.StorageRatio*storage*1.1 {
		text += fmt.Sprintf(" The storage servers send %.1f Tb/s in all and the compute servers could take %.1f: --storage-oversubscription %.0f saves switches and costs their reads nothing.", storage/1000, compute/1000, compute/storage)
	}
	fmt.Fprintln(w, fold.Text(0, text))
}

// chosen returns the recommended proposal, or the nearest, or the first.
func (p *Proposals) chosen() *Proposal {
	all := slices.Concat(p.Proposals, p.Beaten)
	for _, choice := range []*Choice{p.Best, p.Nearest} {
		for _, c := range all {
			if choice != nil && c.Formula == choice.Formula {
				return c
			}
		}
	}
	return all[0]
}

// growth describes the steps of growth of the recommended network.
func (p *Proposals) growth(w io.Writer) {
	steps := p.chosen().Steps
	if len(steps) == 0 {
		return
	}
	now, later := steps[0], steps[1]
	fmt.Fprintf(w, "\nGrowth, and nothing that stands is plugged again:\n")
	fmt.Fprintf(w, "  now    %s\n", fold.Text(9, fmt.Sprintf("%s: %s with %s reserved for later; %s", fold.Count(now.Servers, "server", "servers"),
		fold.Count(now.Bill.Switches, "switch", "switches"), fold.Count(now.Reserved, "free port", "free ports"), fold.Count(now.Bill.Between+now.Bill.Below, "cable", "cables"))))
	fmt.Fprintf(w, "         %s\n", now.Formula)
	fmt.Fprintf(w, "  later  %s\n", fold.Text(9, fmt.Sprintf("%s: %s and %s more; all %d cables stay in their ports", fold.Count(later.Servers, "server", "servers"),
		fold.Count(later.Bill.Switches-now.Bill.Switches, "switch", "switches"), fold.Count(later.Bill.Between+later.Bill.Below-later.Stays, "cable", "cables"), later.Stays)))
	fmt.Fprintf(w, "         %s\n", later.Formula)
}

// leftOut prints the kinds of networks that are not proposed, each with its reason.
func (p *Proposals) leftOut(w io.Writer) (err error) {
	if len(p.LeftOut) > 0 {
		_, err = fmt.Fprint(w, "\nLeft out:\n")
	}
	for _, l := range p.LeftOut {
		_, err = fmt.Fprintf(w, "  %-10s  %s\n", l.Kind, fold.Text(14, l.Reason))
	}
	return err
}
