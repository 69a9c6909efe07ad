package watch

import (
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch/forcing"
	"weft/sm/watch/moving"
	"weft/sm/watch/starting"
	"weft/sm/watch/succession"
	"weft/sm/watch/tally"
	"weft/wire/mad"
)

// Snapshot holds the state of a Manager at one moment. It never changes, so that any goroutine may
// read it.
type Snapshot struct {
	Now      time.Duration // of the Manager
	Role     terms.Role
	Other    string // the master, or the manager that may be it; "" if none is known
	Port     fabric.GUID
	Priority uint8
	Engines  []string // asked for; set by the Runner
	UnderWay *Round   // nil between rounds
	Last     *Round   // the last that ended; nil before the first one
	InForce  *Round   // the last that brought the subnet up, unless given up; nil: none
	Routed   *Routed  // its subnet and Plan; nil with InForce
	Due      []Due
	Drains   []string        // switches and cables to be drained, present or not
	ToDrain  []string        // their names for people
	PortName fabric.PortName // of Port; its zero value until it is known
	Held     []HeldLink
	// Contested says who writes to our ports besides us, "" if nobody does.
	Contested string
	Disabled  []string // disabled switch ports, by whomever
	Differs   []string // how our own files differ from the master's, or from the previous master's
	Tally     tally.Tally
	Queries   []terms.QueryCount // to subnet administration; set by the Runner
	Clients   terms.Registered   // of subnet administration; set by the Runner
	// Congestion counts the devices set for congestion control; set by the Runner, nil if none are.
	Congestion *congestion.Report
	Counters   *perf.Report // of ports; set by the Runner, nil before the first reading has ended
	// Share compares a Plan's bandwidth with a fresh routing's; set by the Runner, nil before the
	// first measurement. FormerShare says that the Plan has changed since.
	Share       *planner.Share
	FormerShare bool
}

// Routed is the subnet of a round and the Plan that its devices hold. Indices of the Plan are those
// of Graph.
type Routed struct {
	Fabric *fabric.Fabric
	Graph  *fabric.Graph
	Plan   *route.Plan

	Partitions *terms.Partitioning // nil: all ports are together
	Unmatched  []ledger.Unmatched  // members of Partitions that select no port
	Wanted     *terms.Partitioning // the partitions that the next round puts in force
	Levels     levels.Levels       // of service
	Planning   *Planning           // of a better Plan; nil: none is being planned
	Servers    func() int          // counts them, at the first call
	Forcing    *forcing.Report     // of speeds and widths of links; nil: nothing is to be said
	Jobs       starting.Report     // that run, and their turns
}

// Round describes one bring-up of a Manager.
type Round struct {
	Number int // from 1 on
	Why    string
	Begun  time.Duration
	Ended  time.Duration // if it has ended
	Phase  string        // if it is under way
	Report *terms.Report // if it has ended
}

// Planning is the planning of a better Plan than the one in force.
type Planning struct{ Since time.Duration }

// HeldLink is a link in quarantine.
type HeldLink struct {
	Name    string
	Port    ledger.PortKey // one of its ends
	Why     string         // the reason, in words
	Returns int            // how often it came back before
	Since   time.Duration  // when its quarantine began
	Release time.Duration  // when it is used again, unless it changes before; never: it is down
	Hold    time.Duration  // how long it must be up without a change
}

// Due is planned work of a Manager.
type Due struct {
	What   string
	At     time.Duration
	Window string // the change window that it waits for; "": none
}

// Role returns the role of the manager.
func (m *Manager) Role() terms.Role {
	switch state := m.state(); {
	case m.ended:
		return terms.Gone
	case state == mad.SMStateMaster:
		return terms.Master
	case state == mad.SMStateStandby:
		return terms.StandBy
	case state == mad.SMStateNotActive:
		return terms.NotActive
	}
	return terms.Looking
}

// IsAtWork reports whether the manager asks devices or makes a Plan, so that other work on the
// processor delays the subnet. The writing of multicast tables does not count: requests of hosts
// cause it.
func (m *Manager) IsAtWork() bool { return m.inRound || m.sweep.under || m.looks.under }

// Snapshot returns the present state of the manager.
func (m *Manager) Snapshot(now time.Duration) *Snapshot {
	s := &Snapshot{Now: now, Role: m.Role(), Port: m.guid, Priority: m.cfg.Priority, Last: m.last, Due: m.due(), Drains: m.drains.Now, Contested: m.contest.text, Tally: m.tally}
	if m.inForce != nil {
		s.ToDrain, s.PortName = ledger.PartNames(m.inForce.Fabric, s.Drains), m.inForce.OwnPortName()
		s.Disabled = m.babble.ports
		s.InForce, s.Routed = m.good, &Routed{m.inForce.Fabric, m.inForce.Graph, m.inForce.Plan, m.inForce.By.Partitions.Listed(), m.inForce.Prog.Unmatched, m.cfg.Partitions, m.inForce.By.Levels, nil, m.servers, m.forcing.Report(), m.jobs.Report()}
	}
	for _, l := range m.unsteady.links {
		if l.state == succession.LinkHeld {
			s.Held = append(s.Held, HeldLink{l.name, l.ends[0], l.reason.Why, l.reason.Returns, l.since, l.releaseDue(m.inForce, m.watch.Flaps), max(l.hold, m.watch.Flaps.Hold)})
		}
	}
	if s.Role == terms.Master || m.learned.rules != nil {
		s.Differs = m.differences
	}
	if m.better.under && s.Routed != nil {
		s.Routed.Planning = &Planning{m.better.since}
	}
	if m.inRound {
		round := m.round
		round.Phase = m.current.Phase()
		s.UnderWay = &round
	}
	switch {
	case m.election.master != nil:
		s.Other = m.election.master.Name
	case m.inRound || s.Role == terms.Master:
	case m.result.Report.State == terms.OtherMaster:
		if i := m.result.Report.Find(terms.OtherManager); i != nil {
			s.Other = i.At.Name
		}
	}
	return s
}

// due lists the planned work, if nothing else happens before.
func (m *Manager) due() (list []Due) {
	if m.ended || m.stopped {
		return nil
	}
	add := func(what string, at time.Duration) {
		if at < terms.Never {
			list = append(list, Due{What: what, At: at})
		}
	}
	if m.wanted.why != "" {
		list = append(list, Due{What: "a round: " + m.wanted.why})
	}
	if at := m.change.Due(); at < terms.Never {
		add("a round: "+m.change.Text(), at)
	}
	if m.inRound {
		return list
	}
	add("a round: the last one did not bring up everything", m.again)
	from := len(list)
	add("routing from scratch after repairs", afreshDue(m))
	add("a round: "+whyBetter, betterDue(m))
	add("entries move for jobs that have started", jobsDue(m))
	add("a round: "+moving.Why, movesDue(m))
	if what := m.forcing.What(); what != "" {
		add(what, m.forcing.Due())
	}
	for i := range list[from:] {
		list[from+i].Window = m.watch.WaitsFor(list[from+i].At)
	}
	add("a light sweep", m.sweep.due)
	add("a poll of the master", m.election.pollDue())
	return list
}

// Standing returns the state that subnet administration needs.
func (m *Manager) Standing() ledger.Standing {
	s := ledger.Standing{
		Role: m.Role(), Ledger: m.inForce, Spread: m.groups.spread, SpreadVersion: m.groups.version, Jobs: m.jobs.Pairs(), Priority: m.cfg.Priority, SMKey: m.cfg.SMKey, Acts: m.acts, Keys: m.cfg.Keys,
		WasActive: m.clients.WasActive, Others: m.clients.Others, Told: m.clients.Told,
	}
	s.Claims = s.Role == terms.Looking && m.inRound && m.current.Claims()
	if o := m.election.master; o != nil {
		s.StandsBy, s.MasterAlive = o.GUID, o.State == mad.SMStateMaster
	}
	return s
}

// Congestion returns the settings of congestion control in force; nil for none.
func (m *Manager) Congestion() *congestion.Settings { return m.cfg.Congestion }

// NeedsNeighbours reports whether the next round may need M_Keys of ports whose GUIDs only a master
// knows.
func (m *Manager) NeedsNeighbours() bool {
	return m.Role() != terms.Master && m.cfg.Keys.NeedsNeighbours()
}
