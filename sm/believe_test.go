package sm

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// verifyFabric compares the fabric of the round in force with what one finds that asks for everything.
func (v *virtual) verifyFabric(t fataler) {
	t.Helper()
	at, err := v.sub.DefaultEnd()
	if err != nil {
		t.Fatalf("%v", err)
	}
	other, err := newVirtualAt(v.sub, at, Config{ReadOnly: true, Sweeps: 1, Keys: v.manager.cfg.Keys, OwnPort: ownPort(v), Neighbours: Neighbours(v.sub.Fabric())}, jobOf("auto", 0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	other.now, other.loss = v.now, v.loss // as patient as the wire asks for
	r := other.run()
	v.sub.Detach(other.id)
	v.now = other.now
	if r.State != Discovered {
		t.Fatalf("%s", r.State)
	}
	if changes := fabric.Diff(other.manager.found().fabric, v.manager.inForce.fabric); len(changes) > 0 {
		t.Fatalf("the manager takes the fabric for another one: %v\n%v", changes, v.entries)
	}
}

// TestChangedRound: a round that a change began asks every switch for SwitchInfo, and again before routing and at the end; the ports of
// the switches that have changed; and no more.
func TestChangedRound(t *testing.T) {
	v := staying(t, "rlft(12,2)", emulator.Options{}, Config{})
	f := v.manager.inForce.fabric
	link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	}))
	id := v.linkOf(t, f, link)
	for _, down := range []bool{true, false} {
		before, rounds := maps.Clone(v.sent), v.told(RoundEnds)
		if err := v.sub.SetLinkDown(id, down); err != nil {
			t.Fatal(err)
		}
		for v.told(RoundEnds) == rounds {
			v.runUntil(v.now + time.Millisecond)
		}
		if v.manager.Result().Report.State != Up {
			t.Fatalf("%v", v.entries)
		}
		asked := func(attr mad.AttrID) int { return v.sent[attr] - before[attr] }
		const switches, changed, ports = 18, 2, 12
		if n := asked(mad.AttrSwitchInfo); n > 3*switches+2*changed {
			t.Errorf("down %v: %d SMPs of SwitchInfo", down, n)
		}
		if n := asked(mad.AttrPortInfo); n < changed*(ports+1) || n > changed*(ports+1)+8 {
			t.Errorf("down %v: %d SMPs of PortInfo", down, n)
		}
		if n := asked(mad.AttrNodeInfo); n > 16 {
			t.Errorf("down %v: %d SMPs of NodeInfo", down, n)
		}
		if n := asked(mad.AttrNodeDescription); n > 3 {
			t.Errorf("down %v: %d SMPs of NodeDescription", down, n)
		}
		v.runUntil(v.now + 3*time.Second) // a trap that had no way before comes now
		v.verify(t)
		v.verifyFabric(t)
	}
}

// TestDescriptionChanged: a node that says by trap 144 that it has changed is asked again, also where that comes in the middle of
// a round.
func TestDescriptionChanged(t *testing.T) {
	for _, inRound := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, Config{})
		f := v.manager.inForce.fabric
		host := find(f, fabric.CA, 5)
		if inRound {
			v.onPhase = func(name string) {
				if name == "route" && v.manager.inForce.fabric.Nodes[host].Desc == f.Nodes[host].Desc {
					v.rename(t, f.Nodes[host].GUID, "another name")
				}
			}
			v.manager.noteChange(v.now, "a test")
			v.step(&Event{Kind: Tick})
		} else {
			v.rename(t, f.Nodes[host].GUID, "another name")
		}
		v.runUntil(v.now + 5*time.Second)
		if got := v.manager.inForce.fabric.Nodes[host].Desc; got != "another name" {
			t.Errorf("in a round %v: %q: %v", inRound, got, v.entries)
		}
		if !slices.ContainsFunc(v.entries, func(e Incident) bool {
			return e.Kind == NodeRenamed && strings.Contains(e.Text, "another name")
		}) {
			t.Errorf("in a round %v: the log does not tell it: %v", inRound, v.entries)
		}
	}
}

// TestToldAgain: a port that does not take all that it is told is told once; one that had not answered, or says something else than
// it did then, is told again.
func TestToldAgain(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, Config{})
	m := v.manager
	slot := m.inForce.nodes[m.inForce.byGUID[v.sub.Fabric().Nodes[find(v.sub.Fabric(), fabric.CA, 5)].GUID]].entry
	mad.PortInfoSubnetTimeOut.Put(m.inForce.info[slot][:], 31) // as if it had answered so
	told := func(says uint64) bool {
		c := roundOf(m.cfg)
		c.given.Before, c.inventory, c.graph, c.plan, c.prog = m.inForce, m.inForce.inventory, m.inForce.graph, m.inForce.plan, m.inForce.prog
		c.info, c.flags = slices.Clone(c.info), slices.Clone(c.flags)
		mad.PortInfoSubnetTimeOut.Put(c.info[slot][:], says)
		mad.PortInfoMKeyViolations.Put(c.info[slot][:], 7)
		c.queueArm(c.owner[slot])
		return len(c.queue) > 0
	}
	if told(31) {
		t.Error("it is told again what it did not take")
	}
	if !told(5) {
		t.Error("it is not told again, though it says something else than it did")
	}
	m.inForce.flags[slot] &^= portTold
	if !told(31) {
		t.Error("it is not told again, though it has never answered")
	}
}

// rename gives a node another description, of which it tells by trap 144.
func (v *virtual) rename(t *testing.T, guid fabric.GUID, name string) {
	t.Helper()
	c := v.manager.inForce
	m, err := mad.Request{Method: mad.Set, Attr: mad.AttrNodeDescription, TID: 1 << 40}.Directed(make([]byte, mad.Size), c.nodes[c.byGUID[guid]].path)
	if err != nil {
		t.Fatal(err)
	}
	mad.NodeDescriptionText.Put(m.Data(), []byte(name))
	v.sub.Send(v.id, &wire.Datagram{Addr: wire.Directed(), MAD: m})
}
