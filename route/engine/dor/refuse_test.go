package dor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

func TestRefusals(t *testing.T) {
	linkBetween := func(f *fabric.Fabric, a, b fabric.NodeID) fabric.LinkID {
		for i, l := range f.Links {
			if (l.A.Node == a && l.B.Node == b) || (l.A.Node == b && l.B.Node == a) {
				return fabric.LinkID(i)
			}
		}
		t.Fatalf("no link between %d and %d", a, b)
		return fabric.NoLink
	}
	wide := func(s shape) shape { s.ports = 16; return s }
	bare := func(s shape) shape { s.named = false; return s }
	for _, c := range []struct {
		name  string
		shape shape
		vls   int
		harm  func(t *testing.T, f *fabric.Fabric)
		want  []string // parts of the reason
	}{
		{"one lane", torus(5, 5), 1, nil, []string{"needs 2 lanes, 1 allowed"}},
		{
			"five datelines",
			shape{size: []int{5, 5, 5, 5, 5}, wrap: true, parallel: 1},
			8, nil,
			[]string{"5 dimensions that wrap", "an SL has 4"},
		},
		{
			"drained", torus(3, 3), 8, func(t *testing.T, f *fabric.Fabric) { f.Nodes[4].Drained = true },
			[]string{`"switch (1,1)"`, "is drained"},
		},
		{
			"missing link", mesh(4, 4), 8, func(t *testing.T, f *fabric.Fabric) { f.SetLinkDown(linkBetween(f, 5, 6), true) },
			[]string{`"switch (1,1)" (0x00000000000003ed) at (1,1) has no link to its neighbour switch "switch (2,1)"`},
		},
		{
			"missing wrap", torus(5, 5), 8, func(t *testing.T, f *fabric.Fabric) { f.SetLinkDown(linkBetween(f, 0, 4), true) },
			[]string{`"switch (0,0)"`, "has no link to its neighbour", `"switch (4,0)"`},
		},
		{
			"missing switch", torus(5, 5), 8, func(t *testing.T, f *fabric.Fabric) { f.SetNodeDown(12, true) },
			[]string{"has no neighbour at (2,2): a switch is missing"},
		},
		{"chord", wide(mesh(4, 4)), 8, func(t *testing.T, f *fabric.Fabric) {
			must(f.Connect(fabric.End{Node: 0, Port: 16}, fabric.End{Node: 5, Port: 16}, 4, fabric.EDR))(t)
		}, []string{`"switch (0,0)"`, `"switch (1,1)"`, "linked but no neighbours"}},
		{
			"missing link, no descriptions", bare(torus(6, 6)), 8, func(t *testing.T, f *fabric.Fabric) { f.SetLinkDown(linkBetween(f, 14, 15), true) },
			[]string{"not a mesh or torus: ", `"box 14"`, "a link or switch there is missing"},
		},
		{
			"missing switch, no descriptions", bare(torus(6, 6)), 8, func(t *testing.T, f *fabric.Fabric) { f.SetNodeDown(14, true) },
			[]string{"not a mesh or torus: ", "a link or switch there is missing"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.shape.build(t)
			if c.harm != nil {
				c.harm(t, f)
			}
			got := refusal(t, f.Compile(), c.vls)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("the reason lacks %q: %s", want, got)
				}
			}
		})
	}
}

// fromEdges makes a fabric of switches with these links.
func fromEdges(t testing.TB, n int, edges [][2]int) *fabric.Fabric {
	f := fabric.New("edges")
	for i := range n {
		must(f.AddNode(fabric.Switch, fabric.GUID(i+1), 40, "box"))(t)
	}
	next := make([]uint8, n)
	for _, e := range edges {
		next[e[0]]++
		next[e[1]]++
		must(f.Connect(fabric.End{Node: fabric.NodeID(e[0]), Port: next[e[0]]},
			fabric.End{Node: fabric.NodeID(e[1]), Port: next[e[1]]}, 4, fabric.EDR))(t)
	}
	return f
}

// Graphs that look like a grid from nearby, or not at all.
func TestOtherShapes(t *testing.T) {
	var petersen, moebius, twisted, leafSpine, full [][2]int
	for i := range 5 {
		petersen = append(petersen, [2]int{i, (i + 1) % 5}, [2]int{i, i + 5}, [2]int{i + 5, (i+2)%5 + 5})
	}
	for i := range 6 { // a ladder of 6 rungs closed with a twist
		moebius = append(moebius, [2]int{i, i + 6})
		if i < 5 {
			moebius = append(moebius, [2]int{i, i + 1}, [2]int{i + 6, i + 7})
		}
	}
	moebius = append(moebius, [2]int{5, 6}, [2]int{11, 0})
	for y := range 6 { // a torus whose rows of 6 close one row further on
		for x := range 6 {
			twisted = append(twisted, [2]int{6*y + x, 6*((y+1)%6) + x})
			if x < 5 {
				twisted = append(twisted, [2]int{6*y + x, 6*y + x + 1})
			} else {
				twisted = append(twisted, [2]int{6*y + x, 6 * ((y + 1) % 6)})
			}
		}
	}
	for leaf := range 6 {
		for spine := range 3 {
			leafSpine = append(leafSpine, [2]int{leaf, 6 + spine})
		}
	}
	for i := range 6 {
		for j := range i {
			full = append(full, [2]int{j, i})
		}
	}
	star := [][2]int{{0, 1}, {0, 2}, {0, 3}}
	for _, c := range []struct {
		name  string
		n     int
		edges [][2]int
	}{
		{"petersen", 10, petersen},
		{"moebius", 12, moebius},
		{"twisted", 36, twisted},
		{"leaf and spine", 9, leafSpine},
		{"full mesh", 6, full},
		{"star", 4, star},
		{"tetrahedron", 4, full[:6]},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := refusal(t, fromEdges(t, c.n, c.edges).Compile(), 8); !strings.Contains(got, `switch "box" (0x`) {
				t.Errorf("the reason names no switch: %s", got)
			}
		})
	}
}

// A grid with one link or switch taken out or one link too many is refused, or is
// a grid still and routed well (a ring that became a line).
func TestBroken(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawShape(rt)
		s.ports = 2*len(s.size)*s.parallel + s.hosts + 2
		f := s.build(t)
		switches := 1
		for _, k := range s.size {
			switches *= k
		}
		node := rapid.IntRange(0, switches-1)
		switch rapid.IntRange(0, 2).Draw(rt, "fault") {
		case 0:
			f.SetNodeDown(fabric.NodeID(node.Draw(rt, "switch")), true)
		case 1:
			if len(f.Links) > 0 {
				f.SetLinkDown(fabric.LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(rt, "link")), true)
			}
		default:
			var ends [2]fabric.End
			for i := range ends {
				n := fabric.NodeID(node.Draw(rt, "end"))
				for p := 1; p < len(f.Nodes[n].Ports); p++ {
					if end := (fabric.End{Node: n, Port: uint8(p)}); f.Nodes[n].Ports[p].Link == fabric.NoLink && end != ends[0] {
						ends[i] = end
					}
				}
			}
			must(f.Connect(ends[0], ends[1], 4, fabric.EDR))(t)
		}
		g := f.Compile()
		p, err := run(g, 0, 8, 1)
		if err != nil {
			if reason := refusal(t, g, 8); !strings.Contains(reason, "switch ") {
				rt.Errorf("the reason names no switch: %s", reason)
			}
			return
		}
		judge(t, g, p)
	})
}
