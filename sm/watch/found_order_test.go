package watch

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestTakeoverInOrder: a manager finds a subnet that another manager has programmed, or it itself
// without remembering it. It writes its Plan in an order in which no moment lets packets circle or
// wait in a ring. It does not write correct blocks.
func TestTakeoverInOrder(t *testing.T) {
	racing.SkipLong(t)
	seen := map[string]int{}
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "torus(4x4,hosts=1)", "random(switches=12,hosts=1,links=24,seed=3)", "kautz(2,3,hosts=12)"}).Draw(t, "fabric")
		engines := []string{"updn", "nue", "auto"}
		f, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		first, err := newVirtual(f, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}, terms.Config{}, smtest.JobOf(rapid.SampledFrom(engines).Draw(t, "engine"), 0))
		if err != nil {
			t.Fatal(err)
		}
		if r := first.run(); r.State != terms.Up {
			t.Fatalf("%+v", r)
		}
		for range rapid.IntRange(0, 2).Draw(t, "lost meanwhile") {
			link := fabric.LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(t, "link"))
			if l := f.Links[link]; f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
				if err := first.sub.SetLinkDown(link, true); err != nil {
					t.Fatal(err)
				}
			}
		}
		first.sub.Detach(first.id)
		at, err := first.sub.DefaultEnd()
		if err != nil {
			t.Fatal(err)
		}
		v, err := newVirtualAt(first.sub, at, terms.Config{MaxPending: rapid.IntRange(1, 4).Draw(t, "at once")}, smtest.JobOf(rapid.SampledFrom(engines).Draw(t, "engine then"), 0))
		if err != nil {
			t.Fatal(err)
		}
		v.now = first.now
		m := moments{v: v, seen: seen}
		v.onEvent = func() {
			if c := v.manager.current; c.Plan == nil || c.Plan.VLs <= 1 {
				m.look(t)
			}
		}
		v.manager = NewManager(v.manager.cfg, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + 5*time.Second)
		if r := v.manager.Result().Report; r.State != terms.Up {
			t.Skip("the subnet is in parts")
		}
		v.verify(t)
		seen["pauses"] += v.told(terms.EntriesDropped)
	}, func() string { return draws.Missing(seen, "steps", "pauses", "old levels") })
	t.Log(seen)
}
