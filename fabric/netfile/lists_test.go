package netfile

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/netfiletest"
	"weft/internal/peer"
)

// TestBadLists: a bad line of a port list, a node list or a db_csv is named.
func TestBadLists(t *testing.T) {
	nodes := "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\nsw,2,2,0x1\nh,1,1,0x2\nEND_NODES\n"
	for text, want := range map[string]string{
		"SW 1 1 0x1 4x QDR - CA 2 1 0x2 ( 'a' - 'b'\n":                             `f:1: want ( 'NAME' - 'NAME' ) at the end, got "( 'a' - 'b'"`,
		"SW 1 1 0x1 4x QDR - XX 2 1 0x2 ( 'a' - 'b' )\n":                           `f:1: unknown node type "XX" (want SW, CA or RT)`,
		"SW 1 1 0x1 4x QDR - CA 2 0 0x2 ( 'a' - 'b' )\n":                           `f:1: "0" is not a port number`,
		"SW 70000 1 0x1 4x QDR - CA 2 1 0x2 ( 'a' - 'b' )\n":                       "f:1: 70000 is not a LID (16 bits)",
		"SW 1 1 0x1 4x QDR - CA 2 1 0x0 ( 'a' - 'b' )\n":                           `f:1: "0x0" is not a port GUID`,
		"SW 1 1 0x1 4x QDR 'a'\nCA 1 1 0x1 4x QDR 'a'\n":                           "f:2: \"a\" (0x0000000000000001) is a CA here and a switch on line 1",
		"Switch\t : 0x1 ports 36 devid 0x1 vendid 0x1 \"a\"\n":                     "f: a list of nodes (ibnetdiscover -l) has no cables: write the file again, or take what it holds with --partial",
		"Switch\t : 0x1 ports 36 devid 0x1 vendid 0x1 \"a\"\nwhat\n":               `f:2: not a node: want TYPE : GUID ports N devid N vendid N "NAME"`,
		"START_NODES\nNodeDesc\n":                                                  "f:1: no END_NODES: the file ends early",
		"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\na,1,1\nEND_NODES\n":     "f:3: 3 values in section NODES (want 4)",
		"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\na,1,7,0x1\nEND_NODES\n": "f:3: NodeType 7: want 1 (CA), 2 (switch) or 3 (router)",
		"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\na,x,1,0x1\nEND_NODES\n": `f:3: NumPorts "x": want a number up to 254`,
		"START_NODES\nNodeDesc,NumPorts,NodeType\na,1,1\nEND_NODES\n":              "f:3: no NodeGUID",
		nodes: "f: no section LINKS: the file has no cables: write the file again, or take what it holds with --partial",
		nodes + "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x1,1,0x3,1\nEND_LINKS\n": "f:8: NodeGuid2 0x0000000000000003: section NODES has no such node",
		nodes + "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x1,3,0x2,1\nEND_LINKS\n": "f:8: \"sw\" (0x0000000000000001) has no port 3 (ports 1 to 2)",
		nodes + nodes: "f:8: \"sw\" (0x0000000000000001) is described twice: here and on line 3",
	} {
		_, _, err := Read("f", []byte(text), Options{})
		netfiletest.CheckError(t, err, want)
	}
	f, _, err := Read("f", []byte("Switch\t : 0x1 ports 36 devid 0xd2f0 vendid 0x2c9 \"a b\"\nCa\t : 0x2 ports 2 devid 0x1 vendid 0x1 \"h\"\n"), Options{Partial: true})
	if err != nil || len(f.Nodes) != 2 || f.Nodes[0].NumPorts() != 36 || f.Nodes[0].DeviceID != 0xd2f0 || f.Nodes[0].Desc != "a b" || f.Nodes[1].Type != fabric.CA {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestPeerLists: what ibnetdiscover -p and -l print has the same cables and nodes as ibnetdiscover
// itself.
func TestPeerLists(t *testing.T) {
	peer.Program(t, "ibnetdiscover")
	s := peer.Simulate(t, netfiletest.File(t, "opensm/small.net"))
	read := func(opt Options, args ...string) *fabric.Fabric {
		f, _, err := Read("discovered", s.Run("ibnetdiscover", args...), opt)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	whole, ports, nodes := read(Options{}), read(Options{}, "-p"), read(Options{Partial: true}, "-l")
	byPort := func(f *fabric.Fabric, e fabric.End) string {
		n := &f.Nodes[e.Node]
		guid := n.Ports[netfiletest.LIDPort(n.Type, e.Port)].GUID
		return fmt.Sprintf("%s %s[%d] %s", n.Type, guid, e.Port, n.Desc)
	}
	if a, b := keyedLinks(whole, byPort), keyedLinks(ports, byPort); fmt.Sprint(a) != fmt.Sprint(b) || len(a) == 0 {
		t.Errorf("cables %v\nby ports %v", a, b)
	}
	if len(nodes.Nodes) != len(whole.Nodes) || len(nodes.Links) != 0 {
		t.Errorf("%d nodes listed of %d", len(nodes.Nodes), len(whole.Nodes))
	}
	for i := range nodes.Nodes {
		n := &nodes.Nodes[i]
		if id, ok := whole.NodeByGUID(n.GUID); !ok || whole.Nodes[id].Desc != n.Desc || whole.Nodes[id].NumPorts() != n.NumPorts() {
			t.Errorf("node %+v", n)
		}
	}
}
