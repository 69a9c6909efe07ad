package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/gen/internal/units"
	"weft/fabric/netfile"
	"weft/internal/dumps"
)

// grown is a formula with one unit more than another, and what is added to get it.
type grown struct{ before, what, after string }

// drawGrown draws formulas of all kinds that can grow.
func drawGrown(rng *rand.Rand) grown {
	n := func(from, to int) int { return from + rng.IntN(to-from+1) }
	switch k, s, p := n(2, 4), n(1, 4), n(1, 4); rng.IntN(11) {
	case 0:
		rail := fmt.Sprintf("rail(%d,%d,%%d,spines=%d,width=%d)|radix(40)", k, s, n(1, 4), n(1, 2))
		return grown{fmt.Sprintf(rail, p), "pod", fmt.Sprintf(rail, p+1)}
	case 1: // each rail is a tree of its own
		rail := fmt.Sprintf("rail(%d,%d,%%d,spines=%d,cores=%d)|radix(40)", k, s, n(1, 3), n(1, 2))
		return grown{fmt.Sprintf(rail, p+1), []string{"leaf", "pod"}[rng.IntN(2)], fmt.Sprintf(rail, p+2)}
	case 2:
		tree := fmt.Sprintf("pgft(2;%d,%%d;%d,%d;%d,%d)|radix(40)", n(1, 5), n(1, 2), n(1, 4), n(1, 2), n(1, 2))
		return grown{fmt.Sprintf(tree, p), "leaf", fmt.Sprintf(tree, p+1)}
	case 3:
		tree := fmt.Sprintf("pgft(3;%d,%d,%%d;%d,%d,%d;%d,%d,%d)|radix(40)", n(1, 3), n(2, 3), n(1, 2), n(1, 3), n(1, 3), n(1, 2), n(1, 2), n(1, 2))
		return grown{fmt.Sprintf(tree, p+1), "pod", fmt.Sprintf(tree, p+2)} // above a single pod the roots look like leaves
	case 4:
		tree := fmt.Sprintf("xgft(2;%d,%%d;%d,%d)|radix(40)", n(2, 4), n(2, 3), n(1, 3))
		return grown{fmt.Sprintf(tree, p+1), "pod", fmt.Sprintf(tree, p+2)}
	case 5:
		tree := fmt.Sprintf("xgft(1;%%d;%d)|radix(40)", n(2, 4))
		return grown{fmt.Sprintf(tree, p), "leaf", fmt.Sprintf(tree, p+1)}
	case 6: // as many cables between two groups as a group has switches
		name, size := "dragonfly", fmt.Sprint(n(1, 5))
		if rng.IntN(2) == 0 {
			name, size = "dragonflyplus", fmt.Sprintf("%d,%d", n(2, 3), n(2, 3))
		}
		g := n(3, 5)
		fly := name + "(" + size + fmt.Sprintf(",%d,%%d,groups=%%d)|radix(40)", n(1, 3))
		return grown{fmt.Sprintf(fly, g-1, g), "group", fmt.Sprintf(fly, g, g+1)}
	case 7:
		tree := fmt.Sprintf("pgft(2;%d,%%d;1,%d;1,%d)|planes(%d)|radix(40)", n(1, 5), n(1, 4), n(1, 2), k)
		return grown{fmt.Sprintf(tree, p), "leaf", fmt.Sprintf(tree, p+1)}
	case 8:
		tree := fmt.Sprintf("pgft(3;%d,%d,%%d;1,%d,%d;1,1,1)|planes(2)|radix(40)", n(1, 3), n(2, 3), n(1, 3), n(1, 3))
		return grown{fmt.Sprintf(tree, p+1), "pod", fmt.Sprintf(tree, p+2)}
	case 9: // groups of pods
		pods := n(1, 2)
		rail := fmt.Sprintf("rail(%d,%d,%%d,spines=%d,cores=%d,groups=%%d)|radix(40)", k, s, n(1, 2), n(1, 2))
		return grown{fmt.Sprintf(rail, pods*(p+1), p+1), "group", fmt.Sprintf(rail, pods*(p+2), p+2)}
	default:
		mesh := fmt.Sprintf("fullmesh(%%d,hosts=%d,width=%d)|radix(40)", n(1, 4), n(1, 2))
		return grown{fmt.Sprintf(mesh, p+2), "group", fmt.Sprintf(mesh, p+3)}
	}
}

// A network with another unit is the network of the formula that has one more, whatever its nodes
// are called.
func TestAddUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 4))
	seen := map[string]int{}
	for range 120 {
		c := drawGrown(rng)
		f := parse(t, c.before)
		if rng.IntN(2) == 0 && !strings.HasPrefix(c.before, "dragonfly") { // here switches of one number form cliques too
			anonymous(f)
		}
		got, err := Apply(f, "add("+c.what+"=new unit)")
		if err != nil {
			t.Fatalf("%s: %v", c.before, err)
		}
		if !sameNetwork(got, parse(t, c.after)) {
			t.Fatalf("%s with another %s is not %s", c.before, c.what, c.after)
		}
		name, _, _ := strings.Cut(c.before, "(")
		seen[fmt.Sprint(name, c.what, strings.Contains(c.before, "planes"))]++
	}
	if len(seen) != 12 {
		t.Errorf("%v", seen)
	}
}

// A group without servers gets cables to a new group as the others do.
func TestAddGroupBesideEmptyOne(t *testing.T) {
	for before, after := range map[string]string{
		"fullmesh(4,hosts=2)|radix(20)":       "fullmesh(5,hosts=2)|radix(20)",
		"dragonfly(2,1,3,groups=4)|radix(20)": "dragonfly(2,1,4,groups=5)|radix(20)",
	} {
		got := parse(t, before+"|without(hosts=0-1)|add(group=new)")
		if !sameNetwork(got, parse(t, after+"|without(hosts=0-1)")) {
			t.Errorf("%s without the servers of a group, with another group, is not %s", before, after)
		}
	}
}

// anonymous takes away the descriptions of all switches.
func anonymous(f *fabric.Fabric) {
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			n.Desc = "Quantum Mellanox Technologies"
		}
	}
}

// The pods of a real cluster are those that its switches are numbered by, whoever gave the ports
// out; those of another are called by no names at all.
func TestUnitsDump(t *testing.T) {
	for _, c := range []struct {
		dump                  string
		pods, ports, switches int // host ports and switches of all pods
		number                func(desc string) string
	}{
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", 8, 542, 31, func(desc string) string {
			name, _, _ := strings.Cut(desc, ":")
			return name[strings.LastIndex(name, "-"):]
		}},
		{"ndr-sequoia/ibdiagnet2.ibnetdiscover", 1, 256, 8, func(string) string { return "" }},
	} {
		f, _, err := netfile.Read(c.dump, dumps.Read(t, c.dump), netfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := units.New(f)
		n.Find()
		ports, switches, numbers := 0, 0, map[string]bool{}
		for _, u := range n.Pods {
			l := n.LikenessOf(&u)
			ports, switches = ports+l.Ports, switches+l.Switches
			number := c.number(f.Nodes[u.Switches[0]].Desc)
			for _, s := range u.Switches {
				if c.number(f.Nodes[s].Desc) != number {
					t.Errorf("%s: %s is in a pod with %s", c.dump, f.NodeName(s), f.NodeName(u.Switches[0]))
				}
			}
			numbers[number] = true
		}
		if len(n.Pods) != c.pods || len(numbers) != c.pods || ports != c.ports || switches != c.switches {
			t.Errorf("%s: %d pods (%d numbers) of %d host ports on %d switches", c.dump, len(n.Pods), len(numbers), ports, switches)
		}
	}
}

// splitServers makes an adapter of its own of every port of a host, with the description and the
// system image GUID that the functions give.
func splitServers(t *testing.T, f *fabric.Fabric, desc func(host string, port int) string, system func(fabric.GUID, int) fabric.GUID) *fabric.Fabric {
	t.Helper()
	out := f.Without(func(id fabric.NodeID) bool { return !nodes.IsSwitch(f, id) }, nil)
	for id := range f.Nodes {
		n := &f.Nodes[id]
		if n.Type == fabric.Switch {
			continue
		}
		for p, l := range f.Cabled(fabric.NodeID(id), nil) {
			made, err := out.AddNode(fabric.CA, n.GUID+16*fabric.GUID(p), 1, desc(n.Desc, int(p)))
			if err != nil {
				t.Fatal(err)
			}
			out.Nodes[made].SystemGUID = system(n.GUID, int(p))
			out.Nodes[made].Ports[1].GUID = out.Nodes[made].GUID + 1
			there := f.Peer(fabric.End{Node: fabric.NodeID(id), Port: p})
			there.Node, _ = out.NodeByGUID(f.Nodes[there.Node].GUID)
			if _, err := out.Connect(fabric.End{Node: made, Port: 1}, there, f.Links[l].Width, f.Links[l].Speed); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// The adapters of an added server belong together by what held those of its model together, and
// are cabled to the same switches.
func TestAddAdapters(t *testing.T) {
	whole := parse(t, "rail(4,3,2,spines=2)|without(servers=host 4)|radix(20)")
	mlx := func(host string, port int) string {
		return fmt.Sprintf("%s mlx5_%d", strings.ReplaceAll(host, "host ", "n"), port)
	}
	firmware := func(string, int) string { return "MT4129 ConnectX7   Mellanox Technologies" }
	own := func(guid fabric.GUID, port int) fabric.GUID { return guid + fabric.GUID(port) }
	board := func(guid fabric.GUID, _ int) fabric.GUID { return guid }
	for name, f := range map[string]*fabric.Fabric{
		"one adapter": whole, "names": splitServers(t, whole, mlx, own), "system images": splitServers(t, whole, firmware, board), "both": splitServers(t, whole, mlx, board),
	} {
		for what, servers := range map[string]int{"server=x9": 1, "server=x9,x10": 2, "pod=x9": 3, "pod=x9,like=pod 1 rail 2": 2, "pod=x9,like=pod 1": 2} {
			got, err := Apply(f, "add("+what+")")
			if err != nil {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			before, after := f.Servers(), got.Servers()
			if len(before.List) != 5 || len(after.List) != 5+servers {
				t.Fatalf("%s: %s: %d servers of %d", name, what, len(after.List), len(before.List))
			}
			for _, s := range after.List {
				var at []string
				for _, adapter := range s.Adapters {
					for peer := range got.SwitchPeers(fabric.NodeID(adapter), nil) {
						pod, rail, _ := strings.Cut(got.Nodes[peer].Desc, " rail ")
						at = append(at, pod+rail)
					}
				}
				for i, pod := range at {
					if len(at) != 4 || pod != at[0][:len(at[0])-1]+fmt.Sprint(i) {
						t.Errorf("%s: %s: %s is cabled to %q", name, what, s.Name, at)
					}
				}
			}
			if what == "server=x9" && strings.Contains(name, "adapter") != (got.Nodes[len(got.Nodes)-1].Desc == "x9") {
				t.Errorf("%s: the server is called %q", name, got.Nodes[len(got.Nodes)-1].Desc)
			}
			for i := range f.Links {
				if f.Links[i] != got.Links[i] {
					t.Fatalf("%s: %s: cable %d is another", name, what, i)
				}
			}
		}
	}
}

// A new server goes where most ports are free, and a group where its cables spread evenly.
func TestAddWhere(t *testing.T) {
	f := parse(t, "rlft(8,2)|without(hosts=8-10)|add(server=x)")
	if at := f.Peer(fabric.End{Node: named(t, f, "x"), Port: 1}).Node; f.Nodes[at].Desc != "leaf 2" {
		t.Errorf("the server is on %s", f.NodeName(at))
	}
	f = parse(t, "dragonfly(4,2,2,groups=7)|radix(20)|add(group=group 7)")
	global := map[string]int{}
	for id := range f.Nodes {
		if !nodes.IsSwitch(f, fabric.NodeID(id)) {
			continue
		}
		n, group := 0, strings.Fields(f.Nodes[id].Desc)[1]
		for peer := range f.SwitchPeers(fabric.NodeID(id), nil) {
			if to := strings.Fields(f.Nodes[peer].Desc)[1]; to != group {
				n++
				if group == "7" {
					global["to "+to]++
				}
			}
		}
		global[fmt.Sprint("of ", group == "7", n)]++
	}
	if len(global) != 7+4 || global["to 3"] != 1 || global["of true 2"] != 3 || global["of true 1"] != 1 || global["of false 2"] != 21 || global["of false 3"] != 7 {
		t.Error(global)
	}
}
