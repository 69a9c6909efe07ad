package emulator_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/tables"
	"weft/wire"
	"weft/wire/mad"
)

// routed is a LID-routed Get(NodeInfo).
func routed(t testing.TB, lid uint16) *wire.Datagram {
	t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Routed(make([]byte, wire.Size))
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Datagram{Addr: wire.ToLID(lid, 0), MAD: m}
}

// counterRequest is a PerfMgt request: data traffic, on a lane.
func counterRequest(t testing.TB, lid uint16) *wire.Datagram {
	t.Helper()
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortCounters}.New(make([]byte, wire.Size), mad.ClassPerf)
	if err != nil {
		t.Fatal(err)
	}
	mad.PortCountersPortSelect.Put(m.Data(), 1)
	return &wire.Datagram{Addr: wire.ToLID(lid, 1), MAD: m}
}

func TestDirectedRoutes(t *testing.T) {
	b := newBed(t, chain(t))
	r := b.ask(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1, 2, 2))
	if g := mad.NodeInfoNodeGUID.Get(r.Data()); g != 0x210 {
		t.Fatalf("reached node %#x, want 0x210", g)
	}
	if got := mad.DirectedSMPReturnPath.Get(r)[1:4]; !slices.Equal(got, []byte{1, 1, 1}) {
		t.Fatalf("return path %v, want 1 1 1", got)
	}
	if mad.DirectedSMPHopPointer.Get(r) != 0 || !mad.DirectedSMPDirection.Is(r) || r.Method() != mad.GetResp {
		t.Fatalf("header of the answer % x", r[:8])
	}
	if n := mad.NodeInfoLocalPortNum.Get(b.get(mad.AttrNodeInfo, 0, 1, 2)); n != 1 {
		t.Fatalf("came in by port %d, want 1", n)
	}
	for name, path := range map[string][]byte{
		"no such port":        {1, 9},
		"port 0":              {1, 0},
		"no cable":            {1, 3},
		"through a host":      {1, 2, 2, 1},
		"not the port it has": {2},
	} {
		t.Run(name, func(t *testing.T) { b.unanswered(b.directed(mad.Get, mad.AttrNodeInfo, 0, path...)) })
	}
	for name, spoil := range map[string]func(mad.Datagram){
		"hop pointer":   func(m mad.Datagram) { mad.DirectedSMPHopPointer.Put(m, 1) },
		"hop count":     func(m mad.Datagram) { mad.DirectedSMPHopCount.Put(m, 200) },
		"DrSLID":        func(m mad.Datagram) { mad.DirectedSMPDrSLID.Put(m, 4) },
		"DrDLID":        func(m mad.Datagram) { mad.DirectedSMPDrDLID.Put(m, 4) },
		"direction":     func(m mad.Datagram) { mad.DirectedSMPDirection.Put(m, 1) },
		"base version":  func(m mad.Datagram) { mad.HeaderBaseVersion.Put(m, 2) },
		"method Send":   func(m mad.Datagram) { mad.HeaderMethod.Put(m, uint64(mad.Send)) },
		"a response":    func(m mad.Datagram) { mad.HeaderMethod.Put(m, uint64(mad.GetResp)) },
		"vendor method": func(m mad.Datagram) { mad.HeaderMethod.Put(m, 0x7F) },
	} {
		t.Run(name, func(t *testing.T) {
			d := b.directed(mad.Get, mad.AttrNodeInfo, 0, 1)
			spoil(d.MAD)
			b.unanswered(d)
		})
	}
}

// TestRoutesFromALID: a directed route may begin at a LID, as ibportstate asks the port at the
// other end of a link.
func TestRoutesFromALID(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	ask := func(lid uint16, path ...byte) *wire.Datagram {
		d := b.directed(mad.Get, mad.AttrNodeInfo, 0, path...)
		mad.DirectedSMPDrSLID.Put(d.MAD, 1)
		d.Addr.DLID, d.Addr.SLID = lid, 0
		return d
	}
	for _, c := range []struct {
		lid  uint16
		path []byte
		guid uint64
	}{{11, nil, 0x101}, {11, []byte{2}, 0x210}, {11, []byte{1}, 0x100}, {10, []byte{2, 2}, 0x210}, {1, []byte{1}, 0x100}, {2, []byte{1}, 0x101}} {
		before := len(b.inbox)
		r := b.ask(ask(c.lid, c.path...))
		if got := mad.NodeInfoNodeGUID.Get(r.Data()); got != c.guid {
			t.Errorf("LID %d, then %v: node %#x, want %#x", c.lid, c.path, got, c.guid)
		}
		if a := b.inbox[before].Addr; a.SLID != c.lid || a.DLID != 1 {
			t.Errorf("LID %d, then %v: the answer goes from LID %d to %d", c.lid, c.path, a.SLID, a.DLID)
		}
	}
	b.unanswered(ask(11, 3))
	b.unanswered(ask(9))
	lost := ask(11)
	mad.DirectedSMPDrSLID.Put(lost.MAD, 9) // nobody's
	b.unanswered(lost)
}

func TestBadRequestsHaveAStatus(t *testing.T) {
	b := newBed(t, chain(t))
	for _, c := range []struct {
		name   string
		method mad.Method
		attr   mad.AttrID
		mod    uint32
		path   []byte
		want   mad.Status
	}{
		{"Set(NodeInfo)", mad.Set, mad.AttrNodeInfo, 0, nil, mad.StatusBadAttribute},
		{"SwitchInfo of a CA", mad.Get, mad.AttrSwitchInfo, 0, nil, mad.StatusBadAttribute},
		{"LFT of a CA", mad.Get, mad.AttrLinearForwardingTable, 0, nil, mad.StatusBadAttribute},
		{"unknown attribute", mad.Get, 0x7777, 0, nil, mad.StatusBadAttribute},
		{"RandomForwardingTable", mad.Get, mad.AttrRandomForwardingTable, 0, []byte{1}, mad.StatusBadAttribute},
		{"LFT block beyond the cap", mad.Set, mad.AttrLinearForwardingTable, 768, []byte{1}, mad.StatusBadField},
		{"MFT block", mad.Get, mad.AttrMulticastForwardingTable, 128, []byte{1}, mad.StatusBadField},
		{"MFT position", mad.Set, mad.AttrMulticastForwardingTable, 1 << 28, []byte{1}, mad.StatusBadField},
		{"P_Key block", mad.Get, mad.AttrPKeyTable, 2, nil, mad.StatusBadField},
		{"P_Key port", mad.Get, mad.AttrPKeyTable, 5 << 16, []byte{1}, mad.StatusBadField},
		{"SL2VL port", mad.Get, mad.AttrSLtoVLMappingTable, 5, []byte{1}, mad.StatusBadField},
		{"VLArb block", mad.Get, mad.AttrVLArbitrationTable, 2<<16 | 1, []byte{1}, mad.StatusBadField},
		{"GUID block", mad.Get, mad.AttrGUIDInfo, 4, nil, mad.StatusBadField},
		{"role that nobody gave", mad.Get, mad.AttrSwitchRole, 0, []byte{1}, mad.StatusBadAttribute},
		{"method TrapRepress's neighbour", mad.Report, mad.AttrNotice, 0, nil, mad.StatusBadMethod},
	} {
		if got := b.ask(b.directed(c.method, c.attr, c.mod, c.path...)).Status(); got != c.want {
			t.Errorf("%s: status %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLIDRoutes(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	if r := b.ask(routed(t, 2)); mad.NodeInfoNodeGUID.Get(r.Data()) != 0x210 {
		t.Fatal("LID 2 is not the far host")
	}
	b.ask(routed(t, 11))
	b.ask(routed(t, 1)) // its own
	b.ask(counterRequest(t, 2))
	b.unanswered(routed(t, 3))  // a hole
	b.unanswered(routed(t, 21)) // beyond LinearFDBTop
	b.unanswered(routed(t, 0))
	b.unanswered(routed(t, 0xC001))
	if got := b.losses()["no route"]; got != 4 {
		t.Fatalf("%d without a route, want 4: %v", got, b.losses())
	}
}

// Data needs Active links, subnet management does not; the first data packet brings
// an Armed port to Active.
func TestDataNeedsActive(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	second, _ := b.f.NodeByGUID(0x101)
	b.must(mad.AttrPortInfo, 1, stateOf(mad.PortDown), 1, 2)
	b.unanswered(counterRequest(t, 2))
	b.ask(routed(t, 2))
	for _, end := range []struct {
		port uint32
		path []byte
	}{{2, []byte{1}}, {1, []byte{1, 2}}} {
		b.must(mad.AttrPortInfo, end.port, stateOf(mad.PortArmed), end.path...)
	}
	b.unanswered(counterRequest(t, 2))
	b.must(mad.AttrPortInfo, 2, stateOf(mad.PortActive), 1)
	b.ask(counterRequest(t, 2))
	if got := b.state(fabric.End{Node: second, Port: 1}); got != mad.PortActive {
		t.Fatalf("the Armed port is in state %d after data, want Active", got)
	}
}

// A lane that the SL2VL table does not give, or the link does not have, loses data.
func TestLanes(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	onSL := func(sl uint8) *wire.Datagram {
		d := counterRequest(t, 2)
		d.Addr.SL = sl
		return d
	}
	b.ask(onSL(3))
	b.must(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(1, 2), func(d []byte) {
		mad.SLtoVLMappingTableVL.Set(d, 3, 15)
	}, 1)
	b.unanswered(onSL(3))
	b.ask(onSL(4))
	b.must(mad.AttrPortInfo, 2, func(d []byte) { mad.PortInfoOperationalVLs.Put(d, 1) }, 1)
	b.unanswered(onSL(4))
	b.must(mad.AttrSLtoVLMappingTable, mad.SLtoVLAllInputs|mad.SLtoVLAllOutputs, func(d []byte) {
		for sl := range 16 {
			mad.SLtoVLMappingTableVL.Set(d, sl, 0)
		}
	}, 1)
	b.ask(onSL(4))
	if got := b.get(mad.AttrSLtoVLMappingTable, mad.SLtoVLModifier(3, 4), 1); got[0] != 0 || got[7] != 0 {
		t.Fatalf("a table between other ports is % x after a Set for all", got[:8])
	}
}

// walk follows tables naively, as a judge of their dump would.
func walk(f *fabric.Fabric, t *tables.LFTs, from fabric.End, lid uint16, owner fabric.NodeID) bool {
	at := f.Peer(from)
	for range len(f.Nodes) + 1 {
		if f.Nodes[at.Node].Type != fabric.Switch {
			return at.Node == owner
		}
		i := slices.IndexFunc(t.Switches, func(s tables.SwitchLFT) bool { return s.GUID == f.Nodes[at.Node].GUID })
		port := t.Switches[i].Port(fabric.LID(lid))
		if port == 0 {
			return at.Node == owner
		}
		if int(port) >= len(f.Nodes[at.Node].Ports) || f.Nodes[at.Node].Ports[port].Link == fabric.NoLink {
			return false
		}
		at = f.Peer(fabric.End{Node: at.Node, Port: port})
	}
	return false
}

// Whatever the tables hold, a request arrives exactly where a walk over the tables
// read back arrives, and the answer does if the way back does.
func TestForwardingFollowsTables(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	hosts := []fabric.NodeID{}
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			hosts = append(hosts, fabric.NodeID(i))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s, err := emulator.New(f, emulator.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		arrived := map[fabric.NodeID]int{}
		ids := map[fabric.NodeID]emulator.ClientID{}
		for i, h := range hosts {
			ids[h], err = s.Attach(emulator.Client{At: fabric.End{Node: h, Port: 1}, Deliver: func(*wire.Datagram) { arrived[h]++ }})
			if err != nil {
				rt.Fatal(err)
			}
			b := &bed{t: t, s: s, id: ids[h]}
			d := b.directed(mad.Set, mad.AttrPortInfo, 1)
			mad.PortInfoLID.Put(d.MAD.Data(), uint64(i+1))
			b.send(d)
		}
		randomTables(rt, t, s, ids[hosts[0]])
		tables := s.Tables()
		from := hosts[rapid.IntRange(0, len(hosts)-1).Draw(rt, "from")]
		to := rapid.IntRange(0, len(hosts)-1).Draw(rt, "to")
		lid := uint16(to + 1)
		clear(arrived)
		d := routed(t, lid)
		mad.HeaderMethod.Put(d.MAD, uint64(mad.Trap)) // goes to a program: no answer to think of
		s.Send(ids[from], d)
		want := from == hosts[to] || walk(f, tables, fabric.End{Node: from, Port: 1}, lid, hosts[to])
		if got := arrived[hosts[to]] == 1; got != want {
			rt.Fatalf("arrived %t, the tables say %t", got, want)
		}
	})
}

// randomTables programs every switch, over directed routes found by hand: from the
// first host up and down the two levels.
func randomTables(rt *rapid.T, t *testing.T, s *emulator.Subnet, id emulator.ClientID) {
	b := &bed{t: t, s: s, id: id}
	program := func(path ...byte) {
		d := b.directed(mad.Set, mad.AttrSwitchInfo, 0, path...)
		mad.SwitchInfoLinearFDBTop.Put(d.MAD.Data(), 63)
		b.send(d)
		d = b.directed(mad.Set, mad.AttrLinearForwardingTable, 0, path...)
		ports := rapid.SliceOfN(rapid.SampledFrom([]byte{1, 2, 3, 4, 1, 2, 3, 4, 0, 5, 255}), 64, 64).Draw(rt, "table")
		copy(d.MAD.Data(), ports)
		b.send(d)
	}
	program(1)
	for up := byte(1); up <= 4; up++ {
		program(1, up)
		for down := byte(1); down <= 4; down++ {
			program(1, up, down)
		}
	}
}
