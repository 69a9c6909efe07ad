package emulator_test

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire/mad"
)

func stateOf(v uint64) func([]byte) {
	return func(d []byte) { mad.PortInfoPortState.Put(d, v) }
}

func physOf(v uint64) func([]byte) {
	return func(d []byte) { mad.PortInfoPhysicalState.Put(d, v) }
}

// The states that a subnet manager may ask for, from each state. The port is port 1
// of the bed's host; its peer is brought along as far as "peer" says.
func TestPortStates(t *testing.T) {
	const refused = mad.StatusBadField
	for _, c := range []struct {
		name      string
		own, peer []uint64 // set before
		ask       uint64
		status    mad.Status
		then      uint64
	}{
		{"Init stays", nil, nil, mad.PortNoChange, 0, mad.PortInit},
		{"Init to Armed", nil, nil, mad.PortArmed, 0, mad.PortArmed},
		{"Init to Active", nil, nil, mad.PortActive, refused, mad.PortInit},
		{"Init cannot be asked for", []uint64{mad.PortArmed}, nil, mad.PortInit, refused, mad.PortArmed},
		{"Armed again", []uint64{mad.PortArmed}, nil, mad.PortArmed, 0, mad.PortArmed},
		{"Armed to Active before the peer is Armed", []uint64{mad.PortArmed}, nil, mad.PortActive, refused, mad.PortArmed},
		{"Armed to Active", []uint64{mad.PortArmed}, []uint64{mad.PortArmed}, mad.PortActive, 0, mad.PortActive},
		{"Active again", []uint64{mad.PortArmed, mad.PortActive}, []uint64{mad.PortArmed}, mad.PortActive, 0, mad.PortActive},
		{"Active to Armed", []uint64{mad.PortArmed, mad.PortActive}, []uint64{mad.PortArmed}, mad.PortArmed, refused, mad.PortActive},
		{"Active to Down and up again", []uint64{mad.PortArmed, mad.PortActive}, []uint64{mad.PortArmed}, mad.PortDown, 0, mad.PortInit},
		{"ActiveDefer", nil, nil, mad.PortActiveDefer, refused, mad.PortInit},
		{"a state that is none", nil, nil, 9, refused, mad.PortInit},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t, star(t))
			for _, v := range c.peer {
				b.must(mad.AttrPortInfo, 1, stateOf(v), 1)
			}
			for _, v := range c.own {
				b.must(mad.AttrPortInfo, 1, stateOf(v))
			}
			if got := b.set(mad.AttrPortInfo, 1, stateOf(c.ask)); got != c.status {
				t.Fatalf("status %v, want %v", got, c.status)
			}
			if got := b.state(b.at); got != c.then {
				t.Fatalf("state %d, want %d", got, c.then)
			}
		})
	}
}

// A refused Set changes nothing at all.
func TestRefusedSetChangesNothing(t *testing.T) {
	b := newBed(t, star(t))
	for name, change := range map[string]func([]byte){
		"LID":     func(d []byte) { mad.PortInfoLID.Put(d, 0xC000) },
		"LMC":     func(d []byte) { mad.PortInfoLID.Put(d, 3); mad.PortInfoLMC.Put(d, 1) },
		"SMLID":   func(d []byte) { mad.PortInfoMasterSMLID.Put(d, 0xFFFF) },
		"VLs":     func(d []byte) { mad.PortInfoOperationalVLs.Put(d, 5) },
		"MTU":     func(d []byte) { mad.PortInfoNeighborMTU.Put(d, 6) },
		"width":   func(d []byte) { mad.PortInfoWidthEnabled.Put(d, 8) },
		"speed":   func(d []byte) { mad.PortInfoSpeedExtEnabled.Put(d, 8) },
		"state":   stateOf(mad.PortActive),
		"physics": physOf(mad.PhysLinkUp),
	} {
		before := b.get(mad.AttrPortInfo, 1)
		st := b.set(mad.AttrPortInfo, 1, func(d []byte) {
			mad.PortInfoHOQLife.Put(d, 7)
			change(d)
		})
		if st != mad.StatusBadField {
			t.Errorf("%s: status %v, want %v", name, st, mad.StatusBadField)
		}
		if after := b.get(mad.AttrPortInfo, 1); string(after) != string(before) {
			t.Errorf("%s: PortInfo has changed", name)
		}
	}
}

// What is written is read back, and Down and up again takes both ends to Init.
func TestPortInfoReadsBack(t *testing.T) {
	b := newBed(t, star(t))
	b.configure()
	b.must(mad.AttrPortInfo, 0, func(d []byte) {
		mad.PortInfoLID.Put(d, 8)
		mad.PortInfoLMC.Put(d, 2)
		mad.PortInfoGidPrefix.Put(d, 0xFEC0000000000000)
		mad.PortInfoVLHighLimit.Put(d, 200)
		mad.PortInfoOperationalVLs.Put(d, 2)
		mad.PortInfoNeighborMTU.Put(d, 3)
		mad.PortInfoClientReregister.Put(d, 1)
	})
	d := b.get(mad.AttrPortInfo, 0)
	for _, c := range []struct {
		f    mad.Field
		want uint64
	}{
		{mad.PortInfoLID, 8},
		{mad.PortInfoLMC, 2},
		{mad.PortInfoGidPrefix, 0xFEC0000000000000},
		{mad.PortInfoVLHighLimit, 200},
		{mad.PortInfoOperationalVLs, 2},
		{mad.PortInfoNeighborMTU, 3},
		{mad.PortInfoClientReregister, 0},
		{mad.PortInfoLocalPortNum, 1},
		{mad.PortInfoPortState, mad.PortActive},
	} {
		if got := c.f.Get(d); got != c.want {
			t.Errorf("%s is %#x, want %#x", c.f.Decl().Name, got, c.want)
		}
	}
}

func portStateChange(b *bed) bool {
	b.t.Helper()
	return mad.SwitchInfoPortStateChange.Is(b.get(mad.AttrSwitchInfo, 0, 1))
}

// PortStateChange is set at the start and when a link goes down or comes up, not by
// Set(PortInfo); writing 1 clears it.
func TestPortStateChange(t *testing.T) {
	b := newBed(t, star(t))
	clear := func() {
		b.must(mad.AttrSwitchInfo, 0, func(d []byte) { mad.SwitchInfoPortStateChange.Put(d, 1) }, 1)
		if portStateChange(b) {
			t.Fatal("writing 1 has not cleared PortStateChange")
		}
	}
	if !portStateChange(b) {
		t.Fatal("PortStateChange is not set at the start")
	}
	clear()
	b.configureStates()
	if portStateChange(b) {
		t.Fatal("Set(PortInfo) has set PortStateChange")
	}
	link, err := b.s.LinkAt(fabric.End{Node: b.host(2), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, down := range []bool{true, false} {
		if err := b.s.SetLinkDown(link, down); err != nil {
			t.Fatal(err)
		}
		if !portStateChange(b) {
			t.Fatalf("link down %t has not set PortStateChange", down)
		}
		clear()
	}
}

// configureStates brings the links of a star up without LIDs.
func (b *bed) configureStates() {
	for _, state := range []uint64{mad.PortArmed, mad.PortActive} {
		b.bring(way{nil, b.host(0), 0}, state)
		b.bring(way{[]byte{1, 2}, b.host(1), 0}, state)
		b.bring(way{[]byte{1, 3}, b.host(2), 0}, state)
		b.bring(way{[]byte{1}, b.sw, 0}, state)
	}
}

// A port that is Disabled stays so, and its peer is Down, until it is sent Polling.
func TestDisabled(t *testing.T) {
	b := newBed(t, star(t))
	peer := fabric.End{Node: b.host(1), Port: 1}
	b.must(mad.AttrPortInfo, 2, physOf(mad.PhysDisabled), 1)
	if b.state(peer) != mad.PortDown {
		t.Fatal("the peer of a Disabled port is not Down")
	}
	link, err := b.s.LinkAt(peer)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.SetLinkDown(link, false); err != nil {
		t.Fatal(err)
	}
	b.must(mad.AttrPortInfo, 2, stateOf(mad.PortDown), 1)
	if b.state(peer) != mad.PortDown {
		t.Fatal("the link of a Disabled port has come up")
	}
	b.must(mad.AttrPortInfo, 2, physOf(mad.PhysPolling), 1)
	if b.state(peer) != mad.PortInit {
		t.Fatal("Polling has not brought the link back")
	}
}

// The answer to a Set that takes down the link it came by still arrives.
func TestAnswerBeforeLinkGoesDown(t *testing.T) {
	b := newBed(t, star(t), func(o *emulator.Options) { o.Training = time.Second })
	d := b.directed(mad.Set, mad.AttrPortInfo, 1, 1)
	copy(d.MAD.Data(), b.get(mad.AttrPortInfo, 1, 1))
	mad.PortInfoPortState.Put(d.MAD.Data(), mad.PortDown)
	mad.PortInfoPhysicalState.Put(d.MAD.Data(), mad.PhysNoChange)
	r := b.ask(d)
	if r.Status() != 0 || mad.PortInfoPortState.Get(r.Data()) != mad.PortDown {
		t.Fatalf("status %v, state %d; want Down", r.Status(), mad.PortInfoPortState.Get(r.Data()))
	}
	b.pass(time.Second - 1)
	b.unanswered(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1))
	b.pass(1)
	b.get(mad.AttrNodeInfo, 0, 1)
}

// A changed enabled width becomes active when the link is trained again.
func TestWidthNeedsTraining(t *testing.T) {
	b := newBed(t, star(t))
	b.must(mad.AttrPortInfo, 2, func(d []byte) { mad.PortInfoWidthEnabled.Put(d, 1) }, 1)
	active := func() uint64 { return mad.PortInfoWidthActive.Get(b.get(mad.AttrPortInfo, 1, 1, 2)) }
	if active() != 2 {
		t.Fatal("the active width changed without training")
	}
	b.must(mad.AttrPortInfo, 2, stateOf(mad.PortDown), 1)
	if active() != 1 {
		t.Fatal("the active width has not followed")
	}
}

func TestPortZeroOfASwitch(t *testing.T) {
	b := newBed(t, star(t))
	d := b.get(mad.AttrPortInfo, 0, 1)
	if mad.PortInfoPortState.Get(d) != mad.PortActive || mad.PortInfoLocalPortNum.Get(d) != 1 {
		t.Fatalf("port 0 in state %d, local port %d", mad.PortInfoPortState.Get(d), mad.PortInfoLocalPortNum.Get(d))
	}
	if st := b.set(mad.AttrPortInfo, 0, stateOf(mad.PortArmed), 1); st != mad.StatusBadField {
		t.Fatalf("Armed at port 0: status %v", st)
	}
	b.must(mad.AttrPortInfo, 0, stateOf(mad.PortActive), 1)
	if got := b.ask(b.directed(mad.Get, mad.AttrPortInfo, 5, 1)).Status(); got != mad.StatusBadField {
		t.Fatalf("port 5 of 4: status %v", got)
	}
}

// A cable of a speed makes both ports capable of it and of all slower ones.
func TestSpeeds(t *testing.T) {
	for speed, want := range map[fabric.Speed][4]uint64{ // supported, supported ext and ext2, active ext
		fabric.SDR: {1, 0, 0, 0}, fabric.DDR: {3, 0, 0, 0}, fabric.QDR: {7, 0, 0, 0}, fabric.FDR10: {7, 0, 0, 0},
		fabric.FDR: {7, 1, 0, 1}, fabric.EDR: {7, 3, 0, 2}, fabric.HDR: {7, 7, 0, 4}, fabric.NDR: {7, 15, 0, 8},
		fabric.XDR: {7, 15, 1, 8},
	} {
		b := newBed(t, star(t))
		host, sw := fabric.End{Node: b.host(2), Port: 1}, fabric.End{Node: b.sw, Port: 4}
		if _, err := b.s.Connect(host, sw, 4, speed); err != nil {
			t.Fatal(err)
		}
		for _, e := range []fabric.End{host, sw} {
			info, err := b.s.PortInfo(e)
			if err != nil {
				t.Fatal(err)
			}
			got := [4]uint64{
				mad.PortInfoSpeedSupported.Get(info), mad.PortInfoSpeedExtSupported.Get(info),
				mad.PortInfoSpeedExt2Support.Get(info), mad.PortInfoSpeedExtActive.Get(info),
			}
			if got != want || mad.PortInfoPortState.Get(info) != mad.PortInit || mad.LinkWidth(info) != 4 {
				t.Errorf("%v: %v, want %v, %d lanes", speed, got, want, mad.LinkWidth(info))
			}
		}
	}
}
