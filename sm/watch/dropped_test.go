package watch

import (
	"math/rand/v2"
	"testing"
	"time"

	"weft/emulator"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestHostileDatagrams: whatever comes that nobody asked for, whole or not, of any class, method
// and attribute, is answered by the rules or dropped and counted. It takes no memory, and the
// subnet stays up.
func TestHostileDatagrams(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Priority: 15})
	rng := rand.New(rand.NewPCG(5, 1))
	asked, answered, traps := 0, 0, 0
	for range 200 {
		for range 50 {
			d := hostile(rng)
			method, isTrap := d.MAD.Method(), false
			if len(d.MAD) == mad.Size {
				isTrap = method == mad.Trap && d.MAD.Attr() == mad.AttrNotice && (d.MAD.Class() == mad.ClassSMP || d.MAD.Class() == mad.ClassDirectedSMP)
			}
			asked++
			replies := 0
			v.onAction = func(a *terms.Action) {
				if a.Kind != terms.Reply {
					return
				}
				replies++
				if got := a.Datagram.MAD.Method(); isTrap && got != mad.TrapRepress || !isTrap && got != mad.GetResp {
					t.Fatalf("method %v is answered by %v", method, got)
				}
				if a.Datagram.Addr.DLID != 7 {
					t.Fatalf("an answer goes to LID %d", a.Datagram.Addr.DLID)
				}
			}
			v.step(&terms.Event{Kind: terms.Unasked, Datagram: d})
			v.onAction = nil
			if replies > 1 || isTrap && replies != 1 {
				t.Fatalf("%d answers to one %v", replies, method)
			}
			if answered += replies; isTrap {
				traps++
			}
		}
		v.runUntil(v.now + 100*time.Millisecond)
	}
	n := v.manager.tally
	counted := 0
	for _, k := range n.Traps {
		counted += k
	}
	if counted-traps < 0 || counted-traps > 0 && v.sub.Stats().Traps == 0 || n.Dropped.Malformed == 0 || n.Dropped.Unheeded == 0 || traps == 0 || answered == traps {
		t.Errorf("%d asked, %d answered, %d traps of which %d were counted, dropped %+v", asked, answered, traps, counted, n.Dropped)
	}
	if sum := n.Dropped.Malformed + n.Dropped.Unheeded + answered; sum != asked {
		t.Errorf("%d of %d are dropped or answered", sum, asked)
	}
	if len(v.manager.traps.seen) > mostTraps || len(v.manager.missing) > 0 || len(v.manager.unsteady.links) > 0 {
		t.Errorf("%d traps remembered, %d missing, %d links", len(v.manager.traps.seen), len(v.manager.missing), len(v.manager.unsteady.links))
	}
	v.runUntil(v.now + time.Minute)
	if r := v.manager.Result().Report; r.State != terms.Up || v.manager.inForce == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
	v.verify(t)
}

// hostile makes a datagram that a subnet manager has not asked for.
func hostile(rng *rand.Rand) *wire.Datagram {
	b := make(mad.Datagram, mad.Size)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	pick := func(list ...byte) byte { return list[rng.IntN(len(list))] }
	if rng.IntN(4) > 0 { // a header that says what it should
		b[0], b[1], b[2] = 1, pick(0x01, 0x01, 0x01, 0x81, 0x03, 0x04), 1
		b[3] = pick(byte(mad.Get), byte(mad.Get), byte(mad.Set), byte(mad.Trap), byte(mad.TrapRepress), 0x06)
		mad.HeaderAttributeID.Put(b, uint64([]mad.AttrID{mad.AttrNotice, mad.AttrSMInfo, mad.AttrSMInfo, mad.AttrPortInfo}[rng.IntN(4)]))
		mad.HeaderModifier.Put(b, uint64(rng.IntN(7)))
	}
	if rng.IntN(8) == 0 {
		b = b[:24+rng.IntN(mad.Size-24)]
	}
	return &wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 7}, MAD: b}
}
