// Package netfiletest is shared by the tests of netfile and of its formats. Only tests import it.
package netfiletest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ExampleFiles is the path of the examples, relative to testdata.
const ExampleFiles = "../../../examples/"

// folder returns the path of the test files, relative to the package under test.
func folder() string {
	if _, err := os.Stat("../testdata/ibnl"); err == nil {
		return "../testdata"
	}
	return "testdata"
}

// File reads a test file.
func File(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder(), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Systems returns the .ibnl files that tests read.
func Systems() fs.FS { return os.DirFS(filepath.Join(folder(), "ibnl")) }

// CheckFabric checks the invariants of every fabric that a reader returns.
func CheckFabric(t *testing.T, f *fabric.Fabric) {
	t.Helper()
	cabled := 0
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if id, ok := f.NodeByGUID(n.GUID); !ok || int(id) != i || n.GUID == 0 {
			t.Fatalf("node %d is not found by its GUID %s", i, n.GUID)
		}
		if n.NumPorts() < 1 || n.NumPorts() > fabric.MaxPorts {
			t.Fatalf("%s has %d ports", f.NodeName(fabric.NodeID(i)), n.NumPorts())
		}
		for p := range n.Ports {
			port := &n.Ports[p]
			if port.LID > fabric.MaxUnicastLID || port.LMC > fabric.MaxLMC {
				t.Fatalf("LID %d LMC %d", port.LID, port.LMC)
			}
			if port.Link == fabric.NoLink {
				continue
			}
			cabled++
			here := fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
			there := f.Peer(here)
			if p == 0 || f.Nodes[there.Node].Ports[there.Port].Link != port.Link || f.Peer(there) != here {
				t.Fatalf("link of %s is not symmetrical", f.EndName(here))
			}
			if port.GUID == 0 {
				t.Fatalf("port %s is cabled but has no GUID", f.EndName(here))
			}
		}
	}
	if cabled != 2*len(f.Links) {
		t.Fatalf("%d cabled ports for %d links", cabled, len(f.Links))
	}
	g := f.Compile()
	for c := range g.NumChannels {
		if g.From[c] != g.To[c^1] || g.FromPort[c] != g.ToPort[c^1] {
			t.Fatalf("channels %d and %d are not opposite", c, c^1)
		}
	}
}

// CheckRead checks the invariants of every reader, for any input.
func CheckRead(t *testing.T, f *fabric.Fabric, err error) {
	t.Helper()
	if err == nil {
		CheckFabric(t, f)
		return
	}
	var e *lines.Error
	if !errors.As(err, &e) || e.Msg == "" {
		t.Fatalf("error is a %T: %v", err, err)
	}
}

// Seed adds the files of testdata that match a pattern, cut short.
func Seed(f *testing.F, pattern string) {
	names, err := filepath.Glob(filepath.Join(folder(), pattern))
	if err != nil || len(names) == 0 {
		f.Fatalf("no files for %s: %v", pattern, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)])
	}
}

// SeedBad adds the inputs that a reader must refuse, by prefix of their names.
func SeedBad(f *testing.F, prefix string) {
	for _, c := range Bad {
		if strings.HasPrefix(c.Name, prefix) {
			f.Add([]byte(c.Data))
		}
	}
}

// TwoSwitches is an ibnetdiscover file of one cable, which one end lists.
const TwoSwitches = "Switch 8 \"S-0000000000000001\"\n[1] \"S-0000000000000002\"[1]\nSwitch 8 \"S-0000000000000002\"\n"

// SwSide is the end of a cable at a switch in an lst file.
const SwSide = "{ SW Ports:08 SystemGUID:01 NodeGUID:01 PortGUID:01 VenID:02 DevID:03 Rev:00 {a} LID:0001 PN:01 }"

// CaSide is the end of a cable at a port of a CA in an lst file.
func CaSide(pn string) string {
	return "{ CA Ports:02 SystemGUID:09 NodeGUID:09 PortGUID:0a VenID:02 DevID:03 Rev:00 {b} LID:0002 PN:" + pn + " }"
}

// DumpHead is the heading of a switch and its table in a net_dump.
const DumpHead = "\"sw\", V, 0x1, LID 1\n # : IB# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n"

// Again ends the error about a file with a missing or disputed part.
const Again = ": write the file again, or take what it holds with --partial"

// Bad are inputs that must be refused, with the error.
var Bad = []struct{ Name, Data, Want string }{
	{"empty", "", "bad: the file is empty"},
	{"text", "hello\nworld\n", "bad: not a topology file in a known format (ibnetdiscover, lst, net_dump, db_csv, port_list, node_list, ndt, topo, orcs, graphml, opareport, topograph, json)"},
	{"system definition", "\nTOPSYSTEM X\n", "bad:2: an ibnl system definition (give it with --ibnl), not a topology file"},
	{"slurm", "# x\nSwitchName=a Nodes=b\n", "bad:2: a Slurm topology.conf, not a topology file"},

	{"ndt column", "StartDevice,StartPort,EndDevice\na,Port 1,b\n", "bad:1: no column EndPort"},
	{"ndt port", "\nStartDevice,StartPort,EndDevice,EndPort\na,Port 1,b,abra\n", "bad:3: port \"abra\" of b: want Port N, Blade N_Port U/P, Port LABEL, or the description of an adapter, which begins with the device"},
	{"ndt blade", "StartDevice,StartPort,EndDevice,EndPort\na,Blade 1_Port 1,b,Port 1\n", "bad:2: port \"Blade 1_Port 1\": want Blade BOARD_Port CHIP/PORT"},
	{"ndt number", "StartDevice,StartPort,EndDevice,EndPort\na,Port 255,b,Port 1\n", "bad:2: \"a\" has no port 255 (ports 1 to 254)"},
	{"ndt twice", "StartDevice,StartPort,EndDevice,EndPort\na,Port 1,b,Port 1\na,Port 1,c,Port 1\n", "bad:3: port \"a\"[1] is cabled twice: to \"c\"[1] here, to \"b\"[1] on line 2" + Again},
	{"ndt device", "StartDevice,StartPort,EndDevice,EndPort\n,Port 1,b,Port 1\n", "bad:2: a port without a device"},
	{"ndt state", "StartDevice,StartPort,EndDevice,EndPort,State\na,Port 1,b,Port 1,Odd\n", "bad:2: State \"Odd\": want Active, Disabled or No-discover"},
	{"ndt empty", "StartDevice,StartPort,EndDevice,EndPort\n", "bad: no cable in this table"},
	{"ibdiagnet tables", "# c\nosm_ucast_mgr_dump_ucast_routes: Switch 0x1\n", "bad:2: forwarding tables (weft check --lfts takes them), not a topology file"},

	{"no nodes", "vendid=0x2c9\n", "bad: no nodes in this file"},
	{"no ports", "Switch 0 \"S-0000000000000001\"\n", "bad:1: 0 ports (want 1 to 254)"},
	{"too many ports", "Switch 255 \"S-0000000000000001\"\n", "bad:1: 255 ports (want 1 to 254)"},
	{"GUID 0", "Ca 1 \"H-0000000000000001\"\nswitchguid=0x0\nSwitch 2 \"x\"\n", "bad:2: \"0x0\" is not a node GUID"},
	{"bad GUID", "switchguid=0x12345678901234567\nSwitch 2 \"x\"\n", "bad:1: \"0x12345678901234567\" is not a node GUID"},
	{"bad port GUID", "switchguid=0x1(xyz)\nSwitch 2 \"x\"\n", "bad:1: \"xyz\" is not a port GUID"},
	{"bad device", "devid=12345678901\nSwitch 2 \"x\"\n", "bad:1: devid: \"12345678901\" is not a hexadecimal number"},
	{
		"node twice", TwoSwitches + "Switch 8 \"S-0000000000000001\"\n",
		"bad:4: \"S-0000000000000001\" (0x0000000000000001) is described twice: here and on line 1",
	},
	{
		"GUID twice", "switchguid=0x1\nSwitch 8 \"a\"\nswitchguid=0x1\nSwitch 8 \"b\"\n",
		"bad:4: \"b\" (0x0000000000000001): this node GUID is used on line 2 too (by \"a\")",
	},
	{"port before node", "vendid=0x1\n[1] \"S-0000000000000001\"[1]\n", "bad:2: a port before the first node"},
	{"port number", "Switch 8 \"a\"\n[9] \"b\"[1]\n", "bad:2: \"a\" has no port 9 (ports 1 to 8)"},
	{"port 0", "Switch 8 \"a\"\n[0] \"b\"[1]\n", "bad:2: \"a\" has no port 0 (ports 1 to 8)"},
	{"far port number", "Switch 8 \"a\"\n[1] \"S-0000000000000002\"[255]\n", "bad:2: \"S-0000000000000002\" (0x0000000000000002) has no port 255 (ports 1 to 254)"},
	{"port beyond a later header", "Switch 8 \"a\"\n[1] \"b\"[9]\nSwitch 8 \"b\"\n", "bad:3: \"b\" has 8 ports, but line 2 cables its port 9"},
	{"cut line", "Switch 8 \"a\"\n[1] \"S-00000000000\n", "bad:2: no node id in quotes for the other end of port 1"},
	{"cut port", "Switch 8 \"a\"\n[1] \"S-0000000000000002\"[3\n", "bad:2: no port number in brackets after \"S-0000000000000002\""},
	{"cut header", "Switch 8 \"a\n", "bad:1: no node id in quotes in the header of a node"},
	{"cut GUID", "Ca 2 \"H-0000000000000001\"\n[1](2c9 \"S-0000000000000002\"[3]\n", "bad:2: bracket not closed"},
	{"misspelt header", "vendid=0x1\nSwich 8 \"S-0000000000000001\"\n", "bad:2: line not understood: \"Swich 8 \\\"S-0000000000000001\\\"\""},
	{"misspelt port", "Switch 8 \"a\"\n[1 \"b\"[1]\n", "bad:2: line not understood: \"[1 \\\"b\\\"[1]\""},
	{"option", "Switch 8 \"a\"\n[1] \"b\"[1] w=99\n", "bad:2: w=99: want 1 to 31"},
	{"rubbish after a port", "Switch 8 \"a\"\n[1] \"b\"[1] nonsense\n", "bad:2: not understood at the end of a port line: \"nonsense\""},
	{"include", "Switch 8 \"a\"\ninclude \"more.net\"\n", "bad:2: ibsim's aliases, include and do are not understood here: \"include \\\"more.net\\\"\""},
	{"unknown peer", "Switch 8 \"a\"\n[1] \"b\"[1]\n", "bad:2: node \"b\" is not described in this file, and its id does not show its type"},
	{
		"one port, two cables", "Switch 8 \"a\"\n[1] \"b\"[1]\n[1] \"b\"[2]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"b\"[2] here, to \"b\"[1] on line 2" + Again,
	},
	{
		"cabled to itself too", "Switch 8 \"a\"\n[1] \"b\"[1]\n[1] \"a\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"a\"[1] here, to \"b\"[1] on line 2" + Again,
	},
	{
		"cabled to itself first", "Switch 8 \"a\"\n[1] \"a\"[1]\n[1] \"b\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"b\"[1] here, to \"a\"[1] on line 2" + Again,
	},
	{
		"asymmetric", "Switch 8 \"a\"\n[1] \"b\"[1]\nSwitch 8 \"b\"\n[1] \"c\"[1]\nSwitch 8 \"c\"\n",
		"bad:4: port \"b\"[1] is cabled twice: to \"c\"[1] here, to \"a\"[1] on line 2" + Again,
	},
	{
		"asymmetric, far end", "Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"b\"[1] is cabled twice: to \"a\"[2] here, to \"a\"[1] on line 2" + Again,
	},
	{"LID", "Switch 8 \"a\" # \"x\" base port 0 lid 70000 lmc 0\n", "bad:1: 70000 is not a LID (16 bits)"},
	{"LID text", "Switch 8 \"a\" # \"x\" base port 0 lid abc lmc 0\n", "bad:1: lid \"abc\" is not a number"},
	{"LMC", "Switch 8 \"a\" # \"x\" base port 0 lid 1 lmc 8\n", "bad:1: LMC 8 (want 0 to 7)"},

	{"lst cut", SwSide + " { CA Ports:01 NodeGUID:02 {b} LI", "bad:1: no } LID: after the description of a node"},
	{"lst one end", SwSide + "\n", "bad:1: no { where an end of a cable should begin"},
	{"lst type", strings.Replace(SwSide, "SW", "XX", 1) + " " + CaSide("01"), "bad:1: unknown node type \"XX\" (want SW, CA or RT)"},
	{"lst number", strings.Replace(SwSide, "Ports:08", "Ports:0g", 1) + " " + CaSide("01"), "bad:1: \"Ports:0g\" is not Key:hexadecimal"},
	{"lst no port", strings.Replace(SwSide, " PN:01", "", 1) + " " + CaSide("01"), "bad:1: an end of a cable without NodeGUID, Ports or PN"},
	{"lst port", SwSide + " " + CaSide("03"), "bad:1: \"b\" (0x0000000000000009) has no port 3 (ports 1 to 2)"},
	{"lst ports", SwSide + " " + strings.Replace(CaSide("01"), "Ports:02", "Ports:100", 1), "bad:1: 256 ports (want 1 to 254)"},
	{"lst state", SwSide + " " + CaSide("01") + " XYZ=1", "bad:1: \"XYZ=1\" is not PHY=, LOG= or SPD="},
	{"lst LID", strings.Replace(SwSide, "0001", "10001", 1) + " " + CaSide("01"), "bad:1: 65537 is not a LID (16 bits)"},
	{
		"lst types differ", SwSide + " " + CaSide("01") + "\n" + strings.Replace(SwSide, "PN:01", "PN:02", 1) + " " + strings.Replace(CaSide("02"), "CA", "SW", 1) + "\n",
		"bad:2: \"b\" (0x0000000000000009) is a switch of 2 ports here, a CA of 2 ports on line 1",
	},
	{
		"lst two cables", SwSide + " " + CaSide("01") + "\n" + SwSide + " " + strings.Replace(CaSide("02"), "0a", "0b", 1) + "\n",
		"bad:2: port \"a\" (0x0000000000000001)[1] is cabled twice: to \"b\" (0x0000000000000009)[2] here, to \"b\" (0x0000000000000009)[1] on line 1" + Again,
	},

	{"dump heading", DumpHead + "\"x\", V, 0x2\n", "bad:3: not the heading of a switch (\"description\", vendor, GUID, LID)"},
	{"dump GUID", DumpHead + "\"x\", V, 0xZZ, LID 2\n", "bad:3: \"0xZZ\" is not a node GUID"},
	{"dump LID", DumpHead + "\"x\", V, 0x2, LID two\n", "bad:3: \"LID two\" is not LID and number"},
	{"dump twice", DumpHead + "\"x\", V, 0x1, LID 2\n", "bad:3: \"sw\" (0x0000000000000001) is described twice: here and on line 1"},
	{"LFTs", "Unicast lids [0x0-0x8] of switch Lid 2 guid 0x1 (a):\n", "bad:1: forwarding tables (weft check --lfts takes them), not a topology file"},
	{"FDBs", "\ndump_ucast_routes: Switch 0x0000000000000001\n", "bad:2: forwarding tables (weft check --lfts takes them), not a topology file"},
	{"gzip", "\x1f\x8b\x08\x00rest", "bad:1: compressed by gzip (unpack it first), not a topology file"},
	{"UTF-16", "\xff\xfeS\x00w\x00", "bad:1: text in UTF-16 (convert it to UTF-8), not a topology file"},
	{"long line", "Switch 8 \"a\"\n\"" + strings.Repeat("x", 10000) + "\n", "bad:2: line not understood: \"\\\"" + strings.Repeat("x", 500-len("line not understood: \"\\\"")) + "..."},
	{"dump no ports", "\"sw\", V, 0x1, LID 1\n", "bad:1: no table of ports follows the heading of \"sw\" (0x0000000000000001): the file ends early: write the file again, or take what it holds with --partial"},
	{"dump columns", "\"sw\", V, 0x1, LID 1\n # : IB# : Sta\n", "bad:2: a table needs the columns #, IB#, Sta, LWA, LSA, Neighbor Guid, N#, NLID, Neighbor Description"},
	{
		"dump column order", "\"sw\", V, 0x1, LID 1\n # : Neighbor Description : Sta : LWA : LSA : Neighbor Guid : N# : NLID : IB#\n1 : \"h\" : ACT : 4x : 100 : 0x2 : 1 : 3 : 1\n",
		"bad:2: the last column of a table must be Neighbor Description",
	},
	{"dump no table", "\"sw\", V, 0x1, LID 1\n 1 : 1 : ACT\n", "bad:2: not the heading of a switch, and no table has begun: \"1 : 1 : ACT\""},
	{"dump short row", DumpHead + "1 : 1 : ACT\n", "bad:3: 3 columns (want 9)"},
	{"dump port", DumpHead + "1 : x : ACT : 4x : 100 : 0x2 : 1 : 3 : \"h\"\n", "bad:3: \"x\" is not a port number"},
	{"dump port twice", DumpHead + "1 : 1 : DOWN : : : : : :\n1 : 1 : DOWN : : : : : :\n", "bad:4: port 1 of \"sw\" (0x0000000000000001) is listed twice"},
	{"dump no neighbour", DumpHead + "1 : 1 : ACT : 4x : 100 : : : :\n", "bad:3: port 1 is ACT but names no neighbour"},
	{"dump neighbour", DumpHead + "1 : 1 : ACT : 4x : 100 : 2g : 1 : 3 : \"h\"\n", "bad:3: \"2g\" is not a neighbour's GUID"},
	{"dump neighbour LID", DumpHead + "1 : 1 : ACT : 4x : 100 : 0x2 : 1 : x : \"h\"\n", "bad:3: \"x\" is not a LID"},
	{"dump unlisted switch", DumpHead + "1 : 1 : ACT : 4x : 100 : 0x2 : 1/2/1 : 3 : \"h\"\n", "bad:3: no table of the neighbour \"h\" lists its port 1/2/1: the file ends early, or lines are missing (the cable is left out): write the file again, or take what it holds with --partial"},
	{
		"dump asymmetric", DumpHead + "1 : 1 : ACT : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n2 : 2 : ACT : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n",
		"bad:4: port \"h\" (0x0000000000000009)[1] is cabled twice: to \"sw\" (0x0000000000000001)[2] here, to \"sw\" (0x0000000000000001)[1] on line 3" + Again,
	},

	{"topo cable first", "P1 -> Cougar H P1\n", "bad:1: a cable before the first system"},
	{"topo heading", "MTS800\n P1 -> Cougar H P1\n", "bad:1: want type and name of a system, or connector -> type system connector"},
	{"topo cable", "MTS800 A\n P1 -> Cougar H P1\n P2 -> Cougar P1\n", "bad:3: want connector -> type system connector"},
	{"topo arrow", "MTS800 A\n P1 -4y-> Cougar H P1\n", "bad:2: \"-4y->\" is not a width or speed (want such as -4x-5G->)"},
	{"topo system", "Rhino R\n L1/P1 -> Cougar H P1\n", "bad:1: unknown system Rhino: give --ibnl DIR, a directory with its .ibnl file"},
	{"topo connector", "MTS800 A\n P9 -> Cougar H P1\n", "bad:2: system A (MTS800) has no connector P9"},
	{"topo types differ", "MTS800 A\n P1 -> Cougar H P1\n P2 -> MTS800 H P2\n", "bad:3: system H is a MTS800 here, a Cougar on line 2"},
	{"topo twice", "MTS800 A\n P1 -> Cougar H P1\nMTS800 A\n", "bad:3: system A is described twice: here and on line 1"},
	{
		"topo two cables", "MTS800 A\n P1 -> Cougar H P1\n P1 -> Cougar I P1\n",
		"bad:3: port \"A/U1\"[1] is cabled twice: to \"I/U1\"[1] here, to \"H/U1\"[1] on line 2" + Again,
	},
	{"topo CFG", "MTS800 A CFG: leaf1\n P1 -> Cougar H P1\n", "bad:1: CFG: \"leaf1\" is not board=modifier"},
	{"topo CFG board", "MTS800 A CFG: leaf1=R\n P1 -> Cougar H P1\n", "bad:1: CFG: system A (MTS800) has no board leaf1"},
}

// CheckError checks that an error is of type *lines.Error and has a text.
func CheckError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var e *lines.Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("error is a %T, want *Error", err)
	}
}

// Bomb returns a small file of nested systems: each holds two copies of the previous one.
func Bomb() string {
	var b strings.Builder
	b.WriteString("SYSTEM A0\nNODE SW 4 D U1\n\n")
	for i := range 20 {
		fmt.Fprintf(&b, "SYSTEM A%d\nSUBSYSTEM A%d a\nSUBSYSTEM A%d b\n", i+1, i, i)
	}
	return b.String()
}

// Sample reads a file of OpenSM or of infiniband-diags.
func Sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder(), "opensm", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Written returns the output of a function as text. It ends the test if the function fails.
func Written(t interface{ Fatal(...any) }, write func(*bytes.Buffer) error) string {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// AnyFabric draws a random network: switches, CAs with several ports, routers, parallel cables,
// cables from a switch to itself, nodes without cables, parts that are down or drained, odd
// descriptions.
func AnyFabric(t *rapid.T) *fabric.Fabric {
	f := fabric.New("random")
	desc := rapid.OneOf(
		rapid.StringMatching(`[!-~]([ -~]{0,30}[!-~])?`),
		rapid.Just(""), rapid.Just(" a "), rapid.Just(`quote " quote`), rapid.Just(`"`), rapid.Just("Küche \xff"), rapid.Just(`a # b lid 7 lmc 1`), rapid.Just("x\"[1] y"))
	lid := fabric.LID(0)
	for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
		typ := rapid.SampledFrom([]fabric.NodeType{fabric.Switch, fabric.Switch, fabric.CA, fabric.CA, fabric.Router}).Draw(t, "type")
		guid := fabric.GUID(rapid.Uint64Range(1, 1<<40).Draw(t, "guid")<<8 | uint64(i)<<4)
		id, err := f.AddNode(typ, guid, rapid.IntRange(1, 6).Draw(t, "ports"), desc.Draw(t, "desc"))
		if err != nil {
			t.Fatal(err)
		}
		n := &f.Nodes[id]
		n.SystemGUID = fabric.GUID(rapid.Uint64().Draw(t, "system"))
		n.VendorID, n.DeviceID = rapid.Uint32().Draw(t, "vendor"), rapid.Uint32().Draw(t, "device")
		n.Revision = rapid.Uint32Range(0, 2).Draw(t, "revision")
		n.Chassis = rapid.SampledFrom([]string{"", "", "Chassis 1", "Chassis 2 (guid 0x7)"}).Draw(t, "chassis")
		n.Down = rapid.IntRange(0, 9).Draw(t, "down") == 0
		if typ == fabric.Switch {
			n.EnhancedPort0 = rapid.Bool().Draw(t, "enhanced")
			n.Role = fabric.Role(rapid.Uint8Range(0, 3).Draw(t, "role"))
			n.LinearFDBCap = rapid.Uint16Range(0, 2).Draw(t, "cap")
			n.Drained = rapid.IntRange(0, 9).Draw(t, "drained") == 0
		}
		for p := range n.Ports {
			port := &n.Ports[p]
			if (p == 0) == (typ == fabric.Switch) && rapid.Bool().Draw(t, "lid") {
				port.LMC = rapid.Uint8Range(0, 2).Draw(t, "lmc")
				lid += 4
				port.LID = lid
			}
			if typ != fabric.Switch && p > 0 {
				port.GUID = guid + fabric.GUID(p)
			}
			if p > 0 {
				port.Label = rapid.SampledFrom([]string{"", "1/2/3", "7"}).Draw(t, "label")
				port.VLCap = rapid.Uint8Range(0, 15).Draw(t, "vlcap")
			}
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		a, b := anyEnd(t, f), anyEnd(t, f)
		w := rapid.SampledFrom([]fabric.Width{0, 1, 2, 4, 8, 12}).Draw(t, "width")
		if l, err := f.Connect(a, b, w, fabric.Speed(rapid.IntRange(0, int(fabric.XDR)).Draw(t, "speed"))); err == nil {
			f.Links[l].Down = rapid.IntRange(0, 9).Draw(t, "cut") == 0
			f.Links[l].Drained = rapid.IntRange(0, 9).Draw(t, "link drained") == 0
		}
	}
	return f
}

func anyEnd(t *rapid.T, f *fabric.Fabric) fabric.End {
	n := rapid.IntRange(0, len(f.Nodes)-1).Draw(t, "node")
	return fabric.End{Node: fabric.NodeID(n), Port: uint8(rapid.IntRange(1, f.Nodes[n].NumPorts()).Draw(t, "port"))}
}

// NoDiff checks that two fabrics are the same.
func NoDiff(t interface{ Fatalf(string, ...any) }, want, got *fabric.Fabric, text string) {
	if d := fabric.Diff(want, got); len(d) > 0 {
		t.Fatalf("%v\n%s", d, text)
	}
}

// GUIDNet is an ibsim net: attributes of one node type apply to the next node of that type.
const GUIDNet = `switchguid=0x500(507)
caguid=0x100

Switch 8 "a"
[1] "h1"[1]
[2] "b"[1]

Switch 8 "b"
[1] "a"[2]
[2] "h2"[1]
[3] "c"[3]

switchguid+32
Ca 2 "h1"
[1] "a"[1]

caguid+32
Switch 8 "c"
[2] "h2"[2]
[3] "b"[3]

Ca 2 "h2"
[1] "b"[2]
[2] "c"[2]

`

// ChassisDump is an ibnetdiscover file with a chassis.
const ChassisDump = `#
# Topology file: generated on Sat Apr 13 22:28:55 2002
#
Chassis 1 (guid 0x8f10400411f56)

vendid=0x8f1
devid=0x5a30
sysimgguid=0x8f10400411f57
switchguid=0x8f10400411f56(8f10400411f58) Spine 1
Switch	24 "S-0008f10400411f56"		# "ISR9288 "left" # 1" enhanced port 0 lid 4 lmc 2
[1][ext 3]	"S-0008f10400411f5a"[2][ext 7]		# "line" lid 5 12xDDR
[2](1/2/1)	"R-0008f10400411f5c"[1](8f10400411f5d)		# "router" lid 0 4xEDR s=1 w=2

Non-Chassis Nodes

vendid=0x8f1
devid=0x5a31
switchguid=0x8f10400411f5a(8f10400411f5a)
Switch	24 "S-0008f10400411f5a"		# "line" port 0 lid 5
[2][ext 7]	"S-0008f10400411f56"[1][ext 3]		# "ISR9288 "left" # 1" lid 4 12xDDR

vendid=0x2c9
devid=0x1
sysimgguid=0x8f10400411f5c
rtguid=0x8f10400411f5c
Rt	2 "R-0008f10400411f5c"		# "router"
[1](B1D0F0/1)(8f10400411f5d)	"S-0008f10400411f56"[2]		# lid 9 lmc 1 "ISR9288 "left" # 1" lid 4 4xEDR
`
