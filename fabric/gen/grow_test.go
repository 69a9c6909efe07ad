package gen

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// named finds a node.
func named(t *testing.T, f *fabric.Fabric, name string) fabric.NodeID {
	t.Helper()
	id, err := f.FindNode(name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Parts that are named go down, or out of use, and nothing else does.
func TestNamedParts(t *testing.T) {
	for _, c := range []struct {
		expr                              string
		switches, hosts, links, hostLinks int
		drainedSwitches, drainedLinks     int
	}{
		{expr: "fat648|fail(link=spine 3[7])", links: 1},
		{expr: `fat648|fail(link="spine 3"[7],leaf 1 -- spine 4,leaf 2/20,host 7)`, links: 3, hostLinks: 1},
		{expr: "fat648|fail(host=host 3,host 40)", hosts: 2},
		{expr: "fat648|drain(switch=spine 3,SPINE 4)", drainedSwitches: 2},
		{expr: "fat648|drain(link=spine 3[7])|fail(link=spine 3[8])", links: 1, drainedLinks: 1},
		{expr: "fat648|drain(links=10,seed=3)", drainedLinks: 10},
		{expr: "fat648|drain(share=0.5,links=up)", drainedLinks: 324},
		{expr: "fat648|drain(switches=5,seed=3)", drainedSwitches: 5},
		{expr: `fat648|radix(40)|add(leaf=MF0;a:b/U1,"a, (b|c")|drain(switch=MF0;a:b/U1)|fail(switch="a, (b|c")`, switches: 1, drainedSwitches: 1},
	} {
		f := parse(t, c.expr)
		switches, hosts, links, hostLinks := down(f)
		if switches != c.switches || hosts != c.hosts || links != c.links || hostLinks != c.hostLinks {
			t.Errorf("%s: %d switches, %d hosts, %d switch links, %d host links down", c.expr, switches, hosts, links, hostLinks)
		}
		drainedSwitches, drainedLinks := 0, 0
		for _, n := range f.Nodes {
			if n.Drained {
				drainedSwitches++
			}
		}
		for _, l := range f.Links {
			if l.Drained {
				drainedLinks++
			}
		}
		if drainedSwitches != c.drainedSwitches || drainedLinks != c.drainedLinks {
			t.Errorf("%s: %d switches, %d links drained", c.expr, drainedSwitches, drainedLinks)
		}
	}
}

// TestAddLeaf: an added leaf has the cables and hosts of its model; everything else is unchanged.
func TestAddLeaf(t *testing.T) {
	before := parse(t, "fat648|radix(40)")
	after := parse(t, "fat648|radix(40)|add(leaf=rack 9,rack 10,like=leaf 3)")
	if n := len(after.Nodes) - len(before.Nodes); n != 2*19 {
		t.Errorf("%d nodes were added", n)
	}
	for i, n := range before.Nodes {
		m := after.Nodes[i]
		if m.GUID != n.GUID || m.Desc != n.Desc || len(m.Ports) != len(n.Ports) {
			t.Fatalf("node %d is %v, was %v", i, m, n)
		}
		for p := range n.Ports {
			if l := n.Ports[p].Link; l != fabric.NoLink && (m.Ports[p].Link != l || after.Links[l] != before.Links[l]) {
				t.Fatalf("port %d of %s was recabled", p, n.Desc)
			}
		}
	}
	model, spine := named(t, after, "leaf 3"), fabric.NodeID(-1)
	for _, name := range []string{"rack 9", "rack 10"} {
		leaf := named(t, after, name)
		if hosts, cables := len(nodes.HostPorts(after, leaf)), len(cabled(after, leaf)); hosts != 18 || cables != 36 {
			t.Errorf("%s has %d hosts, %d cables", name, hosts, cables)
		}
		for p := range after.Cabled(leaf, nil) {
			a, b := after.Peer(fabric.End{Node: leaf, Port: p}).Node, after.Peer(fabric.End{Node: model, Port: p}).Node
			if nodes.IsSwitch(after, b) && a != b {
				t.Errorf("port %d of %s leads to %s", p, name, after.NodeName(a))
			}
			spine = a
		}
	}
	if host := named(t, after, "rack 9 host 17"); after.Nodes[host].Ports[1].GUID == 0 || spine < 0 {
		t.Errorf("a new host: %+v", after.Nodes[host])
	}
}

// A cable's end that is moved is in the new port, and no longer in the old one.
func TestMove(t *testing.T) {
	for _, expr := range []string{
		"fat648|without(hosts=100-110)|move(link=host 3,to=leaf 6)",
		"fat648|without(hosts=100-110)|move(link=leaf 0[4],to=leaf 6[3])",
	} {
		f := parse(t, expr)
		host, leaf, old := named(t, f, "host 3"), named(t, f, "leaf 6"), named(t, f, "leaf 0")
		at := f.Peer(fabric.End{Node: host, Port: 1})
		if at.Node != leaf || f.Peer(at).Node != host || len(nodes.HostPorts(f, old)) != 17 {
			t.Errorf("%s: %s is at %s", expr, f.NodeName(host), f.EndName(at))
		}
	}
}

func TestGrowErrors(t *testing.T) {
	for expr, want := range map[string]string{
		"fat648|add":                                              "add takes one of leaf, pod, group, server",
		"fat648|add(leaf=rack 9)":                                 `no leaf can be added: above each of the 36 leaves a switch lacks free ports ("spine 0" (0x0200005300000025) has 0 free ports, it takes 1; of 18 switches it takes 18 ports in all, and 18 of these switches have too few)`,
		"fat648|add(leaf=leaf 3)":                                 `a node is called "leaf 3" already`,
		"fat648|radix(37)|add(leaf=a,b)":                          "no leaf can be added",
		"fat648|add(leaf=a,like=spine 3)":                         "has no hosts: it is no leaf",
		"fat648|add(leaf=a,like=leaf 3)":                          "another leaf like \"leaf 3\" (0x0200005300000004) finds no place",
		"fat648|without(hosts=0-647)|add(leaf=a)":                 "no switch that is up has hosts",
		"dragonfly(4,2,2)|add(group=a)":                           "no group can be added: its switches have 8 ports for cables to other groups, it takes 9",
		"dragonfly(4,2,2,groups=7)|add(group=a)":                  "has 0 free ports, it takes 1; so it is in 7 of 7 groups",
		"torus(4x4)|add(leaf=a)":                                  "since the switches with servers are cabled to each other: the network can take a server where",
		"rlft(8,2)|radix(9)|add(pod=a)":                           "no pod is known here that could be added again: the network can take a leaf (a switch with 4 servers), or a server",
		"rail(2,4,3,spines=1,cores=1)|radix(20)|add(group=a)":     "no group is known here that could be added again: the network can take a pod (4 servers on 2 switches)",
		"rail(2,4,2)|add(server=a)":                               "no server can be added: beside each of the 8 servers a leaf switch lacks free ports",
		"rail(2,4,2)|add(server=a,like=spine 1)":                  "has no servers",
		"rail(2,4,2)|radix(20)|add(pod=pod 1)":                    `a node is called "pod 1 rail 0" already`,
		"fat648|move(link=host 3,to=leaf 6)":                      "has no free port",
		"fat648|move(link=host 3,to=leaf 6[1])":                   "is cabled already",
		"fat648|move(link=host 3,to=host 9)":                      "is a CA: a cable is moved to a switch",
		"fat648|move(link=host 3,to=leaf 6[0])":                   "has no port 0 to cable",
		"fat648|radix(40)|move(link=leaf 3 -- spine 2,to=leaf 6)": "2 ends of this cable are in switches: name the one to move",
		"fat648|fail(link=leaf 3)":                                "has 36 cables: name one",
		"fat648|fail(host=leaf 3)":                                "is a switch, not a host",
		"fat648|fail(host=host 3,switch=leaf 3)":                  "fail takes one of",
		"fat648|drain(host=leaf 3)":                               "is a switch, not a host",
		"rail(2,4)|fail(server=leaf 3)":                           `no server is called "leaf 3"`,
		"fat648|drain":                                            "drain takes one of links, share, switches, switch, link, host, server, servers",
	} {
		_, err := Parse(expr)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
}
