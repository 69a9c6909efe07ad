package netfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/drawing"
	"weft/fabric/netfile/markup"
	"weft/fabric/netfile/netfiletest"
)

// TestFormats: every format has a summary, is recognised if it can be read, and can be read or
// written.
func TestFormats(t *testing.T) {
	names := map[string]bool{}
	for _, f := range formats {
		if names[f.Name] || f.Name == "" || f.Summary == "" || f.Ending == "" {
			t.Errorf("%+v", f)
		}
		names[f.Name] = true
		if f.read == nil && f.write == nil || (f.read != nil) != (f.begins != nil || f.marks != nil) {
			t.Errorf("format %s is read %t, written %t, and recognised otherwise", f.Name, f.read != nil, f.write != nil)
		}
	}
	if got, want := Names(Writable()), "ibnetdiscover, graphml, topograph, json, dot, slurm, slurm-block, slurm-yaml, ns3, htsim, ned"; got != want {
		t.Errorf("written are %s, want %s", got, want)
	}
	if _, err := FindWritable("lst"); err == nil {
		t.Error("lst is written")
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"\n# x\nvendid=0x2c9\n", "ibnetdiscover"},
		{"some noise\nHca 2 \"h\"\n", "ibnetdiscover"},
		{"Switch\t8 \"s\"\n", "ibnetdiscover"},
		{"{ CA Ports:02 SystemGUID:1 NodeGUID:2", "lst"},
		{"START_NODES\nNodeDesc,NumPorts\n", "db_csv"},
		{"SW     2  1 0x2 4x QDR - CA     1  1 0x5 ( 'a' - 'b' )\n", "port_list"},
		{"Switch\t : 0x2 ports 8 devid 0x0 vendid 0x0 \"a\"\n", "node_list"},
		{"\"x\", Mellanox, 0x1, LID 24\n", "net_dump"},
		{"#StartDevice,StartPort,EndDevice,EndPort,LinkType\n", "ndt"},
		{"a plan\n,rack #,U height,#Fields:StartDevice,StartPort,x,EndDevice,EndPort\n", "ndt"},
		{"# c\nMTS800 A\n P1 -4x-> Cougar H P1\n", "topo"},
		{" {\n \"format\": 1}", "json"},
		{"/* c */ strict digraph x {}", "orcs"},
		{"\uFEFF<?xml version=\"1.0\"?>\n<!-- c --><graphml xmlns=\"x\">", "graphml"},
		{"<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<Report date=\"x\">", "opareport"},
		{"<Topology>", "opareport"},
		{"# c\nswitches:\n  a: {}\n", "topograph"},
		{"---\nblocks:\n", "topograph"},
	} {
		if got, err := Detect("x", []byte(c.data)); err != nil || got.Name != c.want {
			t.Errorf("%q: %v, %v; want %s", c.data, got, err, c.want)
		}
	}
}

// writtenFabrics are what the formats without a writer are tested on beside the dumps that
// the project has: of net_dump none may be passed on. Their switches have 8, 24 or
// 36 ports, as the systems have that need no .ibnl file.
func writtenFabrics(t *testing.T) []*fabric.Fabric {
	var list []*fabric.Fabric
	for _, formula := range []string{
		"rlft(8,2)", "rlft(8,3)", "rlft(36,2)|fail(links=9,seed=1)", "rlft(24,2)|fail(switches=1,seed=2)", "fat648|ports(2)",
	} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, carried(f))
	}
	psmn, _, err := Read("psmn", examples.PSMNX5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return append(list, psmn)
}

// TestWrittenFabrics: a fabric written as a format has it is read as it was.
func TestWrittenFabrics(t *testing.T) {
	byGUID := func(f *fabric.Fabric, e fabric.End) string {
		n := &f.Nodes[e.Node]
		return fmt.Sprintf("%s %s[%d] LID %d", n.Type, n.GUID, e.Port, n.Ports[netfiletest.LIDPort(n.Type, e.Port)].LID)
	}
	for _, format := range []struct {
		name  string
		write func(*strings.Builder, *fabric.Fabric)
		key   func(*fabric.Fabric, fabric.End) string
	}{
		{"lst", writeLST, byGUID},
		{"net_dump", writeNetDump, func(f *fabric.Fabric, e fabric.End) string {
			if n := &f.Nodes[e.Node]; n.Type != fabric.Switch {
				return fmt.Sprintf("host %s LID %d", n.Ports[e.Port].GUID, n.Ports[e.Port].LID)
			}
			return byGUID(f, e)
		}},
		{"port_list", netfiletest.WritePortList, func(f *fabric.Fabric, e fabric.End) string {
			n := &f.Nodes[e.Node]
			p := &n.Ports[netfiletest.LIDPort(n.Type, e.Port)]
			return fmt.Sprintf("%s %s[%d] LID %d", n.Type, p.GUID, e.Port, p.LID)
		}},
		{"db_csv", netfiletest.WriteDBCSV, byGUID},
		{"graphml", func(w *strings.Builder, f *fabric.Fabric) {
			if err := markup.WriteGraphML(w, f); err != nil {
				panic(err) // a strings.Builder takes everything
			}
		}, func(f *fabric.Fabric, e fabric.End) string {
			return fmt.Sprintf("%s %s[%d]", f.Nodes[e.Node].Type, f.Nodes[e.Node].GUID, e.Port)
		}},
		{"topo", writeTopo, func(f *fabric.Fabric, e fabric.End) string {
			n := &f.Nodes[e.Node]
			return fmt.Sprintf("%s %s[%d]", n.Type, strings.TrimSuffix(n.Desc, "/U1"), e.Port)
		}},
	} {
		for _, f := range writtenFabrics(t) {
			var text strings.Builder
			format.write(&text, f)
			if got, err := Detect(f.Name, []byte(text.String())); err != nil || got.Name != format.name {
				t.Fatalf("%s as %s is taken for %v, %v", f.Name, format.name, got, err)
			}
			got, warnings, err := Read(f.Name, []byte(text.String()), Options{})
			if err != nil || len(warnings) > 0 {
				t.Fatalf("%s as %s: %v %v", f.Name, format.name, err, warnings)
			}
			netfiletest.CheckFabric(t, got)
			if a, b := keyedLinks(f, format.key), keyedLinks(got, format.key); !maps.Equal(a, b) {
				t.Errorf("%s as %s: %d links are read as %d, or as others", f.Name, format.name, len(a), len(b))
			}
		}
	}
}

func keyedLinks(f *fabric.Fabric, key func(*fabric.Fabric, fabric.End) string) map[string]bool {
	links := map[string]bool{}
	for _, l := range f.Links {
		a, b := key(f, l.A), key(f, l.B)
		links[fmt.Sprintf("%s - %s %dx%s", min(a, b), max(a, b), l.Width, l.Speed)] = true
	}
	return links
}

// speedWord is a speed as ibdiagnet writes it.
func speedWord(s fabric.Speed) string {
	return map[fabric.Speed]string{fabric.SDR: "2.5", fabric.DDR: "5", fabric.QDR: "10", fabric.FDR: "14", fabric.EDR: "25"}[s]
}

// writeLST lists every cable from both ends, as OpenSM does.
func writeLST(w *strings.Builder, f *fabric.Fabric) {
	side := func(e fabric.End) {
		n := &f.Nodes[e.Node]
		p := &n.Ports[netfiletest.LIDPort(n.Type, e.Port)]
		fmt.Fprintf(w, "{ %s Ports:%02x SystemGUID:%x NodeGUID:%x PortGUID:%x VenID:%x DevID:%x Rev:%x {%s} LID:%04x PN:%02x } ",
			map[fabric.NodeType]string{fabric.Switch: "SW", fabric.CA: "CA", fabric.Router: "RT"}[n.Type], n.NumPorts(), uint64(n.SystemGUID),
			uint64(n.GUID), uint64(p.GUID), n.VendorID, n.DeviceID, n.Revision, n.Desc, p.LID, e.Port)
	}
	for _, ends := range bothWays(f) {
		l := &f.Links[f.Nodes[ends[0].Node].Ports[ends[0].Port].Link]
		side(ends[0])
		side(ends[1])
		fmt.Fprintf(w, "PHY=%dx LOG=ACT SPD=%s\n", l.Width, speedWord(l.Speed))
	}
}

// bothWays lists every cable from both its ends, by node and port.
func bothWays(f *fabric.Fabric) (list [][2]fabric.End) {
	for i := range f.Nodes {
		for p := 1; p < len(f.Nodes[i].Ports); p++ {
			if here := (fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}); f.Nodes[i].Ports[p].Link != fabric.NoLink {
				list = append(list, [2]fabric.End{here, f.Peer(here)})
			}
		}
	}
	return list
}

func writeNetDump(w *strings.Builder, f *fabric.Fabric) {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Type != fabric.Switch {
			continue
		}
		fmt.Fprintf(w, "\"%s\", Mellanox, %s, LID %d\n # : IB# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n", n.Desc, n.GUID, n.Ports[0].LID)
		for p := 1; p < len(n.Ports); p++ {
			if n.Ports[p].Link == fabric.NoLink {
				fmt.Fprintf(w, " 1/%d : %d : DOWN : : : : : : \n", p, p)
				continue
			}
			l := &f.Links[n.Ports[p].Link]
			there := f.Peer(fabric.End{Node: fabric.NodeID(i), Port: uint8(p)})
			peer := &f.Nodes[there.Node]
			guid, label := peer.GUID, fmt.Sprintf("1/%d", there.Port)
			if peer.Type != fabric.Switch {
				guid, label = peer.Ports[there.Port].GUID, fmt.Sprintf("B1D0/%d", there.Port)
			}
			fmt.Fprintf(w, " 1/%d : %d : ACT : %dx : %s : %s : %s : %d : \"%s\"\n", p, p, l.Width, speedWord(l.Speed),
				guid, label, peer.Ports[netfiletest.LIDPort(peer.Type, there.Port)].LID, peer.Desc)
		}
		w.WriteString("\n")
	}
}

// writeTopo lists every cable from both ends, and makes descriptions names of one word.
func writeTopo(w *strings.Builder, f *fabric.Fabric) {
	types := map[fabric.NodeType]map[int]string{fabric.Switch: {8: "MTS800", 24: "MTS2400", 36: "MTS3600"}, fabric.CA: {1: "Cheetah", 2: "Cougar"}}
	for i := range f.Nodes {
		f.Nodes[i].Desc = fmt.Sprintf("n%d", i)
	}
	system := func(n *fabric.Node) string { return types[n.Type][n.NumPorts()] + " " + n.Desc }
	last := fabric.NodeID(-1)
	for _, ends := range bothWays(f) {
		if ends[0].Node != last {
			last = ends[0].Node
			fmt.Fprintf(w, "\n%s\n", system(&f.Nodes[last]))
		}
		l := &f.Links[f.Nodes[ends[0].Node].Ports[ends[0].Port].Link]
		fmt.Fprintf(w, "   P%d -%dx-%sG-> %s P%d\n", ends[0].Port, l.Width, speedWord(l.Speed), system(&f.Nodes[ends[1].Node]), ends[1].Port)
	}
}

// TestWrittenORCS: networks are read as they were written, port by port.
func TestWrittenORCS(t *testing.T) {
	key := func(f *fabric.Fabric, e fabric.End) string {
		n := &f.Nodes[e.Node]
		if n.Type != fabric.Switch {
			return n.Ports[e.Port].GUID.String()
		}
		return fmt.Sprintf("%s[%d]", n.GUID, e.Port)
	}
	for _, f := range writtenFabrics(t) {
		g := f.Compile()
		lids := make([]fabric.LID, g.NumEnds)
		for e := range lids {
			lids[e] = fabric.LID(e + 1)
		}
		var text bytes.Buffer
		if err := drawing.WriteORCS(&text, g, lids, func(int32, fabric.LID) uint8 { return 1 }); err != nil {
			t.Fatal(err)
		}
		got, _, err := Read(f.Name, text.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := keyedLinks(withoutRates(f), key), keyedLinks(got, key); !maps.Equal(a, b) {
			t.Errorf("%s: %d links are read as %d, or as others: %v", f.Name, len(a), len(b), firstOdd(a, b))
		}
	}
}

// withoutRates returns a fabric reduced to what a file of ORCS can hold.
func withoutRates(f *fabric.Fabric) *fabric.Fabric {
	c := f.Clone()
	for i := range c.Links {
		c.Links[i].Width, c.Links[i].Speed = 0, fabric.SpeedUnknown
	}
	return c
}

func firstOdd(a, b map[string]bool) string {
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if !b[k] {
			return k
		}
	}
	return ""
}
