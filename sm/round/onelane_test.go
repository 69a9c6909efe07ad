package round

import (
	"testing"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// dropsAll is an SL2VL table by which no packet passes.
func dropsAll() (data [64]byte) {
	for sl := range 16 {
		mad.SLtoVLMappingTableVL.Set(data[:], sl, 15)
	}
	return data
}

// laneSets counts the Sets of lane tables.
func (w *world) laneSets() (n int) {
	for _, by := range w.core.Result().Report.SMPs.By {
		if by.Method == mad.Set.String() && (by.Attribute == "SLtoVLMappingTable" || by.Attribute == "VLArbitrationTable") {
			n += by.Requests
		}
	}
	return n
}

// TestLanesOfPairs: a switch that is told its SL2VL tables one by one is read one by one, so that a
// single pair of ports that drops packets is found. Tables by which packets pass stay as they are.
func TestLanesOfPairs(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{}, "updn")
	w.run()
	sw := &w.fake.Nodes[smtest.Find(f, fabric.Switch, 1)]
	pair := [2]uint32{uint32(mad.AttrSLtoVLMappingTable), mad.SLtoVLModifier(2, 3)}
	passing := [2]uint32{uint32(mad.AttrSLtoVLMappingTable), mad.SLtoVLModifier(3, 1)}
	var mixed [64]byte
	mad.SLtoVLMappingTableVL.Set(mixed[:], 4, 0)
	sw.Tables[pair], sw.Tables[passing] = dropsAll(), mixed
	again := newWorld(f, terms.Config{}, "updn")
	again.fake = w.fake
	if r := again.run(); r.State != terms.Up || sw.Tables[pair] != [64]byte{} || sw.Tables[passing] != mixed {
		t.Errorf("%s, %v: from port 2 to 3 %x, from 3 to 1 %x", r.State, r.Incidents, sw.Tables[pair], sw.Tables[passing])
	}
	if n := again.laneSets(); n != 4 { // of the output: from three ports and port 0
		t.Errorf("%d lane tables are written", n)
	}
}

// TestLanesRead: what the round reads of the lane tables of a subnet that is up, and that a device
// which does not tell is written.
func TestLanesRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(n *smtest.FakeNode)
		sets   int
		state  terms.State
	}{
		{"nothing", func(*smtest.FakeNode) {}, 0, terms.Up},
		{"one VL", func(n *smtest.FakeNode) {
			n.Deaf = mad.AttrSLtoVLMappingTable
			for p := range n.Info {
				mad.PortInfoVLCap.Put(n.Info[p][:], 1)
				mad.PortInfoOperationalVLs.Put(n.Info[p][:], 1)
			}
		}, 0, terms.Up},
		{"no answer", func(n *smtest.FakeNode) { n.Deaf = mad.AttrSLtoVLMappingTable }, 4 * 4, terms.UpInPart},
		{"no table of arbitration", func(n *smtest.FakeNode) {
			for p := range n.Info {
				mad.PortInfoVLArbLowCap.Put(n.Info[p][:], 0)
				mad.PortInfoVLArbHighCap.Put(n.Info[p][:], 0)
			}
			n.Deaf = mad.AttrVLArbitrationTable
		}, 0, terms.Up},
		{"a turn at high priority only", func(n *smtest.FakeNode) {
			for port := range uint8(4) {
				n.Tables[[2]uint32{uint32(mad.AttrVLArbitrationTable), mad.VLArbModifier(mad.VLArbLowLower, port+1)}] = [64]byte{}
				high := [64]byte{}
				mad.VLArbitrationTableWeight.Set(high[:], 0, 4)
				n.Tables[[2]uint32{uint32(mad.AttrVLArbitrationTable), mad.VLArbModifier(mad.VLArbHighLower, port+1)}] = high
			}
		}, 0, terms.Up},
		{"a write that has no effect", func(n *smtest.FakeNode) {
			n.Tables[[2]uint32{uint32(mad.AttrSLtoVLMappingTable), mad.SLtoVLModifier(2, 3)}] = dropsAll()
			n.Forget = mad.AttrSLtoVLMappingTable
		}, 4, terms.UpInPart},
	} {
		f := smtest.Formula(t, "rlft(4,2)")
		w := newWorld(f, terms.Config{}, "updn")
		w.run()
		c.change(&w.fake.Nodes[smtest.Find(f, fabric.Switch, 1)])
		again := newWorld(f, terms.Config{}, "updn")
		again.fake = w.fake
		if r := again.run(); r.State != c.state || again.laneSets() != c.sets {
			t.Errorf("%s: %s, %d Sets: %v", c.name, r.State, again.laneSets(), r.Incidents)
		}
	}
}

// TestTurnOfOneVL: with several lanes a port that needs one VL gets a turn for it too, since an
// earlier manager may have left it none.
func TestTurnOfOneVL(t *testing.T) {
	f := smtest.Formula(t, "torus(5x5,hosts=1)")
	host := smtest.Find(f, fabric.CA, 7)
	w := newWorld(f, terms.Config{}, "dor")
	mad.PortInfoVLCap.Put(w.fake.Nodes[host].Info[1][:], 1)
	leaf := f.Peer(fabric.End{Node: host, Port: 1})
	key := [2]uint32{uint32(mad.AttrVLArbitrationTable), mad.VLArbModifier(mad.VLArbLowLower, leaf.Port)}
	w.fake.Nodes[leaf.Node].Tables[key] = [64]byte{}
	r := w.run()
	has := w.fake.Nodes[leaf.Node].Tables[key]
	if r.State != terms.Up || mad.VLArbitrationTableWeight.At(has[:], 0) == 0 {
		t.Errorf("%s: %x", r.State, has[:8])
	}
	for key := range w.fake.Nodes[host].Tables {
		if mad.AttrID(key[0]) != mad.AttrPKeyTable {
			t.Errorf("a table is written to a port with one VL: %x", key)
		}
	}
}
