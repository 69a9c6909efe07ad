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
		{
			"names with devices",
			[]grouped{{1, "n1 HCA-1"}, {2, "n2 mlx5_0"}, {3, "n1 HCA-2"}, {4, "n2 mlx5_1"}, {5, "n3"}},
			[]string{"n1: description [0 2]", "n2: description [1 3]", "n3: node GUID [4]"},
		},
		{
			"names of firmware",
			[]grouped{{1, "MT4115 ConnectX4   Mellanox Technologies"}, {1, "MT4115 ConnectX4   Mellanox Technologies"}, {2, "MT4115 ConnectX4   Mellanox Technologies"}},
			[]string{
				"MT4115 ConnectX4   Mellanox Technologies (0x0000000000000001): system image GUID [0 1]",
				"MT4115 ConnectX4   Mellanox Technologies (0x0000000000000003): node GUID [2]",
			},
		},
		{
			"installers' names",
			[]grouped{{1, "localhost HCA-1"}, {2, "localhost HCA-2"}, {3, "(none) mlx5_0"}, {4, "(none) mlx5_1"}, {5, "localhost.localdomain mlx5_0"}, {6, "mlx5_0"}, {7, "HCA-1"}, {8, ""}},
			[]string{
				"localhost HCA-1: node GUID [0]", "localhost HCA-2: node GUID [1]", "(none) mlx5_0: node GUID [2]", "(none) mlx5_1: node GUID [3]",
				"localhost.localdomain mlx5_0: node GUID [4]", "mlx5_0: node GUID [5]", "HCA-1: node GUID [6]", "0x0000000000000008: node GUID [7]",
			},
		},
		{
			"one name given twice",
			[]grouped{{1, "image HCA-1"}, {2, "image HCA-1"}, {3, "image HCA-2"}, {2, "image HCA-2"}},
			[]string{"image HCA-1 (0x0000000000000001): node GUID [0]", "image HCA-1 (0x0000000000000002): system image GUID [1 3]", "image HCA-2: node GUID [2]"},
		},
		{
			"machines that share an adapter",
			[]grouped{{1, "n1 mlx5_0"}, {1, "n2 mlx5_0"}, {1, "MT4119 ConnectX5"}},
			[]string{"n1: node GUID [0]", "n2: node GUID [1]", "MT4119 ConnectX5: node GUID [2]"},
		},
		{"a second port without a name", []grouped{{7, "MT4119 ConnectX5"}, {7, "n1 mlx5_0"}}, []string{"n1: system image GUID [0 1]"}},
		{"names without devices", []grouped{{1, "n1"}, {2, "n2"}, {3, "n1"}, {4, "n2"}, {5, "n3"}}, // RDMA_NDD_ND_FORMAT=%h of rdma-ndd(8)
			[]string{"n1: description [0 2]", "n2: description [1 3]", "n3: node GUID [4]"}},
		{
			"one name without a device given twice",
			[]grouped{{1, "n1"}, {2, "n2"}, {3, "n1"}},
			[]string{"n1 (0x0000000000000001): node GUID [0]", "n2: node GUID [1]", "n1 (0x0000000000000003): node GUID [2]"},
		},
		{
			"with and without a domain, in capitals",
			[]grouped{{1, "N1.site.org mlx5_0"}, {2, "n1 mlx5_1"}, {3, "n1.site.org mlx5_2"}, {4, "n2.a mlx5_0"}, {5, "n2.b mlx5_0"}, {6, "n2 mlx5_1"}, {7, "n3.a mlx5_0"}, {8, "n3 mlx5_0"}},
			[]string{"N1.site.org: description [0 1 2]", "n2.a: node GUID [3]", "n2.b: node GUID [4]", "n2: node GUID [5]", "n3.a: node GUID [6]", "n3: node GUID [7]"},
		},
		{"IP addresses have no domain", []grouped{{1, "10.0.0.1 mlx5_0"}, {2, "10 mlx5_1"}}, []string{"10.0.0.1: node GUID [0]", "10: node GUID [1]"}},
		{
			"adapters with a system of their own",
			[]grouped{{1, "n1-bf mlx5_0"}, {2, "n1 mlx5_0"}, {3, "n1-dpu2 mlx5_0"}, {4, "n2-bf3 mlx5_0"}, {5, "dpu mlx5_0"}},
			[]string{"n1: description [0 1 2]", "n2-bf3: node GUID [3]", "dpu mlx5_0: node GUID [4]"},
		},
		{"numbers are names", []grouped{{1, "host 1"}, {2, "host 12"}}, []string{"host 1: node GUID [0]", "host 12: node GUID [1]"}},
	} {
		if got := serversOf(t, c.adapters); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestHostAndDevice: what descriptions say, and who writes them.
func TestHostAndDevice(t *testing.T) {
	for _, c := range []struct{ desc, host, device string }{
		{"node1 mlx5_0", "node1", "mlx5_0"},                           // rdma-ndd(8): "%h %d" unless set
		{"node1", "node1", ""},                                        // the same page: "%h"
		{"node1 HCA-1", "node1", "HCA-1"},                             // OFED's openibd; dump of Janus
		{"nsn33-28 HCA-1", "nsn33-28", "HCA-1"},                       // Oracle, 835-0784
		{"H_32000 HCA-1 (Mellanox HCA)", "H_32000", "HCA-1"},          // a simulated fabric of NVIDIA
		{"hpcbench-hpc-1 mlx5_ib0", "hpcbench-hpc-1", "mlx5_ib0"},     // device names of Azure
		{"cetus-g88-061 mlx5_bond_0", "cetus-g88-061", "mlx5_bond_0"}, // a bond, as LAG names it
		{"n1 mlx5_1_bond", "n1", "mlx5_1_bond"},
		{"n1 rdma_bond_0", "n1", "rdma_bond_0"},
		{"n1 ibp26s0", "n1", "ibp26s0"}, // rdma-core's names by PCI address
		{"n1 rocep1s0f0", "n1", "rocep1s0f0"},
		{"Intel Infiniband HCA n12", "n12", ""},  // the driver qib
		{"QLogic Infiniband HCA n12", "n12", ""}, // and before Intel bought it
		{"n1 hfi1_0", "n1", "hfi1_0"},
		{"hfi1_0 n1", "n1", "hfi1_0"},
		{"n1-mlx5_0", "n1", "mlx5_0"},
		{"n1.hca-2", "n1", "hca-2"},
		{"n1:mlx5_3", "n1", "mlx5_3"},
		{"'n1' HCA-1", "n1", "HCA-1"},
		{"n1 mlx5_0 port 1", "n1", "mlx5_0"},
		{"n1.example.org mlx5_0", "n1.example.org", "mlx5_0"},
		{"mellanox-lab3 mlx5_0", "mellanox-lab3", "mlx5_0"}, // a host may be called like its vendor
		{"bluefield-rack2 mlx5_0", "bluefield-rack2", "mlx5_0"},
		{"host 12", "host 12", ""},

		{"MT4115 ConnectX4   Mellanox Technologies", "", ""}, // firmware: dump of a DGX cluster
		{"MT25408 ConnectX Mellanox Technologies", "", ""},   // PSMN X5
		{"MT23108 InfiniHost Mellanox Technologies", "", ""}, // ibnetdiscover(8)
		{"MT4129", "", ""},
		{"ConnectX-6", "", ""},
		{"BlueField-3 NVIDIA Corporation", "", ""},
		{"MT4115 mlx5_0", "", "mlx5_0"},
		{"mlx5_0", "", "mlx5_0"},
		{"HCA-1", "", "HCA-1"},
		{"HCA-1 (Mellanox HCA)", "", "HCA-1"},
		{"(none) HCA-1", "", "HCA-1"}, // openibd before the host name is set
		{"localhost HCA-6", "", "HCA-6"},
		{"localhost.localdomain mlx5_0", "", "mlx5_0"},
		{"ubuntu mlx5_1", "", "mlx5_1"}, // dump of a DGX cluster: as installed
		{"unknown mlx5_0", "", "mlx5_0"},
		{"<unset>", "", ""},
		{"", "", ""},
		{"   ", "", ""},
	} {
		if host, device := fabric.HostAndDevice(c.desc); host != c.host || device != c.device {
			t.Errorf("%q: %q and %q, want %q and %q", c.desc, host, device, c.host, c.device)
		}
	}
}

// TestServersBelieveSystemImageGUIDs: of some adapters, but not of far too many.
func TestServersBelieveSystemImageGUIDs(t *testing.T) {
	for adapters, want := range map[int]int{2: 1, 16: 1, 17: 17} {
		if got := len(serversOf(t, slices.Repeat([]grouped{{7, "MT4119 ConnectX5"}}, adapters))); got != want {
			t.Errorf("%d adapters with one system image GUID are %d servers, want %d", adapters, got, want)
		}
		// Another repeated name lets names without a device stand for several adapters.
		named := []grouped{{1000, "other"}, {1001, "other"}}
		for i := range adapters {
			named = append(named, grouped{fabric.GUID(i + 1), "clone"})
		}
		if got := len(serversOf(t, named)); got != want+1 {
			t.Errorf("%d adapters with one name are %d servers, want %d", adapters, got-1, want)
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
			name := rapid.SampledFrom([]string{"a", "b", "A.site", "a-bf", "localhost", "", "MT4115 ConnectX4"}).Draw(t, "name")
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
