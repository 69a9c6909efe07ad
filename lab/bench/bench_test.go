package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// runs is a runner that notes its runs and measures fixed values.
type runs struct {
	order []string
	stop  int // fails at this run; 0: never
}

var errStop = errors.New("stopped")

func (r *runs) run(_ context.Context, p Pair, row *Row) error {
	r.order = append(r.order, fmt.Sprintf("%s %s %s %d", row.Fabric, p, row.Program, row.Round))
	if len(r.order) == r.stop {
		return errStop
	}
	if row.Program == openSM && row.Fabric == "odd" && p.Theirs == "ftree" {
		row.Status, row.Reason = Refused, "no tree"
		return nil
	}
	x := float64(row.Round)
	if row.Program == openSM {
		x *= float64(2 + row.Round%2)
	}
	if row.Round == 0 {
		ebb := .5
		row.EBB = &ebb
		return nil
	}
	row.CPU, row.Wall, row.Peak = &x, &x, &x
	return nil
}

func newBench(r *runs) *Bench {
	return &Bench{
		Subjects: []Subject{{Fabric: "a|b", Graph: "1"}, {Fabric: "odd", Graph: "2"}},
		Pairs:    []Pair{{"ftree", "ftree"}, {"auto", "nue"}}, Rounds: 3,
		Made: Made{Sources: "s", Peer: "p", Host: "h"}, Rows: map[string]*Row{},
		Run: r.run, Keep: func(*Row) error { return nil },
	}
}

// TestTurns: the programs run in turn, tables first, and no rounds follow a refusal.
func TestTurns(t *testing.T) {
	r := &runs{}
	b := newBench(r)
	if n := b.Missing(); n != 32 {
		t.Errorf("%d runs are missing", n)
	}
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, fabric := range []string{"a|b", "odd"} {
		for _, p := range []string{"ftree", "auto:nue"} {
			for round := range 4 {
				if fabric != "odd" || p != "ftree" || round == 0 {
					want = append(want, fmt.Sprintf("%s %s weft %d", fabric, p, round), fmt.Sprintf("%s %s OpenSM %d", fabric, p, round))
				}
			}
		}
	}
	if !slices.Equal(r.order, want) {
		t.Errorf("runs:\n%s\nwant:\n%s", strings.Join(r.order, "\n"), strings.Join(want, "\n"))
	}
}

// TestResumed: a bench that was stopped at any run and goes on has the rows of an undisturbed one;
// it makes a round again unless both of its runs are there.
func TestResumed(t *testing.T) {
	whole := &runs{}
	b := newBench(whole)
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := b.Summarise()
	for stop := 1; stop <= len(whole.order); stop++ {
		first := &runs{stop: stop}
		b := newBench(first)
		if err := b.Do(t.Context()); !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		again := &runs{}
		b.Run = again.run
		if err := b.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.Summarise(); !reflect.DeepEqual(got, want) {
			t.Errorf("stopped at %d: %+v, want %+v", stop, got, want)
		}
		before := "" // OpenSM's run of a round never stands alone
		for _, run := range again.order {
			if strings.Contains(run, "OpenSM") && !strings.HasSuffix(run, " 0") && strings.Replace(run, "OpenSM", "weft", 1) != before {
				t.Errorf("stopped at %d: %s after %q", stop, run, before)
			}
			before = run
		}
	}
}

// TestNames: everything that decides a run changes its name, and nothing else does.
func TestNames(t *testing.T) {
	row := func(program string, round int64, change func(*Row)) string {
		r := &Row{Subject: Subject{Graph: "g", Fabric: "f"}, Engine: "e", Program: program, Round: round, Made: Made{Sources: "s", Peer: "p", Host: "h"}}
		change(r)
		r.setCase()
		return r.Case
	}
	same := func(*Row) {}
	for name, c := range map[string]struct {
		change                              func(*Row)
		weft, weftRound, openSM, theirRound bool // the name changes
	}{
		"graph":   {func(r *Row) { r.Graph = "x" }, true, true, true, true},
		"engine":  {func(r *Row) { r.Engine = "x" }, true, true, true, true},
		"sources": {func(r *Row) { r.Sources = "x" }, true, true, false, true},
		"peer":    {func(r *Row) { r.Peer = "x" }, false, true, true, true},
		"host":    {func(r *Row) { r.Host = "x" }, false, true, false, true},
		"fabric":  {func(r *Row) { r.Fabric = "x" }, false, false, false, false},
		"load":    {func(r *Row) { r.Load, r.Commit, r.Turn = 1, "x", 7 }, false, false, false, false},
	} {
		for i, of := range []struct {
			program string
			round   int64
			changes bool
		}{{Weft, 0, c.weft}, {Weft, 2, c.weftRound}, {openSM, 0, c.openSM}, {openSM, 2, c.theirRound}} {
			if (row(of.program, of.round, same) != row(of.program, of.round, c.change)) != of.changes {
				t.Errorf("%s, case %d: changed is not %t", name, i, of.changes)
			}
		}
	}
	names := []string{row(Weft, 1, same), row(Weft, 2, same), row(openSM, 1, same), row(openSM, 0, same), row(Weft, 0, same)}
	slices.Sort(names)
	if len(slices.Compact(names)) != 5 {
		t.Error("two runs have one name")
	}
}

// TestRatios: by hand. The rounds have ratios 3, 2 and 3.
func TestRatios(t *testing.T) {
	b := newBench(&runs{})
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := b.Summarise()
	r := s.Comparisons[0].CPU
	mean := math.Cbrt(18)
	// The logarithms of 3, 2, 3 have the standard deviation ln(1.5)/sqrt(3); t of 2 degrees is
	// 4.3027.
	half := 4.302652729911275 * math.Log(1.5) / 3
	if r.N != 3 || r.Weft != 2 || r.OpenSM != 4 || math.Abs(r.Mean-mean) > 1e-12 || math.Abs(r.Low-mean*math.Exp(-half)) > 1e-9 || math.Abs(r.High-mean*math.Exp(half)) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if c := s.Comparisons[2]; c.CPU != nil || c.Reasons[openSM] != "refused: no tree" || c.Reasons[Weft] != "" {
		t.Errorf("refused: %+v", c)
	}
	if s.Comparisons[0].Route != nil {
		t.Error("a figure that nobody measured has a ratio")
	}
	o := s.Overall[0]
	if len(s.Overall) != 3 || o.Figure != "bring_up_cpu_seconds" || o.N != 2 || // fabrics, not pairs of engines
		math.Abs(o.Mean-mean) > 1e-12 || o.Low != o.High {
		t.Errorf("overall: %+v", s.Overall)
	}
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "odd, ftree, OpenSM: refused: no tree") {
		t.Error(text.String())
	}
}

// TestFromRows: the rows alone, in any order, give the summary of the bench that made them; rows of
// other sources are left out.
func TestFromRows(t *testing.T) {
	b := newBench(&runs{})
	old := newBench(&runs{})
	old.Made.Sources, old.Subjects = "old", []Subject{{Fabric: "gone", Graph: "9"}}
	for _, b := range []*Bench{old, b} {
		if err := b.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var rows []Row
	for _, row := range b.Rows {
		row.Turn += 1000
		rows = append(rows, *row)
	}
	for _, row := range old.Rows {
		if row.Program != openSM || row.Round > 0 { // OpenSM's tables do not depend on weft
			rows = append(rows, *row)
		}
	}
	again, err := FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	var got, want bytes.Buffer
	again.Summarise().WriteMarkdown(&got, "x")
	b.Summarise().WriteMarkdown(&want, "x")
	if got.String() != want.String() || !strings.Contains(got.String(), "| `a\\|b` | 0 | auto:nue | 3 | - | - | 4, 2 |") {
		t.Errorf("%s\nwant\n%s", &got, &want)
	}
	if _, err := FromRows(nil); err == nil {
		t.Error("a bench of no rows")
	}
}

func TestParsePair(t *testing.T) {
	for text, want := range map[string]Pair{"nue": {"nue", "nue"}, "dfsssp,replies=own:dfsssp": {"dfsssp,replies=own", "dfsssp"}, "": {}, ":x": {}, "x:": {}} {
		p, err := ParsePair(text)
		if p != want || (err != nil) != (want == Pair{}) || err == nil && p.String() != text {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}
