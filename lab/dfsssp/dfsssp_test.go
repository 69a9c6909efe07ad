package dfsssp

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/judge/quality"
	"weft/lab"
	"weft/lab/labtest"
	"weft/route"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// run runs one artefact, some of its rows only.
func run(t *testing.T, name string, s *lab.Setup) *lab.Record {
	t.Helper()
	return labtest.Run(t, Reproduction(), name, s)
}

func TestTable1(t *testing.T) {
	rec := run(t, "table1", &lab.Setup{Mode: lab.Full})
	for _, c := range rec.Claims {
		if c.Verdict != lab.Holds {
			t.Errorf("%s: %s (%s)", c.Text, c.Verdict, c.Ours)
		}
	}
	rows := rec.Tables[0].Rows
	for i, printed := range lab.ReadPrinted(publishedTable1) {
		for k, kind := range []string{"xgft", "kautz", "kary"} {
			want := []string{printed[kind+"_switches"], printed[kind+"_switch_links"]}
			if got := rows[3*i+k]; !slices.Equal(got[3:5], want) {
				t.Errorf("%v, want %v switches and links", got, want)
			}
		}
	}
}

// TestEveryArtefact runs one row of each, so that none is broken unseen.
func TestEveryArtefact(t *testing.T) {
	keep := map[string][]string{
		"fig2": {sssp, dfsssp}, "heuristics": {}, "layering": {"1024 kautz"},
		"fig4": {"Odin minhop", "Odin dfsssp"}, "fig5": {"64 lash", "64 dfsssp", "128 lash"}, "fig6": {"64 minhop", "64 dfsssp"},
		"fig7": {"64 minhop", "64 dfsssp"}, "fig8": {"Odin minhop"}, "fig9": {"400 lash"}, "fig10": {"Odin lash", "Odin dfsssp"},
		"fig12": {"128"}, "fig13": {"512"}, "fig14": {"121"}, "fig16": {"128"}, "table1": {"64 xgft"}, "table2": {"CG"},
	}
	for _, a := range Reproduction().Artefacts {
		rows, ok := keep[a.Name]
		if !ok {
			t.Errorf("%s is not tested", a.Name)
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			rec := run(t, a.Name, &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 2, Rows: labtest.Rows(rows...)})
			if got := len(rec.Tables[0].Rows); got < len(rows) {
				t.Errorf("%d rows, want at least %d", got, len(rows))
			}
			if len(rows) == 0 {
				return
			}
			if _, err := rec.Files(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSameOnAnyCores: one core or four, the same record.
func TestSameOnAnyCores(t *testing.T) {
	for artefact, rows := range map[string]func(string) bool{"fig6": labtest.Rows("64 dfsssp", "64 minhop"), "fig12": labtest.Rows("128")} {
		one := run(t, artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 1, Rows: rows})
		four := run(t, artefact, &lab.Setup{Mode: lab.Quick, Seed: 3, Workers: 4, Rows: rows})
		if diff := cmp.Diff(one, four); diff != "" {
			t.Errorf("%s:\n%s", artefact, diff)
		}
	}
}

// TestCommittedRows runs rows of the committed results again, in full.
func TestCommittedRows(t *testing.T) {
	for artefact, rows := range map[string][]string{
		"fig4":   {"Odin minhop", "Odin sssp", "Odin dfsssp", "Odin lash"},
		"fig6":   {"512 minhop", "512 dfsssp"},
		"fig13":  {"512"},
		"table1": {"1024 kautz"},
	} {
		labtest.CheckCommitted(t, Reproduction(), artefact, rows...)
	}
}

// TestReadingsRoute: under every reading all engines of the paper reach every host on shortest
// paths, and DFSSSP without deadlock between hosts.
func TestReadingsRoute(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g, seed := labtest.DrawNetwork(r)
		on := rapid.SampledFrom(readings).Draw(r, "reading").Name
		s := &lab.Setup{Workers: 2, Seed: seed, Readings: []string{on}}
		for _, e := range []string{minhop, lash, sssp, dfsssp} {
			trial, err := s.Route(t.Context(), g, routingOf(s, e))
			if err != nil {
				r.Fatal(err)
			}
			if rep := trial.Report; trial.Refused != "" || rep.Unreachable > 0 || !rep.Minimal || e == dfsssp && trial.Deadlock() == "possible" {
				r.Fatalf("%s, %s: %s; %+v", on, e, trial.Refused, rep)
			}
		}
	})
}

// TestOneTree: hosts of a switch share their paths.
func TestOneTree(t *testing.T) {
	g, err := lab.Graph("random(switches=20,hosts=3,links=40,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	s := &lab.Setup{Workers: 2, Seed: 1, Readings: []string{oneTree}}
	trial, err := s.Route(t.Context(), g, routingOf(s, dfsssp))
	if err != nil || trial.Refused != "" {
		t.Fatal(err, trial.Refused)
	}
	tables, base := trial.Plan.Tables, trial.Plan.Ends.Base
	for s := range int32(g.NumSwitches) {
		for to := range int32(g.NumSwitches) {
			hosts := g.HostsOf(to)
			for _, h := range hosts[1:] {
				if s != to && tables.Port(s, base[h]) != tables.Port(s, base[hosts[0]]) {
					t.Fatalf("hosts of switch %d have different paths from switch %d", to, s)
				}
			}
		}
	}
}

// TestListed: every pair is on one lane, the lists count correctly, and no lane has a cycle.
func TestListed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g, _ := labtest.DrawNetwork(r)
		trial, err := (&lab.Setup{Workers: 1}).Route(t.Context(), g, lab.Routing{Engine: onceSSSP})
		if err != nil {
			r.Fatal(err)
		}
		l := listed(t.Context(), trial)
		hosts := int32(g.NumHosts)
		want := make([][]int32, len(l.layers))
		for lane := range want {
			want[lane] = make([]int32, len(l.e.from))
		}
		for u := range hosts {
			for v := range hosts {
				if u != v {
					for _, place := range l.walk(pairOfHosts{u, v}) {
						want[l.lane[u*hosts+v]][place]++
					}
				}
			}
		}
		for lane, in := range l.layers {
			if !slices.Equal(in.count, want[lane]) {
				r.Fatalf("lane %d: other paths than its pairs have", lane)
			}
			layer := newOnlineLayer(l.e)
			for place, n := range in.count {
				if n > 0 && !layer.take([]int32{int32(place)}) {
					r.Fatalf("lane %d of %d has a cycle", lane, len(l.layers))
				}
			}
		}
	})
}

// TestUneven: uneven Deimos has Deimos' switches, hosts and links; of the ten links between two
// directors, nine join one pair of leaves.
func TestUneven(t *testing.T) {
	g := uneven()
	if g.NumSwitches != 108 || g.NumHosts != 724 || g.NumChannels/2 != 894 || portsUsed(g) > 24 {
		t.Errorf("%d switches, %d hosts, %d links, at most %d ports", g.NumSwitches, g.NumHosts, g.NumChannels/2, portsUsed(g))
	}
	links := map[[2]int32]int{}
	for c := int32(0); int(c) < g.NumChannels; c += 2 {
		if len(g.HostsOf(g.From[c])) > 0 && len(g.HostsOf(g.To[c])) > 0 {
			links[[2]int32{g.From[c], g.To[c]}]++
		}
	}
	found := slices.Sorted(maps.Values(links))
	if want := []int{1, 1, 1, 9, 9, 9}; !slices.Equal(found, want) {
		t.Errorf("links between leaves, by pair: %v, want %v", found, want)
	}
}

// TestGainRange: communication that takes all or half of the time under DFSSSP gains as much as the
// whole, or twice that.
func TestGainRange(t *testing.T) {
	for _, c := range []struct{ low, high, from, to float64 }{
		{20, 30, 20, 60}, // 130 against 100, of which 50 communicates: 80 against 50
		{-5, 5, -10, 10},
		{100, 100, 100, 200},
	} {
		from, to := gainRange(c.low, c.high)
		if math.Abs(from-c.from) > 0.05 || math.Abs(to-c.to) > 0.05 {
			t.Errorf("%g to %g %%: %g to %g %%, want %g to %g", c.low, c.high, from, to, c.from, c.to)
		}
	}
}

// TestPingPongs: on a free path a pair gets nearly its host's rate; two pairs on one link get about
// half each.
func TestPingPongs(t *testing.T) {
	p := &paper{}
	s := &lab.Setup{Workers: 1}
	r := p.route(t.Context(), s, network{"pair", "torus(2,hosts=2)"}, routingOf(s, minhop))
	h := func(sw int32) []int32 { return r.Graph.HostsOf(sw) }
	for pairs, want := range map[int]float64{1: linkMiB, 2: linkMiB / 2} {
		all := [][2]int32{{h(0)[0], h(1)[0]}, {h(0)[1], h(1)[1]}}[:pairs]
		p.packets(t.Context(), s, r, func() packet.Workload { return newPingPongs(all) }, func(w packet.Workload) {
			if got := w.(*pingPongs).mean(); got > 1.02*want || got < 0.9*want {
				t.Errorf("%d pairs: %.0f MiB/s each, want nearly %.0f", pairs, got, want)
			}
		})
	}
}

// TestSynthetic: an engine far below the best is not similar, and a refusing one is left out. A
// rise without more links is noticed, and so is the untrue part of the claim on height 2.
func TestSynthetic(t *testing.T) {
	nets := table1Networks(kautz, 1024)[3:] // 512 and 1,024 endpoints have as many links
	is := func(a, b float64) map[string]flow.Summary {
		return map[string]flow.Summary{minhop: {Mean: a}, dfsssp: {Mean: b}}
	}
	for _, c := range []struct {
		few, many              map[string]flow.Summary
		similar, rises, height lab.Verdict
	}{
		{is(.5, .52), is(.2, .4), lab.Differs, lab.Differs, lab.Holds},
		{is(.5, .6), is(.51, .52), lab.Holds, lab.Differs, lab.Differs},
		{is(.5, 0), is(.4, .41), lab.Holds, lab.Differs, lab.Differs},
	} {
		b := bandwidths{"512": c.few, "1024": c.many}
		got := []lab.Verdict{b.alike("", "", nets, []string{minhop, dfsssp}, lab.Similar).Verdict, b.rises(nets).Verdict, b.slightly(nets).Verdict}
		if diff := cmp.Diff([]lab.Verdict{c.similar, c.rises, c.height}, got); diff != "" {
			t.Errorf("%v %v:\n%s", c.few, c.many, diff)
		}
	}
	b := bandwidths{"256": is(.2, .2), "512": is(.3, .4)}
	if c := b.rises(table1Networks(kautz, 512)); c.Verdict != lab.Holds {
		t.Errorf("more links: %+v", c)
	}
}

// TestNAS: each benchmark's messages, counted by hand.
func TestNAS(t *testing.T) {
	for _, c := range []struct {
		name   string
		r      rounds
		rounds int
		flows  int
	}{
		{"BT 9", multipartition(9), 7, 9*6 + 6*9},
		{"FT 8", exchange(8), 7, 7 * 8},
		{"CG 16", conjugate(16), 3, 16 + 16 + 12}, // the diagonal stays at home
		{"LU 16", wavefront(16), 2, 2 * (12 + 12)},
		{"MG 64", multigrid(64), 6, 3*2*64 + 3*2*8},
	} {
		flows := 0
		for i := range c.r {
			flows += c.r[i].Len()
		}
		if len(c.r) != c.rounds || flows != c.flows {
			t.Errorf("%s: %d rounds of %d flows, want %d of %d", c.name, len(c.r), flows, c.rounds, c.flows)
		}
	}
	// What stays on a node is left out: 8 ranks on 4 nodes, two each.
	r := rounds{traffic.Flows{Src: []int32{0, 1, 6}, Dst: []int32{1, 2, 0}}}.onNodes(8, 4)
	if diff := cmp.Diff(rounds{{Src: []int32{0, 3}, Dst: []int32{1, 0}}}, r); diff != "" {
		t.Errorf("on nodes:\n%s", diff)
	}
}

func TestLanesOf(t *testing.T) {
	for _, c := range []struct {
		trial lab.Trial
		n     int
		exact bool
	}{
		{lab.Trial{Plan: &route.Plan{VLs: 4}, Report: &quality.Report{}}, 4, true},
		{lab.Trial{Refused: "needs 9 lanes, 8 allowed"}, 9, true},
		{lab.Trial{Refused: "needs more than 16 lanes, 15 allowed"}, 17, false},
		{lab.Trial{Refused: "not a fat-tree"}, 0, false},
	} {
		if n, exact := lanesOf(&c.trial); n != c.n || exact != c.exact {
			t.Errorf("%+v: %d lanes, exact %v, want %d, %v", c.trial, n, exact, c.n, c.exact)
		}
	}
}

// TestCrossover finds where lines cross, also when they do not.
func TestCrossover(t *testing.T) {
	links := []int{100, 150, 200, 300}
	lash := map[int]float64{100: 6, 150: 5, 200: 4, 300: 3}
	found := crossover(links, lash, map[int]float64{100: 3, 150: 4, 200: 4.5, 300: 5})
	if found[0].Ours != "183" || found[0].Verdict != lab.Holds || found[1].Verdict != lab.Holds || found[2].Verdict != lab.Holds {
		t.Errorf("crossing: %+v", found)
	}
	if found := crossover(links, lash, map[int]float64{100: 9, 150: 9, 200: 9, 300: 9}); found[0].Ours != "no crossing" || found[0].Verdict != lab.Differs {
		t.Errorf("no crossing: %+v", found)
	}
	if found := crossover(links, lash, nil); found[0].Verdict != lab.NotRun {
		t.Errorf("nothing run: %+v", found)
	}
}

// TestNotes: the notes below tables are those of today's code.
func TestNotes(t *testing.T) {
	r := Reproduction()
	for _, a := range r.Artefacts {
		now := labtest.Run(t, r, a.Name, &lab.Setup{Mode: lab.Full, Blocks: 1, Rows: func(string) bool { return false }})
		if old := labtest.Committed(t, r, a.Name); !slices.Equal(now.Notes, old.Notes) {
			t.Errorf("%s: notes %q, in docs/results %q", a.Name, now.Notes, old.Notes)
		}
	}
}

// TestClaims: every claim is one of the paper's sentences or cells, and each of those has a claim
// or a reason.
func TestClaims(t *testing.T) {
	labtest.CheckClaims(t, Reproduction())
}
