package round

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/discovery"
	"weft/internal/draws"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestKeptClosed: a switch without its proven tables carries nothing: its links stay down, and its
// LinearFDBTop is not raised. The rest of the fabric comes up, and so does the switch once it is
// well.
func TestKeptClosed(t *testing.T) {
	deaf := func(a mad.AttrID) func(*smtest.FakeNode) { return func(d *smtest.FakeNode) { d.Deaf = a } }
	deny := func(a mad.AttrID) func(*smtest.FakeNode) { return func(d *smtest.FakeNode) { d.Deny = a } }
	forget := func(a mad.AttrID) func(*smtest.FakeNode) { return func(d *smtest.FakeNode) { d.Forget = a } }
	for _, c := range []struct {
		name, formula, chain string
		fault                func(d *smtest.FakeNode)
		why                  terms.IncidentKind
	}{
		{"silent about its table", "rlft(8,2)", "updn", deaf(mad.AttrLinearForwardingTable), terms.Unanswered},
		{"refuses its table", "rlft(8,2)", "updn", deny(mad.AttrLinearForwardingTable), terms.NotTaken},
		{"forgets its table", "rlft(8,2)", "updn", forget(mad.AttrLinearForwardingTable), terms.NotTaken},
		{"silent about its lanes", "torus(5x5,hosts=1)", "dor", deaf(mad.AttrSLtoVLMappingTable), terms.Unanswered},
		{"refuses its lanes", "torus(5x5,hosts=1)", "dor", deny(mad.AttrSLtoVLMappingTable), terms.NotTaken},
		{"forgets its lanes", "torus(5x5,hosts=1)", "dor", forget(mad.AttrSLtoVLMappingTable), terms.NotTaken},
		{"refuses turns for its lanes", "torus(5x5,hosts=1)", "dor", deny(mad.AttrVLArbitrationTable), terms.NotTaken},
		{"has no turns for its lanes", "torus(5x5,hosts=1)", "dor", func(d *smtest.FakeNode) {
			for p := range d.Info {
				mad.PortInfoVLArbLowCap.Put(d.Info[p][:], 1)
			}
		}, terms.NotEnough},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := smtest.Formula(t, c.formula)
			w := newWorld(f, terms.Config{}, c.chain)
			bad := smtest.Find(f, fabric.Switch, 2)
			d := &w.fake.Nodes[bad]
			c.fault(d)
			r := w.run()
			if r.State != terms.UpInPart || r.Find(c.why) == nil || r.Find(terms.KeptClosed) == nil {
				t.Fatalf("%s: %v", r.State, r.Incidents)
			}
			count := map[terms.IncidentKind]int{}
			for _, i := range r.Incidents {
				count[i.Kind]++
			}
			if top := mad.SwitchInfoLinearFDBTop.Get(d.Sw[:]); count[terms.KeptClosed] != 1 || top != 0 {
				t.Errorf("%d switches kept closed, the top of its table is %d", count[terms.KeptClosed], top)
			}
			if d.Forget != 0 && count[terms.NotTaken] != 1 {
				t.Errorf("%d tables named, want the first: %v", count[terms.NotTaken], r.Incidents)
			}
			for i := range f.Links {
				l := &f.Links[i]
				for _, e := range []fabric.End{l.A, l.B} {
					want := uint64(mad.PortActive)
					if l.A.Node == bad || l.B.Node == bad {
						want = mad.PortInit
					}
					if got := mad.PortInfoPortState.Get(w.fake.Nodes[e.Node].Info[e.Port][:]); got != want {
						t.Errorf("%s is in state %d, want %d", f.EndName(e), got, want)
					}
				}
			}
			d.Deaf, d.Deny, d.Forget = 0, 0, 0
			for p := range d.Info {
				mad.PortInfoVLArbLowCap.Put(d.Info[p][:], 8)
			}
			again := newWorld(f, terms.Config{}, c.chain)
			again.fake = w.fake
			if r := again.run(); r.State != terms.Up {
				t.Fatalf("when it is well: %s: %v", r.State, r.Incidents)
			}
			again.verify(t)
		})
	}
}

// TestLanesOfCA: a wrong lane table of a CA is reported, and closes nothing.
func TestLanesOfCA(t *testing.T) {
	f := smtest.Formula(t, "torus(5x5,hosts=1)")
	w := newWorld(f, terms.Config{}, "dor")
	d := &w.fake.Nodes[smtest.Find(f, fabric.CA, 3)]
	d.Forget = mad.AttrSLtoVLMappingTable
	d.Tables[[2]uint32{uint32(d.Forget), 0}] = [64]byte{0x77}
	r := w.run()
	if r.State != terms.UpInPart || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.NotTaken}) || r.Written.Active != 2*r.Found.Links {
		t.Errorf("%s, %d of %d ends Active: %v", r.State, r.Written.Active, 2*r.Found.Links, r.Incidents)
	}
}

// TestLegalDifferences: deviations that the specification allows close nothing.
func TestLegalDifferences(t *testing.T) {
	f := smtest.Formula(t, "torus(5x5,hosts=1)")
	host := smtest.Find(f, fabric.CA, 3)
	leaf := f.Peer(fabric.End{Node: host, Port: 1})
	for name, c := range map[string]struct {
		odd  func(w *world)
		want []terms.IncidentKind
	}{
		"another port for LIDs that nobody has": {func(w *world) {
			w.fake.Nodes[leaf.Node].Bend = func(attr mad.AttrID, mod uint32, data *[64]byte) {
				if attr == mad.AttrLinearForwardingTable && mod == 0 {
					data[0], data[63] = 1, 1
				}
			}
		}, nil},
		"lanes to a host of its own choice": {func(w *world) {
			w.fake.Nodes[leaf.Node].Bend = func(attr mad.AttrID, mod uint32, data *[64]byte) {
				if attr == mad.AttrSLtoVLMappingTable && uint8(mod) == leaf.Port {
					*data = [64]byte{0x77}
				}
			}
		}, []terms.IncidentKind{terms.NotTaken}},
		"turns of lanes to a host refused": {func(w *world) {
			mad.PortInfoVLArbLowCap.Put(w.fake.Nodes[leaf.Node].Info[leaf.Port][:], 1)
		}, []terms.IncidentKind{terms.NotEnough}},
		"a host with one lane and no tables of lanes": {func(w *world) {
			d := &w.fake.Nodes[host]
			d.Deny = mad.AttrSLtoVLMappingTable
			mad.PortInfoVLCap.Put(d.Info[1][:], 1)
			mad.PortInfoVLArbLowCap.Put(d.Info[1][:], 0)
			mad.PortInfoVLArbHighCap.Put(d.Info[1][:], 0)
		}, nil},
	} {
		w := newWorld(f, terms.Config{}, "dor")
		c.odd(w)
		if r := w.run(); r.Routing.VLs < 2 || !slices.Equal(kindsOf(r), c.want) || r.Written.Active != 2*r.Found.Links || (r.State == terms.Up) != (c.want == nil) {
			t.Errorf("%s: %s, %d lanes, %d of %d ends Active: %v", name, r.State, r.Routing.VLs, r.Written.Active, 2*r.Found.Links, r.Incidents)
		}
	}
}

// TestCapabilities: invalid capabilities of a port do not spoil the settings of its peer.
func TestCapabilities(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	host := smtest.Find(f, fabric.CA, 9)
	for says, want := range map[uint64][2]uint64{0: {1, 3}, 1: {1, 1}, 4: {4, 4}, 5: {5, 5}, 15: {5, 5}} {
		w := newWorld(f, terms.Config{}, "updn")
		end := f.Peer(fabric.End{Node: host, Port: 1})
		peer := w.fake.Nodes[end.Node].Info[end.Port][:]
		for _, b := range [][]byte{peer, w.fake.Nodes[host].Info[1][:]} {
			mad.PortInfoMTUCap.Put(b, 15)
			mad.PortInfoVLCap.Put(b, 15)
			mad.PortInfoOperationalVLs.Put(b, 3)
		}
		mad.PortInfoMTUCap.Put(w.fake.Nodes[host].Info[1][:], says)
		mad.PortInfoVLCap.Put(w.fake.Nodes[host].Info[1][:], says)
		r := w.run()
		mtu, vls := mad.PortInfoNeighborMTU.Get(peer), mad.PortInfoOperationalVLs.Get(peer)
		if r.State != terms.Up || [2]uint64{mtu, vls} != want {
			t.Errorf("%d: %s, NeighborMTU %d, OperationalVLs %d", says, r.State, mtu, vls)
		}
	}
}

// TestNames: with any node description, the fabric can be written and read again.
func TestNames(t *testing.T) {
	for desc, want := range map[string]string{
		"node7 HCA-1\n": "node7 HCA-1", "a\n[1] \"S-1\"[2]": "a [1] \"S-1\"[2]", "\x1b[2Jx": "[2Jx", "a\" lid 5": "a\" lid 5",
	} {
		f := smtest.Formula(t, "rlft(4,2)")
		host := smtest.Find(f, fabric.CA, 3)
		f.Nodes[host].Desc = desc
		w := newWorld(f, terms.Config{}, "updn")
		w.run()
		var file bytes.Buffer
		if err := discovery.WriteIBNetDiscover(&file, w.core.Result().Fabric()); err != nil {
			t.Errorf("%q: %v", desc, err)
			continue
		}
		got, _, err := netfile.Read("found", file.Bytes(), netfile.Options{})
		if err != nil {
			t.Errorf("%q: %v", desc, err)
			continue
		}
		if id, _ := got.NodeByGUID(f.Nodes[host].GUID); got.Nodes[id].Desc != want || len(got.Nodes) != len(f.Nodes) {
			t.Errorf("%q became %q", desc, got.Nodes[id].Desc)
		}
	}
}

// TestPortGUIDs: ports without a GUID, or with the GUID of another port, are routed to and
// reported.
func TestPortGUIDs(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	for n, guid := range map[int]fabric.GUID{3: 0x77, 5: 0x77, 6: 0} {
		f.Nodes[smtest.Find(f, fabric.CA, n)].Ports[1].GUID = guid
	}
	w := newWorld(f, terms.Config{History: terms.History{Stored: terms.LIDMap{0x77: {Base: 40}}}}, "updn")
	r := w.run()
	if r.State != terms.Up || len(r.Incidents) != 2 || r.Find(terms.DuplicateGUID) == nil || r.Find(terms.BadNode) == nil {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
}

// TestDefaultPartition: a port gets the default P_Key without losing others.
func TestDefaultPartition(t *testing.T) {
	const full, limited, other = 0xFFFF, 0x7FFF, 0x8001
	crowd := make([]uint16, 32)
	for i := range crowd {
		crowd[i] = other + uint16(i)
	}
	for _, c := range []struct {
		room      int
		has, want []uint16
	}{
		{64, []uint16{full}, []uint16{full}},
		{64, nil, []uint16{full}},
		{64, []uint16{other, limited}, []uint16{other, full}},
		{64, []uint16{limited, 0, other}, []uint16{full, 0, other}},
		{64, []uint16{0, limited, 0}, []uint16{0, full, 0}},
		{64, []uint16{other, 0x8000, other}, []uint16{other, full, other}},
		{64, crowd, crowd},
		{0, nil, []uint16{full}},
		{2, []uint16{other, 0, 0}, []uint16{other, full, 0}},
		{2, []uint16{other, other, 0}, []uint16{other, other, 0}},
	} {
		f := smtest.Formula(t, "rlft(4,2)")
		w := newWorld(f, terms.Config{}, "updn")
		node := &w.fake.Nodes[smtest.Find(f, fabric.CA, 3)]
		node.PKeys = c.room
		tables := node.Tables
		at := [2]uint32{uint32(mad.AttrPKeyTable), mad.PKeyModifier(0, 0)}
		var b [64]byte
		for i, key := range c.has {
			mad.PKeyTablePKey.Set(b[:], i, uint64(key))
		}
		tables[at] = b
		r := w.run()
		b = tables[at]
		for i, key := range c.want {
			if got := mad.PKeyTablePKey.At(b[:], i); got != uint64(key) {
				t.Errorf("%x became %x at %d", c.has, got, i)
			}
		}
		if (r.State == terms.Up) != slices.Contains(c.want, full) {
			t.Errorf("%x: %s: %v", c.has, r.State, r.Incidents)
		}
	}
}

// TestNoEnd: a switch with another GUID in every answer simulates an endless subnet; the sweep
// ends.
func TestNoEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it finds 49,151 switches")
	}
	w := &world{core: roundOf(terms.Config{ReadOnly: true})}
	guid := uint64(0)
	w.play(func(a *terms.Action, ev *terms.Event) {
		switch a.Attr {
		case mad.AttrNodeInfo:
			mad.NodeInfoLocalPortNum.Put(ev.Data[:], min(guid, 1)) // our own node is a switch, too
			guid++
			mad.NodeInfoNodeType.Put(ev.Data[:], mad.NodeSwitch)
			mad.NodeInfoNumPorts.Put(ev.Data[:], 3)
			mad.NodeInfoNodeGUID.Put(ev.Data[:], guid)
			mad.NodeInfoPortGUID.Put(ev.Data[:], guid)
		case mad.AttrSwitchInfo:
			mad.SwitchInfoLinearFDBCap.Put(ev.Data[:], 49152)
		case mad.AttrPortInfo:
			mad.PortInfoPortState.Put(ev.Data[:], mad.PortInit)
		default: // no name
		}
	})
	if r := w.core.Result().Report; r.State != terms.Discovered || r.Found.Switches != maxNodes || len(r.Incidents) != 1 || !w.core.incomplete || r.Find(terms.TooMany) == nil {
		t.Errorf("%s with %d switches, %d incidents", r.State, r.Found.Switches, len(r.Incidents))
	}
}

// TestRepeatedTrouble: a write that failed in a sweep which was repeated does not make the final
// result incomplete.
func TestRepeatedTrouble(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	w := newWorld(f, terms.Config{}, "updn")
	leaf, spine := smtest.Find(f, fabric.Switch, 2), smtest.Find(f, fabric.Switch, 9)
	w.onSend = func(n int) {
		w.fake.Nodes[spine].Deny = 0
		if w.core.sweep == 1 {
			w.fake.Nodes[spine].Deny = mad.AttrSwitchInfo
			mad.SwitchInfoPortStateChange.Put(w.fake.Nodes[leaf].Sw[:], 1)
		}
	}
	if r := w.run(); r.Sweeps < 2 || r.State != terms.Up || r.Find(terms.NotTaken) == nil {
		t.Errorf("%s after %d sweeps: %v", r.State, r.Sweeps, r.Incidents)
	}
}

// TestNoMomentLoops: switches begin with arbitrary tables, some ignore writes, and the manager may
// be stopped. At no moment of a cold start do links that carry data lead a packet in a circle.
func TestNoMomentLoops(t *testing.T) {
	carried := 0
	draws.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1<<32).Draw(t, "seed")
		f, err := gen.Parse(fmt.Sprintf("random(switches=8,hosts=2,links=16,seed=%d)", seed))
		if err != nil {
			t.Skip(err)
		}
		w := newWorld(f, terms.Config{}, "updn")
		w.routing = smtest.JobOf("updn", 2)
		w.rng = rand.New(rand.NewPCG(seed, 7))
		w.loss, w.tries = 0.1, 3
		w.stopAt = rapid.IntRange(0, 1000).Draw(t, "stop")
		for i := range w.fake.Nodes {
			if f.Nodes[i].Type != fabric.Switch {
				continue
			}
			d := &w.fake.Nodes[i]
			for b := range uint32(3) {
				var block [64]byte
				for j := range block {
					block[j] = byte(1 + w.rng.IntN(f.Nodes[i].NumPorts()))
				}
				d.LFT[b] = block
			}
			attr := rapid.SampledFrom([]mad.AttrID{
				mad.AttrLinearForwardingTable, mad.AttrLinearForwardingTable, mad.AttrSwitchInfo, mad.AttrPortInfo,
			}).Draw(t, "attribute")
			switch rapid.IntRange(0, 12).Draw(t, "fault") {
			case 0:
				d.Deaf = attr
			case 1:
				d.Deny = attr
			case 2:
				d.Forget = attr
			}
		}
		w.onSend = func(n int) {
			if n%16 == 0 {
				carried += w.fake.Carry(t)
			}
		}
		w.run()
		carried += w.fake.Carry(t)
	}, func() string {
		if carried == 0 {
			return "no packet went from switch to switch"
		}
		return ""
	})
}
