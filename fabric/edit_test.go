package fabric

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCloneIsIndependent: a clone is equal, and stays when the original changes.
func TestCloneIsIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		c, want := f.Clone(), f.Compile()
		if err := consistent(c); err != nil {
			t.Fatal(err)
		}
		if d := Diff(f, c); len(d) > 0 || c.Name != f.Name {
			t.Fatalf("%q differs: %v", c.Name, d)
		}
		if _, err := f.AddNode(CA, 1<<40, 1, "new"); err != nil {
			t.Fatal(err)
		}
		for id := range f.Nodes {
			f.SetNodeDown(NodeID(id), true)
			for p := range f.Nodes[id].Ports {
				f.Nodes[id].Ports[p].LID++
			}
		}
		for id := range f.Links {
			f.SetLinkDown(LinkID(id), true)
		}
		if d := gocmp.Diff(want, c.Compile()); d != "" {
			t.Fatal(d)
		}
		if _, found := c.NodeByGUID(1 << 40); found {
			t.Fatal("the clone has the new node")
		}
	})
}

// TestWithout compares it with building the rest anew.
func TestWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t)
		dropNode := rapid.SliceOfN(rapid.Bool(), len(f.Nodes), len(f.Nodes)).Draw(t, "nodes")
		dropLink := rapid.SliceOfN(rapid.Bool(), len(f.Links), len(f.Links)).Draw(t, "links")
		got := f.Without(func(id NodeID) bool { return dropNode[id] }, func(id LinkID) bool { return dropLink[id] })

		want := New(f.Name)
		renumbered := map[NodeID]NodeID{}
		for i, n := range f.Nodes {
			if dropNode[i] {
				continue
			}
			id, err := want.AddNode(n.Type, n.GUID, n.NumPorts(), n.Desc)
			if err != nil {
				t.Fatal(err)
			}
			n.Ports = append([]Port(nil), n.Ports...)
			for p := range n.Ports {
				n.Ports[p].Link = NoLink
			}
			want.Nodes[id] = n
			renumbered[NodeID(i)] = id
		}
		for i, l := range f.Links {
			a, okA := renumbered[l.A.Node]
			b, okB := renumbered[l.B.Node]
			if dropLink[i] || !okA || !okB {
				continue
			}
			id, err := want.Connect(End{a, l.A.Port}, End{b, l.B.Port}, l.Width, l.Speed)
			if err != nil {
				t.Fatal(err)
			}
			want.Links[id].Down, want.Links[id].Drained = l.Down, l.Drained
		}
		if d := gocmp.Diff(want, got, gocmp.AllowUnexported(Fabric{})); d != "" {
			t.Fatal(d)
		}
		if err := consistent(got); err != nil {
			t.Fatal(err)
		}
		if err := consistent(f); err != nil {
			t.Fatalf("the original: %v", err)
		}
		if d := Diff(f, f.Without(nil, nil)); len(d) > 0 {
			t.Fatalf("without nothing: %v", d)
		}
	})
}

func TestDrain(t *testing.T) {
	f := New("x")
	s := mustAdd(t, f, Switch, 1, 4, "s")
	u := mustAdd(t, f, Switch, 2, 4, "u")
	h := mustAdd(t, f, CA, 3, 1, "h")
	link := mustConnect(t, f, End{s, 1}, End{u, 1})
	mustConnect(t, f, End{h, 1}, End{s, 2})
	f.Nodes[s].Drained = true
	if g := f.Compile(); !g.Drained[0] || g.Drained[1] || g.NumChannels != 2 || g.NumHosts != 1 {
		t.Errorf("a drained switch keeps its cables and hosts: %+v", g)
	}
	f.Links[link].Drained = true
	if g := f.Compile(); g.NumChannels != 0 || !f.LinkUp(link) {
		t.Errorf("a drained link is up and in no Graph: %d channels, up %t", g.NumChannels, f.LinkUp(link))
	}
	f.Links[link].Drained, f.Nodes[s].Drained = false, false
	if g := f.Compile(); g.Drained[0] || g.NumChannels != 2 {
		t.Errorf("given back: %+v", g)
	}
}
