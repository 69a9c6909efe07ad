package quality

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/fold"
	"weft/judge/check"
	"weft/route"
)

// Write prints a short report for people. It begins with the verdict. Reach, deadlock, the hottest
// channel and lanes have a line each; so have pairs of ports if nodes have ports on several
// switches. A line for each finding with its first example follows, and a cycle if there is one.
func (r *Report) Write(out io.Writer) error {
	var b strings.Builder
	r.writeVerdict(&b)
	r.writeShort(&b)
	writeFindings(&b, "fault", r.Faults, 1)
	writeFindings(&b, "warning", r.Warnings, 1)
	r.writeShortCycle(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// WriteAll prints every figure of a report, all examples of findings and all cycles.
func (r *Report) WriteAll(out io.Writer) error {
	var b strings.Builder
	r.writeVerdict(&b)
	r.writeFigures(&b)
	r.writeLanes(&b)
	if len(r.Hottest) > 0 {
		fmt.Fprintln(&b, "hottest channels:")
		r.writeHottest(&b, 4, hottestKept)
	}
	writeFindings(&b, "fault", r.Faults, examplesShown)
	writeFindings(&b, "warning", r.Warnings, examplesShown)
	r.writeCycles(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// writeShort prints the four main answers, and a fifth if nodes have ports on several switches.
func (r *Report) writeShort(b *strings.Builder) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-9s %s\n", name, fold.Text(12, fmt.Sprintf(format, args...)))
	}
	h := &r.HostPairs
	pairs := h.Pairs
	if r.Planes != nil {
		pairs -= h.Disconnected
	}
	reach := fmt.Sprintf("%d of %d pairs of %s", h.Pairs-h.Unreachable-h.Disconnected, pairs, r.hostsText())
	if r.Hops.Max > 0 {
		reach += fmt.Sprintf("; %.2f hops on average, %d at most", r.Hops.Avg, r.Hops.Max)
	}
	if r.Loops > 0 {
		reach += fmt.Sprintf("; %d loops", r.Loops)
	}
	line("reach", "%s", reach)
	line("deadlock", "%s", r.deadlockText())
	if r.Load.Max > 0 {
		line("hottest", "%d paths on one channel; mean %.1f, %d of %d channels unused", r.Load.Max, r.Load.Avg, r.Load.Dark, r.Channels)
		r.writeHottest(b, 12, 1)
	}
	if r.VLs == 0 {
		line("lanes", "not known")
	} else {
		line("lanes", "%d (switches usually have %d VLs)", r.VLs, route.UsualVLs)
	}
	if m := r.MultiHomed; m != nil {
		line("ports", "%s", m.Ports.text())
	}
}

// writeHottest lists the first channels with the most paths for their rate, unless all are equal.
func (r *Report) writeHottest(b *strings.Builder, indent, shown int) {
	if float64(r.Load.Max) == r.Load.Avg && r.Hottest[0].Slower == 1 {
		return
	}
	for i := range r.Hottest[:min(shown, len(r.Hottest))] {
		h := &r.Hottest[i]
		text := fold.Text(indent, h.String())
		if shown > 1 {
			text = fold.Text(indent+2, fmt.Sprintf("%d paths: %s", h.Paths, h))
		}
		fmt.Fprintf(b, "%*s%s\n", indent, "", text)
	}
}

// deadlockText says for which traffic a deadlock can form.
func (r *Report) deadlockText() string {
	v := &r.Assigned
	text := map[check.Answer]string{check.Yes: "none can form", check.No: "one can form", check.Unknown: "not known: one can form if all share a lane"}[v.DeadlockFree]
	if v.OneLane && v.DeadlockFree == check.Yes {
		text += " even if all share a lane; the lanes are not known"
	}
	exceptions := []string{text}
	other := map[check.Answer]string{check.Yes: "none", check.No: "one can", check.Unknown: "not known"}
	for _, o := range r.named() {
		if o.DeadlockFree != v.DeadlockFree {
			exceptions = append(exceptions, o.name+": "+other[o.DeadlockFree])
		}
	}
	return strings.Join(exceptions, "; ")
}

// writeVerdict prints the verdict on reach, lengths, deadlock and faults. It does not call the
// paths of a faulty routing minimal.
func (r *Report) writeVerdict(b *strings.Builder) {
	word := "FAULTY"
	switch {
	case r.OK:
		word = "PROVEN"
	case len(r.Faults) == 0 && r.DeadlockFree != check.No:
		word = "NOT PROVEN"
	}
	var parts []string
	if f := r.Find(check.NoLID); f != nil {
		parts = append(parts, fmt.Sprintf("%d of %d end ports have no LID and are not judged", f.Count, r.Hosts+r.Aggregation+r.Switches))
	}
	if f := r.Find(check.Unclear); f != nil {
		parts = append(parts, fmt.Sprintf("LIDs are unclear in %d places", f.Count))
	}
	switch {
	case r.Unreachable > 0:
		parts = append(parts, fmt.Sprintf("%d of %d pairs unreachable", r.Unreachable, r.Pairs))
	case r.Planes != nil:
		parts = append(parts, r.Planes.text())
	case r.Disconnected > 0:
		parts = append(parts, fmt.Sprintf("all pairs reachable but %d that no cables connect", r.Disconnected))
	case r.Pairs == 0:
		parts = append(parts, "no pairs")
	default:
		parts = append(parts, "all pairs reachable")
	}
	if r.Discarded > 0 {
		parts = append(parts, fmt.Sprintf("%d discarded on VL 15", r.Discarded))
	}
	switch {
	case word == "FAULTY" && r.HostPairs.NonMinimal == 0:
	case r.Minimal:
		parts = append(parts, "minimal")
	case r.HostPairs.NonMinimal == 0:
		parts = append(parts, fmt.Sprintf("minimal between hosts (%d pairs with switches are not)", r.NonMinimal))
	default:
		parts = append(parts, fmt.Sprintf("%d pairs not minimal", r.NonMinimal))
	}
	parts = append(parts, "deadlock-free: "+verdictText(&r.Assigned))
	for _, f := range r.Faults {
		parts = append(parts, string(f.Kind))
	}
	word += ": "
	fmt.Fprintln(b, word+fold.Text(len(word), strings.Join(parts, ", ")))
}

// verdictText returns the verdict in words.
func verdictText(v *check.Verdict) string {
	switch {
	case v.OneLane && v.DeadlockFree == check.Unknown:
		return "unknown (cyclic on one lane, lanes not known)"
	case v.OneLane:
		return "yes (on one lane, and so on any; lanes not known)"
	default:
		return v.DeadlockFree.String()
	}
}

func (r *Report) writeFigures(b *strings.Builder) {
	var rows [][]string
	line := func(name, format string, args ...any) {
		rows = append(rows, []string{"  " + name, fmt.Sprintf(format, args...)})
	}
	h, e := &r.HostPairs, &r.Entries
	line("fabric", "%s", r.sizeText())
	if p := r.Planes; p != nil {
		line("planes", "%d; %d of %d pairs of servers share none", p.Planes, p.Apart, p.Pairs)
	}
	line("pairs, hosts", "%d, %d unreachable, %d disconnected, %d not minimal", h.Pairs, h.Unreachable, h.Disconnected, h.NonMinimal)
	line("pairs, all", "%d, %d unreachable, %d disconnected, %d not minimal, %d one-way, %d discarded",
		r.Pairs, r.Unreachable, r.Disconnected, r.NonMinimal, r.OneWay, r.Discarded)
	line("loops", "%d", r.Loops)
	line("hops, hosts", "%s", r.Hops.text())
	line("table entries", "%d, %d delivered", e.Total, e.Delivered)
	line("hops by table entry", "%s", e.Hops.text())
	line("paths per channel", "max %d, mean %.2f, p99 %d, %d channels unused", r.Load.Max, r.Load.Avg, r.Load.P99, r.Load.Dark)
	if m := r.MultiHomed; m != nil {
		line("multi-homed nodes", "%d with ports on several switches", m.Nodes)
		line("  their ports", "%s", m.Ports.text()+m.Ports.exampleText())
		line("  paths to them", "%s", m.To.text())
		line("  paths from them", "%s", m.From.text())
	}
	if r.IntendedPaths > 0 {
		line("intended paths", "%d, %d differ", r.IntendedPaths, r.DifferingPaths)
	}
	b.WriteString(fold.Rows(rows))
}

func (p *PortPairs) text() string {
	switch p.Shared {
	case 0:
		return fmt.Sprintf("no two ports of a node share a switch, from any leaf (%d pairs)", p.Pairs)
	case p.Pairs:
		return fmt.Sprintf("all %d (leaf, two ports of a node) share a switch", p.Pairs)
	}
	return fmt.Sprintf("%d of %d (leaf, two ports of a node) share a switch, %.2g %%", p.Shared, p.Pairs, 100*float64(p.Shared)/float64(p.Pairs))
}

// exampleText names two ports that share a switch.
func (p *PortPairs) exampleText() string {
	if len(p.Examples) == 0 {
		return ""
	}
	e := &p.Examples[0]
	return fmt.Sprintf(": paths from %s to %s and %s pass %s", e.From, e.To, e.Other, e.Through)
}

func (f *Failures) text() string {
	text := fmt.Sprintf("%d of %d pairs have a single point of failure, %d of them a cable", f.Shared, f.Pairs, f.Cables)
	if len(f.Examples) > 0 {
		e := &f.Examples[0]
		text += fmt.Sprintf(": all paths from %s to %s pass %s", e.From, e.To, e.Through)
	}
	return text
}

func (h *Hops) text() string {
	if len(h.Histogram) == 0 {
		return "none"
	}
	return fmt.Sprintf("max %d, mean %.3f, by hops from 0: %s", h.Max, h.Avg, strings.Trim(fmt.Sprint(h.Histogram), "[]"))
}

func (r *Report) writeLanes(b *strings.Builder) {
	var rows [][]string
	line := func(name, format string, args ...any) {
		rows = append(rows, []string{"  " + name, fmt.Sprintf(format, args...)})
	}
	if r.VLs > 0 {
		line("VLs used", "%d; %d VLs have room for %d service levels of that kind", r.VLs, route.UsualVLs, route.UsualVLs/r.VLs)
	}
	for _, v := range r.named() {
		line("deadlock-free, "+v.name, "%s; %d dependencies", verdictText(v.Verdict), v.Edges)
	}
	line("deliveries", "%d dependencies of channels on links to hosts, on no cycle", r.Deliveries)
	b.WriteString(fold.Rows(rows))
}

type namedVerdict struct {
	name string
	*check.Verdict
}

func (r *Report) named() []namedVerdict {
	return []namedVerdict{
		{"assigned LIDs", &r.Assigned},
		{"any LID", &r.AnyDLID},
		{"hosts only", &r.HostOnly},
		{"without path records", &r.NoPathRecord},
	}
}

// writeFindings prints faults or warnings, each with at most the given number of examples.
func writeFindings(b *strings.Builder, word string, list []check.Finding, most int) {
	for _, f := range list {
		fmt.Fprintf(b, "%s: %s: %d", word, f.Kind, f.Count)
		if f.Pairs > 0 {
			fmt.Fprintf(b, ", %d pairs lost", f.Pairs)
		}
		b.WriteByte('\n')
		for i := range min(most, len(f.Examples)) {
			fmt.Fprintf(b, "    %s\n", fold.Text(6, f.Examples[i].String()))
		}
	}
}

// writeCycles draws the cycle of each kind of traffic, equal cycles once.
func (r *Report) writeCycles(b *strings.Builder) {
	all := r.named()
	for i, v := range all {
		first := len(v.Cycle) > 0
		for _, o := range all[:i] {
			first = first && !sameCycle(v.Cycle, o.Cycle)
		}
		if first {
			writeCycle(b, v.Verdict, v.name)
		}
	}
}

// shortCycle is the number of channels of a cycle in the short report.
const shortCycle = 8

// writeShortCycle prints the channels of the first cycle by the names of their switches.
func (r *Report) writeShortCycle(b *strings.Builder) {
	for _, v := range r.named() {
		if len(v.Cycle) == 0 {
			continue
		}
		const what = "cycle, "
		b.WriteString(what + fold.Text(len(what), fmt.Sprintf("%s: of %d channels, each waits for the next (all of it: -v)", v.name, len(v.Cycle))) + "\n")
		for i, h := range v.Cycle[:min(shortCycle, len(v.Cycle))] {
			fmt.Fprintf(b, "    %s\n", fold.Text(6, fmt.Sprintf("%q[%d] -> %q VL %d", h.From.Name, h.From.Port, h.To.Name, v.Cycle[i].VL)))
		}
		if more := len(v.Cycle) - shortCycle; more > 0 {
			fmt.Fprintf(b, "    and %d more\n", more)
		}
		return
	}
}

func sameCycle(a, b []check.Hold) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Channel != b[i].Channel || a[i].VL != b[i].VL {
			return false
		}
	}
	return true
}

func writeCycle(b *strings.Builder, v *check.Verdict, name string) {
	kind := "a shortest"
	if !v.Shortest {
		kind = "a"
	}
	fmt.Fprintf(b, "cycle, %s: %s one, of %d channels", name, kind, len(v.Cycle))
	if v.OneLane {
		b.WriteString(", on one lane")
	}
	b.WriteByte('\n')
	for _, h := range v.Cycle {
		fmt.Fprintf(b, "    %s\n", fold.Text(6, fmt.Sprintf("%s VL %d -> %s", h.From, h.VL, h.To)))
		fmt.Fprintf(b, "        %s\n", fold.Text(10, fmt.Sprintf("held by %s to LID %d on SL %d", h.Source, h.LID, h.SL)))
	}
}
