package rails_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/rails"
	"weft/internal/dumps"
)

// counts are those of a dump, counted with awk.
type counts struct {
	servers map[int]int // by number of host ports
	ports   []int       // by rail
	leaves  []int
	odd     []string // descriptions of CAs
}

// compare reads a dump and compares its servers and rails with the counts; rail returns the rail of
// a host port by the names in the dump, None where they do not say.
func compare(t *testing.T, name string, data []byte, want counts, rail func(g *fabric.Graph, e int32) int32) {
	t.Helper()
	f, _, err := netfile.Read(name, data, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	servers := g.Servers()
	m := rails.Of(g, servers)
	got := counts{servers: map[int]int{}}
	for i := range servers.List {
		n := 0
		for range servers.Ends(g, int32(i)) {
			n++
		}
		got.servers[n]++
	}
	for i := range m.Rails {
		got.ports, got.leaves = append(got.ports, m.Rails[i].Ports), append(got.leaves, m.Rails[i].Switches)
	}
	for i := range m.Odd {
		got.odd = append(got.odd, g.EndDesc[m.Odd[i].End])
	}
	slices.Sort(got.odd)
	if !maps.Equal(got.servers, want.servers) || !slices.Equal(got.ports, want.ports) || !slices.Equal(got.leaves, want.leaves) || !slices.Equal(got.odd, want.odd) {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
	if m.Planes != 1 {
		t.Errorf("%s: %d planes, want 1", name, m.Planes)
	}
	for e := range int32(g.NumHosts) {
		if want := rail(g, e); want != rails.None && m.Of[e] != want {
			t.Errorf("%s: %s is on rail %d, by its name on %d", name, g.EndName(e), m.Of[e], want)
		}
	}
}

// byLeaf reads the rail in the name of a leaf, as in MF0;A09-P1-IBLEAF-03-02:MQM9701/U1.
func byLeaf(g *fabric.Graph, e int32) int32 {
	name := regexp.MustCompile(`IBLEAF-(\d+)-`).FindStringSubmatch(g.SwitchDesc[g.EndSwitch[e]])
	if name == nil || g.Aggregation[e] {
		return rails.None
	}
	n, _ := strconv.Atoi(name[1])
	return int32(n - 1)
}

// swapped are the adapters of the DGX cluster that are on the leaves of each other's rail:
//
//	awk '/^Switch/ {split($0,q,"\""); split(q[4],w,"-"); r=w[4]}
//	     /^\[/ && /dgx/ {split($0,q,"\""); n=split(q[4],w," "); a=w[n]
//	       if (a ~ /HCA/) {sub(/HCA-/,"",a); a--} else sub(/mlx5_/,"",a)
//	       if ((a<4 ? a+1 : a-1) != r+0) print q[4]}'
var swapped = []string{"b08-p1-dgx-08-c01 HCA-5", "b08-p1-dgx-08-c01 HCA-6"}

// TestDGX: a part of the dump of a DGX cluster. Its pods name adapters in two ways, one pod lacks a
// leaf, some servers have no name, and the cables of one server are swapped. Servers with a name,
// and CAs without one, in the file:
//
//	awk '/^Ca/ {split($0,q,"\""); d=q[4]
//	       if (d ~ /Mellanox|localhost|ubuntu/) u += d !~ /Aggregation/
//	       else {sub(/ [^ ]*$/,"",d); c[d]++}}
//	     END {for (h in c) k[c[h]]++; for (i in k) print k[i] " servers of " i; print u}'
//
// prints 15 of 4, 3 of 3, 1 of 2 and 20. Host ports and leaves of each rail:
//
//	awk '/^Switch/ {split($0,q,"\""); sw=q[4]; split(sw,w,"-")}
//	     sw ~ /IBLEAF/ && /^Switch/ {l[w[4]]++}
//	     sw ~ /IBLEAF/ && /^\[/ && /"H-/ && !/Aggregation/ {c[w[4]]++}
//	     END {for (r in c) print r, c[r], l[r]}'
func TestDGX(t *testing.T) {
	data, err := os.ReadFile("testdata/dgx.ibnetdiscover")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "dgx", data, counts{
		servers: map[int]int{1: 20, 2: 1, 3: 3, 4: 15}, ports: []int{23, 23, 20, 25}, leaves: []int{4, 4, 3, 4}, odd: swapped,
	}, byLeaf)
}

// TestDumps: the commands above on the whole dump of the DGX cluster; on the dump of another GPU
// cluster they print 32 servers of 8, and
//
//	awk '/^Switch/ {split($0,q,"\""); sw=q[2]}
//	     sw ~ /^S-/ && /^\[/ && /mlx5_/ {split($0,q,"\""); sub(/.* /,"",q[4]); k[sw " " q[4]]++}
//	     END {for (i in k) print i, k[i]}'
//
// prints eight lines of one switch, one adapter and 32.
func TestDumps(t *testing.T) {
	compare(t, "ndr-dgx", dumps.Read(t, "ndr-dgx/ibnetdiscover-2025-08-06.txt"), counts{
		servers: map[int]int{1: 74, 2: 1, 3: 10, 4: 109}, ports: []int{139, 139, 123, 141}, leaves: []int{8, 8, 7, 8}, odd: swapped,
	}, byLeaf)
	adapters := []string{"0", "1", "2", "3", "8", "9", "10", "11"}
	byAdapter := func(g *fabric.Graph, e int32) int32 {
		name := regexp.MustCompile(`mlx5_(\d+)$`).FindStringSubmatch(g.EndDesc[e])
		if name == nil {
			return rails.None
		}
		return int32(slices.Index(adapters, name[1]))
	}
	for _, name := range []string{"ndr-sequoia/ibdiagnet2.ibnetdiscover", "ndr-sequoia/ibdiagnet2.lst", "ndr-sequoia/ibdiagnet2.net_dump"} {
		compare(t, name, dumps.Read(t, name), counts{
			servers: map[int]int{8: 32}, ports: slices.Repeat([]int{32}, 8), leaves: slices.Repeat([]int{1}, 8),
		}, byAdapter)
	}
	none := func(*fabric.Graph, int32) int32 { return rails.None }
	// Both ports of every server are on one switch.
	compare(t, "ufm-small", dumps.Read(t, "small-samples/ufm-small.txt"), counts{servers: map[int]int{2: 4, 4: 1}}, none)
	// One CA with both ports cabled among 143 with one.
	compare(t, "sx6036", dumps.Read(t, "sx6036-loginov/ibnetdiscover-2014-10-05.txt"), counts{servers: map[int]int{1: 143, 2: 1}}, none)
	compare(t, "janus", dumps.Read(t, "janus/ibnetdiscover-2014-02-12.txt"), counts{servers: map[int]int{1: 1356}}, none)
}
