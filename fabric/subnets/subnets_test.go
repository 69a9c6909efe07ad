package subnets

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
)

// open makes the fabric of a formula.
func open(arg string) (Opened, error) {
	f, err := gen.Parse(arg)
	return Opened{f, true}, err
}

// network makes the network of a formula.
func network(t testing.TB, text string) *Network {
	t.Helper()
	f, err := Expand(text, open)
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Build(text, open)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		text                           string
		kinds, subnets, routers, ports int
		hosts                          int // of all subnets, routers apart
	}{
		{"subnets(2,racks72,routers=18,cables=4)", 1, 2, 18, 144, 144},
		{"subnets(3,racks72,routers=18,cables=4)", 1, 3, 18, 216, 216},
		{"subnets(6,racks72,routers=18,cables=4)", 1, 6, 18, 432, 432},
		{"subnets(rlft(6,2),torus(3x3,hosts=2))", 2, 2, 2, 4, 36},
		{"subnets(3,torus(3x3),shape=chain)", 2, 3, 4, 8, 27}, // the middle one has twice as many router ports
		{"subnets(4,rlft(4,2),shape=star,routers=1)", 2, 4, 3, 6, 32},
		{"subnets(torus(3x3,hosts=0),rlft(4,2),rlft(4,2),shape=star)", 2, 3, 4, 8, 16},
		{"subnets(2,torus(3x3)|fail(links=1,seed=2))", 1, 2, 2, 4, 18},
		{"subnets(4,rlft(4,2),core=torus(3x3,hosts=0),cores=2)", 2, 6, 16, 32, 32},
	} {
		n := network(t, c.text)
		hosts := 0
		for s := range n.Subnets {
			hosts += n.Subnets[s].Nodes - n.Graph(int32(s)).NumSwitches
		}
		got := [...]int{len(n.Kinds), len(n.Subnets), len(n.Routers), len(n.Ports), hosts}
		want := [...]int{c.kinds, c.subnets, c.routers, c.ports, c.hosts}
		if got != want {
			t.Errorf("%s: kinds, subnets, routers, ports, hosts %v, want %v", c.text, got, want)
		}
	}
}

// Every router of the paper's fabrics has one cable to each of the four leaves of each subnet,
// where roots would be.
func TestPaperFabricHasRoutersForRoots(t *testing.T) {
	n := network(t, "subnets(6,racks72,routers=18,cables=4)")
	for r := range n.Routers {
		for s := range n.Subnets {
			g, seen := n.Graph(int32(s)), map[int32]bool{}
			for _, p := range n.PortsIn(int32(r), int32(s)) {
				sw := g.EndSwitch[n.Ports[p].End]
				if seen[sw] || g.HostCount(sw) != 18 {
					t.Fatalf("router %d, subnet %d: switch %q twice, or not with 18 routers", r, s, g.SwitchDesc[sw])
				}
				seen[sw] = true
			}
			if len(seen) != 4 {
				t.Fatalf("router %d has %d cables to subnet %d, want 4", r, len(seen), s)
			}
		}
	}
}

// GIDs are unique over all subnets, and text forms of them are read back.
func TestGIDs(t *testing.T) {
	n := network(t, "subnets(6,racks72,routers=18,cables=4)")
	seen := map[GID]bool{}
	guids := map[fabric.GUID]bool{}
	for s := range int32(len(n.Subnets)) {
		for e := range int32(n.Graph(s).NumEnds) {
			gid := n.GID(s, e)
			if seen[gid] || guids[gid.GUID] {
				t.Fatalf("GID %s is there twice", gid)
			}
			seen[gid], guids[gid.GUID] = true, true
			if again, err := ParseGID(gid.String()); err != nil || again != gid {
				t.Fatalf("%s is read as %s (%v)", gid, again, err)
			}
		}
	}
}

func TestDistances(t *testing.T) {
	n := network(t, "subnets(4,torus(3x3),shape=chain)")
	if got := fmt.Sprint(n.Distances()[0]); got != "[0 1 2 3]" {
		t.Errorf("distances to the first subnet of a chain: %s", got)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	const top = header + "\nsubnet A 0x1 rlft(4,2)\n"
	for _, c := range []struct{ text, want string }{
		{"", "f:1: the first line is not"},
		{header + "\n", "f: no subnet is named"},
		{header + "\nsubnet A\n", "f:2: the line ends early"},
		{header + "\nsubnet A x y\n", `f:2: subnet "A": "x" is no prefix`},
		{header + "\nsubnet A 0x1\n", `f:2: subnet "A" has no FABRIC`},
		{top + "subnet A 0x2 rlft(4,2)", `f:3: subnet "A" is there twice`},
		{top + "subnet B 1 rlft(4,2)", `f:3: subnet "B": prefix 0x0000000000000001 has another subnet`},
		{top + "port 1 A x 1", "f:3: a port with no router above it"},
		{top + "router R 0x5\nport 0 A x 1", `f:4: port "0"`},
		{top + "router R 0x5\nport 1 B x 1", `f:4: no subnet above is called "B"`},
		{top + "router R 0x5\nport 1 A x 255", `f:4: port "255" of the switch`},
		{top + "router R 0x5\nport 1 A x 1\nport 1 A x 2", `f:5: router "R" has two ports 1`},
		{top + "router R 0x5 more", `f:3: router "R": "more" is too much`},
		{top + "router \"R 0x5", "f:3: a quote is not closed"},
		{top + "cable R", "f:3: a line begins with subnet, router or port"},
	} {
		_, err := Read("f", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	const top = header + "\nsubnet A 0x1 rlft(4,2)\nsubnet B 0x2 rlft(4,2)\nrouter R 0x5\n"
	for _, c := range []struct{ text, want string }{
		{header + "\nsubnet A 0x1 rlft(4)\n", `f:2: subnet "A": gen:`},
		{top + "port 1 A nobody 1", `f:5: subnet "A": no switch`},
		{top + "port 1 A \"leaf 0\" 1", `f:5: subnet "A": fabric: port`},
		{top + "router S 0x5", `f:5: routers "R" and "S" have one GUID`},
		{top + "port 2 A \"spine 0\" 5\nrouter S 0x6\nport 1 A \"spine 1\" 5", `f:6: port 1 of router "S" gets the GUID 0x0000000000000007, the router's plus its number, which port 2 of router "R" has`},
		{top + "router S 0xffffffffffffffff\nport 1 A \"spine 0\" 5", `f:5: port 1 of router "S" gets the GUID 0x0000000000000000, the router's plus its number, which is too large`},
	} {
		f, err := Read("f", []byte(c.text))
		if err == nil {
			_, err = f.Build("f", open)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	twice, err := Read("f", []byte(header+"\nsubnet A 0x1 x\nsubnet B 0x2 x\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = twice.Build("f", func(string) (Opened, error) { o, err := open("rlft(4,2)"); o.Made = false; return o, err })
	if err == nil || !strings.Contains(err.Error(), `is in subnet "A" and in subnet "B"`) {
		t.Errorf("one file as two subnets: %v", err)
	}
}

func TestFormulaSaysWhatIsWrong(t *testing.T) {
	for _, text := range []string{
		"subnets()", "subnets(2)", "subnets(0,rlft(4,2))", "subnets(2,rlft(4,2),rlft(4,2))", "subnets(2,rlft(4,2),routers=0)",
		"subnets(2,rlft(4,2),shape=ring)", "subnets(2,rlft(4,2),color=red)", "subnets(2,rlft(4,2)", "subnets(2,rlft(4,2)))",
		"subnets(2,subnets(2,rlft(4,2)))", "subnets(2,nothing)", "subnets(2,rlft(4,2),routers=60000,cables=254)",
		"subnets(2,rlft(4,2),cores=2)", "subnets(2,rlft(4,2),core=subnets(2,rlft(4,2)))", "subnets(2,rlft(4,2),core=rlft(4,2),shape=star)", "subnets(4096,rlft(4,2),core=rlft(4,2))", "subnets(2,rlft(4,2),core=)", "subnets(9999,rlft(4,2))",
	} {
		if _, err := Expand(text, open); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// A router that dumps of two subnets hold is one router.
func TestRoutersOfFabrics(t *testing.T) {
	f, err := Read("f", []byte(header+"\nsubnet A 0x1 a\nsubnet B 0x2 b\n"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Build("f", func(arg string) (Opened, error) {
		d := fabric.New(arg)
		at := fabric.GUID(arg[0]) << 8
		sw, _ := d.AddNode(fabric.Switch, at, 4, "switch "+arg)
		host, _ := d.AddNode(fabric.CA, at+1, 1, "host "+arg)
		router, _ := d.AddNode(fabric.Router, 0x77, 2, "the router")
		port := arg[0] - 'a' + 1
		d.Nodes[router].Ports[port].GUID = 0x77 + fabric.GUID(port)
		_, err1 := d.Connect(fabric.End{Node: sw, Port: 1}, fabric.End{Node: host, Port: 1}, 4, fabric.EDR)
		_, err2 := d.Connect(fabric.End{Node: sw, Port: 2}, fabric.End{Node: router, Port: port}, 4, fabric.EDR)
		return Opened{d, false}, errors.Join(err1, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Routers) != 1 || len(n.Ports) != 2 || n.Ports[0].Subnet != 0 || n.Ports[1].Subnet != 1 || n.Ports[1].Number != 2 || n.Ports[1].GUID != 0x79 {
		t.Errorf("routers %+v, ports %+v", n.Routers, n.Ports)
	}
}

// drawFile draws a File that Read accepts.
func drawFile(t *rapid.T) *File {
	f := &File{}
	name := rapid.StringMatching(`[a-z"\\ é]{1,6}`)
	for i := range rapid.IntRange(1, 4).Draw(t, "subnets") {
		f.Subnets = append(f.Subnets, SubnetLine{Name: fmt.Sprint(name.Draw(t, "name"), i), Prefix: Prefix(rapid.Uint64Range(0, 1<<40).Draw(t, "prefix")<<8) + Prefix(i), Fabric: rapid.StringMatching(`[a-z"(),|=]{1,9}`).Draw(t, "fabric")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "routers") {
		r := RouterLine{Name: name.Draw(t, "router"), GUID: fabric.GUID(rapid.Uint64Min(1).Draw(t, "guid"))}
		for p := range rapid.IntRange(0, 4).Draw(t, "ports") {
			s := rapid.SampledFrom(f.Subnets).Draw(t, "in")
			r.Ports = append(r.Ports, PortLine{uint8(p + 1), s.Name, name.Draw(t, "switch"), uint8(rapid.IntRange(1, 254).Draw(t, "port")), 0})
		}
		f.Routers = append(f.Routers, r)
	}
	return f
}

func TestFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t)
		again := roundTrip(t, f)
		if again != f.text(t) {
			t.Fatalf("%q\nis read and written as\n%q", f.text(t), again)
		}
	})
}

func (f *File) text(t rapid.TB) string {
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// roundTrip reads what is written of a File, and writes it again.
func roundTrip(t rapid.TB, f *File) string {
	g, err := Read("f", []byte(f.text(t)))
	if err != nil {
		t.Fatalf("%v in\n%s", err, f.text(t))
	}
	if len(g.Subnets) != len(f.Subnets) || len(g.Routers) != len(f.Routers) {
		t.Fatalf("%d subnets and %d routers are read as %d and %d", len(f.Subnets), len(f.Routers), len(g.Subnets), len(g.Routers))
	}
	return g.text(t)
}

// A formula and the File that is written of it make the same network.
func TestFormulaAsFile(t *testing.T) {
	n := network(t, "subnets(rlft(6,2),torus(3x3,hosts=2),racks72,shape=chain,routers=3)")
	f, err := Read("f", []byte(n.File.text(t)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Build("f", open)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(n.Ports, n.Routers, n.Subnets) != fmt.Sprint(m.Ports, m.Routers, m.Subnets) {
		t.Error("the network of the file differs from that of the formula")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header + "\nsubnet \"A b\" 0x1 rlft(4,2)\nrouter R 0x5\nport 1 \"A b\" \"leaf 0\" 3\n# x\n"))
	f.Add([]byte(header + "\nsubnet A 1 x\nrouter R \"5\"\nport 1 A \"\\x00\" 9\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("f", data)
		if err != nil {
			if _, ok := errors.AsType[*netfile.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if text := file.text(t); roundTrip(t, file) != text {
			t.Fatalf("%q does not stay as it is", text)
		}
		_, _ = file.Build("f", func(arg string) (Opened, error) {
			if arg != "rlft(4,2)" {
				return Opened{}, errors.New("none")
			}
			return open(arg)
		})
	})
}

func FuzzExpand(f *testing.F) {
	f.Add("subnets(2,rlft(4,2),routers=2)")
	f.Add("subnets(rlft(4,2),rlft(4,2),shape=star,on=leaves,cables=2)")
	f.Fuzz(func(t *testing.T, text string) {
		small := func(string) (Opened, error) { return open("rlft(4,2)") }
		file, err := Expand(text, small)
		if err != nil {
			return
		}
		if _, err := file.Build("f", small); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
