package rails_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/rails"
)

// net is a network that a test cables port by port.
type net struct {
	t testing.TB
	*fabric.Fabric
	node map[string]fabric.NodeID
	used map[fabric.NodeID]uint8
}

func newNet(t testing.TB) *net {
	return &net{t, fabric.New("test"), map[string]fabric.NodeID{}, map[fabric.NodeID]uint8{}}
}

// get returns the node with this description, a switch if it begins with a capital.
func (n *net) get(name string) fabric.NodeID {
	id, ok := n.node[name]
	if !ok {
		typ, guid := fabric.CA, 1<<20+len(n.node)
		if name[0] < 'a' {
			typ, guid = fabric.Switch, len(n.node)+1
		}
		id = mustAdd(n.t.(fataler), n.Fabric, typ, fabric.GUID(guid), 60, name)
		n.node[name] = id
	}
	return id
}

// cable joins port p of a CA to a switch.
func (n *net) cable(ca string, p int, leaf string) {
	n.connect(fabric.End{Node: n.get(ca), Port: uint8(p)}, n.free(leaf))
}

// join joins a switch to others.
func (n *net) join(hub string, names ...string) {
	for _, name := range names {
		n.connect(n.free(hub), n.free(name))
	}
}

// free returns the next free port of a switch.
func (n *net) free(name string) fabric.End {
	id := n.get(name)
	n.used[id]++
	return fabric.End{Node: id, Port: n.used[id]}
}

func (n *net) connect(a, b fabric.End) {
	n.t.Helper()
	if _, err := n.Connect(a, b, 4, fabric.NDR); err != nil {
		n.t.Fatal(err)
	}
}

// found describes the rails that Of finds: "planes rails; switches of each rail; odd ports".
func (n *net) found() string {
	g := n.Compile()
	m := rails.Of(g, g.Servers())
	list := make([][]string, len(m.Rails))
	for s, r := range m.RailOf {
		if r != rails.None {
			list[r] = append(list[r], g.SwitchDesc[s])
		}
	}
	text := fmt.Sprintf("%d planes %d rails", m.Planes, len(m.Rails))
	for _, names := range list {
		slices.Sort(names)
		text += "; " + strings.Join(names, " ")
	}
	for i := range m.Odd {
		text += fmt.Sprintf("; odd %s", g.EndName(m.Odd[i].End).Short())
	}
	return text
}

// gpus adds pods of four servers with four adapters each, and joins their leaves to a spine. Pod A
// has the leaves A0 to A3, one for each rail.
func (n *net) gpus(pods string) {
	for _, pod := range pods {
		for rail := range 4 {
			leaf := fmt.Sprintf("%c%d", pod, rail)
			n.join("SPINE", leaf)
			for server := range 4 {
				n.cable(fmt.Sprintf("gpu%c%d mlx5_%d", pod, server, rail), 1, leaf)
			}
		}
	}
}

// storage adds four servers with two adapters each, on the leaves X0 and X1.
func (n *net) storage() {
	for i := range 4 {
		n.cable(fmt.Sprintf("oss%d mlx5_0", i), 1, "X0")
		n.cable(fmt.Sprintf("oss%d mlx5_1", i), 1, "X1")
	}
}

func TestCases(t *testing.T) {
	for _, c := range []struct {
		what  string
		build func(n *net)
		want  string
	}{
		{"both ports on one leaf", func(n *net) {
			for i := range 8 {
				n.cable(fmt.Sprint("n", i), 1, fmt.Sprint("L", i/4))
				n.cable(fmt.Sprint("n", i), 2, fmt.Sprint("L", i/4))
			}
			n.join("S", "L0", "L1")
		}, "1 planes 0 rails"},
		{"a link and its spare on a pair of leaves", func(n *net) {
			for i := range 8 {
				n.cable(fmt.Sprint("n", i), 1+i%2, "L0")
				n.cable(fmt.Sprint("n", i), 2-i%2, "L1")
			}
			n.join("S", "L0", "L1")
		}, "1 planes 0 rails"},
		{"ports of planes in any order", func(n *net) {
			for i := range 8 {
				n.cable(fmt.Sprint("n", i), 1+i%2, "L0")
				n.cable(fmt.Sprint("n", i), 2-i%2, "L1")
			}
		}, "2 planes 2 rails; L0; L1"},
		{"one server with two ports among others with one", func(n *net) {
			for i := range 8 {
				n.cable(fmt.Sprint("n", i), 1, fmt.Sprint("L", i%2))
			}
			n.cable("m", 1, "L0")
			n.cable("m", 2, "L1")
			n.join("L0", "L1")
		}, "1 planes 0 rails"},
		{"some storage servers with two ports among others with one", func(n *net) {
			for i := range 24 {
				n.cable(fmt.Sprint("n", i), 1, fmt.Sprint("L", i%2))
			}
			for i := range 4 {
				n.cable(fmt.Sprint("oss", i), 1, "L0")
				n.cable(fmt.Sprint("oss", i), 2, "L1")
			}
			n.join("L0", "L1")
		}, "1 planes 0 rails"},
		{"rails for GPUs, a plane for storage", func(n *net) {
			n.gpus("AB")
			for i := range 8 {
				n.cable(fmt.Sprintf("gpu%c%d mlx5_8", "AB"[i/4], i%4), 1, fmt.Sprint("X", i%2))
			}
			n.storage()
			n.join("Y", "X0", "X1")
		}, "2 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"storage servers with two ports below the spines of the rails", func(n *net) {
			n.gpus("AB")
			n.storage()
			n.join("SPINE", "X0", "X1")
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"service nodes on the leaves of rails", func(n *net) {
			n.gpus("AB")
			for i := range 3 {
				n.cable(fmt.Sprintf("ufm%d mlx5_0", i), 1, "A2")
				n.cable(fmt.Sprintf("ufm%d mlx5_1", i), 1, "A3")
				n.cable(fmt.Sprintf("login%d mlx5_3", i), 1, "B0")
			}
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"both ports of an adapter on its rail", func(n *net) {
			for i := range 16 {
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 1, fmt.Sprint("L", i%4))
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 2, fmt.Sprint("L", i%4))
			}
			n.join("S", "L0", "L1", "L2", "L3")
		}, "1 planes 4 rails; L0; L1; L2; L3"},
		{"each port of an adapter in its own plane, which has rails", func(n *net) {
			for i := range 16 {
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 1, fmt.Sprint("P", i%4))
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 2, fmt.Sprint("Q", i%4))
			}
			n.join("S", "P0", "P1", "P2", "P3")
			n.join("T", "Q0", "Q1", "Q2", "Q3")
		}, "2 planes 8 rails; P0; Q0; P1; Q1; P2; Q2; P3; Q3"},
		{"each port of an adapter in its own plane, which has none", func(n *net) {
			for i := range 32 {
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 1, fmt.Sprint("P", i/16))
				n.cable(fmt.Sprintf("n%d mlx5_%d", i/4, i%4), 2, fmt.Sprint("Q", i/16))
			}
			n.join("S", "P0", "P1")
			n.join("T", "Q0", "Q1")
		}, "2 planes 2 rails; P0 P1; Q0 Q1"},
		{"a pod with other adapters", func(n *net) {
			n.gpus("A")
			for rail := range 4 {
				leaf := fmt.Sprint("B", rail)
				n.join("SPINE", leaf)
				for server := range 4 {
					n.cable(fmt.Sprintf("new%d mlx5_%d", server, 6+rail), 1, leaf)
				}
			}
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"a pod whose servers have one more adapter, for storage", func(n *net) {
			n.gpus("AB")
			for server := range 4 {
				n.cable(fmt.Sprintf("gpuB%d mlx5_8", server), 1, "X")
				n.cable(fmt.Sprintf("store%d mlx5_0", server), 1, "X")
			}
		}, "2 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"few servers whose names agree by chance", func(n *net) {
			for i, at := range []int{0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 2, 1} { // descriptions that lie
				n.cable(fmt.Sprintf("lie%d mlx5_%d", i/3, at), 1, fmt.Sprint("A", i%3))
				n.cable(fmt.Sprintf("untrue%d mlx5_%d", i/3, at), 1, fmt.Sprint("B", i%3))
			}
			for i := range 3 {
				n.cable(fmt.Sprintf("one mlx5_%d", 20+i), 1, fmt.Sprint("A", i))
				n.cable(fmt.Sprintf("two mlx5_%d", 20+i), 1, fmt.Sprint("A", i))
				n.cable(fmt.Sprintf("three mlx5_%d", 20+i), 1, fmt.Sprint("B", (i+1)%3))
				n.join(fmt.Sprint("SPINE", i), fmt.Sprint("A", i), fmt.Sprint("B", i))
			}
			n.join("CORE", "SPINE0", "SPINE1", "SPINE2")
		}, "1 planes 3 rails; A0 B0; A1 B1; A2 B2"},
		{"one cable in the leaf of another rail", func(n *net) {
			n.gpus("AB")
			n.cable("gpuA9 mlx5_0", 1, "A0")
			n.cable("gpuA9 mlx5_1", 1, "A1")
			n.cable("gpuA9 mlx5_2", 1, "A3")
			n.cable("gpuA9 mlx5_3", 1, "A3")
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3; odd gpuA9 mlx5_2[1]"},
		{"one cable in another pod", func(n *net) {
			n.gpus("AB")
			n.cable("gpuA9 mlx5_0", 1, "A0")
			n.cable("gpuA9 mlx5_1", 1, "A1")
			n.cable("gpuA9 mlx5_2", 1, "B2") // of its rail all the same
			n.cable("gpuA9 mlx5_3", 1, "A3")
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"servers that lost half of their ports", func(n *net) {
			n.gpus("AB")
			for i := range 3 {
				n.cable(fmt.Sprintf("half%d mlx5_1", i), 1, "A1")
				n.cable(fmt.Sprintf("half%d mlx5_2", i), 1, "A2")
			}
		}, "1 planes 4 rails; A0 B0; A1 B1; A2 B2; A3 B3"},
		{"three planes of which one has no servers", func(n *net) {
			n.gpus("A")
			n.join("LONELY", "OTHER")
		}, "1 planes 4 rails; A0; A1; A2; A3"},
	} {
		n := newNet(t)
		c.build(n)
		if got := n.found(); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
