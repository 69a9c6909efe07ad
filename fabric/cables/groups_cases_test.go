package cables

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
)

// groupsJoined builds nine groups of four switches, each a full mesh with hosts. join returns the
// place, among a group's eight cables to others, of the cable to another group; shuffle puts them
// on random switches.
func groupsJoined(t *testing.T, join func(i, j int) int, shuffle *rand.Rand) *fabric.Fabric {
	const groups, size, far = 9, 4, 2
	f := fabric.New("groups")
	for i := range groups * size {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(1+i), 6, fmt.Sprintf("isl%02d", i)); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(a, p, b, q int) {
		if _, err := f.Connect(fabric.End{Node: fabric.NodeID(a), Port: uint8(p)}, fabric.End{Node: fabric.NodeID(b), Port: uint8(q)}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	order := make([][]int, groups)
	for i := range groups {
		order[i] = numbersTo(groups - 1)
		if shuffle != nil {
			order[i] = shuffle.Perm(groups - 1)
		}
		for a := range size {
			for b := a + 1; b < size; b++ {
				connect(i*size+a, b, i*size+b, a+1)
			}
		}
	}
	for i := range groups {
		for j := i + 1; j < groups; j++ {
			q, r := order[i][join(i, j)], order[j][join(j, i)]
			connect(i*size+q/far, size+q%far, j*size+r/far, size+r%far)
		}
	}
	for i := range groups * size {
		if _, err := f.AddNode(fabric.CA, fabric.GUID(1000+i), 1, "host"); err != nil {
			t.Fatal(err)
		}
		connect(i, size+far, groups*size+i, 1)
	}
	return f
}

func numbersTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// byNumber: the cables of a group lead to the groups in the order of their numbers, its own left
// out.
func byNumber(i, j int) int {
	if j > i {
		return j - 1
	}
	return j
}

// TestGroupsByNumber: if cables lead to groups by number, lost and crossed ones are named with both
// ends.
func TestGroupsByNumber(t *testing.T) {
	whole := groupsJoined(t, byNumber, nil)
	if r := Of(whole, whole.Compile(), nil); r.Pattern != "dragonfly" || len(r.Cables) > 0 || len(r.Notes) > 0 {
		t.Fatalf("whole: %s, %q", r.Pattern, named(r))
	}
	far := between(whole, func(a, b string) bool { return a[3:4] != b[3:4] && a < "isl04" && b > "isl07" })
	f, want := lose(whole, far[1:3])
	if r := Of(f, f.Compile(), nil); !slices.Equal(pairsOf(r), want) || r.Counts[Missing] != 2 {
		t.Errorf("%q, want %v", named(r), want)
	}
	g := whole.Compile()
	channel := func(id fabric.LinkID) int32 {
		l := &whole.Links[id]
		c, _ := g.At(int32(slices.Index(g.SwitchGUID, whole.Nodes[l.A.Node].GUID)), l.A.Port)
		return c
	}
	crossed := cross(t, whole, g, channel(far[0]), channel(far[5]))
	if r := Of(crossed, crossed.Compile(), nil); len(r.Cables) != 1 || r.Counts[Crossed] != 1 {
		t.Errorf("crossed: %q", named(r))
	}
}

// TestGroupsWithoutRule: where groups are joined in any way, the two switches of a cable that is
// lost are named, and cables within groups with both ends; where a switch is down nobody is accused
// of its cables.
func TestGroupsWithoutRule(t *testing.T) {
	whole := groupsJoined(t, byNumber, rand.New(rand.NewPCG(1, 9)))
	if r := Of(whole, whole.Compile(), nil); r.Pattern != "dragonfly" || len(r.Cables) > 0 || len(r.Notes) > 0 {
		t.Fatalf("whole: %s, %q", r.Pattern, named(r))
	}
	down := whole.Clone()
	down.Nodes[5].Down = true
	if r := Of(down, down.Compile(), nil); r.Pattern != "dragonfly" || len(r.Cables) > 0 || len(r.Notes) != 1 {
		t.Errorf("a switch is down: %s, %q", r.Pattern, named(r))
	}
	id := fabric.LinkID(slices.IndexFunc(whole.Links, func(l fabric.Link) bool { return l.A.Node/4 != l.B.Node/4 }))
	f := whole.Without(nil, func(l fabric.LinkID) bool { return l == id })
	r := Of(f, f.Compile(), nil)
	var got []fabric.GUID
	for _, o := range r.Cables {
		if got = append(got, o.Ports[0].GUID); o.Text != "1 of 2 cables to other groups" {
			t.Errorf("%q", o.Text)
		}
	}
	slices.Sort(got)
	if ports := whole.LinkPorts(id); len(r.Cables) != 2 || got[0] != min(ports[0].GUID, ports[1].GUID) || got[1] != max(ports[0].GUID, ports[1].GUID) {
		t.Errorf("%q, want %v", named(r), ports)
	}
}

// TestNoGroups: networks that are nearly groups, or hold some, are not held against the pattern of
// groups.
func TestNoGroups(t *testing.T) {
	for _, formula := range []string{
		"rlft(12,2)|merge(rlft(12,2),links=12)|merge(rlft(12,2),links=12)", "rlft(12,2)|merge(rlft(12,2),links=12)|merge(rlft(12,2),links=12)|merge(rlft(12,2),links=12)",
		"random(switches=12,hosts=4,links=60,seed=10)", "random(switches=60,hosts=4,links=400,seed=1)", "slimfly(7)", "kautz(3,3,hosts=72)", "rlft(8,3)|merge(tree=rlft(8,2))",
	} {
		f := generated(t, formula)
		if r := Of(f, f.Compile(), nil); len(r.Cables) > 0 {
			t.Errorf("%s: pattern %s, %d odd cables, the first %s", formula, r.Pattern, len(r.Cables), named(r)[0])
		}
	}
}

// TestLeastOdd: a network that fits two patterns is compared with the one that leaves fewer odd
// cables.
func TestLeastOdd(t *testing.T) {
	for formula, want := range map[string]string{"hyperx(3x3x3x4,hosts=1)": "hyperx", "torus(3x3x3x4,hosts=1)": "torus", "torus(3x3,hosts=1)": "torus", "hypercube(4,hosts=1)": "mesh"} {
		f := generated(t, formula)
		if r := Of(f, f.Compile(), nil); r.Pattern != want || len(r.Cables) > 0 {
			t.Errorf("%s: pattern %s, %q", formula, r.Pattern, strings.Join(named(r), "; "))
		}
	}
}
