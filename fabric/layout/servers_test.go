package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
)

// serverBoxes lists the boxes of servers from left to right.
func serverBoxes(p *Picture) []Box {
	boxes := slices.DeleteFunc(slices.Clone(p.Boxes), func(b Box) bool { return b.Servers == 0 })
	slices.SortFunc(boxes, func(a, b Box) int { return int(a.X - b.X) })
	return boxes
}

// toServers counts the cables of lines to servers.
func toServers(p *Picture) (cables int) {
	for _, l := range p.Lines {
		if strings.Contains(l.Title, " of servers: ") {
			cables += l.Cables
		}
	}
	return cables
}

// TestServerIsOneBox: a server of several ports is one box with all its ports, whose name is there
// once; many servers with the same place share a box; servers of one port have none.
func TestServerIsOneBox(t *testing.T) {
	for _, c := range []struct {
		formula string
		boxes   int
		text    string // of the first box
		ports   int
		count   string
	}{
		{"rail(8,4,2,spines=4)", 8, "host 0", 8, "8 servers, 64 host ports, 8 rails, 20 switches, 64 cables between switches"},
		{"rail(8,32,4,spines=16,width=2)", 4, "32 servers, of 8 ports", 8, "128 servers, 1,024 host ports, 8 rails, "},
		{"rail(8,32,32,spines=32,cores=4,up=7)", 32, "32 servers, of 8 ports", 8, "1,024 servers, 8,192 host ports, 8 rails, "},
		{"rlft(4,2)|planes(2)", 8, "host 0", 2, "8 servers, 16 host ports, 2 rails, "},
		{"rlft(8,2)", 0, "", 0, "32 host ports, 12 switches, "},
	} {
		p := Of(parse(t, c.formula), Options{})
		boxes := serverBoxes(p)
		if len(boxes) != c.boxes || !strings.HasPrefix(p.Text[0], c.count) {
			t.Errorf("%s: %d boxes of servers, want %d: %s", c.formula, len(boxes), c.boxes, p.Text[0])
		}
		if c.boxes == 0 {
			continue
		}
		names, servers := map[string]bool{}, 0
		for _, b := range boxes {
			servers += b.Servers
			if len(b.Ports) != c.ports {
				t.Errorf("%s: %q has %d ports, want %d", c.formula, b.Title, len(b.Ports), c.ports)
			}
			if names[b.Title] {
				t.Errorf("%s: two boxes are called %q", c.formula, b.Title)
			}
			names[b.Title] = true
		}
		if got := strings.Join(boxes[0].Text, ", "); got != c.text {
			t.Errorf("%s: the first box says %q, want %q", c.formula, got, c.text)
		}
		if got := toServers(p); got != servers*c.ports {
			t.Errorf("%s: %d cables to %d servers", c.formula, got, servers)
		}
		for i := range p.Boxes {
			if len(p.Boxes[i].Dots) > 0 {
				t.Errorf("%s: dots for servers that have boxes", c.formula)
			}
		}
	}
}

// TestRails: the leaves of a pod stand together, rail by rail, and rail i has the same colour in
// all pods, in all servers and in the legend. Lines to servers of a pod lead to its leaves.
func TestRails(t *testing.T) {
	for _, formula := range []string{"rail(8,4,2,spines=4)", "rail(8,32,4,spines=16,width=2)"} {
		p := Of(parse(t, formula), Options{})
		var leaves []Box
		for _, b := range p.Boxes {
			if b.Role == "leaf" {
				leaves = append(leaves, b)
			}
		}
		slices.SortFunc(leaves, func(a, b Box) int { return int(a.X - b.X) })
		for i, b := range leaves {
			name := fmt.Sprintf("pod %d rail %d", i/8, i%8)
			if b.Text[0] != name || b.Class != railClasses[i%8] {
				t.Errorf("%s: leaf %d is %q of class %q, want %s", formula, i, b.Text[0], b.Class, name)
			}
		}
		for _, b := range serverBoxes(p) {
			for k, c := range b.Ports {
				if c.Class != railClasses[k] {
					t.Errorf("%s: port %d of %q has class %q", formula, k, b.Title, c.Class)
				}
			}
		}
		for _, l := range p.Lines {
			if strings.Contains(l.Title, " of servers: ") && !strings.Contains(l.Title, "rail "+string(l.Class[4]-1)+" – ") {
				t.Errorf("%s: the line %q has class %q", formula, l.Title, l.Class)
			}
		}
		if len(p.Legend) != 8 || p.Legend[3].Text != "rail 3" || p.Legend[3].Class != railClasses[3] {
			t.Errorf("%s: the legend is %v", formula, p.Legend)
		}
	}
}

// TestPlanes: planes stand side by side, each in its frame, above the servers that they share; the
// storage plane has its name, and no colour of a rail.
func TestPlanes(t *testing.T) {
	for formula, want := range map[string][]string{
		"rlft(8,2)|planes(2)":          {"plane 1: 12 switches", "plane 2: 12 switches"},
		"torus(4x4,hosts=1)|planes(2)": {"plane 1: 16 switches", "plane 2: 16 switches"},
		"rlft(8,3)|planes(8)":          {"plane 1: 80 switches", "plane 2: 80 switches", "plane 3: 80 switches", "plane 4: 80 switches", "plane 5: 80 switches", "plane 6: 80 switches", "plane 7: 80 switches", "plane 8: 80 switches"},
		"rail(4,4,2,spines=2)|plane(rlft(8,2,hosts=12),name=storage)": {"plane 1: 10 switches", "storage: 12 switches, 4 hosts of its own"},
	} {
		p := Of(parse(t, formula), Options{})
		var planes []Frame
		for _, f := range p.Frames {
			if f.Plane {
				planes = append(planes, f)
			}
		}
		var texts []string
		for i, f := range planes {
			texts = append(texts, f.Text)
			if i > 0 && f.X < planes[i-1].X+planes[i-1].W {
				t.Errorf("%s: the planes overlap", formula)
			}
		}
		if p.Kind != Planes || !slices.Equal(texts, want) {
			t.Errorf("%s is drawn as %s with %q, want %q", formula, p.Kind, texts, want)
		}
		for i := range p.Boxes {
			b := &p.Boxes[i]
			in := func(f Frame) bool { return f.X < b.X && b.X+b.W < f.X+f.W && f.Y < b.Y && b.Y+b.H < f.Y+f.H }
			below := func(f Frame) bool { return b.Y > f.Y+f.H }
			switch {
			case b.Servers > 0 && !slices.ContainsFunc(planes, below), b.Switches > 0 && !slices.ContainsFunc(planes, in):
				t.Errorf("%s: %q is in a wrong place", formula, b.Title)
			case strings.Contains(formula, "storage") && b.X > planes[1].X && b.Switches > 0 && b.Class != "":
				t.Errorf("%s: %q has class %q", formula, b.Title, b.Class)
			}
		}
	}
}

// TestServerMarks: a host cable that is down is a failed line, its port is marked, and so is a
// server that is down.
func TestServerMarks(t *testing.T) {
	f := parse(t, "rail(4,4,2,spines=2)")
	id, err := f.FindHost("host 1")
	if err != nil {
		t.Fatal(err)
	}
	f.Links[f.Nodes[id].Ports[3].Link].Down = true
	lost, err := f.FindHost("host 6")
	if err != nil {
		t.Fatal(err)
	}
	f.Nodes[lost].Down = true
	p := Of(f, Options{})
	failed := 0
	for _, l := range p.Lines {
		if l.Class == classFailed {
			failed++
		}
	}
	for _, b := range serverBoxes(p) {
		if want := b.Text[0] == "host 6"; (b.Mark == Failed) != want {
			t.Errorf("%q has mark %q", b.Title, b.Mark)
		}
		for k, c := range b.Ports {
			if want := b.Text[0] == "host 6" || b.Text[0] == "host 1" && k == 2; (c.Mark == Failed) != want {
				t.Errorf("port %d of %q has mark %q", k+1, b.Title, c.Mark)
			}
		}
	}
	if failed != 5 || !strings.HasSuffix(p.Text[0], "; 5 cables to servers failed") {
		t.Errorf("%d failed lines, want 5: %s", failed, p.Text[0])
	}
	link := f.Nodes[id].Ports[1].Link
	odd := 0
	for _, l := range Of(f, Options{Odd: map[fabric.LinkID]string{link: "crossed"}}).Lines {
		if l.Class == classOdd {
			odd++
		}
	}
	if odd != 1 {
		t.Errorf("%d odd lines, want 1", odd)
	}
}
