package rails_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/rails"
)

// design is a network whose rails are known by construction: pods of servers with a port on each
// rail switch of their pod, and on a leaf of a storage plane.
type design struct {
	rails, servers, pods, spines int

	ownSpines bool // each rail has its own
	storage   int  // leaves of a storage plane, with servers of one port beside
	cards     bool // each port is an adapter of its own
	desc      func(server, rail int) string
	system    bool // the adapters of a server have one system image GUID
}

// built is a network, and for the GUID of each port of a server of a pod the pod and rail.
type built struct {
	*fabric.Fabric
	pod, rail map[fabric.GUID]int
	hosts     []fabric.End // ports of servers, by server and rail, storage last
}

func mustAdd(t fataler, f *fabric.Fabric, typ fabric.NodeType, guid fabric.GUID, ports int, desc string) fabric.NodeID {
	t.Helper()
	id, err := f.AddNode(typ, guid, ports, desc)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return id
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// build builds a design; r shuffles the GUIDs of adapters.
func (d design) build(t fataler, r *rand.Rand) *built {
	b := &built{Fabric: fabric.New("design"), pod: map[fabric.GUID]int{}, rail: map[fabric.GUID]int{}}
	free := map[fabric.NodeID]uint8{}
	connect := func(a, c fabric.End) {
		if _, err := b.Connect(a, c, 4, fabric.NDR); err != nil {
			t.Fatalf("%v", err)
		}
	}
	next := func(id fabric.NodeID) fabric.End { free[id]++; return fabric.End{Node: id, Port: free[id]} }
	switches := fabric.GUID(0)
	newSwitch := func(name string) fabric.NodeID {
		switches++
		return mustAdd(t, b.Fabric, fabric.Switch, switches, 200, name)
	}
	var leaves, spines, storage []fabric.NodeID
	for i := range d.pods * d.rails {
		leaves = append(leaves, newSwitch(fmt.Sprintf("pod %d rail %d", i/d.rails, i%d.rails)))
	}
	for i := range d.rails * d.spines {
		if d.ownSpines || i < d.spines {
			spines = append(spines, newSwitch(fmt.Sprint("spine ", i)))
		}
	}
	for i, leaf := range leaves {
		for s := range d.spines {
			if d.ownSpines {
				s += i % d.rails * d.spines
			}
			connect(next(leaf), next(spines[s]))
		}
	}
	if d.ownSpines && d.spines > 0 {
		core := newSwitch("core")
		for _, s := range spines {
			connect(next(s), next(core))
		}
	}
	for i := range d.storage {
		storage = append(storage, newSwitch(fmt.Sprint("storage ", i)))
		if i > 0 {
			connect(next(storage[0]), next(storage[i]))
		}
		connect(fabric.End{Node: mustAdd(t, b.Fabric, fabric.CA, fabric.GUID(1<<41+i), 1, fmt.Sprintf("store%d mlx5_0", i)), Port: 1}, next(storage[i]))
	}
	total := d.pods * d.servers
	ports := d.rails
	if d.storage > 0 {
		ports++
	}
	guids := r.Perm(total * ports)
	for server := range total {
		var card fabric.NodeID
		for p := range ports {
			guid := fabric.GUID(1<<40 + 2*guids[server*ports+p])
			end := fabric.End{Port: uint8(p + 1)}
			switch {
			case d.cards:
				card = mustAdd(t, b.Fabric, fabric.CA, guid, 1, d.desc(server, p))
				if d.system {
					b.Nodes[card].SystemGUID = fabric.GUID(1<<42 + server)
				}
				end.Port = 1
			case p == 0:
				card = mustAdd(t, b.Fabric, fabric.CA, guid, ports, d.desc(server, p))
			}
			end.Node = card
			b.Nodes[card].Ports[end.Port].GUID = guid + 1<<50
			b.pod[guid+1<<50], b.rail[guid+1<<50] = server/d.servers, p
			b.hosts = append(b.hosts, end)
			if p < d.rails {
				connect(end, next(leaves[server/d.servers*d.rails+p]))
			} else {
				connect(end, next(storage[server*d.storage/total]))
			}
		}
	}
	return b
}

// lose takes down some cables, at most one of each server and one of each switch, and none at the
// core: no leaf is cut off from its plane.
func (b *built) lose(r *rand.Rand, share float64) {
	lost := map[fabric.NodeID]bool{}
	for i := range b.Links {
		l := &b.Links[i]
		if r.Float64() < share && !lost[l.A.Node] && !lost[l.B.Node] && b.Nodes[l.B.Node].Desc != "core" {
			l.Down = true
			lost[l.A.Node], lost[l.B.Node] = true, true
		}
	}
}

// sameRails compares the rails found with those of the design: everywhere, or in each pod alone.
func (b *built) sameRails(t fataler, d design, everywhere bool) *rails.Map {
	t.Helper()
	g := b.Compile()
	m := rails.Of(g, g.Servers())
	if len(m.Rails) != d.rails {
		t.Fatalf("%d rails, want %d (%v)", len(m.Rails), d.rails, m.Signs)
	}
	type place struct{ pod, rail int }
	found, back := map[place]int32{}, map[[2]int32]int{}
	for e := range int32(g.NumHosts) {
		rail, known := b.rail[g.EndGUID[e]]
		if !known || rail >= d.rails {
			if m.Of[e] != rails.None {
				t.Fatalf("%s is on rail %d, but is for storage", g.EndName(e), m.Of[e])
			}
			continue
		}
		at := place{b.pod[g.EndGUID[e]], rail}
		if everywhere {
			at.pod = 0
		}
		if old, met := found[at]; met && old != m.Of[e] || m.Of[e] == rails.None {
			t.Fatalf("%s of rail %d is on rail %d, others on %d", g.EndName(e), rail, m.Of[e], old)
		}
		found[at] = m.Of[e]
		if old, met := back[[2]int32{int32(at.pod), m.Of[e]}]; met && old != rail {
			t.Fatalf("rails %d and %d of pod %d are one", old, rail, at.pod)
		}
		back[[2]int32{int32(at.pod), m.Of[e]}] = rail
	}
	return m
}

func drawDesign(t *rapid.T, least int) design {
	d := design{
		rails:   rapid.IntRange(least, 6).Draw(t, "rails"),
		servers: rapid.IntRange(4, 9).Draw(t, "servers of a pod"),
		pods:    rapid.IntRange(1, 5).Draw(t, "pods"),
		spines:  rapid.IntRange(3, 4).Draw(t, "spines"), ownSpines: rapid.Bool().Draw(t, "own spines"),
		storage: rapid.IntRange(0, 3).Draw(t, "storage leaves"),
	}
	d.storage = min(d.storage, d.pods*d.servers/4) // several servers on each
	return d
}

func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

// TestByPlaces: port numbers, adapters in descriptions of two kinds, and cables lost: the rails are
// those of the design.
func TestByPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t, 2)
		r := drawRand(t)
		d.cards = rapid.Bool().Draw(t, "cards")
		d.desc = func(server, rail int) string {
			switch {
			case !d.cards:
				return fmt.Sprintf("n%d HCA-1", server)
			case server/d.servers%2 == 1: // every second pod was installed otherwise
				return fmt.Sprintf("n%d HCA-%d", server, 2*rail+1)
			}
			return fmt.Sprintf("n%d mlx5_%d", server, 2*rail)
		}
		b := d.build(t, r)
		b.lose(r, 0.05)
		m := b.sameRails(t, d, true)
		if len(m.Odd) > 0 {
			t.Fatalf("%d odd ports", len(m.Odd))
		}
		sign := rails.ByPort
		if d.cards {
			sign = rails.ByAdapter
		}
		if total := d.pods * d.servers * d.rails; 2*m.Signs[sign] < total {
			t.Fatalf("signs %v of %d ports", m.Signs, total)
		}
		if d.storage > 0 && m.Planes < 2 {
			t.Fatalf("%d planes", m.Planes)
		}
	})
}

// TestByWiring: descriptions without devices, and GUIDs in no order: the rails of each pod are
// those of the design, and of all pods if a rail has its own spines.
func TestByWiring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t, 3)
		r := drawRand(t)
		d.cards, d.system = true, true
		switch rapid.IntRange(0, 1).Draw(t, "names") {
		case 0:
			d.desc = func(int, int) string { return "MT4129 ConnectX7   Mellanox Technologies" }
		case 1: // descriptions that lie; of a few servers with few ports they may agree by chance
			d.rails, d.servers = d.rails+2, d.servers+2
			lies := make([][]int, d.pods*d.servers)
			for i := range lies {
				lies[i] = r.Perm(d.rails + 1)
			}
			d.desc = func(server, rail int) string { return fmt.Sprintf("n%d mlx5_%d", server, lies[server][rail]) }
		}
		b := d.build(t, r)
		if rapid.Bool().Draw(t, "lose cables") {
			b.lose(r, 0.05)
		}
		b.sameRails(t, d, d.ownSpines)
	})
}

// TestSwapped: the cables of two ports of a server swapped: both are named, and no other.
func TestSwapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t, 3)
		d.cards = rapid.Bool().Draw(t, "cards")
		d.desc = func(server, rail int) string {
			if d.cards {
				return fmt.Sprintf("n%d mlx5_%d", server, rail)
			}
			return fmt.Sprint("n", server)
		}
		b := d.build(t, drawRand(t))
		ports := len(b.hosts) / (d.pods * d.servers)
		at := ports*rapid.IntRange(0, d.pods*d.servers-1).Draw(t, "server") + rapid.IntRange(0, d.rails-2).Draw(t, "rail")
		one, two := b.hosts[at], b.hosts[at+1]
		l, m := b.Nodes[one.Node].Ports[one.Port].Link, b.Nodes[two.Node].Ports[two.Port].Link
		if b.Links[l].A == one { // exchange the far ends
			swapFar(b.Fabric, l, m)
		}
		g := b.Compile()
		found := rails.Of(g, g.Servers())
		var got []fabric.GUID
		for i := range found.Odd {
			got = append(got, g.EndGUID[found.Odd[i].End])
		}
		slices.Sort(got)
		want := []fabric.GUID{b.Nodes[one.Node].Ports[one.Port].GUID, b.Nodes[two.Node].Ports[two.Port].GUID}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("odd ports %v, want %v", got, want)
		}
	})
}

// swapFar exchanges the far ends of two cables.
func swapFar(f *fabric.Fabric, l, m fabric.LinkID) {
	f.Links[l].B, f.Links[m].B = f.Links[m].B, f.Links[l].B
	for _, id := range []fabric.LinkID{l, m} {
		e := f.Links[id].B
		f.Nodes[e.Node].Ports[e.Port].Link = id
	}
}

// TestFormulas: what rails and planes formulas have.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		formula       string
		planes, rails int
	}{
		{"rail(8,32,4,spines=16,width=2)", 1, 8},
		{"rail(3,4,5,spines=2,width=2,cores=3,up=2)", 1, 3},
		{"rail(8,32,1,spines=0)", 8, 8}, // every rail is a plane
		{"rail(2,4,3,spines=2)", 1, 2},
		{"rail(1,4,3)", 1, 0}, // one port a server
		{"rlft(8,2)", 1, 0},
		{"rlft(8,2)|aggregation", 1, 0},
		{"rail(4,8,3)|fail(links=20,seed=3)", 1, 4},
		{"torus(4x4,hosts=2)", 1, 0},
		{"rlft(8,2)|planes(4)", 4, 4},
		{"rail(4,6,2)|planes(2)", 2, 8},
		{"rail(4,6,2)|plane(rlft(8,2))", 2, 4}, // 32 hosts, 20 of them servers of their own
		{"rail(4,6,4)|plane(rlft(8,2,hosts=24))", 2, 4},
		{"rlft(8,2)|plane(rlft(8,2))|fail(links=6,seed=2)", 2, 2},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		m := rails.Of(g, g.Servers())
		if m.Planes != c.planes || len(m.Rails) != c.rails {
			t.Errorf("%s: %d planes and %d rails, want %d and %d", c.formula, m.Planes, len(m.Rails), c.planes, c.rails)
		}
	}
}
