package emulator_test

import (
	"maps"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire"
	"weft/wire/mad"
)

// A table's entries beyond LinearFDBTop are holes.
func TestLinearFDBTop(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	top := func(v uint64) {
		b.must(mad.AttrSwitchInfo, 0, func(d []byte) { mad.SwitchInfoLinearFDBTop.Put(d, v) }, 1)
	}
	top(2)
	b.ask(routed(t, 2))
	top(1)
	b.unanswered(routed(t, 2))
}

// Tables that send a LID in circles lose it as a loop, without end nor answer.
func TestRoutingLoop(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	for path, port := range map[string]uint64{"\x01": 2, "\x01\x02": 1} {
		b.must(mad.AttrLinearForwardingTable, 0, func(d []byte) { mad.LinearForwardingTablePort.Set(d, 5, port) }, []byte(path)...)
	}
	b.unanswered(routed(t, 5))
	if b.losses()["routing loop"] != 1 {
		t.Fatalf("lost: %v", b.losses())
	}
}

// An end port has all LIDs of its LMC, and no other.
func TestLMC(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	b.must(mad.AttrPortInfo, 0, func(d []byte) {
		mad.PortInfoLID.Put(d, 4)
		mad.PortInfoLMC.Put(d, 2)
	}, 1, 2)
	b.must(mad.AttrLinearForwardingTable, 0, func(d []byte) {
		for lid := 3; lid <= 8; lid++ {
			mad.LinearForwardingTablePort.Set(d, lid, 2)
		}
	}, 1)
	for lid := uint16(4); lid < 8; lid++ {
		b.ask(routed(t, lid))
	}
	b.unanswered(routed(t, 3))
	b.unanswered(routed(t, 8))
}

// A cable that is pulled while its link is trained begins anew when it is plugged in.
func TestTrainingBeginsAnew(t *testing.T) {
	b := newBed(t, star(t), func(o *emulator.Options) { o.Training = 2 * second })
	peer := fabric.End{Node: b.host(1), Port: 1}
	again := func() {
		b.do(`link "host 1" 1 down`)
		b.do(`link "host 1" 1 up`)
	}
	again()
	b.pass(second)
	again()
	b.pass(2*second - 1)
	if b.state(peer) != mad.PortDown {
		t.Fatal("the link is up too early")
	}
	b.pass(1)
	if b.state(peer) != mad.PortInit {
		t.Fatal("the link is not up")
	}
}

// A node that is switched off while it reboots stays off.
func TestSwitchedOffDuringReboot(t *testing.T) {
	b := newBed(t, star(t))
	b.do(`node "host 1" reboot 2s`)
	b.pass(second)
	b.do(`node "host 1" down`)
	b.pass(time.Minute)
	if !b.s.NodeDown(b.host(1)) {
		t.Fatal("a node that was switched off is on again")
	}
}

// What is under way to a node that goes off is lost.
func TestUnderWayToADeadNode(t *testing.T) {
	b := newBed(t, star(t))
	var sm []wire.Datagram
	id := b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	b.s.SetIsSM(id, true)
	b.do("impair delay=10ms")
	b.send(b.directed(mad.Get, mad.AttrSMInfo, 0, 1, 2))
	b.pass(time.Millisecond)
	b.do(`node "host 1" down`)
	b.pass(second)
	if len(sm) != 0 || b.losses()["link down"] != 1 {
		t.Fatalf("%d datagrams arrived at a dead node; lost: %v", len(sm), b.losses())
	}
}

// A CA answers for the port that was reached: it refuses to set its other one.
func TestOtherPortOfACA(t *testing.T) {
	f := star(t)
	two := addNode(t, f, fabric.CA, 0x300, 2, "two ports")
	sw, _ := f.NodeByGUID(0x100)
	connect(t, f, fabric.End{Node: sw, Port: 4}, fabric.End{Node: two, Port: 1})
	b := newBed(t, f)
	if n := mad.PortInfoPortState.Get(b.get(mad.AttrPortInfo, 2, 1, 4)); n != mad.PortDown {
		t.Fatalf("port 2 is in state %d", n)
	}
	for port, want := range []mad.Status{0, 0, mad.StatusBadField} {
		if got := b.set(mad.AttrPortInfo, uint32(port), func([]byte) {}, 1, 4); got != want {
			t.Errorf("Set(PortInfo) of port %d: %v, want %v", port, got, want)
		}
	}
}

// SLs beyond the data VLs of a port go round; a Set for all outputs includes port 0.
func TestSLtoVL(t *testing.T) {
	b := newBed(t, star(t))
	d := b.get(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(1, 2), 1)
	for sl := range 16 {
		if got := mad.SLtoVLMappingTableVL.At(d, sl); got != uint64(sl%8) {
			t.Errorf("SL %d goes on VL %d after power-on, want %d", sl, got, sl%8)
		}
	}
	b.must(mad.AttrSLtoVLMappingTable, mad.SLtoVLAllOutputs|mad.SLtoVLModifier(1, 0), func(d []byte) {
		mad.SLtoVLMappingTableVL.Set(d, 0, 5)
	}, 1)
	for out := range uint8(5) {
		if got := mad.SLtoVLMappingTableVL.At(b.get(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(1, out), 1), 0); got != 5 {
			t.Errorf("SL 0 from port 1 to port %d goes on VL %d, want 5", out, got)
		}
	}
	if got := mad.SLtoVLMappingTableVL.At(b.get(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(2, 3), 1), 0); got != 0 {
		t.Errorf("SL 0 from port 2 goes on VL %d: that was not set", got)
	}
}

// M_Key violations stick at the maximum of the field, and writing 0 resets them.
func TestViolations(t *testing.T) {
	b := newBed(t, star(t))
	b.must(mad.AttrPortInfo, 0, func(d []byte) { mad.PortInfoMKey.Put(d, 5) })
	for range 0x10000 {
		b.send(keyed(b.directed(mad.Set, mad.AttrNodeDescription, 0), 6))
	}
	read := func() uint64 {
		return mad.PortInfoMKeyViolations.Get(b.ask(keyed(b.directed(mad.Get, mad.AttrPortInfo, 0), 5)).Data())
	}
	if got := read(); got != 0xFFFF {
		t.Fatalf("%d violations, want 65535", got)
	}
	write := func(v uint64) {
		d := keyed(b.directed(mad.Set, mad.AttrPortInfo, 0), 5)
		copy(d.MAD.Data(), b.ask(keyed(b.directed(mad.Get, mad.AttrPortInfo, 0), 5)).Data())
		stateOf(mad.PortNoChange)(d.MAD.Data())
		physOf(mad.PhysNoChange)(d.MAD.Data())
		mad.PortInfoMKeyViolations.Put(d.MAD.Data(), v)
		if st := b.ask(d).Status(); st != 0 {
			t.Fatal(st)
		}
	}
	write(7)
	if got := read(); got != 0xFFFF {
		t.Fatalf("%d violations after writing 7", got)
	}
	write(0)
	if got := read(); got != 0 {
		t.Fatalf("%d violations after writing 0", got)
	}
}

// PortSelect 0 at a CA is the port that was reached.
func TestPortSelectZero(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	if err := b.s.Count(b.at, 0, 7); err != nil {
		t.Fatal(err)
	}
	d := b.perf(mad.Get, mad.AttrPortCounters, 0, func([]byte) {})
	if got := mad.PortCountersField[mad.CounterSymbolError].Get(d); got != 7 {
		t.Fatalf("%d symbol errors, want 7", got)
	}
}

// Each trap has another transaction ID than the one before, however many there are.
func TestTrapTIDs(t *testing.T) {
	b := newBed(t, star(t), everySecond)
	b.configure()
	b.s.SetIsSM(b.id, true)
	b.repress(trapsOf(b.inbox, mad.TrapLocalChanges)[0])
	last := uint64(0)
	for i := range 600 {
		b.inbox = nil
		b.must(mad.AttrNodeDescription, 0, func(d []byte) { d[0] = byte('a' + i%2) }, 1, 3)
		got := trapsOf(b.inbox, mad.TrapLocalChanges)
		if len(got) != 1 || got[0].MAD.TID() == last {
			t.Fatalf("change %d: %d traps, TID %#x after %#x", i, len(got), got[0].MAD.TID(), last)
		}
		last = got[0].MAD.TID()
		b.repress(got[0])
	}
}

// Ranks of switches count from the roots, whose distance from the hosts is greatest.
func TestRolesByDistance(t *testing.T) {
	f, err := gen.Parse("rlft(4,3)")
	if err != nil {
		t.Fatal(err)
	}
	alone := addNode(t, f, fabric.Switch, 0x999, 4, "alone")
	roles := emulator.RolesByDistance(f)
	count := map[emulator.Role]int{}
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			count[roles[i]]++
		} else if roles[i] != (emulator.Role{Rank: 255}) {
			t.Errorf("a host has role %v", roles[i])
		}
	}
	want := map[emulator.Role]int{
		{Role: mad.RoleLeaf, Rank: 2}: 8, {Role: mad.RoleMiddle, Rank: 1}: 8, {Role: mad.RoleRoot, Rank: 0}: 4, {Rank: 255}: 1,
	}
	if !maps.Equal(count, want) || roles[alone].Rank != 255 {
		t.Errorf("switches by role: %v, want %v", count, want)
	}
}
