package ftree

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/internal/draws"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/recipe"

	"pgregory.net/rapid"
)

// manyPartners is leaves under spines with one host of two ports for every two of the
// leaves, and some links missing: while one leaf is in hand, the ways to all others are
// wanted too.
func manyPartners(t *testing.T, leaves, spines int) *fabric.Graph {
	t.Helper()
	b := &conformance.Builder{F: fabric.New(fmt.Sprintf("%d leaves, all paired", leaves))}
	var low, high []fabric.NodeID
	for range leaves {
		low = append(low, b.Switch())
	}
	for range spines {
		high = append(high, b.Switch())
	}
	for i, l := range low {
		for j, s := range high {
			if (i+2*j)%7 != 0 {
				b.Link(l, s)
			}
		}
	}
	for i := range low {
		for j := range i {
			host, err := b.F.AddNode(fabric.CA, fabric.GUID(0x10000+i*leaves+j), 2, fmt.Sprintf("host %d-%d", i, j))
			if err != nil {
				t.Fatal(err)
			}
			b.Link(host, low[i])
			b.Link(host, low[j])
		}
	}
	return b.F.Compile()
}

// TestManyPartners: all of it is proven, though more leaves are wanted at a time than finder
// remembers.
func TestManyPartners(t *testing.T) {
	g := manyPartners(t, 2*targetsKept, 6)
	for _, balance := range []string{auto, zahavi, beft} {
		for _, homes := range []string{mftree, standby} {
			o := "balance=" + balance + " multihomed=" + homes
			if r := judged(t, g, routed(t, g, o)); !r.OK {
				t.Errorf("%s: unreachable %d, loops %d, deadlock-free %v", o, r.Unreachable, r.Loops, r.DeadlockFree)
			}
		}
	}
}

// TestManyKinds: with as many kinds of hosts as there may be, and ports balanced by themselves,
// the kinds of one are not those of another.
func TestManyKinds(t *testing.T) {
	g := graph(t, "rlft(4,2)|ports(2)")
	for _, n := range []uint8{1, 2, 3, fabric.MaxKinds} {
		in := &route.Input{Graph: g, Kinds: make([]uint8, g.NumHosts)}
		for h := range in.Kinds {
			in.Kinds[h] = uint8(h)%n + 1
		}
		in.Kinds[0] = n
		k := newHostKinds(in, standby)
		of := map[uint8]uint8{}
		for h, kind := range in.Kinds {
			mine := k.kindOf(int32(h))
			if old, known := of[mine]; known && old != kind {
				t.Errorf("%d kinds: %d and %d are both %d", n, old, kind, mine)
			}
			if of[mine] = kind; int(k.portRank[h]) >= k.perType || mine >= k.switchKind() {
				t.Errorf("%d kinds: host %d is of kind %d of %d, %d of %d of its type", n, h, mine, k.switchKind(), k.portRank[h], k.perType)
			}
		}
	}
}

// homes draws a whole tree of two levels and servers with one to most ports on different leaves,
// and returns the Graph and the number of spines.
func homes(t *rapid.T, more bool) (*fabric.Graph, int) {
	leaves, spines := rapid.IntRange(2, 9).Draw(t, "leaves"), rapid.IntRange(1, 7).Draw(t, "spines")
	width := rapid.IntRange(1, 2).Draw(t, "width")
	b := &conformance.Builder{F: fabric.New("homes")}
	var low []fabric.NodeID
	for range leaves {
		low = append(low, b.Switch())
	}
	for range spines {
		s := b.Switch()
		for _, l := range low {
			for range width {
				b.Link(l, s)
			}
		}
	}
	for i := range rapid.IntRange(1, 40).Draw(t, "servers") {
		most := leaves
		if !more {
			most = min(leaves, spines)
		}
		ports := rapid.IntRange(1, most).Draw(t, "ports")
		host, err := b.F.AddNode(fabric.CA, fabric.GUID(0x10000+i*0x100), ports, fmt.Sprintf("server %d", i))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range rapid.Permutation(low).Draw(t, "leaves")[:ports] {
			b.Link(host, l)
		}
	}
	return b.F.Compile(), spines
}

// sharedSpines counts, over servers, the pairs of ports that packets from other leaves reach over
// one spine. least is the fewest that any paths could have: ports spread over spines evenly.
func sharedSpines(g *fabric.Graph, plan *route.Plan, spines int) (shared, least int) {
	for n := range g.NumNodes {
		ends := g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
		if !g.IsHost(ends[0]) {
			continue
		}
		for k := range len(ends) {
			least += k / spines
		}
		for i, a := range ends {
			for _, b := range ends[:i] {
				most := 0
				for s := range int32(g.NumSwitches) {
					if s == g.EndSwitch[a] || s == g.EndSwitch[b] || g.HostCount(s) == 0 {
						continue
					}
					ca, _ := g.At(s, plan.Tables.Port(s, plan.Ends.Base[a]))
					cb, _ := g.At(s, plan.Tables.Port(s, plan.Ends.Base[b]))
					if g.To[ca] == g.To[cb] {
						most = 1
					}
				}
				shared += most
			}
		}
	}
	return shared, least
}

// TestNoSharedSpine: in whole trees of two levels the ports of a server share no spine if there are
// as many spines as ports, and else as few as the number of spines allows (paper VI).
func TestNoSharedSpine(t *testing.T) {
	some, many := 0, 0
	draws.Check(t, func(t *rapid.T) {
		more := rapid.Bool().Draw(t, "more ports than spines")
		g, spines := homes(t, more)
		if g.NumHosts < 2 {
			return
		}
		req := &recipe.Request{Engine: Spec(), Options: map[string]string{"multihomed": mftree}, Workers: 1}
		plan, err := recipe.Run(context.Background(), g, req, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		shared, least := sharedSpines(g, plan, spines)
		if shared > least {
			t.Fatalf("%d pairs of ports share a spine, %d need to", shared, least)
		}
		if !more {
			some++
		} else if least > 0 {
			many++
		}
	}, func() string {
		if some < 80 || many < 80 {
			return fmt.Sprintf("%d trees with enough spines, %d without", some, many)
		}
		return ""
	})
}

// TestPrintedRules: by the printed algorithms alone no two ports of a node come down from one root,
// as with our two rules for the links up. In racks most pairs then share a switch on the way up.
// Balances that do not route one LID after another refuse it.
func TestPrintedRules(t *testing.T) {
	for formula, shares := range map[string]bool{"mftree-fig2": false, "over384|ports(2)": false, "racks216|ports(2)": true} {
		g := graph(t, formula)
		full, alone := routed(t, g, "balance=zahavi multihomed=mftree"), routed(t, g, "balance=zahavi multihomed=mftree-printed")
		a, b := judged(t, g, full).MultiHomed.Ports, judged(t, g, alone).MultiHomed
		if a.Shared > 0 || (b.Ports.Shared > 0) != shares || a.Pairs != b.Ports.Pairs {
			t.Errorf("%s: of %d pairs of ports %d share a switch, by the printed rules %d", formula, a.Pairs, a.Shared, b.Ports.Shared)
		}
		tr := recognise(g, nil, nil)
		for s, lost := range b.To.Lost {
			if lost > 0 && tr.Level[s] == tr.Top {
				t.Errorf("%s: all paths to %d pairs pass root %d", formula, lost, s)
			}
		}
	}
	if _, err := attempt(t, graph(t, "mftree-fig2"), "multihomed=mftree-printed"); err == nil || !strings.Contains(err.Error(), "use multihomed=mftree, or balance=zahavi") {
		t.Errorf("with the usual balance: %v", err)
	}
}
