package watch

import (
	"maps"
	"slices"
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

// verifyFabric compares the fabric of the round in force with what one finds that asks for
// everything.
func (v *virtual) verifyFabric(t smtest.Fataler) {
	t.Helper()
	at, err := v.sub.DefaultEnd()
	if err != nil {
		t.Fatalf("%v", err)
	}
	other, err := newVirtualAt(v.sub, at, terms.Config{ReadOnly: true, Sweeps: 1, Keys: v.manager.cfg.Keys, OwnPort: ownPort(v), History: terms.History{Neighbours: terms.Neighbours(v.sub.Fabric())}}, smtest.JobOf("auto", 0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	other.now, other.loss = v.now, v.loss // as patient as the wire asks for
	r := other.run()
	v.sub.Detach(other.id)
	v.now = other.now
	if r.State != terms.Discovered {
		t.Fatalf("%s", r.State)
	}
	if changes := fabric.Diff(other.manager.found().Fabric, v.manager.inForce.Fabric); len(changes) > 0 {
		t.Fatalf("the manager takes the fabric for another one: %v\n%v", changes, v.entries)
	}
}

// TestChangedRound: a round that a change began asks every switch for SwitchInfo, and again before
// routing and at the end; the ports of the switches that have changed; and no more.
func TestChangedRound(t *testing.T) {
	v := staying(t, "rlft(12,2)", emulator.Options{}, terms.Config{})
	f := v.manager.inForce.Fabric
	link := fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch
	}))
	id := v.linkOf(t, f, link)
	for _, down := range []bool{true, false} {
		before, rounds := maps.Clone(v.sent), v.told(terms.RoundEnds)
		if err := v.sub.SetLinkDown(id, down); err != nil {
			t.Fatal(err)
		}
		for v.told(terms.RoundEnds) == rounds {
			v.runUntil(v.now + time.Millisecond)
		}
		if v.manager.Result().Report.State != terms.Up {
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

// TestDescriptionChanged: a node that says by trap 144 that it has changed is asked again, also
// where that comes in the middle of a round.
func TestDescriptionChanged(t *testing.T) {
	for _, inRound := range []bool{false, true} {
		v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
		f := v.manager.inForce.Fabric
		host := smtest.Find(f, fabric.CA, 5)
		if inRound {
			v.onPhase = func(name string) {
				if name == "route" && v.manager.inForce.Fabric.Nodes[host].Desc == f.Nodes[host].Desc {
					v.rename(t, f.Nodes[host].GUID, "another name")
				}
			}
			v.manager.noteChange(v.now, "a test")
			v.step(&terms.Event{Kind: terms.Tick})
		} else {
			v.rename(t, f.Nodes[host].GUID, "another name")
		}
		v.runUntil(v.now + 5*time.Second)
		if got := v.manager.inForce.Fabric.Nodes[host].Desc; got != "another name" {
			t.Errorf("in a round %v: %q: %v", inRound, got, v.entries)
		}
		if !slices.ContainsFunc(v.entries, func(e terms.Incident) bool {
			return e.Kind == terms.NodeRenamed && strings.Contains(e.Text, "another name")
		}) {
			t.Errorf("in a round %v: the log does not tell it: %v", inRound, v.entries)
		}
	}
}

// rename gives a node another description, which it reports by trap 144.
func (v *virtual) rename(t *testing.T, guid fabric.GUID, name string) {
	t.Helper()
	c := v.manager.inForce
	m, err := mad.Request{Method: mad.Set, Attr: mad.AttrNodeDescription, TID: 1 << 40}.Directed(make([]byte, mad.Size), c.Nodes[c.ByGUID[guid]].Path)
	if err != nil {
		t.Fatal(err)
	}
	mad.NodeDescriptionText.Put(m.Data(), []byte(name))
	v.sub.Send(v.id, &wire.Datagram{Addr: wire.Directed(), MAD: m})
}
