package outage

import (
	"context"
	"slices"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/sm/round/planning"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// never is later than any event.
const never = time.Duration(1<<63 - 1)

// control advances the devices and the managers in one virtual time.
type control struct {
	ctx      context.Context
	subnet   *emulator.Subnet
	managers []*manager
}

// manager is a subnet manager with its requester and its port.
type manager struct {
	machine  *watch.Manager
	wire     *wire.Core
	subnet   *emulator.Subnet
	id       emulator.ClientID
	routing  planner.Request
	planning time.Duration
	now      time.Duration
	inbox    []wire.Datagram
	actions  []wire.Action
	wake     time.Duration // time of the next Tick; never if none is due
	planned  time.Duration // time when plan is delivered; never if none is pending
	plan     *terms.Event
	sets
	counts
	log  func(now time.Duration, i terms.Incident)
	gone bool
}

// sets tracks the Sets of a manager.
type sets struct {
	underWay map[uint64]mad.AttrID // attributes of the Sets under way, by tag
	since    attributes            // attributes set since the last takeSet
}

// counts counts the SMPs that a manager sends, and the blocks of forwarding tables among them.
type counts struct{ smps, blocks int }

// newManager attaches a manager to a port.
func newManager(s *emulator.Subnet, at fabric.End, cfg terms.Config, u *Setup, log func(time.Duration, terms.Incident)) (m *manager, err error) {
	m = &manager{
		machine: watch.NewManager(cfg, u.Watch), wire: wire.NewCore(wire.Config{Window: 32, Timeout: 100 * time.Millisecond}), subnet: s,
		routing: u.Routing, planning: u.Planning, wake: never, planned: never, sets: sets{underWay: map[uint64]mad.AttrID{}}, log: log,
	}
	m.id, err = s.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		c.CopyFrom(d)
		m.inbox = append(m.inbox, c)
	}})
	return m, err
}

// advance runs the devices and the managers up to a time.
func (c *control) advance(now time.Duration) {
	for {
		for _, m := range c.managers {
			m.takeIn(c.ctx)
		}
		if slices.ContainsFunc(c.managers, func(m *manager) bool { return len(m.inbox) > 0 || len(m.actions) > 0 }) {
			continue // a manager has sent something to another
		}
		next := min(c.next(), now)
		for _, m := range c.managers {
			m.now = max(m.now, next)
		}
		c.subnet.Advance(next)
		due := false
		for _, m := range c.managers {
			due = m.tick(c.ctx) || due
		}
		if !due && next == now && !slices.ContainsFunc(c.managers, func(m *manager) bool { return len(m.inbox) > 0 }) {
			return
		}
	}
}

// next returns the time of the next event of the subnet or a manager.
func (c *control) next() time.Duration {
	next := never
	if at, ok := c.subnet.Next(); ok {
		next = at
	}
	for _, m := range c.managers {
		next = min(next, m.next())
	}
	return next
}

// attributes classifies the attributes that managers set: none, some, or lane tables too.
type attributes uint8

const (
	noAttribute attributes = iota
	someAttribute
	laneTable
)

// attributesOf classifies an attribute.
func attributesOf(attr mad.AttrID) attributes {
	if attr == mad.AttrSLtoVLMappingTable || attr == mad.AttrVLArbitrationTable {
		return laneTable
	}
	return someAttribute
}

// takeSet returns the class of the Sets that were under way since the last call.
func (c *control) takeSet() (what attributes) {
	for _, m := range c.managers {
		what, m.since = max(what, m.since), noAttribute
		for _, attr := range m.underWay {
			m.since = max(m.since, attributesOf(attr))
		}
	}
	return what
}

// next returns the time of the manager's next event. Events of the subnet do not count.
func (m *manager) next() time.Duration {
	if m.gone {
		return never
	}
	next := min(m.wake, m.planned)
	if due, waiting := m.wire.Deadline(); waiting {
		next = min(next, due)
	}
	return next
}

// tick handles the events that are due, and reports whether there were any.
func (m *manager) tick(ctx context.Context) (due bool) {
	if m.gone {
		return false
	}
	if at, waiting := m.wire.Deadline(); waiting && at <= m.now {
		due = true
		m.actions = m.wire.Tick(m.now, m.actions)
		m.perform(ctx)
	}
	if m.planned <= m.now {
		due, m.planned = true, never
		m.step(ctx, m.plan)
	}
	if m.wake <= m.now {
		due, m.wake = true, never
		m.step(ctx, &terms.Event{Kind: terms.Tick})
	}
	return due
}

// takeIn handles the datagrams that have arrived.
func (m *manager) takeIn(ctx context.Context) {
	if m.gone {
		m.inbox, m.actions = nil, nil
		return
	}
	for m.perform(ctx); len(m.inbox) > 0; m.perform(ctx) {
		d := m.inbox[0]
		m.inbox = m.inbox[1:]
		m.actions = m.wire.Arrived(m.now, &d, m.actions)
	}
}

// perform carries out the requester's actions. It sends all datagrams first, since the requester
// reuses their memory.
func (m *manager) perform(ctx context.Context) {
	for len(m.actions) > 0 {
		actions := m.actions
		m.actions = nil
		var events []terms.Event
		for i := range actions {
			switch a := &actions[i]; a.Kind {
			case wire.Send:
				var d wire.Datagram
				d.CopyFrom(&a.Datagram)
				m.subnet.Send(m.id, &d)
			case wire.Complete:
				events = append(events, terms.AnswerEvent(&a.Result))
			case wire.Deliver:
				ev := terms.Event{Kind: terms.Unasked, Datagram: new(wire.Datagram)}
				ev.Datagram.CopyFrom(&a.Datagram)
				events = append(events, ev)
			}
		}
		for i := range events {
			m.step(ctx, &events[i])
		}
	}
}

// step passes an event to the manager, and carries out its actions.
func (m *manager) step(ctx context.Context, ev *terms.Event) {
	if ev.Kind == terms.Answer {
		delete(m.underWay, ev.Tag)
	}
	claimed := false
	for _, a := range m.machine.Step(m.now, ev, nil) {
		switch a.Kind {
		case terms.Send:
			m.send(&a)
		case terms.End:
			from := len(m.actions)
			m.actions = m.wire.End(m.now, a.Group(), m.actions)
			wire.CopySent(m.actions[from:])
		case terms.Reply:
			m.subnet.Send(m.id, a.Datagram)
		case terms.Route:
			q := *a.Request
			q.Later = false // no better Plan is made beside this loop
			m.plan, m.planned = planning.Plan(ctx, m.routing, &q), m.now+m.planning
		case terms.Claim:
			m.subnet.SetIsSM(m.id, true)
			claimed = true
		case terms.Wake:
			m.wake = a.At
		case terms.Note:
			m.log(m.now, a.Incident)
		default: // the log shows these
		}
	}
	if claimed {
		m.step(ctx, &terms.Event{Kind: terms.Claimed})
	}
}

// send sends an SMP.
func (m *manager) send(a *terms.Action) {
	d, err := mad.Request{Method: a.Method, Attr: a.Attr, Modifier: a.Modifier}.Directed(make([]byte, mad.Size), a.Path)
	if err != nil {
		panic(err) // the manager's routes never exceed the maximum length
	}
	copy(d.Data(), a.Data)
	m.smps++
	if a.Method == mad.Set {
		m.underWay[a.Tag] = a.Attr
		m.since = max(m.since, attributesOf(a.Attr))
	}
	if a.Method == mad.Set && a.Attr == mad.AttrLinearForwardingTable {
		m.blocks++
	}
	q := wire.Request{Addr: wire.Directed(), MAD: d, Tag: a.Tag, Group: a.Group(), Retries: 7}
	if a.Once {
		q.Retries = wire.NoRetries
	}
	from := len(m.actions)
	_, m.actions = m.wire.Request(m.now, &q, m.actions)
	wire.CopySent(m.actions[from:])
}
