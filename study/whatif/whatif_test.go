package whatif

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/flow"
)

func parse(t *testing.T, formula string) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Changes are written by names, or as the arguments of suffixes.
func TestApply(t *testing.T) {
	f := parse(t, "rlft(8,2)|radix(10)|without(hosts=0-3)")
	f.Nodes[0].Desc = "MF0;A10-P1:MQM9701/U1"
	for what, want := range map[Change]*Parts{
		{"fail", "spine 1"}:                       {Failed: []string{`switch "spine 1" (0x020000530000000a)`}},
		{"fail", "HOST 9"}:                        {Failed: []string{`CA "host 9" (0x0200004800000a00)`}},
		{"fail", "a10-p1[5]"}:                     {Failed: []string{`cable "MF0;A10-P1:MQM9701/U1" (0x0200005300000001)[5] - "spine 0" (0x0200005300000009)[1]`}},
		{"fail", "spine 0 -- leaf 1"}:             {Failed: []string{`cable "leaf 1" (0x0200005300000002)[5] - "spine 0" (0x0200005300000009)[2]`}},
		{"drain", `"MF0;A10-P1:MQM9701/U1"`}:      {Drained: []string{`switch "MF0;A10-P1:MQM9701/U1" (0x0200005300000001)`}},
		{"drain", "MF0;A10-P1:MQM9701/U1[5]"}:     {Drained: []string{`cable "MF0;A10-P1:MQM9701/U1" (0x0200005300000001)[5] - "spine 0" (0x0200005300000009)[1]`}},
		{"drain", "switch=MF0;A10-P1:MQM9701/U1"}: {Drained: []string{`switch "MF0;A10-P1:MQM9701/U1" (0x0200005300000001)`}},
		{"move", "host 9 to leaf 1[9]"}:           {Moved: []string{`cable "host 9" (0x0200004800000a00)[1] - "leaf 2" (0x0200005300000003)[2] to "host 9" (0x0200004800000a00)[1] - "leaf 1" (0x0200005300000002)[9]`}},
		{"move", "link=host 9,to=leaf 1[9]"}:      {Moved: []string{`cable "host 9" (0x0200004800000a00)[1] - "leaf 2" (0x0200005300000003)[2] to "host 9" (0x0200004800000a00)[1] - "leaf 1" (0x0200005300000002)[9]`}},
		{"fail", `"spine 0" (0x0200005300000009)[2] - "leaf 1" (0x0200005300000002)[5]`}: {Failed: []string{`cable "leaf 1" (0x0200005300000002)[5] - "spine 0" (0x0200005300000009)[2]`}},
		{"add", "rack 8 , like=leaf 5"}: {Added: []string{`switch "rack 8" (0x020000530000000d)`, `CA "rack 8 host 0" (0x0200004800000100)`, `CA "rack 8 host 1" (0x0200004800000200)`, `CA "rack 8 host 2" (0x0200004800000300)`, `CA "rack 8 host 3" (0x0200004800000400)`}},
		{"add", "rack; 9"}:              {Added: []string{`switch "rack; 9" (0x020000530000000d)`, `CA "rack; 9 host 0" (0x0200004800000100)`, `CA "rack; 9 host 1" (0x0200004800000200)`, `CA "rack; 9 host 2" (0x0200004800000300)`, `CA "rack; 9 host 3" (0x0200004800000400)`}},
	} {
		after, err := Apply(f, []Change{what})
		if err != nil {
			t.Errorf("%v: %v", what, err)
			continue
		}
		got := PartsOf(f, after)
		if !slices.Equal(got.Failed, want.Failed) || !slices.Equal(got.Drained, want.Drained) || !slices.Equal(got.Added, want.Added) || !slices.Equal(got.Moved, want.Moved) {
			t.Errorf("%v: %+v, want %+v", what, got, want)
		}
	}
	for what, want := range map[Change]string{
		{"fail", "nobody"}:                 `--fail nobody: no node is called "nobody"`,
		{"fail", "links=900"}:              "--fail links=900: ",
		{"fail", "spine 0 -- spine 1"}:     "no cable joins",
		{"move", "host 9"}:                 "say what is moved and where to",
		{"move", "host 9 to leaf 2[9] to"}: "no node is called",
		{"add", "leaf 1"}:                  `--add leaf 1: a node is called "leaf 1" already`,
		{"move", "host 9 to host 8"}:       `--move host 9 to host 8: "host 8" (0x0200004800000900) is a CA`,
		{"fail", "spine 1, spine 2"}:       "give each part an option of its own, --fail 'spine 1' --fail 'spine 2'",
		{"fail", " "}:                      "--fail  : no name is given: want that of a node",
		{"fail", "share=0"}:                "nothing would change",
	} {
		if _, err := Apply(f, []Change{what}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", what, err, want)
		}
	}
}

// A campaign that is interrupted keeps the rows that it has, and is the same on any number of
// cores.
func TestEach(t *testing.T) {
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	var last *Campaign
	for _, workers := range []int{1, 3} {
		today, err := New(t.Context(), parse(t, "rlft(8,2)"), nil, Options{Request: planner.Request{Chain: chain, Seed: 1, Workers: workers}, Pace: UsualPace})
		if err != nil {
			t.Fatal(err)
		}
		c, err := today.Each(t.Context(), EachSwitch)
		if err != nil || len(c.Rows) != 12 || c.Parts != 12 || !c.Complete || c.harmless() != 4 || c.Rows[0].CutOff != 4 || c.Rows[11].CutOff != 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		var text, before strings.Builder
		if err := c.Write(&text, 0); err != nil {
			t.Fatal(err)
		}
		if last != nil {
			if err := last.Write(&before, 0); err != nil || before.String() != text.String() {
				t.Errorf("on %d cores:\n%s\non one:\n%s", workers, text.String(), before.String())
			}
		}
		last = c
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c, err = today.Each(ctx, EachLink); !errors.Is(err, context.Canceled) || c == nil || c.Complete || c.Parts != 32 {
			t.Errorf("interrupted: %+v, %v", c, err)
		}
		text.Reset()
		if err := c.Write(&text, 0); err != nil || text.String() != "nothing was tried\n" {
			t.Errorf("%q, %v", text.String(), err)
		}
	}
}

// The figures of a row are those that the same failure has when it is asked alone; shifts are left
// out.
func TestEachAsAsked(t *testing.T) {
	chain, err := engine.Parse("auto", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, "rlft(8,2)|fail(links=4,seed=5)")
	today, err := New(t.Context(), f, nil, Options{Request: planner.Request{Chain: chain, Seed: 1, Workers: 2}, Pace: UsualPace})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		if err := today.TryOne(t.Context(), kind); err != nil {
			t.Fatal(err)
		}
		c, err := today.Each(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			a, err := today.Ask(t.Context(), []Change{{"fail", r.Part}})
			if err != nil {
				t.Fatal(err)
			}
			best := a.Repaired
			if best == nil {
				best = a.Fresh
			}
			got, want := *r.Remaining.Figures, *best.Figures
			if got.Shift != (flow.Collective{}) || want.Shift.Sum == 0 {
				t.Errorf("%s: shifts %+v, asked alone %+v", r.Part, got.Shift, want.Shift)
			}
			if got.Shift = want.Shift; got != want || *r.Remaining.Writes != *best.Writes || r.Remaining.Lost != best.Lost || r.AtOnce != a.AsIs.Lost || r.CutOff != len(a.CutOff) {
				t.Errorf("%s: %+v, asked alone %+v", r.Part, r, a)
			}
		}
	}
}

// A campaign tells whether what is left can deadlock.
func TestEachDeadlocks(t *testing.T) {
	for name, want := range map[string]string{"minhop": "the routing of today can deadlock already\n", "updn": ""} {
		chain, err := engine.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		today, err := New(t.Context(), parse(t, "torus(5x5,hosts=1)"), nil, Options{Request: planner.Request{Chain: chain, Seed: 1, Workers: 1}, Pace: UsualPace})
		if err != nil {
			t.Fatal(err)
		}
		c, err := today.Each(t.Context(), EachLink)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := c.Write(&text, 1); err != nil || strings.Contains(text.String(), "deadlock") != (want != "") || !strings.Contains(text.String(), want) {
			t.Errorf("%s: %v\n%s", name, err, text.String())
		}
		c.Today = &State{DeadlockFree: check.Yes}
		c.Rows[0].Remaining = &State{DeadlockFree: check.No}
		c.Rows = c.Rows[:1]
		if got := c.deadlocks(); got != "1 of 1 leave a routing that can deadlock" {
			t.Errorf("%q", got)
		}
	}
}

// A campaign tells how many parts take a fresh routing.
func TestEachAfresh(t *testing.T) {
	rows := []Row{{Part: "a", Reason: "no next hop", Remaining: &State{Writes: &Writes{}}}, {Part: "b", Remaining: &State{Writes: &Writes{}}}, {Part: "c", Reason: "nothing left"}}
	var text strings.Builder
	if err := (&Campaign{Parts: 3, Complete: true, Today: &State{}, Rows: rows}).Write(&text, 0); err != nil || !strings.Contains(text.String(), "\n1 of 3 cannot be repaired and take a fresh routing") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// A loss that is rounded to nothing has no sign.
func TestNoLoss(t *testing.T) {
	for loss, want := range map[float64]string{0: "0.5000 (+0.0 %)", .0004: "0.5000 (+0.0 %)", -.0004: "0.5000 (+0.0 %)", .0006: "0.5000 (-0.1 %)", -.01: "0.5000 (+1.0 %)"} {
		r := &Row{Loss: loss, Remaining: &State{Writes: &Writes{}, Figures: &flow.KeyFigures{EBB: flow.Summary{Mean: .5}}}}
		if got := r.figures()[3]; got != want {
			t.Errorf("%g: %s, want %s", loss, got, want)
		}
	}
}

// The share of pairs that are lost meanwhile does not hide those that are lost today.
func TestPrice(t *testing.T) {
	a := &Answer{Change: &Parts{}, Today: &State{Pairs: 1000, Lost: 480}, AsIs: &State{Pairs: 1000, Lost: 550}, Repaired: &State{Pairs: 1000, Writes: &Writes{}}, Fresh: &State{Pairs: 1000}}
	if got, want := a.price(a.Repaired), "every pair of hosts keeps a way; 55.0 % of pairs lost until the tables are written (48.0 % are today)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// The reason why there is no repair stands once behind its heading.
func TestNoRepair(t *testing.T) {
	var text strings.Builder
	a := &Answer{Change: &Parts{}, Today: &State{}, AsIs: &State{}, NotRepaired: "repair: no LID is left"}
	if a.writeRemarks(&text); !strings.Contains(text.String(), "no repair: no LID is left\n") {
		t.Error(text.String())
	}
}

// All of a window takes one round trip.
func TestPace(t *testing.T) {
	for blocks, want := range map[int]float64{0: 0, 1: .5, 4: .5, 5: 1, 8: 1, 9: 1.5} {
		if got := (Pace{RoundTrip: .5, Window: 4}).Seconds(blocks); got != want {
			t.Errorf("%d blocks: %v s, want %v", blocks, got, want)
		}
	}
}
