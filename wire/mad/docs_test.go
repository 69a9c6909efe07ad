package mad

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/internal/fold"
)

var update = flag.Bool("update", false, "write docs/mads.md from the declarations")

// docs/mads.md is what the declarations say.
func TestDocumentation(t *testing.T) {
	const file = "../../docs/mads.md"
	want := documentation()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the declarations say: go test ./wire/mad -run TestDocumentation -update", file)
	}
}

const intro = `# Management datagrams

A test of package ` + "`mad`" + ` writes this page from its declarations. Change those, then run
` + "`go test ./wire/mad -run TestDocumentation -update`" + `.

Offsets count from the first byte of the layout. The bits of a byte are numbered 7..0, with 7 the
most significant. Headers begin at byte 0 of a datagram, attributes of subnet and performance
management at 64, records of subnet administration at 56. Everything is big endian. "ComponentMask"
gives the bit of an SA query for the field. Clauses refer to the InfiniBand Architecture
Specification, volume 1. Bytes without a field are reserved: sent as 0 and ignored when received.
`

func documentation() string {
	var s strings.Builder
	s.WriteString(intro)
	documented := map[*Layout]bool{}
	group := func(title string, all []*Layout) {
		fmt.Fprintf(&s, "\n## %s\n", title)
		for _, l := range all {
			if !documented[l] {
				documentLayout(&s, l)
			}
			documented[l] = true
		}
	}
	group("Headers", []*Layout{Header, SMP, DirectedSMP, RMPP, SAHeader, CongestionHeader})
	for _, c := range []Class{ClassSMP, ClassSA, ClassPerf, ClassCC} {
		var all []*Layout
		for _, a := range c.attributes() {
			all = append(all, a.layout)
		}
		group(map[Class]string{
			ClassSMP: "Subnet management", ClassSA: "Subnet administration", ClassPerf: "Performance management", ClassCC: "Congestion control",
		}[c], all)
	}
	rest := slices.DeleteFunc(slices.Clone(layouts), func(l *Layout) bool { return documented[l] })
	group("Parts: details of traps, GIDs", rest)
	return s.String()
}

func documentLayout(s *strings.Builder, l *Layout) {
	about := fmt.Sprintf("%d bytes, clause %s", l.Size, l.Clause)
	for _, c := range []Class{ClassSMP, ClassSA, ClassPerf, ClassCC} {
		for _, a := range c.attributes() {
			if a.layout == l {
				about += fmt.Sprintf("; attribute 0x%04x of %v", uint16(a.id), c)
			}
		}
	}
	fmt.Fprintf(s, "\n### %s\n\n%s", l.Name, fold.Page("", about))
	s.WriteString("\n\n| byte | bits | width | field | ComponentMask | meaning |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range l.Fields() {
		name, width := f.Name, fmt.Sprint(f.Width)
		if f.Count > 1 {
			name = fmt.Sprintf("%s[%d]", f.Name, f.Count)
			if f.Stride != f.Width {
				width += fmt.Sprintf(" every %d", f.Stride)
			}
		}
		fmt.Fprintf(s, "| %d | %s | %s | %s | %s | %s |\n", f.Off/8, bitRange(f), width, name, componentBits(f.component), meaning(f))
	}
	if len(l.parts) > 0 {
		var inside []string
		for _, c := range l.parts {
			inside = append(inside, fmt.Sprintf("%s %s", componentBits(c.mask), c.decl.Name))
		}
		s.WriteString("\n" + fold.Page("", "ComponentMask of the fields inside: "+strings.Join(inside, ", ")+".") + "\n")
	}
}

// bitRange is the field's bits in its first byte, empty for whole bytes.
func bitRange(f *Decl) string {
	if f.Off%8 == 0 && f.Width%8 == 0 {
		return ""
	}
	first := 7 - f.Off%8
	if f.Width == 1 {
		return fmt.Sprint(first)
	}
	if last := first - f.Width + 1; last >= 0 {
		return fmt.Sprintf("%d..%d", first, last)
	}
	return fmt.Sprintf("from %d", first)
}

func componentBits(mask uint64) string {
	var bits []string
	for i := range 64 {
		if mask>>i&1 == 1 {
			bits = append(bits, fmt.Sprint(i))
		}
	}
	if n := len(bits); n > 2 {
		return bits[0] + ".." + bits[n-1]
	}
	return strings.Join(bits, ", ")
}

func meaning(f *Decl) string {
	var said []string
	if f.Part != nil {
		said = append(said, fmt.Sprintf("see %s", f.Part.Name))
	}
	if f.Note != "" {
		said = append(said, f.Note)
	}
	var names []string
	for _, v := range f.values.names {
		value := fmt.Sprint(v.v)
		if !f.values.bits {
			value = f.number(v.v)
		}
		names = append(names, value+" "+v.name)
	}
	if f.values.bits && len(names) > 0 {
		names[0] = "bit " + names[0]
	}
	if len(names) > 0 {
		said = append(said, strings.Join(names, ", "))
	}
	if f.union {
		said = append(said, "shares its bits")
	}
	return strings.Join(said, "; ")
}
