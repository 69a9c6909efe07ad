package watch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/planner"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/forcing"
	"weft/sm/watch/starting"
)

// Rules holds a master's settings that follow neither from the subnet nor from its Plan: settings
// of its files, operators' requests, and the history of links. A standby receives the rules and
// keeps them after a takeover: it logs where its own files differ, which apply after Reconfigure.
// Fields that an older weft does not send are nil; our own files apply then.
type Rules struct {
	Partitions *terms.Partitioning  // nil: all ports are full members of the default one, and keep their other P_Keys
	Owns       bool                 // Partitions say who owns them
	Levels     levels.Levels        // of service
	Congestion *congestion.Settings // nil: devices are not set
	MKeys      *keyProtection       // if ports are given M_Keys
	Admitted   []fabric.GUID        // nodes that are not left out, sorted; nil: all
	Drained    []string             // switches and cables
	Trials     []string             // links whose speeds are being forced, or did not return
	Links      []toldLink           // that came back lately, or are in quarantine
	Rebalance  bool                 // the Plan is repaired, or leaves something unused: route from scratch some time
	Moves      bool                 // entries may gain by moves
	Reregister bool                 // clients must still be asked to register again
	Options    map[string]string    // see Config.Options
	Jobs       []terms.Job          // that run
}

// keyProtection says how ports protect their M_Keys.
type keyProtection struct {
	Protect uint8
	Lease   uint16
}

// ownFiles holds the settings of our own files. After a takeover the previous master's are in force
// instead, until Reconfigure.
type ownFiles struct {
	partitions *terms.Partitioning
	levels     levels.Levels
	congestion *congestion.Settings
	keys       keyProtection
	admitted   []fabric.GUID
}

func ownFilesOf(cfg *terms.Config) ownFiles {
	return ownFiles{cfg.Partitions.File(), cfg.Levels, cfg.Congestion, keyProtection{cfg.Keys.Protect, cfg.Keys.Lease}, cfg.AdmittedNodes()}
}

// leftWork says whether the master before us, or our process before a restart, may have left
// routing from scratch or moves to be done. Nothing is left once a Plan of ours is in force.
func leftWork(m *Manager) (afresh, moves bool) {
	r := m.learned.rules
	return m.inForce == nil && r != nil && r.Rebalance, m.inForce == nil && (r == nil || r.Moves)
}

// rules returns our present rules as the master.
func (m *Manager) rules() Rules {
	afresh, moves := m.afresh < terms.Never || m.better.expected(), m.moves.Pending()
	if m.inRound && m.current.Result().Repaired { // its end will schedule them
		leftAfresh, leftMoves := leftWork(m)
		afresh, moves = afresh || leftAfresh || m.current.Result().Improvable, moves || leftMoves || m.current.Result().Improvable
	}
	return Rules{
		Partitions: m.cfg.Partitions, Owns: true, Levels: append(levels.Levels{}, m.cfg.Levels...), Congestion: m.cfg.Congestion,
		MKeys: &keyProtection{m.cfg.Keys.Protect, m.cfg.Keys.Lease}, Admitted: m.cfg.AdmittedNodes(), Drained: m.cfg.ByGUID(m.Drained()), Trials: m.drains.Trials, Links: m.unsteady.told(m.now, m.watch.Flaps.Within),
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
	plan  *planner.Kept // nil: nothing new
	rules *Rules        // nil: its own files apply, or the last master's rules
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
	var rules Rules
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
	m.differences = m.own.differences(&rules, "the master", "a takeover changes nothing; a reload (SIGHUP) after it applies this manager's own")
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

// differences describes how our own files differ from the rules of a manager, and what follows.
func (o *ownFiles) differences(r *Rules, who, then string) (list []string) {
	add := func(differs, named bool, what, option string) {
		switch {
		case !differs:
		case named:
			list = append(list, fmt.Sprintf("the %s of %s differ from this manager's (option %s): %s", what, who, option, then))
		default:
			list = append(list, fmt.Sprintf("the %s of %s stay in force after a takeover and after reloads: this manager has none (option %s)", what, who, option))
		}
	}
	add(!isSame(r.Partitions.Base(), o.partitions.Base()), o.partitions != nil, "partitions", "partitions")
	add(r.Levels != nil && !o.levels.Equal(r.Levels), len(o.levels) > 0, "levels of service", "levels")
	add(r.Levels != nil && !isSame(r.Congestion, o.congestion), o.congestion != nil, "settings of congestion control", "congestion-control")
	if r.Levels != nil && !slices.Equal(r.Admitted, o.admitted) {
		list = append(list, fmt.Sprintf("%s leaves out other nodes than this manager (options quarantine-strangers and expect): %s", who, then))
	}
	if k := r.MKeys; k != nil && *k != o.keys {
		list = append(list, fmt.Sprintf("%s uses mkey-protect %d and mkey-lease %ds, this manager %d and %ds: %s", who, k.Protect, k.Lease, o.keys.Protect, o.keys.Lease, then))
	}
	return list
}

// isSame reports whether settings are equal as JSON, the form of settings from other managers.
func isSame[T any](a, b *T) bool {
	x, _ := json.Marshal(a) // it has nothing that JSON cannot hold
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
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
		m.jobs = starting.Resume(r.Jobs, m.now, m.watch.Jobs)
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
		if l.state == linkHeld {
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
	m.differences = m.own.differences(&r, "the previous master", "its own stay in force; a reload (SIGHUP) applies this manager's own")
}

// takeFiles takes the settings of our own files. A master applies them at once; if neither the new
// nor the old files name any, it keeps the previous master's. A standby applies its master's
// settings when it takes over.
func (m *Manager) takeFiles(s *terms.Settings) {
	to := &s.Config
	own := ownFilesOf(to)
	was, on := m.cfg, m.inForce != nil || m.inRound
	if !on { // no device has it from us
		was.Congestion = nil
	}
	m.cfg.Partitions = was.Partitions.Refiled(own.partitions, m.own.partitions != nil, on, s.Enforce)
	tellHidden(m, was.Partitions)
	if len(own.levels) > 0 || len(m.own.levels) > 0 {
		m.cfg.Levels = own.levels
	}
	if own.congestion != nil || m.own.congestion != nil {
		m.cfg.Congestion = own.congestion.After(was.Congestion)
	}
	m.own = own
	if m.inForce != nil {
		m.compareInForce()
	}
}
