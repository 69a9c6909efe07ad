package perf

import (
	"cmp"
	"slices"
	"time"

	"weft/fabric"
)

// mostAway is the maximum number of ports that keep their history while they are away. Of those
// that were read longest ago only the sums remain.
const mostAway = 1 << 14

// Follow sets the subnet to poll from now on, nil for none. Ports keep their counts, also while
// they are away. A round under way goes on with the agents that stay.
func (m *Monitor) Follow(now time.Duration, s *Subnet) {
	if m.subnet == nil {
		m.nextBegin = now
	}
	old := map[key]*agent{}
	for _, a := range m.agents {
		a.gone = true
		old[m.idOf(&m.subnet.Agents[a.index])] = a
	}
	m.subnet, m.agents, m.ports, m.base, m.named, m.ready = s, nil, nil, nil, nil, nil
	if s == nil {
		m.rest(now)
		s = &Subnet{}
	}
	for i := range s.Agents {
		from := &s.Agents[i]
		a := old[m.idOf(from)]
		if a == nil {
			a = &agent{}
		}
		m.follow(a, from)
	}
	m.more = slices.DeleteFunc(m.more, func(p pending) bool { return p.agent.gone })
	m.forget()
}

// idOf returns the key of an agent: port 0 of a switch, else the port.
func (m *Monitor) idOf(a *Agent) key {
	n := &m.subnet.Fabric.Nodes[a.Node]
	if n.Type == fabric.Switch {
		return key{n.GUID, 0}
	}
	return key{n.GUID, a.Ports[0]}
}

// rest ends the round under way, if any. Nothing is asked until there is a subnet again.
func (m *Monitor) rest(now time.Duration) {
	m.round = round{number: m.number, begun: m.begun, free: m.free, nextBegin: now}
	m.more, m.under = nil, 0
	m.freeAll()
}

// follow adds an agent of the subnet, which may be an old one.
func (m *Monitor) follow(a *agent, from *Agent) {
	home := Address{LID: from.LID, SL: from.SL, QP: 1}
	if a.home != home {
		*a = agent{at: home, home: home, ports: a.ports, under: a.under}
	}
	a.index, a.gone, a.ready, a.next = len(m.agents), false, false, 0
	f := m.subnet.Fabric
	guid := f.Nodes[from.Node].GUID
	for _, number := range from.Ports {
		id := key{guid, number}
		p := m.all[id]
		if p == nil {
			p = &port{id: id}
			m.all[id] = p
		}
		if p.agent != a {
			p.agent, a.ports = a, append(a.ports, p)
		}
		p.peer = f.PortName(f.Peer(fabric.End{Node: from.Node, Port: number}))
	}
	slices.SortFunc(a.ports, func(x, y *port) int { return cmp.Compare(x.id.port, y.id.port) })
	for _, p := range a.ports { // those without a cable now, too: their counters tell why
		p.end = fabric.End{Node: from.Node, Port: p.id.port}
	}
	m.agents, m.ports = append(m.agents, a), append(m.ports, a.ports...)
	m.makeReady(a)
}

// forget drops the ports that are away and were read longest ago, if there are too many.
func (m *Monitor) forget() {
	many := len(m.all) - len(m.ports) - mostAway
	if many <= 0 {
		return
	}
	var away []*port
	for _, p := range m.all {
		if p.agent.gone {
			away = append(away, p)
		}
	}
	slices.SortFunc(away, func(x, y *port) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id.node, y.id.node), cmp.Compare(x.id.port, y.id.port))
	})
	for _, p := range away[:many] {
		for c, n := range p.total {
			m.gone[c] += n
		}
		delete(m.all, p.id)
	}
}
