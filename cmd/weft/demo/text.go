package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/study"
	"weft/study/compare"
	"weft/study/packets"
)

// indent is the column where the text of a part begins.
const indent = 3

// heading returns the heading of a part, after an empty line.
func heading(number int, title string) string { return fmt.Sprintf("\n%d. %s\n", number, title) }

// paragraph returns an indented text, folded at the end of the page.
func paragraph(format string, args ...any) string {
	return strings.Repeat(" ", indent) + fold.Text(indent, fmt.Sprintf(format, args...)) + "\n"
}

// title returns the text above all parts.
func title() string {
	return fold.Text(0, "weft, a subnet manager and routing lab for InfiniBand, in two screens. All figures are computed now, on this machine.") + "\n"
}

// table returns indented rows.
func table(rows [][]string) string {
	for _, row := range rows {
		row[0] = strings.Repeat(" ", indent+2) + row[0]
	}
	return fold.Rows(rows)
}

// grouped returns a number with a comma before each three digits.
func grouped[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// milliseconds returns a time in seconds as milliseconds, aligned with others.
func milliseconds(seconds float64) string { return fmt.Sprintf("%7.2f ms", 1000*seconds) }

// counts names how many switches, hosts and cables a fabric has.
func counts(switches, hosts, cables int) string {
	return fmt.Sprintf("%s switches, %s hosts and %s cables", grouped(switches), grouped(hosts), grouped(cables))
}

// text returns the parts about the real cluster.
func (c *cluster) text() string {
	n, had, best := c.Fabric.Fabric, &c.Engines[0], &c.Engines[1]
	text := title() + heading(1, "A real cluster, and what is odd in it")
	text += paragraph("%s is what ibnetdiscover printed on a cluster of %s. %s", n.Name, counts(n.Switches, n.EndPorts, n.Links.Links), oddText(c.src.Fabric, c.Odd))
	text += heading(2, "Its best routing, chosen and proven")
	rows := [][]string{{"ROUTING", "BANDWIDTH", "ALL-TO-ALL", "VERDICT"}}
	for i := range c.Engines {
		e := &c.Engines[i]
		rows = append(rows, []string{e.Engine, fmt.Sprintf("%.1f %%", 100*e.EBB.Mean), fmt.Sprintf("%.1f x", e.Figures.Shift.Mean), verdict(e)})
	}
	text += table(rows)
	text += paragraph("BANDWIDTH is the effective bisection bandwidth: a random half of the hosts sends to the other half, " +
		"and a host gets this share of the rate of its link, on average. ALL-TO-ALL is the time of an all-to-all exchange, 1 x at full rate.")
	return text + paragraph("weft chose its routing engine %s: the cluster is %s. No path crosses the slow cable, so an all-to-all exchange is %.1f times as fast. "+
		"Proven: each of the %s pairs of hosts has a path, no path loops, and no deadlock can form.",
		best.Choice.Engine, best.Choice.Why, had.Figures.Shift.Mean/best.Figures.Shift.Mean, grouped(best.Check.HostPairs.Pairs))
}

// verdict returns the answer of the judge.
func verdict(e *compare.Row) string {
	switch {
	case e.Check.OK:
		return "proven"
	case e.Check.DeadlockFree == check.No:
		return "can deadlock"
	}
	return "not proven"
}

// oddText describes the suspicious cables. For a slow one it gives its rate, and the rate of the
// fastest cable between the same two nodes.
func oddText(f *fabric.Fabric, r *cables.Report) string {
	var odd []string
	for i := range r.Cables {
		o := &r.Cables[i]
		if o.Kind != cables.Slow {
			odd = append(odd, fmt.Sprintf("One cable is %s: %s: %s.", o.Kind, r.Name(o), o.Text))
			continue
		}
		own, best := rates(f, o)
		odd = append(odd, fmt.Sprintf("One cable is slow: %s (GUIDs of switches and ports). It runs at %d Gbit/s, those beside it at %d.", r.Name(o), own/1000, best/1000))
	}
	return strings.Join(odd, " ")
}

// rates returns the rate of a cable, and that of the fastest cable between the same two nodes, in
// Mbit/s.
func rates(f *fabric.Fabric, o *cables.Odd) (own, best int32) {
	for i := range f.Links {
		l, p := &f.Links[i], f.LinkPorts(fabric.LinkID(i))
		rate := fabric.Rate(l.Width, l.Speed)
		if slices.Equal(p, o.Ports) {
			own = rate
		}
		if p[0].GUID == o.Ports[0].GUID && p[1].GUID == o.Ports[1].GUID {
			best = max(best, rate)
		}
	}
	return own, best
}

// text returns the part about the manager.
func (r *Repair) text() string {
	text := heading(3, "A running subnet manager, and a pulled cable")
	text += paragraph("The manager of weft sm runs in real time. Its subnet, %s, is emulated: %s. Emulated devices answer at once; real ones take longer.",
		r.Fabric, counts(r.Cold.Switches, r.Cold.CAs, r.Cold.Links))
	text += table([][]string{
		{"bring-up", milliseconds(r.Cold.Seconds), "LIDs given, routing proven, tables written"},
		{"cable pulled", "", r.cable},
		{"trap 128", milliseconds(r.Trap), "after the pull: a switch reports the lost link"},
		{"repair", milliseconds(r.Repaired), "after the pull: new tables proven and written"},
	})
	return text + paragraph("The repair changed %s of %s forwarding entries and %s, so hosts keep their addresses.",
		grouped(r.Moved), grouped(r.Entries), study.Plural(r.LIDs, "LID"))
}

// torusText returns the part about deadlocks.
func (f *Fabric) torusText() string {
	n := f.Fabric
	text := heading(4, "A routing that can deadlock, and one that cannot")
	text += paragraph("%s: %s. For %g ms each host sends packets at %.0f %% of the rate of its link, to random hosts.",
		n.Name, counts(n.Switches, n.EndPorts, n.Links.Links), 1000*duration.Seconds(), 100*load)
	rows := [][]string{{"ROUTING", "VERDICT", "LANES", "ARRIVED", "STUCK FOR EVER"}}
	for i := range f.Engines {
		e, packets := &f.Engines[i], f.Traffic[i]
		rows = append(rows, []string{e.Engine, verdict(e), strconv.Itoa(e.VLs), grouped(packets.Packets), stuck(packets.Rows[0].Deadlock)})
	}
	text += table(rows)
	text += paragraph("minhop routes as OpenSM does by default. Packets can then wait for each other in a ring of switches; the shortest ring is %s.",
		ring(f.Engines[0].Check.Assigned.Cycle))
	return text + paragraph("dor routes dimension by dimension, and %s break the rings that are left. Hosts learn from the manager which lane to use.",
		study.Plural(f.Engines[1].VLs, "virtual lane"))
}

// stuck says how many packets wait for each other in a deadlock.
func stuck(d *packets.Deadlock) string {
	if d == nil {
		return "none"
	}
	packets := 0
	for _, b := range d.Cycle {
		packets += b.Packets
	}
	return fmt.Sprintf("%d packets in a ring of %d switches", packets, len(d.Cycle))
}

// ring names the switches of a cycle.
func ring(cycle []check.Hold) string {
	if len(cycle) == 0 {
		return "none"
	}
	var names []string
	for i := range cycle {
		names = append(names, strings.TrimPrefix(cycle[i].From.Name, "switch "))
	}
	return strings.Join(names, " ")
}
