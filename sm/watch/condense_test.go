package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/recording"
	"weft/sm/terms"
)

// condensed has a virtual manager write its log as weft sm does.
func (v *virtual) condensed() *[]terms.Incident {
	var log []terms.Incident
	var c recording.Condenser
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Note {
			told := a.Incident
			told.Step = v.now
			log = append(log, c.Add(told)...)
		}
	}
	v.onEvent = func() { log = append(log, c.Flush(v.now)...) }
	return &log
}

// linesOf returns the texts of a code in a log.
func linesOf(log []terms.Incident, k terms.IncidentKind) (texts []string) {
	for _, i := range log {
		if i.Kind == k {
			texts = append(texts, i.Text)
		}
	}
	return texts
}

// TestOneLineForARestart: a spine that restarts changes a port of each of its 12 leaves, twice. The
// log has one line for the traps of each change, which names leaves and counts the others, and one
// line for the spine.
func TestOneLineForARestart(t *testing.T) {
	v := staying(t, "rlft(12,2)", emulator.Options{}, terms.Config{})
	log := v.condensed()
	spine, err := v.sub.FindNode("spine 2")
	if err != nil {
		t.Fatal(err)
	}
	told := v.told(terms.TrapCame)
	if err := v.sub.Reboot(spine, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + time.Minute)
	if n := v.told(terms.TrapCame) - told; n < 24 {
		t.Fatalf("only %d traps came", n)
	}
	traps := linesOf(*log, terms.TrapCame)
	if len(traps) != 2 || !strings.HasPrefix(traps[0], `trap 128 (link state of a switch port changed) from 12 nodes: switch "leaf 0" (0x`) || !strings.HasSuffix(traps[0], "and 4 more") {
		t.Errorf("%q", traps)
	}
	for kind, want := range map[terms.IncidentKind]int{terms.NodeMissing: 1, terms.NodeReturned: 1, terms.FabricChanged: 0} {
		if got := linesOf(*log, kind); len(got) != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestLinesByDevice: what happens to many neighbours of a device is one line that names it: hosts
// that go and come with their leaf, and cables of a spine that is still there. Two of a kind have a
// line each.
func TestLinesByDevice(t *testing.T) {
	v := staying(t, "rlft(12,2)", emulator.Options{}, terms.Config{})
	log := v.condensed()
	f := v.sub.Fabric()
	find := func(name string) fabric.NodeID {
		id, err := v.sub.FindNode(name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	setDown := func(id fabric.NodeID, ports []uint8, down bool) []terms.Incident {
		t.Helper()
		before := len(*log)
		for _, port := range ports {
			if err := v.sub.SetLinkDown(f.Nodes[id].Ports[port].Link, down); err != nil {
				t.Fatal(err)
			}
		}
		v.runUntil(v.now + 20*time.Second)
		return (*log)[before:]
	}
	spine, leaf := find("spine 2"), find("leaf 5")
	var up, hosts []uint8
	for port := range uint8(12) {
		peer := f.Peer(fabric.End{Node: leaf, Port: port + 1})
		if f.Nodes[peer.Node].Type == fabric.CA {
			hosts = append(hosts, port+1)
		}
		up = append(up, port+1)
	}
	for _, c := range []struct {
		what  string
		node  fabric.NodeID
		ports []uint8
		down  bool
		kind  terms.IncidentKind
		want  string
		lines int
	}{
		{"cables of a spine are pulled", spine, up[2:], true, terms.FabricChanged, `10 links removed at switch "spine 2" (0x`, 1},
		{"and put back", spine, up[2:], false, terms.FabricChanged, `10 links added at switch "spine 2" (0x`, 1},
		{"two cables", spine, up[:2], true, terms.FabricChanged, `link removed: "leaf `, 2},
		{"and back", spine, up[:2], false, terms.FabricChanged, `link added: "leaf `, 2},
		{"the hosts of a leaf", leaf, hosts, true, terms.NodeMissing, `6 nodes at switch "leaf 5" (0x`, 1},
		{"and back", leaf, hosts, false, terms.NodeReturned, `6 nodes at switch "leaf 5" (0x`, 1},
		{"a leaf and its hosts", leaf, up, true, terms.NodeMissing, `7 nodes at switch "leaf 5" (0x`, 1},
		{"and back", leaf, up, false, terms.NodeReturned, `7 nodes at switch "leaf 5" (0x`, 1},
	} {
		lines := setDown(c.node, c.ports, c.down)
		texts := linesOf(lines, c.kind)
		if len(texts) != c.lines || slices.ContainsFunc(texts, func(text string) bool { return !strings.HasPrefix(text, c.want) }) {
			t.Errorf("%s: %q", c.what, texts)
		}
		if i := slices.IndexFunc(lines, func(i terms.Incident) bool { return i.Kind == c.kind }); i >= 0 && c.lines == 1 && lines[i].At.Node != f.Nodes[c.node].GUID {
			t.Errorf("%s: the line has the place %v", c.what, lines[i].At)
		}
		if other := linesOf(lines, terms.FabricChanged); c.kind != terms.FabricChanged && len(other) > 0 {
			t.Errorf("%s: and %q", c.what, other)
		}
	}
}
