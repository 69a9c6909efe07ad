package emulator_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/wire"
	"weft/wire/mad"
)

// sa is a request of class SA to a LID.
func saRequest(t testing.TB, lid uint16, method mad.Method) *wire.Datagram {
	t.Helper()
	m, err := mad.Request{Method: method, Attr: mad.AttrPathRecord}.SA(make([]byte, wire.Size), 0)
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Datagram{Addr: wire.ToLID(lid, 1), MAD: m}
}

// A request of class SA goes to the subnet manager on the port, its answer to the
// program that asked, its acknowledgement to the subnet manager again.
func TestWhoGetsWhat(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	var sm, quiet []wire.Datagram
	smID := b.attach(b.at, &sm)
	b.attach(b.at, &quiet)
	b.s.SetIsSM(smID, true)
	sm, b.inbox = nil, nil // trap 144

	b.send(saRequest(t, 1, mad.GetTable)) // from the same port
	if len(sm) != 1 || len(b.inbox) != 0 || len(quiet) != 0 {
		t.Fatalf("subnet manager got %d, asker %d, third %d; want 1, 0, 0", len(sm), len(b.inbox), len(quiet))
	}
	answer := wire.Datagram{Addr: sm[0].Addr.Reply(), MAD: slices.Clone(sm[0].MAD)}
	mad.HeaderMethod.Put(answer.MAD, uint64(mad.GetTableResp))
	b.s.Send(smID, &answer)
	if len(sm) != 1 || len(b.inbox) != 1 || len(quiet) != 0 {
		t.Fatalf("after the answer: subnet manager %d, asker %d, third %d; want 1, 1, 0", len(sm), len(b.inbox), len(quiet))
	}
	ack := wire.Datagram{Addr: b.inbox[0].Addr.Reply(), MAD: slices.Clone(b.inbox[0].MAD)}
	ack.MAD.PutAck(1, 2)
	b.s.Send(b.id, &ack)
	if len(sm) != 2 || len(b.inbox) != 1 {
		t.Fatalf("after the acknowledgement: subnet manager %d, asker %d; want 2, 1", len(sm), len(b.inbox))
	}
}

// A subnet manager that sends itself a request gets the request and the answer: a umad device is
// one program for all its users.
func TestAsksItself(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	b.s.SetIsSM(b.id, true)
	b.inbox = nil // trap 144
	b.send(saRequest(t, 1, mad.Get))
	if len(b.inbox) != 1 {
		t.Fatalf("%d requests", len(b.inbox))
	}
	answer := wire.Datagram{Addr: b.inbox[0].Addr.Reply(), MAD: slices.Clone(b.inbox[0].MAD)}
	answer.MAD.Answer(0)
	b.s.Send(b.id, &answer)
	if len(b.inbox) != 2 || b.inbox[1].MAD.Method() != mad.GetResp {
		t.Fatalf("%d datagrams, want the request and the answer", len(b.inbox))
	}
}

// SMInfo is answered by the subnet manager itself, over the directed route too.
func TestSMInfo(t *testing.T) {
	b := newBed(t, star(t))
	var sm []wire.Datagram
	smID := b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	b.s.SetIsSM(smID, true)
	tid := b.send(b.directed(mad.Get, mad.AttrSMInfo, 0, 1, 2))
	if len(sm) != 1 {
		t.Fatalf("the subnet manager got %d requests, want 1", len(sm))
	}
	reply := wire.Datagram{Addr: sm[0].Addr.Reply(), MAD: slices.Clone(sm[0].MAD)}
	if !reply.MAD.Answer(0) {
		t.Fatal("no answer to Get")
	}
	mad.SMInfoPriority.Put(reply.MAD.Data(), 9)
	b.s.Send(smID, &reply)
	if got := b.answers(tid); len(got) != 1 || mad.SMInfoPriority.Get(got[0].Data()) != 9 {
		t.Fatalf("%d answers", len(got))
	}
	b.s.Detach(smID)
	b.unanswered(b.directed(mad.Get, mad.AttrSMInfo, 0, 1, 2))
}

// A whole RMPP message passes as one long datagram.
func TestLongMessages(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	var sm []wire.Datagram
	b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	d := saRequest(t, 2, mad.GetMulti)
	d.MAD = append(d.MAD, make([]byte, 5000)...)
	d.MAD[5000] = 77
	b.send(d)
	if len(sm) != 1 || len(sm[0].MAD) != wire.Size+5000 || sm[0].MAD[5000] != 77 {
		t.Fatal("the message has not arrived whole")
	}
}

// A message that RMPP would carry may be shorter than a datagram, and arrives unchanged; the medium
// pads others.
func TestShortMessages(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	var sm []wire.Datagram
	b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	d := saRequest(t, 2, mad.GetMulti)
	d.MAD = d.MAD[:120]
	b.send(d)
	if len(sm) != 1 || len(sm[0].MAD) != 120 {
		t.Fatalf("%d datagrams", len(sm))
	}
	d.MAD[1] = byte(mad.ClassPerf)
	b.send(d)
	if len(sm) != 1 {
		t.Fatal("a short datagram of a class without RMPP has arrived")
	}
}

// A datagram with a GRH arrives with the GID of who sent it, so that it can be answered.
func TestGRH(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	var sm []wire.Datagram
	smID := b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	d := saRequest(t, 2, mad.Get)
	d.Addr.GRH = wire.GRH{Present: true, HopLimit: 64, FlowLabel: 5}
	tid := b.send(d)
	if len(sm) != 1 {
		t.Fatalf("%d datagrams", len(sm))
	}
	gid := func(node fabric.NodeID) (g [16]byte) {
		info, err := b.s.NodeInfo(fabric.End{Node: node, Port: 1})
		if err != nil {
			t.Fatal(err)
		}
		binary.BigEndian.PutUint64(g[:], mad.DefaultGIDPrefix)
		binary.BigEndian.PutUint64(g[8:], mad.NodeInfoPortGUID.Get(info))
		return g
	}
	if g := sm[0].Addr.GRH; !g.Present || g.GID != gid(b.host(0)) || g.FlowLabel != 5 {
		t.Errorf("GRH %+v", g)
	}
	reply := wire.Datagram{Addr: sm[0].Addr.Reply(), MAD: slices.Clone(sm[0].MAD)}
	reply.MAD.Answer(0)
	b.s.Send(smID, &reply)
	if got := b.answers(tid); len(got) != 1 {
		t.Fatalf("%d answers", len(got))
	}
	if got := b.inbox[len(b.inbox)-1].Addr.GRH.GID; got != gid(b.host(1)) {
		t.Errorf("the answer comes from %x", got)
	}
}

func TestAttachRefuses(t *testing.T) {
	b := newBed(t, star(t))
	for name, e := range map[string]fabric.End{
		"external port of a switch": {Node: b.sw, Port: 1},
		"port 0 of a CA":            {Node: b.host(0)},
		"no such port":              {Node: b.host(0), Port: 2},
		"no such node":              {Node: 99, Port: 1},
	} {
		if _, err := b.s.Attach(emulator.Client{At: e}); err == nil {
			t.Errorf("%s: attached", name)
		}
	}
	b.s.Send(77, b.directed(mad.Get, mad.AttrNodeInfo, 0)) // nobody: of no effect
	b.s.Detach(77)
	b.s.SetIsSM(77, true)
}

// A subnet manager on a switch sits at port 0 and may leave by any port.
func TestClientOnASwitch(t *testing.T) {
	b := newBed(t, star(t))
	b.id = b.attach(fabric.End{Node: b.sw}, &b.inbox)
	if g := mad.NodeInfoNodeGUID.Get(b.get(mad.AttrNodeInfo, 0)); g != 0x100 {
		t.Fatalf("zero hops reach %#x", g)
	}
	if g := mad.NodeInfoNodeGUID.Get(b.get(mad.AttrNodeInfo, 0, 3)); g != 0x220 {
		t.Fatalf("port 3 reaches %#x", g)
	}
}

// What was programmed is read back: tables, LIDs, lanes.
func TestReadBack(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	lfts := b.s.Tables()
	if len(lfts.Switches) != 2 || lfts.Switches[0].GUID != 0x100 || lfts.Switches[0].LID != 10 || lfts.Switches[1].LID != 11 {
		t.Fatalf("switches %+v", lfts.Switches)
	}
	for lid, want := range map[fabric.LID]uint8{1: 1, 2: 2, 3: 255, 10: 0, 11: 2, 20: 255, 21: 255} {
		if got := lfts.Switches[0].Port(lid); got != want {
			t.Errorf("LID %d leaves by %d, want %d", lid, got, want)
		}
	}
	if len(lfts.Targets) != 4 || lfts.Targets[1].LID != 2 || lfts.Targets[1].GUID != 0x211 || lfts.Targets[1].Type != fabric.CA {
		t.Fatalf("targets %+v", lfts.Targets)
	}
	f := b.s.Fabric()
	id, _ := f.NodeByGUID(0x210)
	if f.Nodes[id].Ports[1].LID != 2 || len(f.Links) != 3 {
		t.Fatalf("fabric: LID %d, %d links", f.Nodes[id].Ports[1].LID, len(f.Links))
	}
	again, err := emulator.New(f, emulator.Options{KeepLIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	if changes := fabric.Diff(f, again.Fabric()); len(changes) > 0 {
		t.Fatalf("a subnet with kept LIDs differs from its fabric: %v", changes)
	}
	b.must(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(1, 2), func(d []byte) { mad.SLtoVLMappingTableVL.Set(d, 5, 1) }, 1)
	lanes := b.s.Lanes()
	node := slices.IndexFunc(lanes.Nodes, func(n tables.NodeSL2VLs) bool { return n.GUID == 0x100 })
	if table, ok := lanes.Table(node, 1, 2); !ok || table[5] != 1 || table[6] != 6 {
		t.Fatalf("lanes %v %t", table, ok)
	}
	if table, ok := lanes.Table(node, 2, 1); !ok || table[5] != 5 {
		t.Fatalf("lanes %v %t", table, ok)
	}
}

// Roles are told by the vendor attribute.
func TestSwitchRole(t *testing.T) {
	b := newBed(t, star(t), func(o *emulator.Options) { o.Roles = emulator.RolesByDistance(star(t)) })
	d := b.get(mad.AttrSwitchRole, 0, 1)
	if mad.SwitchRoleSignature.Get(d) != mad.SwitchRoleMagic || mad.SwitchRoleRole.Get(d) != mad.RoleLeaf || mad.SwitchRoleRank.Get(d) != 0 {
		t.Fatalf("role % x", d[:8])
	}
}

// Unwritten tables have their defaults, and written values are read back.
func TestSmallTables(t *testing.T) {
	b := newBed(t, star(t))
	if got := b.get(mad.AttrPKeyTable, mad.PKeyModifier(2, 0), 1); mad.PKeyTablePKey.At(got, 0) != 0xFFFF || mad.PKeyTablePKey.At(got, 1) != 0 {
		t.Fatalf("P_Keys % x", got[:4])
	}
	b.must(mad.AttrPKeyTable, mad.PKeyModifier(2, 0), func(d []byte) { mad.PKeyTablePKey.Set(d, 3, 0x8001) }, 1)
	if got := b.get(mad.AttrPKeyTable, mad.PKeyModifier(2, 0), 1); mad.PKeyTablePKey.At(got, 0) != 0xFFFF || mad.PKeyTablePKey.At(got, 3) != 0x8001 {
		t.Fatalf("P_Keys % x", got[:8])
	}
	b.must(mad.AttrVLArbitrationTable, mad.VLArbModifier(mad.VLArbHighLower, 1), func(d []byte) {
		mad.VLArbitrationTableVL.Set(d, 7, 3)
		mad.VLArbitrationTableWeight.Set(d, 7, 255)
		mad.VLArbitrationTableWeight.Set(d, 8, 255) // beyond the cap
	}, 1)
	got := b.get(mad.AttrVLArbitrationTable, mad.VLArbModifier(mad.VLArbHighLower, 1), 1)
	if mad.VLArbitrationTableVL.At(got, 7) != 3 || mad.VLArbitrationTableWeight.At(got, 7) != 255 || mad.VLArbitrationTableWeight.At(got, 8) != 0 {
		t.Fatalf("arbitration % x", got[:20])
	}
	b.must(mad.AttrMulticastForwardingTable, mad.MFTModifier(0, 2), func(d []byte) { mad.MulticastForwardingTablePort.Set(d, 31, 0x1E) }, 1)
	if got := b.get(mad.AttrMulticastForwardingTable, mad.MFTModifier(0, 2), 1); mad.MulticastForwardingTablePort.At(got, 31) != 0x1E {
		t.Fatal("the multicast table does not read back")
	}
	if got := b.get(mad.AttrMulticastForwardingTable, mad.MFTModifier(0, 5), 1); mad.MulticastForwardingTablePort.At(got, 31) != 0 {
		t.Fatal("a multicast table that was not written has entries")
	}
	b.must(mad.AttrGUIDInfo, 0, func(d []byte) {
		mad.GUIDInfoGUID.Set(d, 0, 1)
		mad.GUIDInfoGUID.Set(d, 1, 2)
	}, 1, 2)
	if got := b.get(mad.AttrGUIDInfo, 0, 1, 2); mad.GUIDInfoGUID.At(got, 0) != 0x211 || mad.GUIDInfoGUID.At(got, 1) != 2 {
		t.Fatal("GUIDs: the first is the port's, the second is to be written")
	}
	b.must(mad.AttrLedInfo, 0, func(d []byte) { mad.LedInfoLed.Put(d, 1) }, 1)
	if !mad.LedInfoLed.Is(b.get(mad.AttrLedInfo, 0, 1)) {
		t.Fatal("the LED is off")
	}
}

// What a program has not read when it ends goes back to who asked: requests as undelivered
// ones, once; answers, and what comes back already, nowhere.
func TestReturn(t *testing.T) {
	b := newBed(t, star(t))
	var asker, sm []wire.Datagram
	id, err := b.s.Attach(emulator.Client{At: b.at, ReturnLost: true, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		c.CopyFrom(d)
		asker = append(asker, c)
	}})
	if err != nil {
		t.Fatal(err)
	}
	smID := b.attach(fabric.End{Node: b.host(1), Port: 1}, &sm)
	b.s.SetIsSM(smID, true)
	b.s.Send(id, b.directed(mad.Get, mad.AttrSMInfo, 0, 1, 2))
	if len(sm) != 1 || len(asker) != 0 {
		t.Fatalf("the subnet manager got %d, the asker %d", len(sm), len(asker))
	}
	b.s.Detach(smID)
	b.s.Return(&sm[0])
	if len(asker) != 1 || !asker[0].Undelivered || asker[0].MAD.Attr() != mad.AttrSMInfo {
		t.Fatalf("the asker got %d datagrams back", len(asker))
	}
	b.s.Return(&asker[0])
	answer := wire.Datagram{MAD: slices.Clone(sm[0].MAD)}
	answer.MAD.Answer(0)
	b.s.Return(&answer)
	if len(asker) != 1 {
		t.Fatal("the asker got what is no request of its own, or a request twice")
	}
	if lost := b.s.Stats().Lost[emulator.LostNobody]; lost != 1 {
		t.Fatalf("%d datagrams are counted as lost, want 1", lost)
	}
	b.s.Detach(id)
	b.s.Return(&sm[0]) // the asker has gone, too
}

// A port is named by its node, or by node and number; a node's name may have slashes.
func TestFindEnd(t *testing.T) {
	f := star(t)
	addNode(t, f, fabric.CA, 0x300, 2, "rack 1/host 7")
	b := newBed(t, f)
	odd, _ := f.NodeByGUID(0x300)
	for name, want := range map[string]fabric.End{
		"":                {Node: b.host(0), Port: 1},
		"host 1":          {Node: b.host(1), Port: 1},
		"host 1/1":        {Node: b.host(1), Port: 1},
		"0x100":           {Node: b.sw},
		"the switch":      {Node: b.sw},
		"the switch/3":    {Node: b.sw, Port: 3},
		"rack 1/host 7":   {Node: odd, Port: 1},
		"rack 1/host 7/2": {Node: odd, Port: 2},
	} {
		if got, err := b.s.FindEnd(name); err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"nobody", "nobody/1", "host 1/x", "host 1/256", "host 1/"} {
		if at, err := b.s.FindEnd(name); err == nil {
			t.Errorf("%q: %v", name, at)
		}
	}
}

// A port says IsSM until the last of its subnet managers has ended.
func TestTwoManagersOnAPort(t *testing.T) {
	b := newBed(t, star(t))
	at := fabric.End{Node: b.host(2), Port: 1}
	var inbox []wire.Datagram
	first, second := b.attach(at, &inbox), b.attach(at, &inbox)
	b.s.SetIsSM(first, true)
	b.s.SetIsSM(second, true)
	for id, want := range []bool{true, false} {
		b.s.SetIsSM([]emulator.ClientID{first, second}[id], false)
		info, err := b.s.PortInfo(at)
		if got := mad.PortInfoCapabilityMask.Get(info)&mad.CapIsSM != 0; err != nil || got != want {
			t.Errorf("after %d have ended: IsSM %v, %v", id+1, got, err)
		}
	}
}
