package watch

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestExpected: what deviates from the expected topology is told once, and again when it is over.
func TestExpected(t *testing.T) {
	expected := smtest.Formula(t, "rlft(8,2)")
	expected.Links[expected.Nodes[smtest.Find(expected, fabric.CA, 7)].Ports[1].Link].Speed = fabric.HDR
	expected.Nodes[smtest.Find(expected, fabric.CA, 11)].Desc = "another name"
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{Expected: expected})
	if got := v.texts(0, terms.Deviation); len(got) != 2 || !strings.Contains(got[0], `"another name" is expected`) || !strings.Contains(got[1], "4xHDR is expected") {
		t.Fatalf("%q", got)
	}
	f := v.manager.inForce.Fabric
	_, id := v.switchLink(t, 2)
	host := smtest.Find(f, fabric.CA, 9)
	emu := v.emulated(t, f.Nodes[host].GUID)
	for _, c := range []struct {
		name, want string
		do         func(bad bool) error
	}{
		{"a cable is gone", "the cable", func(bad bool) error { return v.sub.SetLinkDown(id, bad) }},
		{"a node is gone", "is expected but missing", func(bad bool) error { return v.sub.SetNodeDown(emu, bad) }},
	} {
		for _, bad := range []bool{true, false} {
			from := len(v.entries)
			if err := c.do(bad); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 5*time.Second)
			kind := map[bool]terms.IncidentKind{true: terms.Deviation, false: terms.AsExpected}[bad]
			if got := v.texts(from, kind); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("%s, %v: %q: %v", c.name, bad, got, v.entries[from:])
			}
			if v.runUntil(v.now + 2*terms.UsualWatch.Rebalance); len(v.texts(from, kind)) != 1 {
				t.Errorf("%s: it is told again", c.name)
			}
		}
	}
}

// TestStrangers: a node that is not expected is left out: it gets no LID, and its link is not taken
// to Active; nothing behind it is found. It is told once. When it is expected it comes up.
func TestStrangers(t *testing.T) {
	racing.SkipLong(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(6,2)", "torus(4x4,hosts=1)"}).Draw(t, "fabric")
		whole, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		strangers := map[fabric.GUID]bool{}
		for range rapid.IntRange(1, 3).Draw(t, "strangers") {
			if id := fabric.NodeID(rapid.IntRange(0, len(whole.Nodes)-1).Draw(t, "node")); id != smtest.Find(whole, fabric.CA, 0) && whole.Peer(fabric.End{Node: smtest.Find(whole, fabric.CA, 0), Port: 1}).Node != id {
				strangers[whole.Nodes[id].GUID] = true
			}
		}
		expected := whole.Without(func(id fabric.NodeID) bool { return strangers[whole.Nodes[id].GUID] }, nil)
		v := staying(t, text, emulator.Options{}, terms.Config{Expected: expected, QuarantineStrangers: true})
		v.runUntil(v.now + 30*time.Second)
		r := v.manager.Result().Report
		if len(strangers) == 0 {
			return
		}
		if r.State != terms.Up || v.told(terms.Stranger) == 0 {
			t.Fatalf("%s: %v", r.State, v.entries)
		}
		for guid := range strangers {
			if _, found := v.manager.inForce.ByGUID[guid]; found {
				t.Fatalf("%s is found", guid)
			}
			n := &v.sub.Fabric().Nodes[v.emulated(t, guid)]
			for p := 1; p <= n.NumPorts(); p++ {
				info, err := v.sub.PortInfo(fabric.End{Node: v.emulated(t, guid), Port: uint8(p)})
				if err != nil || mad.PortInfoPortState.Get(info) > mad.PortInit || mad.PortInfoLID.Get(info) != 0 {
					t.Fatalf("port %d of %s: state %d, LID %d", p, guid, mad.PortInfoPortState.Get(info), mad.PortInfoLID.Get(info))
				}
			}
		}
		told := v.told(terms.Stranger)
		v.manager.noteChange(v.now, "a test")
		v.runUntil(v.now + 5*time.Second)
		if v.told(terms.Stranger) != told {
			t.Fatalf("they are told again: %v", v.entries)
		}
		v.verify(t)
		v.manager.cfg.Expected = whole
		v.manager.noteChange(v.now, "a test")
		v.runUntil(v.now + 5*time.Second)
		if r := v.manager.Result().Report; r.State != terms.Up || len(v.manager.inForce.Fabric.Nodes) != len(whole.Nodes) {
			t.Fatalf("%s: %v", r.State, v.entries)
		}
		v.verify(t)
	})
}

// TestDeviationsOfItself: a fabric does not deviate from itself, and where one deviates from
// another that deviates from it.
func TestDeviationsOfItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someFabric(t, "a"), someFabric(t, "b")
		if got := ledger.Deviations(a, a); len(got) > 0 {
			t.Fatalf("%q", got)
		}
		there, back := ledger.Deviations(a, b), ledger.Deviations(b, a)
		if (len(there) == 0) != (len(back) == 0) {
			t.Fatalf("%q and %q", there, back)
		}
	})
}
