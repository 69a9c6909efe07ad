package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

func (b *bed) do(line string) {
	b.t.Helper()
	if err := b.s.Do(line); err != nil {
		b.t.Fatalf("%s: %v", line, err)
	}
}

func TestFlap(t *testing.T) {
	b := newBed(t, star(t))
	peer := fabric.End{Node: b.host(1), Port: 1}
	b.do(`link "host 1" 1 flap 2s`)
	b.do(`node "host 1" reboot 1s`) // must not keep the cable out
	b.pass(2*second - 1)
	if b.state(peer) != mad.PortDown {
		t.Fatal("the link is back too early")
	}
	b.pass(1)
	if b.state(peer) != mad.PortInit {
		t.Fatal("the link is not back")
	}
	b.do(`link "host 1" 1 flap 2s`)
	b.do(`link "host 1" 1 down`)
	b.pass(10 * second)
	if b.state(peer) != mad.PortDown {
		t.Fatal("a cable that was pulled after the flap has come back")
	}
}

func TestRebootLosesState(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	b.ask(counterRequest(t, 2))
	second, _ := b.f.NodeByGUID(0x101)
	b.do("node 0x101 reboot 3s")
	b.unanswered(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1, 2))
	b.pass(3 * time.Second)
	if lid := b.lid(fabric.End{Node: second}); lid != 0 {
		t.Fatalf("the switch still has LID %d", lid)
	}
	if top := mad.SwitchInfoLinearFDBTop.Get(b.get(mad.AttrSwitchInfo, 0, 1, 2)); top != 0 {
		t.Fatalf("LinearFDBTop %d after a reboot", top)
	}
	if got := b.get(mad.AttrLinearForwardingTable, 0, 1, 2); slices.ContainsFunc(got, func(p byte) bool { return p != 255 }) {
		t.Fatal("the table has entries after a reboot")
	}
	b.unanswered(routed(t, 2))
	if lid := b.lid(fabric.End{Node: b.host(1), Port: 1}); lid != 2 {
		t.Fatalf("the host behind it has LID %d, want 2 as before", lid)
	}
}

func TestSilentAndSlow(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	b.do("node 0x100 silent")
	b.unanswered(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1))
	b.get(mad.AttrNodeInfo, 0, 1, 2) // it still forwards
	b.ask(counterRequest(t, 2))
	b.unanswered(counterRequest(t, 10))
	b.do("node 0x100 answer")
	b.do("node 0x100 slow 30ms")
	tid := b.send(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1))
	b.pass(30*time.Millisecond - 1)
	if len(b.answers(tid)) != 0 {
		t.Fatal("the answer came too early")
	}
	b.pass(1)
	if len(b.answers(tid)) != 1 {
		t.Fatal("the answer did not come")
	}
}

func TestLies(t *testing.T) {
	b := newBed(t, star(t))
	b.do(`node "host 1" ports 7`)
	if n := mad.NodeInfoNumPorts.Get(b.get(mad.AttrNodeInfo, 0, 1, 2)); n != 7 {
		t.Fatalf("NumPorts %d, want 7", n)
	}
	if st := b.ask(b.directed(mad.Get, mad.AttrPortInfo, 2, 1, 2)).Status(); st != mad.StatusBadField {
		t.Fatalf("PortInfo of a port that is not there: status %v", st)
	}
	b.do(`node "host 1" guid 0x220`) // that of host 2
	one, two := b.get(mad.AttrNodeInfo, 0, 1, 2), b.get(mad.AttrNodeInfo, 0, 1, 3)
	if mad.NodeInfoNodeGUID.Get(one) != mad.NodeInfoNodeGUID.Get(two) || mad.NodeInfoPortGUID.Get(one) != mad.NodeInfoPortGUID.Get(two) {
		t.Fatal("the GUIDs differ")
	}
	if got := b.get(mad.AttrGUIDInfo, 0, 1, 2); mad.GUIDInfoGUID.At(got, 0) != 0x221 {
		t.Fatalf("GUIDInfo %#x, want 0x221", mad.GUIDInfoGUID.At(got, 0))
	}
}

// A cable into the own switch: the directed route comes back to it.
func TestCableIntoTheOwnSwitch(t *testing.T) {
	b := newBed(t, star(t))
	old, err := b.s.LinkAt(fabric.End{Node: b.host(2), Port: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.do("connect 0x100 3 0x100 4")
	d := b.get(mad.AttrNodeInfo, 0, 1, 3)
	if mad.NodeInfoNodeGUID.Get(d) != 0x100 || mad.NodeInfoLocalPortNum.Get(d) != 4 {
		t.Fatalf("reached %#x by port %d, want the switch by port 4", mad.NodeInfoNodeGUID.Get(d), mad.NodeInfoLocalPortNum.Get(d))
	}
	if s := b.state(fabric.End{Node: b.host(2), Port: 1}); s != mad.PortDown {
		t.Fatalf("host 2 lost its cable and is in state %d", s)
	}
	if err := b.s.SetLinkDown(old, false); err == nil {
		t.Fatal("a cable that is in no port was plugged in")
	}
	f := b.s.Fabric()
	if len(f.Links) != 3 {
		t.Fatalf("%d links, want 3", len(f.Links))
	}
}

// Random faults: the same seed gives the same answers at the same times.
func TestImpairmentsAreReproducible(t *testing.T) {
	run := func(seed uint64) (trace string, answers, duplicates int) {
		b := newBed(t, chain(t), func(o *emulator.Options) { o.Seed = seed })
		b.do("impair loss=0.1 duplicate=0.1 late=0.2 lateby=5ms delay=10us")
		seen := map[uint64]int{}
		for range 300 {
			b.send(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1, 2, 2))
			b.pass(time.Millisecond)
		}
		b.pass(second)
		for _, d := range b.inbox {
			seen[d.MAD.TID()]++
			trace += fmt.Sprint(d.MAD.TID()&0xFFFFFFFF, " ")
		}
		for _, n := range seen {
			answers++
			if n > 1 {
				duplicates++
			}
		}
		return trace, answers, duplicates
	}
	one, answers, duplicates := run(7)
	two, _, _ := run(7)
	three, _, _ := run(8)
	if one != two {
		t.Fatal("the same seed gave another run")
	}
	if one == three {
		t.Fatal("another seed gave the same run")
	}
	if answers < 100 || answers > 250 || duplicates < 20 {
		t.Fatalf("%d of 300 answered, %d twice: not what 10 %% loss and duplicates on six links do", answers, duplicates)
	}
	sorted := slices.IsSortedFunc(strings.Fields(one), func(a, b string) int { return len(a) - len(b) })
	if sorted {
		t.Fatal("nothing was overtaken")
	}
}

func TestOneBadLink(t *testing.T) {
	b := newBed(t, chain(t))
	b.do("link 0x100 2 impair loss=1")
	b.unanswered(b.directed(mad.Get, mad.AttrNodeInfo, 0, 1, 2))
	b.get(mad.AttrNodeInfo, 0, 1)
	b.do("link 0x100 2 impair none")
	b.get(mad.AttrNodeInfo, 0, 1, 2)
}

// ReturnLost gives back what cannot be delivered, requests and answers alike.
func TestReturnLost(t *testing.T) {
	b := newBed(t, chain(t))
	b.configure()
	var back []wire.Datagram
	id, err := b.s.Attach(emulator.Client{At: b.at, ReturnLost: true, OnlySM: true, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		c.CopyFrom(d)
		back = append(back, c)
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.id = id
	b.send(routed(t, 3))
	if len(back) != 1 || !back[0].Undelivered || back[0].MAD.Method() != mad.Get || back[0].Addr.DLID != 3 || back[0].Addr.SLID != 1 {
		t.Fatalf("came back: %+v", back)
	}
	// The answer is lost: no way back to LID 1 from the far host.
	second := b.directed(mad.Set, mad.AttrLinearForwardingTable, 0, 1, 2)
	for i := range second.MAD.Data() {
		second.MAD.Data()[i] = 255
	}
	second.MAD.Data()[2] = 2
	b.send(second)
	back = nil
	b.send(routed(t, 2))
	if len(back) != 1 || !back[0].Undelivered || back[0].MAD.Method() != mad.Get || back[0].Addr.DLID != 2 || back[0].Addr.SLID != 1 {
		t.Fatalf("came back: %+v", back)
	}
}

func TestCommandsAreRefused(t *testing.T) {
	b := newBed(t, star(t))
	for _, line := range []string{
		"", "nonsense", "link", "link nobody 1 down", "link 0x100 9 down", "link 0x100 4 down", "link 0x100 0 down",
		"link 0x100 1 sideways", "link 0x100 1 flap soon", "link 0x100 1 flap -1s", "link 0x100 1 down please",
		"node 0x100 ports 300", "node 0x100 guid zebra", "node 0x100 slow", `node "host 1 down`, "node 0x100",
		"impair", "impair loss=2", "impair loss=NaN", "impair delay=-1s", "impair love=1", "impair loss",
		"connect 0x100 1 0x100 1", "connect 0x100 1 0x100 0", "count 0x100 1 16 1", "link 0x100 1 impair",
	} {
		if err := b.s.Do(line); err == nil {
			t.Errorf("%q was accepted", line)
		}
	}
}
