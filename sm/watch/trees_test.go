package watch

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/racing"
	"weft/route"
	"weft/route/multicast"
	"weft/sm/clients"
	"weft/sm/replica"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestTreesOutliveTakeovers: cables fail, and the master's trees differ from those that it would
// make of the subnet now. When it dies, its standby has the same trees: it writes no block of a
// multicast table, and packets to groups reach their members.
func TestTreesOutliveTakeovers(t *testing.T) {
	racing.SkipLong(t)
	others := false
	for seed := uint64(1); seed < 12; seed += 2 {
		m := newMarket(t, "rlft(6,2)", seed, 2)
		m.wrote = func(_ *virtual, a *terms.Action) {
			if m.quiet && a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrMulticastForwardingTable {
				t.Fatalf("seed %d: block 0x%X of a multicast table is written %s", seed, a.Modifier, journals(m.living()))
			}
		}
		m.start(0)
		m.run(5*time.Second, false)
		m.start(1)
		m.run(10*time.Second, true)
		for range 3 {
			for {
				id := fabric.LinkID(m.rng.IntN(len(m.f.Links)))
				l := &m.f.Links[id]
				if m.f.Nodes[l.A.Node].Type == fabric.Switch && m.f.Nodes[l.B.Node].Type == fabric.Switch {
					if err := m.sub.SetLinkDown(id, true); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
			m.run(3*time.Second, true)
		}
		m.run(terms.UsualWatch.Rebalance+5*time.Second, true) // now paths are those that anybody finds, and trees those that were there
		m.rest()
		_, master := masters(m.living())
		pool := func(v *virtual) []multicast.TreeByLID {
			p := v.manager.inForce.Plan
			return multicast.ByLID(v.manager.inForce.Graph, &p.Ends, p.Multicast)
		}
		had := pool(master)
		alone := &route.Plan{Ends: master.manager.inForce.Plan.Ends, Tables: master.manager.inForce.Plan.Tables, VLs: 1, SL: master.manager.inForce.Plan.SL}
		if err := multicast.Complete(master.manager.inForce.Graph, alone, multicast.Options{}); err != nil {
			t.Fatal(err)
		}
		others = others || !reflect.DeepEqual(had, multicast.ByLID(master.manager.inForce.Graph, &alone.Ends, alone.Multicast))
		m.quiet = true
		m.sub.Detach(master.id)
		m.managers[slices.Index(m.managers, master)] = nil
		m.run(15*time.Second, false)
		n, next := masters(m.living())
		if n != 1 {
			t.Fatalf("seed %d: %d masters", seed, n)
		}
		if now := pool(next); !reflect.DeepEqual(now, had) {
			t.Fatalf("seed %d: %d trees, there were %d: %v, %v", seed, len(now), len(had), now, had)
		}
		m.cast(next, "after the takeover")
	}
	if !others {
		t.Error("all had the trees that anybody would have made")
	}
}

// TestTreeEntries: trees of many switches are read as they were written and changed entry by entry;
// entries that nobody writes are left out.
func TestTreeEntries(t *testing.T) {
	var trees []multicast.TreeByLID
	for i := range 8 {
		tree := multicast.TreeByLID{Root: fabric.LID(1 + i)}
		for lid := range 3000 * (i % 2) {
			tree.Up = append(tree.Up, multicast.Uplink{LID: fabric.LID(100 + lid), Port: uint8(lid % 40)})
		}
		trees = append(trees, tree)
	}
	table := replica.Table{}
	table.Put(clients.TreeChanges(table, trees)...)
	if got := clients.TreesOf(table); !reflect.DeepEqual(got, trees) || len(table) != 4+4*3 {
		t.Fatalf("%d entries, %d trees", len(table), len(got))
	}
	trees = trees[:3]
	trees[1].Up[5].Port++
	// A part of a tree has changed; trees of three parts and of one have ended.
	if list := clients.TreeChanges(table, trees); len(list) != 1+3*3+2 {
		t.Errorf("%d changes", len(list))
	} else if table.Put(list...); !reflect.DeepEqual(clients.TreesOf(table), trees) {
		t.Error("changed trees are not read as they were written")
	}
}
