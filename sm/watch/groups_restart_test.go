package watch

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestGroupsThroughRestarts: switches restart at any moment of rounds and of the work on multicast
// tables, on a wire that loses, repeats and delays, while hosts join and leave: when all is quiet
// each member gets each packet once.
func TestGroupsThroughRestarts(t *testing.T) {
	sent := 0
	draws.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([][2]string{{"rlft(4,2)", "updn"}, {"mesh(3x3,hosts=1)", "nue"}}).Draw(t, "fabric")
		f, err := gen.Parse(formula[0])
		if err != nil {
			t.Fatal(err)
		}
		b := newCastBed(t, f, formula[1], rapid.SampledFrom([]uint8{0, 0, 2}).Draw(t, "LMC"), rapid.SampledFrom([]uint64{0, 3, 17}).Draw(t, "MLIDs"))
		b.v.onAction = nil // copies that come late may bring an older block back
		var switches []fabric.NodeID
		for id := range f.Nodes {
			if f.Nodes[id].Type == fabric.Switch {
				switches = append(switches, fabric.NodeID(id))
			}
		}
		until, restarts := -1, 0
		b.v.onEvent = func() {
			b.follow()
			if until--; until == 0 {
				restarts++
				if err := b.v.sub.Reboot(switches[rapid.IntRange(0, len(switches)-1).Draw(t, "switch")], time.Duration(rapid.IntRange(0, 3).Draw(t, "down"))*time.Millisecond); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			impair := emulator.Impairment{
				Loss: rapid.Float64Range(0, .2).Draw(t, "loss"), Duplicate: rapid.Float64Range(0, .1).Draw(t, "duplicate"), Late: rapid.Float64Range(0, .2).Draw(t, "late"),
				LateBy: 50 * time.Millisecond, Delay: time.Millisecond,
			}
			if err := b.v.sub.Impair(impair); err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(1, 6).Draw(t, "steps") {
				host, mgid := rapid.IntRange(0, len(b.hosts)-1).Draw(t, "host"), smtest.MgidOf(rapid.IntRange(0, 40).Draw(t, "group"))
				method := mad.Set
				if rapid.IntRange(0, 3).Draw(t, "leave") == 0 {
					method = mad.Delete
				}
				b.ask(method, host, mgid, mad.JoinFull)
				until = rapid.IntRange(1, 60).Draw(t, "events")
				b.v.runUntil(b.v.now + time.Duration(rapid.IntRange(0, 400).Draw(t, "ms"))*time.Millisecond)
			}
			until = -1
			if err := b.v.sub.Impair(emulator.Impairment{}); err != nil {
				t.Fatal(err)
			}
			b.settle()
			b.settle()
			sent += b.check()
		}
	}, func() string {
		if sent == 0 {
			return "nothing was sent"
		}
		return ""
	})
}

// TestRestartUnderClearing: a switch restarts between the Get of its SwitchInfo and the Set that
// clears its PortStateChange, which also restores its LinearFDBTop. Its multicast tables are read
// and written all the same, here at the leaf of a lost host that has not joined.
func TestRestartUnderClearing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("rlft(4,2)")
		if err != nil {
			t.Fatal(err)
		}
		b := newCastBed(t, f, "updn", 0, 0)
		away := rapid.IntRange(1, len(b.hosts)-1).Draw(t, "host")
		for host := range b.hosts {
			if host != away {
				b.ask(mad.Set, host, smtest.MgidOf(0), mad.JoinFull)
			}
		}
		b.settle()
		cable, err := b.v.sub.LinkAt(b.hosts[away])
		if err != nil {
			t.Fatal(err)
		}
		at, restarted := f.Peer(b.hosts[away]).Node, false
		b.v.onAction = func(a *terms.Action) {
			c := b.v.manager.current
			if restarted || a.Kind != terms.Send || a.Method != mad.Set || a.Attr != mad.AttrSwitchInfo {
				return
			}
			if k, id, _ := ledger.SplitTag(a.Tag); k == ledger.ClearChange && c.Nodes[id].GUID == f.Nodes[at].GUID {
				restarted = true
				if err := b.v.sub.Reboot(at, time.Millisecond); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := b.v.sub.SetLinkDown(cable, true); err != nil {
			t.Fatal(err)
		}
		b.settle()
		b.settle()
		if !restarted {
			t.Fatal("nothing was cleared")
		}
		if b.check() == 0 {
			t.Fatal("nothing was sent")
		}
	})
}
