package round

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestOptimizedSLtoVL: a switch that supports one SL2VL mapping for all inputs gets one, unless the
// Plan's mappings differ by input.
func TestOptimizedSLtoVL(t *testing.T) {
	for _, byInput := range []bool{false, true} {
		f := smtest.Formula(t, "torus(5x5,hosts=1)")
		w := newWorld(f, terms.Config{}, "dor")
		if byInput {
			w.alter = tellInputsApart(smtest.Formula(t, "torus(5x5,hosts=1)"))
		}
		for i := range w.fake.Nodes {
			mad.SwitchInfoOptimizedSLtoVL.Put(w.fake.Nodes[i].Sw[:], 1)
		}
		if r := w.run(); r.State != terms.Up {
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
		all, single := 0, 0
		for i := range w.fake.Nodes {
			for key := range w.fake.Nodes[i].Tables {
				switch {
				case f.Nodes[i].Type != fabric.Switch || mad.AttrID(key[0]) != mad.AttrSLtoVLMappingTable:
				case key[1]&mad.SLtoVLAllInputs != 0:
					all++
				default:
					single++
				}
			}
		}
		if (all > 0) == byInput || (single > 0) != byInput {
			t.Errorf("by input %v: %d mappings for all inputs, %d for one", byInput, all, single)
		}
	}
}

// tellInputsApart makes the SL2VL tables of a Plan depend on input and output port.
func tellInputsApart(f *fabric.Fabric) func(*route.Plan) {
	g := f.Compile()
	return func(p *route.Plan) {
		for s := range p.SL2VL.Switch {
			ports := int(g.SwitchPorts[s]) + 1
			var index []uint16
			for in := range ports {
				for out := range ports {
					index = append(index, p.SL2VL.Index(g, int32(s), uint8(in), uint8(out)))
				}
			}
			p.SL2VL.Switch[s] = route.SwitchSL2VL{By: route.ByInOut, Index: index}
		}
	}
}

// TestExtendedSpeeds: a Set of PortInfo carries the extended-speeds bit of the modifier for nodes
// that support it, and for no others.
func TestExtendedSpeeds(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{}, "updn")
	host, sw := smtest.Find(f, fabric.CA, 3), smtest.Find(f, fabric.Switch, 1)
	mad.PortInfoCapabilityMask.Put(w.fake.Nodes[host].Info[1][:], mad.CapIsExtendedSpeeds)
	mad.PortInfoCapabilityMask.Put(w.fake.Nodes[sw].Info[0][:], mad.CapIsExtendedSpeeds)
	w.run()
	with, without := 0, 0
	for _, line := range w.log {
		if strings.HasPrefix(line, "Set PortInfo 8") {
			with++
		} else if strings.HasPrefix(line, "Set PortInfo ") {
			without++
		}
	}
	// To Armed and to Active, of the host's port and the four of the switch; port 0 once.
	if with != 2*(1+4)+1 || without == 0 {
		t.Errorf("%d Sets of PortInfo for extended speeds, %d without", with, without)
	}
}

// TestArmedAtBothEnds: a port does not become Active before the other end of its cable is Armed,
// even if the device would allow it.
func TestArmedAtBothEnds(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{}, "updn")
	host := smtest.Find(f, fabric.CA, 5)
	leaf := f.Peer(fabric.End{Node: host, Port: 1})
	w.fake.Nodes[host].Deny = mad.AttrPortInfo
	w.fake.Nodes[leaf.Node].Eager = true
	r := w.run()
	if state := mad.PortInfoPortState.Get(w.fake.Nodes[leaf.Node].Info[leaf.Port][:]); state != mad.PortArmed {
		t.Errorf("%s is in state %d", f.EndName(leaf), state)
	}
	if r.State != terms.UpInPart || r.Written.Active != 2*r.Found.Links-2 || !slices.ContainsFunc(r.Incidents, func(i terms.Incident) bool {
		return i.Kind == terms.NotTaken && strings.Contains(i.Text, "stays Armed") && i.At.Node == f.Nodes[leaf.Node].GUID && i.At.Port == int(leaf.Port)
	}) {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestPortNotTaken: a port whose answer to a Set differs is read, and reported only if it really
// holds other values.
func TestPortNotTaken(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	sw, host := smtest.Find(f, fabric.Switch, 1), smtest.Find(f, fabric.CA, 5)
	odd := func(change func(data []byte)) func(mad.AttrID, uint32, *[64]byte) {
		return func(attr mad.AttrID, mod uint32, data *[64]byte) {
			if attr == mad.AttrPortInfo && uint8(mod) <= 1 {
				change(data[:])
			}
		}
	}
	for name, fault := range map[string]func(w *world){
		"another LID of a switch": func(w *world) {
			w.fake.Nodes[sw].Bend = odd(func(b []byte) { mad.PortInfoLID.Put(b, mad.PortInfoLID.Get(b)+100) })
		},
		"another LID of a host": func(w *world) {
			w.fake.Nodes[host].Bend = odd(func(b []byte) { mad.PortInfoLID.Put(b, mad.PortInfoLID.Get(b)+100) })
		},
		"another LMC": func(w *world) {
			w.fake.Nodes[host].Bend = odd(func(b []byte) { mad.PortInfoLMC.Put(b, 3) })
		},
		"the old state": func(w *world) {
			w.fake.Nodes[host].Bend = odd(func(b []byte) { mad.PortInfoPortState.Put(b, mad.PortNoChange) })
		},
		"Armed for ever": func(w *world) {
			w.fake.Nodes[host].Bend = odd(func(b []byte) {
				if mad.PortInfoPortState.Get(b) == mad.PortActive {
					mad.PortInfoPortState.Put(b, mad.PortNoChange)
				}
			})
		},
	} {
		w := newWorld(f, terms.Config{}, "updn")
		fault(w)
		r := w.run()
		if i := r.Find(terms.NotTaken); r.State != terms.UpInPart || i == nil || !strings.Contains(i.Text, "does not take what it is told") {
			t.Errorf("%s: %s: %v", name, r.State, r.Incidents)
		}
	}
}

// TestTopLID: the entry of the highest LID is compared like all others, in a block that was read
// and in one that was written.
func TestTopLID(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	first := newWorld(f, terms.Config{}, "updn")
	first.run()
	top := uint32(first.core.Plan.Ends.Top())
	sw := smtest.Find(f, fabric.Switch, 1)
	w := newWorld(f, terms.Config{}, "updn")
	w.fake = first.fake
	held := w.fake.Nodes[sw].LFT[top/64]
	held[top%64] ^= 3
	w.fake.Nodes[sw].LFT[top/64] = held
	if r := w.run(); r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
	w = newWorld(f, terms.Config{}, "updn")
	w.fake.Nodes[sw].Bend = func(attr mad.AttrID, mod uint32, data *[64]byte) {
		if attr == mad.AttrLinearForwardingTable && mod == top/64 {
			data[top%64] ^= 3
		}
	}
	if r := w.run(); r.State != terms.UpInPart || r.Find(terms.NotTaken) == nil || r.Find(terms.KeptClosed) == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestDeadAtTheEnd: a switch that falls silent after all writes keeps the subnet from being up.
func TestDeadAtTheEnd(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{}, "updn")
	w.onSend = func(int) {
		if w.core.phase == verifying {
			w.fake.Nodes[smtest.Find(f, fabric.Switch, 3)].Silent = true
		}
	}
	if r := w.run(); r.State != terms.UpInPart || r.Find(terms.NoAnswer) == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestBlocksAboveTheTop: the table of a switch above its LinearFDBTop is undefined. Blocks there
// are written unread; blocks below are read, and left alone if equal.
func TestBlocksAboveTheTop(t *testing.T) {
	first := newWorld(smtest.Formula(t, "rlft(8,3)"), terms.Config{}, "updn")
	if r := first.run(); r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w := newWorld(first.core.Fabric, terms.Config{}, "updn")
	w.fake = first.fake
	const top = 70 // in block 1
	for i := range w.fake.Nodes {
		mad.SwitchInfoLinearFDBTop.Put(w.fake.Nodes[i].Sw[:], top)
	}
	if r := w.run(); r.State != terms.Up || r.LIDs.Kept != r.LIDs.Total || r.Written.Tables != r.Found.Switches {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	count := map[string]int{}
	for _, line := range w.log {
		if words := strings.Fields(line); len(words) > 2 && words[1] == "LinearForwardingTable" {
			count[words[0]+" "+words[2]]++
		}
	}
	n := w.core.Graph.NumSwitches
	want := map[string]int{"Get 0": n, "Get 1": n, "Set 2": n, "Set 3": n}
	if !maps.Equal(count, want) {
		t.Errorf("%d switches, blocks %v", n, count)
	}
}
