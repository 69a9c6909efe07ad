package gen

import (
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
)

// counts are what must come out exactly of a formula.
type counts struct {
	expr            string
	switches, hosts int
	links           int // switch-to-switch
	levels          int
	maxPorts        int // ports that are cabled, on the fullest switch
}

// The named systems have the counts of the reconstructions, the formulas those of their
// definitions; Table I of the DFSSSP paper is in TestTableI.
var table = []counts{
	{"fat648", 54, 648, 648, 2, 36},
	{"racks648", 108, 648, 1620, 3, 36},
	{"racks432", 78, 432, 1080, 3, 36},
	{"racks216", 48, 216, 540, 3, 36},
	{"over384", 24, 384, 288, 2, 42},
	{"fat3456", 720, 3456, 6912, 3, 24},
	{"juropa", 864, 5184, 12960, 3, 36},
	{"juropa3288", 706, 3288, 10116, 3, 36},
	{"ranger", 1768, 3936, 17760, 4, 24},
	{"dual4608", 1824, 4608, 18432, 4, 24},
	{"vftree-fig3", 2, 8, 1, 1, 5},
	{"vftree-fig4a", 4, 6, 6, 2, 6},
	{"vftree-fig4b", 4, 12, 6, 2, 6},
	{"sftree-fig4a", 6, 8, 8, 2, 4},
	{"sftree-fig4b", 4, 4, 4, 1, 3},
	{"mftree-fig2", 6, 4, 8, 2, 4},
	{"deimos", 108, 724, 894, 2, 24},
	{"deimos-chain15", 108, 724, 894, 2, 24},
	{"deimos-chain30", 108, 724, 924, 2, 24},
	{"odin", 18, 128, 144, 2, 24},
	{"chic", 118, 550, 1128, 3, 24},
	{"tsubame", 288, 1430, 2592, 3, 24},
	{"now-c", 13, 36, 28, -1, 8},
	{"now-ca", 26, 70, 58, -1, 8},
	{"now-cab", 40, 100, 93, -1, 8},
	{"renaming-fig1", 9, 9, 12, 1, 4},

	{"rlft(36,1)", 1, 36, 0, 1, 36},
	{"rlft(36,2)", 54, 648, 648, 2, 36},
	{"rlft(24,3)", 720, 3456, 6912, 3, 24},
	{"rlft(36,3)", 1620, 11664, 23328, 3, 36},
	{"rlft(64,3,hosts=40960)", 5120, 40960, 131072, 3, 64},
	{"rlft(4,4)", 56, 32, 96, 4, 4},
	{"mport(8,3)", 80, 128, 256, 3, 8},
	{"mport(8,2)", 12, 32, 32, 2, 8},
	{"karytree(3,4)", 108, 81, 243, 4, 6},
	{"karytree(4,1)", 1, 4, 0, 1, 4},
	{"butterfly(2,3)", 12, 16, 16, 2, 4},
	{"butterfly(4,2,hosts=9)", 8, 9, 16, 1, 6},
	{"butterfly(3,1)", 1, 6, 0, 1, 6},
	{"xgft(2;6,6;3,3)", 63, 108, 162, 3, 9},
	{"xgft(1;6;3;hosts=64)", 9, 64, 18, 2, 14},
	{"pgft(2;12,12;1,6;1,2)", 18, 144, 144, 2, 24},
	{"pgft(2;18,36;1,18;1,1)", 54, 648, 648, 2, 36},
	{"pgft(3;4,3,2;1,2,2;1,1,2)", 14, 24, 28, 3, 7},
	{"torus(8x8x8)", 512, 512, 1536, 1, 7},
	{"torus(8x8x8,hosts=2)", 512, 1024, 1536, 1, 8},
	{"torus(16x8)", 128, 128, 256, 1, 5},
	{"torus(8x4x4)", 128, 128, 384, 1, 7},
	{"torus(5x2x1,width=2)", 10, 10, 30, 1, 7},
	{"torus(3x3,hosts=0)", 9, 0, 18, 0, 4},
	{"mesh(4x5)", 20, 20, 31, 1, 5},
	{"mesh(7,hosts=3)", 7, 21, 6, 1, 5},
	{"hypercube(6,hosts=2)", 64, 128, 192, 1, 8},
	{"kautz(2,3)", 12, 12, 24, 1, 5},
	{"kautz(3,1,hosts=2)", 4, 2, 12, 2, 7},
	{"dragonfly(4,2,2)", 36, 72, 90, 1, 7},
	{"dragonfly(2,1,1)", 6, 6, 6, 1, 3},
	{"dragonfly(4,2,2,groups=5)", 20, 40, 50, 1, 7},
	{"dragonfly(4,2,2,groups=4,hosts=21)", 16, 21, 40, 1, 7},
	{"dragonfly(4,2,2,groups=1)", 4, 8, 6, 1, 5},
	{"dragonfly(3,1,1,groups=3)", 9, 9, 12, 1, 4},
	{"dragonfly(4,2,2,groups=10)", 0, 0, 0, 0, 0},
	{"dragonfly(4,2,2,hosts=73)", 0, 0, 0, 0, 0},
	{"dragonflyplus(4,4,4,2)", 72, 144, 180, 2, 8},
	{"dragonflyplus(2,3,4,2,groups=3,hosts=23)", 15, 23, 27, 2, 7},
	{"dragonflyplus(4,4,4,2,groups=10)", 0, 0, 0, 0, 0},
	{"rail(8,32,4,spines=16,width=2)", 48, 128, 1024, 2, 64},
	{"rail(4,6)", 10, 6, 24, 2, 12},
	{"rail(2,4,3,spines=2,width=2,cores=1,up=3)", 2*3 + 2*2 + 2, 12, 2*3*2*2 + 2*2*3, 3, 9},
	{"rail(8,32,8,spines=16)", 64 + 16, 256, 64 * 16, 2, 64},
	{"rail(2,4,4,spines=2,groups=2,cores=2,up=3,hosts=13)", 4*2 + 2*2*2 + 2*2, 13, 4*2*2 + 2*2*2*2*3, 3, 12},
	{"rail(3,4,6,spines=2,width=2,groups=3,cores=1)", 6*3 + 3*3*2 + 2, 24, 6*3*2*2 + 3*3*2, 3, 9},
	{"rail(4,6,2,spines=0)", 0, 0, 0, 0, 0},
	{"rlft(8,2)|merge(rlft(8,2))", 20, 64, 64, 2, 16},
	{"rlft(8,2)|merge(rlft(8,2),at=leaves)", 16, 64, 64, 2, 16},
	{"rlft(8,3)|merge(rlft(8,2,hosts=20))", 88, 148, 288, 3, 16},
	{"rlft(8,2)|merge(rlft(8,3),links=8)", 92, 160, 296, -1, 10},
	{"rlft(4,2)|merge(rlft(4,2))|merge(rlft(4,2),at=leaves)", 12, 24, 24, 2, 8},
	{"rlft(8,2)|merge(rlft(8,2),at=middle)", 0, 0, 0, 0, 0},
	{"rlft(8,2)|merge(rlft(8,2)|merge(rlft(8,2)))", 0, 0, 0, 0, 0},
	{"rlft(8,2)|merge(nothing)", 0, 0, 0, 0, 0},
	{"hyperx(4x4,hosts=4)", 16, 64, 48, 1, 10},
	{"hyperx(3x4x2,width=2)", 24, 24, 144, 1, 13},
	{"slimfly(5)", 50, 200, 175, 1, 11},
	{"slimfly(7,hosts=1)", 98, 98, 539, 1, 12},
	{"fullmesh(8,hosts=8)", 8, 64, 28, 1, 15},
	{"random(switches=64,hosts=16,links=128,seed=1)", 64, 1024, 128, 1, -1},
	{"random(switches=128,hosts=16,links=200,seed=1)", 128, 2048, 200, 1, -1},
	{"random(switches=128,hosts=16,links=150,seed=2)", 128, 2048, 150, 1, -1},
	{"irregular(switches=16,degree=8,hosts=128)", 16, 128, 64, -1, -1},
	{"irregular(switches=32,hosts=256)", 32, 256, 128, -1, -1},
	{"irregular(seed=9)", 64, 512, 256, -1, -1},
	{"regular(switches=32,degree=4,hosts=4,seed=1)", 32, 128, 64, 1, 8},
	{"regular(switches=64,degree=8,seed=3)", 64, 256, 256, 1, 12},
	{"regular(6,5,1,1)", 6, 6, 15, 1, 6},
	{"regular(9,7,1,1)", 0, 0, 0, 0, 0},
}

func TestCounts(t *testing.T) {
	for _, want := range table {
		if want.switches == 0 {
			if _, err := Parse(want.expr); err == nil {
				t.Errorf("%s: no error", want.expr)
			}
			continue
		}
		checkCounts(t, want)
	}
}

// checkCounts compares a fabric and its Graph with the counts; a count of -1 is
// not compared. Everything must be connected.
func checkCounts(t *testing.T, want counts) {
	t.Helper()
	f := parse(t, want.expr)
	got := counted(f)
	got.expr = want.expr
	for _, p := range []struct{ got, want *int }{{&got.levels, &want.levels}, {&got.maxPorts, &want.maxPorts}} {
		if *p.want < 0 {
			*p.got = -1
		}
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	g := f.Compile()
	if g.NumSwitches != want.switches || g.NumHosts < want.hosts || g.NumChannels != 2*want.links {
		t.Errorf("%s: Graph has %d switches, %d host ports, %d channels", want.expr, g.NumSwitches, g.NumHosts, g.NumChannels)
	}
	if _, n := g.Components(); n != 1 {
		t.Errorf("%s: %d parts", want.expr, n)
	}
}

// TestManyPortHosts: a PGFT with w1 = 2 is two trees that only its hosts join.
func TestManyPortHosts(t *testing.T) {
	f := parse(t, "pgft(3;4,4,4;2,2,2;1,2,1)")
	g := f.Compile()
	if got, want := counted(f), (counts{"", 56, 64, 160, 3, 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	part, n := g.Components()
	if n != 2 || g.NumHosts != 128 {
		t.Fatalf("%d parts, %d host ports", n, g.NumHosts)
	}
	for e := 0; e < g.NumHosts; e += 2 {
		if part[g.EndSwitch[e]] == part[g.EndSwitch[e+1]] || g.EndNode[e] != g.EndNode[e+1] {
			t.Errorf("host ports %d and %d are in one tree or of two hosts", e, e+1)
		}
	}
}

func parse(t testing.TB, expr string) *fabric.Fabric {
	t.Helper()
	f, err := Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// counted counts a fabric the plain way.
func counted(f *fabric.Fabric) counts {
	var c counts
	for id := range f.Nodes {
		n := &f.Nodes[id]
		if n.Type != fabric.Switch {
			c.hosts++
			continue
		}
		c.switches++
		used := 0
		for _, p := range n.Ports {
			if p.Link != fabric.NoLink {
				used++
			}
		}
		c.maxPorts = max(c.maxPorts, used)
	}
	for id := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(id)) {
			c.links++
		}
	}
	for _, l := range Levels(f) {
		c.levels = max(c.levels, int(l)+1)
	}
	return c
}

// TestTableI builds every topology of Table I of the DFSSSP paper; columns:
// endpoints, XGFT, Kautz and k-ary n-tree with switches and links each, ports
// used on the fullest Kautz switch.
func TestTableI(t *testing.T) {
	for _, r := range []struct {
		hosts                          int
		xgft                           string
		xgftSwitches, xgftLinks        int
		kautz                          string
		kautzSwitches, kautzLinks      int
		kautzPorts                     int
		kary                           string
		karySwitches, karyLinks, karyN int
	}{
		{64, "1;6;3", 9, 18, "2,2", 6, 12, 15, "6,2", 12, 36, 2},
		{128, "1;10;5", 15, 50, "2,2", 6, 12, 26, "10,2", 20, 100, 2},
		{256, "1;16;8", 24, 128, "2,3", 12, 24, 26, "16,2", 32, 256, 2},
		{512, "2;6,6;3,3", 63, 162, "3,3", 36, 108, 21, "6,3", 108, 432, 3},
		{1024, "2;10,10;5,5", 175, 750, "3,3", 36, 108, 35, "10,3", 300, 2000, 3},
		{2048, "2;14,14;7,7", 343, 2058, "4,3", 80, 320, 34, "14,3", 588, 5488, 3},
		{4096, "2;18,18;9,9", 567, 4374, "6,3", 252, 1512, 29, "18,3", 972, 11664, 3},
	} {
		levels := int(r.xgft[0]-'0') + 1
		for _, c := range []counts{
			{fmt.Sprintf("xgft(%s;hosts=%d)", r.xgft, r.hosts), r.xgftSwitches, r.hosts, r.xgftLinks, levels, -1},
			{fmt.Sprintf("kautz(%s,hosts=%d)", r.kautz, r.hosts), r.kautzSwitches, r.hosts, r.kautzLinks, 1, r.kautzPorts},
			{fmt.Sprintf("karytree(%s,hosts=%d)", r.kary, r.hosts), r.karySwitches, r.hosts, r.karyLinks, r.karyN, -1},
		} {
			checkCounts(t, c)
			if used := counted(parse(t, c.expr)).maxPorts; used > 36 {
				t.Errorf("%s: %d ports on a switch, 36 at most", c.expr, used)
			}
		}
	}
}

// TestSpread: E hosts over L leaves are E/L each, the first E mod L one more.
func TestSpread(t *testing.T) {
	for _, expr := range []string{"rlft(8,2,hosts=19)", "karytree(6,2,hosts=64)", "kautz(2,2,hosts=20)", "fat648(hosts=500)", "xgft(1;6;3;hosts=64)"} {
		g := parse(t, expr).Compile()
		leaves := 0
		for s := range int32(g.NumSwitches) {
			if len(g.HostsOf(s)) > 0 {
				leaves++
			}
		}
		for s := range int32(leaves) {
			want := g.NumHosts / leaves
			if int(s) < g.NumHosts%leaves {
				want++
			}
			if got := len(g.HostsOf(s)); got != want {
				t.Errorf("%s: leaf %d has %d hosts, want %d", expr, s, got, want)
			}
		}
	}
}

// TestScheme checks the GUIDs and descriptions that the package comment promises.
func TestScheme(t *testing.T) {
	for _, c := range table {
		if c.switches == 0 || c.switches > 1000 {
			continue
		}
		f := parse(t, c.expr)
		seen := map[fabric.GUID]bool{}
		desc := map[string]bool{}
		var lastSwitch, lastHost fabric.GUID
		lastLevel := int32(0)
		levels := Levels(f)
		for id := range f.Nodes {
			n := &f.Nodes[id]
			if desc[n.Desc] {
				t.Fatalf("%s: description %q is used twice", c.expr, n.Desc)
			}
			desc[n.Desc] = true
			last := &lastHost
			if n.Type == fabric.Switch {
				last = &lastSwitch
				if tree := c.levels > 1 && c.expr[0] != 'k' && !strings.Contains(c.expr, "merge"); tree && levels[id] < lastLevel {
					t.Errorf("%s: %q is of level %d, after level %d", c.expr, n.Desc, levels[id], lastLevel)
				}
				lastLevel = levels[id]
			}
			if n.GUID <= *last {
				t.Errorf("%s: GUID %s after %s", c.expr, n.GUID, *last)
			}
			*last = n.GUID
			guids := []fabric.GUID{n.GUID}
			if n.Type != fabric.Switch {
				for _, p := range n.Ports[1:] {
					guids = append(guids, p.GUID)
				}
			}
			for _, g := range guids {
				if seen[g] || g == 0 {
					t.Fatalf("%s: GUID %s is used twice or 0", c.expr, g)
				}
				seen[g] = true
			}
		}
	}
}

// TestDeterministic: the same expression gives the same fabric, another seed
// another one.
func TestDeterministic(t *testing.T) {
	for _, c := range table {
		if c.switches == 0 || c.switches > 200 {
			continue
		}
		if d := fabric.Diff(parse(t, c.expr), parse(t, c.expr)); len(d) > 0 {
			t.Errorf("%s: two builds differ: %v", c.expr, d[0])
		}
	}
	for _, expr := range []string{"random(seed=%d)", "irregular(seed=%d)", "regular(seed=%d)", "fat648|fail(links=9,seed=%d)"} {
		a, b := parse(t, fmt.Sprintf(expr, 1)), parse(t, fmt.Sprintf(expr, 2))
		if len(fabric.Diff(a, b)) == 0 {
			t.Errorf("%s does not depend on the seed", expr)
		}
	}
}
