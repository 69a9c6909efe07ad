package round

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestTwins: two CAs with one GUID, each cabled at the port that the other does not use, look like
// one CA with two ports. Only the rest of NodeInfo distinguishes them.
func TestTwins(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)|ports(2)")
	a, b := smtest.Find(f, fabric.CA, 3), smtest.Find(f, fabric.CA, 5)
	f.Nodes[a].SystemGUID, f.Nodes[b].SystemGUID = 0x77, 0x78
	f.Links[f.Nodes[a].Ports[2].Link].Down, f.Links[f.Nodes[b].Ports[1].Link].Down = true, true
	w := newWorld(f, terms.Config{}, "updn")
	w.fake.Nodes[b].GUID = f.Nodes[a].GUID
	if r := w.run(); r.State != terms.UpInPart || r.Find(terms.DuplicateGUID) == nil || r.Found.CAs != 15 {
		t.Errorf("%s with %d CAs: %v", r.State, r.Found.CAs, r.Incidents)
	}
}

// TestTwinSwitches: of two switches with one GUID, all cables found belong to the same one.
func TestTwinSwitches(t *testing.T) {
	for seed := range uint64(20) {
		f := smtest.Formula(t, "rlft(8,2)")
		w := newWorld(f, terms.Config{ReadOnly: true}, "updn")
		w.rng = rand.New(rand.NewPCG(seed, 1))
		a, b := smtest.Find(f, fabric.Switch, 9), smtest.Find(f, fabric.Switch, 10)
		w.fake.Nodes[b].GUID = f.Nodes[a].GUID
		f.Nodes[b].SystemGUID = f.Nodes[a].SystemGUID
		w.run()
		got := w.core.Result().Fabric()
		twin, _ := got.NodeByGUID(f.Nodes[a].GUID)
		physical := map[fabric.NodeID]int{}
		for p := range got.Nodes[twin].Ports {
			if got.Nodes[twin].Ports[p].Link == fabric.NoLink {
				continue
			}
			e := got.Peer(fabric.End{Node: twin, Port: uint8(p)})
			id, _ := f.NodeByGUID(got.Nodes[e.Node].GUID)
			physical[f.Peer(fabric.End{Node: id, Port: e.Port}).Node]++
		}
		if len(physical) != 1 {
			t.Errorf("seed %d: cables of nodes %v", seed, physical)
		}
	}
}

// TestPortZeroReached: no cable ends in port 0; a node that says so is left out.
func TestPortZeroReached(t *testing.T) {
	for _, typ := range []fabric.NodeType{fabric.CA, fabric.Switch} {
		f := smtest.Formula(t, "rlft(4,2)")
		w := newWorld(f, terms.Config{}, "updn")
		w.fake.Nodes[smtest.Find(f, typ, 5)].Lies = true
		if r := w.run(); r.State != terms.UpInPart || r.Find(terms.BadNode) == nil || r.Found.CAs+r.Found.Switches != len(f.Nodes)-1 {
			t.Errorf("%s: %s: %v", typ, r.State, r.Incidents)
		}
	}
}

// TestRoleOfOthers: an answer to SwitchRole without the signature gives no role.
func TestRoleOfOthers(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	w := newWorld(f, terms.Config{AskRoles: true}, "updn")
	want := map[fabric.GUID]fabric.Role{}
	for n, signature := range []uint64{mad.SwitchRoleMagic, mad.SwitchRoleMagic + 1} {
		id := smtest.Find(f, fabric.Switch, n)
		var data [64]byte
		mad.SwitchRoleSignature.Put(data[:], signature)
		mad.SwitchRoleRole.Put(data[:], uint64(fabric.RoleRoot))
		w.fake.Nodes[id].Tables[[2]uint32{uint32(mad.AttrSwitchRole), 0}] = data
		want[f.Nodes[id].GUID] = []fabric.Role{fabric.RoleRoot, fabric.NoRole}[n]
	}
	w.run()
	for guid, role := range want {
		if id, _ := w.core.Result().Fabric().NodeByGUID(guid); w.core.Result().Fabric().Nodes[id].Role != role {
			t.Errorf("%s is %s, want %s", guid, w.core.Result().Fabric().Nodes[id].Role, role)
		}
	}
}

// TestSaidOnce: a fault found by two sweeps is one incident.
func TestSaidOnce(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	first := newWorld(f, terms.Config{}, "updn")
	first.run()
	w := newWorld(f, terms.Config{}, "updn")
	w.fake = first.fake
	mad.SwitchInfoPortStateChange.Put(w.fake.Nodes[smtest.Find(f, fabric.Switch, 1)].Sw[:], 1)
	w.fake.Nodes[smtest.Find(f, fabric.CA, 5)].Silent = true
	if r := w.run(); r.Sweeps != 2 || len(r.Incidents) != 1 || r.State != terms.UpInPart {
		t.Errorf("%s after %d sweeps: %v", r.State, r.Sweeps, r.Incidents)
	}
}

// TestQuietMove: cables between switches change places during the sweep, and no switch reports a
// changed port. Because the ends of the cables disagree, the round sweeps again and finds the new
// cabling.
func TestQuietMove(t *testing.T) {
	total := newWorld(smtest.Formula(t, "rlft(4,2)"), terms.Config{ReadOnly: true}, "updn")
	total.run()
	noticed := 0
	for at := 1; at <= total.n; at++ {
		f := smtest.Formula(t, "rlft(4,2)")
		w := newWorld(f, terms.Config{ReadOnly: true}, "updn")
		w.onSend = func(n int) {
			if n == at {
				swapSpines(f)
			}
		}
		r := w.run()
		if r.Find(terms.MovedCable) == nil {
			continue
		}
		noticed++
		if r.Sweeps < 2 {
			t.Errorf("moved at %d: %d sweeps: %v", at, r.Sweeps, r.Incidents)
		}
		smtest.Same(t, f, w.core.Result().Fabric())
	}
	if noticed == 0 {
		t.Error("nothing was ever noticed")
	}
}

// swapSpines exchanges the far ends of the two cables up of a leaf.
func swapSpines(f *fabric.Fabric) {
	leaf := smtest.Find(f, fabric.Switch, 1)
	a, b := f.Nodes[leaf].Ports[3].Link, f.Nodes[leaf].Ports[4].Link
	far := func(id fabric.LinkID) *fabric.End {
		if f.Links[id].A.Node == leaf {
			return &f.Links[id].B
		}
		return &f.Links[id].A
	}
	x, y := far(a), far(b)
	*x, *y = *y, *x
	f.Nodes[x.Node].Ports[x.Port].Link, f.Nodes[y.Node].Ports[y.Port].Link = a, b
}

// TestFewerPorts: a CA reached by a port beyond its reported number of ports is reported, and comes
// up.
func TestFewerPorts(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)|ports(2)")
	host := smtest.Find(f, fabric.CA, 3)
	f.Links[f.Nodes[host].Ports[1].Link].Down = true
	w := newWorld(f, terms.Config{}, "updn")
	w.fake.Nodes[host].Ports = 1
	if r := w.run(); r.State != terms.Up || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.BadPortCount}) {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
}
