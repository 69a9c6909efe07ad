package planner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/repair"
	"weft/sim/flow"
)

var (
	histories = flag.Int("histories", 0, "random histories of TestHistories on each fabric, of 100 changes each; 0: a short one on two fabrics")
	firstSeed = flag.Int("history", 1, "seed of the first history")
	moveLimit = flag.Int("moves", 2000, "entries a minute that TestHistories may move")
	onlyOn    = flag.String("history-on", "", "the fabric of TestHistories; empty: all")
	mostSteps = flag.Int("most-steps", 1, "")
	detail    = flag.Bool("history-detail", false, "print every change")
)

// lastingFabrics have 100 to 700 hosts.
var lastingFabrics = []struct{ formula, engine string }{
	{"fat648", "ftree"}, {"torus(4x4x4,hosts=2)", "torus"}, {"torus(6x6x6,hosts=2)", "torus"},
	{"hyperx(6x6,hosts=6)", "hyperx"}, {"dragonfly(6,3,3)", "dfsssp,paths=sssp,passes=3"}, {"random(switches=40,hosts=5,links=200,seed=1)", "dfsssp"},
}

// history is a fabric under changes, whose Plan is repaired and moved.
type history struct {
	t     *testing.T
	name  string
	f     *fabric.Fabric
	rng   *rand.Rand
	chain route.Chain
	undo  []func()
	g     *fabric.Graph
	plan  *route.Plan

	afresh, moved, steps int
	shares               []float64
}

func newHistory(t *testing.T, formula, name string, seed int) *history {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(formula, err)
	}
	for id := range f.Nodes { // to which hosts move
		if f.Nodes[id].Type == fabric.Switch && f.Nodes[id].NumPorts() < 250 {
			f.AddPorts(fabric.NodeID(id), 2)
		}
	}
	chain, err := engine.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t: t, name: formula, f: f, chain: chain, rng: rand.New(rand.NewPCG(uint64(seed), 37)), g: f.Compile()}
	h.plan = h.fresh(h.g)
	return h
}

// fresh routes without an old Plan; nil if the engine refuses.
func (h *history) fresh(g *fabric.Graph) *route.Plan {
	r, err := Route(h.t.Context(), g, &Request{Chain: h.chain, Workers: 1})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil
	}
	if err != nil {
		h.t.Fatal(h.name, err)
	}
	return r.Plan
}

// change makes a random change, one that the engine can route.
func (h *history) change() (what string) {
	for {
		what, undo := h.draw()
		if undo == nil {
			continue
		}
		g := h.f.Compile()
		if g.NumHosts == h.g.NumHosts && connected(g) && h.fresh(g) != nil {
			if what != "return" {
				h.undo = append(h.undo, undo)
			}
			return what
		}
		undo()
	}
}

func connected(g *fabric.Graph) bool {
	s := g.NewSearch(g.Drained)
	s.From(g.EndSwitch[0])
	for _, x := range g.EndSwitch {
		if s.Hops[x] == fabric.Unreached {
			return false
		}
	}
	return true
}

// draw makes a random change and returns how to undo it, nil if there was none.
func (h *history) draw() (string, func()) {
	f, kind := h.f, h.rng.IntN(20)
	if len(h.undo) > 0 && (kind < 8 || len(h.undo) > 8) {
		i := h.rng.IntN(len(h.undo))
		h.undo[i]()
		h.undo = slices.Delete(h.undo, i, i+1)
		return "return", func() {}
	}
	switch {
	case kind < 15:
		l := h.link()
		if f.Links[l].Down || f.Links[l].Drained {
			return "", nil
		}
		f.SetLinkDown(l, true)
		return "fault", func() { f.SetLinkDown(l, false) }
	case kind < 17:
		l := h.link()
		if f.Links[l].Down || f.Links[l].Drained {
			return "", nil
		}
		f.SetLinkDrained(l, true)
		return "drained link", func() { f.SetLinkDrained(l, false) }
	case kind < 18:
		id := fabric.NodeID(h.rng.IntN(len(f.Nodes)))
		if f.Nodes[id].Type != fabric.Switch || f.Nodes[id].Drained {
			return "", nil
		}
		f.SetSwitchDrained(id, true)
		return "drained switch", func() { f.SetSwitchDrained(id, false) }
	}
	l := fabric.LinkID(h.rng.IntN(len(f.Links)))
	if f.IsSwitchLink(l) {
		return "", nil
	}
	at := f.Links[l].A
	if f.Nodes[at.Node].Type != fabric.Switch {
		at = f.Links[l].B
	}
	to := h.rng.IntN(len(f.Nodes))
	for _, c := range []int{to} {
		n := &f.Nodes[c]
		if n.Type != fabric.Switch || !slices.ContainsFunc(n.Ports[1:], func(p fabric.Port) bool {
			return p.Link != fabric.NoLink && !f.IsSwitchLink(p.Link)
		}) {
			return "", nil
		}
		for port := 1; port <= n.NumPorts(); port++ {
			free := fabric.End{Node: fabric.NodeID(c), Port: uint8(port)}
			if n.Ports[port].Link == fabric.NoLink {
				if err := f.MoveCable(at, free); err != nil {
					h.t.Fatal(err)
				}
				return "moved host", func() {
					if f.MoveCable(free, at) != nil {
						h.t.Fatal("the old port is taken")
					}
				}
			}
		}
	}
	return "", nil
}

func (h *history) link() fabric.LinkID {
	for {
		if l := fabric.LinkID(h.rng.IntN(len(h.f.Links))); h.f.IsSwitchLink(l) {
			return l
		}
	}
}

// step repairs after a change, moves entries, and reads the share of a fresh routing's bandwidth.
func (h *history) step(moves int) float64 {
	t := h.t
	g := h.f.Compile()
	req := &Request{Chain: h.chain, Workers: 1, Kept: Keep(h.plan, h.g)}
	if err := req.Kept.Hold(g, req); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), g, req)
	if err != nil {
		t.Fatal(h.name, err)
	}
	if !r.Report.OK {
		t.Errorf("%s: repaired Plan not proven", h.name)
	}
	if r.Repaired == nil {
		h.afresh++
	}
	h.holdsLIDs(h.g, h.plan, g, r.Plan)
	h.g, h.plan = g, r.Plan
	for k := 0; moves > 0 && k < *mostSteps; k++ {
		p, done, err := repair.Spread(t.Context(), g, h.plan, moves, 1)
		if err != nil {
			t.Fatal(h.name, err)
		}
		if done.Moved == 0 {
			break
		}
		kept := Keep(h.plan, g)
		if c := kept.Changes(g, p).Entries.Moved; c != done.Moved {
			t.Errorf("%d entries moved, %d counted", c, done.Moved)
		}
		way, err := kept.Transition(t.Context(), g, p, 1)
		if err != nil || !way.Mixture.OK || len(way.Between) > 0 {
			self, _ := kept.Mixture(t.Context(), g, h.plan, 1)
			t.Errorf("%s: vls %d mixture %v %d %+v self %v", h.name, h.plan.VLs, err, len(way.Between), way.Mixture, self.OK)
		}
		if report, err := check.Judge(t.Context(), g, p, check.Options{Workers: 1}); err != nil || !report.OK {
			t.Errorf("%s: %v %+v", h.name, err, report)
		}
		h.plan = p
		h.moved += done.Moved
		h.steps++
		moves -= done.Moved
	}
	fresh := h.fresh(g)
	share := ebbOf(t, g, h.plan) / ebbOf(t, g, fresh)
	h.shares = append(h.shares, share)
	return share
}

// holdsLIDs checks that no LID has moved.
func (h *history) holdsLIDs(old *fabric.Graph, before *route.Plan, g *fabric.Graph, plan *route.Plan) {
	_, ends := fabric.Match(old, g)
	for end, was := range ends {
		if was >= 0 && before.Ends.Base[was] != 0 && before.Ends.Base[was] != plan.Ends.Base[end] {
			h.t.Errorf("%s: LID %d is %d now", h.name, before.Ends.Base[was], plan.Ends.Base[end])
		}
	}
}

func ebbOf(t testing.TB, g *fabric.Graph, plan *route.Plan) float64 {
	n, err := flow.New(context.Background(), g, plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.RunPattern(context.Background(), "bisect", flow.Options{Runs: 30, Seed: 1, Shuffle: true, ByRate: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.Bandwidth.Mean
}

func TestHistories(t *testing.T) {
	n, changes := *histories, 100
	if n == 0 {
		n, changes = 1, 10
	}
	for i, c := range lastingFabrics {
		if *onlyOn != "" && *onlyOn != c.formula || *histories == 0 && i > 1 {
			continue
		}
		for seed := *firstSeed; seed < *firstSeed+n; seed++ {
			h := newHistory(t, c.formula, c.engine, seed)
			for k := range changes {
				what := h.change()
				share := h.step(*moveLimit / 6)
				if *detail {
					fmt.Printf("%3d %-15s %.3f afresh %d moved %d\n", k, what, share, h.afresh, h.moved)
				}
			}
			sum := 0.0
			for _, s := range h.shares {
				sum += s
			}
			fmt.Printf("%-42s %-28s seed %d vls %d: mean %.3f least %.3f afresh %d moved %d steps %d\n", c.formula, c.engine, seed, h.plan.VLs,
				sum/float64(len(h.shares)), slices.Min(h.shares), h.afresh, h.moved, h.steps)
		}
	}
}
