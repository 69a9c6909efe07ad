package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cableLine is what the oracle says of one end of a usable cable: seen from a
// switch's port.
type cableLine struct {
	sw       GUID
	port     uint8
	peer     GUID
	peerPort uint8
	toSwitch bool
	rate     int32
	vls      uint8
}

// oracle lists the usable cables from all switch ports, from the links alone.
func oracle(f *Fabric) []cableLine {
	var out []cableLine
	for _, l := range f.Links {
		a, b := &f.Nodes[l.A.Node], &f.Nodes[l.B.Node]
		if l.Down || l.Drained || a.Down || b.Down {
			continue
		}
		va, vb := a.Ports[l.A.Port].VLCap, b.Ports[l.B.Port].VLCap
		vls := min(va, vb)
		if va == 0 || vb == 0 {
			vls = max(va, vb)
		}
		rate := Rate(l.Width, l.Speed)
		if a.Type == Switch {
			out = append(out, cableLine{a.GUID, l.A.Port, b.GUID, l.B.Port, b.Type == Switch, rate, vls})
		}
		if b.Type == Switch {
			out = append(out, cableLine{b.GUID, l.B.Port, a.GUID, l.A.Port, a.Type == Switch, rate, vls})
		}
	}
	slices.SortFunc(out, func(x, y cableLine) int {
		return cmp.Or(cmp.Compare(x.sw, y.sw), cmp.Compare(x.port, y.port))
	})
	return out
}

// seen lists the same from a Graph, through At only.
func seen(t *rapid.T, g *Graph) []cableLine {
	var out []cableLine
	for s := range int32(g.NumSwitches) {
		for p := range 256 {
			c, h := g.At(s, uint8(p))
			line := cableLine{sw: g.SwitchGUID[s], port: uint8(p)}
			switch {
			case c >= 0 && h >= 0:
				t.Fatalf("port %d of switch %d leads to channel %d and host %d", p, s, c, h)
			case c >= 0:
				if g.From[c] != s || g.FromPort[c] != uint8(p) {
					t.Fatalf("channel %d leaves switch %d port %d, found at %d port %d", c, g.From[c], g.FromPort[c], s, p)
				}
				line.peer, line.peerPort, line.toSwitch, line.rate = g.SwitchGUID[g.To[c]], g.ToPort[c], true, g.ChanRate[c]
			case h >= 0:
				if g.EndSwitch[h] != s || g.EndPort[h] != uint8(p) {
					t.Fatalf("host %d is on switch %d port %d, found at %d port %d", h, g.EndSwitch[h], g.EndPort[h], s, p)
				}
				line.peer, line.peerPort, line.rate = g.EndNodeGUID[h], g.EndNum[h], g.EndRate[h]
			default:
				continue
			}
			line.vls = g.PortVLs[g.PortStart[s]+int32(p)]
			out = append(out, line)
		}
	}
	return out
}

func TestCompileAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		g := f.Compile()
		if d := gocmp.Diff(oracle(f), seen(t, g), gocmp.AllowUnexported(cableLine{})); d != "" {
			t.Fatal(d)
		}
		checkSwitches(t, f, g)
		checkChannels(t, g)
		checkEnds(t, f, g)
		checkNodes(t, g)
	})
}

// checkSwitches checks that the Graph has exactly the switches that are up, by GUID, with their
// attributes.
func checkSwitches(t *rapid.T, f *Fabric, g *Graph) {
	up := 0
	for _, n := range f.Nodes {
		if n.Type == Switch && !n.Down {
			up++
		}
	}
	if g.NumSwitches != up || len(g.SwitchGUID) != up || g.Name != f.Name {
		t.Fatalf("%d switches in %q, want %d", g.NumSwitches, g.Name, up)
	}
	for s, guid := range g.SwitchGUID {
		if s > 0 && guid <= g.SwitchGUID[s-1] {
			t.Fatalf("switches are not in order of GUID: %v", g.SwitchGUID)
		}
		id, _ := f.NodeByGUID(guid)
		n := &f.Nodes[id]
		if n.Type != Switch || n.Down || g.SwitchDesc[s] != n.Desc || int(g.SwitchPorts[s]) != n.NumPorts() ||
			g.SwitchFDBCap[s] != int32(n.LinearFDBCap) || g.Drained[s] != n.Drained || g.SwitchRole[s] != n.Role {
			t.Fatalf("switch %d does not match node %+v", s, n)
		}
	}
}

// checkChannels: c^1 reverses c, the lower end comes first, numbers rise with
// switch and port of that end, and OutOf lists them by port.
func checkChannels(t *rapid.T, g *Graph) {
	if g.NumChannels%2 != 0 || len(g.From) != g.NumChannels || len(g.Out) != g.NumChannels {
		t.Fatalf("%d channels, From %d, Out %d", g.NumChannels, len(g.From), len(g.Out))
	}
	end := func(c int) []int32 { return []int32{g.From[c], int32(g.FromPort[c])} }
	for c := range g.NumChannels {
		r := c ^ 1
		if g.From[c] != g.To[r] || g.FromPort[c] != g.ToPort[r] || g.ChanRate[c] != g.ChanRate[r] {
			t.Fatalf("channel %d is not the reverse of %d", r, c)
		}
		if c%2 == 0 {
			if slices.Compare(end(c), end(c^1)) >= 0 {
				t.Fatalf("channel %d leaves the upper end", c)
			}
			if c >= 2 && slices.Compare(end(c-2), end(c)) >= 0 {
				t.Fatalf("channels %d and %d are out of order", c-2, c)
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		last := uint8(0)
		for _, c := range g.OutOf(s) {
			if g.From[c] != s || g.FromPort[c] <= last {
				t.Fatalf("switch %d lists channel %d from %d[%d] after port %d", s, c, g.From[c], g.FromPort[c], last)
			}
			last = g.FromPort[c]
		}
	}
}

// checkEnds: hosts by node GUID and port, then the switches' port 0.
func checkEnds(t *rapid.T, f *Fabric, g *Graph) {
	if g.NumEnds != g.NumHosts+g.NumSwitches || len(g.EndSwitch) != g.NumEnds || len(g.SwitchEnds) != g.NumEnds {
		t.Fatalf("%d ends, %d hosts, %d switches", g.NumEnds, g.NumHosts, g.NumSwitches)
	}
	hosts := 0
	for s := range int32(g.NumSwitches) {
		last := uint8(0)
		for _, h := range g.HostsOf(s) {
			hosts++
			if g.EndSwitch[h] != s || g.EndPort[h] <= last {
				t.Fatalf("switch %d lists host %d of switch %d port %d after port %d", s, h, g.EndSwitch[h], g.EndPort[h], last)
			}
			last = g.EndPort[h]
		}
	}
	if hosts != g.NumHosts {
		t.Fatalf("the switches list %d hosts of %d", hosts, g.NumHosts)
	}
	for e := range int32(g.NumEnds) {
		guid, num := g.EndNodeGUID[e], g.EndNum[e]
		if e > 0 && e < int32(g.NumHosts) && (guid < g.EndNodeGUID[e-1] || guid == g.EndNodeGUID[e-1] && num <= g.EndNum[e-1]) {
			t.Fatalf("host %d is out of order", e)
		}
		id, _ := f.NodeByGUID(guid)
		n := &f.Nodes[id]
		p := n.Ports[num]
		if g.EndGUID[e] != p.GUID || g.EndType[e] != n.Type || g.EndDesc[e] != n.Desc || g.EndLID[e] != p.LID || g.EndLMC[e] != p.LMC {
			t.Fatalf("end %d does not match port %d of %+v", e, num, n)
		}
		if g.IsPortZero(e) != (e >= int32(g.NumHosts)) {
			t.Fatalf("end %d port 0: %t", e, g.IsPortZero(e))
		}
		if g.IsPortZero(e) {
			s := e - int32(g.NumHosts)
			if g.PortZero(s) != e || g.EndSwitch[e] != s || g.EndPort[e] != 0 || num != 0 || guid != g.SwitchGUID[s] || n.Type != Switch {
				t.Fatalf("end %d is not port 0 of switch %d", e, s)
			}
		} else if n.Type == Switch {
			t.Fatalf("host %d is a switch", e)
		}
	}
}

// checkNodes: the ends of one node are exactly those of one GUID.
func checkNodes(t *rapid.T, g *Graph) {
	byGUID := map[GUID][]int32{}
	for e, guid := range g.EndNodeGUID {
		byGUID[guid] = append(byGUID[guid], int32(e))
	}
	if g.NumNodes != len(byGUID) || len(g.NodeStart) != g.NumNodes+1 {
		t.Fatalf("%d nodes, %d GUIDs, %d starts", g.NumNodes, len(byGUID), len(g.NodeStart))
	}
	for n := range g.NumNodes {
		ends := g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
		if len(ends) == 0 || !slices.Equal(ends, byGUID[g.EndNodeGUID[ends[0]]]) {
			t.Fatalf("node %d has the ends %v", n, ends)
		}
		for _, e := range ends {
			if g.EndNode[e] != int32(n) {
				t.Fatalf("end %d is of node %d, listed by %d", e, g.EndNode[e], n)
			}
		}
	}
}

// TestCompileOrder: the order in which a fabric was built does not show.
func TestCompileOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		if d := gocmp.Diff(f.Compile(), shuffled(t, f).Compile()); d != "" {
			t.Fatal(d)
		}
	})
}

// TestCompileOrder: the result does not depend on the order in which a fabric was built.
func TestCompileIsACopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		g, same := f.Compile(), f.Compile()
		for id := range f.Nodes {
			f.Nodes[id].Down, f.Nodes[id].Desc, f.Nodes[id].LinearFDBCap = true, "changed", 9
			for p := range f.Nodes[id].Ports {
				f.Nodes[id].Ports[p].LID = 999
			}
		}
		if d := gocmp.Diff(same, g); d != "" {
			t.Fatal(d)
		}
		if empty := f.Compile(); empty.NumSwitches+empty.NumEnds+empty.NumChannels+empty.NumNodes != 0 {
			t.Fatalf("everything is down, yet %+v", empty)
		}
	})
}

// TestCompileFailRestore: what failed and was restored leaves no trace.
func TestCompileFailRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		before := f.Compile()
		if len(f.Links) == 0 {
			return
		}
		l := LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(t, "link"))
		n := f.Links[l].A.Node
		wasLink, wasNode := f.Links[l].Down, f.Nodes[n].Down
		f.SetLinkDown(l, true)
		f.SetNodeDown(n, true)
		for _, line := range oracle(f) {
			if line.sw == f.Nodes[n].GUID || line.peer == f.Nodes[n].GUID {
				t.Fatalf("%+v, though %s is down", line, f.NodeName(n))
			}
		}
		f.SetLinkDown(l, wasLink)
		f.SetNodeDown(n, wasNode)
		if d := gocmp.Diff(before, f.Compile()); d != "" {
			t.Fatal(d)
		}
	})
}

// TestCompileByHand pins the numbers of a small fabric with parallel links, a
// two-port CA on two switches, a router, a cable within a switch and CAs cabled
// to each other.
func TestCompileByHand(t *testing.T) {
	f := New("by hand")
	ca := mustAdd(t, f, CA, 0x30, 2, "two ports")
	b := mustAdd(t, f, Switch, 0x20, 5, "b")
	a := mustAdd(t, f, Switch, 0x10, 6, "a")
	r := mustAdd(t, f, Router, 0x05, 2, "router")
	x := mustAdd(t, f, CA, 0x01, 1, "x")
	y := mustAdd(t, f, CA, 0x02, 1, "y")
	for _, l := range [][2]End{
		{{b, 1}, {a, 2}},
		{{a, 1}, {b, 2}}, // parallel
		{{a, 5}, {a, 4}}, // within a
		{{ca, 2}, {a, 3}},
		{{b, 3}, {ca, 1}},
		{{r, 2}, {b, 5}},
		{{x, 1}, {y, 1}},
	} {
		mustConnect(t, f, l[0], l[1])
	}
	g := f.Compile()
	for _, c := range []struct{ name, got, want string }{
		{"switches", fmt.Sprint(g.SwitchDesc, g.SwitchPorts), "[a b] [6 5]"},
		{"channels", fmt.Sprint(g.From, ints(g.FromPort), g.To, ints(g.ToPort)), "[0 1 0 1 0 0] [1 2 2 1 4 5] [1 0 1 0 0 0] [2 1 1 2 5 4]"},
		{"out", fmt.Sprint(g.OutOf(0), g.OutOf(1)), "[0 2 4 5] [3 1]"},
		{"hosts", fmt.Sprint(g.NumHosts, g.EndDesc, ints(g.EndNum), g.EndSwitch, ints(g.EndPort)), "3 [router two ports two ports a b] [2 1 2 0 0] [1 1 0 0 1] [5 3 3 0 0]"},
		{"hosts of", fmt.Sprint(g.HostsOf(0), g.HostsOf(1)), "[2] [1 0]"},
		{"nodes", fmt.Sprint(g.NumNodes, g.EndNode, g.NodeStart), "4 [0 1 1 2 3] [0 1 3 4 5]"},
		{"parts", fmt.Sprint(g.Components()), "[0 0] 1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

func ints(b []uint8) []int {
	out := make([]int, len(b))
	for i, v := range b {
		out[i] = int(v)
	}
	return out
}
