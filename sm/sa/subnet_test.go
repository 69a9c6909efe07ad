package sa

import (
	"context"
	"math/rand/v2"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/wire/mad"
)

// fataler is what testing and rapid have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

const testKey = 0x1234

// routed routes a fabric.
func routed(t fataler, f *fabric.Fabric, name string, lmc uint8) (*fabric.Graph, *route.Plan) {
	t.Helper()
	chain, err := engine.Parse(name, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	g := f.Compile()
	r, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain, LIDs: lids.Options{LMC: lmc}, Workers: 1, Seed: 1})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return g, r.Plan
}

// subnetOf makes a Subnet of a fabric whose ports are Active, with MTUs and speeds by chance. Every
// eighth port has said nothing.
func subnetOf(t fataler, formula, engine string, lmc uint8, seed uint64) *Subnet {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatalf("%v", err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range f.Links {
		f.Links[i].Width = []fabric.Width{1, 4, 12}[rng.IntN(3)]
	}
	g, plan := routed(t, f, engine, lmc)
	return fill(f, g, plan, rng)
}

// fill makes the records of a Subnet.
func fill(f *fabric.Fabric, g *fabric.Graph, plan *route.Plan, rng *rand.Rand) *Subnet {
	s := Subnet{Graph: g, Plan: plan, SMKey: testKey, Timeout: 18}
	ends := map[fabric.End]int32{}
	for e := range int32(g.NumEnds) {
		id, _ := f.NodeByGUID(g.EndNodeGUID[e])
		ends[fabric.End{Node: id, Port: g.EndNum[e]}] = e
	}
	switches := map[fabric.GUID]int32{}
	for sw, guid := range g.SwitchGUID {
		switches[guid] = int32(sw)
	}
	first := make([]int32, len(f.Nodes)+1)
	for i := range f.Nodes {
		first[i+1] = first[i] + int32(len(f.Nodes[i].Ports))
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		d := Node{Desc: n.Desc, First: first[i], Num: uint8(n.NumPorts()), Sw: -1}
		mad.NodeInfoNodeType.Put(d.Info[:], uint64(n.Type))
		mad.NodeInfoNodeGUID.Put(d.Info[:], uint64(n.GUID))
		mad.NodeInfoNumPorts.Put(d.Info[:], uint64(n.NumPorts()))
		mad.NodeInfoLocalPortNum.Put(d.Info[:], 1)
		if sw, ok := switches[n.GUID]; ok {
			d.Sw, d.Switch = sw, make([]byte, 20)
			mad.SwitchInfoLinearFDBTop.Put(d.Switch, uint64(plan.Ends.Top()))
		}
		for p := range n.Ports {
			at := fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
			x := Port{Known: rng.IntN(8) > 0 || d.Sw < 0, GUID: n.Ports[p].GUID, Node: int32(i), Num: uint8(p), Peer: -1, End: -1}
			if e, ok := ends[at]; ok {
				x.End, x.GUID = e, g.EndGUID[e]
				x.PKeys = make([]uint16, rng.IntN(100)+3)
				x.PKeys[rng.IntN(3)] = mad.DefaultPKey
			}
			fillPort(&x, f, n.Ports[p].Link, rng)
			if l := n.Ports[p].Link; l != fabric.NoLink {
				peer := f.Peer(at)
				x.Peer = first[peer.Node] + int32(peer.Port)
			}
			s.Ports = append(s.Ports, x)
		}
		s.Nodes = append(s.Nodes, d)
	}
	s.Managers = []Manager{{End: 0, SMKey: testKey, ActCount: 77, Priority: 5, State: mad.SMStateMaster}, {End: -1}, {End: int32(g.NumEnds) - 1, State: mad.SMStateStandby}}
	return New(s)
}

// fillPort makes a PortInfo.
func fillPort(x *Port, f *fabric.Fabric, link fabric.LinkID, rng *rand.Rand) {
	b := x.Info[:]
	mad.PortInfoMKey.Put(b, 0xABCD)
	mad.PortInfoLocalPortNum.Put(b, uint64(x.Num))
	mad.PortInfoCapabilityMask.Put(b, uint64(rng.Uint32()))
	mad.PortInfoMTUCap.Put(b, 5)
	mad.PortInfoNeighborMTU.Put(b, uint64(rng.IntN(5)+1))
	mad.PortInfoVLCap.Put(b, 4)
	mad.PortInfoVLArbLowCap.Put(b, 8)
	mad.PortInfoVLArbHighCap.Put(b, 8)
	mad.PortInfoGUIDCap.Put(b, uint64(rng.IntN(20)))
	mad.PortInfoPortState.Put(b, mad.PortActive)
	if link == fabric.NoLink {
		mad.PortInfoPortState.Put(b, mad.PortDown)
		return
	}
	mad.PortInfoWidthActive.Put(b, map[fabric.Width]uint64{1: 1, 4: 2, 12: 8}[f.Links[link].Width])
	mad.PortInfoSpeedExtActive.Put(b, 2)
}

// ask makes a query.
func ask(method mad.Method, attr mad.AttrID, mask uint64, rec []byte) mad.Datagram {
	q, err := mad.Request{Method: method, Attr: attr, TID: 0x1122334455667788, Key: testKey}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		panic(err)
	}
	copy(q.Data(), rec)
	return q
}

// recordsOf takes the records out of an answer.
func recordsOf(t fataler, a mad.Datagram) (records [][]byte) {
	t.Helper()
	if err := mad.Check(a); err != nil || a.Status() != mad.StatusOK {
		t.Fatalf("answer: %v (%v)", a, err)
	}
	size := int(mad.SAHeaderAttributeOffset.Get(a)) * 8
	data := a.Data()
	if a.Method() == mad.GetResp {
		return [][]byte{data[:size]}
	}
	if len(data)%size != 0 {
		t.Fatalf("%d bytes of records of %d", len(data), size)
	}
	for ; len(data) > 0; data = data[size:] {
		records = append(records, data[:size])
	}
	return records
}

// fabrics are those that tests draw from, with the engine and LMC.
var fabrics = []struct {
	formula, engine string
	lmc             uint8
}{
	{"rlft(4,2)", "minhop", 0},
	{"rlft(4,2)", "updn", 2},
	{"torus(3x3,hosts=1)", "dor", 1},
	{"torus(4x4,hosts=1)", "dfsssp", 0},
	{"random(switches=8,hosts=2,links=14,seed=1)", "nue", 0},
	{"torus(5x5,hosts=2)", "dfsssp", 0},
}
