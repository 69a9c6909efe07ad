package round

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// kindsOf lists the kinds of incidents, each once.
func kindsOf(r *terms.Report) []terms.IncidentKind {
	var out []terms.IncidentKind
	for _, i := range r.Incidents {
		if !slices.Contains(out, i.Kind) {
			out = append(out, i.Kind)
		}
	}
	return out
}

// TestIncidents: each fault is reported as an incident, and the rest comes up.
func TestIncidents(t *testing.T) {
	spine := func(f *fabric.Fabric) fabric.NodeID {
		return f.Peer(fabric.End{Node: smtest.Find(f, fabric.Switch, 0), Port: 8}).Node
	}
	for _, c := range []struct {
		name    string
		fault   func(w *world)
		want    []terms.IncidentKind
		missing int  // nodes that are not found
		lost    bool // links are not found
	}{
		{"silent switch", func(w *world) { w.fake.Nodes[spine(w.fake.F)].Silent = true }, []terms.IncidentKind{terms.NoAnswer}, 1, false},
		{"silent CA", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].Silent = true }, []terms.IncidentKind{terms.NoAnswer}, 1, false},
		{
			"CA without PortInfo", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].Deaf = mad.AttrPortInfo },
			[]terms.IncidentKind{terms.NoAnswer, terms.OneSided, terms.CutOff},
			1, false,
		},
		{
			"CA that says it has no ports", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].Ports = 0 },
			[]terms.IncidentKind{terms.BadPortCount, terms.NoAnswer},
			0, false,
		},
		{"CA that says it has 200 ports", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].Ports = 200 }, nil, 0, false},
		{
			"CA that says it has 255 ports", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].Ports = 255 },
			[]terms.IncidentKind{terms.BadPortCount},
			0, false,
		},
		{
			"switch that says it has 4 ports", func(w *world) { w.fake.Nodes[spine(w.fake.F)].Ports = 4 },
			[]terms.IncidentKind{terms.BadPortCount},
			0, true,
		},
		{"two CAs with one GUID", func(w *world) {
			w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].GUID = w.fake.F.Nodes[smtest.Find(w.fake.F, fabric.CA, 20)].GUID
		}, []terms.IncidentKind{terms.DuplicateGUID}, 1, false},
		{"two switches with one GUID", func(w *world) {
			f := w.fake.F
			w.fake.Nodes[f.Peer(fabric.End{Node: smtest.Find(f, fabric.Switch, 0), Port: 7}).Node].GUID = f.Nodes[spine(f)].GUID
		}, []terms.IncidentKind{terms.DuplicateGUID}, 1, false},
		{"CA with the GUID of a switch", func(w *world) {
			w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].GUID = w.fake.F.Nodes[spine(w.fake.F)].GUID
		}, []terms.IncidentKind{terms.DuplicateGUID}, 1, false},
		{"node GUID 0", func(w *world) { w.fake.Nodes[smtest.Find(w.fake.F, fabric.CA, 9)].GUID = 0 }, []terms.IncidentKind{terms.BadNode}, 1, false},
		{"our own port does not answer", func(w *world) { w.fake.Nodes[w.fake.At.Node].Silent = true }, []terms.IncidentKind{terms.NoAnswer}, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := smtest.Formula(t, "rlft(8,2)")
			w := newWorld(f, terms.Config{}, "updn")
			c.fault(w)
			r := w.run()
			for _, k := range kindsOf(r) {
				if !slices.Contains(c.want, k) {
					t.Errorf("incident %s: %s", k, r.Find(k).Text)
				}
			}
			if len(c.want) > 0 && r.Find(c.want[0]) == nil {
				t.Errorf("incidents %v, want %v", kindsOf(r), c.want)
			}
			if c.missing < 0 {
				if r.State != terms.Failed {
					t.Errorf("state %s", r.State)
				}
				return
			}
			if want := map[bool]terms.State{false: terms.Up, true: terms.UpInPart}[c.lost || c.missing > 0]; r.State != want {
				t.Fatalf("state %s, want %s: %v", r.State, want, r.Incidents)
			}
			if got := len(f.Nodes) - r.Found.Switches - r.Found.CAs; got != c.missing {
				t.Errorf("%d nodes are missing, want %d: %v", got, c.missing, r.Incidents)
			}
			if c.name[:4] != "two " { // verify finds nodes by GUID
				w.verify(t)
			}
		})
	}
}

// TestCables: cables that lead back to their node, and a cable moved during the sweep.
func TestCables(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)|fail(links=2,seed=1)")
	free := freePorts(f)
	if len(free) < 2 {
		t.Fatal("no free ports")
	}
	a := f.Clone()
	sw := free[0].Node
	var own []fabric.End
	b := fabric.New("own cable")
	for i := range a.Nodes {
		n := &a.Nodes[i]
		ports := n.NumPorts()
		if fabric.NodeID(i) == sw {
			ports += 2
			own = []fabric.End{{Node: sw, Port: uint8(ports - 1)}, {Node: sw, Port: uint8(ports)}}
		}
		if _, err := b.AddNode(n.Type, n.GUID, ports, n.Desc); err != nil {
			t.Fatal(err)
		}
		for p := range n.Ports {
			b.Nodes[i].Ports[p].GUID = n.Ports[p].GUID
		}
	}
	for _, l := range a.Links {
		if !l.Down {
			if _, err := b.Connect(l.A, l.B, l.Width, l.Speed); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := b.Connect(own[0], own[1], 4, fabric.QDR); err != nil {
		t.Fatal(err)
	}
	w := newWorld(b, terms.Config{}, "updn")
	r := w.run()
	if r.State != terms.Up || !slices.Equal(kindsOf(r), []terms.IncidentKind{terms.OwnCable}) {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
	smtest.Same(t, b, w.core.Result().Fabric())
}

// freePorts returns the switch ports whose cable is down.
func freePorts(f *fabric.Fabric) []fabric.End {
	var out []fabric.End
	for i := range f.Links {
		if f.Links[i].Down {
			out = append(out, f.Links[i].A, f.Links[i].B)
		}
	}
	return out
}

// TestMovedCable: at any moment of discovery, a host's cable moves to another port. The fabric
// found is the final one, and the report says that a cable moved.
func TestMovedCable(t *testing.T) {
	total := 0
	{
		w := newWorld(smtest.Formula(t, "rlft(8,2)"), terms.Config{ReadOnly: true}, "updn")
		w.run()
		total = w.n
	}
	noticed := 0
	for at := 1; at <= total; at += 7 {
		f := smtest.Formula(t, "rlft(8,2)")
		w := newWorld(f, terms.Config{}, "updn")
		host := smtest.Find(f, fabric.CA, 17)
		was := f.Nodes[host].Ports[1].Link
		w.onSend = func(n int) {
			if n == at {
				swap(w.fake, was, f.Nodes[smtest.Find(f, fabric.CA, 30)].Ports[1].Link)
			}
		}
		r := w.run()
		if r.State != terms.Up {
			t.Fatalf("moved at %d: %s: %v", at, r.State, r.Incidents)
		}
		if len(r.Incidents) > 0 {
			noticed++
		}
		w.verify(t)
		smtest.Same(t, f, w.core.Result().Fabric())
	}
	if noticed == 0 {
		t.Error("nothing was ever noticed")
	}
}

// swap exchanges the CA ends of two cables, as by hand: both links go down and come up again in
// Init.
func swap(s *smtest.Fake, a, b fabric.LinkID) {
	f := s.F
	la, lb := &f.Links[a], &f.Links[b]
	ca := func(l *fabric.Link) *fabric.End {
		if f.Nodes[l.A.Node].Type == fabric.CA {
			return &l.A
		}
		return &l.B
	}
	*ca(la), *ca(lb) = *ca(lb), *ca(la)
	for id, l := range map[fabric.LinkID]*fabric.Link{a: la, b: lb} {
		for _, e := range []fabric.End{l.A, l.B} {
			f.Nodes[e.Node].Ports[e.Port].Link = id
			mad.PortInfoPortState.Put(s.Nodes[e.Node].Info[e.Port][:], mad.PortInit)
			if f.Nodes[e.Node].Type == fabric.Switch {
				mad.SwitchInfoPortStateChange.Put(s.Nodes[e.Node].Sw[:], 1)
			}
		}
	}
}

// TestStop: whenever the round is stopped, the report names the Sets sent without an
// acknowledgement and every half-written switch.
func TestStop(t *testing.T) {
	f := smtest.Formula(t, "rlft(8,2)")
	w := newWorld(f, terms.Config{}, "updn")
	w.routing = smtest.JobOf("updn", 3) // several blocks a switch
	w.run()
	total := w.n
	half := 0
	for at := 1; at < total; at += 5 {
		w := newWorld(f, terms.Config{}, "updn")
		w.routing = smtest.JobOf("updn", 3)
		w.stopAt = at
		w.onSend = func(int) {
			if w.core.Result().Plan() != nil {
				w.loss, w.tries = 0.3, 2 // some Sets are lost, and some answers
			}
		}
		r := w.run()
		if w.n >= at && r.State != terms.Interrupted {
			t.Fatalf("stopped at %d of %d: %s", at, total, r.State)
		}
		half += checkHalfWritten(t, w, r)
	}
	if half == 0 {
		t.Error("no table was ever half written")
	}
}

// checkHalfWritten compares the blocks that switches hold with what was reported.
func checkHalfWritten(t *testing.T, w *world, r *terms.Report) (half int) {
	t.Helper()
	if w.core.Result().Plan() == nil {
		return 0
	}
	for s, guid := range w.core.Graph.SwitchGUID {
		id, _ := w.fake.F.NodeByGUID(guid)
		held := len(w.fake.Nodes[id].LFT)
		all := int(w.core.Result().Plan().Ends.Top())/route.BlockSize + 1
		if held == 0 || held == all {
			continue
		}
		half++
		name := w.core.NodeName(w.core.ByGUID[guid])
		if !slices.ContainsFunc(r.Incidents, func(i terms.Incident) bool {
			return i.Kind == terms.HalfWritten && len(i.Text) > len(name) && i.Text[:len(name)] == name
		}) {
			t.Errorf("switch %d, %s, holds %d of %d blocks, and that is not said", s, name, held, all)
		}
	}
	return half
}
