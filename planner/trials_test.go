package planner

import (
	"context"
	"slices"
	"testing"

	"weft/fabric"
	"weft/internal/racing"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/sim/flow"
)

// tryAll runs the trials of a fabric with a limit of all efforts.
func tryAll(t *testing.T, formula string, limit int) *trials {
	t.Helper()
	g := graph(t, formula)
	auto := engine.AutoSpec()
	if limit >= 0 {
		auto.Effort = limit
	}
	s := newTrials(g, &Request{Workers: 2, Seed: 1}, auto, shapeOf(g))
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// routed lists the candidates that were tried and routed.
func (t *trials) routed() (names []string) {
	for _, i := range t.fit(func(*Trial) bool { return true }) {
		names = append(names, t.auto.Among[i].Name)
	}
	return names
}

// Efforts bound what is tried after a candidate has routed the fabric; the first has no bound.
func TestEffort(t *testing.T) {
	const formula = "rlft(36,2)|fail(links=1,seed=1)"
	g := graph(t, formula)
	entries := g.NumSwitches * g.NumEnds
	for limit, want := range map[int][]string{
		0:            {"ftree"},
		7 * entries:  {"ftree"},
		8 * entries:  {"ftree", beft},
		11 * entries: {"ftree", beft, zahavi},
		21 * entries: {"ftree", beft, zahavi, "dfsssp"},
	} {
		if got := tryAll(t, formula, limit).routed(); !slices.Equal(got, want) {
			t.Errorf("limit %d: %v, want %v", limit/entries, got, want)
		}
	}
	// The fabric is too large for free trials: five times the effort of ftree.
	all := tryAll(t, formula, -1)
	if all.spent > timesLeader*all.effort(0) || all.spent <= effortFree {
		t.Errorf("%d efforts, that of ftree is %d", all.spent, all.effort(0))
	}
}

// Engines clearly behind after the first bisections are not measured further. The others are, and
// the best of them is chosen as if all had been.
func TestHalving(t *testing.T) {
	for _, formula := range []string{"now-cab|fail(share=0.05,seed=1)", "torus(6x6,hosts=1)|fail(links=14,seed=1)"} {
		s := tryAll(t, formula, -1)
		out, in := 0, 0
		for _, c := range s.tried {
			switch {
			case c == nil || c.Reason != "":
			case c.First == nil || c.First.Shift.Rounds != 0:
				t.Errorf("%s: %s has no first figures, or shifts with them", formula, c.Engine)
			case c.Figures == nil:
				out++
				if s.isNear(c) && len(s.fit(s.isNear)) > 1 {
					t.Errorf("%s: %s was near, and not measured", formula, c.Engine)
				}
			default:
				in++
			}
		}
		best, _ := s.choice().bestTwo()
		if out == 0 || in < 2 || best.Figures == nil {
			t.Errorf("%s: %d dropped out, %d measured, %s chosen", formula, out, in, best.Engine)
		}
		for _, c := range s.tried {
			if c == nil || c.Reason != "" || c.Figures != nil {
				continue
			}
			k, err := flow.NewKeyFigures(context.Background(), s.g, c.result.Plan, flow.Measure{Seed: 1, Workers: 2})
			if err != nil || k.EBB.Mean > best.Figures.EBB.Mean {
				t.Errorf("%s: %s dropped out with ebb %.3f, %s has %.3f: %v", formula, c.Engine, k.EBB.Mean, best.Engine, best.Figures.EBB.Mean, err)
			}
		}
	}
}

// A leader whose busiest channel has far more pairs than another engine's is in doubt, and slower
// engines get their chance. Plans of lash are relieved even from far behind.
func TestDoubt(t *testing.T) {
	racing.SkipLong(t)
	s := tryAll(t, "deimos|fail(share=0.01,seed=1)", -1)
	if names := s.routed(); !slices.Contains(names, "dfsssp") || !slices.Contains(names, "dfsssp,relief=true") || !slices.Contains(names, even) {
		t.Errorf("a leader in doubt: only %v", names)
	}
	k := func(ebb float64, pairs int64) *flow.KeyFigures {
		f := &flow.KeyFigures{PairLoad: pairs}
		f.EBB.Mean = ebb
		f.Shift.Sum = 1
		return f
	}
	at := func(name string) int {
		return slices.IndexFunc(s.auto.Among, func(of route.Candidate) bool { return of.Name == name })
	}
	for pairs, want := range map[int64]int{119: 5, 121: 10} {
		s := newTrials(graph(t, "rlft(4,2)"), &Request{Workers: 1}, engine.AutoSpec(), &trees)
		s.entries = 1
		for name, c := range map[string]*Trial{"ftree": {First: k(.8, pairs), Figures: k(.8, pairs)}, "dfsssp": {First: k(.7, 100), Figures: k(.7, 100)}, "lash": {First: k(.3, 100)}} {
			c.Engine = name
			s.tried[at(name)] = c
		}
		if err := s.compare(context.Background()); err != nil {
			t.Fatal(err)
		}
		if s.base != want || s.doubt != (want == 10) || s.leader != at("ftree") {
			t.Errorf("%d pairs: effort %d, doubt %v, leader %d", pairs, s.base, s.doubt, s.leader)
		}
		if got := s.candidatesForRelief(s.fit(s.isNear)); !slices.Equal(got, []int{at("ftree"), at("lash")}) {
			t.Errorf("%d pairs: %v to be relieved", pairs, got)
		}
	}
}

// Where no candidate comes up to the best of them in both figures, the leader's relief is tried
// beyond the limit, and no other. Efforts are counted as on a larger network, where none is free.
func TestTorn(t *testing.T) {
	for formula, want := range map[string][]string{
		"tree(16,256,ratio=3)|hosts(even=4,odd=1)|fail(links=4,seed=337)": {"ftree,relief=true"},
		"rlft(16,2)|fail(links=1,seed=1)":                                 nil,
	} {
		s := newTrials(graph(t, formula), &Request{Workers: 2, Seed: 1}, engine.AutoSpec(), &trees)
		s.entries *= 10
		if err := s.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		var moved []string
		for _, c := range s.tried {
			if c != nil && c.moved {
				moved = append(moved, c.Engine)
			}
		}
		if !slices.Equal(moved, want) {
			t.Errorf("%s: relief of %v, want %v", formula, moved, want)
		}
	}
}

// Small networks are tried by engines that no larger one sees, and one of these is taken if it is
// ahead. Engines that give LIDs themselves are left out where LIDs are bound.
func TestSmall(t *testing.T) {
	const chain = "mesh(8x1,hosts=4,width=2)|fail(links=2,seed=437)"
	s := tryAll(t, chain, -1)
	best, next := s.choice().bestTwo()
	if best.Engine != "separate" || best.LMC == 0 || best.Figures.EBB.Mean < 1.1*next.Figures.EBB.Mean || next.small {
		t.Errorf("%s with ebb %.3f, then %s with %.3f", best.Engine, best.Figures.EBB.Mean, next.Engine, next.Figures.EBB.Mean)
	}
	for what, req := range map[string]*Request{
		"hosts know no path records": {NoPathRecords: true},
		"an LMC":                     {LIDs: lids.Options{LMC: 1}},
		"LIDs in use":                {LIDs: lids.Options{Held: route.Hold(s.g, best.result.Plan, s.g)}},
		"kinds of hosts":             {Kinds: []fabric.KindRule{{}}},
	} {
		for _, i := range newTrials(s.g, req, engine.AutoSpec(), &others).order {
			if name := s.auto.Among[i].Name; name == "separate" || name == "renaming" {
				t.Errorf("%s: %s is a candidate", what, name)
			}
		}
	}
	large := tryAll(t, "random(switches=40,hosts=3,links=70,seed=1)", -1)
	for i, c := range large.tried {
		if c != nil && large.auto.Among[i].Small {
			t.Errorf("a large network: %s is tried", c.Engine)
		}
	}
}

// Engines for small networks do not change the order of the others: b is within 1 % of the least
// shifts and of the most bandwidth, unless s counts, which is not ahead of it.
func TestSmallBeside(t *testing.T) {
	trial := func(engine string, ebb, shift float64, lmc uint8, small bool) Trial {
		k := &flow.KeyFigures{PairLoad: 10}
		k.EBB.Mean, k.Shift.Sum = ebb, shift
		return Trial{Engine: engine, VLs: 1, LMC: lmc, Figures: k, small: small}
	}
	for _, c := range []struct {
		s    Trial
		want string
	}{
		{trial("s", .6795, 150, 0, true), "b a"},
		{trial("s", .6795, 134, 0, true), "s b"},
		{trial("s", .6740, 133, 1, true), "b a"}, // as good, on more LIDs
		{trial("s", .7500, 134, 1, true), "s b"},
	} {
		best, next := (&Choice{Trials: []Trial{trial("a", .6763, 140, 0, false), trial("b", .6723, 134, 0, false), c.s}}).bestTwo()
		if got := best.Engine + " " + next.Engine; got != c.want {
			t.Errorf("%.4f, %.0f: %s, want %s", c.s.Figures.EBB.Mean, c.s.Figures.Shift.Sum, got, c.want)
		}
	}
}

// One engine that is clear of all others is chosen by its first figures.
func TestClear(t *testing.T) {
	first := func(ebb float64) *flow.KeyFigures {
		k := &flow.KeyFigures{PairLoad: 7}
		k.EBB.Mean = ebb
		return k
	}
	c := &Choice{Trials: []Trial{{Engine: "a", VLs: 1, First: first(.5)}, {Engine: "b", Reason: "refused"}, {Engine: "c", VLs: 2, First: first(.8)}, {Engine: "d", VLs: 1, First: first(.6)}}}
	best, next := c.bestTwo()
	if best.Engine != "c" || next.Engine != "d" || c.Trials[0].Loss < 3.74 || c.Trials[0].Loss > 3.76 {
		t.Fatalf("%s before %s, loss %v", best.Engine, next.Engine, c.Trials[0].Loss)
	}
	c.explain(best, next)
	if want := "c: the best of 3 that route it, clear after 20 bisections (ebb 0.800 in 20 bisections, most pairs on a channel 7, 2 lanes); next d (ebb 0.600 in 20 bisections, most pairs on a channel 7, 1 lane)"; c.String() != want {
		t.Errorf("%s", c)
	}
}
