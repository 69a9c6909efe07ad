package cables

import (
	"bytes"
	"strings"
	"testing"

	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
)

// TestContradicted: a cable that lines of a file contradict is listed once, and not as missing too;
// a LID that they disagree on is listed with its port.
func TestContradicted(t *testing.T) {
	var text bytes.Buffer
	if err := discovery.WriteIBNetDiscover(&text, generated(t, "rlft(8,2)")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	var ports []int // lines of ports of one leaf that lead to spines
	for i, line := range lines {
		if strings.HasPrefix(line, "Switch") && len(ports) > 0 {
			break
		}
		if strings.HasPrefix(line, "[") && strings.Contains(line, "spine") {
			ports = append(ports, i)
		}
	}
	number := func(i int) string { return lines[i][:strings.IndexByte(lines[i], ']')] }
	lines[ports[0]] = number(ports[0]) + lines[ports[1]][strings.IndexByte(lines[ports[1]], ']'):] // where the next one leads
	f, warnings, err := netfile.Read("told", []byte(strings.Join(lines, "\n")), netfile.Options{Disputed: true})
	if err != nil {
		t.Fatal(err)
	}
	r := Of(f, f.Compile(), warnings)
	if r.Pattern != "tree" || r.Counts[Contradicted] == 0 || len(r.Cables) != r.Counts[Contradicted] {
		t.Errorf("%s %v %q", r.Pattern, r.Counts, r.Notes)
	}
	for i := range r.Cables {
		if o := &r.Cables[i]; len(o.Ports) != 4 || !strings.Contains(o.Text, "neither is used") {
			t.Errorf("%s: %s", r.Name(o), o.Text)
		}
	}
}
