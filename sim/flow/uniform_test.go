package flow

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
)

// TestFair holds progressive filling against the definition of max-min fairness: no link
// carries more than it can, and every demand has what it asks for or a full link on
// which nobody has a higher rate.
func TestFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		links := rapid.IntRange(1, 6).Draw(r, "links")
		d := &demands{}
		for range rapid.IntRange(1, 8).Draw(r, "demands") {
			for l := range links {
				if rapid.Bool().Draw(r, "uses") {
					d.addLink(int32(l), float64(rapid.IntRange(1, 8).Draw(r, "amount"))/4)
				}
			}
			d.close(float64(rapid.IntRange(1, 4).Draw(r, "most")) / 4)
		}
		rate := d.fair(links)
		const eps = 1e-6
		load, highest := make([]float64, links), make([]float64, links)
		each := func(i int, do func(link int32, amount float64)) {
			for k := d.start(int32(i)); k < d.end[i]; k++ {
				do(d.path[k], d.amount[k])
			}
		}
		for i := range rate {
			each(i, func(l int32, amount float64) {
				load[l] += rate[i] * amount
				highest[l] = max(highest[l], rate[i])
			})
		}
		for i := range rate {
			content := rate[i] >= d.asked[i]-eps
			each(i, func(l int32, _ float64) {
				content = content || load[l] >= 1-eps && rate[i] >= highest[l]-eps
			})
			if !content || rate[i] > d.asked[i]+eps {
				r.Fatalf("demand %d has rate %g of %g, and no full link to blame", i, rate[i], d.asked[i])
			}
		}
		for l, v := range load {
			if v > 1+eps {
				r.Fatalf("link %d carries %g", l, v)
			}
		}
	})
}

// The paths that the estimators walk are those that AllPairs counts.
func TestDemandsWalkThePaths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		p.Choice = route.Choice{}
		want, err := network(t, g, p).AllPairs(context.Background(), 2)
		if err != nil {
			rt.Fatal(err)
		}
		w := &demandWalker{g: g, p: p}
		loads, pairs := make([]int64, g.NumChannels), int64(0)
		for s := range int32(g.NumSwitches) {
			for _, to := range w.targets(&demandSource{at: s, n: float64(len(g.HostsOf(s)))}) {
				pairs += int64(to.pairs)
				for _, c := range w.follow(s, to.end) {
					loads[c] += int64(to.pairs)
				}
			}
		}
		if slices.Contains(p.Ends.Base[:g.NumHosts], 0) { // the estimators take all hosts for senders
			return
		}
		if pairs != want.Pairs-want.Undelivered || !slices.Equal(loads, want.Loads) {
			rt.Fatalf("%d pairs, want %d; loads %v, want %v", pairs, want.Pairs-want.Undelivered, loads, want.Loads)
		}
	})
}

// Two leaves of two hosts and one link between them, worked out by hand: 2 of 3 targets of
// a host are behind the link, which 2 hosts share.
func TestUniformByHand(t *testing.T) {
	f, err := gen.Parse("mesh(2,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	p := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}, Tables: route.NewTables(2, fabric.LID(g.NumEnds))}
	for e := range int32(g.NumEnds) {
		p.Ends.Base[e] = fabric.LID(e + 1)
		for s := range int32(2) {
			port := g.FromPort[g.OutOf(s)[0]]
			if g.EndSwitch[e] == s {
				port = g.EndPort[e]
			}
			p.Tables.Set(s, fabric.LID(e+1), port)
		}
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	all := Uniform{Hosts: true}
	inOrder, err := InOrder(context.Background(), g, p, all)
	if err != nil {
		t.Fatal(err)
	}
	// The link carries 2/3 of what 2 hosts send: 3/4 of their rate fits.
	near("in order", inOrder.Hosts, 0.75)
	near("least in order", inOrder.Least, 0.75)
	independent, err := Independent(context.Background(), g, p, all)
	if err != nil {
		t.Fatal(err)
	}
	// 1/3 goes to the own leaf, and half of the link is each host's.
	near("independent", independent.Hosts, 1.0/3+0.5)
	switches, err := InOrder(context.Background(), g, p, Uniform{Hosts: true, Switches: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	near("switches", switches.Switches, 0.25)
	// 3/4 of the link is left for the hosts.
	near("beside switches", switches.Hosts, 0.75*0.75)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := InOrder(ctx, g, p, all); err == nil {
		t.Error("it does not stop")
	}
}

// Every host gets the full link in a natural ring of a network that does not block.
func TestRings(t *testing.T) {
	g := parse(t, "rlft(8,2)")
	r, err := network(t, g, dModK(t, g, 4)).Rings(context.Background(), 5, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if r.Natural != 1 || r.Average >= 1 || r.Average != r.Spread.Mean || r.Least > r.Average || r.Most < r.Average || r.Most > 1 {
		t.Errorf("%+v", r)
	}
}
