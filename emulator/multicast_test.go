package emulator_test

import (
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/route"
	"weft/wire"
	"weft/wire/mad"
)

// toGroup makes a datagram of a vendor's class to a group.
func toGroup(t testing.TB, mlid fabric.LID) *wire.Datagram {
	t.Helper()
	m := mad.Datagram(make([]byte, wire.Size))
	m[0], m[1], m[2], m[3] = 1, 0x09, 1, byte(mad.Send)
	return &wire.Datagram{Addr: wire.ToLID(uint16(mlid), 1), MAD: m}
}

// writeMasks writes the ports of one group into the tables of a switch.
func (b *bed) writeMasks(mlid fabric.LID, ports *route.PortSet, path ...byte) {
	b.t.Helper()
	block := uint16(mlid-fabric.FirstMLID) / mad.MFTBlock
	for position := range uint8(1) {
		b.must(mad.AttrMulticastForwardingTable, mad.MFTModifier(position, block), func(d []byte) {
			mad.MulticastForwardingTablePort.Set(d, int(mlid-fabric.FirstMLID)%mad.MFTBlock, uint64(ports.Bits(int(position))))
		}, path...)
	}
}

// TestMulticast: a datagram reaches each port of its group once, except its sender's; tables
// without the group, or with a top below it, drop it.
func TestMulticast(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	var second, third, sw []wire.Datagram
	b.attach(fabric.End{Node: b.host(1), Port: 1}, &second)
	b.attach(fabric.End{Node: b.host(2), Port: 1}, &third)
	b.attach(fabric.End{Node: b.sw, Port: 0}, &sw)
	mlid := fabric.FirstMLID + 40
	b.s.Send(b.id, toGroup(t, mlid))
	if n := b.losses()["no route"]; n != 1 || len(second)+len(third) != 0 {
		t.Fatalf("without an entry: %v, %d arrived", b.losses(), len(second)+len(third))
	}
	var ports route.PortSet
	for _, p := range []uint8{0, 1, 2} {
		ports.Add(p)
	}
	b.writeMasks(mlid, &ports, 1)
	b.s.Send(b.id, toGroup(t, mlid))
	if len(b.inbox) == 0 || len(second) != 1 || len(third) != 0 || len(sw) != 1 || second[0].Addr.DLID != uint16(mlid) || second[0].Addr.SLID != 1 {
		t.Fatalf("%d, %d and %d arrived; %v", len(second), len(third), len(sw), b.losses())
	}
	if got := b.s.Stats().Multicast; got != (emulator.MulticastStats{Sent: 2, Copies: 1, Arrived: 2}) {
		t.Errorf("%+v", got)
	}
	b.must(mad.AttrSwitchInfo, 0, func(d []byte) { mad.SwitchInfoMulticastFDBTop.Put(d, uint64(mlid)-1) }, 1)
	b.s.Send(b.id, toGroup(t, mlid))
	if len(second) != 1 {
		t.Error("a group above MulticastFDBTop is forwarded")
	}
}

// TestMulticastLoop: tables that copy a datagram in circles are seen, and end.
func TestMulticastLoop(t *testing.T) {
	f := fabric.New("loop")
	a := addNode(t, f, fabric.Switch, 0x100, 4, "a")
	c := addNode(t, f, fabric.Switch, 0x101, 4, "b")
	h := addNode(t, f, fabric.CA, 0x200, 1, "host 0")
	connect(t, f, fabric.End{Node: h, Port: 1}, fabric.End{Node: a, Port: 1})
	connect(t, f, fabric.End{Node: a, Port: 2}, fabric.End{Node: c, Port: 1})
	connect(t, f, fabric.End{Node: a, Port: 3}, fabric.End{Node: c, Port: 2})
	b := newBed(t, f)
	for _, w := range []way{{nil, h, 1}, {[]byte{1}, a, 10}, {[]byte{1, 2}, c, 11}} {
		b.must(mad.AttrPortInfo, 0, func(d []byte) { mad.PortInfoLID.Put(d, uint64(w.lid)) }, w.path...)
	}
	for _, state := range []uint64{mad.PortArmed, mad.PortActive} {
		for _, w := range []way{{nil, h, 1}, {[]byte{1}, a, 10}, {[]byte{1, 2}, c, 11}} {
			b.bring(w, state)
		}
	}
	var of, at route.PortSet
	of.Add(2)
	of.Add(3)
	at.Add(1)
	at.Add(2)
	b.writeMasks(fabric.FirstMLID, &of, 1)
	b.writeMasks(fabric.FirstMLID, &at, 1, 2)
	b.s.Send(b.id, toGroup(t, fabric.FirstMLID))
	if n := b.losses()["routing loop"]; n == 0 {
		t.Errorf("no loop is seen: %v", b.losses())
	}
}
