package netfile

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/fabric/netfile/netfiletest"
)

func TestBadInput(t *testing.T) {
	for _, c := range netfiletest.Bad {
		t.Run(c.Name, func(t *testing.T) {
			_, _, err := Read("bad", []byte(c.Data), Options{})
			netfiletest.CheckError(t, err, c.Want)
		})
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
		{"too large", netfiletest.Bomb(), "", "x.ibnl:52: system A17 holds more than 65536 chips"},
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
			netfiletest.CheckError(t, err, c.want)
		})
	}
}

// What is only odd is read, with a warning.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{
			"one end only", netfiletest.TwoSwitches,
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
			"lst down", netfiletest.SwSide + " " + netfiletest.CaSide("01") + " PHY=4x LOG=DWN SPD=5\n",
			[]string{"odd:1: the cable \"a\" (0x0000000000000001)[1] - \"b\" (0x0000000000000009)[1] is down"},
		},
		{
			"dump down", netfiletest.DumpHead + "1 : 1 : DOWN : 4x : 100 : 0x9 : 1 : 3 : \"h\"\n",
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
			"lst mistyped", netfiletest.SwSide + " " + strings.Replace(netfiletest.CaSide("01"), "Ports:02", "Ports:18", 1) + "\n",
			[]string{"odd:1: CA nodes whose ports share one port GUID, or of more than 4 ports, are taken as switches"},
		},
		{
			"lst mistyped, 2 ports", netfiletest.SwSide + " " + netfiletest.CaSide("01") + "\n" + strings.Replace(netfiletest.SwSide, "PN:01", "PN:02", 1) + " " + netfiletest.CaSide("02") + "\n",
			[]string{"odd:1: CA nodes whose ports share one port GUID, or of more than 4 ports, are taken as switches"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, w, err := Read("odd", []byte(c.data), Options{Partial: true})
			if err != nil {
				t.Fatal(err)
			}
			netfiletest.CheckFabric(t, f)
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
