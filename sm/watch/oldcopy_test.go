package watch

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/draws"
	"weft/planner"
	"weft/sm/terms"
	"weft/wire/mad"
)

// inService lists the LIDs in use: of switches that are there, and of ports that are Active.
func inService(t *rapid.T, sub *emulator.Subnet, down map[fabric.NodeID]bool) terms.LIDMap {
	out, f := terms.LIDMap{}, sub.Fabric()
	lids := given(t, sub)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for p := range n.Ports {
			p0 := n.Type == fabric.Switch
			if down[fabric.NodeID(i)] || p0 != (p == 0) || lids[n.Ports[p].GUID].Base == 0 {
				continue
			}
			info, err := sub.PortInfo(fabric.End{Node: fabric.NodeID(i), Port: uint8(p)})
			if err != nil {
				t.Fatal(err)
			}
			if p0 || mad.PortInfoPortState.Get(info) == mad.PortActive {
				out[n.Ports[p].GUID] = lids[n.Ports[p].GUID]
			}
		}
	}
	return out
}

// TestOldCopy: a manager that starts on an older copy of its state, with LIDs and Plan, or on an
// older file of LIDs, moves no LID in service, of hosts or of switches, whatever came, went and was
// forgotten since the copy.
func TestOldCopy(t *testing.T) {
	differed, switches := 0, 0
	draws.Check(t, func(t *rapid.T) {
		d, sub := &disk{}, emulated(t, "rlft(4,2)", emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		at, err := sub.DefaultEnd()
		if err != nil {
			t.Fatal(err)
		}
		f, down := sub.Fabric(), map[fabric.NodeID]bool{}
		toggle := func(what string) {
			for range rapid.IntRange(1, 4).Draw(t, what) {
				id := fabric.NodeID(rapid.IntRange(0, len(f.Nodes)-1).Draw(t, "node"))
				if id == at.Node || f.Nodes[id].Type == fabric.Switch && isLeafOf(f, id, at.Node) {
					continue
				}
				down[id] = !down[id]
				if err := sub.SetNodeDown(id, down[id]); err != nil {
					t.Fatal(err)
				}
			}
		}
		toggle("first")
		var last *planner.Kept
		start := func(d *disk, now time.Duration, stores bool) *virtual {
			v := withDisk(t, sub, d, terms.Config{History: terms.History{Last: last}})
			if !stores { // LIDs of --lids
				v.manager = NewManager(terms.Config{History: terms.History{Stored: maps.Clone(d.lids)}}, terms.UsualWatch)
			}
			v.now, v.manager.watch.KeepAbsent = now, 1
			v.step(&terms.Event{Kind: terms.Start})
			v.runUntil(v.now + 10*time.Second)
			return v
		}
		v := start(d, 0, true)
		copied, plan := maps.Clone(d.lids), v.manager.next.Last
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			toggle("since")
			for range 3 { // and absent nodes are forgotten
				v.step(&terms.Event{Kind: terms.Resweep})
				v.runUntil(v.now + 10*time.Second)
			}
		}
		had, now := inService(t, sub, down), v.now
		sub.Detach(v.id)
		for guid, p := range had {
			if copied[guid] != p {
				differed++
				break
			}
		}
		for _, n := range f.Nodes {
			if p := had[n.GUID]; n.Type == fabric.Switch && p.Base != 0 && copied[n.GUID] != p {
				switches++
			}
		}
		if last = nil; rapid.Bool().Draw(t, "with its Plan") {
			last = plan
		}
		v = start(&disk{lids: copied}, now, rapid.Bool().Draw(t, "a state file"))
		has := given(t, sub)
		for guid, p := range had {
			if has[guid] != p {
				t.Fatalf("port %s had LID %d, has %d; the copy has %d: %v", guid, p.Base, has[guid].Base, copied[guid].Base, v.entries)
			}
		}
	}, func() string {
		if differed == 0 || switches == 0 {
			return fmt.Sprintf("%d copies differed, by %d switches", differed, switches)
		}
		return ""
	})
}

// isLeafOf reports whether a switch is cabled to a node.
func isLeafOf(f *fabric.Fabric, sw, node fabric.NodeID) bool {
	for _, l := range f.Links {
		if l.A.Node == sw && l.B.Node == node || l.B.Node == sw && l.A.Node == node {
			return true
		}
	}
	return false
}
