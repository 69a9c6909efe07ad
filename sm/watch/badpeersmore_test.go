package watch

import (
	"math/rand/v2"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/smtest"
	"weft/wire/mad"
)

// TestStartBesideHandover: while a master hands the subnet over to a port that accepts it and never
// takes it, another manager starts. Only the port sees a standby: there are never two masters.
func TestStartBesideHandover(t *testing.T) {
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.start(0)
	m.run(3*time.Second, false)
	p, err := newPeer(m.sub, m.f, fabric.End{Node: smtest.Find(m.f, fabric.CA, 16), Port: 1}, m.rng)
	if err != nil {
		t.Fatal(err)
	}
	p.face = &face{state: mad.SMStateStandby, priority: 15, key: ownKey, until: never}
	m.sub.SetIsSM(p.id, true)
	m.beside = append(m.beside, func() { p.step(m.now) })
	for wait := 0; !m.managers[0].manager.election.agreed; wait++ {
		if m.run(5*time.Millisecond, false); wait == 4000 {
			t.Fatalf("nothing is handed over %s", journals(m.living()))
		}
	}
	m.start(1)
	for range 1000 {
		m.run(5*time.Millisecond, false)
		if n, _ := masters(m.living()); n != 1 {
			t.Fatalf("%v: %d masters %s", m.now, n, journals(m.living()))
		}
	}
}

// TestAvoidedInPart: a switch refuses its tables, and is the only way to another one. Packets
// between all others go around it within five seconds of a fault.
func TestAvoidedInPart(t *testing.T) {
	f := smtest.Formula(t, "mesh(3x3,hosts=1)")
	var hosts []fabric.NodeID
	for k := range 4 {
		hosts = append(hosts, smtest.Find(f, fabric.CA, k))
	}
	m := newMarketAt(t, f, 1, hosts[:2], hosts[2:])
	m.tempers = &tempers{f: m.f, of: map[fabric.NodeID]*temper{}}
	m.start(0)
	m.run(3*time.Second, false)
	deaf, corner := smtest.Find(m.f, fabric.Switch, 3), smtest.Find(m.f, fabric.Switch, 6) // (1,0) and (2,0)
	m.tempers.of[deaf] = refusing
	for _, link := range m.f.Cabled(corner, m.f.IsSwitchLink) {
		if a, b := m.f.Links[link].A.Node, m.f.Links[link].B.Node; a != deaf && b != deaf {
			if err := m.sub.SetLinkDown(link, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.run(5*time.Second, false)
	l := m.only("at last").manager.inForce
	g := l.Graph
	for c := range g.From { // only its cable to the corner, and one more, are used
		if s := g.From[c]; g.SwitchGUID[s] == m.f.Nodes[deaf].GUID && g.SwitchGUID[g.To[c]] == m.f.Nodes[corner].GUID {
			if n := len(g.OutOf(s)); n != 2 {
				t.Errorf("%d cables of the deaf switch are used %s", n, journals(m.living()))
			}
			return
		}
	}
	t.Errorf("the corner is left out %s", journals(m.living()))
}

// TestSwappedInRound: a host whose agent gives another GUID to each question comes back, and is an
// honest one when its link fails once more, at any moment of the round that brings it up. The next
// rounds find the honest one.
func TestSwappedInRound(t *testing.T) {
	for k := range 40 {
		m := neighbourhood(t, nil)
		host := smtest.Find(m.f, fabric.CA, 17)
		link := m.f.Nodes[host].Ports[1].Link
		m.tempers.of[host] = liar("a GUID for each read", rand.New(rand.NewPCG(1, 1)), 0, 0)
		v := m.only("at first")
		if err := m.sub.Flap(link, 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		for !v.manager.inRound {
			m.run(time.Millisecond, false)
		}
		m.run(time.Duration(k)*5*time.Millisecond, false)
		delete(m.tempers.of, host)
		if err := m.sub.Flap(link, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		m.run(15*time.Second, false)
		if id, ok := m.only("at last").manager.inForce.ByGUID[m.f.Nodes[host].GUID]; !ok || m.lidAt(fabric.End{Node: host, Port: 1}) == 0 {
			t.Fatalf("after %d steps: the host is node %d, %v %s", k, id, ok, journals(m.living()))
		}
	}
}
