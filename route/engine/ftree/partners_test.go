package ftree

import (
	"testing"

	"weft/fabric"
	"weft/judge/conformance"
)

// TestPartners: partners reach each target in the hops of the shorter of two paths: up and down
// from the switch itself, or across and then from its partner. Neither of these begins across.
func TestPartners(t *testing.T) {
	crossed := 0
	for _, formula := range []string{"juropa3288", "juropa3288|fail(share=0.3,links=up,seed=1)"} {
		g := graph(t, formula)
		tr := recognise(g, nil, nil)
		tr.acrossFirst = true
		place := sequence(g.NumSwitches)
		r, err := newReachability(t.Context(), tr, tr.orderByLevel(), place, noLinks, 1)
		if err != nil {
			t.Fatal(err)
		}
		const far = 1 << 20
		hops := func(s, x int32) int {
			block := &r.blocks[x/blockTargets]
			for k := range block.hops {
				if block.hops[k][s].contains(x % blockTargets) {
					return k
				}
			}
			return far
		}
		upAndDown := func(s, x int32) int {
			if s == x {
				return 0
			}
			least := far
			for _, v := range tr.Parents(s) {
				least = min(least, 1+hops(v, x))
			}
			return least
		}
		for s, i := range r.across {
			if i < 0 {
				continue
			}
			partner := tr.Neighbour[i]
			if j := r.across[partner]; j < 0 || tr.Neighbour[j] != int32(s) {
				t.Fatalf("%s: %d is the partner of %d, but not the other way round", formula, partner, s)
			}
			for x := range int32(g.NumSwitches) {
				own, over := upAndDown(int32(s), x), 1+upAndDown(partner, x)
				if got := hops(int32(s), x); got != min(own, over, far) {
					t.Fatalf("%s: from %d to %d: %d hops; up and down %d, across first %d", formula, s, x, got, own, over)
				}
				if over < own && x != partner {
					crossed++
				}
			}
		}
	}
	if crossed == 0 {
		t.Error("no path begins across a link between partners")
	}
}

// TestPartnersLoad: where partners are under different cores, no link down to a switch with hosts
// carries packets to two of them: what would cross below has crossed before it went up.
func TestPartnersLoad(t *testing.T) {
	g := graph(t, "juropa3288")
	plan := routed(t, g, "switches=none")
	tr := recognise(g, nil, nil)
	carries := make([]int32, g.NumChannels) // the last host whose packets come down it, plus 1
	for h := range int32(g.NumHosts) {
		walk(g, plan.Tables, g.EndSwitch[h], plan.Ends.Base[h], func(s, c int32) {
			if len(g.HostsOf(s)) == 0 || tr.Level[g.To[c]] > 0 || tr.Level[g.From[c]] == 0 {
				return
			}
			if carries[c] != 0 && carries[c] != h+1 {
				t.Fatalf("a link down from %d to %d carries packets to hosts %d and %d", g.From[c], g.To[c], carries[c]-1, h)
			}
			carries[c] = h + 1
		})
	}
}

// TestDrainedBesidePartner: a drained switch that is linked to one of two partners alone sends by
// it to all others, also to where that one sends over its partner.
func TestDrainedBesidePartner(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("partners and a drained switch")}
	leaf, partner, root, rootOfPartner, drained := b.Switch(), b.Switch(), b.Switch(), b.Switch(), b.Switch()
	for _, ends := range [][2]fabric.NodeID{{leaf, partner}, {leaf, root}, {partner, rootOfPartner}, {root, rootOfPartner}, {drained, leaf}} {
		b.Link(ends[0], ends[1])
	}
	b.Hosts(leaf, 1)
	b.Hosts(partner, 1)
	b.F.Nodes[drained].Drained = true
	g := b.F.Compile()
	tr := recognise(g, []int32{int32(root), int32(rootOfPartner)}, nil)
	tr.acrossFirst = true
	r, err := newReachability(t.Context(), tr, tr.orderByLevel(), sequence(g.NumSwitches), noLinks, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.across[leaf] < 0 {
		t.Fatal("leaf and partner are no partners")
	}
	next := newNextHops(r)
	for target := range int32(g.NumSwitches) {
		next.setTarget(target)
		if len(next.order) != g.NumSwitches-1 {
			t.Errorf("%d of %d switches have a path to %d", len(next.order), g.NumSwitches-1, target)
		}
		for k, s := range next.order {
			if len(next.fromPlace(k)) == 0 {
				t.Errorf("switch %d is %d hops from %d, and no link leads on", s, next.hops[2*s]&unreachable, target)
			}
		}
	}
	next.setTarget(int32(partner))
	if k := next.hops[2*drained]; k != 2 {
		t.Errorf("from the drained switch over the leaf to its partner are %d hops, want 2", k)
	}
}
