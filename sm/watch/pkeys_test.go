package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// verifyPartitions compares the P_Keys of all end ports, and the P_Keys and enforcement of the
// switch ports before hosts, with the partitions.
func (v *virtual) verifyPartitions(t smtest.Fataler, p *terms.Partitioning, room func(e fabric.End) bool) {
	t.Helper()
	f := v.sub.Fabric()
	for id := range f.Nodes {
		n := &f.Nodes[id]
		for num := range n.Ports {
			e := fabric.End{Node: fabric.NodeID(id), Port: uint8(num)}
			end := e
			enforced := n.Type == fabric.Switch && num > 0
			if enforced {
				if n.Ports[num].Link == fabric.NoLink || f.Nodes[f.Peer(e).Node].Type == fabric.Switch || !p.In && !p.Out {
					continue
				}
				end = f.Peer(e)
			} else if n.Type != fabric.Switch && (num == 0 || n.Ports[num].Link == fabric.NoLink) {
				continue
			}
			m := &f.Nodes[end.Node]
			guid := m.GUID
			if m.Type != fabric.Switch {
				guid = m.Ports[end.Port].GUID
			}
			want, _ := partition.NewIndex(p.Partitions, nil).KeysOf(&partition.Port{GUID: guid, Type: m.Type, Desc: m.Desc, Manager: end == v.at})
			has, err := v.sub.PKeys(e)
			if err != nil {
				t.Fatalf("%v", err)
			}
			has = slices.DeleteFunc(has, func(key uint16) bool { return key == 0 })
			fits := room(e)
			if slices.Sort(has); fits && !slices.Equal(has, slices.Sorted(slices.Values(want))) {
				t.Fatalf("%s has %#x, want %#x", f.EndName(e), has, want)
			}
			if info, _ := v.sub.PortInfo(e); enforced && (mad.PortInfoEnforceInbound.Is(info) != (p.In && fits) || mad.PortInfoEnforceOutbound.Is(info) != (p.Out && fits)) {
				t.Fatalf("%s enforces %v, %v", f.EndName(e), mad.PortInfoEnforceInbound.Is(info), mad.PortInfoEnforceOutbound.Is(info))
			}
		}
	}
}

func anyRoom(fabric.End) bool { return true }

// TestPartitions: each port gets the P_Keys of its partitions, and the switches enforce them. New
// partitions of a running manager are in force after the next round; remaining P_Keys keep their
// index and no LID moves. A round without news writes nothing.
func TestPartitions(t *testing.T) {
	p := smtest.Partitioning(t, `Default=0x7fff: ALL=limited; storage=0x10: "host 1*"=full, "host 2*", ALL_SWITCHES=both; x=5,indx0: "host 3"=full;`, true, true)
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Partitions: p})
	if r := v.manager.Result().Report; r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	v.verifyPartitions(t, p, anyRoom)
	lids := v.lidsOf()
	tell := func(p *terms.Partitioning) {
		cfg := v.manager.cfg
		cfg.Partitions = p
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
		v.runUntil(v.now + 3*time.Second)
	}
	f := v.sub.Fabric()
	host, _ := f.FindNode("host 17")
	at := fabric.End{Node: host, Port: 1}
	before, _ := v.sub.PKeys(at)
	next := smtest.Partitioning(t, `new=3:ALL=full; storage=0x10: ALL_CAS=full;`, true, false)
	tell(next)
	v.verifyPartitions(t, next, anyRoom)
	after, _ := v.sub.PKeys(at)
	if i := slices.Index(before, 0x8010); i < 0 || after[i] != 0x8010 {
		t.Errorf("host 17 had %#x, now %#x", before, after)
	}
	sets := func() (n int) {
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPKeyTable {
				n++
			}
		}
		v.step(&terms.Event{Kind: terms.Resweep})
		v.runUntil(v.now + 3*time.Second)
		v.onAction = nil
		return n
	}
	if n := sets(); n > 0 {
		t.Errorf("%d P_Key blocks are written again", n)
	}
	tell(nil)
	v.verifyPartitions(t, &terms.Partitioning{Partitions: partition.Everyone()}, anyRoom)
	if !maps.Equal(lids, v.lidsOf()) {
		t.Error("LIDs have moved")
	}
	v.verify(t)
}

// TestEnforcementOfBefore: a manager without partitions starts on a subnet whose switches enforce
// another manager's. It ends the enforcement at these ports only, so that a moved host is not
// blocked. Other settings of the ports stay, and nothing is written twice.
func TestEnforcementOfBefore(t *testing.T) {
	p := smtest.Partitioning(t, `Default=0x7fff: ALL=limited; storage=0x10: "host 1*"=full, "host 2*";`, true, true)
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Partitions: p})
	v.verifyPartitions(t, p, anyRoom)
	enforcing := func() (n int) {
		f := v.sub.Fabric()
		for id := range f.Nodes {
			for num := range f.Nodes[id].Ports {
				if info, err := v.sub.PortInfo(fabric.End{Node: fabric.NodeID(id), Port: uint8(num)}); err == nil && (mad.PortInfoEnforceInbound.Is(info) || mad.PortInfoEnforceOutbound.Is(info)) {
					n++
				}
			}
		}
		return n
	}
	had := enforcing()
	if had == 0 {
		t.Fatal("no port enforces")
	}
	f := v.sub.Fabric()
	host, _ := f.FindNode("host 17")
	at := fabric.End{Node: host, Port: 1}
	before, _ := v.sub.PKeys(at)

	sets, keys := 0, 0
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Send && a.Method == mad.Set {
			if a.Attr == mad.AttrPortInfo {
				sets++
			}
			if a.Attr == mad.AttrPKeyTable {
				keys++
			}
			if a.Attr == mad.AttrLinearForwardingTable || a.Attr == mad.AttrSLtoVLMappingTable {
				t.Errorf("%v is written", a.Attr)
			}
		}
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch) // after a restart
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 3*time.Second)
	v.verify(t)
	if left := enforcing(); left > 0 || sets != had {
		t.Errorf("%d ports enforce, %d PortInfos were written for %d that did", left, sets, had)
	}
	if after, _ := v.sub.PKeys(at); !slices.Contains(after, 0x8010) || !slices.Contains(after, 0xffff) {
		t.Errorf("host 17 had %#x, now %#x", before, after)
	}
	sets, keys = 0, 0
	v.step(&terms.Event{Kind: terms.Resweep})
	v.runUntil(v.now + 3*time.Second)
	if sets+keys > 0 {
		t.Errorf("%d PortInfos and %d P_Key blocks are written again", sets, keys)
	}
}

// TestRandomPartitions: whatever the partitions are and were before, with faults too, the ports get
// the right P_Keys, as far as there is room.
func TestRandomPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *terms.Partitioning {
			var text strings.Builder
			for i := range rapid.IntRange(0, rapid.SampledFrom([]int{3, 12, 80}).Draw(t, label+" many")).Draw(t, label) {
				fmt.Fprintf(&text, "p%d=%d%s: ", i, i+1, rapid.SampledFrom([]string{"", ",indx0", ",defmember=full"}).Draw(t, "flags"))
				for range rapid.IntRange(1, 3).Draw(t, "members") {
					fmt.Fprintf(&text, "%s%s, ", rapid.SampledFrom([]string{"ALL", "ALL_CAS", "SELF", "ALL_SWITCHES", `"host ?"`, `"host 1*"`, "0x12"}).Draw(t, "who"),
						rapid.SampledFrom([]string{"", "=full", "=limited", "=both"}).Draw(t, "as"))
				}
				text.WriteString(";\n")
			}
			return smtest.Partitioning(t, text.String(), rapid.Bool().Draw(t, "in"), rapid.Bool().Draw(t, "out"))
		}
		p := draw("first")
		v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Partitions: p})
		for range 2 {
			f := v.sub.Fabric()
			v.verifyPartitions(t, p, func(e fabric.End) bool {
				n := &f.Nodes[e.Node]
				room, end := 64, e
				switch {
				case n.Type == fabric.Switch && e.Port == 0:
					room = 8
				case n.Type == fabric.Switch:
					room, end = 32, f.Peer(e)
				}
				m := &f.Nodes[end.Node]
				guid := m.GUID
				if m.Type != fabric.Switch {
					guid = m.Ports[end.Port].GUID
				}
				keys, _ := partition.NewIndex(p.Partitions, nil).KeysOf(&partition.Port{GUID: guid, Type: m.Type, Desc: m.Desc, Manager: end == v.at})
				return len(keys) <= room
			})
			v.verify(t)
			p = draw("next")
			cfg := v.manager.cfg
			cfg.Partitions = p
			if rapid.Bool().Draw(t, "fault") {
				_, id := v.switchLink(t, 1)
				if err := v.sub.SetLinkDown(id, true); err != nil {
					t.Fatal(err)
				}
			}
			v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
			v.runUntil(v.now + 3*time.Second)
		}
	})
}
