package layout

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// formulas has networks of every kind, whole and damaged, small and large.
var formulas = []string{
	"rlft(4,2)", "rlft(12,2)|fail(links=5,seed=1)", "rlft(8,3)", "rlft(36,2)", "rlft(8,4)|fail(switches=3,seed=2)", "fat3456", "juropa", "ranger",
	"deimos", "odin", "chic", "tsubame", "now-cab", "rail(8,32,4,spines=16,width=2)", "rlft(8,3)|merge(rlft(8,2))", "rlft(12,2)|merge(rlft(12,2),links=4)",
	"torus(8x8)|fail(links=5,seed=1)", "torus(6x6x6)", "torus(3x4x3x2)", "torus(9)", "mesh(5x4)", "mesh(3)", "hypercube(6)", "hypercube(8)",
	"dragonfly(4,2,2)", "dragonfly(8,4,4)", "dragonflyplus(4,4,4,2)", "dragonflyplus(8,8,8,2)", "dragonflyplus(20,20,20,20,groups=5)", "hyperx(4x4,hosts=4)", "hyperx(3x4x5)", "fullmesh(8)", "fullmesh(150)",
	"slimfly(5)", "slimfly(7)", "kautz(3,3,hosts=72)", "random(switches=64,hosts=16,links=128,seed=1)", "random(switches=400,hosts=2,links=900,seed=1)",
	"rail(8,4,2,spines=4)|fail(links=3,seed=1)", "rail(4,8,3,spines=4,cores=4)", "rlft(8,2)|planes(2)", "rail(4,4,2,spines=2)|plane(rlft(8,2,hosts=12),name=storage)",
	"rlft(8,3)|planes(8)", "torus(4x4,hosts=2)|planes(2)", "torus(4x4,hosts=2)|ports(2)", "rail(4,8,1,spines=0)",
	"irregular(switches=16,degree=8,hosts=128,seed=1)", "regular(switches=32,degree=4,hosts=4,seed=1)", "vftree-fig3", "sftree-fig4b",
}

func parse(t *testing.T, formula string) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// randomTree returns a formula of a random tree, often damaged.
func randomTree(r *rand.Rand) string {
	h := 1 + r.IntN(3)
	var m, w []string
	for i := range h + 1 {
		m = append(m, fmt.Sprint(1+r.IntN(6)))
		if i > 0 {
			w = append(w, fmt.Sprint(1+r.IntN(6)))
		}
	}
	text := fmt.Sprintf("pgft(%d;%s;1,%s;1%s)", h+1, strings.Join(m, ","), strings.Join(w, ","), strings.Repeat(fmt.Sprintf(",%d", 1+r.IntN(2)), h))
	if r.IntN(2) == 0 {
		text += fmt.Sprintf("|fail(share=0.05,seed=%d)", r.IntN(99))
	}
	return text
}

// randomNetwork returns random switches, hosts and cables, not always connected. Hosts have one
// port or, in three of four networks, up to four.
func randomNetwork(r *rand.Rand, i int) *fabric.Fabric {
	f := fabric.New("random")
	n := 1 + r.IntN(60)
	next := make([]uint8, n)
	for s := range n {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(1+s), 40, fmt.Sprintf("sw<%d> & \x01 switch", s)); err != nil {
			panic(err)
		}
		next[s] = 1
	}
	join := func(a, b int) {
		if next[a] > 38 || next[b] > 38 {
			return
		}
		ends := [2]fabric.End{}
		for i, s := range [2]int{a, b} {
			ends[i] = fabric.End{Node: fabric.NodeID(s), Port: next[s]}
			next[s]++
		}
		l, err := f.Connect(ends[0], ends[1], 4, fabric.SDR)
		if err != nil {
			panic(err)
		}
		f.Links[l].Down, f.Links[l].Drained = r.IntN(9) == 0, r.IntN(9) == 0
	}
	for range r.IntN(3 * n) {
		join(r.IntN(n), r.IntN(n))
	}
	for h := range r.IntN(3 * n) {
		ports := 1 + r.IntN(1+i%4)
		id, err := f.AddNode(fabric.CA, fabric.GUID(1000+h), ports, "host")
		if err != nil {
			panic(err)
		}
		for p := range ports {
			s := r.IntN(n)
			if next[s] >= 39 {
				continue
			}
			l, err := f.Connect(fabric.End{Node: fabric.NodeID(s), Port: next[s]}, fabric.End{Node: id, Port: uint8(p + 1)}, 4, fabric.SDR)
			if err != nil {
				panic(err)
			}
			f.Links[l].Down = i%4 > 0 && r.IntN(9) == 0
			next[s]++
		}
	}
	f.Nodes[r.IntN(n)].Down = true
	return f
}

// TestPictures: every picture keeps what check asks for.
func TestPictures(t *testing.T) {
	for _, formula := range formulas {
		check(t, parse(t, formula), formula)
	}
}

func TestRandomPictures(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 30 {
		formula := randomTree(r)
		check(t, parse(t, formula), formula)
		check(t, randomNetwork(r, i), fmt.Sprint("random network ", i))
	}
}

// check checks a picture: no two boxes overlap, everything is inside the picture, cells are in
// their boxes; every switch, host port and cable appears once; parts that are down are marked; the
// same fabric gives the same, well-formed bytes.
func check(t *testing.T, f *fabric.Fabric, name string) {
	t.Helper()
	loads := make([]float64, f.Compile().NumChannels)
	for c := range loads {
		loads[c] = float64(c % 7)
	}
	o := Options{}
	if len(name)%2 == 0 {
		o = Options{Loads: loads, Unit: "pairs"}
	}
	p := Of(f, o)
	checkPlaces(t, p, name)
	checkCounts(t, f, p, name)
	checkMembers(t, f, p, name)
	checkSVG(t, p, Of(f, o), name)
}

func checkPlaces(t *testing.T, p *Picture, name string) {
	t.Helper()
	inside := func(what string, x, y float64) {
		if !(x >= 0 && y >= 0 && x <= p.Width && y <= p.Height) {
			t.Errorf("%s: %s at %.1f %.1f of %.1f x %.1f", name, what, x, y, p.Width, p.Height)
		}
	}
	for i := range p.Boxes {
		a := &p.Boxes[i]
		inside("a box", a.X, a.Y)
		inside("a box", a.X+a.W, a.Y+a.H)
		for k := range i {
			b := &p.Boxes[k]
			const bit = 1e-6
			if a.X+a.W > b.X+bit && b.X+b.W > a.X+bit && a.Y+a.H > b.Y+bit && b.Y+b.H > a.Y+bit {
				t.Fatalf("%s: boxes %q %v and %q %v overlap", name, a.Title, a.Area, b.Title, b.Area)
			}
		}
		for _, c := range a.Cells {
			if c.X < a.X-0.1 || c.Y < a.Y-0.1 || c.X+c.Size > a.X+a.W+0.1 || c.Y+c.Size > a.Y+a.H+0.1 {
				t.Fatalf("%s: a cell of %q is at %v %.1f, its box at %v", name, a.Title, c.Point, c.Size, a.Area)
			}
		}
		for _, d := range a.Dots {
			inside("a host", d.X, d.Y)
		}
		for _, c := range a.Ports {
			if c.X < a.X-0.1 || c.Y < a.Y-0.1 || c.X+c.Size > a.X+a.W+0.1 || c.Y+c.Size > a.Y+a.H+0.1 {
				t.Fatalf("%s: a port of %q is at %v %.1f, its box at %v", name, a.Title, c.Point, c.Size, a.Area)
			}
		}
	}
	for _, l := range p.Lines {
		for _, at := range l.Path {
			inside("a line", at.X, at.Y)
		}
	}
	for _, e := range p.Legend {
		inside("the legend", e.X, e.Y)
	}
	if p.Width > 1700 {
		t.Errorf("%s: %.0f wide", name, p.Width)
	}
}

func checkCounts(t *testing.T, f *fabric.Fabric, p *Picture, name string) {
	t.Helper()
	switches, down, marked, hosts, ports := 0, 0, 0, 0, 0
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Type == fabric.Switch {
			switches++
			if n.Down {
				down++
			}
			continue
		}
		for port := 1; port < len(n.Ports); port++ {
			e := fabric.End{Node: fabric.NodeID(i), Port: uint8(port)}
			if n.Ports[port].Link != fabric.NoLink && f.Nodes[f.Peer(e).Node].Type == fabric.Switch {
				ports++
			}
		}
	}
	for i := range p.Boxes {
		b := &p.Boxes[i]
		if b.Switches > 1 && len(b.Cells) != b.Switches || b.Switches == 1 && len(b.Cells) > 0 {
			t.Errorf("%s: %d cells for %d switches", name, len(b.Cells), b.Switches)
		}
		for _, c := range b.Cells {
			if c.Mark == Failed {
				marked++
			}
		}
		if b.Mark == Failed && b.Switches > 0 {
			marked++
		}
		switches -= b.Switches
		hosts += b.Hosts
	}
	if switches != 0 || hosts != ports || marked != down {
		t.Errorf("%s: %d switches are missing, %d of %d host ports, %d of %d failed switches", name, switches, hosts, ports, marked, down)
	}
}

// checkMembers checks that every switch is in one box, and every cable between switches in one line
// or inside one box; that lines between two boxes reach both; and that lines to look at are last.
func checkMembers(t *testing.T, f *fabric.Fabric, p *Picture, name string) {
	t.Helper()
	boxOf := map[fabric.NodeID]*Box{}
	searched := 0 // FindPlace compares a name with all nodes: a hundred names are enough
	link := func(name string) fabric.LinkID {
		guid, port, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		g, err := fabric.ParseGUID(guid)
		n, err2 := strconv.Atoi(port)
		id, ok := f.NodeByGUID(g)
		if err := errors.Join(err, err2); err != nil || !ok {
			t.Fatalf("no cable %q: %v", name, err)
		}
		if searched++; searched <= 100 {
			if at, err := f.FindPlace(name); err != nil || at.Whole || at.Node != id || int(at.Port) != n {
				t.Fatalf("cable %q is found at %v: %v", name, at, err)
			}
		}
		return f.Nodes[id].Ports[n].Link
	}
	times := make([]int, len(f.Links))
	for i := range p.Boxes {
		b := &p.Boxes[i]
		for _, guid := range b.Nodes {
			id, ok := f.NodeByGUID(guid)
			if !ok {
				t.Fatalf("%s: no node %s", name, guid)
			}
			if boxOf[id] != nil {
				t.Fatalf("%s: %q is in two boxes", name, f.Nodes[id].Desc)
			}
			boxOf[id] = b
		}
		for _, cable := range b.Inside {
			l := link(cable)
			times[l]++
			if boxOf[f.Links[l].A.Node] != b || boxOf[f.Links[l].B.Node] != b {
				t.Fatalf("%s: cable %d is inside %q, its ends are not", name, l, b.Title)
			}
		}
		if (b.Fold == "") != (b.Switches+b.Servers < 2) {
			t.Errorf("%s: %q of %d switches has fold %q", name, b.Title, b.Switches, b.Fold)
		}
	}
	above := false
	for i := range p.Lines {
		l := &p.Lines[i]
		if above && !l.stands() {
			t.Fatalf("%s: %q is above the lines to look at", name, l.Title)
		}
		above = l.stands()
		if n := len(l.Links); n != l.Cables && l.Class != classMissing {
			t.Errorf("%s: %q names %d of %d cables", name, l.Title, n, l.Cables)
		}
		ends := map[*Box]bool{}
		for _, cable := range l.Links {
			id := link(cable)
			times[id]++
			ends[boxOf[f.Links[id].A.Node]], ends[boxOf[f.Links[id].B.Node]] = true, true
		}
		if ends[nil] {
			t.Fatalf("%s: a cable of %q leads to no box", name, l.Title)
		}
		if len(ends) != 2 || len(l.Path) == 3 || len(l.Path) > 4 {
			continue
		}
		for b := range ends {
			if !reaches(b, l.Path[0]) && !reaches(b, l.Path[len(l.Path)-1]) {
				t.Fatalf("%s: %q does not reach %q", name, l.Title, b.Title)
			}
		}
	}
	for id, n := range times {
		if f.IsSwitchLink(fabric.LinkID(id)) && n != 1 || n > 1 {
			t.Fatalf("%s: cable %d is drawn %d times", name, id, n)
		}
	}
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch && boxOf[fabric.NodeID(id)] == nil {
			t.Fatalf("%s: %q has no box", name, f.Nodes[id].Desc)
		}
	}
}

// reaches reports whether a place is in a box, or as far from it as the lines of marked cables are
// beside others.
func reaches(b *Box, at Point) bool {
	const near = 16.0
	return at.X > b.X-near && at.X < b.X+b.W+near && at.Y > b.Y-near && at.Y < b.Y+b.H+near
}

func checkSVG(t *testing.T, p, again *Picture, name string) {
	t.Helper()
	var one, two bytes.Buffer
	if err := errors.Join(p.WriteSVG(&one), again.WriteSVG(&two)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("%s: two pictures differ", name)
	}
	if one.Len() > 1e6 {
		t.Errorf("%s: %d bytes", name, one.Len())
	}
	for dec := xml.NewDecoder(&one); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "script" {
			t.Errorf("%s: a script", name)
		}
	}
}

// TestKinds: networks are drawn as engineers draw them.
func TestKinds(t *testing.T) {
	for formula, want := range map[string]Kind{
		"rlft(8,3)": Levels, "fat3456": Levels, "deimos": Levels, "now-cab": Levels, "juropa|fail(share=0.05,seed=1)": Levels,
		"torus(4x4)": Grid, "torus(4x4x4)|fail(links=3,seed=1)": Grid, "mesh(5x4)": Grid, "hyperx(4x4)": Grid, "hypercube(5)": Grid,
		"dragonfly(4,2,2)": Ring, "dragonfly(4,2,2)|fail(links=3,seed=1)": Ring, "dragonflyplus(4,4,4,2)": Ring, "fullmesh(9)": Ring, "slimfly(5)": Ring, "torus(9)": Ring,
		"dragonflyplus(4,4,4,4,groups=5)": Ring, "dragonflyplus(4,4,4,4,groups=3)|fail(links=4,seed=3)": Ring, "dragonflyplus(20,20,20,20,groups=5,hosts=1900)": Ring,
		"random(switches=64,hosts=16,links=128,seed=1)": Irregular, "kautz(3,3,hosts=72)": Irregular,
	} {
		if got := Of(parse(t, formula), Options{}).Kind; got != want {
			t.Errorf("%s is drawn as %s, want %s", formula, got, want)
		}
	}
}

// TestLevels: every cable of a tree leads from a box to one above it, roots are at the top and
// leaves at the bottom.
func TestLevels(t *testing.T) {
	for _, formula := range []string{"rlft(12,2)", "rlft(8,3)", "fat3456", "karytree(4,3)", "rlft(36,3)|fail(share=0.03,seed=5)", "ranger"} {
		p := Of(parse(t, formula), Options{})
		least, most := map[string]float64{}, map[string]float64{}
		for i := range p.Boxes {
			b := &p.Boxes[i]
			if _, ok := least[b.Role]; !ok {
				least[b.Role], most[b.Role] = math.Inf(1), math.Inf(-1)
			}
			least[b.Role], most[b.Role] = min(least[b.Role], b.Y), max(most[b.Role], b.Y+b.H)
		}
		middle, ok := least["middle"]
		if most["root"] >= least["leaf"] || ok && (most["root"] >= middle || most["middle"] >= least["leaf"]) {
			t.Errorf("%s: from %v to %v", formula, least, most)
		}
	}
}

// TestRootWithHosts: a root with a host stays a root, with and without names.
func TestRootWithHosts(t *testing.T) {
	f := parse(t, "now-c")
	p := Of(f, Options{})
	for i := range p.Boxes {
		b := &p.Boxes[i]
		want := map[string]string{"C1": "leaf", "C2": "middle", "C3": "root"}[b.Text[0][:2]]
		if b.Role != want {
			t.Errorf("%s is drawn as %s", b.Title, b.Role)
		}
	}
}

// TestMarks: failed and odd cables are lines of their own class, and the title says why.
func TestMarks(t *testing.T) {
	f := parse(t, "rlft(12,2)|fail(links=5,seed=1)")
	odd := map[fabric.LinkID]string{}
	for i := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(i)) && f.LinkUp(fabric.LinkID(i)) {
			odd[fabric.LinkID(i)] = "slower than its like"
			break
		}
	}
	count := map[Class]int{}
	for _, l := range Of(f, Options{Odd: odd}).Lines {
		count[l.Class]++
		if l.Class == classOdd && !strings.Contains(l.Title, "slower than its like") {
			t.Errorf("the title is %q", l.Title)
		}
	}
	missing := [][2]fabric.GUID{{f.Nodes[0].GUID, f.Nodes[12].GUID}, {f.Nodes[0].GUID, 77}, {f.Nodes[0].GUID, f.Nodes[1].GUID}}
	if f.Nodes[0].Desc != "leaf 0" || f.Nodes[12].Desc != "spine 0" {
		t.Fatal("the nodes of rlft(12,2) have another order")
	}
	f = parse(t, "rlft(12,2)").Without(nil, func(id fabric.LinkID) bool {
		return f.IsSwitchLink(id) && f.Links[id].A.Node == 0 && f.Links[id].B.Node == 12
	})
	p := Of(f, Options{Missing: missing})
	for _, l := range p.Lines {
		if count[l.Class]++; l.Class == classMissing && !strings.Contains(l.Title, "1 missing") {
			t.Errorf("the title is %q", l.Title)
		}
	}
	if count[classMissing] != 1 || !strings.Contains(p.Text[0], "71 cables") || !strings.Contains(p.Text[0], "1 cable missing") {
		t.Errorf("%d lines for one missing cable: %s", count[classMissing], p.Text)
	}
	if count[levelClasses[0]] -= 71; count[classFailed] != 5 || count[classOdd] != 1 || count[levelClasses[0]] != 66 {
		t.Errorf("lines by class: %v", count)
	}
}

// TestFoldingKeepsCables: the cables of lines between boxes and of those inside are all cables of
// the fabric.
func TestFoldingKeepsCables(t *testing.T) {
	for _, formula := range formulas {
		f := parse(t, formula)
		n := newNetwork(f, &Options{})
		d := newDrawing(n, "")
		level, _ := d.treeLevels()
		if level == nil {
			continue
		}
		folded, sum := d.foldLevels(level), 0
		for _, b := range d.bundles(folded) {
			sum += len(b.links)
			if folded.blocks[b.a].level != folded.blocks[b.b].level {
				continue
			}
			for _, l := range b.links {
				if level[n.g.From[2*l]] != level[n.g.To[2*l]] {
					t.Fatalf("%s: a box holds two levels", formula)
				}
			}
		}
		if sum != len(n.cable) {
			t.Errorf("%s: %d of %d cables", formula, sum, len(n.cable))
		}
	}
}

// TestLarge: 5,000 switches are one picture of less than a megabyte.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large networks")
	}
	for _, formula := range []string{"rlft(64,3)", "torus(17x17x17)", "torus(70x70)", "dragonfly(24,12,12,groups=208)", "fullmesh(250)", "fullmesh(160)", "hyperx(70x70)", "random(switches=5000,hosts=1,links=15000,seed=1)", "slimfly(47)"} {
		check(t, parse(t, formula), formula)
	}
}

func TestByName(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"leaf 2", "leaf 10", -1}, {"leaf 10", "leaf 2", 1}, {"a", "a", 0}, {"a1b2", "a1b10", -1}, {"leaf", "leaf 1", -1}, {"07", "8", -1}} {
		if got := byName(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d", c.a, c.b, got)
		}
	}
}

func TestShortNames(t *testing.T) {
	got := shortNames([]string{"MF0;core1:IS5300/L01/U1", "MF0;core1:IS5300/S01/U1", "MF0;r1i0s0:SX60XX/U1", "Infiniscale", "Infiniscale", ""},
		[]fabric.GUID{1, 2, 3, 0xabcdef, 0xabcdee, 6})
	want := "core1/L01/U1|core1/S01/U1|r1i0s0|…abcdef|…abcdee|…000006"
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	if got := shortNames([]string{"switch (0,1)", "switch (1,1)"}, []fabric.GUID{1, 2}); got[1] != "(1,1)" {
		t.Errorf("%q", got)
	}
}
