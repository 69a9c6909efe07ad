package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/planfile"
	"weft/route/recipe"
)

// running is a subnet as a Plan file leaves it.
type running struct {
	g    *fabric.Graph
	plan *route.Plan
	file []byte
}

// routeOn routes a network and reads the Plan back from its file, without the network.
func routeOn(t *rapid.T, g *fabric.Graph, name string, opt lids.Options) running {
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Names: opt, Seed: 3}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Loops > 0 || r.Unreachable > 0 || len(r.Faults) > 0 || r.DifferingPaths > 0 || r.Assigned.DeadlockFree == check.No {
		t.Fatalf("%s: %+v", name, r)
	}
	var b bytes.Buffer
	if err := planfile.Save(&b, g, plan); err != nil {
		t.Fatal(err)
	}
	loaded, alone, err := planfile.LoadAlone(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return running{alone, loaded, b.Bytes()}
}

// change takes nodes and links out of a network, or puts them back.
func change(t *rapid.T, f *fabric.Fabric) {
	for range rapid.IntRange(0, 3).Draw(t, "nodes") {
		n := rapid.IntRange(0, len(f.Nodes)-1).Draw(t, "node")
		f.SetNodeDown(fabric.NodeID(n), !f.Nodes[n].Down)
	}
	for range rapid.IntRange(0, 3).Draw(t, "cables") {
		if len(f.Links) > 0 {
			l := rapid.IntRange(0, len(f.Links)-1).Draw(t, "cable")
			f.SetLinkDown(fabric.LinkID(l), !f.Links[l].Down)
		}
	}
}

// port names an end port whatever Graph it is in.
func port(g *fabric.Graph, end int) string { return fmt.Sprint(g.EndNodeGUID[end], g.EndNum[end]) }

// block are LIDs of a port.
type block struct{ base, n int }

func (b block) has(lid int) bool { return lid >= b.base && lid < b.base+b.n }

// named lists the LIDs of all ports, absent ones too.
func (r running) named() map[string]block {
	by := map[string]block{}
	for end := range r.g.NumEnds {
		by[port(r.g, end)] = block{int(r.plan.Ends.Base[end]), r.plan.Ends.Count(int32(end))}
	}
	for _, a := range r.plan.Absent {
		by[fmt.Sprint(a.Node, a.Port)] = block{int(a.Base), 1 << a.LMC}
	}
	return by
}

// TestKeep: networks change three times, a Plan file after the other. LIDs that can
// stay do, ports that come back find theirs, new ones get none of theirs, and the
// report is what a plain comparison finds.
func TestKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := conformance.Draw(t)
		name := rapid.SampledFrom([]string{"updn", "nue", "updn-shortest+color-l", "shortest-widest+greedy", "path-selection+exact"}).Draw(t, "engine")
		spec, err := engine.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		lmc := func() uint8 {
			if spec.OwnNames {
				return 0
			}
			return uint8(rapid.IntRange(0, 2).Draw(t, "LMC"))
		}
		was := routeOn(t, f.Compile(), name, lids.Options{LMC: lmc()})
		for range 3 {
			change(t, f)
			g := f.Compile()
			now := routeOn(t, g, name, lids.Options{LMC: lmc(), Held: route.Hold(was.g, was.plan, g)})
			stays(t, was, now)
			reported(t, was, now, route.Compare(was.g, was.plan, g, now.plan))
			was = now
		}
	})
}

// stays checks the LIDs of every port that is there now.
func stays(t *rapid.T, was, now running) {
	before, after := was.named(), now.named()
	here := map[string]bool{}
	for end := range now.g.NumEnds {
		here[port(now.g, end)] = true
	}
	for end := range now.g.NumEnds {
		me := port(now.g, end)
		old, had := before[me]
		b := after[me]
		switch {
		case b.base == 0:
			t.Fatal(me, "has no LID")
		case !had:
			for other, o := range before {
				if !here[other] && (o.has(b.base) || b.has(o.base)) {
					t.Fatalf("%s is new, and has LIDs %v of %s, %v", me, b, other, o)
				}
			}
		case b.n <= old.n && b.base != old.base:
			t.Fatalf("%s had LIDs %v and has %v", me, old, b)
		case b.base != old.base && old.base%b.n == 0 && alone(now.g, before, me, block{old.base, b.n}):
			t.Fatalf("%s had LIDs %v and has %v, though nobody is in the way", me, old, b)
		}
	}
	for key, b := range before {
		if _, there := after[key]; !there && b.base != 0 && !grownInto(before, after, b) {
			t.Fatalf("%s is gone, and its LIDs %v are forgotten", key, b)
		}
	}
}

// alone reports whether no other port that is there held a LID of a block.
func alone(g *fabric.Graph, before map[string]block, me string, b block) bool {
	for end := range g.NumEnds {
		if o, had := before[port(g, end)]; had && port(g, end) != me && b.has(o.base) {
			return false
		}
	}
	return true
}

// grownInto reports whether a port that keeps its base LID has come to need LIDs of a
// block.
func grownInto(before, after map[string]block, b block) bool {
	for key, a := range after {
		if o := before[key]; o.base == a.base && a.n > o.n && (a.has(b.base) || b.has(a.base)) {
			return true
		}
	}
	return false
}

// reported compares the report with plain counts.
func reported(t *rapid.T, was, now running, c *route.Change) {
	type entry struct {
		guid fabric.GUID
		lid  int
	}
	entries := func(r running) map[entry]uint8 {
		m := map[entry]uint8{}
		for s, guid := range r.g.SwitchGUID {
			for lid := range int(r.plan.Tables.Top()) + 1 {
				if p := r.plan.Tables.Port(int32(s), fabric.LID(lid)); p != route.NoPort {
					m[entry{guid, lid}] = p
				}
			}
		}
		return m
	}
	old := entries(was)
	for e := range old {
		if !slices.Contains(now.g.SwitchGUID, e.guid) {
			delete(old, e)
		}
	}
	want := countOf(old, entries(now), func(a, b uint8) bool { return a == b })
	if c.Entries != want {
		t.Fatalf("entries %+v, want %+v", c.Entries, want)
	}
	lids := func(r running) map[int]string {
		m := map[int]string{}
		for end := range r.g.NumEnds {
			for k := range r.plan.Ends.Count(int32(end)) {
				m[int(r.plan.Ends.Base[end])+k] = port(r.g, end)
			}
		}
		return m
	}
	if want := countOf(lids(was), lids(now), func(a, b string) bool { return a == b }); c.LIDs != want {
		t.Fatalf("LIDs %+v, want %+v", c.LIDs, want)
	}
	bases := func(r running) map[string]int {
		m := map[string]int{}
		for end, base := range r.plan.Ends.Base {
			m[port(r.g, end)] = int(base)
		}
		return m
	}
	if want := countOf(bases(was), bases(now), func(a, b int) bool { return a == b }); c.Ports != want || len(c.Moved) != want.Moved {
		t.Fatalf("ports %+v, want %+v", c.Ports, want)
	}
	if c.Pairs == nil {
		if was.plan.Choice.By != route.AnyLID || now.plan.Choice.By != route.AnyLID {
			t.Fatal("no pairs were counted")
		}
		return
	}
	pairs := func(r running) map[[2]string][]int {
		m := map[[2]string][]int{}
		for src := range r.g.NumHosts {
			for dst := range r.g.NumHosts {
				if src == dst {
					continue
				}
				use := []int{}
				for k := range r.plan.Ends.Count(int32(dst)) {
					if lid := r.plan.Ends.Base[dst] + fabric.LID(k); r.plan.Uses(int32(src), int32(dst), lid) {
						use = append(use, int(lid))
					}
				}
				m[[2]string{port(r.g, src), port(r.g, dst)}] = use
			}
		}
		return m
	}
	subset := func(a, b []int) bool {
		return !slices.ContainsFunc(a, func(l int) bool { return !slices.Contains(b, l) })
	}
	if want := countOf(pairs(was), pairs(now), subset); *c.Pairs != want {
		t.Fatalf("pairs %+v, want %+v", *c.Pairs, want)
	}
}

func countOf[K comparable, V any](old, now map[K]V, same func(a, b V) bool) (t route.Tally) {
	for k, v := range now {
		switch o, had := old[k]; {
		case !had:
			t.New++
		case same(o, v):
			t.Kept++
		default:
			t.Moved++
		}
	}
	for k := range old {
		if _, there := now[k]; !there {
			t.Gone++
		}
	}
	return t
}

// TestKeepSame: a Plan that is kept on the same network is the same file.
func TestKeepSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		name := rapid.SampledFrom([]string{"updn", "nue", "updn-shortest+color-l", "srd+greedy"}).Draw(t, "engine")
		was := routeOn(t, g, name, lids.Options{})
		now := routeOn(t, g, name, lids.Options{Held: route.Hold(was.g, was.plan, g)})
		if !bytes.Equal(was.file, now.file) {
			t.Fatal("it changed")
		}
	})
}
