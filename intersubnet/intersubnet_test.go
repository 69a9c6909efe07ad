package intersubnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
)

// locals routes the subnets of a network by engines, each Kind once.
func locals(t rapid.TB, n *subnets.Network, engines string) (plans []*route.Plan) {
	t.Helper()
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	made := map[int32]*route.Plan{}
	for s := range n.Subnets {
		kind := n.Subnets[s].Kind
		if made[kind] == nil {
			r, err := planner.RouteSubnet(context.Background(), n.Graph(int32(s)), &planner.Request{Chain: chain, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			made[kind] = r.Plan
		}
		plans = append(plans, made[kind])
	}
	return plans
}

// oneLayer routes a network on one layer.
func oneLayer(t rapid.TB, n *subnets.Network, req *Request, engines string) *Result {
	t.Helper()
	_, one, err := Route(n, locals(t, n, engines), req)
	if many := (*TooManyLanes)(nil); err != nil && !errors.As(err, &many) {
		t.Fatal(err)
	}
	return one
}

// whole is the network as one subnet, with routers for switches.
func whole(t rapid.TB, n *subnets.Network) *fabric.Graph {
	f, err := subnets.Whole(n)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// step is a node that a packet leaves, and the port.
type step struct {
	node fabric.GUID
	port uint8
}

// ISFR equals one fat-tree in which routers are the roots, path by path: on every whole tree of
// three levels whose pods are subnets.
func TestISFREqualsOneTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, m2, w3 := rapid.IntRange(1, 4).Draw(t, "hosts of a leaf"), rapid.IntRange(2, 4).Draw(t, "leaves of a pod"), rapid.IntRange(1, 4).Draw(t, "roots of a middle switch")
		pods := rapid.IntRange(2, 6).Draw(t, "pods")
		n := subnetstest.Network(t, fmt.Sprintf("subnets(%d,pgft(2;%d,%d;1,%d;1,1),routers=%d)", pods, k, m2, k, k*w3))
		wantOneTree(t, n)
	})
}

// So it does on the paper's fabrics, of two, three and six subnets.
func TestISFREqualsOneTreeOnRacks(t *testing.T) {
	for _, subnets := range []int{2, 3, 6} {
		wantOneTree(t, subnetstest.Network(t, fmt.Sprintf("subnets(%d,racks72,routers=18,cables=4)", subnets)))
	}
}

// wantOneTree holds all paths against those in one fat-tree in which routers are switches.
func wantOneTree(t rapid.TB, n *subnets.Network) {
	p := oneLayer(t, n, &Request{Method: ISFR}, "ftree")
	if len(p.Fallbacks) > 0 {
		t.Fatalf("falls back: %+v", p.Fallbacks)
	}
	g := whole(t, n)
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain})
	if err != nil {
		t.Fatal(err)
	}
	end := map[fabric.GUID]int32{}
	for e := range int32(g.NumHosts) {
		end[g.EndGUID[e]] = e
	}
	across := 0
	eachPair(n, func(from, to Address) {
		path, ok := p.Plan.Path(from, to, nil)
		if !ok {
			t.Fatalf("%v to %v: lost", from, to)
		}
		var got, want []step
		for _, h := range path[1:] {
			got = append(got, stepOf(n, h))
		}
		src, dst := end[n.GID(from.Subnet, from.End).GUID], end[n.GID(to.Subnet, to.End).GUID]
		for s := g.EndSwitch[src]; ; {
			port := tree.Plan.Tables.Port(s, tree.Plan.Ends.Base[dst])
			want = append(want, step{g.SwitchGUID[s], port})
			c, _ := g.At(s, port)
			if c < 0 {
				break
			}
			s = g.To[c]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v to %v: %v, in one tree %v", from, to, got, want)
		}
		if from.Subnet != to.Subnet {
			across++
		}
	})
	if across == 0 {
		t.Fatal("no pair of two subnets")
	}
}

// stepOf is the node and port of a hop, a router by its own GUID.
func stepOf(n *subnets.Network, h Hop) step {
	if h.Switch < 0 {
		p := &n.Ports[n.Subnets[h.Subnet].PortOf[h.End]]
		return step{n.Routers[p.Router].GUID, p.Number}
	}
	return step{n.Graph(h.Subnet).SwitchGUID[h.Switch] + n.Subnets[h.Subnet].Shift, h.Port}
}

// eachPair visits all pairs of hosts.
func eachPair(n *subnets.Network, visit func(from, to Address)) {
	var hosts []Address
	for s := range int32(len(n.Subnets)) {
		for h := range int32(n.Graph(s).NumHosts) {
			if !n.IsRouter(s, h) {
				hosts = append(hosts, Address{s, h})
			}
		}
	}
	for _, from := range hosts {
		for _, to := range hosts {
			if from != to {
				visit(from, to)
			}
		}
	}
}

// On the paper's fabrics each router has one path per port in the downward direction, as section
// 4.2 says: no link down from a router carries packets for more targets than the others, and all
// packets for one target use one.
func TestISFRDedicatesLinks(t *testing.T) {
	for _, k := range []int{2, 3, 6} {
		n := subnetstest.Network(t, fmt.Sprintf("subnets(%d,racks72,routers=18,cables=4)", k))
		p := oneLayer(t, n, &Request{Method: ISFR}, "auto").Plan
		down, up := map[step]map[Address]bool{}, map[step]map[Address]bool{}
		eachPair(n, func(from, to Address) {
			if from.Subnet == to.Subnet {
				return
			}
			path, ok := p.Path(from, to, nil)
			if !ok {
				t.Fatal("lost")
			}
			for i, h := range path {
				if i > 0 && h.Switch < 0 {
					note(down, stepOf(n, h), to)
					note(up, stepOf(n, path[i-1]), to)
				}
			}
		})
		for link, targets := range down {
			if len(targets) != 1 {
				t.Errorf("%d subnets: link %v down from a router carries packets for %d targets", k, link, len(targets))
			}
		}
		for link, targets := range up {
			if len(targets) != k-1 {
				t.Errorf("%d subnets: link %v up to a router carries packets for %d targets, want %d", k, link, len(targets), k-1)
			}
		}
		if len(down) != 72*k || len(up) != 72*k {
			t.Errorf("%d subnets: %d links down and %d up in use, want %d", k, len(down), len(up), 72*k)
		}
	}
}

func note(m map[step]map[Address]bool, at step, to Address) {
	if m[at] == nil {
		m[at] = map[Address]bool{}
	}
	m[at][to] = true
}

// A router that hashes sends a packet to the gateway of the switch to which its port leads, as the
// judge follows it.
func TestHashedPortHasItsGateway(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,rlft(8,2),routers=2,cables=2,shape=chain)")
	p := oneLayer(t, n, &Request{Method: ISSR}, "updn").Plan
	var gateways []int32 // places of the router ports of subnet 1 that lead to subnet 2
	for place, port := range n.Subnets[1].Ports {
		if len(n.PortsIn(n.Ports[port].Router, 2)) > 0 {
			gateways = append(gateways, int32(place))
		}
	}
	p.BySwitch = noneBySwitch(3)
	for sw := range n.Graph(1).NumSwitches {
		p.BySwitch[1][2] = append(p.BySwitch[1][2], slices.Repeat(gateways[sw%len(gateways):][:1], n.Graph(2).NumEnds)...)
	}
	gatewaysSeen := map[fabric.LID]bool{}
	in, to := p.GatewayPort(0, Address{2, 0}), Address{2, 0}
	for source := range fabric.LID(50) {
		send := p.Forward(in, source+1, 0, to)
		at := &n.Ports[send.Port]
		if want := p.DLID(Address{at.Subnet, at.End}, to); send.Destination != want {
			t.Fatalf("source LID %d leaves by port %d for LID %d, want %d", source+1, send.Port, send.Destination, want)
		}
		gatewaysSeen[send.Destination] = true
	}
	if len(gatewaysSeen) < 2 {
		t.Error("all packets go to one gateway")
	}
}

// ISSR sends a pair by the same ports every time, and pairs spread evenly over the whole admissible
// set.
func TestISSRIsStableAndSpreads(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,racks72,routers=18,cables=4)")
	p := oneLayer(t, n, &Request{Method: ISSR}, "auto").Plan
	count := make([]int, 4)
	eachPair(n, func(from, to Address) {
		if from.Subnet != 0 || to.Subnet != 1 {
			return
		}
		a, _ := p.Path(from, to, nil)
		b, _ := p.Path(from, to, nil)
		if !slices.Equal(a, b) {
			t.Fatalf("%v to %v takes two ways", from, to)
		}
		gateway := p.GatewayPort(0, to)
		router := n.Ports[gateway].Router
		source := p.Local[0].Ends.Base[from.End]
		count[slices.Index(p.Egress[router][1].Ports, p.Forward(gateway, source, 0, to).Port)]++
	})
	if x := chiSquare(count); x > 16.27 { // 3 degrees of freedom, 0.1 %
		t.Errorf("ports are chosen %v times: chi-square %.1f", count, x)
	}
	for _, size := range []int{2, 3, 4, 7, 18, 36} {
		count := make([]int, size)
		for source := range fabric.LID(200) {
			for target := range fabric.LID(200) {
				count[p.Hash(source+1, target+1, size)]++
			}
		}
		free := float64(size - 1)
		if x, most := chiSquare(count), free+4*math.Sqrt(2*free)+4; x > most {
			t.Errorf("set of %d: chi-square %.1f, want at most %.1f", size, x, most)
		}
	}
}

// chiSquare is the statistic of counts that should be equal.
func chiSquare(count []int) float64 {
	sum := 0
	for _, c := range count {
		sum += c
	}
	mean, x := float64(sum)/float64(len(count)), 0.0
	for _, c := range count {
		x += (float64(c) - mean) * (float64(c) - mean) / mean
	}
	return x
}

// With ISSR an equal number of targets is mapped to each gateway (section 4.1).
func TestISSRDealsOutGatewaysEvenly(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,racks72,routers=18,cables=4)")
	p := oneLayer(t, n, &Request{Method: ISSR}, "auto").Plan
	for s := range n.Subnets {
		count := map[int32]int{}
		for target := range n.Subnets {
			for e, place := range p.Gateway[s][target] {
				if !n.IsRouter(int32(target), int32(e)) {
					count[n.Subnets[s].Ports[place]]++
				}
			}
		}
		for port, c := range count {
			if len(count) != 72 || c < 164/72 || c > 164/72+1 {
				t.Errorf("subnet %d: %d targets by %s, %d gateways", s, c, n.PortName(port), len(count))
			}
		}
	}
}

func TestFallbacksAreTold(t *testing.T) {
	n := subnetstest.Network(t, "subnets(racks72,torus(3x3),shape=chain)")
	r := oneLayer(t, n, &Request{Method: ISFR}, "auto")
	if len(r.Fallbacks) != 1 || r.Fallbacks[0].To != "s1" || r.Fallbacks[0].Reason == "" {
		t.Errorf("%+v", r.Fallbacks)
	}
}

// What is written as mapping files gives the same gateways.
func TestMappingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"subnets(3,pgft(2;2,2;1,2;1,1),routers=4)", "subnets(4,torus(3x3),shape=chain,routers=3)", "subnets(3,mesh(2x2),shape=star)"}).Draw(t, "network")
		method := rapid.SampledFrom([]Method{Baseline, ISSR, ISFR, Nearest, Auto}).Draw(t, "method")
		n := subnetstest.Network(t, text)
		p := oneLayer(t, n, &Request{Method: method}, "updn").Plan
		mappings := map[int]*Mapping{}
		for s := range n.Subnets {
			var b bytes.Buffer
			if err := p.WriteMapping(&b, int32(s)); err != nil {
				t.Fatal(err)
			}
			m, err := ReadMapping("m", b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			mappings[s] = m
		}
		again := oneLayer(t, n, &Request{Method: Baseline, Mappings: mappings}, "updn").Plan
		for s := range n.Subnets {
			for target := range n.Subnets {
				for _, e := range targets(n, int32(target)) {
					if s != target && p.Gateway[s][target][e] != again.Gateway[s][target][e] {
						t.Fatalf("subnet %d, target %d %d: gateway %d, by the mapping file %d", s, target, e, p.Gateway[s][target][e], again.Gateway[s][target][e])
					}
					for sw := range int32(n.Graph(int32(s)).NumSwitches) {
						to := Address{int32(target), e}
						if want, got := p.gatewayOf(int32(s), sw, to), again.gatewayOf(int32(s), sw, to); s != target && want != got {
							t.Fatalf("subnet %d, switch %d, target %d %d: gateway %d, by the mapping file %d", s, sw, target, e, want, got)
						}
					}
				}
			}
		}
	})
}

// The first line that can be used counts; a GID fits better than a prefix, and that than *.
func TestFindRouter(t *testing.T) {
	m, err := ReadMapping("m", []byte(`# code 1
fec0::2:0:0:0:11 0xa1
fec0::2:0:0:0:11 0xb1  # backup
fec0::2:0:0:0:11 0xc1 0x51  # of one switch
0xfec0000000000002 0xa2
* 0xd1
* 0xd2
`))
	if err != nil {
		t.Fatal(err)
	}
	gid := func(s string) subnets.GID {
		g, err := subnets.ParseGID(s)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, c := range []struct {
		gid  string
		at   fabric.GUID
		down []fabric.GUID
		want fabric.GUID
	}{
		{"fec0::2:0:0:0:11", 0, nil, 0xa1},
		{"fec0::2:0:0:0:11", 0, []fabric.GUID{0xa1}, 0xb1},
		{"fec0::2:0:0:0:11", 0, []fabric.GUID{0xa1, 0xb1}, 0xa2},
		{"fec0::2:0:0:0:11", 0x51, nil, 0xc1},
		{"fec0::2:0:0:0:11", 0x52, nil, 0xa1},
		{"fec0::2:0:0:0:11", 0x51, []fabric.GUID{0xc1}, 0xa1},
		{"fec0::2:0:0:0:12", 0x51, nil, 0xa2},
		{"fec0::2:0:0:0:12", 0, nil, 0xa2},
		{"fec0::2:0:0:0:12", 0, []fabric.GUID{0xa2}, 0xd1},
		{"fec0::3:0:0:0:11", 0, []fabric.GUID{0xd1}, 0xd2},
		{"fec0::3:0:0:0:11", 0, []fabric.GUID{0xd1, 0xd2}, 0},
	} {
		got, ok := m.findRouter(gid(c.gid), c.at, func(g fabric.GUID) bool { return !slices.Contains(c.down, g) })
		if got != c.want || ok != (c.want != 0) {
			t.Errorf("%s with %v down: %s, want %s", c.gid, c.down, got, c.want)
		}
	}
}

// Backups of a mapping file take over when router ports fail, and all is reached.
func TestBackupRoutes(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,racks72,routers=18,cables=4)")
	p := oneLayer(t, n, &Request{Method: ISSR}, "auto").Plan
	var b bytes.Buffer
	if err := p.WriteMapping(&b, 0); err != nil {
		t.Fatal(err)
	}
	m, err := ReadMapping("m", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	down := n.Subnets[0].Ports[:7]
	q := oneLayer(t, n, &Request{Method: ISSR, Mappings: map[int]*Mapping{0: m}, Down: down}, "auto").Plan
	moved := 0
	for _, e := range targets(n, 1) {
		before, after := p.GatewayPort(0, Address{1, e}), q.GatewayPort(0, Address{1, e})
		if slices.Contains(down, after) || after < 0 {
			t.Fatalf("target %d: gateway %d is down", e, after)
		}
		if before != after {
			moved++
			if !slices.Contains(down, before) || n.Ports[before].Router == n.Ports[after].Router {
				t.Errorf("target %d moves from %s to %s", e, n.PortName(before), n.PortName(after))
			}
		}
	}
	if moved == 0 {
		t.Error("nothing moved")
	}
	eachPair(n, func(from, to Address) {
		if _, ok := q.Path(from, to, nil); !ok {
			t.Fatalf("%v to %v is lost", from, to)
		}
	})
}

func TestMappingSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"* 0x1\nfec0::1": "m:2: 1 words", "* x": `m:1: "x" is not the GUID`, "1:2 0x1": `m:1: subnets: "1:2" is not a GID`, "zz 0x1": `m:1: "zz" is no GID, no prefix and not *`,
	} {
		_, err := ReadMapping("m", []byte(text))
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	n := subnetstest.Network(t, "subnets(2,torus(3x3))")
	m, err := ReadMapping("m", []byte("* 0x99"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Route(n, locals(t, n, "updn"), &Request{Method: ISSR, Mappings: map[int]*Mapping{0: m}}); err == nil {
		t.Error("a port that is not in the subnet is accepted")
	}
}

func FuzzReadMapping(f *testing.F) {
	f.Add([]byte("fec0::1 0x1\n0xfec0 2 # x\n* 3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadMapping("m", data)
		if err != nil {
			if _, ok := errors.AsType[*netfile.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for port := range m.lines {
			_ = port.String()
		}
	})
}
