package watch

import (
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// babbler is a host that sends traps without end.
type babbler struct {
	v      *virtual
	client emulator.ClientID
	lid    uint16
	number uint64
	port   uint64 // that traps 129 name
	sent   uint64
}

// babblerAt attaches one to the port of a host.
func (v *virtual) babblerAt(t smtest.Fataler, at fabric.End, number uint64) *babbler {
	t.Helper()
	id, err := v.sub.Attach(emulator.Client{At: at, Deliver: func(*wire.Datagram) {}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &babbler{v: v, client: id, number: number, lid: uint16(v.lidsOf()[v.sub.Fabric().Nodes[at.Node].Ports[at.Port].GUID])}
}

// babble sends traps, a number of them within a time.
func (b *babbler) babble(t smtest.Fataler, n int, long time.Duration) {
	t.Helper()
	for range n {
		b.sent++
		m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: b.sent}.Routed(make([]byte, mad.Size))
		if err != nil {
			t.Fatalf("%v", err)
		}
		mad.NoticeIsGeneric.Put(m.Data(), 1)
		mad.NoticeTrapNumber.Put(m.Data(), b.number)
		mad.NoticeIssuerLID.Put(m.Data(), uint64(b.lid))
		if b.number == mad.TrapLinkIntegrity {
			mad.TrapPortLID.Put(m.Data(), uint64(b.lid))
			mad.TrapPortPort.Put(m.Data(), b.port)
		}
		d := wire.Datagram{Addr: wire.ToLID(uint16(b.v.manager.inForce.Prog.SMLID), 0), MAD: m}
		d.Addr.SLID = b.lid
		b.v.sub.Send(b.client, &d)
		b.v.runUntil(b.v.now + long/time.Duration(n))
	}
}

// babbling returns the settings of a watch that disables babbling ports, or not.
func babbling(disable bool) terms.Watch {
	w := terms.UsualWatch
	w.Babble.Disable = disable
	return w
}

// hostOf returns the n-th host that is not the manager's.
func (v *virtual) hostOf(n int) fabric.End {
	f := v.sub.Fabric()
	for i := range f.Nodes {
		if e := (fabric.End{Node: fabric.NodeID(i), Port: 1}); f.Nodes[i].Type == fabric.CA && e.Node != v.at.Node {
			if n--; n < 0 {
				return e
			}
		}
	}
	panic("there are too few hosts")
}

// TestBabblingHost: a host that sends traps without end is reported; where the policy says so, it
// is disabled at its switch, and nothing else changes. It is shown as disabled, also by the next
// manager, until an operator enables it.
func TestBabblingHost(t *testing.T) {
	for _, disable := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		v.manager.watch = babbling(disable)
		at := v.hostOf(7)
		b := v.babblerAt(t, at, 300)
		b.babble(t, terms.UsualWatch.Babble.Rate, 55*time.Second)
		if v.told(terms.Babbling)+v.told(terms.PortDisabled) > 0 {
			t.Fatalf("it is too early: %v", v.entries)
		}
		v.runUntil(v.now + time.Minute)
		b.babble(t, 2*terms.UsualWatch.Babble.Rate, 30*time.Second)
		if !disable {
			b.babble(t, 2*terms.UsualWatch.Babble.Rate, 30*time.Second)
			if v.told(terms.Babbling) != 1 || v.told(terms.PortDisabled) > 0 || len(v.manager.Snapshot(v.now).Disabled) > 0 || len(v.lidsOf()) != 44 {
				t.Errorf("%v", v.entries)
			}
			continue
		}
		v.runUntil(v.now + 15*time.Second)
		off := v.manager.Snapshot(v.now).Disabled
		if v.told(terms.PortDisabled) != 1 || len(off) != 1 || len(v.lidsOf()) != 43 || v.manager.Result().Report.State != terms.Up {
			t.Fatalf("disabled: %v: %v", off, v.entries)
		}
		v.verify(t)
		v.manager = NewManager(terms.Config{}, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + time.Second)
		if again := v.manager.Snapshot(v.now).Disabled; len(again) != 1 || again[0] != off[0] {
			t.Fatalf("after a restart: %v", again)
		}
		text := v.entries[len(v.entries)-1].Text
		for _, e := range v.entries {
			if e.Kind == terms.PortDisabled {
				text = e.Text
			}
		}
		name := strings.Split(text, "'")[1]
		if d := v.order(terms.UndrainPart, name); d.Err != nil {
			t.Fatal(d.Err)
		}
		v.runUntil(v.now + 15*time.Second)
		if v.told(terms.PortEnabled) != 1 || len(v.manager.Snapshot(v.now).Disabled) > 0 || len(v.lidsOf()) != 44 {
			t.Errorf("enabled: %v", v.entries)
		}
		v.verify(t)
	}
}

// TestBabblingIsSpared: the manager's own link, a switch and what others say of keys disable
// nothing.
func TestBabblingIsSpared(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	v.manager.watch = babbling(true)
	own := v.babblerAt(t, v.at, 300)
	own.babble(t, 300, 30*time.Second)
	if last := v.entries[len(v.entries)-1]; v.told(terms.Babbling) != 1 || !strings.Contains(last.Text, "own link") {
		t.Errorf("our own: %v", v.entries)
	}
	victim := v.babblerAt(t, v.hostOf(9), mad.TrapBadPKey)
	victim.babble(t, 600, 30*time.Second)
	if v.told(terms.Babbling) != 1 {
		t.Errorf("a victim: %v", v.entries)
	}
	if v.told(terms.PortDisabled) > 0 || len(v.lidsOf()) != 44 {
		t.Errorf("%v", v.entries)
	}
}

// TestTogglingForever: a link in quarantine that still goes down and up is disabled by the policy;
// the last way of a switch never is.
func TestTogglingForever(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	v.manager.watch = babbling(true)
	_, id := v.switchLink(t, 3)
	v.flapFor(t, id, 4*time.Second, 4*time.Minute)
	if v.told(terms.Quarantined) != 1 || v.told(terms.PortDisabled) != 1 || len(v.manager.Snapshot(v.now).Disabled) != 1 {
		t.Fatalf("%v", v.entries)
	}
	v.verify(t)

	v = staying(t, "mesh(3,hosts=2)", emulator.Options{}, terms.Config{}) // a line
	v.manager.watch = babbling(true)
	_, id = v.switchLink(t, 0)
	v.flapFor(t, id, 4*time.Second, 4*time.Minute)
	if v.told(terms.PortDisabled) > 0 || v.told(terms.OnlyWay) == 0 {
		t.Fatalf("%v", v.entries)
	}
}

// TestBabblingSwitchPort: a switch port that its switch reports without end is disabled, unless its
// link is the only way to a switch.
func TestBabblingSwitchPort(t *testing.T) {
	for _, c := range []struct {
		text string
		off  int
	}{{"rlft(8,2)", 1}, {"mesh(3,hosts=2)", 0}} {
		v := staying(t, c.text, emulator.Options{}, terms.Config{})
		v.manager.watch = babbling(true)
		link, _ := v.switchLink(t, 1)
		b := v.babblerAt(t, v.hostOf(1), mad.TrapLinkIntegrity) // it speaks for the switch
		b.lid, b.port = uint16(v.lidsOf()[v.manager.inForce.Fabric.Nodes[link.A.Node].GUID]), uint64(link.A.Port)
		b.babble(t, 300, 30*time.Second)
		v.runUntil(v.now + 15*time.Second)
		if len(v.manager.Snapshot(v.now).Disabled) != c.off || v.told(terms.PortDisabled) != c.off || v.told(terms.Babbling) != 1-c.off {
			t.Errorf("%s: %v", c.text, v.entries)
		}
		v.verify(t)
	}
}
