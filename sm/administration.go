package sm

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// administered makes the Subnet that subnet administration answers from, of a round that has brought the subnet up. It shares Graph and Plan
// with the round, and nothing that changes later.
func (l *ledger) administered(priority uint8, smKey, acts uint64) *sa.Subnet {
	s := sa.Subnet{Graph: l.graph, Plan: l.plan, SMKey: smKey, Timeout: subnetTimeout, Between: l.by.between}
	number := make([]int32, len(l.nodes)) // by node: its place in s.Nodes
	order := make([]int32, len(l.fabric.Nodes))
	for id, at := range l.prog.fabricNode {
		if number[id] = int32(at); at >= 0 {
			order[at] = int32(id)
		}
	}
	slots := make([]int32, len(l.owner)) // by slot: its place in s.Ports
	for i := range slots {
		slots[i] = -1
	}
	s.Nodes = make([]sa.Node, len(order))
	s.Ports = make([]sa.Port, 0, len(l.owner))
	for at, id := range order {
		n := &l.nodes[id]
		d := &s.Nodes[at]
		d.Desc, d.First, d.Num, d.Sw = n.desc, int32(len(s.Ports)), n.ports, l.prog.sw[id]
		l.nodeInfo(n.entry, d.Info[:])
		mad.NodeInfoBaseVersion.Put(d.Info[:], 1)
		mad.NodeInfoClassVersion.Put(d.Info[:], 1)
		if n.hasSwitch {
			d.Switch = append(d.Switch, n.sw[:]...)
			l.plannedSwitchInfo(id, d.Switch)
		}
		for slot := range l.portsOf(id) {
			slots[slot] = int32(len(s.Ports))
			s.Ports = append(s.Ports, sa.Port{
				Info: l.info[slot], Known: l.flags[slot]&portKnown != 0, GUID: l.guid[slot], Node: int32(at), Num: l.portNumber(slot),
				Peer: l.peer[slot], End: l.prog.end[slot], PKeys: l.prog.pkeys[slot].held(),
			})
		}
	}
	for i := range s.Ports {
		if l.keys.Given() { // who knows the SM_Key, which is 1 unless told otherwise, would know them all
			mad.PortInfoMKey.Put(s.Ports[i].Info[:], 0)
		}
		if p := &s.Ports[i]; p.Peer != noSlot {
			p.Peer = slots[p.Peer]
		}
	}
	own := s.Ports[slots[l.ownPort()]].Info[:] // read before IsSM was set there, and not read again where nothing is to be told
	mad.PortInfoCapabilityMask.Put(own, mad.PortInfoCapabilityMask.Get(own)|mad.CapIsSM)
	s.Keys, s.Levels = l.keysByEnd(), l.levels()
	s.Managers = append(s.Managers, sa.Manager{End: l.prog.end[l.ownPort()], SMKey: smKey, ActCount: acts & 0xFFFFFFFF, Priority: priority, State: mad.SMStateMaster})
	for _, o := range l.others {
		s.Managers = append(s.Managers, sa.Manager{End: l.endOf(o.guid), Priority: uint8(o.priority), State: o.state})
	}
	return sa.New(s)
}

// administration answers the queries of hosts and tools beside the loop of a Runner.
type administration struct {
	transport wire.Transport
	clock     func() time.Duration
	store     func(replaces bool, list []sa.Entry) error
	serving   atomic.Pointer[serving]
	in        *waiting
	control   chan func() []registrarAction // what is to be done between two queries
	news      registrarNews                 // for the Manager
	done      chan struct{}
	stopped   chan struct{}
	counts    queryCounts
	*members  // of multicast groups
	clients   atomic.Pointer[Registered]
	requester *wire.Requester // for reports, and copies of what must not be lost

	registrar *registrar // of the goroutine
	timer     *time.Timer
	responder sa.Responder
	packet    wire.Datagram

	of     *ledger // that serving was made of
	role   Role
	term   int  // see managerState
	claims bool // see managerState
	spread int  // version of the Manager's
}

// serving says by what queries are answered, and whether they are at all.
type serving struct {
	subnet *sa.Subnet // nil: not yet known
	open   bool       // this manager is the one to answer
}

// registrarNews holds what a registrar has to tell the Manager, until that has taken it.
type registrarNews struct {
	mu                 sync.Mutex
	lids               LIDMap                // nil: as before
	trees              []multicast.TreeByLID // nil: as before
	plan, rules        []byte                // nil: as before
	guids              []fabric.GUID
	missed, reregister bool
	settled            bool // guids are new
	wake               chan struct{}
}

// put notes something, and does not wait.
func (n *registrarNews) put(note func(*registrarNews)) {
	n.mu.Lock()
	note(n)
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// learn notes the Plan and the rules of the master, as far as they are known.
func (n *registrarNews) learn(a *registrarAction) {
	if a.plan != nil {
		n.plan = a.plan
	}
	if a.rules != nil {
		n.rules = a.rules
	}
}

// take returns what was noted since the last call, as events.
func (n *registrarNews) take() (events []*Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lids != nil { // before the round that a missing master begins
		events = append(events, &Event{Kind: Learned, LIDs: n.lids})
	}
	if n.trees != nil {
		events = append(events, &Event{Kind: TreesLearned, Trees: n.trees})
	}
	if n.plan != nil {
		events = append(events, &Event{Kind: PlanLearned, Value: n.plan})
	}
	if n.rules != nil {
		events = append(events, &Event{Kind: RulesLearned, Value: n.rules})
	}
	if n.missed {
		events = append(events, &Event{Kind: MasterMissed})
	}
	if n.settled {
		events = append(events, &Event{Kind: MayTakeOver, GUIDs: n.guids})
	}
	if n.reregister {
		events = append(events, &Event{Kind: Reregister})
	}
	n.lids, n.trees, n.plan, n.rules = nil, nil, nil, nil
	n.missed, n.settled, n.reregister = false, false, false
	return events
}

func newAdministration(t wire.Transport, clock func() time.Duration) *administration {
	a := &administration{
		transport: t, clock: clock, in: newWaiting(runtime.GOMAXPROCS(0)), control: make(chan func() []registrarAction, 64), news: registrarNews{wake: make(chan struct{}, 1)},
		done: make(chan struct{}), stopped: make(chan struct{}), timer: time.NewTimer(time.Hour), members: newMembers(),
	}
	a.serving.Store(&serving{open: true})
	a.clients.Store(&Registered{})
	return a
}

// start begins to answer, by a registrar.
func (a *administration) start(q *wire.Requester, r *registrar, store func(replaces bool, list []sa.Entry) error) {
	a.requester, a.registrar, a.store = q, r, store
	go a.serve()
}

// follow takes the role of the Manager and the Subnet of its round in force: queries are answered by them from now on.
func (a *administration) follow(m *Manager) {
	if f := a.take(m); f != nil {
		a.do(func() []registrarAction { return a.registrar.follow(a.clock(), f) })
	}
}

// take sets the role and the Subnet by which queries are answered: those of the Manager and its round in force. It returns what the registrar is to
// know, nil where nothing has changed.
func (a *administration) take(m *Manager) *managerState {
	role := m.role()
	claims := role == Looking && m.inRound && m.core.Claims()
	if m.inForce == a.of && role == a.role && m.groups.version == a.spread && claims == a.claims {
		return nil
	}
	next := &serving{open: role == Master || role == Looking}
	f := &managerState{role: role, claims: claims}
	if o := m.election.master; o != nil {
		f.standsBy, f.master = o.guid, o.state == mad.SMStateMaster
	}
	switch was := a.serving.Load().subnet; {
	case role == Master && was != nil && m.inForce == a.of:
		next.subnet = was.With(m.groups.spread)
	case role == Master: // by a round that has ended since
		next.subnet = m.inForce.administered(m.cfg.Priority, m.cfg.SMKey, m.acts).With(m.groups.spread)
		f.round, f.standing = true, m.inForce.by.partitions.standing()
	}
	if role != a.role {
		a.term++
	}
	if role == Master {
		f.subnet, f.members = next.subnet, m.inForce.managersBeside()
		f.wasActive, f.others, f.told = m.clients.WasActive, m.clients.Others, m.clients.Told
	}
	f.term = a.term
	a.of, a.role, a.spread, a.claims = m.inForce, role, m.groups.version, claims
	a.serving.Store(next)
	return f
}

// managersBeside lists the managers beside us that may stand by.
func (l *ledger) managersBeside() (list []replica.Member) {
	for _, o := range l.others {
		if e := l.endOf(o.guid); e >= 0 {
			to := wire.ToLID(uint16(l.plan.Ends.Base[e]), 1)
			to.SLID, to.SL = uint16(l.prog.smLID), l.plan.PathSL(l.prog.end[l.ownPort()], l.plan.Ends.Base[e])
			list = append(list, replica.Member{GUID: o.guid, To: to})
		}
	}
	return list
}

// do calls a function between two queries.
func (a *administration) do(what func() []registrarAction) {
	select {
	case a.control <- what:
	case <-a.done:
	}
}

// mostQuery bounds the bytes of a query: more than paths between as many ports as MultiPathRecord can name.
const mostQuery = 16 << 10

// ask takes a query: it is queued for serve, or answered busy where too many wait.
func (a *administration) ask(d *wire.Datagram) {
	if len(d.MAD) > mostQuery || !a.serving.Load().open && d.MAD.Attr() != replica.Attr {
		a.counts.count(d.MAD, nil)
		return
	}
	without := a.in.push(d)
	if without == nil {
		return
	}
	now := a.clock()
	if !a.in.mayRefuse(now) {
		a.counts.count(without.MAD, nil)
		return
	}
	var busy sa.Responder
	a.answer(&busy, nil, without)
	a.in.refused(now, a.clock())
}

// serve answers until close.
func (a *administration) serve() {
	defer close(a.done)
	for {
		select {
		case what := <-a.control:
			a.perform(what())
			continue
		case <-a.stopped:
			return
		default:
		}
		now, room := a.clock(), a.registrar.room(a.in.atWork.Load())
		if a.in.pop(now, room, &a.packet) {
			beside := a.serveOne()
			a.in.took(now, a.clock()+beside)
			continue
		}
		if due := min(a.registrar.deadline(), a.in.due(room)); due < never {
			a.timer.Reset(max(0, due-a.clock()))
		} else {
			a.timer.Stop()
		}
		select {
		case what := <-a.control:
			a.perform(what())
		case <-a.in.wake:
		case <-a.timer.C:
			a.tick()
		case <-a.stopped:
			return
		}
	}
}

// What answers take of the processor later, beside the goroutine that gives them.
const (
	timeOfStoring = 20 * time.Microsecond // a change
	timeOfSegment = 5 * time.Microsecond  // each segment of a message but the first
)

// serveOne answers the query that was taken. It returns what that takes of the processor later.
func (a *administration) serveOne() (beside time.Duration) {
	d, o := &a.packet, a.serving.Load()
	segments := 0
	switch {
	case len(d.MAD) >= mad.SAHeader.Size && a.registrar.serves(d.MAD) && (o.open || d.MAD.Attr() == replica.Attr):
		if len(d.MAD) < mad.Size {
			break
		}
		deeds := a.registrar.request(a.clock(), d)
		for i := range deeds {
			segments += max(0, len(deeds[i].datagram.MAD)-1) / wire.Size
		}
		if a.store != nil && a.in.last == forChange {
			beside = timeOfStoring
		}
		a.perform(deeds)
	case o.open: // still
		segments = max(0, len(a.answer(&a.responder, o.subnet, d))-1) / wire.Size
	default:
		a.counts.count(d.MAD, nil)
	}
	a.tick()
	return beside + time.Duration(segments)*timeOfSegment
}

// tick lets the registrar do what is due.
func (a *administration) tick() {
	if now := a.clock(); a.registrar.deadline() <= now {
		a.perform(a.registrar.tick(now))
	}
}

// perform does what the registrar wants done.
func (a *administration) perform(deeds []registrarAction) {
	if now := a.registrar.counts(); now != *a.clients.Load() {
		a.clients.Store(&now)
	}
	for i := range deeds {
		switch d := &deeds[i]; d.kind {
		case sendAnswer:
			if d.datagram.MAD.Attr() != replica.Attr {
				a.counts.count(d.datagram.MAD, d.datagram.MAD)
			}
			a.send(&d.datagram, true)
		case sendReport:
			a.request(d, 0, 0, func(err error, _ mad.Datagram) []registrarAction {
				return a.registrar.reported(a.clock(), d.tag, err == nil)
			})
		case sendCopy:
			a.request(d, replica.Timeout, wire.NoRetries, func(err error, reply mad.Datagram) []registrarAction {
				var status *wire.StatusError
				return a.registrar.copied(a.clock(), d.tag, reply, errors.As(err, &status))
			})
		case storeEntries:
			go func() {
				err := a.store(d.replaces, d.entries)
				a.do(func() []registrarAction { return a.registrar.storedAll(a.clock(), err) })
			}()
		case missMaster:
			a.news.put(func(n *registrarNews) { n.missed = true })
		case learnLIDs:
			a.news.put(func(n *registrarNews) { n.lids, n.trees = d.lids, d.trees })
		case learnRest:
			a.news.put(func(n *registrarNews) { n.learn(d) })
		case mayTakeOver:
			a.news.put(func(n *registrarNews) { n.guids, n.settled = d.guids, true })
		case askReregister:
			a.news.put(func(n *registrarNews) { n.reregister = true })
		case committed:
			d.done(d.err)
		}
	}
}

// trapped has subscribers told of a trap, unless too much is to be done already: it comes again.
func (a *administration) trapped(notice []byte) {
	notice = bytes.Clone(notice)
	select {
	case a.control <- func() []registrarAction { return a.registrar.notify(a.clock(), notice) }:
	default:
	}
}

// request sends what wants an answer.
func (a *administration) request(d *registrarAction, timeout time.Duration, retries int, ended func(err error, reply mad.Datagram) []registrarAction) {
	a.requester.Start(&wire.Request{Addr: d.datagram.Addr, MAD: d.datagram.MAD, Timeout: timeout, Retries: retries, Done: func(res *wire.Result) {
		var reply mad.Datagram
		if res.Reply != nil {
			reply = append(reply, res.Reply.MAD...)
		}
		err := res.Err
		go a.do(func() []registrarAction { return ended(err, reply) }) // Done must not wait
	}})
}

// commit returns when all managers that stand by know what follows from a round.
func (a *administration) commit(c *copied) error {
	return a.wait(func(done func(error)) []registrarAction { return a.registrar.commit(a.clock(), c, done) })
}

// commitRules returns when all managers that stand by know rules that have changed between rounds.
func (a *administration) commitRules(rules *RulesToTell) error {
	return a.wait(func(done func(error)) []registrarAction { return a.registrar.commitRules(a.clock(), rules, done) })
}

// wait has the registrar do something, and returns when that is done.
func (a *administration) wait(what func(done func(error)) []registrarAction) error {
	ended := make(chan error, 1)
	a.do(func() []registrarAction { return what(func(err error) { ended <- err }) })
	select {
	case err := <-ended:
		return err
	case <-a.done:
		return wire.ErrClosed
	}
}

// sendTries and sendPause say how often, and how soon, an answer is sent again that the medium had no room for.
const (
	sendTries = 100
	sendPause = time.Millisecond
)

// answer sends the answer to a query, and returns it.
func (a *administration) answer(r *sa.Responder, s *sa.Subnet, d *wire.Datagram) mad.Datagram {
	m := a.members.answer(r, s, d)
	a.counts.count(d.MAD, m)
	if m != nil {
		a.send(&wire.Datagram{Addr: d.Addr.Reply(), MAD: m}, s != nil)
	}
	return m
}

// send sends an answer. What is lost is asked again.
func (a *administration) send(reply *wire.Datagram, patient bool) {
	for range sendTries {
		if err := a.transport.Send(reply); !errors.Is(err, wire.ErrBusy) || !patient {
			return
		}
		<-time.NewTimer(sendPause).C
	}
}

// close ends the answers.
func (a *administration) close() {
	close(a.stopped)
	<-a.done
	a.timer.Stop()
}
