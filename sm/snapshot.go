package sm

import (
	"time"

	"weft/fabric"
	"weft/route"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/perf"
	"weft/wire/mad"
)

// Snapshot holds the state of a Manager at one moment. Nothing of it changes later, so that it can be read from anywhere.
type Snapshot struct {
	Now      time.Duration // of the Manager
	Role     Role
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
	Queries  []QueryCount // to subnet administration, by the Runner
	Clients  Registered   // of subnet administration, by the Runner
	// Congestion says how far devices are with congestion control, by the Runner; nil where they are told nothing.
	Congestion *congestion.Report
	Counters   *perf.Report // of ports, by the Runner; nil where none are read, or no round over them has ended
}

// Routed is a subnet as a round found it, and the Plan that its devices hold. The indices of the Plan are those of the Graph.
type Routed struct {
	Fabric *fabric.Fabric
	Graph  *fabric.Graph
	Plan   *route.Plan

	Partitions *Partitioning // nil where all ports are together
	Levels     levels.Levels // of service
}

// Round is a bring-up of a Manager.
type Round struct {
	Number int // from 1 on
	Why    string
	Begun  time.Duration
	Ended  time.Duration // of one that has
	Phase  string        // of one that is under way
	Report *Report       // of one that has ended
}

// Due is something that a Manager is going to do.
type Due struct {
	What string
	At   time.Duration
}

// role says what the manager is.
func (m *Manager) role() Role {
	switch state := m.state(); {
	case m.ended:
		return Gone
	case state == mad.SMStateMaster:
		return Master
	case state == mad.SMStateStandby:
		return StandBy
	case state == mad.SMStateNotActive:
		return NotActive
	}
	return Looking
}

// isAtWork reports whether devices are asked, or a Plan is made, so that what takes the processor meanwhile keeps
// the subnet waiting. The writing of multicast tables, which follows from what hosts ask, is none.
func (m *Manager) isAtWork() bool { return m.inRound || m.sweep.under || m.looks.under }

// Snapshot returns what the manager is now.
func (m *Manager) Snapshot(now time.Duration) *Snapshot {
	s := &Snapshot{Now: now, Role: m.role(), Port: m.guid, Priority: m.cfg.Priority, Last: m.last, Due: m.due(), Drains: m.drains.Now, Tally: m.tally}
	if m.inForce != nil {
		s.InForce, s.Routed = m.good, &Routed{m.inForce.fabric, m.inForce.graph, m.inForce.plan, m.inForce.by.partitions, m.inForce.by.levels}
	}
	for _, l := range m.unsteady.links {
		if l.state == linkHeld {
			s.Held = append(s.Held, l.name)
		}
	}
	if s.Role == Master || m.learned.rules != nil {
		s.Differs = m.differences
	}
	if m.inRound {
		round := m.round
		round.Phase = m.core.Phase()
		s.UnderWay = &round
	}
	switch {
	case m.election.master != nil:
		s.Other = m.election.master.name
	case m.inRound || s.Role == Master:
	case m.result.Report.State == OtherMaster:
		if i := m.result.Report.Find(OtherManager); i != nil {
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
		if at < never {
			list = append(list, Due{what, at})
		}
	}
	if m.wanted.why != "" {
		list = append(list, Due{"a round: " + m.wanted.why, 0})
	}
	if at := m.change.due(); at < never {
		add("a round: "+m.change.text(), at)
	}
	if m.inRound {
		return list
	}
	add("a round: the last one did not bring up all", m.again)
	add("a routing afresh after repairs", m.afresh)
	add("a light sweep", m.sweep.due)
	add("a question to the master", m.pollDue())
	return list
}
