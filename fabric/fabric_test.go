package fabric

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawFabric draws a small fabric with everything in it that a real one may
// have: all node types, parallel links, cables within one switch, cables between
// CAs, free ports, parts that are down or drained, known and unknown attributes.
func drawFabric(t *rapid.T) *Fabric {
	f := New("drawn")
	guids := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 1000), 1, 12, rapid.ID).Draw(t, "guids")
	var free []End
	for i, g := range guids {
		typ := rapid.SampledFrom([]NodeType{Switch, Switch, CA, Router}).Draw(t, "type")
		ports := rapid.IntRange(1, 6).Draw(t, "ports")
		id, err := f.AddNode(typ, GUID(g)<<8, ports, fmt.Sprintf("node %d", i%9))
		if err != nil {
			t.Fatal(err)
		}
		n := &f.Nodes[id]
		n.Down = rapid.IntRange(0, 9).Draw(t, "node down") == 0
		n.Drained = typ == Switch && rapid.IntRange(0, 5).Draw(t, "node drained") == 0
		if typ == Switch {
			n.Role = Role(rapid.IntRange(0, 3).Draw(t, "role"))
		}
		n.LinearFDBCap = uint16(rapid.IntRange(0, 3).Draw(t, "cap"))
		for p := range n.Ports {
			if typ != Switch {
				n.Ports[p].GUID = GUID(g)<<8 + GUID(p)
			}
			n.Ports[p].VLCap = rapid.Uint8Range(0, 3).Draw(t, "vls")
			n.Ports[p].LID = LID(rapid.IntRange(0, 60).Draw(t, "lid"))
			n.Ports[p].LMC = rapid.Uint8Range(0, 2).Draw(t, "lmc")
			if p > 0 {
				free = append(free, End{id, uint8(p)})
			}
		}
	}
	free = rapid.Permutation(free).Draw(t, "ends")
	for i := rapid.IntRange(0, len(free)/2).Draw(t, "links"); i > 0; i-- {
		a, b := free[0], free[1]
		free = free[2:]
		w := rapid.SampledFrom([]Width{0, 1, 4}).Draw(t, "width")
		s := rapid.SampledFrom([]Speed{SpeedUnknown, FDR, HDR}).Draw(t, "speed")
		id, err := f.Connect(a, b, w, s)
		if err != nil {
			t.Fatal(err)
		}
		f.Links[id].Down = rapid.IntRange(0, 9).Draw(t, "link down") == 0
		f.Links[id].Drained = rapid.IntRange(0, 9).Draw(t, "link drained") == 0
	}
	return f
}

// shuffled builds the same fabric with nodes and links in another order and
// the ends of links exchanged.
func shuffled(t *rapid.T, f *Fabric) *Fabric {
	g := New(f.Name)
	renumbered := make([]NodeID, len(f.Nodes))
	for _, i := range rapid.Permutation(upTo(len(f.Nodes))).Draw(t, "node order") {
		n := f.Nodes[i]
		id, err := g.AddNode(n.Type, n.GUID, n.NumPorts(), n.Desc)
		if err != nil {
			t.Fatal(err)
		}
		n.Ports = append([]Port(nil), n.Ports...)
		for p := range n.Ports {
			n.Ports[p].Link = NoLink
		}
		g.Nodes[id] = n
		renumbered[i] = id
	}
	for _, i := range rapid.Permutation(upTo(len(f.Links))).Draw(t, "link order") {
		l := f.Links[i]
		a, b := End{renumbered[l.A.Node], l.A.Port}, End{renumbered[l.B.Node], l.B.Port}
		if rapid.Bool().Draw(t, "exchanged") {
			a, b = b, a
		}
		id, err := g.Connect(a, b, l.Width, l.Speed)
		if err != nil {
			t.Fatal(err)
		}
		g.Links[id].Down, g.Links[id].Drained = l.Down, l.Drained
	}
	return g
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// consistent checks that nodes, ports, links and the index by GUID agree.
func consistent(f *Fabric) error {
	cabled := 0
	for id := range f.Nodes {
		if got, ok := f.NodeByGUID(f.Nodes[id].GUID); !ok || got != NodeID(id) {
			return fmt.Errorf("node %d is found as %d, %t", id, got, ok)
		}
		for p, port := range f.Nodes[id].Ports {
			if port.Link == NoLink {
				continue
			}
			cabled++
			e := End{NodeID(id), uint8(p)}
			if l := f.Links[port.Link]; l.A != e && l.B != e {
				return fmt.Errorf("port %s has the cable %s", f.EndName(e), f.LinkName(port.Link))
			}
			if f.Peer(f.Peer(e)) != e {
				return fmt.Errorf("the peer's peer of %s is %s", f.EndName(e), f.EndName(f.Peer(f.Peer(e))))
			}
		}
	}
	if cabled != 2*len(f.Links) {
		return fmt.Errorf("%d ports have a cable, there are %d cables", cabled, len(f.Links))
	}
	if len(f.byGUID) != len(f.Nodes) {
		return fmt.Errorf("%d GUIDs, %d nodes", len(f.byGUID), len(f.Nodes))
	}
	return nil
}

func TestBuildIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		if err := consistent(f); err != nil {
			t.Fatal(err)
		}
		for l := range f.Links {
			a, b := f.Links[l].A, f.Links[l].B
			up := !f.Links[l].Down && !f.Nodes[a.Node].Down && !f.Nodes[b.Node].Down
			if f.LinkUp(LinkID(l)) != up {
				t.Fatalf("link %d up: %t", l, f.LinkUp(LinkID(l)))
			}
			both := f.Nodes[a.Node].Type == Switch && f.Nodes[b.Node].Type == Switch
			if f.IsSwitchLink(LinkID(l)) != both {
				t.Fatalf("link %d between switches: %t", l, f.IsSwitchLink(LinkID(l)))
			}
		}
	})
}

func mustAdd(t *testing.T, f *Fabric, typ NodeType, guid GUID, ports int, desc string) NodeID {
	t.Helper()
	id, err := f.AddNode(typ, guid, ports, desc)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func mustConnect(t *testing.T, f *Fabric, a, b End) LinkID {
	t.Helper()
	id, err := f.Connect(a, b, 4, EDR)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "fabric: ") {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestAddNode(t *testing.T) {
	f := New("x")
	s := mustAdd(t, f, Switch, 7, 3, "seven")
	h := mustAdd(t, f, CA, 9, 254, "nine")
	for p := range f.Nodes[s].Ports {
		if f.Nodes[s].Ports[p].GUID != 7 || f.Nodes[s].Ports[p].Link != NoLink {
			t.Errorf("switch port %d: %+v", p, f.Nodes[s].Ports[p])
		}
	}
	if f.Nodes[h].NumPorts() != 254 || f.Nodes[h].Ports[1].GUID != 0 {
		t.Errorf("CA has %d ports, port 1 is %+v", f.Nodes[h].NumPorts(), f.Nodes[h].Ports[1])
	}
	for _, ports := range []int{-1, 0, 255} {
		_, err := f.AddNode(Router, 11, ports, "r")
		wantError(t, err, fmt.Sprintf("has %d ports (want 1 to 254)", ports))
	}
	_, err := f.AddNode(CA, 7, 1, "again")
	wantError(t, err, `is used twice (switch "seven" and CA "again")`)
	if len(f.Nodes) != 2 {
		t.Errorf("%d nodes after errors", len(f.Nodes))
	}
}

func TestConnect(t *testing.T) {
	f := New("x")
	a := mustAdd(t, f, Switch, 1, 4, "a")
	b := mustAdd(t, f, Switch, 2, 4, "b")
	mustConnect(t, f, End{a, 1}, End{b, 2})
	mustConnect(t, f, End{a, 2}, End{a, 3}) // found in the field
	for _, c := range []struct {
		x, y End
		want string
	}{
		{End{a, 1}, End{b, 1}, "is cabled already"},
		{End{b, 1}, End{b, 2}, "is cabled already"},
		{End{a, 4}, End{a, 4}, "is cabled to itself"},
		{End{a, 0}, End{b, 1}, "has no port 0 to cable (ports 1 to 4)"},
		{End{a, 4}, End{b, 5}, "has no port 5"},
		{End{-1, 1}, End{b, 1}, "no node -1"},
		{End{a, 4}, End{2, 1}, "no node 2"},
	} {
		_, err := f.Connect(c.x, c.y, 4, EDR)
		wantError(t, err, c.want)
	}
	if len(f.Links) != 2 {
		t.Errorf("%d links after errors", len(f.Links))
	}
	if err := consistent(f); err != nil {
		t.Error(err)
	}
}

func TestParseGUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := GUID(rapid.Uint64().Draw(t, "guid"))
		for _, s := range []string{g.String(), g.String()[2:], fmt.Sprintf("0X%X", uint64(g)), fmt.Sprintf("%x", uint64(g))} {
			if got, err := ParseGUID(s); err != nil || got != g {
				t.Fatalf("%q is %s, %v", s, got, err)
			}
		}
	})
	for _, s := range []string{"", "0x", "0x00000000000000001", "x1", "0xg", "-1", "+1", "0x 1", "0x0X1"} {
		_, err := ParseGUID(s)
		wantError(t, err, "is not a GUID")
	}
}

func TestRates(t *testing.T) {
	for s := SDR; s <= XDR; s++ {
		got, ok := ParseSpeed(s.String())
		if !ok || got != s {
			t.Errorf("%s is read as %s, %t", s, got, ok)
		}
		if Rate(4, s) <= Rate(4, s-1) || Rate(4, s) != 4*Rate(1, s) {
			t.Errorf("4x%s is %d Mbit/s, 4x%s %d", s, Rate(4, s), s-1, Rate(4, s-1))
		}
	}
	for _, c := range []struct {
		w    Width
		s    Speed
		want int32
	}{{4, QDR, 32000}, {4, EDR, 100000}, {12, SDR, 24000}, {1, NDR, 100000}, {0, EDR, 0}, {4, SpeedUnknown, 0}, {4, 99, 0}} {
		if got := Rate(c.w, c.s); got != c.want {
			t.Errorf("%dx%s is %d Mbit/s, want %d", c.w, c.s, got, c.want)
		}
	}
	for _, name := range []string{"", "?", "edr", "WDR"} {
		if s, ok := ParseSpeed(name); ok {
			t.Errorf("%q is read as %s", name, s)
		}
	}
	if got := fmt.Sprint(CA, Switch, Router, NodeType(9), Speed(99)); got != "CA switch router NodeType(9) Speed(99)" {
		t.Error(got)
	}
}
