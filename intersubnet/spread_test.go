package intersubnet

import (
	"testing"

	"weft/fabric/subnets/subnetstest"
)

// What spread does to gateways lets the sum of the squares of the loads of all links fall, under
// all hosts that send to all, and it counts loads as they are: adding and taking away leaves
// nothing.
func TestSpread(t *testing.T) {
	for _, formula := range []string{
		"subnets(irregular(switches=8,degree=3,hosts=16,seed=1),irregular(switches=8,degree=3,hosts=16,seed=2),torus(3x3),routers=4,shape=chain)",
		"subnets(2,racks72,routers=18,cables=4)",
	} {
		n := subnetstest.Network(t, formula)
		_, one, err := Route(n, locals(t, n, "updn"), &Request{Method: ISSR})
		if err != nil {
			t.Fatal(err)
		}
		p := one.Plan
		a := newAdmissible(n, p.Down)
		p.nearest(a)
		squares := func() (sum float64) {
			sp := newSpreader(p, a)
			walkAll(sp, 1)
			want := countedLoad(p)
			for link, load := range sp.load {
				if want := float64(want[link]); load != want {
					t.Fatalf("%s: link %d carries %v, by paths %v", formula, link, load, want)
				}
				sum += load * load
			}
			walkAll(sp, -1)
			for link, load := range sp.load {
				if load != 0 {
					t.Fatalf("%s: %v is left on link %d", formula, load, link)
				}
			}
			return sum
		}
		before := squares()
		p.spread(a)
		if after := squares(); after >= before {
			t.Errorf("%s: the sum of squares was %v and is %v", formula, before, after)
		}
	}
}

func walkAll(sp *spreader, sign float64) {
	for s := range int32(len(sp.p.Net.Subnets)) {
		for _, e := range targets(sp.p.Net, s) {
			sp.walkTarget(Address{s, e}, false, sign)
		}
	}
}

// countedLoad counts what links carry, switches' ports and what routers send, by the path of every
// host to every target.
func countedLoad(p *Plan) []int {
	first := p.FirstLinks()
	load := make([]int, first[len(first)-1])
	for _, from := range p.Hosts() {
		for s := range int32(len(p.Net.Subnets)) {
			for _, e := range targets(p.Net, s) {
				path, _ := p.Path(from, Address{s, e}, nil)
				if g := p.Net.Graph(s); from == (Address{s, e}) { // to itself, over its switch, which costs nothing to count
					path = []Hop{{s, g.EndSwitch[e], g.EndPort[e], e, 0}}
				}
				for _, h := range path {
					if h.Switch >= 0 || p.Net.IsRouter(h.Subnet, h.End) {
						load[p.Link(first, h)]++
					}
				}
			}
		}
	}
	return load
}
