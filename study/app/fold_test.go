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
			if one.copies > 1 {
				folded++
			}
			if whole.copies > 1 || one.copies > 1 != (by == "rail" && draw != 5 && draw != 8) {
				t.Errorf("%s by %s: folded %d and %d times", p.Name, by, one.copies, whole.copies)
			}
			for rank := range int32(48) {
				if one.End(rank) != whole.End(rank) {
					t.Fatalf("%s, %+v, one switch %v: rank %d ends at %d, whole at %d", p.Name, costs, oneSwitch, rank, one.End(rank), whole.End(rank))
				}
			}
			if one.Messages != whole.Messages || one.Bytes != whole.Bytes || !reflect.DeepEqual(one.links.bytes, whole.links.bytes) {
				t.Errorf("%s: %d messages of %d bytes, whole %d of %d, or other links", p.Name, one.Messages, one.Bytes, whole.Messages, whole.Bytes)
			}
		}
	}
	if folded < 12 {
		t.Errorf("only %d runs were folded", folded)
	}
}
