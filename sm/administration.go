package sm

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/mad"
	"weft/sm/sa"
	"weft/wire"
)

// administered makes the Subnet that subnet administration answers from, of a round that has brought the subnet up. It shares Graph and Plan
// with the round, and nothing that changes later.
func (c *Core) administered(priority uint8, smKey, acts uint64) *sa.Subnet {
	s := sa.Subnet{Graph: c.graph, Plan: c.plan, SMKey: smKey, Timeout: subnetTimeout, Between: c.cfg.Between}
	number := make([]int32, len(c.nodes)) // by node: its place in s.Nodes
	order := make([]int32, len(c.fabric.Nodes))
	for id, at := range c.prog.fabricNode {
		if number[id] = int32(at); at >= 0 {
			order[at] = int32(id)
		}
	}
	slots := make([]int32, len(c.owner)) // by slot: its place in s.Ports
	for i := range slots {
		slots[i] = -1
	}
	s.Nodes = make([]sa.Node, len(order))
	s.Ports = make([]sa.Port, 0, len(c.owner))
	for at, id := range order {
		n := &c.nodes[id]
		d := &s.Nodes[at]
		d.Desc, d.First, d.Num, d.Sw = n.desc, int32(len(s.Ports)), n.ports, c.prog.sw[id]
		c.nodeInfo(n.entry, d.Info[:])
		mad.NodeInfoBaseVersion.Put(d.Info[:], 1)
		mad.NodeInfoClassVersion.Put(d.Info[:], 1)
		if n.hasSwitch {
			d.Switch = append(d.Switch, n.sw[:]...)
			c.plannedSwitchInfo(id, d.Switch)
		}
		for slot := range c.portsOf(id) {
			slots[slot] = int32(len(s.Ports))
			s.Ports = append(s.Ports, sa.Port{
				Info: c.info[slot], Known: c.flags[slot]&portKnown != 0, GUID: c.guid[slot], Node: int32(at), Num: c.portNumber(slot),
				Peer: c.peer[slot], End: c.prog.end[slot], PKeys: c.prog.pkeys[slot].held(),
			})
		}
	}
	for i := range s.Ports {
		if c.keys.Given() { // who knows the SM_Key, which is 1 unless told otherwise, would know them all
			mad.PortInfoMKey.Put(s.Ports[i].Info[:], 0)
		}
		if p := &s.Ports[i]; p.Peer != noSlot {
			p.Peer = slots[p.Peer]
		}
	}
	if own := s.Ports[slots[c.ownPort()]].Info[:]; c.claimed { // it was read before, and is not read again where nothing is to be told
		mad.PortInfoCapabilityMask.Put(own, mad.PortInfoCapabilityMask.Get(own)|mad.CapIsSM)
	}
	s.Keys = c.keysByEnd()
	s.Managers = append(s.Managers, sa.Manager{End: c.prog.end[c.ownPort()], SMKey: smKey, ActCount: acts & 0xFFFFFFFF, Priority: priority, State: mad.SMStateMaster})
	for _, o := range c.others {
		s.Managers = append(s.Managers, sa.Manager{End: c.endOf(o.guid), Priority: uint8(o.priority), State: o.state})
	}
	return sa.New(s)
}

// endOf returns the end port of a port GUID, -1 for none.
func (c *Core) endOf(guid fabric.GUID) int32 {
	for slot, e := range c.prog.end {
		if e >= 0 && c.guid[slot] == guid {
			return e
		}
	}
	return -1
}

// administration answers the queries of hosts and tools beside the loop of a Runner.
type administration struct {
	transport wire.Transport
	serving   atomic.Pointer[serving]
	in        *wire.Inbox
	done      chan struct{}
	counts    queryCounts
	members   // of multicast groups

	core   *Core // that serving was made of
	role   Role
	spread int // version of the Manager's
}

// serving says by what queries are answered, and whether they are at all.
type serving struct {
	subnet *sa.Subnet // nil: not yet known
	open   bool       // this manager is the one to answer
}

func startAdministration(t wire.Transport) *administration {
	a := &administration{transport: t, in: wire.NewInbox(), done: make(chan struct{}), members: newMembers()}
	a.serving.Store(&serving{open: true})
	go a.serve()
	return a
}

// follow takes the role of the Manager and the Subnet of its round in force: queries are answered by them from now on.
func (a *administration) follow(m *Manager) {
	role := m.role()
	if m.inForce == a.core && role == a.role && m.groups.version == a.spread {
		return
	}
	next := &serving{open: role == Master || role == Looking}
	switch was := a.serving.Load().subnet; {
	case role == Master && was != nil && m.inForce == a.core:
		next.subnet = was.With(m.groups.spread)
	case role == Master: // by a round that has ended since
		next.subnet = m.inForce.administered(m.cfg.Priority, m.cfg.SMKey, m.acts).With(m.groups.spread)
		a.members.follow(next.subnet, m.inForce.cfg.Partitions)
	}
	a.core, a.role, a.spread = m.inForce, role, m.groups.version
	a.serving.Store(next)
}

// mostQuery bounds the bytes of a query: more than paths between as many ports as MultiPathRecord can name.
const mostQuery = 16 << 10

// ask takes a query: it is queued for serve, or answered busy where too many wait.
func (a *administration) ask(d *wire.Datagram) {
	switch {
	case len(d.MAD) > mostQuery || !a.serving.Load().open:
		a.counts.count(d.MAD, nil)
	case !a.in.Push(d):
		var busy sa.Responder
		a.answer(&busy, nil, d)
	}
}

// serve answers until close.
func (a *administration) serve() {
	defer close(a.done)
	var responder sa.Responder
	var d wire.Datagram
	for a.in.Pop(context.Background(), &d) == nil {
		if o := a.serving.Load(); o.open { // still
			a.answer(&responder, o.subnet, &d)
		} else {
			a.counts.count(d.MAD, nil)
		}
	}
}

// sendTries and sendPause say how often, and how soon, an answer is sent again that the medium had no room for.
const (
	sendTries = 100
	sendPause = time.Millisecond
)

// answer sends the answer to a query. What is lost is asked again.
func (a *administration) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) {
	m := a.members.answer(r, s, d)
	a.counts.count(d.MAD, m)
	if m == nil {
		return
	}
	reply := wire.Datagram{Addr: d.Addr.Reply(), MAD: m}
	for range sendTries {
		if err := a.transport.Send(&reply); !errors.Is(err, wire.ErrBusy) || s == nil {
			return
		}
		<-time.NewTimer(sendPause).C
	}
}

// close ends the answers.
func (a *administration) close() {
	a.in.Close(nil)
	<-a.done
}
