package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/draws"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// texts lists the texts of a kind that were told, the first n entries left out.
func (v *virtual) texts(n int, k terms.IncidentKind) (list []string) {
	for _, e := range v.entries[n:] {
		if e.Kind == k {
			list = append(list, e.Text)
		}
	}
	return list
}

// emulated returns the number of a node in the emulated subnet.
func (v *virtual) emulated(t smtest.Fataler, guid fabric.GUID) fabric.NodeID {
	t.Helper()
	id, ok := v.sub.Fabric().NodeByGUID(guid)
	if !ok {
		t.Fatalf("%s is not emulated", guid)
	}
	return id
}

// setDescription gives a node another description, which it reports by trap 144.
func (v *virtual) setDescription(t smtest.Fataler, guid fabric.GUID, name string) {
	t.Helper()
	c := v.manager.inForce
	m, err := mad.Request{Method: mad.Set, Attr: mad.AttrNodeDescription, TID: 1 << 40}.Directed(make([]byte, mad.Size), c.Nodes[c.ByGUID[guid]].Path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	mad.NodeDescriptionText.Put(m.Data(), []byte(name))
	v.sub.Send(v.id, &wire.Datagram{Addr: wire.Directed(), MAD: m})
}

// TestChangesAreNamed: what happens to a subnet while the manager stays has an event that names it;
// LIDs stay with their nodes.
func TestChangesAreNamed(t *testing.T) {
	end := func(f *fabric.Fabric, id fabric.NodeID) fabric.End { return fabric.End{Node: id, Port: 1} }
	for _, c := range []struct {
		name string
		do   func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID)
		kind terms.IncidentKind
		want []string // in texts of that kind, each in another one
	}{
		{"another adapter at the same cable", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			id := v.emulated(t, f.Nodes[host].GUID)
			if err := v.sub.SetNodeDown(id, true); err != nil {
				t.Fatal(err)
			}
			if err := v.sub.SetGUID(id, 0x77000); err != nil {
				t.Fatal(err)
			}
			if err := v.sub.SetNodeDown(id, false); err != nil {
				t.Fatal(err)
			}
		}, terms.NodeReplaced, []string{"which is gone, and leads to"}},
		{"a cable moved to another switch", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			leaf := v.emulated(t, f.Nodes[f.Peer(end(f, smtest.Find(f, fabric.CA, 20))).Node].GUID)
			if err := v.sub.SetLinkDown(v.linkOf(t, f, f.Nodes[smtest.Find(f, fabric.CA, 20)].Ports[1].Link), true); err != nil {
				t.Fatal(err)
			}
			if _, err := v.sub.Connect(end(f, v.emulated(t, f.Nodes[host].GUID)), fabric.End{Node: leaf, Port: f.Peer(end(f, smtest.Find(f, fabric.CA, 20))).Port}, 4, fabric.EDR); err != nil {
				t.Fatal(err)
			}
		}, terms.CableMoved, []string{"led to"}},
		{"two cables swapped", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			other := smtest.Find(f, fabric.CA, 20)
			a, b := f.Peer(end(f, host)), f.Peer(end(f, other))
			emu := func(e fabric.End) fabric.End {
				return fabric.End{Node: v.emulated(t, f.Nodes[e.Node].GUID), Port: e.Port}
			}
			for _, pair := range [][2]fabric.End{{end(f, host), b}, {end(f, other), a}} {
				if _, err := v.sub.Connect(emu(pair[0]), emu(pair[1]), 4, fabric.EDR); err != nil {
					t.Fatal(err)
				}
			}
		}, terms.CableMoved, []string{`"host 9"`, `"host 20"`}},
		{"a description", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			v.setDescription(t, f.Nodes[host].GUID, "another name")
		}, terms.NodeRenamed, []string{`is called "another name"`}},
		{"what an adapter can do", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			v.alter = func(ev *terms.Event) {
				k, slot, _ := ledger.SplitTag(ev.Tag)
				if c := v.manager.found(); ev.Kind == terms.Answer && k == ledger.GetKey && c.Nodes[c.Owner[slot]].GUID == f.Nodes[host].GUID {
					mad.PortInfoCapabilityMask.Put(ev.Data[:], mad.CapIsExtendedSpeeds|1<<20)
				}
			}
			v.setDescription(t, f.Nodes[host].GUID, "another name") // it tells of that by the same trap
		}, terms.CapabilityChanged, []string{`"another name"`}},
		{"a node switched off", func(t *testing.T, v *virtual, f *fabric.Fabric, host fabric.NodeID) {
			if err := v.sub.SetNodeDown(v.emulated(t, f.Nodes[host].GUID), true); err != nil {
				t.Fatal(err)
			}
		}, terms.NodeMissing, []string{`"host 9"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
			lids := v.lidsOf()
			f := v.manager.inForce.Fabric
			from := len(v.entries)
			c.do(t, v, f, smtest.Find(f, fabric.CA, 9))
			v.runUntil(v.now + 5*time.Second)
			got := v.texts(from, c.kind)
			if len(got) != len(c.want) {
				t.Fatalf("%d told: %v", len(got), v.entries[from:])
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("%q is not told: %v", want, got)
				}
			}
			for guid, lid := range v.lidsOf() {
				if had, ok := lids[guid]; ok && had != lid || !ok && slices.Contains(slices.Collect(maps.Values(lids)), lid) {
					t.Errorf("%s has LID %d", guid, lid)
				}
			}
		})
	}
}

// TestSwitchRestarts: a switch that comes back with empty tables before anybody sees that it was
// gone has them again at once.
func TestSwitchRestarts(t *testing.T) {
	v := staying(t, "rlft(8,2)", emulator.Options{}, terms.Config{})
	lids := v.lidsOf()
	for _, name := range []string{"spine 1", "leaf 3"} {
		if err := v.sub.Reboot(v.emulated(t, v.manager.inForce.Graph.SwitchGUID[slices.Index(v.manager.inForce.Graph.SwitchDesc, name)]), time.Microsecond); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
		if v.manager.Result().Report.State != terms.Up || !maps.Equal(lids, v.lidsOf()) {
			t.Fatalf("%s: %v", name, v.entries)
		}
		v.verify(t)
	}
}

// TestHundredChanges: a hundred changes at once are told in few lines and looked at in few rounds.
func TestHundredChanges(t *testing.T) {
	v := staying(t, "rlft(12,2)", emulator.Options{}, terms.Config{}).still()
	f := v.manager.inForce.Fabric
	own := v.manager.inForce.Nodes[0].GUID
	from, rng := len(v.entries), rand.New(rand.NewPCG(1, 1))
	for _, i := range rng.Perm(len(f.Links))[:100] {
		l := f.Links[i]
		if f.Nodes[l.A.Node].GUID == own || f.Nodes[l.B.Node].GUID == own {
			continue
		}
		if err := v.sub.Flap(v.linkOf(t, f, fabric.LinkID(i)), time.Duration(1+rng.IntN(200))*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if !v.isUp(t) {
		t.Fatalf("%v", v.entries)
	}
	if rounds, lines := len(v.texts(from, terms.RoundBegun)), len(v.entries)-from; rounds > 4 || lines > rounds*(mostChanges+20)+2*f.Compile().NumSwitches {
		t.Errorf("%d rounds, %d lines", rounds, lines)
	}
}

// TestSecondChange: the first change begins a round at once. One that comes while that looks at the
// subnet is seen by it, and one that comes later by another round, at any moment; nothing is left
// to the next light sweep.
func TestSecondChange(t *testing.T) {
	one, more := 0, 0
	for at := range 400 {
		v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{}).still()
		v.planTime = time.Millisecond
		_, first := v.switchLink(t, 11)
		_, second := v.switchLink(t, 7)
		rounds, sends, phase := v.told(terms.RoundBegun), 0, ""
		v.onPhase = func(name string) { phase = name }
		inPhase := ""
		v.onAction = func(a *terms.Action) {
			if a.Kind != terms.Send || v.told(terms.RoundBegun) == rounds {
				return
			}
			if sends++; sends == at+1 {
				inPhase = phase
				if err := v.sub.SetLinkDown(second, true); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := v.sub.SetLinkDown(first, true); err != nil {
			t.Fatal(err)
		}
		begun := v.now
		for v.told(terms.RoundBegun) == rounds {
			v.runUntil(v.now + 100*time.Microsecond)
		}
		if v.now-begun > time.Millisecond {
			t.Fatalf("the round begins after %v", v.now-begun)
		}
		v.runUntil(begun + terms.UsualWatch.Interval/4)
		if inPhase == "" {
			break
		}
		switch n := v.told(terms.RoundBegun) - rounds; {
		case n == 1 && (inPhase == "discover" || inPhase == "settle"):
			one++
		case n == 2, n == 3: // traps may come late, by other ways
			more++
		default:
			t.Fatalf("SMP %d, in phase %s: %d rounds: %v", at, inPhase, n, v.entries)
		}
		if r := v.manager.Result().Report; r.State != terms.Up || v.manager.inRound || r.Found.Links != 34 {
			t.Fatalf("SMP %d, in phase %s: %s, %d links: %v", at, inPhase, r.State, r.Found.Links, v.entries)
		}
		v.verify(t)
	}
	if one == 0 || more == 0 {
		t.Errorf("%d times one round, %d times more", one, more)
	}
}

// TestKeepAbsent: the LIDs of a node that is gone are given to nobody, until as many rounds have
// missed it as KeepAbsent says.
func TestKeepAbsent(t *testing.T) {
	for _, keep := range []int{0, 1, 3} {
		v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{})
		v.manager.watch.KeepAbsent = keep
		lids, f := v.lidsOf(), v.manager.inForce.Fabric
		lost, new := smtest.Find(f, fabric.CA, 3), smtest.Find(f, fabric.CA, 5)
		lid := lids[f.Nodes[lost].Ports[1].GUID]
		down := func(id fabric.NodeID, down bool) {
			t.Helper()
			if err := v.sub.SetNodeDown(v.emulated(t, f.Nodes[id].GUID), down); err != nil {
				t.Fatal(err)
			}
			v.runUntil(v.now + 5*time.Second)
		}
		down(lost, true)
		if v.told(terms.NodeMissing) != 1 || (v.told(terms.NodeForgotten) > 0) != (keep == 1) {
			t.Fatalf("%d: %v", keep, v.entries)
		}
		down(new, true)
		if err := v.sub.SetGUID(v.emulated(t, f.Nodes[new].GUID), 0x77000); err != nil {
			t.Fatal(err)
		}
		down(new, false)
		if (v.told(terms.NodeForgotten) > 0) != (keep > 0) {
			t.Errorf("%d: %v", keep, v.entries)
		}
		if err := v.sub.SetGUID(v.emulated(t, f.Nodes[new].GUID), 0x78000); err != nil {
			t.Fatal(err)
		}
		if err := v.sub.Reboot(v.emulated(t, f.Nodes[new].GUID), time.Second); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 5*time.Second)
		got := v.lidsOf()
		reused := slices.Contains(slices.Collect(maps.Values(lids)), got[0x78001])
		if got[0x78001] == 0 || keep == 0 && reused || keep == 1 && !reused {
			t.Errorf("%d: the new node has LID %d, that of the lost one was %d", keep, got[0x78001], lid)
		}
		before := v.told(terms.NodeReturned)
		down(lost, false)
		if v.told(terms.NodeReturned) != before+1 || keep == 0 && v.lidsOf()[f.Nodes[lost].Ports[1].GUID] != lid {
			t.Errorf("%d: %v", keep, v.entries)
		}
		if s := v.manager.Result().Report.State; s != terms.Up {
			t.Errorf("%s: %v", s, v.entries)
		}
	}
}

// TestCompareFabrics: applied to the first fabric, what compareFabrics finds gives the second.
func TestCompareFabrics(t *testing.T) {
	kinds := [4]int{}
	draws.Check(t, func(t *rapid.T) {
		a, b := someFabric(t, "a"), someFabric(t, "b")
		c := ledger.CompareFabrics(a, b)
		kinds[0] += len(c.Replaced)
		kinds[1] += len(c.Moved)
		kinds[2] += len(c.LinksGone)
		kinds[3] += len(c.LinksCame)
		nodes := map[fabric.GUID]bool{}
		for i := range a.Nodes {
			nodes[a.Nodes[i].GUID] = true
		}
		for _, id := range c.Gone {
			delete(nodes, a.Nodes[id].GUID)
		}
		for _, m := range c.Replaced {
			delete(nodes, a.Nodes[m.Was.Node].GUID)
			nodes[b.Nodes[m.To.Node].GUID] = true
		}
		for _, id := range c.Came {
			nodes[b.Nodes[id].GUID] = true
		}
		want := map[fabric.GUID]bool{}
		for i := range b.Nodes {
			want[b.Nodes[i].GUID] = true
		}
		if !maps.Equal(nodes, want) {
			t.Fatalf("nodes %v, want %v", nodes, want)
		}
		told := map[string]bool{} // cables between nodes of both that are told as new
		for _, m := range c.Moved {
			told[cableKey(b, m.At, m.To)] = true
			if _, was, ok := ledger.PeerIn(b, a, m.At); !ok || was != m.Was {
				t.Fatalf("%v", m)
			}
		}
		for _, id := range c.LinksCame {
			told[cableKey(b, b.Links[id].A, b.Links[id].B)] = true
		}
		old := map[string]bool{}
		for _, l := range a.Links {
			old[cableKey(a, l.A, l.B)] = true
		}
		for _, l := range b.Links {
			_, inA := a.NodeByGUID(b.Nodes[l.A.Node].GUID)
			_, inB := a.NodeByGUID(b.Nodes[l.B.Node].GUID)
			key := cableKey(b, l.A, l.B)
			if inA && inB && !old[key] != told[key] {
				t.Fatalf("%s: new %v, told %v", key, !old[key], told[key])
			}
			delete(old, key)
		}
		gone := map[string]bool{}
		for _, id := range c.LinksGone {
			gone[cableKey(a, a.Links[id].A, a.Links[id].B)] = true
		}
		for _, l := range a.Links { // whose ends are in both, and lead nowhere now
			if x, ok := ledger.Translate(a, b, l.A); ok && b.Nodes[x.Node].Ports[x.Port].Link == fabric.NoLink {
				if y, ok := ledger.Translate(a, b, l.B); ok && b.Nodes[y.Node].Ports[y.Port].Link == fabric.NoLink && !gone[cableKey(a, l.A, l.B)] {
					t.Fatalf("%s is gone, and that is not told", cableKey(a, l.A, l.B))
				}
			}
		}
		for _, id := range c.LinksGone {
			for _, e := range []fabric.End{a.Links[id].A, a.Links[id].B} {
				if _, _, ok := ledger.PeerIn(a, b, e); ok {
					t.Fatalf("%s is told as gone, and %s leads elsewhere", a.LinkName(id), a.EndName(e))
				}
			}
			if !old[cableKey(a, a.Links[id].A, a.Links[id].B)] {
				t.Fatalf("%s is not gone", a.LinkName(id))
			}
		}
	}, func() string {
		if slices.Contains(kinds[1:], 0) { // a node that is replaced is rare here
			return fmt.Sprintf("one sided: %v", kinds)
		}
		return ""
	})
}

// someFabric makes a few nodes with few ports, some of them cabled at random.
func someFabric(t *rapid.T, label string) *fabric.Fabric {
	f := fabric.New(label)
	for i := range 5 {
		if rapid.IntRange(0, 4).Draw(t, label+" node") == 0 {
			continue
		}
		typ := fabric.Switch
		if i > 2 {
			typ = fabric.CA
		}
		if _, err := f.AddNode(typ, fabric.GUID(i+1), 2, fmt.Sprint("node ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.Nodes) == 0 {
		return f
	}
	for range rapid.IntRange(0, 6).Draw(t, label+" cables") {
		var e [2]fabric.End
		for i := range e {
			e[i] = fabric.End{Node: fabric.NodeID(rapid.IntRange(0, len(f.Nodes)-1).Draw(t, "node")), Port: uint8(rapid.IntRange(1, 2).Draw(t, "port"))}
		}
		_, _ = f.Connect(e[0], e[1], 4, fabric.EDR) // ports that are taken stay as they are
	}
	return f
}

// cableKey names a cable by its two ends, in order.
func cableKey(f *fabric.Fabric, a, b fabric.End) string {
	ends := []string{f.EndName(a), f.EndName(b)}
	slices.Sort(ends)
	return strings.Join(ends, " - ")
}
