package netfile

import (
	"strings"
	"testing"
	"testing/fstest"

	"weft/fabric"
	"weft/fabric/netfile/netfiletest"
	"weft/fabric/netfile/site"
)

func mustRead(t *testing.T, data string, opt Options) *fabric.Fabric {
	t.Helper()
	f, _, err := Read("file", []byte(data), opt)
	if err != nil {
		t.Fatal(err)
	}
	netfiletest.CheckFabric(t, f)
	return f
}

// Where the ends of a cable disagree, the lesser width and speed hold, whichever comes first.
func TestLesserOfBothEnds(t *testing.T) {
	for _, rates := range [][2]string{{"4xQDR", "1xDDR"}, {"1xDDR", "4xQDR"}, {"1xQDR", "4xDDR"}} {
		f := mustRead(t, `Switch 2 "S-0000000000000001" # "a"
[1] "S-0000000000000002"[1] # "b" lid 0 `+rates[0]+`
Switch 2 "S-0000000000000002" # "b"
[1] "S-0000000000000001"[1] # "a" lid 0 `+rates[1]+"\n", Options{})
		if l := f.Links[0]; l.Width != 1 || l.Speed != fabric.DDR {
			t.Errorf("%v: %dx%s, want 1xDDR", rates, l.Width, l.Speed)
		}
	}
}

// Some editors begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	const topo = "MTS800 A\n P1 -> Cougar H P1\n"
	if d := fabric.Diff(mustRead(t, topo, Options{}), mustRead(t, "\uFEFF"+topo, Options{})); len(d) != 0 {
		t.Error(d)
	}
	names, err := site.ReadNames("names", []byte("\uFEFF0x1 one\n"))
	if err != nil || names[1] != "one" {
		t.Errorf("%v %v", names, err)
	}
}

// A dump keeps its meaning when a terminal log strips tabs and blank lines, adds
// prompts, or ends lines with a carriage return.
func TestTerminalLog(t *testing.T) {
	for _, name := range []string{netfiletest.ExampleFiles + "trinityx.ibnetdiscover", netfiletest.ExampleFiles + "psmn-x5.ibnetdiscover", netfiletest.ExampleFiles + "sx6036.ibnetdiscover", "ufm-small.ibnetdiscover"} {
		data := string(netfiletest.File(t, name))
		want := mustRead(t, data, Options{})
		for what, log := range map[string]string{
			"no tabs":         strings.ReplaceAll(data, "\t", ""),
			"tabs to blanks":  strings.ReplaceAll(data, "\t", "        "),
			"no blank lines":  strings.ReplaceAll(data, "\n\n", "\n"),
			"indented":        strings.ReplaceAll(data, "\n", "\n   "),
			"carriage return": strings.ReplaceAll(data, "\n", "\r\n"),
			"prompts":         "[root@master ~]# ibnetdiscover\n" + data + "[root@master ~]# \nuser@master:~$ exit\n",
			"byte order mark": "\uFEFF" + data,
			"no comments":     strings.ReplaceAll(data, "#\n", ""),
		} {
			if d := fabric.Diff(want, mustRead(t, log, Options{})); len(d) != 0 {
				t.Errorf("%s, %s: %d changes, first %s", name, what, len(d), d[0])
			}
		}
	}
}

func TestAttributes(t *testing.T) {
	f := mustRead(t, netfiletest.ChassisDump, Options{})
	spine, line, router := &f.Nodes[0], &f.Nodes[1], &f.Nodes[2]
	if router.Type != fabric.Router {
		spine, line, router = &f.Nodes[0], &f.Nodes[2], &f.Nodes[1]
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"chassis", spine.Chassis, "Chassis 1 (guid 0x8f10400411f56)"},
		{"no chassis", line.Chassis, ""},
		{"GUID", spine.GUID, fabric.GUID(0x8f10400411f56)},
		{"port GUID", spine.Ports[3].GUID, fabric.GUID(0x8f10400411f58)},
		{"vendor", spine.VendorID, uint32(0x8f1)},
		{"device", spine.DeviceID, uint32(0x5a30)},
		{"system", spine.SystemGUID, fabric.GUID(0x8f10400411f57)},
		{"no system", line.SystemGUID, fabric.GUID(0)},
		{"description", spine.Desc, `ISR9288 "left" # 1`},
		{"enhanced", spine.EnhancedPort0, true},
		{"base", line.EnhancedPort0, false},
		{"LID", spine.Ports[0].LID, fabric.LID(4)},
		{"LMC", spine.Ports[0].LMC, uint8(2)},
		{"LID without LMC", line.Ports[0].LID, fabric.LID(5)},
		{"external port", spine.Ports[1].Label, "ext 3"},
		{"label", spine.Ports[2].Label, "1/2/1"},
		{"router", router.Type, fabric.Router},
		{"router port GUID", router.Ports[1].GUID, fabric.GUID(0x8f10400411f5d)},
		{"router label", router.Ports[1].Label, "B1D0F0/1"},
		{"router LID", router.Ports[1].LID, fabric.LID(9)},
		{"router LMC", router.Ports[1].LMC, uint8(1)},
		{"free port", router.Ports[2].Link, fabric.NoLink},
		{"width", f.Links[0].Width, fabric.Width(12)},
		{"speed", f.Links[0].Speed, fabric.DDR},
		{"speed", f.Links[1].Speed, fabric.EDR},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

// A switch typed CA becomes a switch with one LID and one port GUID; a real CA
// with two cabled ports stays one.
func TestLSTTypes(t *testing.T) {
	ca := netfiletest.CaSide("01")
	mistyped := strings.Replace(netfiletest.SwSide, "SW Ports:08", "CA Ports:18", 1)
	second := func(s string) string { return strings.Replace(s, "PN:01", "PN:02", 1) }
	otherPort := strings.NewReplacer("PortGUID:0a", "PortGUID:0b", "LID:0002", "LID:0003", "PN:01", "PN:02").Replace(ca)
	f := mustRead(t, mistyped+" "+ca+" PHY=4x LOG=ACT SPD=14\n"+second(mistyped)+" "+otherPort+" PHY=4x LOG=ACT SPD=FDR10\n", Options{})
	sw, host := &f.Nodes[0], &f.Nodes[1]
	if sw.Type != fabric.Switch || sw.NumPorts() != 24 || sw.Ports[0].LID != 1 || sw.Ports[1].LID != 0 || sw.Ports[0].GUID != 1 {
		t.Errorf("mistyped switch: %+v", sw)
	}
	if host.Type != fabric.CA || host.Ports[1].LID != 2 || host.Ports[2].LID != 3 || host.Ports[2].GUID != 0xb {
		t.Errorf("CA of two ports: %+v", host)
	}
	if f.Links[0].Speed != fabric.FDR || f.Links[1].Speed != fabric.FDR10 {
		t.Errorf("speeds %s and %s, want FDR and FDR10", f.Links[0].Speed, f.Links[1].Speed)
	}
}

// Each word for a kind of node is read, whoever wrote it.
func TestLSTWords(t *testing.T) {
	for word, want := range map[string]fabric.NodeType{
		"SW": fabric.Switch, "CA": fabric.CA, "CA-SM": fabric.CA, "RT": fabric.Router, "Rt": fabric.Router, "RTR": fabric.Router,
	} {
		far := strings.Replace(netfiletest.CaSide("01"), "CA Ports", word+" Ports", 1)
		f := mustRead(t, netfiletest.SwSide+" "+far+" PHY=4x LOG=ACT SPD=14\n", Options{})
		if got := f.Nodes[1].Type; got != want {
			t.Errorf("%s is read as a %v, want a %v", word, got, want)
		}
	}
}

// Nodes of swlab that its file describes: hexadecimal ports, the host of the SM,
// and a device id in the wrong half of its field.
func TestSwlab(t *testing.T) {
	f := mustRead(t, string(netfiletest.File(t, netfiletest.ExampleFiles+"swlab.lst")), Options{})
	for _, c := range []struct {
		guid   fabric.GUID
		typ    fabric.NodeType
		ports  int
		lid    fabric.LID
		device uint32
	}{
		{1, fabric.Switch, 24, 5, 0xb924},
		{0x0002c90109769a00, fabric.CA, 2, 1, 0x5a44},
	} {
		id, ok := f.NodeByGUID(c.guid)
		if !ok {
			t.Fatalf("no node %s", c.guid)
		}
		n := &f.Nodes[id]
		lid := max(n.Ports[0].LID, n.Ports[1].LID)
		if n.Type != c.typ || n.NumPorts() != c.ports || lid != c.lid || n.DeviceID != c.device {
			t.Errorf("got %s of %d ports, LID %d, device %#x; want %+v", n.Type, n.NumPorts(), lid, n.DeviceID, c)
		}
	}
}

// Names, GUIDs and rates of a topology file.
func TestTopoNodes(t *testing.T) {
	f := mustRead(t, string(netfiletest.File(t, "IS3-loop.topo")), Options{Systems: netfiletest.Systems()})
	id, err := f.FindNode("SW4/leaf1/U1")
	if err != nil {
		t.Fatal(err)
	}
	spine, err := f.FindNode("SW4/spine1/U1")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := f.Nodes[id].SystemGUID, f.Nodes[spine].SystemGUID; a != b || a == 0 {
		t.Errorf("chips of one system have system GUIDs %s and %s", a, b)
	}
	if _, err := f.FindNode("SW4/leaf3/U1"); err == nil {
		t.Error("a removed board is there")
	}
	first, _ := f.FindNode("SW1/U1")
	host, _ := f.FindNode("H-1/U1")
	if f.Nodes[first].GUID != 0x200000 || f.Nodes[host].GUID != 0x100000 || f.Nodes[host].Ports[2].GUID != 0x100002 {
		t.Errorf("GUIDs %s, %s", f.Nodes[first].GUID, f.Nodes[host].GUID)
	}
}

func TestTopoRatesAndVariants(t *testing.T) {
	fsys := fstest.MapFS{"x.ibnl": {Data: []byte(`# a chassis with two kinds of leaf board
SYSTEM LEAF,LEAF:4x
 NODE SW 4 D U1
 1 -> P1
 4 -> UP
SYSTEM LEAF:12x
 NODE SW 3 D U1
 1 -12x-> P1
 3 -12x-> UP
TOPSYSTEM Box,Kiste
leaf1/U1=isChaBma
 NODE SW 8 D U1
 1 -5G-> leaf1 UP
 2 -> leaf2 UP
 SUBSYSTEM LEAF leaf1
 UP -12x-10G-> U1 1
 P1 -> L1/P1
 SUBSYSTEM LEAF leaf2
 P1 -> L2/P1
`)}}
	data := "Kiste A CFG: leaf1=12x, leaf2=4x\n L1/P1 -12x-10G-> Box B L1/P1 # comment\n"
	f, w, err := Read("t", []byte(data), Options{Systems: fsys})
	if err != nil {
		t.Fatal(err)
	}
	netfiletest.CheckFabric(t, f)
	if len(w) != 1 || w[0].String() != "x.ibnl:16: 12x QDR here and 4x DDR on line 13: the lesser is taken" {
		t.Errorf("warnings %v", w)
	}
	leaf, _ := f.FindNode("A/leaf1/U1")
	if n := f.Nodes[leaf].NumPorts(); n != 3 {
		t.Errorf("the 12x variant has %d ports, want 3", n)
	}
	if l := f.Links[f.Nodes[leaf].Ports[3].Link]; l.Width != 4 || l.Speed != fabric.DDR {
		t.Errorf("inside: %dx%s, want 4xDDR", l.Width, l.Speed)
	}
	if l := f.Links[f.Nodes[leaf].Ports[1].Link]; l.Width != 12 || l.Speed != fabric.QDR {
		t.Errorf("between systems: %dx%s, want 12xQDR", l.Width, l.Speed)
	}
}

// A variant of a board that lacks a connector loses a wire, with a warning; a
// board that is removed loses its wires without one.
func TestTopoLackingConnector(t *testing.T) {
	fsys := fstest.MapFS{"x.ibnl": {Data: []byte(`SYSTEM LEAF
 NODE SW 4 D U1
 1 -> P1
 4 -> UP
SYSTEM LEAF:s
 NODE SW 4 D U1
 1 -> P1
TOPSYSTEM Box
 NODE SW 8 D U1
 1 -> leaf1 UP
 2 -> leaf2 UP
 8 -> P1
 SUBSYSTEM LEAF leaf1
 P1 -> L1/P1
 SUBSYSTEM LEAF leaf2
 P1 -> L2/P1
`)}}
	f, w, err := Read("t", []byte("Box A CFG: leaf1=s,leaf2=R\n P1 -> Box B L1/P1\n"), Options{Systems: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := countOf(f, w), (counts{2 + 3, 0, 1 + 2, 0, 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := "t:1: x.ibnl:10: leaf1 has no connector UP in this configuration: nothing is connected there"; w[0].String() != want {
		t.Errorf("got %s, want %s", w[0], want)
	}
}

// TestBuiltinSystems: the built-in one-chip systems match the vendor's files.
func TestBuiltinSystems(t *testing.T) {
	for _, name := range []string{"4-ary-2-tree.topo", "4-ary-3-tree.topo", "2-ary-4-tree.topo", "merge-roots-4-ary-2-tree.topo"} {
		data := string(netfiletest.File(t, name))
		if d := fabric.Diff(mustRead(t, data, Options{}), mustRead(t, data, Options{Systems: netfiletest.Systems()})); len(d) != 0 {
			t.Errorf("%s: %v", name, d)
		}
	}
	_, _, err := Read("x.topo", netfiletest.File(t, "IS3-loop.topo"), Options{})
	netfiletest.CheckError(t, err, "x.topo:43: unknown system MTS14400: give --ibnl DIR, a directory with its .ibnl file")
}
