package quality

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/internal/fold"
	"weft/route"
)

func written(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteAll(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wants looks for texts, wherever lines are broken.
func wants(t *testing.T, got string, want ...string) {
	t.Helper()
	line := strings.Join(strings.Fields(got), " ")
	for _, w := range want {
		if !strings.Contains(line, strings.Join(strings.Fields(w), " ")) {
			t.Errorf("not written: %s\nin:\n%s", w, got)
		}
	}
}

// ring is a ring of 7 switches with lanes, of which clearing the SLs leaves one.
func ring(t *testing.T) (*fabric.Graph, *route.Plan) {
	g, p := plan(t, "torus(7,hosts=1)", "dor", 0)
	return g, p
}

// All packets round a ring, on one lane.
func TestWriteDrawsTheCycle(t *testing.T) {
	g, p := ring(t)
	clear(p.SL.Cells)
	got := written(t, judged(t, g, p, 2))
	wants(t, got, "FAULTY: all pairs reachable, deadlock-free: no\n",
		"cycle, assigned LIDs: a shortest one, of 7 channels\n    switch ", " VL 0 -> switch ", "  held by ")
	if strings.Count(got, "cycle, ") != 1 {
		t.Errorf("the same cycle is drawn again:\n%s", got)
	}
	p.SL = nil
	wants(t, written(t, judged(t, g, p, 2)), "NOT PROVEN: ", "unknown (cyclic on one lane, lanes not known)", "of 7 channels, on one lane\n")
}

func TestWriteFindings(t *testing.T) {
	g, p := plan(t, "rlft(4,3)", "updn", 0)
	wants(t, written(t, judged(t, g, p, 2)), "PROVEN: all pairs reachable, minimal between hosts (42 pairs with switches are not), deadlock-free: yes\n")
	next := g.To[g.OutOf(g.EndSwitch[0])[0]]
	p.Tables.Set(next, p.Ends.Base[0], 254)
	wants(t, written(t, judged(t, g, p, 2)), "FAULTY: ", " pairs unreachable, ", ", dead-port, one-way\n", "fault: dead-port: 1, ", " pairs lost\n    LID ", " sends to port 254, but has only 4 ports\n")
}

// A longer way between two hosts' switches counts, and one from a switch apart.
func TestWriteNotMinimal(t *testing.T) {
	g, p := ring(t)
	s := g.EndSwitch[0]
	to := p.Ends.Base[g.PortZero(g.To[g.OutOf(s)[0]])]
	other := g.OutOf(s)[1]
	p.Tables.Set(s, to, g.FromPort[other])
	for c := other; ; { // round the ring, the other way
		next := g.To[c]
		if p.Ends.Base[g.PortZero(next)] == to {
			break
		}
		for _, o := range g.OutOf(next) {
			if o != c^1 {
				c = o
				break
			}
		}
		p.Tables.Set(next, to, g.FromPort[c])
	}
	r := judged(t, g, p, 2)
	if r.Minimal || r.NonMinimal == 0 || r.HostPairs.NonMinimal != 0 || r.Unreachable != 0 {
		t.Errorf("%d not minimal, %d of hosts, %d unreachable", r.NonMinimal, r.HostPairs.NonMinimal, r.Unreachable)
	}
	wants(t, written(t, r), fmt.Sprintf("pairs, all 182, 0 unreachable, 0 disconnected, %d not minimal,", r.NonMinimal))
}

// The keys that programs rely on.
func TestJSON(t *testing.T) {
	var g *fabric.Graph
	var p *route.Plan
	for want, do := range map[string]func(){
		"true": func() {}, "false": func() { clear(p.SL.Cells) }, "null": func() { p.SL = nil },
	} {
		g, p = ring(t)
		do()
		text, err := json.Marshal(judged(t, g, p, 2))
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"ok", "pairs", "unreachable", "loops", "deadlock_free", "vls", "cycle", "hops", "load", "minimal"} {
			if _, ok := keys[k]; !ok {
				t.Errorf("no key %q", k)
			}
		}
		if got := string(keys["deadlock_free"]); got != want {
			t.Errorf("deadlock_free is %s, want %s", got, want)
		}
		var back Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(&back); err != nil || string(again) != string(text) {
			t.Errorf("%v: read back as %s", err, again)
		}
	}
}

// Ends without a LID are in the first line.
func TestWriteNameless(t *testing.T) {
	g, p := plan(t, "rlft(4,2)", "updn", 0)
	clear(p.Ends.Base[1:])
	wants(t, written(t, judged(t, g, p, 2)), fmt.Sprintf("NOT PROVEN: %d of %d end ports have no LID and are not judged, no pairs, ", g.NumEnds-1, g.NumEnds))
}

// In short: four lines, a cycle by names, and the first example of each finding.
func TestWriteShort(t *testing.T) {
	short := func(r *Report) string {
		var b strings.Builder
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if len(strings.TrimSuffix(line, "\n")) > fold.Columns {
				t.Errorf("wider than 80 columns: %s", line)
			}
		}
		return b.String()
	}
	g, p := ring(t)
	got := short(judged(t, g, p, 2))
	wants(t, got, "\ncycle, without path records: of 7 channels, each waits for the next (all of it:\n       -v)\n")
	wants(t, got, "\n  reach     42 of 42 pairs of hosts; 3.00 hops on average, 4 at most\n", "\n  deadlock  none can form; without path records: one can\n", "\n  hottest   ", "\n  lanes     2 (")
	clear(p.SL.Cells)
	wants(t, short(judged(t, g, p, 2)), "  deadlock  one can form\n", "cycle, assigned LIDs: of 7 channels", "\n    \"switch (0)\"[1] -> \"switch (1)\" VL 0\n")
	p.SL = nil
	wants(t, short(judged(t, g, p, 2)), "  deadlock  not known: one can form if all share a lane")
	g, p = plan(t, "torus(30,hosts=1)", "minhop", 0)
	wants(t, short(judged(t, g, p, 2)), "of 30 channels", "\n    and 22 more\n")
}

// No line is wider than a page, also of names as long as real ones.
func TestWriteFitsAPage(t *testing.T) {
	g, p := ring(t)
	clear(p.SL.Cells)
	p.Tables.Set(0, p.Ends.Base[3], 254)
	r := judged(t, g, p, 2)
	var short strings.Builder
	if err := r.Write(&short); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(written(t, r)+short.String(), "\n") {
		if len(line) > fold.Columns {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if strings.Contains(short.String(), "minimal") {
		t.Errorf("a faulty routing is praised:\n%s", short.String())
	}
}
