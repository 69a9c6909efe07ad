package cables

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/discovery"
)

// hostEnd returns a port of a host.
func hostEnd(t *testing.T, f *fabric.Fabric, host, port int) fabric.End {
	t.Helper()
	id, err := f.FindHost(fmt.Sprint("host ", host))
	if err != nil {
		t.Fatal(err)
	}
	return fabric.End{Node: id, Port: uint8(port)}
}

// swapped returns a fabric in which pairs of host ports have swapped their cables.
func swapped(t *testing.T, f *fabric.Fabric, pairs ...[2]fabric.End) *fabric.Fabric {
	t.Helper()
	with := map[fabric.End]fabric.End{}
	for _, p := range pairs {
		with[p[0]], with[p[1]] = p[1], p[0]
	}
	out := f.Without(nil, func(fabric.LinkID) bool { return true })
	for i := range f.Links {
		l := f.Links[i]
		ends := [2]fabric.End{l.A, l.B}
		for k, e := range ends {
			if o, ok := with[e]; ok {
				ends[k] = o
			}
		}
		if _, err := out.Connect(ends[0], ends[1], l.Width, l.Speed); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// oddOf lists the odd cables of a fabric, a line each.
func oddOf(f *fabric.Fabric) (lines []string) {
	r := Of(f, f.Compile(), nil)
	for i := range r.Cables {
		lines = append(lines, fmt.Sprintf("%s %s: %s", r.Cables[i].Kind, r.Name(&r.Cables[i]), r.Cables[i].Text))
	}
	return lines
}

// TestServersOnRails: cables of servers on a wrong rail, at the switch of another pod, or missing
// are found, and no others.
func TestServersOnRails(t *testing.T) {
	f, err := gen.Parse("rail(8,4,3,spines=4)|radix(16)")
	if err != nil {
		t.Fatal(err)
	}
	end := func(host, port int) fabric.End { return hostEnd(t, f, host, port) }
	lost := func(e fabric.End) *fabric.Fabric {
		return f.Without(nil, func(id fabric.LinkID) bool { return f.Links[id].A == e || f.Links[id].B == e })
	}
	moved := lost(end(5, 3))
	leaf, _ := moved.FindSwitch("pod 1 rail 6")
	if _, err := moved.Connect(end(5, 3), fabric.End{Node: leaf, Port: 16}, 0, 0); err != nil {
		t.Fatal(err)
	}
	down := f.Clone()
	down.Links[down.Nodes[end(5, 3).Node].Ports[3].Link].Down = true
	for _, c := range []struct {
		name string
		f    *fabric.Fabric
		want string
	}{
		{"whole", f, ""},
		{
			"two ports of a server", swapped(t, f, [2]fabric.End{end(1, 3), end(1, 6)}),
			"crossed host 1[3] - pod 0 rail 5[2], host 1[6] - pod 0 rail 2[2]: should be host 1[3] - pod 0 rail 2 and host 1[6] - pod 0 rail 5",
		},
		{
			"ports of two servers", swapped(t, f, [2]fabric.End{end(1, 3), end(2, 6)}),
			"crossed host 1[3] - pod 0 rail 5[3], host 2[6] - pod 0 rail 2[2]: should be host 1[3] - pod 0 rail 2 and host 2[6] - pod 0 rail 5",
		},
		{
			"ports of two pods", swapped(t, f, [2]fabric.End{end(1, 3), end(9, 3)}),
			"crossed host 1[3] - pod 2 rail 2[2], host 9[3] - pod 0 rail 2[2]: should be host 1[3] - pod 0 rail 2 and host 9[3] - pod 2 rail 2",
		},
		{"a port on another rail", moved, "extra host 5[3] - pod 1 rail 6[16]: on rail 6, its place is on rail 2, at pod 1 rail 2"},
		{"a cable less", lost(end(5, 3)), "missing host 5[3] - pod 1 rail 2: no cable of the server on rail 2"},
		{"a cable down", down, "missing host 5[3] - pod 1 rail 2[2]: down"},
	} {
		got := oddOf(c.f)
		for i := range got { // ends in one order
			kind, rest, _ := strings.Cut(got[i], " ")
			names, text, _ := strings.Cut(rest, ": ")
			cables := strings.Split(names, ", ")
			for k, cable := range cables {
				if a, b, _ := strings.Cut(cable, " - "); strings.HasPrefix(b, "host") {
					cables[k] = b + " - " + a
				}
			}
			got[i] = kind + " " + strings.Join(cables, ", ") + ": " + text
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
	if r := Of(f, f.Compile(), nil); r.Rails != 8 {
		t.Errorf("%d rails", r.Rails)
	}
}

// TestRandomSwaps: any few pairs of host ports that have swapped their cables are found as crossed,
// and nothing else is odd.
func TestRandomSwaps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	for i := range 40 {
		formula := []string{"rail(8,4,3,spines=4)", "rail(4,12,4,spines=4,cores=2,up=2)", "rail(4,6,5,spines=3)|plane(rlft(12,2,hosts=40))"}[i%3]
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		var pairs [][2]fabric.End
		var want []string
		used := map[int32]bool{} // leaves and servers: one swap for each
		for range 1 + r.IntN(2) {
			a, b := int32(r.IntN(g.NumHosts)), int32(r.IntN(g.NumHosts))
			x, y := g.EndSwitch[a], g.EndSwitch[b]
			if x == y || used[x] || used[y] || used[-1-g.EndNode[a]] || used[-1-g.EndNode[b]] || strings.Contains(g.SwitchDesc[x]+g.SwitchDesc[y], "plane") {
				continue
			}
			for _, k := range []int32{x, y, -1 - g.EndNode[a], -1 - g.EndNode[b]} {
				used[k] = true
			}
			ends := [2]fabric.End{}
			for k, e := range [2]int32{a, b} {
				id, _ := f.NodeByGUID(g.EndNodeGUID[e])
				ends[k] = fabric.End{Node: id, Port: g.EndNum[e]}
				want = append(want, g.EndName(e).Short())
			}
			pairs = append(pairs, ends)
		}
		damaged := swapped(t, f, pairs...)
		odd := Of(damaged, damaged.Compile(), nil)
		var got []string
		for _, o := range odd.Cables {
			if o.Kind != Crossed {
				t.Errorf("%s, %v: %s %v: %s", formula, want, o.Kind, o.Ports, o.Text)
			}
			for _, p := range o.Ports {
				if p.Type == "CA" {
					got = append(got, p.Short())
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: crossed are %v, want %v", formula, got, want)
		}
	}
}

// TestSwappedInDGX: in a part of the dump of a real cluster, one server has swapped two cables.
func TestSwappedInDGX(t *testing.T) {
	data, err := os.ReadFile("../rails/testdata/dgx.ibnetdiscover")
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := discovery.ReadIBNetDiscover("dgx", data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range Of(f, f.Compile(), nil).Cables {
		if o.Ports[0].Type == "CA" || o.Ports[1].Type == "CA" {
			for _, p := range o.Ports {
				got = append(got, string(o.Kind)+" "+p.Name)
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"crossed MF0;B09-P1-IBLEAF-03-08:MQM9701/U1", "crossed MF0;B09-P1-IBLEAF-04-08:MQM9701/U1",
		"crossed b08-p1-dgx-08-c01 HCA-5", "crossed b08-p1-dgx-08-c01 HCA-6",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
