package intersubnet

import (
	"reflect"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
)

// notesOf makes the notes of all subnets of a network, as they come over the wire.
func notesOf(t *testing.T, p *Plan) (notes []*Note) {
	t.Helper()
	for s := range int32(len(p.Net.Subnets)) {
		var routers []RouterPort
		for _, port := range p.Net.Subnets[s].Ports {
			at := &p.Net.Ports[port]
			routers = append(routers, RouterPort{at.End, p.Net.Routers[at.Router].GUID, at.Number})
		}
		made := NewNote(p.Net.Subnets[s].Prefix, p.Net.NamedGraph(s), p.Local[s], routers)
		got, err := DecodeNote(made.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Encode()) != string(made.Encode()) {
			t.Fatal("a note is another one when it is read")
		}
		notes = append(notes, got)
	}
	return notes
}

// TestMeet: from notes of subnets follow the same gateways, and the same ports and next end ports
// at routers, as from all of them together.
func TestMeet(t *testing.T) {
	for formula, engines := range map[string]string{
		"subnets(2,rlft(4,2),routers=2)":                               "ftree",
		"subnets(3,racks72,routers=18,cables=2)":                       "ftree",
		"subnets(6,racks72,routers=18,cables=4)":                       "ftree",
		"subnets(4,rlft(8,2),routers=3,shape=chain)":                   "ftree",
		"subnets(rlft(12,2),torus(4x4,hosts=2),routers=4)":             "ftree,dor",
		"subnets(3,rlft(6,3),routers=18)":                              "ftree",
		"subnets(3,torus(3x3),shape=chain,routers=2)":                  "dor",
		"subnets(3,rlft(8,2)|aggregation(),routers=4,cables=2)":        "ftree",
		"subnets(rlft(12,2)|fail(links=3,seed=1),rlft(8,2),routers=4)": "ftree",
	} {
		n := subnetstest.Network(t, formula)
		_, one, err := Route(n, locals(t, n, engines), &Request{Method: ISFR})
		if err != nil {
			t.Fatal(err)
		}
		p := one.Plan
		m, err := WaysOf(notesOf(t, p))
		if err != nil {
			t.Fatalf("%s: %v", formula, err)
		}
		if len(m.Fallbacks) != len(one.Fallbacks) {
			t.Errorf("%s: fallbacks %v, want %v", formula, m.Fallbacks, one.Fallbacks)
		}
		all := func(fabric.GUID) bool { return true }
		pairs := 0
		for s := range int32(len(n.Subnets)) {
			for to := range int32(len(n.Subnets)) {
				for _, e := range targets(n, to) {
					want := p.GatewayPort(s, Address{to, e})
					if s == to || want < 0 {
						continue
					}
					got, ok := m.Router(n.Subnets[s].Prefix, n.GID(to, e), true, all)
					if !ok || got != n.Ports[want].GUID {
						t.Fatalf("%s: from %d to %v: %v, want %v", formula, s, n.GID(to, e), got, n.Ports[want].GUID)
					}
					pairs++
				}
			}
		}
		if want := leavingByPlan(p); !reflect.DeepEqual(leavingByNotes(m, n), want) {
			t.Errorf("%s: routers send otherwise than by the Plan", formula)
		}
		if pairs == 0 {
			t.Errorf("%s: no pairs", formula)
		}
	}
}

// leaves is what leaves by a port for a GID.
type leaves struct {
	port fabric.GUID
	to   subnets.GID
}

func leavingByPlan(p *Plan) map[leaves]fabric.GUID {
	all := map[leaves]fabric.GUID{}
	n := p.Net
	for r := range n.Routers {
		for to := range int32(len(n.Subnets)) {
			e := &p.Egress[r][to]
			for i, port := range e.Ports {
				for _, end := range targets(n, to) {
					if e.Pick != nil && int(e.Pick[end]) != i {
						continue
					}
					next := n.GID(to, end).GUID
					if s := n.Ports[port].Subnet; s != to {
						next = n.Ports[p.GatewayPort(s, Address{to, end})].GUID
					}
					all[leaves{n.Ports[port].GUID, n.GID(to, end)}] = next
				}
			}
		}
	}
	return all
}

func leavingByNotes(m *Ways, n *subnets.Network) map[leaves]fabric.GUID {
	all := map[leaves]fabric.GUID{}
	for _, port := range n.Ports {
		for _, l := range m.Table(n.Subnets[port.Subnet].Prefix, port.GUID, true) {
			all[leaves{port.GUID, l.To}] = l.Next
		}
	}
	return all
}

// TestMeetProven: without leave only hosts of fat-trees under routers are sent to, and only by
// subnets beside them.
func TestMeetProven(t *testing.T) {
	n := subnetstest.Network(t, "subnets(rlft(4,2),rlft(4,2),torus(3x3),routers=2,shape=chain)")
	_, one, err := Route(n, locals(t, n, "ftree,dor"), &Request{Method: ISFR})
	if err != nil {
		t.Fatal(err)
	}
	m, err := WaysOf(notesOf(t, one.Plan))
	if err != nil {
		t.Fatal(err)
	}
	all := func(fabric.GUID) bool { return true }
	for s := range int32(3) {
		for to := range int32(3) {
			for _, e := range targets(n, to) {
				// Some routers of the subnet in the middle join it with the torus: not all have a
				// port in the other tree.
				want := s == 1 && to == 0 && n.Graph(to).IsHost(e)
				_, got := m.Router(n.Subnets[s].Prefix, n.GID(to, e), false, all)
				if got != want {
					t.Fatalf("from %d to %d, host %t: %t; %v", s, to, n.Graph(to).IsHost(e), got, m.Fallbacks)
				}
			}
		}
	}
	gateway, _ := m.Router(n.Subnets[1].Prefix, n.GID(0, 0), false, all)
	backup, ok := m.Router(n.Subnets[1].Prefix, n.GID(0, 0), false, func(g fabric.GUID) bool { return g != gateway })
	if !ok || backup == gateway {
		t.Errorf("the backup of %v is %v", gateway, backup)
	}
}

// Notes that contradict themselves or each other are refused.
func TestNotesRefused(t *testing.T) {
	host, sw := NoteTarget{GUID: 1}, NoteTarget{GUID: 2, PortZero: true}
	for want, note := range map[string]*Note{
		"appears twice":           {Targets: []NoteTarget{host, host}},
		"after the switches":      {Targets: []NoteTarget{sw, host}},
		"is at switch 1 of 1":     {Targets: []NoteTarget{host, sw}, Ports: []NotePort{{1, 1, 9, 1}}},
		"port 0x0000000000000009": {Targets: []NoteTarget{host, sw}, Ports: []NotePort{{1, 1, 9, 0}, {1, 1, 8, 0}, {2, 1, 9, 0}}},
		"goes through switch":     {Targets: []NoteTarget{{GUID: 1, Primary: 1}, sw}},
	} {
		if _, err := DecodeNote(note.Encode()); err == nil || !strings.Contains(err.Error(), want) && want != "port 0x0000000000000009" {
			t.Errorf("%v: %v, want %q", note, err, want)
		}
	}
	whole := (&Note{Targets: []NoteTarget{host, sw}, Reason: "x"}).Encode()
	for i := range whole {
		if _, err := DecodeNote(whole[:i]); err == nil {
			t.Errorf("%d of %d bytes are a note", i, len(whole))
		}
	}
	port := NotePort{Router: 1, Number: 1, GUID: 9}
	for want, notes := range map[string][]*Note{
		"have the prefix": {{Prefix: 1}, {Prefix: 1}},
		"in two subnets":  {{Prefix: 1, Targets: []NoteTarget{sw}, Ports: []NotePort{port}}, {Prefix: 2, Targets: []NoteTarget{sw}, Ports: []NotePort{port}}},
	} {
		if _, err := WaysOf(notes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzNote: whatever comes is refused, or is a note that subnets can meet by.
func FuzzNote(f *testing.F) {
	f.Add((&Note{Prefix: 7, Ports: []NotePort{{1, 1, 9, 0}}, Targets: []NoteTarget{{GUID: 1}, {GUID: 2, PortZero: true}}}).Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := DecodeNote(b)
		if err != nil {
			return
		}
		other := &Note{Prefix: n.Prefix + 1, Targets: []NoteTarget{{GUID: 1 << 60}, {GUID: 1<<60 + 1, PortZero: true}}}
		for i, p := range n.Ports {
			other.Ports = append(other.Ports, NotePort{p.Router, p.Number + 1, p.GUID ^ 1<<61 + fabric.GUID(i), 0})
		}
		if m, err := WaysOf([]*Note{n, other}); err == nil {
			for _, p := range n.Ports {
				m.Table(n.Prefix, p.GUID, true)
			}
		}
	})
}
