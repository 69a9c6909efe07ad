package gen

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// design is a network as it is published: what its document says, and nothing that follows from it.
type design struct {
	expr                string
	plane               string // prefix of its switches, "" for all but storage
	servers, hostPorts  int
	leaf, spine, core   int
	leafSpine, spineTop int // cables
	radix               int // ports of its switches
}

// NVIDIA DGX SuperPOD, RA-11333-001 V11 (2023-09-22): Table 3, page 9, "Larger SuperPOD component
// counts", and Table 4, page 11, "Compute fabric component count" (QM9700 switches of 64 ports).
// The same rows, and two scalable units of 64 nodes, are in that of the DGX B200: docs.nvidia.com,
// dgx-superpod/reference-architecture-scalable-infrastructure-b200 (dgx-superpod-architecture).
// Cables "Compute + UFM" are those of servers and UFM appliances.
var superpods = []design{
	{"superpod127", "", 127 + 2, 1020, 32, 16, 0, 1024, 0, 64},
	{"rail(8,32,1,spines=4,width=8,hosts=31)", "", 31, 252 - 4, 8, 4, 0, 256, 0, 64},
	{"rail(8,32,2,spines=8,width=4,hosts=63)", "", 63, 508 - 4, 16, 8, 0, 512, 0, 64},
	{"rail(8,32,3,spines=16,width=2,hosts=95)", "", 95, 764 - 4, 24, 16, 0, 768, 0, 64},
	{"rail(8,32,4,spines=16,width=2,hosts=127)", "", 127, 1020 - 4, 32, 16, 0, 1024, 0, 64},
	{"rail(8,32,2,spines=8,width=4)", "", 64, 512, 16, 8, 0, 512, 0, 64},
	{"rail(8,32,4,spines=16,width=2)", "", 128, 1024, 32, 16, 0, 1024, 0, 64},
	{"rail(8,32,8,spines=32)", "", 256, 2048, 64, 32, 0, 2048, 0, 64},
	{"superpod512", "", 512, 4096, 128, 128, 64, 4096, 4096, 64},
	{"rail(8,32,32,spines=32,cores=4,up=8)", "", 1024, 8192, 256, 256, 128, 8192, 8192, 64},
	{"rail(8,32,64,spines=32,groups=2,cores=8,up=4)", "", 2048, 16384, 512, 512, 256, 16384, 16384, 64},
}

// NVIDIA DGX SuperPOD, DGX B300 with XDR: Table 3 of docs.nvidia.com, dgx-superpod/
// reference-architecture/scalable-infrastructure-b300-xdr (dgx-superpod-architecture), for switches
// of 144 ports (Q3400). Its 1,296 nodes have 10,368 GPUs, as the cables say, not 9,216.
var superpodsXDR = []design{
	{"rail(8,72,1,spines=4,width=18)", "", 72, 576, 8, 4, 0, 576, 0, 144},
	{"rail(8,72,2,spines=8,width=9)", "", 144, 1152, 16, 8, 0, 1152, 0, 144},
	{"rail(8,72,4,spines=18,width=4)", "", 288, 2304, 32, 18, 0, 2304, 0, 144},
	{"rail(8,72,8,spines=36,width=2)", "", 576, 4608, 64, 36, 0, 4608, 0, 144},
	{"rail(8,72,18,spines=72)", "", 1296, 10368, 144, 72, 0, 10368, 0, 144},
}

// Apetops, networks for 512 H100 servers: apetops.com/AIxueyuan/256.html (in Chinese). Compute:
// four SuperPods of four units of 32 servers, rail groups of 4 leaves and 4 spines, 80 switches
// each with the cores. Storage: one port a server, two levels without oversubscription, 37 leaves
// and 20 spines of the QM8700 kind (40 ports). It counts no cables, and names no number of storage
// ports: 20 ports a leaf leave room for 228.
var railGroups = []design{
	{"railgroups512", "", 512, 8 * 512, 4 * 32, 4 * 32, 4 * 16, 4096, 4096, 64},
	{"railgroups512", "storage ", 512 + 228, 740, 37, 20, 0, 740, 0, 40},
}

// Alibaba HPN 7.0, a pod with two planes: eight segments of 128 servers with 16 ports (8,192 GPUs),
// 16 leaves a segment with 128 ports down and 64 up. As told in "A brief talk about computing power
// network: Alibaba Cloud Wanka cluster networking practice" (article.woter.ai, 2025). That a leaf
// has one cable to each of 64 spines of its plane is our reading. Ethernet.
var hpnDesign = design{"rail(8,128,8,spines=64)|planes(2)", "", 1024, 16 * 1024, 8 * 16, 2 * 64, 0, 8 * 16 * 64, 0, 192}

// Meta's Research SuperCluster: 2,000 DGX A100 with 16,000 GPUs, "48,000 links and 2,000 switches"
// (a talk of May 2023, as told in blog.thomarite.uk/index.php/2023/05/29/amd-mi300-meta-dc). Three
// whole levels of 40-port switches over 16,000 ports have exactly these sums; that the servers are
// in rails and in groups of 400 is our reading. No count of its storage network is published.
var rscDesign = design{"rsc", "", 2000, 16000, 800, 800, 400, 16000, 16000, 40}

func TestPublishedDesigns(t *testing.T) {
	for _, table := range [][]design{superpods, superpodsXDR, railGroups, {hpnDesign, rscDesign}} {
		for _, want := range table {
			if got := designOf(t, want.expr, want.plane, want.radix); got != want {
				t.Errorf("%s %s\ngot  %+v\nwant %+v", want.expr, want.plane, got, want)
			}
		}
	}
	d := rscDesign
	if links := d.hostPorts + d.leafSpine + d.spineTop; links != 48000 || d.leaf+d.spine+d.core != 2000 {
		t.Errorf("%d links", links)
	}
}

// designOf counts the servers, switches and cables of a plane.
func designOf(t *testing.T, expr, plane string, radix int) design {
	f := parse(t, expr)
	d, level := design{expr: expr, plane: plane, radix: radix}, Levels(f)
	inside := func(id fabric.NodeID) bool {
		return nodes.IsSwitch(f, id) && (plane != "" && strings.HasPrefix(f.Nodes[id].Desc, plane) || plane == "" && !strings.HasPrefix(f.Nodes[id].Desc, "storage "))
	}
	counted := map[fabric.NodeID]bool{}
	for i := range f.Nodes {
		if id := fabric.NodeID(i); inside(id) {
			*[]*int{&d.leaf, &d.spine, &d.core}[level[id]]++
			d.radix = max(d.radix, f.Nodes[id].NumPorts())
		}
	}
	for i := range f.Links {
		a, b := f.Links[i].A.Node, f.Links[i].B.Node
		switch {
		case inside(a) && inside(b):
			*[]*int{nil, &d.leafSpine, &d.spineTop}[max(level[a], level[b])]++
		case inside(a) || inside(b):
			d.hostPorts++
			for _, id := range []fabric.NodeID{a, b} {
				if !nodes.IsSwitch(f, id) && !counted[id] {
					counted[id] = true
					d.servers++
				}
			}
		}
	}
	return d
}

// TestRailAligned: in each of these designs the ports of one number of the servers of a unit share
// a leaf (RA-11333-001, page 11: "always one hop away"), and the leaves of a server differ.
func TestRailAligned(t *testing.T) {
	for _, expr := range []string{"superpod127", "superpod512", "railgroups512", "rsc"} {
		f := parse(t, expr)
		k := map[string]int{"rsc": 20}[expr]
		if k == 0 {
			k = 32
		}
		on := map[[2]int]fabric.NodeID{} // by unit and port
		for i, v := range f.Servers().List {
			h := fabric.NodeID(v.Adapters[0])
			if f.Nodes[h].NumPorts() < 8 {
				continue
			}
			seen := map[fabric.NodeID]bool{}
			for p := uint8(1); p <= 8; p++ {
				leaf := f.Peer(fabric.End{Node: h, Port: p}).Node
				at := [2]int{i / k, int(p)}
				if first, met := on[at]; met && first != leaf || seen[leaf] {
					t.Fatalf("%s: port %d of %s is on %s", expr, p, v.Name, f.NodeName(leaf))
				}
				on[at], seen[leaf] = leaf, true
			}
		}
	}
}
