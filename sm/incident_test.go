package sm

import (
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/route"
	"weft/wire/mad"
)

// kindsOf lists the kinds of incidents, each once.
func kindsOf(r *Report) []IncidentKind {
	var out []IncidentKind
	for _, i := range r.Incidents {
		if !slices.Contains(out, i.Kind) {
			out = append(out, i.Kind)
		}
	}
	return out
}

// find is the nth node of a type.
func find(f *fabric.Fabric, typ fabric.NodeType, n int) fabric.NodeID {
	for i := range f.Nodes {
		if f.Nodes[i].Type == typ {
			if n == 0 {
				return fabric.NodeID(i)
			}
			n--
		}
	}
	panic("no such node")
}

// TestIncidents: each fault ends in a named event, and the rest comes up.
func TestIncidents(t *testing.T) {
	spine := func(f *fabric.Fabric) fabric.NodeID {
		return f.Peer(fabric.End{Node: find(f, fabric.Switch, 0), Port: 8}).Node
	}
	for _, c := range []struct {
		name    string
		fault   func(w *world)
		want    []IncidentKind
		missing int  // nodes that are not found
		lost    bool // links are not found
	}{
		{"silent switch", func(w *world) { w.fake.nodes[spine(w.fake.f)].silent = true }, []IncidentKind{NoAnswer}, 1, false},
		{"silent CA", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].silent = true }, []IncidentKind{NoAnswer}, 1, false},
		{
			"CA without PortInfo", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].deaf = mad.AttrPortInfo },
			[]IncidentKind{NoAnswer, OneSided, CutOff},
			1, false,
		},
		{
			"CA that says it has no ports", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].ports = 0 },
			[]IncidentKind{BadPortCount, NoAnswer},
			0, false,
		},
		{"CA that says it has 200 ports", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].ports = 200 }, nil, 0, false},
		{
			"CA that says it has 255 ports", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].ports = 255 },
			[]IncidentKind{BadPortCount},
			0, false,
		},
		{
			"switch that says it has 4 ports", func(w *world) { w.fake.nodes[spine(w.fake.f)].ports = 4 },
			[]IncidentKind{BadPortCount},
			0, true,
		},
		{"two CAs with one GUID", func(w *world) {
			w.fake.nodes[find(w.fake.f, fabric.CA, 9)].guid = w.fake.f.Nodes[find(w.fake.f, fabric.CA, 20)].GUID
		}, []IncidentKind{DuplicateGUID}, 1, false},
		{"two switches with one GUID", func(w *world) {
			f := w.fake.f
			w.fake.nodes[f.Peer(fabric.End{Node: find(f, fabric.Switch, 0), Port: 7}).Node].guid = f.Nodes[spine(f)].GUID
		}, []IncidentKind{DuplicateGUID}, 1, false},
		{"CA with the GUID of a switch", func(w *world) {
			w.fake.nodes[find(w.fake.f, fabric.CA, 9)].guid = w.fake.f.Nodes[spine(w.fake.f)].GUID
		}, []IncidentKind{DuplicateGUID}, 1, false},
		{"node GUID 0", func(w *world) { w.fake.nodes[find(w.fake.f, fabric.CA, 9)].guid = 0 }, []IncidentKind{BadNode}, 1, false},
		{"our own port does not answer", func(w *world) { w.fake.nodes[w.fake.at.Node].silent = true }, []IncidentKind{NoAnswer}, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := formula(t, "rlft(8,2)")
			w := newWorld(f, Config{}, "updn")
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
				if r.State != Failed {
					t.Errorf("state %s", r.State)
				}
				return
			}
			if want := map[bool]State{false: Up, true: UpInPart}[c.lost || c.missing > 0]; r.State != want {
				t.Fatalf("state %s, want %s: %v", r.State, want, r.Incidents)
			}
			if got := len(f.Nodes) - r.Found.Switches - r.Found.CAs; got != c.missing {
				t.Errorf("%d nodes are missing, want %d: %v", got, c.missing, r.Incidents)
			}
			if c.name != "two switches with one GUID" { // the other one has the same name for verify
				w.verify(t)
			}
		})
	}
}

// TestCables: cables that lead back, and one that is moved during the sweep.
func TestCables(t *testing.T) {
	f := formula(t, "rlft(8,2)|fail(links=2,seed=1)")
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
	w := newWorld(b, Config{}, "updn")
	r := w.run()
	if r.State != Up || !slices.Equal(kindsOf(r), []IncidentKind{OwnCable}) {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	w.verify(t)
	same(t, b, w.core.Result().Fabric())
}

// freePorts are the switch ports whose cable is down.
func freePorts(f *fabric.Fabric) []fabric.End {
	var out []fabric.End
	for i := range f.Links {
		if f.Links[i].Down {
			out = append(out, f.Links[i].A, f.Links[i].B)
		}
	}
	return out
}

// TestMovedCable: at any moment of discovery, a host's cable goes to another port.
// In the end the fabric is found as it is now, and the sweep says what it saw.
func TestMovedCable(t *testing.T) {
	total := 0
	{
		w := newWorld(formula(t, "rlft(8,2)"), Config{ReadOnly: true}, "updn")
		w.run()
		total = w.n
	}
	noticed := 0
	for at := 1; at <= total; at += 7 {
		f := formula(t, "rlft(8,2)")
		w := newWorld(f, Config{}, "updn")
		host := find(f, fabric.CA, 17)
		was := f.Nodes[host].Ports[1].Link
		w.onSend = func(n int) {
			if n == at {
				swap(w.fake, was, f.Nodes[find(f, fabric.CA, 30)].Ports[1].Link)
			}
		}
		r := w.run()
		if r.State != Up {
			t.Fatalf("moved at %d: %s: %v", at, r.State, r.Incidents)
		}
		if len(r.Incidents) > 0 {
			noticed++
		}
		w.verify(t)
		same(t, f, w.core.Result().Fabric())
	}
	if noticed == 0 {
		t.Error("nothing was ever noticed")
	}
}

// swap exchanges the CA ends of two cables, as two hands would: both links go
// down and come up again in Init.
func swap(s *fake, a, b fabric.LinkID) {
	f := s.f
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
			mad.PortInfoPortState.Put(s.nodes[e.Node].info[e.Port][:], mad.PortInit)
			if f.Nodes[e.Node].Type == fabric.Switch {
				mad.SwitchInfoPortStateChange.Put(s.nodes[e.Node].sw[:], 1)
			}
		}
	}
}

// TestStop: whenever it is stopped, what was sent and not acknowledged is said, and
// every switch that holds half a table is named.
func TestStop(t *testing.T) {
	f := formula(t, "rlft(8,2)")
	w := newWorld(f, Config{}, "updn")
	w.routing = jobOf("updn", 3) // several blocks a switch
	w.run()
	total := w.n
	half := 0
	for at := 1; at < total; at += 5 {
		w := newWorld(f, Config{}, "updn")
		w.routing = jobOf("updn", 3)
		w.stopAt = at
		w.onSend = func(int) {
			if w.core.Result().Plan() != nil {
				w.loss, w.tries = 0.3, 2 // some never hear of their Set, and some we do not hear
			}
		}
		r := w.run()
		if w.n >= at && r.State != Interrupted {
			t.Fatalf("stopped at %d of %d: %s", at, total, r.State)
		}
		half += checkHalfWritten(t, w, r)
	}
	if half == 0 {
		t.Error("no table was ever half written")
	}
}

// checkHalfWritten compares the blocks that switches hold with what was reported.
func checkHalfWritten(t *testing.T, w *world, r *Report) (half int) {
	t.Helper()
	if w.core.Result().Plan() == nil {
		return 0
	}
	for s, guid := range w.core.graph.SwitchGUID {
		id, _ := w.fake.f.NodeByGUID(guid)
		held := len(w.fake.nodes[id].lft)
		all := int(w.core.Result().Plan().Ends.Top())/route.BlockSize + 1
		if held == 0 || held == all {
			continue
		}
		half++
		name := w.core.nodeName(w.core.byGUID[guid])
		if !slices.ContainsFunc(r.Incidents, func(i Incident) bool {
			return i.Kind == HalfWritten && len(i.Text) > len(name) && i.Text[:len(name)] == name
		}) {
			t.Errorf("switch %d, %s, holds %d of %d blocks, and that is not said", s, name, held, all)
		}
	}
	return half
}

// TestPulledCable: a cable that is pulled at any moment of discovery, and perhaps put
// back, is no second node with the same GUID.
func TestPulledCable(t *testing.T) {
	racing.SkipLong(t)
	f := formula(t, "rlft(8,2)")
	events := 0
	play := func(at int, put time.Duration, link fabric.LinkID) *Report {
		v, err := newVirtual(f, emulator.Options{}, Config{}, jobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		events = 0
		v.onEvent = func() {
			if v.manager.core.phase >= settling {
				return
			}
			if events++; events != at {
				return
			}
			if put == 0 {
				err = v.sub.SetLinkDown(link, true)
			} else {
				err = v.sub.Flap(link, put)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := v.run()
		v.verify(t)
		return r
	}
	play(0, 0, 0)
	total := events
	between := f.Nodes[find(f, fabric.Switch, 0)].Ports[8].Link
	host := f.Nodes[find(f, fabric.CA, 20)].Ports[1].Link
	for at := 1; at <= total; at += 5 {
		for _, put := range []time.Duration{0, time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
			for _, link := range []fabric.LinkID{between, host} {
				if r := play(at, put, link); r.State != Up || r.Find(DuplicateGUID) != nil {
					t.Errorf("link %d at %d for %v: %s: %v", link, at, put, r.State, r.Incidents)
				}
			}
		}
	}
}
