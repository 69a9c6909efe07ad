package watch

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"weft/planner"
	"weft/route/levels"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/forcing"
	"weft/sm/watch/succession"
)

// leftWork says whether the master before us, or our process before a restart, may have left
// routing from scratch or moves to be done. Nothing is left once a Plan of ours is in force.
func leftWork(m *Manager) (afresh, moves bool) {
	r := m.learned.rules
	return m.inForce == nil && r != nil && r.Rebalance, m.inForce == nil && (r == nil || r.Moves)
}

// rules returns our present rules as the master.
func (m *Manager) rules() succession.Rules {
	afresh, moves := m.afresh < terms.Never || m.better.expected(), m.moves.Pending()
	if m.inRound && m.current.Result().Repaired { // its end will schedule them
		leftAfresh, leftMoves := leftWork(m)
		afresh, moves = afresh || leftAfresh || m.current.Result().Improvable, moves || leftMoves || m.current.Result().Improvable
	}
	return succession.Rules{
		Partitions: m.cfg.Partitions, Owns: true, Levels: append(levels.Levels{}, m.cfg.Levels...), Congestion: m.cfg.Congestion,
		MKeys: &succession.KeyProtection{Protect: m.cfg.Keys.Protect, Lease: m.cfg.Keys.Lease}, Admitted: m.cfg.AdmittedNodes(), Drained: m.cfg.ByGUID(m.Drained()), Trials: m.drains.Trials, Links: m.unsteady.told(m.now, m.watch.Flaps.Within),
		Rebalance: afresh, Moves: moves, Reregister: m.reregister, Options: m.cfg.Options, Jobs: append([]terms.Job{}, m.jobs.List()...),
	}
}

// RulesToTell returns our rules for the standbys, with a number that grows.
func (m *Manager) RulesToTell() terms.RulesToTell {
	m.rulesTold++
	data, _ := json.Marshal(m.rules()) // it has nothing that JSON cannot hold
	return terms.RulesToTell{Number: m.rulesTold, Data: data}
}

// tellRules sends our rules to the standbys.
func (m *Manager) tellRules() {
	if m.inForce != nil && m.cfg.Elect && !m.ended {
		m.out = append(m.out, terms.Action{Kind: terms.TellRules})
	}
}

// learned holds a standby's knowledge of its master, until it begins a round.
type learned struct {
	plan  *planner.Kept     // nil: nothing new
	rules *succession.Rules // nil: its own files apply, or the last master's rules
}

// learnPlan takes the Plan of the master, without tables.
func (m *Manager) learnPlan(data []byte) {
	kept, err := planner.ReadBare(data)
	if err != nil { // of another version of weft
		m.tell(terms.NotRead, "the Plan of %s: %v: a takeover routes from scratch", m.election.masterName(), err)
		m.next.Last = nil
	}
	m.learned.plan = kept
}

// learnRules takes the rules of the master and logs how our own files differ.
func (m *Manager) learnRules(data []byte) {
	var rules succession.Rules
	if err := json.Unmarshal(data, &rules); err != nil {
		m.tell(terms.NotRead, "the rules of %s: %v: a takeover applies this manager's own files", m.election.masterName(), err)
		return
	}
	known := m.learned.rules
	m.learned.rules = &rules
	reown(m, known)
	rememberLearned(m, known)
	learnJobs(m, known)
	drained := m.cfg.ByOwnNames(rules.Drained)
	before := m.differences
	m.differences = m.own.Differences(&rules, "the master", "a takeover changes nothing; a reload (SIGHUP) after it applies this manager's own")
	m.differences = append(m.differences, terms.OptionDifferences(rules.Options, m.cfg.Options)...)
	for _, w := range m.cfg.Drain {
		if !slices.Contains(drained, w) {
			m.differences = append(m.differences, w+", listed in drain here, is not drained by the master: a takeover does not drain it")
		}
	}
	for _, text := range m.differences {
		if !slices.Contains(before, text) {
			m.tell(terms.OtherRules, "%s", text)
		}
	}
}

// masterName names our master.
func (e *election) masterName() string {
	if o := e.master; o != nil {
		return o.Name
	}
	return "another manager"
}

// inherit gives the next round the Plan and the rules learned from the previous master.
func (m *Manager) inherit() {
	if m.inForce != nil {
		return
	}
	if m.learned.plan != nil {
		m.next.Last, m.next.Held, m.next.Afresh, m.learned.plan = m.learned.plan, true, false, nil
	}
	r := m.learned.rules
	if r == nil {
		return
	}
	m.cfg.Partitions = r.Partitions
	if r.Levels != nil { // an older weft sends none of these
		m.cfg.Levels, m.cfg.Congestion = r.Levels, r.Congestion
		m.cfg.QuarantineStrangers, m.cfg.Admitted = r.Admitted != nil, r.Admitted
	}
	if r.MKeys != nil {
		m.cfg.Keys.Protect, m.cfg.Keys.Lease = r.MKeys.Protect, r.MKeys.Lease
	}
	m.drains = drains{terms.Drains{Told: slices.Clone(m.cfg.Drain), Now: m.cfg.ByOwnNames(r.Drained), Trials: r.Trials}}
	m.forcing = forcing.Resume(r.Trials, m.now)
	m.unsteady.links = linksOf(r.Links, m.now)
	m.reregister = r.Reregister
	if r.Jobs != nil {
		m.jobs.Inherit(r.Jobs, m.now, m.watch.Jobs)
	}
}

// tellInherited logs, in our first round as the master, how the inherited rules differ from our own
// files.
func (m *Manager) tellInherited() {
	r := m.learned.rules
	if r == nil {
		return
	}
	m.learned.rules = nil
	m.compareInForce()
	for _, text := range m.differences {
		m.tell(terms.OtherRules, "%s", text)
	}
	drained := m.cfg.ByOwnNames(r.Drained)
	for _, w := range m.cfg.Drain {
		if !slices.Contains(drained, w) {
			m.tell(terms.OtherRules, "%s, listed in drain, is not drained, since the previous master did not drain it; drain it by weft sm drain", w)
		}
	}
	if !slices.Equal(drained, m.cfg.Drain) && len(r.Drained) > 0 {
		m.tell(terms.OtherRules, "still drained, as by the previous master: %s", strings.Join(ledger.PartNames(m.inForce.Fabric, r.Drained), ", "))
	}
	for _, l := range m.unsteady.links {
		if l.state == succession.LinkHeld {
			m.tally.Quarantines++
			m.tell(terms.Quarantined, "%s was put in quarantine by the previous master (%s): it is not used until it has been up for %v without a change",
				l.name, cmp.Or(l.reason.Why, "it does not say why"), max(l.hold, m.watch.Flaps.Hold))
		}
	}
	m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "the drains of the previous master", Drains: m.drains.clone()})
}

// compareInForce describes how our own files differ from the rules in force, which a previous
// master left.
func (m *Manager) compareInForce() {
	r := m.rules()
	m.differences = m.own.Differences(&r, "the previous master", "its own stay in force; a reload (SIGHUP) applies this manager's own")
}

// takeFiles takes the settings of our own files. A master applies them at once; if neither the new
// nor the old files name any, it keeps the previous master's. A standby applies its master's
// settings when it takes over.
func (m *Manager) takeFiles(s *terms.Settings) {
	to := &s.Config
	own := succession.FilesOf(to)
	was, on := m.cfg, m.inForce != nil || m.inRound
	if !on { // no device has it from us
		was.Congestion = nil
	}
	m.cfg.Partitions = was.Partitions.Refiled(own.Partitions, m.own.Partitions != nil, on, s.Enforce)
	tellHidden(m, was.Partitions)
	if len(own.Levels) > 0 || len(m.own.Levels) > 0 {
		m.cfg.Levels = own.Levels
	}
	if own.Congestion != nil || m.own.Congestion != nil {
		m.cfg.Congestion = own.Congestion.After(was.Congestion)
	}
	m.own = own
	if m.inForce != nil {
		m.compareInForce()
	}
}
