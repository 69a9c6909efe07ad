package job

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/mapping"
)

// row returns what a report says under a name, "" when it says nothing.
func row(r *Report, name string) string {
	for _, cells := range r.Rows() {
		if strings.TrimSpace(cells[0]) == name {
			return cells[1]
		}
	}
	return ""
}

func TestRows(t *testing.T) {
	r := &Report{
		Algorithm: "coupon", Collision: "circuit", Mapper: "h1", Size: Size{36, 13, 64}, Facts: Facts{6, 4, 0},
		Probes: ProbeCounts{Host: 10, Switch: 4, Total: 14}, Answered: ProbeCounts{Host: 5, Switch: 3, Total: 8},
		Outcomes: map[string]int{"delivered": 8, "lost": 6, "late": 0}, Cost: Cost{7, 0, 20, 12.5}, Verdict: Verdict{Isomorphic: true}, Certain: true,
	}
	for name, want := range map[string]string{
		"algorithm": "coupon, circuit routing, from h1", "map": "36 hosts, 13 switches, 64 wires", "network": "Q 6, D 4, F 0 nodes",
		"probes": "14 sent, 8 answered", "host": "10 sent, 5 answered (50 %)", "switch": "4 sent, 3 answered (75 %)", "loop": "", "compare": "",
		"lost": "6", "delivered": "", "late": "", "explorations": "7, model graph up to 20 nodes", "survey": "", "certain": "yes", "routes": "",
		"time": "12.5 ms (modelled)", "isomorphic": "yes", "election": "", "parallel": "",
	} {
		if got := row(r, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r.Verdict, r.Certain = Verdict{Difference: "a wire too much"}, false
	r.Survey = &SurveyReport{100, 3, 4.25, 50}
	r.Election, r.Parallel = &ElectionReport{ElectedMS: 1.5, Messages: 9, Probes: 8}, &ParallelReport{2, 3, 4, 0, 0}
	r.Routes = &RoutesReport{Root: "s", Relabelled: []string{"x"}, Pairs: 6, Delivered: 5, DeadlockFree: "yes", Messages: 2, Unheard: 1, Bytes: 80, ModelledMS: 1}
	for i := range 12 {
		r.InDoubt = append(r.InDoubt, Doubt{Where: fmt.Sprint("place ", i), Tries: 3, Chance: 0.25})
	}
	for name, want := range map[string]string{
		"isomorphic": "NO: a wire too much", "certain": "NO: 12 places in doubt", "in doubt": "place 0: 3 probes silent, lost with a chance of 0.25",
		"survey":   "100 probes in 3 passes, 4.2 ms (the algorithm gave up after 50: the survey started without a hint)",
		"election": "1.5 ms until one was left, 8 probes of all hosts, 9 messages", "parallel": "3 hosts, 2 rounds, 4 messages between them",
		"routes": "6 pairs of hosts, 5 tried with success", "root": "s; locally dominant and relabelled: 1", "deadlock-free": "yes",
		"distribution": "2 messages, 1 not answered, 80 bytes, 1.0 ms (modelled)",
	} {
		if got := row(r, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	text := fmt.Sprint(r.Rows())
	if strings.Contains(text, "place 10") || !strings.Contains(text, "and 2 more (--json") {
		t.Errorf("not ten places in doubt: %s", text)
	}
}

func TestRoundLines(t *testing.T) {
	r := RoundReport{BeginMS: 250, EndMS: 260.5, Mapper: "h1", Probes: 9, Size: Size{4, 2, 5}, Certain: true, Verdict: Verdict{Isomorphic: true}, Changes: []string{"cable vanished: a - b"}}
	const head = "250ms  by h1: 9 probes, 10.5 ms: 4 hosts, 2 switches, 5 wires: "
	if got, want := r.String(), head+"right\n    cable vanished: a - b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Changes, r.Verdict = nil, Verdict{Difference: "one more"}
	if got := r.String(); got != head+"WRONG: one more\n" {
		t.Errorf("wrong: %q", got)
	}
	r.During, r.Verdict, r.AsOfMS = true, Verdict{Isomorphic: true}, 255
	if got := r.String(); got != head+"right as of 255ms\n" {
		t.Errorf("changed meanwhile: %q", got)
	}
	r.Certain = false
	if got := r.String(); got != head+"UNCERTAIN: no two maps in a row were the same\n" {
		t.Errorf("uncertain: %q", got)
	}
	r.Certain, r.InDoubt = false, slices.Repeat([]Doubt{{Where: "there"}}, 11)
	if got := r.String(); strings.Count(got, "in doubt: there") != 10 || !strings.Contains(got, "UNCERTAIN at 11 places") || !strings.Contains(got, "and 1 more places") {
		t.Errorf("in doubt: %q", got)
	}
}

// TestLineOf: the host with two wires is found in a file that was written of its fabric.
func TestLineOf(t *testing.T) {
	f := fabric.New("two")
	s, _ := f.AddNode(fabric.Switch, 1, 8, "s")
	h, _ := f.AddNode(fabric.CA, 0x2a, 2, "twice")
	for p := uint8(1); p <= 2; p++ {
		if _, err := f.Connect(fabric.End{Node: s, Port: p}, fabric.End{Node: h, Port: p}, 4, fabric.SDR); err != nil {
			t.Fatal(err)
		}
	}
	_, err := mapping.FromFabric(f)
	for text, want := range map[string]int{
		"Switch 8 \"S-1\"\nCa 2 \"H-2a\" # \"twice\"\n": 2,
		"x\n\nCa 2 \"H-000000000000002A\"\n":            3,
		"Switch 8 \"S-1\" # twice\n":                    0,
		"":                                              0,
	} {
		if line := LineOf(err, f, text); line != want {
			t.Errorf("%q: line %d, want %d", text, line, want)
		}
	}
	if line := LineOf(os.ErrNotExist, f, "Ca 2 # \"twice\"\n"); line != 0 {
		t.Errorf("another error is on line %d", line)
	}
}

// TestResultFiles: the map of a result as a fabric and as a picture.
func TestResultFiles(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	r, err := RunFabric(t.Context(), f, &o)
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.Fabric("a map")
	if err != nil || made.Name != "a map" || len(made.Links) != 64 {
		t.Errorf("fabric: %v", err)
	}
	utility, err := r.Utility("")
	if err != nil || r.Map.Hosts[utility].Name != "host 35" {
		t.Errorf("the host that maps is %d, %v", utility, err)
	}
	if other, err := r.Utility("host 3"); err != nil || r.Map.Hosts[other].Name != "host 3" {
		t.Errorf("host 3 is %d, %v", other, err)
	}
	if _, err := r.Utility("nobody"); err == nil {
		t.Error("nobody was found")
	}
	var svg strings.Builder
	if err := r.WriteSVG(&svg, "a <map>"); err != nil || !strings.Contains(svg.String(), "a &lt;map&gt;") {
		t.Errorf("SVG: %v", err)
	}
}

func TestAlgorithms(t *testing.T) {
	names, help := Algorithms()
	if len(names) < 5 || names[1] != "berkeley" || strings.Count(help, "\n") != len(names) || !strings.Contains(help, "  coupon ") {
		t.Errorf("%v:\n%s", names, help)
	}
}
