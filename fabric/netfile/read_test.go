package netfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
	"weft/internal/dumps"
)

// allSystems are the definitions of systems among the dumps that are no part of the project.
func allSystems(tb testing.TB) fs.FS {
	tb.Helper()
	return os.DirFS(dumps.Path(tb, "vendor-topo/ibnl"))
}

// counts holds facts about a fabric that are known from elsewhere.
type counts struct {
	switches, hosts          int
	switchLinks, switchHosts int // links switch to switch, switch to host
	warnings                 int
}

func countOf(f *fabric.Fabric, warnings []lines.Warning) counts {
	c := counts{warnings: len(warnings)}
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			c.switches++
		} else {
			c.hosts++
		}
	}
	for i := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(i)) {
			c.switchLinks++
		} else {
			c.switchHosts++
		}
	}
	return c
}

// fabrics are all dumps of topologies, with the copy that the project has where it may
// have one.
var fabrics = []struct {
	dump, copy string
	want       counts
}{
	{"janus/ibnetdiscover-2014-02-12.txt", "", counts{214, 1356, 2812, 1356, 0}},
	{"ndr-dgx/ibnetdiscover-2025-08-06.txt", "", counts{40, 582, 532, 582, 0}},
	{"ndr-sequoia/ibdiagnet2.ibnetdiscover", "", counts{9, 263, 8, 263, 0}},
	{"ndr-sequoia/ibdiagnet2.lst", "", counts{9, 263, 8, 263, 0}},
	{"ndr-sequoia/ibdiagnet2.net_dump", "", counts{9, 263, 8, 263, 0}},
	{"sx6036-loginov/ibnetdiscover-2014-10-05.txt", netfiletest.ExampleFiles + "sx6036.ibnetdiscover", counts{8, 144, 47, 145, 0}},
	{"psmn-x5/X5.topofile", netfiletest.ExampleFiles + "psmn-x5.ibnetdiscover", counts{11, 89, 70, 89, 0}},
	{"trinityx-lab/ibnetdiscover-2023-12-18.txt", netfiletest.ExampleFiles + "trinityx.ibnetdiscover", counts{6, 96, 48, 96, 0}},
	{"swlab/subnet.lst", netfiletest.ExampleFiles + "swlab.lst", counts{62, 3, 169, 3, 0}},
	{"vendor-topo/lst/RhinoBased512.lst", "", counts{216, 512, 2752 - 512, 512, 1}},
	{"vendor-topo/lst/RhinoBased512.no_sp2-3.lst", "", counts{198, 512, 2480 - 512, 512, 1}},

	// Sample 1 says 1x at one end of two links and 4x at the other; sample 3 has
	// three cables from port to port of one switch, and begins with an error line.
	{"small-samples/man-sample-1.topo", "man-sample-1.ibnetdiscover", counts{2, 4, 2, 5, 2}},
	{"small-samples/man-sample-2.topo", "man-sample-2.ibnetdiscover", counts{1, 2, 0, 2, 0}},
	{"small-samples/man-sample-3.topo", "man-sample-3.ibnetdiscover", counts{2, 6, 3 + 1, 6, 1}},
	{"small-samples/man-sample-4.topo", "man-sample-4.ibnetdiscover", counts{1, 1, 0, 1, 0}},
	{"small-samples/ufm-small.txt", "ufm-small.ibnetdiscover", counts{2, 13, 2 + 1, 13, 0}},
	{"ibsim-examples/net", "ibsim-net", counts{2, 2, 2, 2, 0}},
	{"ibsim-examples/net.1", "ibsim-net.1", counts{1, 2, 0, 2, 0}},
	{"ibsim-examples/net.2sw2path", "ibsim-net.2sw2path", counts{2, 2, 2, 2, 0}},
	{"ibsim-examples/net.2sw2path4hca", "ibsim-net.2sw2path4hca", counts{2, 4, 2, 4, 0}},
	{"ibsim-examples/net.2sw2path4hca2port", "ibsim-net.2sw2path4hca2port", counts{2, 2, 2, 4, 0}},

	// k-ary n-trees: k^n hosts, n*k^(n-1) switches, (n-1)*k^n links between them.
	{"vendor-topo/topo/12-ary-2-tree.topo", "", counts{2 * 12, 144, 144, 144, 0}},
	{"vendor-topo/topo/2-ary-4-tree.topo", "2-ary-4-tree.topo", counts{4 * 8, 16, 3 * 16, 16, 0}},
	{"vendor-topo/topo/4-ary-2-tree.topo", "4-ary-2-tree.topo", counts{2 * 4, 16, 16, 16, 0}},
	{"vendor-topo/topo/4-ary-3-tree.topo", "4-ary-3-tree.topo", counts{3 * 16, 64, 2 * 64, 64, 0}},
	{"vendor-topo/topo/4-ary-4-tree.topo", "", counts{4 * 64, 256, 3 * 256, 256, 0}},
	{"vendor-topo/topo/half-4-ary-3-tree.topo", "", counts{24, 32, 64, 32, 0}},
	{"vendor-topo/topo/blend-4-ary-2-tree.topo", "", counts{8, 16, 16, 16, 0}},
	// Damaged on purpose: two cables to hosts and one between switches missing; a
	// root merged with another; links between switches of one rank.
	{"vendor-topo/topo/4-ary-2-tree-missing-sw-link.topo", "4-ary-2-tree-missing-sw-link.topo", counts{8, 16 - 2, 16 - 1, 16 - 2, 0}},
	{"vendor-topo/topo/merge-roots-4-ary-2-tree.topo", "merge-roots-4-ary-2-tree.topo", counts{8 - 2, 16, 16, 16, 0}},
	{"vendor-topo/topo/merge-root-12-ary-2-tree.topo", "", counts{24, 144, 144, 144, 0}},
	{"vendor-topo/topo/4-ary-2-tree-diff-num-pgroups.topo", "", counts{8, 16, 15, 16, 0}},
	{"vendor-topo/topo/4-ary-2-tree-links-at-same-rank-1.topo", "", counts{8, 16, 19, 16, 0}},
	{"vendor-topo/topo/4-ary-2-tree-links-at-same-rank-2.topo", "", counts{7, 16, 14, 16, 0}},
	{"vendor-topo/topo/12-node-spaced.topo", "12-node-spaced.topo", counts{8, 12, 16, 12, 0}},
	// 8 leaves of 4 hosts, 8 middle and 4 top switches.
	{"vendor-topo/topo/32nodes-3lvl-is1.topo", "", counts{20, 32, 2 * 32, 32, 0}},
	{"vendor-topo/topo/32nodes-3lvl-is1-cbb2.topo", "", counts{20, 32, 2 * 16, 32, 0}},
	{"vendor-topo/topo/32nodes-3lvl-is1-cbb2-2st.topo", "", counts{20, 32, 32 + 16, 32, 0}},
	// 128 hosts on 11 leaves of 12, each with 12 cables up to 6 spines, but the
	// last with 8.
	{"vendor-topo/topo/IS3-128.topo", "", counts{11 + 6, 128, 10*12 + 8, 128, 0}},
	// 6 switches of 8 ports: 16 cables to each level.
	{"vendor-topo/topo/clusters-Buffalo8.topo", "", counts{6, 14, 16, 14, 0}},
	// A Gnu is 6 chips of 8 ports, 16 of them outside: (48-16)/2 inside.
	{"vendor-topo/topo/FullGnu.topo", "", counts{6, 16, 16, 16, 0}},
	{"vendor-topo/topo/IS1-16.topo", "", counts{6, 16, 16, 16, 0}},
	{"vendor-topo/topo/clusters-FullGnu.topo", "", counts{6, 16, 16, 16, 0}},
	{"vendor-topo/topo/gnu-stallion-64.topo", "gnu-stallion-64.topo", counts{16 + 4*6, 64, 64 + 4*16, 64, 0}},
	// A Gazelle has 8 leaf boards of 7 chips and 4 spine boards of 3: 12 cables
	// inside each leaf board and 12 from it.
	{"vendor-topo/topo/clusters-SingleGazelle.topo", "clusters-SingleGazelle.topo", counts{8*7 + 4*3, 96, 8*12 + 8*12, 96, 0}},
	// An MTS14400 has 12 leaf chips and 6 spine chips, 12 cables up from a leaf.
	{"vendor-topo/topo/clusters-SingleRhino.topo", "", counts{18, 144, 144, 144, 0}},
	{"vendor-topo/topo/RhinoDDR.topo", "", counts{18, 144, 144, 144, 0}},
	{"vendor-topo/topo/RhinoBased512Nodes.topo", "", counts{12 * 18, 512, 12*144 + 512, 512, 0}},
	// 3 leaves around an MTS14400 with 10 of its 12 leaf boards removed.
	{"vendor-topo/topo/IS3-loop.topo", "IS3-loop.topo", counts{3 + 2 + 6, 36, 24 + 2*12, 36, 0}},
}

func TestCounts(t *testing.T) {
	for _, c := range fabrics {
		if c.copy == "" {
			continue
		}
		t.Run(path.Base(c.copy), func(t *testing.T) {
			testCounts(t, c.copy, netfiletest.File(t, c.copy), netfiletest.Systems(), c.want)
		})
	}
}

func TestDumpCounts(t *testing.T) {
	systems := allSystems(t)
	for _, c := range fabrics {
		t.Run(c.dump, func(t *testing.T) {
			testCounts(t, c.dump, dumps.Read(t, c.dump), systems, c.want)
		})
	}
}

// TestCopiesOfDumps: what the project has of dumps is byte for byte as they are.
func TestCopiesOfDumps(t *testing.T) {
	dumps.Dir(t)
	same := func(copied, dump string) {
		t.Run(path.Base(copied), func(t *testing.T) {
			if !bytes.Equal(netfiletest.File(t, copied), dumps.Read(t, dump)) {
				t.Errorf("testdata/%s differs from %s", copied, dump)
			}
		})
	}
	for _, c := range fabrics {
		if c.copy != "" {
			same(c.copy, c.dump)
		}
	}
	systems, err := fs.Glob(netfiletest.Systems(), "*.ibnl")
	if err != nil || len(systems) == 0 {
		t.Fatalf("no systems in testdata: %v", err)
	}
	for _, name := range systems {
		same("ibnl/"+name, "vendor-topo/ibnl/"+name)
	}
	same(netfiletest.ExampleFiles+"swlab.fdbs", "swlab/osm.fdbs")
	for _, ending := range []string{"map", "spine", "topology.conf"} {
		same("psmn-x5."+ending, "psmn-x5/X5."+ending)
	}
}

func testCounts(t *testing.T, name string, data []byte, systems fs.FS, want counts) {
	f, warnings, err := Read(name, data, Options{Systems: systems})
	if err != nil {
		t.Fatal(err)
	}
	if got := countOf(f, warnings); got != want {
		t.Errorf("got %+v, want %+v\n%v", got, want, warnings)
	}
	netfiletest.CheckFabric(t, f)
	if _, n := f.Compile().Components(); n != 1 {
		t.Errorf("%d components, want 1", n)
	}
	again, _, err := Read(name, data, Options{Systems: systems})
	if err != nil {
		t.Fatal(err)
	}
	if d := fabric.Diff(f, again); len(d) != 0 {
		t.Errorf("reading twice gives different fabrics: %v", d)
	}
}

// cables lists the links of a fabric by node GUID and port, in one direction.
func cables(f *fabric.Fabric) map[string]bool {
	m := map[string]bool{}
	for _, l := range f.Links {
		a := fmt.Sprintf("%s[%d]", f.Nodes[l.A.Node].GUID, l.A.Port)
		b := fmt.Sprintf("%s[%d]", f.Nodes[l.B.Node].GUID, l.B.Port)
		m[min(a, b)+" "+max(a, b)+" "+fmt.Sprintf("%dx%s", l.Width, l.Speed)] = true
	}
	return m
}

// One fabric in three formats of ibdiagnet: the same cables, at the same rate,
// the same LIDs and descriptions.
func TestThreeDumpsAgree(t *testing.T) {
	var first *fabric.Fabric
	for _, name := range []string{"ibdiagnet2.ibnetdiscover", "ibdiagnet2.lst", "ibdiagnet2.net_dump"} {
		f, _, err := Read(name, dumps.Read(t, "ndr-sequoia/"+name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = f
			continue
		}
		a, b := cables(first), cables(f)
		for c := range a {
			if !b[c] {
				t.Errorf("%s lacks %s", name, c)
			}
		}
		if len(a) != len(b) {
			t.Errorf("%s has %d cables, %s %d", first.Name, len(a), name, len(b))
		}
		for i := range first.Nodes {
			x := &first.Nodes[i]
			id, _ := f.NodeByGUID(x.GUID)
			y := &f.Nodes[id]
			p := 1
			if x.Type == fabric.Switch {
				p = 0
			}
			if x.Desc != y.Desc || x.Type != y.Type || x.Ports[p].LID != y.Ports[p].LID || x.Ports[p].GUID != y.Ports[p].GUID || len(x.Ports) != len(y.Ports) {
				t.Errorf("%s: %s is %+v", name, first.NodeName(fabric.NodeID(i)), y)
			}
		}
	}
}

// RhinoBased512.lst was made from RhinoBased512Nodes.topo: between every two
// systems there are as many cables in both.
func TestTopoAndLSTDumpsAgree(t *testing.T) {
	lst, _, err := Read("lst", dumps.Read(t, "vendor-topo/lst/RhinoBased512.lst"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	topo, _, err := Read("topo", dumps.Read(t, "vendor-topo/topo/RhinoBased512Nodes.topo"),
		Options{Systems: allSystems(t)})
	if err != nil {
		t.Fatal(err)
	}
	a, b := systemCables(lst, " "), systemCables(topo, "/")
	if len(a) < 500 {
		t.Fatalf("only %d pairs of systems", len(a))
	}
	for k, n := range a {
		if b[k] != n {
			t.Errorf("%s: %d cables in the lst, %d in the topo", k, n, b[k])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d pairs in the lst, %d in the topo", len(a), len(b))
	}
}

// systemCables counts the cables between two systems, which are what comes
// before a separator in a description.
func systemCables(f *fabric.Fabric, sep string) map[string]int {
	m := map[string]int{}
	for _, l := range f.Links {
		a, _, _ := strings.Cut(f.Nodes[l.A.Node].Desc, sep)
		b, _, _ := strings.Cut(f.Nodes[l.B.Node].Desc, sep)
		m[fmt.Sprintf("%s %s %dx%s", min(a, b), max(a, b), l.Width, l.Speed)]++
	}
	return m
}

// chassis is a chassis that a file of the vendor defines, with its chips and inner cables.
type chassis struct {
	system   string
	chips    int
	cables   int
	warnings int
}

// TestChassis tests those whose definition the project has.
func TestChassis(t *testing.T) {
	testChassis(t, netfiletest.Systems(), []chassis{
		{"MTS14400", 12 + 6, 12 * 12, 0},
		{"Gnu", 6, 16, 0},
		{"Gazelle", 68, 192, 0},
	})
}

func TestDumpChassis(t *testing.T) {
	testChassis(t, allSystems(t), []chassis{
		{"IS5100", 6 + 3, 6 * 18, 0},
		{"IS5200", 12 + 6, 12 * 18, 0},
		{"IS5300", 18 + 9, 18 * 18, 0},
		{"MTS3610", 18 + 9, 18 * 18, 0},
		{"MIS5600", 36 + 18, 36 * 18, 0},
		{"SUNDCS72QDR", 4 + 2, 4 * 18, 0},
		{"SUNDCS648QDR", 36 + 18, 36 * 18, 1}, // one wire to a connector P140
		{"SUNBQNEM48", 2, 9, 0},
		{"MTS14400-DDR", 12 + 6, 12 * 12, 0},
		{"MTS14400-IntraDDR", 12 + 6, 12 * 12, 0},
		// 12x ports: 4 cables from each leaf; spine boards of 6 chips with 12 cables.
		{"MTS14400-48", 12 + 2*6, 12*4 + 2*12, 0},
		{"SUNDCS36QDR", 1, 0, 0},
	})
}

func testChassis(t *testing.T, systems fs.FS, list []chassis) {
	for _, c := range list {
		t.Run(c.system, func(t *testing.T) {
			data := []byte(c.system + " X\nMTS800 Y\n P1 -> MTS800 Z P1\n")
			f, w, err := Read("x.topo", data, Options{Systems: systems})
			if err != nil {
				t.Fatal(err)
			}
			netfiletest.CheckFabric(t, f)
			if got, want := countOf(f, w), (counts{c.chips + 2, 0, c.cables + 1, 0, c.warnings}); got != want {
				t.Errorf("got %+v, want %+v\n%v", got, want, w)
			}
		})
	}
}
