package sm

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/mad"
)

// TestNoCircleAtAnyMoment: while a repair is written, there is no moment in which the tables that the switches hold send packets in
// circles, or let them wait for each other in a ring.
func TestNoCircleAtAnyMoment(t *testing.T) {
	steps, pauses, moments := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "rlft(4,3)", "torus(4x4,hosts=1)", "random(switches=12,hosts=1,links=24,seed=3)"}).Draw(t, "fabric")
		f, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{MaxPending: rapid.IntRange(1, 4).Draw(t, "at once")}
		v, err := newVirtual(f, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}, cfg, jobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager = NewManager(cfg, UsualWatch)
		v.step(&Event{Kind: Start})
		v.runUntil(v.now + time.Second)
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		written := 0
		v.onEvent = func() {
			c := v.manager.Core()
			if c.phase != tables || v.sent[mad.AttrLinearForwardingTable] == written {
				return
			}
			written = v.sent[mad.AttrLinearForwardingTable]
			moments++
			if c.way != nil {
				steps += len(c.way.Between)
			}
			if at := v.circle(); at != "" {
				t.Fatalf("%s\n%v", at, v.entries)
			}
		}
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			link := fabric.LinkID(faults.rng.IntN(len(f.Links)))
			if l := f.Links[link]; f.Nodes[l.A.Node].Type != fabric.Switch || f.Nodes[l.B.Node].Type != fabric.Switch {
				continue
			}
			if err := v.sub.SetLinkDown(link, true); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 5*time.Second)
			if r := v.manager.Core().Report(); r.State != Up {
				t.Skip("the subnet is in parts")
			}
			v.verify(t)
		}
		pauses += v.told(EntriesDropped)
	})
	if !t.Failed() && (steps == 0 || pauses == 0) {
		t.Errorf("%d moments, %d with steps to come, %d while packets leave", moments, steps, pauses)
	}
}

// circle looks for a circle in the tables that the switches hold, and for a ring of channels that wait for each other; "" where
// there is none.
func (v *virtual) circle() string {
	g := v.sub.Fabric().Compile()
	held := v.sub.Tables()
	at := map[fabric.GUID]int{}
	for i := range held.Switches {
		at[held.Switches[i].GUID] = i
	}
	next := func(s int32, lid fabric.LID) int32 {
		c, _ := g.At(s, held.Switches[at[g.SwitchGUID[s]]].Port(lid))
		return c
	}
	waits := make([]map[int32]bool, g.NumChannels)
	for lid := fabric.LID(1); lid <= v.manager.Core().plan.Ends.Top(); lid++ {
		for from := range int32(g.NumSwitches) {
			last := fabric.Nothing
			for s, n := from, 0; ; n++ {
				if n > g.NumSwitches {
					return "packets go in circles"
				}
				c := next(s, lid)
				if c < 0 {
					break
				}
				if last >= 0 {
					if waits[last] == nil {
						waits[last] = map[int32]bool{}
					}
					waits[last][c] = true
				}
				last, s = c, g.To[c]
			}
		}
	}
	state := make([]uint8, g.NumChannels) // 1: on the way, 2: done
	var ring func(c int32) bool
	ring = func(c int32) bool {
		state[c] = 1
		for e := range waits[c] {
			if state[e] == 1 || state[e] == 0 && ring(e) {
				return true
			}
		}
		state[c] = 2
		return false
	}
	for c := range int32(g.NumChannels) {
		if state[c] == 0 && ring(c) {
			return "packets wait in a ring"
		}
	}
	return ""
}
