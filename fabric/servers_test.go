package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
)

// grouped is an adapter of a test: its system image GUID, and its description.
type grouped struct {
	system fabric.GUID
	desc   string
}

// serversOf lists the servers of adapters with node GUIDs from 1 on: "name: sign GUID GUID".
func serversOf(t testing.TB, adapters []grouped) (list []string) {
	t.Helper()
	f := fabric.New("test")
	for i, a := range adapters {
		id, err := f.AddNode(fabric.CA, fabric.GUID(i+1), 1, a.desc)
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].SystemGUID = a.system
	}
	for _, v := range f.Servers().List {
		list = append(list, fmt.Sprintf("%s: %s %d", v.Name, v.Sign, v.Adapters))
	}
	return list
}

// TestServers: which adapters are one machine, by which sign, under which name.
func TestServers(t *testing.T) {
	for _, c := range []struct {
		what     string
		adapters []grouped
		want     []string
	}{
		{"names with devices", []grouped{{1, "n1 HCA-1"}, {2, "n2 mlx5_0"}, {3, "n1 HCA-2"}, {4, "n2 mlx5_1"}, {5, "n3"}},
			[]string{"n1: description [0 2]", "n2: description [1 3]", "n3: node GUID [4]"}},
		{"names of firmware", []grouped{{1, "MT4115 ConnectX4   Mellanox Technologies"}, {1, "MT4115 ConnectX4   Mellanox Technologies"}, {2, "MT4115 ConnectX4   Mellanox Technologies"}},
			[]string{
				"MT4115 ConnectX4   Mellanox Technologies (0x0000000000000001): system image GUID [0 1]",
				"MT4115 ConnectX4   Mellanox Technologies (0x0000000000000003): node GUID [2]",
			}},
		{"installers' names", []grouped{{1, "localhost HCA-1"}, {2, "localhost HCA-2"}, {3, "(none) mlx5_0"}, {4, "(none) mlx5_1"}, {5, "localhost.localdomain mlx5_0"}, {6, "mlx5_0"}, {7, "HCA-1"}, {8, ""}},
			[]string{"localhost HCA-1: node GUID [0]", "localhost HCA-2: node GUID [1]", "(none) mlx5_0: node GUID [2]", "(none) mlx5_1: node GUID [3]",
				"localhost.localdomain mlx5_0: node GUID [4]", "mlx5_0: node GUID [5]", "HCA-1: node GUID [6]", "0x0000000000000008: node GUID [7]"}},
		{"one name given twice", []grouped{{1, "image HCA-1"}, {2, "image HCA-1"}, {3, "image HCA-2"}, {2, "image HCA-2"}},
			[]string{"image HCA-1 (0x0000000000000001): node GUID [0]", "image HCA-1 (0x0000000000000002): system image GUID [1 3]", "image HCA-2: node GUID [2]"}},
		{"machines that share an adapter", []grouped{{1, "n1 mlx5_0"}, {1, "n2 mlx5_0"}, {1, "MT4119 ConnectX5"}},
			[]string{"n1: node GUID [0]", "n2: node GUID [1]", "MT4119 ConnectX5: node GUID [2]"}},
		{"a second port without a name", []grouped{{7, "MT4119 ConnectX5"}, {7, "n1 mlx5_0"}}, []string{"n1: system image GUID [0 1]"}},
		{"numbers are names", []grouped{{1, "host 1"}, {2, "host 12"}}, []string{"host 1: node GUID [0]", "host 12: node GUID [1]"}},
	} {
		if got := serversOf(t, c.adapters); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestServersAlike: a Graph has the servers of its Fabric, whatever the order of its nodes, and
// every adapter is in exactly one.
func TestServersAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fabric.New("test")
		s, err := f.AddNode(fabric.Switch, 1<<40, 64, "switch")
		if err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(1, 20).Draw(t, "adapters") {
			name := rapid.SampledFrom([]string{"a", "b", "localhost", "", "MT4115 ConnectX4"}).Draw(t, "name")
			id, err := f.AddNode(fabric.CA, fabric.GUID(rapid.IntRange(0, 1<<20).Draw(t, "high")<<8+i+1), 1, fmt.Sprintf("%s mlx5_%d", name, rapid.IntRange(0, 3).Draw(t, "device")))
			if err != nil {
				t.Fatal(err)
			}
			f.Nodes[id].SystemGUID = fabric.GUID(rapid.IntRange(0, 5).Draw(t, "system"))
			if _, err := f.Connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: s, Port: uint8(i + 1)}, 4, fabric.EDR); err != nil {
				t.Fatal(err)
			}
		}
		g := f.Compile()
		of, ofEnds := f.Servers(), g.Servers()
		if len(of.List) != len(ofEnds.List) {
			t.Fatalf("%v and %v", of.List, ofEnds.List)
		}
		adapters := 0
		for i := range of.List {
			a, b := &of.List[i], &ofEnds.List[i]
			if a.Name != b.Name || a.GUID != b.GUID || a.Sign != b.Sign || len(a.Adapters) != len(b.Adapters) {
				t.Fatalf("%v and %v", a, b)
			}
			for e := range ofEnds.Ends(g, int32(i)) {
				if id, _ := f.NodeByGUID(g.EndNodeGUID[e]); of.Of[id] != int32(i) {
					t.Fatalf("end %d is of %d", e, of.Of[id])
				}
			}
			adapters += len(a.Adapters)
		}
		if adapters != g.NumHosts {
			t.Fatalf("%d of %d adapters", adapters, g.NumHosts)
		}
	})
}

// TestServersOfFormulas: a host of several ports is one server; switches and aggregation nodes are
// none.
func TestServersOfFormulas(t *testing.T) {
	for formula, want := range map[string]int{"rail(8,32,2,spines=16,width=2)": 64, "rlft(8,2)": 32, "rlft(8,2)|aggregation": 32} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(f.Servers().List); got != want {
			t.Errorf("%s: %d servers, want %d", formula, got, want)
		}
	}
}
