package emulator_test

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// trapsOf returns the received traps of a number.
func trapsOf(in []wire.Datagram, number uint64) (out []wire.Datagram) {
	for _, d := range in {
		if d.MAD.Method() == mad.Trap && mad.NoticeTrapNumber.Get(d.MAD.Data()) == number {
			out = append(out, d)
		}
	}
	return out
}

// repress answers a trap.
func (b *bed) repress(d wire.Datagram) {
	m := mad.Datagram(append([]byte(nil), d.MAD...))
	if !m.Answer(0) {
		b.t.Fatal("a trap has no answer")
	}
	b.s.Send(b.id, &wire.Datagram{Addr: d.Addr.Reply(), MAD: m})
}

const second = time.Second

func everySecond(o *emulator.Options) { o.TrapInterval = second }

func TestTrap128(t *testing.T) {
	b := newBed(t, star(t), everySecond)
	b.configure()
	b.s.SetIsSM(b.id, true)
	b.repress(trapsOf(b.inbox, mad.TrapLocalChanges)[0])
	b.inbox = nil
	link, err := b.s.LinkAt(fabric.End{Node: b.host(1), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	got := trapsOf(b.inbox, mad.TrapLinkState)
	if len(got) != 1 {
		t.Fatalf("%d traps at once, want 1", len(got))
	}
	n := got[0].MAD.Data()
	if mad.NoticeType.Get(n) != mad.NoticeTypeUrgent || mad.NoticeProducerType.Get(n) != 2 ||
		mad.NoticeIssuerLID.Get(n) != 10 || mad.Trap128LID.Get(n) != 10 || got[0].Addr.SLID != 10 || got[0].Addr.DLID != 1 {
		t.Fatalf("trap from %+v: % x", got[0].Addr, n[:16])
	}
	b.pass(3*second + second/2)
	if got = trapsOf(b.inbox, mad.TrapLinkState); len(got) != 4 {
		t.Fatalf("%d traps after 3.5 s, want 4: repeated every second", len(got))
	}
	// Another change while the trap is open: one more trap after the repress.
	if err := b.s.SetLinkDown(link, false); err != nil {
		t.Fatal(err)
	}
	b.repress(got[3])
	again := trapsOf(b.inbox, mad.TrapLinkState)
	if len(again) != 5 || again[4].MAD.TID() == got[3].MAD.TID() {
		t.Fatalf("%d traps after the repress, want a fifth under a new TID", len(again))
	}
	b.repress(got[0]) // an old one: of no effect
	b.pass(second)
	if n := len(trapsOf(b.inbox, mad.TrapLinkState)); n != 6 {
		t.Fatalf("%d traps, want 6: an old repress ends nothing", n)
	}
	b.repress(again[4])
	b.pass(10 * second)
	if n := len(trapsOf(b.inbox, mad.TrapLinkState)); n != 6 {
		t.Fatalf("%d traps, want 6: repressed", n)
	}
	if _, ok := b.s.Next(); ok {
		t.Fatal("something is still to come")
	}
}

// A switch that has no LID, or knows of no subnet manager, sends no trap.
func TestNoTrapWithoutLID(t *testing.T) {
	b := newBed(t, star(t))
	link, err := b.s.LinkAt(fabric.End{Node: b.host(1), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.SetLinkDown(link, true); err != nil {
		t.Fatal(err)
	}
	b.pass(time.Minute)
	if n := b.s.Stats().Traps; n != 0 {
		t.Fatalf("%d traps, want none", n)
	}
}

func TestTrap144(t *testing.T) {
	b := newBed(t, star(t), everySecond)
	b.configure()
	var other []wire.Datagram
	id := b.attach(fabric.End{Node: b.host(2), Port: 1}, &other)
	b.s.SetIsSM(b.id, true)
	b.inbox = nil
	b.s.SetIsSM(id, true)
	got := trapsOf(b.inbox, mad.TrapLocalChanges)
	if len(got) != 1 || mad.Trap144CapabilityMask.Get(got[0].MAD.Data())&mad.CapIsSM == 0 ||
		mad.Trap144OtherLocalChanges.Is(got[0].MAD.Data()) || mad.Trap144LID.Get(got[0].MAD.Data()) != 3 {
		t.Fatalf("after IsSM: %d traps", len(got))
	}
	if mad.PortInfoCapabilityMask.Get(b.get(mad.AttrPortInfo, 0, 1, 3))&mad.CapIsSM == 0 {
		t.Fatal("IsSM is not in the CapabilityMask")
	}
	b.repress(got[0])
	b.inbox = nil
	b.must(mad.AttrNodeDescription, 0, func(d []byte) { mad.NodeDescriptionText.Put(d, []byte("renamed")) }, 1, 3)
	got = trapsOf(b.inbox, mad.TrapLocalChanges)
	if len(got) != 1 || !mad.Trap144OtherLocalChanges.Is(got[0].MAD.Data()) || mad.Trap144ChangeFlags.Get(got[0].MAD.Data()) != 1 {
		t.Fatalf("after Set(NodeDescription): %d traps", len(got))
	}
	b.repress(got[0])
	b.inbox = nil
	b.s.Detach(id)
	got = trapsOf(b.inbox, mad.TrapLocalChanges)
	if len(got) != 1 || mad.Trap144CapabilityMask.Get(got[0].MAD.Data())&mad.CapIsSM != 0 {
		t.Fatalf("after Detach: %d traps, want one without IsSM", len(got))
	}
}

func keyed(d *wire.Datagram, key uint64) *wire.Datagram {
	mad.DirectedSMPMKey.Put(d.MAD, key)
	return d
}

func TestMKey(t *testing.T) {
	const key = 0x1234
	for protect := range uint64(4) {
		b := newBed(t, star(t), everySecond)
		b.configure()
		b.s.SetIsSM(b.id, true)
		b.inbox = nil
		b.must(mad.AttrPortInfo, 0, func(d []byte) {
			mad.PortInfoMKey.Put(d, key)
			mad.PortInfoMKeyProtectBits.Put(d, protect)
			mad.PortInfoMKeyLeasePeriod.Put(d, 2)
		}, 1)
		get := func(k uint64) *wire.Datagram { return keyed(b.directed(mad.Get, mad.AttrPortInfo, 0, 1), k) }
		if got := mad.PortInfoMKey.Get(b.ask(get(key)).Data()); got != key {
			t.Fatalf("protect %d: M_Key %#x with the key", protect, got)
		}
		if protect >= 2 {
			b.unanswered(get(0))
		} else if got, want := mad.PortInfoMKey.Get(b.ask(get(0)).Data()), uint64([]int{key, 0}[protect]); got != want {
			t.Fatalf("protect %d: M_Key %#x without the key, want %#x", protect, got, want)
		}
		b.inbox = nil
		b.unanswered(keyed(b.directed(mad.Set, mad.AttrSwitchInfo, 0, 1), 99))
		if got := trapsOf(b.inbox, mad.TrapBadMKey); protect < 2 &&
			(len(got) != 1 || mad.Trap256MKey.Get(got[0].MAD.Data()) != 99 || mad.Trap256AttributeID.Get(got[0].MAD.Data()) != uint64(mad.AttrSwitchInfo)) {
			t.Fatalf("protect %d: %d traps 256", protect, len(got))
		}
		if got, want := mad.PortInfoMKeyViolations.Get(b.ask(get(key)).Data()), 1+protect/2; got != want {
			t.Fatalf("protect %d: %d violations, want %d", protect, got, want)
		}
	}
}

// The lease runs from a violation on, unless the key is shown in time.
func TestMKeyLease(t *testing.T) {
	b := newBed(t, star(t))
	b.must(mad.AttrPortInfo, 0, func(d []byte) {
		mad.PortInfoMKey.Put(d, 5)
		mad.PortInfoMKeyProtectBits.Put(d, 3)
		mad.PortInfoMKeyLeasePeriod.Put(d, 10)
	}, 1)
	get := func(k uint64) *wire.Datagram { return keyed(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1), k) }
	b.unanswered(get(0))
	b.pass(9 * second)
	b.ask(get(5)) // in time
	b.pass(5 * second)
	b.unanswered(get(0))
	b.pass(9 * second)
	b.unanswered(get(0)) // does not prolong the lease
	b.pass(1 * second)
	b.ask(get(0))
}
