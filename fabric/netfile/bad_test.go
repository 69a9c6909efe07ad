package netfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const twoSwitches = "Switch 8 \"S-0000000000000001\"\n[1] \"S-0000000000000002\"[1]\nSwitch 8 \"S-0000000000000002\"\n"

const swSide = "{ SW Ports:08 SystemGUID:01 NodeGUID:01 PortGUID:01 VenID:02 DevID:03 Rev:00 {a} LID:0001 PN:01 }"

func caSide(pn string) string {
	return "{ CA Ports:02 SystemGUID:09 NodeGUID:09 PortGUID:0a VenID:02 DevID:03 Rev:00 {b} LID:0002 PN:" + pn + " }"
}

const dumpHead = "\"sw\", V, 0x1, LID 1\n # : IB# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n"

// again ends the error about a file of which a part is missing or disputed.
const again = ": write the file again, or take what it holds with --partial"

var badInputs = []struct{ name, data, want string }{
	{"empty", "", "bad: the file is empty"},
	{"text", "hello\nworld\n", "bad: no topology file of a format that is known here (ibnetdiscover, lst, net_dump, topo, orcs, json)"},
	{"system definition", "\nTOPSYSTEM X\n", "bad:2: an ibnl system definition (give it with --ibnl), not a topology file"},
	{"slurm", "# x\nSwitchName=a Nodes=b\n", "bad:2: a Slurm topology.conf, not a topology file"},

	{"no nodes", "vendid=0x2c9\n", "bad: no nodes in this file"},
	{"no ports", "Switch 0 \"S-0000000000000001\"\n", "bad:1: 0 ports (want 1 to 254)"},
	{"too many ports", "Switch 255 \"S-0000000000000001\"\n", "bad:1: 255 ports (want 1 to 254)"},
	{"GUID 0", "Ca 1 \"H-0000000000000001\"\nswitchguid=0x0\nSwitch 2 \"x\"\n", "bad:2: \"0x0\" is not a node GUID"},
	{"bad GUID", "switchguid=0x12345678901234567\nSwitch 2 \"x\"\n", "bad:1: \"0x12345678901234567\" is not a node GUID"},
	{"bad port GUID", "switchguid=0x1(xyz)\nSwitch 2 \"x\"\n", "bad:1: \"xyz\" is not a port GUID"},
	{"bad device", "devid=12345678901\nSwitch 2 \"x\"\n", "bad:1: devid: \"12345678901\" is not a hexadecimal number"},
	{
		"node twice", twoSwitches + "Switch 8 \"S-0000000000000001\"\n",
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
	{"unknown peer", "Switch 8 \"a\"\n[1] \"b\"[1]\n", "bad:2: node \"b\" is not described in this file, and its id does not tell what it is"},
	{
		"one port, two cables", "Switch 8 \"a\"\n[1] \"b\"[1]\n[1] \"b\"[2]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"b\"[2] here, to \"b\"[1] on line 2" + again,
	},
	{
		"cabled to itself too", "Switch 8 \"a\"\n[1] \"b\"[1]\n[1] \"a\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"a\"[1] here, to \"b\"[1] on line 2" + again,
	},
	{
		"cabled to itself first", "Switch 8 \"a\"\n[1] \"a\"[1]\n[1] \"b\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"a\"[1] is cabled twice: to \"b\"[1] here, to \"a\"[1] on line 2" + again,
	},
	{
		"asymmetric", "Switch 8 \"a\"\n[1] \"b\"[1]\nSwitch 8 \"b\"\n[1] \"c\"[1]\nSwitch 8 \"c\"\n",
		"bad:4: port \"b\"[1] is cabled twice: to \"c\"[1] here, to \"a\"[1] on line 2" + again,
	},
	{
		"asymmetric, far end", "Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]\nSwitch 8 \"b\"\n",
		"bad:3: port \"b\"[1] is cabled twice: to \"a\"[2] here, to \"a\"[1] on line 2" + again,
	},
	{"LID", "Switch 8 \"a\" # \"x\" base port 0 lid 70000 lmc 0\n", "bad:1: 70000 is not a LID (16 bits)"},
	{"LID text", "Switch 8 \"a\" # \"x\" base port 0 lid abc lmc 0\n", "bad:1: lid \"abc\" is not a number"},
	{"LMC", "Switch 8 \"a\" # \"x\" base port 0 lid 1 lmc 8\n", "bad:1: LMC 8 (want 0 to 7)"},

	{"lst cut", swSide + " { CA Ports:01 NodeGUID:02 {b} LI", "bad:1: no } LID: after the description of a node"},
	{"lst one end", swSide + "\n", "bad:1: no { where an end of a cable should begin"},
	{"lst type", strings.Replace(swSide, "SW", "XX", 1) + " " + caSide("01"), "bad:1: unknown node type \"XX\" (want SW, CA or RT)"},
	{"lst number", strings.Replace(swSide, "Ports:08", "Ports:0g", 1) + " " + caSide("01"), "bad:1: \"Ports:0g\" is not Key:hexadecimal"},
	{"lst no port", strings.Replace(swSide, " PN:01", "", 1) + " " + caSide("01"), "bad:1: an end of a cable without NodeGUID, Ports or PN"},
	{"lst port", swSide + " " + caSide("03"), "bad:1: \"b\" (0x0000000000000009) has no port 3 (ports 1 to 2)"},
	{"lst ports", swSide + " " + strings.Replace(caSide("01"), "Ports:02", "Ports:100", 1), "bad:1: 256 ports (want 1 to 254)"},
	{"lst state", swSide + " " + caSide("01") + " XYZ=1", "bad:1: \"XYZ=1\" is not PHY=, LOG= or SPD="},
	{"lst LID", strings.Replace(swSide, "0001", "10001", 1) + " " + caSide("01"), "bad:1: 65537 is not a LID (16 bits)"},
	{
		"lst types differ", swSide + " " + caSide("01") + "\n" + strings.Replace(swSide, "PN:01", "PN:02", 1) + " " + strings.Replace(caSide("02"), "CA", "SW", 1) + "\n",
		"bad:2: \"b\" (0x0000000000000009) is a switch of 2 ports here, a CA of 2 ports on line 1",
	},
	{
		"lst two cables", swSide + " " + caSide("01") + "\n" + swSide + " " + strings.Replace(caSide("02"), "0a", "0b", 1) + "\n",
		"bad:2: port \"a\" (0x0000000000000001)[1] is cabled twice: to \"b\" (0x0000000000000009)[2] here, to \"b\" (0x0000000000000009)[1] on line 1" + again,
	},

	{"dump heading", dumpHead + "\"x\", V, 0x2\n", "bad:3: not the heading of a switch (\"description\", vendor, GUID, LID)"},
	{"dump GUID", dumpHead + "\"x\", V, 0xZZ, LID 2\n", "bad:3: \"0xZZ\" is not a node GUID"},
	{"dump LID", dumpHead + "\"x\", V, 0x2, LID two\n", "bad:3: \"LID two\" is not LID and number"},
	{"dump twice", dumpHead + "\"x\", V, 0x1, LID 2\n", "bad:3: \"sw\" (0x0000000000000001) is described twice: here and on line 1"},
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
	{"dump short row", dumpHead + "1 : 1 : ACT\n", "bad:3: 3 columns (want 9)"},
	{"dump port", dumpHead + "1 : x : ACT : 4x : 100 : 0x2 : 1 : 3 : \"h\"\n", "bad:3: \"x\" is not a port number"},
	{"dump port twice", dumpHead + "1 : 1 : DOWN : : : : : :\n1 : 1 : DOWN : : : : : :\n", "bad:4: port 1 of \"sw\" (0x0000000000000001) is listed twice"},
	{"dump no neighbour", dumpHead + "1 : 1 : ACT : 4x : 100 : : : :\n", "bad:3: port 1 is ACT but names no neighbour"},
	{"dump neighbour", dumpHead + "1 : 1 : ACT : 4x : 100 : 2g : 1 : 3 : \"h\"\n", "bad:3: \"2g\" is not a neighbour's GUID"},
	{"dump neighbour LID", dumpHead + "1 : 1 : ACT : 4x : 100 : 0x2 : 1 : x : \"h\"\n", "bad:3: \"x\" is not a LID"},
	{"dump unlisted switch", dumpHead + "1 : 1 : ACT : 4x : 100 : 0x2 : 1/2/1 : 3 : \"h\"\n", "bad:3: no table of the neighbour \"h\" lists its port 1/2/1: the file ends early, or lines are missing (the cable is left out): write the file again, or take what it holds with --partial"},
	{
		"dump asymmetric", dumpHead + "1 : 1 : ACT : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n2 : 2 : ACT : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n",
		"bad:4: port \"h\" (0x0000000000000009)[1] is cabled twice: to \"sw\" (0x0000000000000001)[2] here, to \"sw\" (0x0000000000000001)[1] on line 3" + again,
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
		"bad:3: port \"A/U1\"[1] is cabled twice: to \"I/U1\"[1] here, to \"H/U1\"[1] on line 2" + again,
	},
	{"topo CFG", "MTS800 A CFG: leaf1\n P1 -> Cougar H P1\n", "bad:1: CFG: \"leaf1\" is not board=modifier"},
	{"topo CFG board", "MTS800 A CFG: leaf1=R\n P1 -> Cougar H P1\n", "bad:1: CFG: system A (MTS800) has no board leaf1"},
}

func TestBadInput(t *testing.T) {
	for _, c := range badInputs {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Read("bad", []byte(c.data), Options{})
			checkError(t, err, c.want)
		})
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var e *Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("error is a %T, want *Error", err)
	}
}

const goodBoard = "SYSTEM LEAF\nNODE SW 4 X U1\n 1 -> P1\n 2 -> P2\n"

func TestBadSystems(t *testing.T) {
	for _, c := range []struct{ name, ibnl, topo, want string }{
		{"line", "SYSTEM X\nnonsense\n", "", "x.ibnl:2: line not understood: \"nonsense\""},
		{"no name", "SYSTEM ,\n", "", "x.ibnl:1: SYSTEM without a name"},
		{"node first", "NODE SW 4 X U1\n", "", "x.ibnl:1: NODE before the first SYSTEM"},
		{"node fields", "SYSTEM X\nNODE SW 4 U1\n", "", "x.ibnl:2: want NODE SW|CA ports device name"},
		{"node type", "SYSTEM X\nNODE RT 4 D U1\n", "", "x.ibnl:2: unknown node type \"RT\" (want SW or CA)"},
		{"node ports", "SYSTEM X\nNODE SW 255 D U1\n", "", "x.ibnl:2: \"255\" is not a number of ports (want 1 to 254)"},
		{"board fields", "SYSTEM X\nSUBSYSTEM LEAF\n", "", "x.ibnl:2: want SUBSYSTEM system name"},
		{"connection first", "SYSTEM X\n1 -> P1\n", "", "x.ibnl:2: a connection before NODE or SUBSYSTEM"},
		{"connection fields", "SYSTEM X\nNODE SW 4 D U1\n1 -> U1 2 3\n", "", "x.ibnl:3: want port -> connector, or port -> part port"},
		{"part twice", "SYSTEM X\nNODE SW 4 D U1\nNODE SW 4 D U1\n", "", "x.ibnl:3: U1 is there already (line 2)"},
		{"port", "SYSTEM X\nNODE SW 4 D U1\n5 -> P1\n", "", "x.ibnl:3: U1 has no port 5 (ports 1 to 4)"},
		{"no part", "SYSTEM X\nNODE SW 4 D U1\n1 -> U2 1\n", "", "x.ibnl:3: no part \"U2\" in system X"},
		{"port twice", "SYSTEM X\nNODE SW 4 D U1\n1 -> P1\n1 -> P2\n", "", "x.ibnl:4: U1 1 is connected on line 3 too"},
		{"connector twice", "SYSTEM X\nNODE SW 4 D U1\n1 -> P1\n2 -> P1\n", "", "x.ibnl:4: connector P1 is used on line 3 too"},
		{"asymmetric", "SYSTEM X\nNODE SW 4 D U1\n1 -> U2 1\nNODE SW 4 D U2\n1 -> U1 2\n", "", "x.ibnl:5: U2 1 is connected on line 3 too"},
		{"no board", "TOPSYSTEM X\nSUBSYSTEM LEAF leaf1\n", "", "x.ibnl:2: no SYSTEM LEAF in this file"},
		{"board twice", goodBoard + goodBoard, "", "x.ibnl:5: system LEAF is defined on line 1 too"},
		{"itself", "SYSTEM A\nSUBSYSTEM B b\nSYSTEM B\nSUBSYSTEM A a\n", "", "x.ibnl:1: system A is part of itself"},
		{"empty", "TOPSYSTEM A\n", "", "x.ibnl:1: system A holds no chip"},
		{"too large", bomb(), "", "x.ibnl:52: system A17 holds more than 65536 chips"},
		{"top twice", "TOPSYSTEM A\nNODE SW 4 D U1\nTOPSYSTEM B,A\nNODE SW 4 D U1\n", "", "x.ibnl:3: system A is defined in x.ibnl:1 too"},
		{"unknown system", goodBoard, "Y y\n P1 -> Y z P1\n", "x.topo:1: unknown system Y: none of the .ibnl files given defines it"},
		{
			"removed board", goodBoard + "TOPSYSTEM T\nSUBSYSTEM LEAF leaf1\n P1 -> P1\nSUBSYSTEM LEAF leaf2\n P1 -> P2\n",
			"T a CFG: leaf1=R\n P1 -> T b P1\n", "x.topo:2: connector P1 of system a leads nowhere: its board is removed or lacks it",
		},
		{
			"no variant", goodBoard + "TOPSYSTEM T\nSUBSYSTEM LEAF leaf1\n P1 -> P1\n",
			"T a CFG: leaf1=12x\n P1 -> T b P1\n", "x.topo:1: CFG: leaf1=12x: no SYSTEM LEAF:12x in x.ibnl",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			topo := c.topo
			if topo == "" {
				topo = "MTS800 A\n P1 -> Cougar B P1\n"
			}
			fsys := fstest.MapFS{"x.ibnl": {Data: []byte(c.ibnl)}}
			_, _, err := Read("x.topo", []byte(topo), Options{Systems: fsys})
			checkError(t, err, c.want)
		})
	}
}

// bomb is a small file of systems that each hold two of the one before.
func bomb() string {
	b := "SYSTEM A0\nNODE SW 4 D U1\n\n"
	for i := range 20 {
		b += fmt.Sprintf("SYSTEM A%d\nSUBSYSTEM A%d a\nSUBSYSTEM A%d b\n", i+1, i, i)
	}
	return b
}

// What is only odd is read, with a warning.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{
			"one end only", twoSwitches,
			[]string{
				"odd:3: \"S-0000000000000002\" (0x0000000000000002), the last node of the file, does not list 1 cable that others list: the file ends early",
				"odd:2: only one end lists the cable \"S-0000000000000001\" (0x0000000000000001)[1] - \"S-0000000000000002\" (0x0000000000000002)[1]",
			},
		},
		{
			"not described", "Switch 8 \"S-0000000000000001\"\n[1] \"H-0000000000000002\"[2](3) # \"host\" lid 7 4xQDR\n",
			[]string{
				"odd:2: 1 node is mentioned but never described, the first here, \"host\" (0x0000000000000002): the file ends early, or nodes did not answer",
				"odd:2: \"host\" (0x0000000000000002) is not described in this file: taken as a CA of 2 ports",
			},
		},
		{
			"messages", "ibwarn: [1] mad_rpc: \"x\" failed\nSwitch 8 \"a\"\n[user@host ~]$ ibnetdiscover > \"x\"\ndiscover failed\n",
			[]string{
				"odd:1: not part of the topology: \"ibwarn: [1] mad_rpc: \\\"x\\\" failed\"",
				"odd:3: not part of the topology: \"[user@host ~]$ ibnetdiscover > \\\"x\\\"\"",
				"odd:4: not part of the topology: \"discover failed\"",
			},
		},
		{
			"LID 65535", "Switch 8 \"a\" # \"x\" base port 0 lid 65535 lmc 0\nSwitch 8 \"b\" # \"y\" base port 0 lid 49152 lmc 0\n",
			[]string{"odd:1: LID 65535 is not a unicast LID: taken as not assigned", "odd:2: LID 49152 is not a unicast LID: taken as not assigned"},
		},
		{
			"unknown speed", "Switch 8 \"a\"\n[1] \"a\"[2] # \"a\" lid 0 4xZDR\n[2] \"a\"[1] # \"a\" lid 0 3xSDR\n",
			[]string{"odd:2: unknown link speed \"ZDR\"", "odd:3: unknown link width \"3x\""},
		},
		{"loop", "Switch 8 \"a\"\n[1] \"a\"[1]\n", []string{"odd:2: port \"a\"[1] is cabled to itself: taken as not cabled"}},
		{
			"listed again", "Switch 8 \"a\"\n[1] \"a\"[2]\n[2] \"a\"[1]\n[1] \"a\"[2]\n",
			[]string{"odd:4: the cable \"a\"[1] - \"a\"[2] is listed again (first on line 2)"},
		},
		{
			"same LID", "Switch 8 \"a\" # \"x\" base port 0 lid 3 lmc 0\nSwitch 8 \"b\" # \"y\" base port 0 lid 2 lmc 1\n",
			[]string{"odd:2: LID 3 belongs to \"x\" (0x0000000000200000) and to \"y\" (0x0000000000200001)"},
		},
		{"attribute", "fw=1\nSwitch 8 \"a\"\n", []string{"odd:1: unknown attribute \"fw\""}},
		{
			"ids differ", "switchguid=0x7\nSwitch 8 \"S-0000000000000001\"\n",
			[]string{"odd:2: node id \"S-0000000000000001\" and node GUID 0x0000000000000007 differ: the GUID is taken"},
		},
		{
			"lst down", swSide + " " + caSide("01") + " PHY=4x LOG=DWN SPD=5\n",
			[]string{"odd:1: the cable \"a\" (0x0000000000000001)[1] - \"b\" (0x0000000000000009)[1] is down"},
		},
		{
			"dump down", dumpHead + "1 : 1 : DOWN : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n",
			[]string{"odd:3: the cable \"sw\" (0x0000000000000001)[1] - \"h\" (0x0000000000000009)[1] is down"},
		},
		{
			"port GUIDs differ", "Switch 8 \"a\"\n[1] \"h\"[1](5)\nCa 1 \"h\"\n[1](6) \"a\"[1]\n",
			[]string{"odd:4: port \"h\"[1] has GUID 0x0000000000000006 here, 0x0000000000000005 before"},
		},
		{
			"LIDs differ", "Switch 8 \"a\"\n[1] \"H-0000000000000002\"[1] # \"h\" lid 5 4xSDR\nCa 1 \"H-0000000000000002\"\n[1] \"a\"[1] # lid 6 lmc 0 \"a\" lid 0 4xSDR\n",
			[]string{"odd:4: port \"h\" (0x0000000000000002)[1] has LID 6 here, LID 5 before"},
		},
		{
			"lst mistyped", swSide + " " + strings.Replace(caSide("01"), "Ports:02", "Ports:18", 1) + "\n",
			[]string{"odd:1: CA nodes whose ports share one port GUID, or of more than 4 ports, are taken as switches"},
		},
		{
			"lst mistyped, 2 ports", swSide + " " + caSide("01") + "\n" + strings.Replace(swSide, "PN:01", "PN:02", 1) + " " + caSide("02") + "\n",
			[]string{"odd:1: CA nodes whose ports share one port GUID, or of more than 4 ports, are taken as switches"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, w, err := Read("odd", []byte(c.data), Options{Partial: true})
			if err != nil {
				t.Fatal(err)
			}
			checkFabric(t, f)
			var got []string
			for _, x := range w {
				got = append(got, x.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
