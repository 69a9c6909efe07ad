package watch

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestRestartedBeforeLook: a switch that restarts so fast that a look is the first to ask it gets
// its tables again: the look does not make it seem as if it held them still.
func TestRestartedBeforeLook(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{})
	f := v.sub.Fabric()
	for range 2 {
		spine := smtest.Find(f, fabric.Switch, 7)
		id := v.manager.inForce.ByGUID[f.Nodes[spine].GUID]
		v.deaf = true // no trap tells of it
		if err := v.sub.Reboot(spine, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 2*time.Millisecond)
		v.manager.wantLook(v.now, id, true)
		v.step(&terms.Event{Kind: terms.Tick})
		v.runUntil(v.now + 100*time.Millisecond)
		v.deaf = false
		v.runUntil(v.now + 30*time.Second)
		v.verify(t)
	}
}

// TestLooksAreRare: a second look at a switch waits for Watch.MostQuiet after the first began.
func TestLooksAreRare(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
	m := v.manager
	id := int32(slices.IndexFunc(m.inForce.Nodes, func(n ledger.Node) bool { return n.HasSwitch }))
	m.wantLook(v.now, id, true)
	if got, want := m.looks.wanted[0].due, v.now+m.watch.Quiet; got != want {
		t.Errorf("the first look is due at %v, want %v", got, want)
	}
	began := m.looks.wanted[0].due
	m.beginLook(began)
	m.looks.under = false
	m.wantLook(began+time.Millisecond, id, true)
	if got, want := m.looks.wanted[0].due, began+m.watch.MostQuiet; got != want {
		t.Errorf("the second look is due at %v, want %v", got, want)
	}
}
