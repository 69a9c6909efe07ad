package watch

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// neighbourhood is a market with two managers, in which agents and ports may behave badly.
func neighbourhood(t *testing.T, config func(i int, c *terms.Config)) *market {
	m := newMarket(t, "rlft(6,2)", 1, 2)
	m.tempers = &tempers{f: m.f, of: map[fabric.NodeID]*temper{}}
	m.config = config
	m.start(0)
	m.run(3*time.Second, false)
	m.start(1)
	m.run(5*time.Second, false)
	return m
}

// lidAt returns the LID of a port.
func (m *market) lidAt(e fabric.End) fabric.LID {
	info, err := m.sub.PortInfo(e)
	if err != nil {
		m.t.Fatal(err)
	}
	return fabric.LID(mad.PortInfoLID.Get(info))
}

// TestStolenIdentity: the agent of a host says that it has the node GUID of another host, or the
// LID of another one. When the master dies and its standby takes the subnet, the other host keeps
// its LID and its place.
func TestStolenIdentity(t *testing.T) {
	for _, kind := range []string{"another one's GUID", "another one's LID"} {
		for _, at := range []int{1, 5, 16} { // found before the victim, and after it
			m := neighbourhood(t, nil)
			victim := m.customers[2].at
			lid, guid := m.lidAt(victim), m.f.Nodes[victim.Node].GUID
			m.tempers.of[smtest.Find(m.f, fabric.CA, at)] = liar(kind, rand.New(rand.NewPCG(1, 1)), guid, lid)
			m.sub.Detach(m.managers[0].id)
			m.managers[0] = nil
			m.run(20*time.Second, false)
			master := m.managers[1]
			if master.manager.inForce == nil {
				t.Fatalf("%s: %s", kind, journals(m.living()))
			}
			if now := m.lidAt(victim); now != lid {
				t.Errorf("%s of host %d: the other one had LID %d, and has %d", kind, at, lid, now)
			}
			leaf := m.f.Nodes[m.f.Peer(victim).Node].GUID
			if g := master.manager.inForce.Graph; g.FindEnd(guid, 1) < 0 || g.SwitchGUID[g.EndSwitch[g.FindEnd(guid, 1)]] != leaf {
				t.Errorf("%s of host %d: the other one has lost its place", kind, at)
			}
		}
	}
}

// TestDeadLink: a cable comes back while the agent of a switch takes no Sets, so that the cable
// never becomes Active. Paths go around it within five seconds. When the agent is well again and
// the quarantine is over the cable is used again.
func TestDeadLink(t *testing.T) {
	for _, agent := range []*temper{refusing, readOnly} {
		m := neighbourhood(t, nil)
		link := m.uplink(0)
		spine := m.f.Links[link].A.Node
		if m.f.Nodes[m.f.Links[link].B.Node].Desc > m.f.Nodes[spine].Desc {
			spine = m.f.Links[link].B.Node
		}
		v := m.only("at first")
		if err := m.sub.Flap(link, 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		m.tempers.of[spine] = agent
		m.run(5*time.Second, false)
		if !m.isHeld(v, link) || v.manager.inForce == nil || v.manager.Result().Report.State == terms.NotRouted {
			t.Fatalf("it is not in quarantine %s", journals(m.living()))
		}
		held := v.sub.Tables()
		g, plan := v.manager.inForce.Graph, v.manager.inForce.Plan
		if len(v.manager.inForce.Fabric.Links) >= len(m.f.Links) {
			t.Errorf("%d links are in use", len(v.manager.inForce.Fabric.Links))
		}
		for i := range held.Switches { // what switches hold does not cross it
			s := slices.Index(g.SwitchGUID, held.Switches[i].GUID)
			for _, e := range []fabric.End{m.f.Links[link].A, m.f.Links[link].B} {
				if m.f.Nodes[e.Node].GUID != held.Switches[i].GUID || e.Node == spine {
					continue
				}
				for lid := fabric.LID(1); lid <= plan.Ends.Top(); lid++ {
					if s >= 0 && held.Switches[i].Port(lid) == e.Port {
						t.Fatalf("%s sends LID %d into the dead cable", m.f.NodeName(e.Node), lid)
					}
				}
			}
		}
		delete(m.tempers.of, spine)
		m.run(3*time.Minute, false)
		if v = m.only("at last"); m.isHeld(v, link) || v.manager.Result().Report.State != terms.Up {
			t.Fatalf("%s %s", v.manager.Result().Report.State, journals(m.living()))
		}
		v.verify(t)
	}
}

// TestHandoverBesidePeers: a port that says IsSM is silent, or says that it is the master. A master
// all the same hands its subnet over to a better manager, which takes it at once.
func TestHandoverBesidePeers(t *testing.T) {
	for _, c := range []struct {
		name string
		keys terms.Keys
		face *face
	}{
		{"silent", terms.Keys{}, nil},
		{"a master of another SM_Key", terms.Keys{}, &face{state: mad.SMStateMaster, priority: 15, key: 7}},
		{"a master that is locked out", smtest.SecretKeys, &face{state: mad.SMStateMaster, priority: 15, key: ownKey}},
		{"one that looks for ever", terms.Keys{}, &face{state: mad.SMStateDiscovering, priority: 15, key: ownKey}},
	} {
		m := newMarket(t, "rlft(6,2)", 1, 2)
		m.keys, m.priority[1] = c.keys, 1
		m.start(0)
		m.run(3*time.Second, false)
		p, err := newPeer(m.sub, m.f, fabric.End{Node: smtest.Find(m.f, fabric.CA, 16), Port: 1}, m.rng)
		if err != nil {
			t.Fatal(err)
		}
		if p.face = c.face; c.face != nil {
			c.face.until = never
		}
		m.sub.SetIsSM(p.id, true)
		m.beside = append(m.beside, func() { p.step(m.now) })
		m.run(3*time.Second, false)
		if m.managers[0].manager.inForce == nil {
			t.Fatalf("%s: the master gives way %s", c.name, journals(m.living()))
		}
		m.start(1)
		orphan, tookAt := time.Duration(0), time.Duration(0)
		for range 300 {
			m.run(100*time.Millisecond, false)
			n, v := masters(m.living())
			if n == 0 {
				orphan += 100 * time.Millisecond
			}
			if n == 2 && m.managers[0].manager.election.handing == nil {
				t.Fatalf("%s: two masters %s", c.name, journals(m.living()))
			}
			if n == 1 && v == m.managers[1] && tookAt == 0 {
				tookAt = m.now
			}
		}
		if orphan > 2*time.Second || tookAt == 0 {
			t.Errorf("%s: no master for %v, handed over at %v %s", c.name, orphan, tookAt, journals(m.living()))
		}
	}
}

// TestRepairBeforeStandby: a cable on the way to the standby fails together with the arrival of a
// new host, whose LID the standby is to know first. The repair does not wait for a standby that
// only the repair can reach.
func TestRepairBeforeStandby(t *testing.T) {
	m := neighbourhood(t, nil)
	late := smtest.Find(m.f, fabric.CA, 17)
	if err := m.sub.SetNodeDown(late, true); err != nil {
		t.Fatal(err)
	}
	m.run(5*time.Second, false)
	v := m.only("at first")
	sub, g := v.sub, v.manager.inForce.Graph
	standby := m.at[1]
	lid := m.lidAt(standby)
	leaf := m.f.Peer(m.at[0])
	held := sub.Tables()
	at := slices.IndexFunc(held.Switches, func(sw tables.SwitchLFT) bool { return sw.GUID == m.f.Nodes[leaf.Node].GUID })
	cable := m.f.Nodes[leaf.Node].Ports[held.Switches[at].Port(lid)].Link
	if g == nil || cable == fabric.NoLink {
		t.Fatal("no cable on the way")
	}
	if err := sub.SetNodeDown(late, false); err != nil {
		t.Fatal(err)
	}
	v.manager.next.Stored, v.manager.missing = maps.Clone(v.manager.next.Stored), missingNodes{}
	delete(v.manager.next.Stored, m.f.Nodes[late].Ports[1].GUID) // it gets a new one
	if err := sub.SetLinkDown(cable, true); err != nil {
		t.Fatal(err)
	}
	m.run(4*time.Second, false)
	if held = sub.Tables(); m.f.Nodes[leaf.Node].Ports[held.Switches[at].Port(lid)].Link == cable {
		t.Fatalf("the way to the standby is not repaired %s", journals(m.living()))
	}
}
