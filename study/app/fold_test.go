package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"weft/apps/machine"
	"weft/apps/places"
	"weft/sim/flow"
	"weft/sim/packet"
)

// shift moves rank i of each server to the i-th server behind it, so that the ranks of a group are
// on servers of their own. On one switch their rails are still alike.
func shift(p *places.Places, group int) {
	from := *p
	p.Ports, p.Server = slices.Clone(from.Ports), slices.Clone(from.Server)
	for rank := range p.Ports {
		other := (rank + rank%group*group) % len(p.Ports)
		p.Ports[rank], p.Server[rank] = from.Ports[other], from.Server[other]
	}
}

// TestFold: an all-reduce over rails that are alike ends at the same times, for each rank, and with
// the same bytes on each link, if one rail runs for all. With places drawn at random it runs whole.
func TestFold(t *testing.T) {
	g, r := routed(t, "rail(4,4,3)", "ftree")
	net, err := flow.New(context.Background(), g, r.Plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 41))
	folded := 0
	for draw := range 12 {
		by := []string{"rail", "rail", "rail", "random:3"}[draw%4]
		where, err := places.On(&places.Request{By: by, Ranks: 48, Names: namesOf(g), Hosts: net.ByLeaf(), Servers: net.Servers(), OnPorts: true})
		if err != nil {
			t.Fatal(err)
		}
		if draw == 8 {
			shift(where, 4)
		}
		size := 4 * rng.Int64N(1<<20)
		if draw == 5 {
			size++ // chunks of unequal size
		}
		p, err := Open(fmt.Sprintf("allreduce(rails,group=4,size=%d,steps=%d,calc=%dns)", size, 1+rng.IntN(2), rng.IntN(2)*700), DefaultsOf(g, true, "rail"))
		if err != nil {
			t.Fatal(err)
		}
		costs := machine.Parameters{Overhead: machine.Time(rng.IntN(3) * 200), Gap: machine.Time(rng.IntN(2) * 100), OverheadPerByte: machine.Time(rng.IntN(2)), Eager: rng.Int64N(2) << 40}
		s := &stage{g: g, routing: r, net: net, req: &Request{Jobs: []*Program{p}, Costs: costs, Hardware: packet.Default(), Memory: memory}}
		for _, oneSwitch := range []bool{false, true} {
			got := s.checkFold(t, where, oneSwitch)
			if got {
				folded++
			}
			if got != (by == "rail" && draw != 5 && draw != 8) {
				t.Errorf("%s by %s: folded %v", p.Name, by, got)
			}
		}
	}
	if folded < 12 {
		t.Errorf("only %d runs were folded", folded)
	}
}

// checkFold plays the job of a stage twice, folded if that is possible and whole, and compares all
// figures. It reports whether the first was folded.
func (s *stage) checkFold(t *testing.T, where *places.Places, oneSwitch bool) bool {
	t.Helper()
	var runs [2]*played
	for i := range runs {
		s.whole = i > 0
		c, err := start(s.req.Jobs, unit)
		if err != nil {
			t.Fatal(err)
		}
		if runs[i], err = s.play(context.Background(), c, where, false, oneSwitch); err != nil {
			t.Fatal(err)
		}
	}
	one, whole := runs[0], runs[1]
	name := fmt.Sprintf("%s, %+v, sends %s, one switch %v", s.req.Jobs[0].Name, s.req.Costs, s.req.Sends, oneSwitch)
	if whole.copies > 1 {
		t.Errorf("%s: the whole one is folded", name)
	}
	for rank := range int32(s.req.Jobs[0].Ranks()) {
		if one.End(rank) != whole.End(rank) {
			t.Fatalf("%s: rank %d ends at %d, whole at %d", name, rank, one.End(rank), whole.End(rank))
		}
	}
	if one.Messages != whole.Messages || one.Bytes != whole.Bytes || !reflect.DeepEqual(one.links.bytes, whole.links.bytes) {
		t.Errorf("%s: %d messages of %d bytes, whole %d of %d, or other links", name, one.Messages, one.Bytes, whole.Messages, whole.Bytes)
	}
	return one.copies > 1
}

// TestFoldRing: a ring on one switch ends at the same times, for each rank, and with the same bytes
// on each link, if two ranks run for all. It runs whole if chunks or links differ, if ranks share a
// server, and on a fabric.
func TestFoldRing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 41))
	folded, whole := 0, 0
	for _, fabric := range []string{"rlft(4,3)", "rail(4,4,3)"} {
		g, r := routed(t, fabric, "ftree")
		net, err := flow.New(context.Background(), g, r.Plan, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			ranks := 3 + rng.IntN(14)
			where, err := places.On(&places.Request{
				By: []string{"leaf", "random:3"}[rng.IntN(2)], Ranks: ranks, Names: namesOf(g), Hosts: net.ByLeaf(), Servers: net.Servers(), OnPorts: fabric != "rlft(4,3)",
			})
			if err != nil {
				t.Fatal(err)
			}
			name, size := []string{"allreduce", "reducescatter", "allgather"}[rng.IntN(3)], int64(ranks)*rng.Int64N(1<<17)
			odd := rng.IntN(8) == 0
			if odd {
				size++
			}
			p, err := Open(fmt.Sprintf("%s(ring,ranks=%d,size=%d,steps=%d,calc=%dns)", name, ranks, size, 1+rng.IntN(2), rng.IntN(2)*700), DefaultsOf(g, true, "leaf"))
			if err != nil {
				t.Fatal(err)
			}
			costs := machine.Parameters{
				Overhead: machine.Time(rng.IntN(3) * 200), Gap: machine.Time(rng.IntN(2) * 1000), OverheadPerByte: machine.Time(rng.IntN(2)), Eager: rng.Int64N(2) << 40,
			}
			s := &stage{g: g, routing: r, net: net, req: &Request{Jobs: []*Program{p}, Costs: costs, Hardware: packet.Default(), Memory: memory, Sends: machine.SendOrder(rng.IntN(3))}}
			got := s.checkFold(t, where, true)
			servers := slices.Clone(where.Server)
			slices.Sort(servers)
			alike := len(slices.Compact(servers)) == ranks && (!odd || name == "allgather")
			if alike != got {
				t.Errorf("%s on %s: folded %v", p.Name, fabric, got)
			}
			if got {
				folded++
			} else {
				whole++
			}
			if s.checkFold(t, where, false) {
				t.Errorf("%s on %s: folded on a fabric", p.Name, fabric)
			}
		}
	}
	if folded < 20 || whole < 20 {
		t.Errorf("%d runs were folded, %d were not", folded, whole)
	}
}
