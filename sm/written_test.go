package sm

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// TestOptimizedSLtoVL: a switch that can take one SL2VL mapping for all inputs is given
// one, unless the Plan has others by input.
func TestOptimizedSLtoVL(t *testing.T) {
	for _, byInput := range []bool{false, true} {
		f := formula(t, "torus(5x5,hosts=1)")
		w := newWorld(f, Config{}, "dor")
		if byInput {
			w.alter = tellInputsApart(formula(t, "torus(5x5,hosts=1)"))
		}
		for i := range w.fake.nodes {
			mad.SwitchInfoOptimizedSLtoVL.Put(w.fake.nodes[i].sw[:], 1)
		}
		if r := w.run(); r.State != Up {
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
		all, single := 0, 0
		for i := range w.fake.nodes {
			for key := range w.fake.nodes[i].tables {
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

// tellInputsApart has a Plan name its SL2VL tables by input and output port.
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

// TestExtendedSpeeds: a Set of PortInfo carries the bit of the modifier by which a node
// that knows extended speeds takes them, and others do not get it.
func TestExtendedSpeeds(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	w := newWorld(f, Config{}, "updn")
	host, sw := find(f, fabric.CA, 3), find(f, fabric.Switch, 1)
	mad.PortInfoCapabilityMask.Put(w.fake.nodes[host].info[1][:], mad.CapIsExtendedSpeeds)
	mad.PortInfoCapabilityMask.Put(w.fake.nodes[sw].info[0][:], mad.CapIsExtendedSpeeds)
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

// TestArmedAtBothEnds: a port does not become Active while the other end of its cable is
// not Armed, also where the device would take it.
func TestArmedAtBothEnds(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	w := newWorld(f, Config{}, "updn")
	host := find(f, fabric.CA, 5)
	leaf := f.Peer(fabric.End{Node: host, Port: 1})
	w.fake.nodes[host].deny = mad.AttrPortInfo
	w.fake.nodes[leaf.Node].eager = true
	r := w.run()
	if state := mad.PortInfoPortState.Get(w.fake.nodes[leaf.Node].info[leaf.Port][:]); state != mad.PortArmed {
		t.Errorf("%s is in state %d", f.EndName(leaf), state)
	}
	if r.State != UpInPart || r.Written.Active != 2*r.Found.Links-2 || !slices.ContainsFunc(r.Incidents, func(i Incident) bool {
		return i.Kind == NotTaken && strings.Contains(i.Text, "stays Armed") && i.At.Node == f.Nodes[leaf.Node].GUID && i.At.Port == int(leaf.Port)
	}) {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestPortNotTaken: a port that answers a Set with something else than it was told is read,
// and named when it really has something else.
func TestPortNotTaken(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	sw, host := find(f, fabric.Switch, 1), find(f, fabric.CA, 5)
	odd := func(change func(data []byte)) func(mad.AttrID, uint32, *[64]byte) {
		return func(attr mad.AttrID, mod uint32, data *[64]byte) {
			if attr == mad.AttrPortInfo && uint8(mod) <= 1 {
				change(data[:])
			}
		}
	}
	for name, fault := range map[string]func(w *world){
		"another LID of a switch": func(w *world) {
			w.fake.nodes[sw].bend = odd(func(b []byte) { mad.PortInfoLID.Put(b, mad.PortInfoLID.Get(b)+100) })
		},
		"another LID of a host": func(w *world) {
			w.fake.nodes[host].bend = odd(func(b []byte) { mad.PortInfoLID.Put(b, mad.PortInfoLID.Get(b)+100) })
		},
		"another LMC": func(w *world) {
			w.fake.nodes[host].bend = odd(func(b []byte) { mad.PortInfoLMC.Put(b, 3) })
		},
		"the old state": func(w *world) {
			w.fake.nodes[host].bend = odd(func(b []byte) { mad.PortInfoPortState.Put(b, mad.PortNoChange) })
		},
		"Armed for ever": func(w *world) {
			w.fake.nodes[host].bend = odd(func(b []byte) {
				if mad.PortInfoPortState.Get(b) == mad.PortActive {
					mad.PortInfoPortState.Put(b, mad.PortNoChange)
				}
			})
		},
	} {
		w := newWorld(f, Config{}, "updn")
		fault(w)
		r := w.run()
		if i := r.Find(NotTaken); r.State != UpInPart || i == nil || !strings.Contains(i.Text, "does not take what it is told") {
			t.Errorf("%s: %s: %v", name, r.State, r.Incidents)
		}
	}
}

// TestTopLID: the entry of the highest LID counts like all others, in a block that is read
// and in one that was written.
func TestTopLID(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	first := newWorld(f, Config{}, "updn")
	first.run()
	top := uint32(first.core.plan.Ends.Top())
	sw := find(f, fabric.Switch, 1)
	w := newWorld(f, Config{}, "updn")
	w.fake = first.fake
	held := w.fake.nodes[sw].lft[top/64]
	held[top%64] ^= 3
	w.fake.nodes[sw].lft[top/64] = held
	if r := w.run(); r.State != Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
	w = newWorld(f, Config{}, "updn")
	w.fake.nodes[sw].bend = func(attr mad.AttrID, mod uint32, data *[64]byte) {
		if attr == mad.AttrLinearForwardingTable && mod == top/64 {
			data[top%64] ^= 3
		}
	}
	if r := w.run(); r.State != UpInPart || r.Find(NotTaken) == nil || r.Find(KeptClosed) == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestDeadAtTheEnd: a switch that answers no more when all is written keeps the subnet
// from being up.
func TestDeadAtTheEnd(t *testing.T) {
	f := formula(t, "rlft(4,2)")
	w := newWorld(f, Config{}, "updn")
	w.onSend = func(int) {
		if w.core.phase == verifying {
			w.fake.nodes[find(f, fabric.Switch, 3)].silent = true
		}
	}
	if r := w.run(); r.State != UpInPart || r.Find(NoAnswer) == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}

// TestBlocksAboveTheTop: what a switch holds above its LinearFDBTop is not defined. Blocks
// there are written unread, those below are read and left as they are.
func TestBlocksAboveTheTop(t *testing.T) {
	first := newWorld(formula(t, "rlft(8,3)"), Config{}, "updn")
	if r := first.run(); r.State != Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w := newWorld(first.core.fabric, Config{}, "updn")
	w.fake = first.fake
	const top = 70 // in block 1
	for i := range w.fake.nodes {
		mad.SwitchInfoLinearFDBTop.Put(w.fake.nodes[i].sw[:], top)
	}
	if r := w.run(); r.State != Up || r.LIDs.Kept != r.LIDs.Total || r.Written.Tables != r.Found.Switches {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	count := map[string]int{}
	for _, line := range w.log {
		if words := strings.Fields(line); len(words) > 2 && words[1] == "LinearForwardingTable" {
			count[words[0]+" "+words[2]]++
		}
	}
	n := w.core.graph.NumSwitches
	want := map[string]int{"Get 0": n, "Get 1": n, "Set 2": n, "Set 3": n}
	if !maps.Equal(count, want) {
		t.Errorf("%d switches, blocks %v", n, count)
	}
}

// TestFewerLanes: lane tables that were written more than once count no more when the next Plan has one lane, which writes none: the sweeps
// after it find nothing.
func TestFewerLanes(t *testing.T) {
	v := staying(t, "torus(5x5,hosts=1)", emulator.Options{}, Config{})
	v.reconfigure("dor", 0, UsualWatch)
	v.runUntil(v.now + 3*time.Second)
	c := v.manager.inForce
	if c.plan.VLs < 2 {
		t.Fatalf("%d lanes", c.plan.VLs)
	}
	for slot := range int32(len(c.owner)) {
		if !c.isSwitch(slot) && c.prog.end[slot] >= 0 {
			c.rewritten = append(c.rewritten, makeTag(setSL2VL, slot, 0))
		}
	}
	v.reconfigure("updn", 0, UsualWatch)
	v.runUntil(v.now + 3*time.Second)
	if n := v.manager.inForce.plan.VLs; n != 1 {
		t.Fatalf("%d lanes after it", n)
	}
	rounds := v.told(RoundBegun)
	v.runUntil(v.now + 3*UsualWatch.Interval)
	if n := v.told(RoundBegun); n != rounds {
		t.Errorf("%d rounds, then %d: %v", rounds, n, v.entries)
	}
}
