package route

import (
	"testing"

	"weft/fabric"
	"weft/route/routetest"
)

// Every port that a lane of the Plan passes gives it a turn, all lanes of a link the same,
// and no lane beyond the VLs of the link.
func TestEqualArbitration(t *testing.T) {
	g := routetest.Line(t, 3, 2).Compile()
	c, h := g.OutOf(0)[0], g.HostsOf(1)[0]
	g.PortVLs[g.PortStart[0]+int32(g.FromPort[c])] = 2
	g.PortVLs[g.PortStart[1]+int32(g.EndPort[h])] = 8
	a := EqualArbitration(g, 4)
	for s := range int32(g.NumSwitches) {
		for p := range g.SwitchPorts[s] + 1 {
			want := 4
			if s == 0 && p == int32(g.FromPort[c]) {
				want = 2
			}
			table := a.OfSwitch(g, s, uint8(p))
			for vl := range uint8(15) {
				if got := table.Weight(vl) > 0; got != (int(vl) < want) || got && table.Weight(vl) != table.Weight(0) {
					t.Errorf("switch %d port %d: VL %d has weight %d, %d VLs wanted", s, p, vl, table.Weight(vl), want)
				}
			}
		}
	}
	for e := range int32(g.NumHosts) {
		if n := len(a.OfHost(e).Low); n != 4 {
			t.Errorf("host %d has %d turns", e, n)
		}
	}
	both := ArbTable{High: []ArbEntry{{1, 3}, {0, 1}}, Low: []ArbEntry{{1, 4}}}
	if both.Weight(1) != 7 || both.Weight(0) != 1 || both.Weight(2) != 0 {
		t.Error("the weight of a VL is that of both lists")
	}
}

// Packets wait less long for a host than for a switch.
func TestUsualPorts(t *testing.T) {
	g := routetest.Line(t, 3, 2).Compile()
	p := UsualPorts(g)
	if err := p.Fits(g); err != nil {
		t.Fatal(err)
	}
	c, h := g.OutOf(1)[0], g.HostsOf(1)[0]
	between, toHost := p.OfSwitch(g, 1, g.FromPort[c]), p.OfSwitch(g, 1, g.EndPort[h])
	if between.HOQLife <= toHost.HOQLife || toHost.HOQLife == 0 || p.PacketLife == 0 {
		t.Errorf("head-of-queue lifetimes %d and %d, packet lifetime %d", between.HOQLife, toHost.HOQLife, p.PacketLife)
	}
	if *p.OfHost(h) != (PortParams{HOQLife: usualHOQLife, StallCount: usualStallCount}) {
		t.Errorf("host: %+v", *p.OfHost(h))
	}
	if g.Attached[g.PortStart[1]] != fabric.Nothing {
		t.Error("port 0 leads nowhere")
	}
}
