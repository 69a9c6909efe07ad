package watch

import (
	"time"

	"weft/fabric"
	"weft/route"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/perf"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Snapshot holds the state of a Manager at one moment. Nothing of it changes later, so that it can be read from anywhere.
type Snapshot struct {
	Now      time.Duration // of the Manager
	Role     terms.Role
	Other    string // the manager that is the master, or may be; "" where none is known
	Port     fabric.GUID
	Priority uint8
	Engines  []string // asked for, by the Runner
	UnderWay *Round   // nil between rounds
	Last     *Round   // that has ended; nil before the first one
	InForce  *Round   // the last that brought the subnet up and was not given up; nil where none is
	Routed   *Routed  // what it found, and its Plan; nil where InForce is
	Due      []Due
	Drains   []string // switches and cables that are to be drained, there or not
	Held     []string // links in quarantine
	Differs  []string // in what our own files are not those of the master, or of the one before us, in words
	Tally    Tally
	Queries  []terms.QueryCount // to subnet administration, by the Runner
	Clients  terms.Registered   // of subnet administration, by the Runner
	// Congestion says how far devices are with congestion control, by the Runner; nil where they are told nothing.
	Congestion *congestion.Report
	Counters   *perf.Report // of ports, by the Runner; nil where none are read, or no round over them has ended
}

// Routed is a subnet as a round found it, and the Plan that its devices hold. The indices of the Plan are those of the Graph.
type Routed struct {
	Fabric *fabric.Fabric
	Graph  *fabric.Graph
	Plan   *route.Plan

	Partitions *terms.Partitioning // nil where all ports are together
	Levels     levels.Levels       // of service
}

// Round is a bring-up of a Manager.
type Round struct {
	Number int // from 1 on
	Why    string
	Begun  time.Duration
	Ended  time.Duration // of one that has
	Phase  string        // of one that is under way
	Report *terms.Report // of one that has ended
}

// Due is something that a Manager is going to do.
type Due struct {
	What string
	At   time.Duration
}

// Role says what the manager is.
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

// IsAtWork reports whether devices are asked, or a Plan is made, so that what takes the processor meanwhile keeps
// the subnet waiting. The writing of multicast tables, which follows from what hosts ask, is none.
func (m *Manager) IsAtWork() bool { return m.inRound || m.sweep.under || m.looks.under }

// Snapshot returns what the manager is now.
func (m *Manager) Snapshot(now time.Duration) *Snapshot {
	s := &Snapshot{Now: now, Role: m.Role(), Port: m.guid, Priority: m.cfg.Priority, Last: m.last, Due: m.due(), Drains: m.drains.Now, Tally: m.tally}
	if m.inForce != nil {
		s.InForce, s.Routed = m.good, &Routed{m.inForce.Fabric, m.inForce.Graph, m.inForce.Plan, m.inForce.By.Partitions, m.inForce.By.Levels}
	}
	for _, l := range m.unsteady.links {
		if l.state == linkHeld {
			s.Held = append(s.Held, l.name)
		}
	}
	if s.Role == terms.Master || m.learned.rules != nil {
		s.Differs = m.differences
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

// due lists what is going to be done, if nothing else happens before.
func (m *Manager) due() (list []Due) {
	if m.ended || m.stopped {
		return nil
	}
	add := func(what string, at time.Duration) {
		if at < terms.Never {
			list = append(list, Due{what, at})
		}
	}
	if m.wanted.why != "" {
		list = append(list, Due{"a round: " + m.wanted.why, 0})
	}
	if at := m.change.due(); at < terms.Never {
		add("a round: "+m.change.text(), at)
	}
	if m.inRound {
		return list
	}
	add("a round: the last one did not bring up all", m.again)
	add("a routing afresh after repairs", m.afresh)
	add("a light sweep", m.sweep.due)
	add("a question to the master", m.election.pollDue())
	return list
}

// Standing says what subnet administration goes by.
func (m *Manager) Standing() ledger.Standing {
	s := ledger.Standing{
		Role: m.Role(), Ledger: m.inForce, Spread: m.groups.spread, SpreadVersion: m.groups.version, Priority: m.cfg.Priority, SMKey: m.cfg.SMKey, Acts: m.acts,
		WasActive: m.clients.WasActive, Others: m.clients.Others, Told: m.clients.Told,
	}
	s.Claims = s.Role == terms.Looking && m.inRound && m.current.Claims()
	if o := m.election.master; o != nil {
		s.StandsBy, s.MasterAlive = o.GUID, o.State == mad.SMStateMaster
	}
	return s
}

// Congestion returns the settings of congestion control that are in force; nil for none.
func (m *Manager) Congestion() *congestion.Settings { return m.cfg.Congestion }

// NeedsNeighbours reports whether the next round may need M_Keys of ports whose GUIDs only a master has told.
func (m *Manager) NeedsNeighbours() bool {
	return m.Role() != terms.Master && m.cfg.Keys.NeedsNeighbours()
}
