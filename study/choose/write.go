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

// subnetLIDs is the number of unicast LIDs of a subnet.
const subnetLIDs = 49151

// Write prints the proposals for people.
func (p *Proposals) Write(w io.Writer) error {
	fmt.Fprintf(w, "%d hosts, switches of %d ports", p.Hosts, p.Radix)
	if p.Rails > 1 {
		fmt.Fprintf(w, ", %d ports a host", p.Rails)
	}
	fmt.Fprintf(w, ", oversubscription up to %g:1\n\n", p.Ratio)
	if len(p.Proposals) == 0 {
		_, err := fmt.Fprintln(w, "No network.")
		return err
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
	if p.Best == nil {
		return nil
	}
	planes := ""
	if p.Best.Planes > 1 {
		planes = fmt.Sprintf("%d x ", p.Best.Planes)
	}
	fmt.Fprintf(w, "\nRecommended: %s%s\n", planes, p.Best.Formula)
	fmt.Fprintln(w, "  "+fold.Text(2, p.Best.Why+"."))
	if p.Best.But != "" {
		fmt.Fprintln(w, "  "+fold.Text(2, "But "+p.Best.But+"."))
	}
	_, err := fmt.Fprintf(w, "\nGo on: %s\n", strings.Join(p.Commands, "\n       "))
	return err
}

// beatenText returns the line above the table of beaten networks.
func (p *Proposals) beatenText() string {
	price := "no more switches"
	if p.Priced {
		price = "no more cost"
	}
	if p.Measured {
		return "Beaten in bisections, SHIFT left aside: one above delivers as much or more for " + price
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
		{"BETWEEN", 8, func(c *Proposal) string { return strconv.Itoa(c.Bill.Between) }},
		{"LEFT", 7, func(c *Proposal) string { return strconv.Itoa(c.Bill.Left) }},
		{"DIAM", 5, func(c *Proposal) string { return strconv.Itoa(c.Diameter) }},
	}
	if p.Priced {
		list = append(list,
			column{"COST", 12, func(c *Proposal) string { return bill.Money(c.Cost, "") }},
			column{"PER HOST", 9, func(c *Proposal) string { return bill.Money(c.Cost/float64(c.Bill.Hosts), "") }})
	} else {
		list = append(list, column{"PORTS/HOST", 11, func(c *Proposal) string {
			return fmt.Sprintf("%.1f", float64(c.Bill.SwitchPorts())/float64(c.Bill.Hosts))
		}})
	}
	if !p.Measured {
		return append(list, column{"UNIFORM", 9, func(c *Proposal) string { return fmt.Sprintf("%.2f", c.Uniform) }})
	}
	list = append(list,
		column{"EBB", 7, func(c *Proposal) string { return fmt.Sprintf("%.3f", c.EBB) }},
		column{"SHIFT", 6, func(c *Proposal) string { return fmt.Sprintf("%.1f", c.Shift) }})
	if !p.Priced {
		list = append(list, column{"LANES", 6, func(c *Proposal) string { return strconv.Itoa(c.VLs) }})
	}
	return list
}

// table prints networks in two lines each: the figures, and the formula.
func (p *Proposals) table(w io.Writer, list []*Proposal) error {
	columns := p.columns()
	fmt.Fprintf(w, "%-15s", "NETWORK")
	for _, c := range columns {
		fmt.Fprintf(w, "%*s", c.width, c.head)
	}
	fmt.Fprintln(w)
	for _, proposal := range list {
		name := proposal.Kind
		if proposal.Planes > 1 {
			name = fmt.Sprintf("%d x %s", proposal.Planes, name)
		}
		fmt.Fprintf(w, "%-15s", name)
		for _, c := range columns {
			fmt.Fprintf(w, "%*s", c.width, c.cell(proposal))
		}
		if _, err := fmt.Fprintf(w, "\n  %s\n", proposal.Formula); err != nil {
			return err
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
	fmt.Fprintln(w, fold.Text(0, "BETWEEN: cables between switches; LEFT: ports of switches without a cable; DIAM: links between the switches farthest apart. "+ebb))
	if p.Stopped {
		fmt.Fprintln(w, "Stopped before all networks were measured.")
	}
	if len(p.None) > 0 {
		fmt.Fprintln(w, fold.Text(0, fmt.Sprintf("Of no use with %d ports, too small or too large: %s.", p.Radix, strings.Join(p.None, ", "))))
	}
	for _, c := range slices.Concat(p.Proposals, p.Beaten) {
		if c.LIDs > subnetLIDs {
			fmt.Fprintln(w, fold.Text(0, fmt.Sprintf("A subnet has %d LIDs, and hosts and switches take more: this machine needs several subnets with routers between them, which weft does not lay out.", subnetLIDs)))
			return
		}
	}
}
