package manage

import (
	"encoding/json"
	"strings"
	"testing"

	"weft/sm/terms"
)

// TestSeveritiesInLog: lines for journald begin with the number of their severity, in text and in
// JSON; other lines do not. A text is one line.
func TestSeveritiesInLog(t *testing.T) {
	line := func(k terms.IncidentKind) *terms.LogLine {
		return &terms.LogLine{Time: "T", IncidentJSON: (&terms.Incident{Kind: k, Text: "one\ntwo"}).JSON()}
	}
	for _, c := range []struct {
		kind   terms.IncidentKind
		prefix string
	}{{terms.NoPlan, "<3>"}, {terms.NodeMissing, "<4>"}, {terms.NodeReturned, "<5>"}, {terms.RoundBegun, "<6>"}} {
		var b strings.Builder
		l := smLog{to: &b}
		l.write(line(c.kind))
		l.journal = true
		l.write(line(c.kind))
		text := "T " + string(c.kind) + ": one; two\n"
		if b.String() != text+c.prefix+text {
			t.Errorf("%q", b.String())
		}
		b.Reset()
		l.asJSON = true
		l.write(line(c.kind))
		var back terms.LogLine
		data, ok := strings.CutPrefix(b.String(), c.prefix)
		if err := json.Unmarshal([]byte(data), &back); err != nil || !ok || back.Severity != c.kind.Severity().String() {
			t.Errorf("%q: %v", b.String(), err)
		}
	}
}
