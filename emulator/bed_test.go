package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// bed is a subnet with a program attached to the first host.
type bed struct {
	t     *testing.T
	f     *fabric.Fabric
	s     *emulator.Subnet
	sw    fabric.NodeID // the first switch
	at    fabric.End
	id    emulator.ClientID
	inbox []wire.Datagram
	tid   uint64
}

// star is one switch with 4 ports and 3 hosts on its ports 1 to 3.
func star(t testing.TB) *fabric.Fabric {
	t.Helper()
	f := fabric.New("star")
	sw := addNode(t, f, fabric.Switch, 0x100, 4, "the switch")
	for i := range 3 {
		h := addNode(t, f, fabric.CA, fabric.GUID(0x200+i*0x10), 1, fmt.Sprintf("host %d", i))
		connect(t, f, fabric.End{Node: sw, Port: uint8(i + 1)}, fabric.End{Node: h, Port: 1})
	}
	return f
}

// chain is two switches between two hosts: host 0 - a[1], a[2] - b[1], b[2] - host 1.
func chain(t testing.TB) *fabric.Fabric {
	t.Helper()
	f := fabric.New("chain")
	a := addNode(t, f, fabric.Switch, 0x100, 4, "a")
	b := addNode(t, f, fabric.Switch, 0x101, 4, "b")
	h0 := addNode(t, f, fabric.CA, 0x200, 1, "host 0")
	h1 := addNode(t, f, fabric.CA, 0x210, 1, "host 1")
	connect(t, f, fabric.End{Node: h0, Port: 1}, fabric.End{Node: a, Port: 1})
	connect(t, f, fabric.End{Node: a, Port: 2}, fabric.End{Node: b, Port: 1})
	connect(t, f, fabric.End{Node: b, Port: 2}, fabric.End{Node: h1, Port: 1})
	return f
}

func addNode(t testing.TB, f *fabric.Fabric, kind fabric.NodeType, guid fabric.GUID, ports int, desc string) fabric.NodeID {
	t.Helper()
	id, err := f.AddNode(kind, guid, ports, desc)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func connect(t testing.TB, f *fabric.Fabric, a, b fabric.End) {
	t.Helper()
	if _, err := f.Connect(a, b, 4, fabric.EDR); err != nil {
		t.Fatal(err)
	}
}

func newBed(t *testing.T, f *fabric.Fabric, opts ...func(*emulator.Options)) *bed {
	t.Helper()
	opt := emulator.Options{Seed: 1}
	for _, o := range opts {
		o(&opt)
	}
	s, err := emulator.New(f, opt)
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, f: f, s: s}
	b.sw, _ = f.NodeByGUID(0x100)
	b.at = fabric.End{Node: b.host(0), Port: 1}
	b.id = b.attach(b.at, &b.inbox)
	return b
}

// attach attaches a program that keeps the datagrams it receives.
func (b *bed) attach(at fabric.End, to *[]wire.Datagram) emulator.ClientID {
	b.t.Helper()
	id, err := b.s.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		c.CopyFrom(d)
		*to = append(*to, c)
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// host is the node called "host i".
func (b *bed) host(i int) fabric.NodeID {
	b.t.Helper()
	id, err := b.f.FindNode(fmt.Sprintf("host %d", i))
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bed) lid(e fabric.End) uint16 {
	b.t.Helper()
	info, err := b.s.PortInfo(e)
	if err != nil {
		b.t.Fatal(err)
	}
	return uint16(mad.PortInfoLID.Get(info))
}

func (b *bed) state(e fabric.End) uint64 {
	b.t.Helper()
	info, err := b.s.PortInfo(e)
	if err != nil {
		b.t.Fatal(err)
	}
	return mad.PortInfoPortState.Get(info)
}

// directed is a request over a directed route.
func (b *bed) directed(method mad.Method, attr mad.AttrID, mod uint32, path ...byte) *wire.Datagram {
	b.t.Helper()
	m, err := mad.Request{Method: method, Attr: attr, Modifier: mod}.Directed(make([]byte, wire.Size), path)
	if err != nil {
		b.t.Fatal(err)
	}
	return &wire.Datagram{Addr: wire.Directed(), MAD: m}
}

// send sends a request under a new TID.
func (b *bed) send(d *wire.Datagram) uint64 {
	b.tid++
	mad.HeaderTransactionID.Put(d.MAD, b.tid)
	b.s.Send(b.id, d)
	return b.tid
}

// answers are the datagrams that arrived under a TID.
func (b *bed) answers(tid uint64) (out []mad.Datagram) {
	for _, d := range b.inbox {
		if d.MAD.TID()&0xFFFFFFFF == tid {
			out = append(out, d.MAD)
		}
	}
	return out
}

// ask sends a request and gives its one answer, which must come at once.
func (b *bed) ask(d *wire.Datagram) mad.Datagram {
	b.t.Helper()
	what := fmt.Sprintf("%v of attribute %#x modifier %#x", d.MAD.Method(), d.MAD.Attr(), d.MAD.Modifier())
	got := b.answers(b.send(d))
	if len(got) != 1 {
		b.t.Fatalf("%d answers to %s, want 1 (%v)", len(got), what, b.losses())
	}
	return got[0]
}

// unanswered sends a request that must get no answer.
func (b *bed) unanswered(d *wire.Datagram) {
	b.t.Helper()
	if got := b.answers(b.send(d)); len(got) != 0 {
		b.t.Fatalf("an answer to %v of attribute %#x", d.MAD.Method(), d.MAD.Attr())
	}
}

func (b *bed) losses() map[string]uint64 {
	stats := b.s.Stats()
	return stats.Losses()
}

// get asks for an attribute over a directed route; the status must be 0.
func (b *bed) get(attr mad.AttrID, mod uint32, path ...byte) []byte {
	b.t.Helper()
	r := b.ask(b.directed(mad.Get, attr, mod, path...))
	if r.Status() != 0 {
		b.t.Fatalf("Get of attribute %#x modifier %#x: %v", attr, mod, r.Status())
	}
	return r.Data()
}

// set reads an attribute, changes it and writes it; it gives the status.
func (b *bed) set(attr mad.AttrID, mod uint32, change func([]byte), path ...byte) mad.Status {
	b.t.Helper()
	d := b.directed(mad.Set, attr, mod, path...)
	copy(d.MAD.Data(), b.get(attr, mod, path...))
	if attr == mad.AttrPortInfo {
		mad.PortInfoPortState.Put(d.MAD.Data(), mad.PortNoChange)
		mad.PortInfoPhysicalState.Put(d.MAD.Data(), mad.PhysNoChange)
	}
	change(d.MAD.Data())
	return b.ask(d).Status()
}

// must is set with status 0.
func (b *bed) must(attr mad.AttrID, mod uint32, change func([]byte), path ...byte) {
	b.t.Helper()
	if st := b.set(attr, mod, change, path...); st != 0 {
		b.t.Fatalf("Set of attribute %#x modifier %#x: %v", attr, mod, st)
	}
}

// way is a directed route to a node and the port of its own that a SM would set.
type way struct {
	path []byte
	node fabric.NodeID
	lid  uint16
}

// configure brings the star or the chain up as a subnet manager would: host i gets
// LID i+1, switch j LID 10+j.
func (b *bed) configure() {
	b.t.Helper()
	var ways []way
	var hops map[fabric.NodeID]map[uint16]uint8
	switch b.f.Name {
	case "star":
		ways = []way{{nil, b.host(0), 1}, {[]byte{1, 2}, b.host(1), 2}, {[]byte{1, 3}, b.host(2), 3}, {[]byte{1}, b.sw, 10}}
		hops = map[fabric.NodeID]map[uint16]uint8{b.sw: {1: 1, 2: 2, 3: 3, 10: 0}}
	case "chain":
		second, _ := b.f.NodeByGUID(0x101)
		ways = []way{{nil, b.host(0), 1}, {[]byte{1, 2, 2}, b.host(1), 2}, {[]byte{1}, b.sw, 10}, {[]byte{1, 2}, second, 11}}
		hops = map[fabric.NodeID]map[uint16]uint8{
			b.sw:   {1: 1, 2: 2, 10: 0, 11: 2},
			second: {1: 1, 2: 2, 10: 1, 11: 0},
		}
	}
	for _, w := range ways {
		b.must(mad.AttrPortInfo, 0, func(d []byte) {
			mad.PortInfoLID.Put(d, uint64(w.lid))
			mad.PortInfoMasterSMLID.Put(d, 1)
		}, w.path...)
		if table := hops[w.node]; table != nil {
			b.must(mad.AttrSwitchInfo, 0, func(d []byte) { mad.SwitchInfoLinearFDBTop.Put(d, 20) }, w.path...)
			b.must(mad.AttrLinearForwardingTable, 0, func(d []byte) {
				for lid, port := range table {
					mad.LinearForwardingTablePort.Set(d, int(lid), uint64(port))
				}
			}, w.path...)
		}
	}
	for _, state := range []uint64{mad.PortArmed, mad.PortActive} {
		for _, w := range ways {
			b.bring(w, state)
		}
	}
}

// bring sets the state of all connected ports of a node.
func (b *bed) bring(w way, state uint64) {
	b.t.Helper()
	for p := 1; p < len(b.f.Nodes[w.node].Ports); p++ {
		if b.f.Nodes[w.node].Ports[p].Link != fabric.NoLink {
			b.must(mad.AttrPortInfo, uint32(p), func(d []byte) { mad.PortInfoPortState.Put(d, state) }, w.path...)
		}
	}
}

// pass moves the time on.
func (b *bed) pass(d time.Duration) { b.s.Advance(b.s.Now() + d) }
