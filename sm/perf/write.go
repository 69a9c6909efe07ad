package perf

import (
	"bytes"
	"fmt"
	"io"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/internal/fold"
)

// Write prints a Report as text, with a maximum number of lines for each list.
func (r *Report) Write(w io.Writer, most int) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d ports read in %.3g s, %.0f datagrams a second; %d did not answer\n", r.Ports, r.Seconds, r.Rate, r.Unread)
	r.writeOver(&b, most)
	if len(r.Hot) > 0 {
		b.WriteString("busiest links, in their busier direction:\n")
	}
	for i := range r.Hot[:min(len(r.Hot), most)] {
		h := &r.Hot[i]
		share := ""
		if h.Share > 0 {
			share = fmt.Sprintf(", %.1f %%", 100*h.Share)
		}
		fmt.Fprintf(&b, "  %s\n    %.3g Gbit/s%s; data waited %.3g ticks a second\n", link(h.From, h.To), h.Gbps, share, h.Wait)
	}
	r.writeOdd(&b, most)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", fold.Text(2, note))
	}
	_, err := b.WriteTo(w)
	return err
}

// writeOver prints the rates above their thresholds.
func (r *Report) writeOver(b *bytes.Buffer, most int) {
	if len(r.Over) > 0 {
		b.WriteString("above their thresholds:\n")
	}
	for i := range r.Over[:min(len(r.Over), most)] {
		o := &r.Over[i]
		fmt.Fprintf(b, "  %s[%d]\n    %s: %.3g a minute, more than %.3g\n", o.Port.Name, o.Port.Port, o.Counter, o.Rate, o.Most)
	}
}

// writeOdd prints the odd cables.
func (r *Report) writeOdd(b *bytes.Buffer, most int) {
	if len(r.Odd) > 0 {
		b.WriteString("cables to inspect, by the counts since the first reading:\n")
	}
	for i := range r.Odd[:min(len(r.Odd), most)] {
		o := &r.Odd[i]
		fmt.Fprintf(b, "  %s", o.Kind)
		for at := 0; at+1 < len(o.Ports); at += 2 {
			b.WriteString(": " + link(o.Ports[at], o.Ports[at+1]))
		}
		fmt.Fprintf(b, "\n    %s\n", fold.Text(4, o.Text))
	}
	if more := total(r.OddCounts) - min(len(r.Odd), most); more > 0 {
		fmt.Fprintf(b, "  and %d more (--all, --json)\n", more)
	}
}

// total returns the sum of the counts.
func total(counts map[cables.Kind]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// link names a link by both ends.
func link(a, b fabric.PortName) string {
	return fmt.Sprintf("%s[%d] - %s[%d]", a.Name, a.Port, b.Name, b.Port)
}
