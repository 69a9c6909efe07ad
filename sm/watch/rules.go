package watch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/planner"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/terms"
)

// Rules hold what a master goes by that follows neither from the subnet nor from its Plan: settings of its files, what it was told, and what it has seen of links. A manager
// that stands by gets them, and keeps to them when it takes its place: where its own files differ it says so, and they come into force when it is told so
// (Reconfigure). What an older weft does not tell is nil, and then our own files hold.
type Rules struct {
	Partitions *terms.Partitioning  // nil: all ports are full members of the default one, and keep what else they have
	Levels     levels.Levels        // of service
	Congestion *congestion.Settings // nil: devices are told nothing
	MKeys      *keyProtection       // where M_Keys are given
	Admitted   []fabric.GUID        // nodes that are not left out, in order; nil: all
	Drained    []string             // switches and cables
	Links      []toldLink           // that have come back lately, or are in quarantine
	Rebalance  bool                 // the Plan is that of repairs, or leaves something unused: all is to be routed afresh some time
	Reregister bool                 // clients are to register again, and have not been asked yet
	Options    map[string]string    // see Config.Options
}

// keyProtection says how ports protect their M_Keys.
type keyProtection struct {
	Protect uint8
	Lease   uint16
}

// ownFiles hold the settings of our own files for which those of the master before us are in force until Reconfigure.
type ownFiles struct {
	partitions *terms.Partitioning
	levels     levels.Levels
	congestion *congestion.Settings
	keys       keyProtection
	admitted   []fabric.GUID
}

func ownFilesOf(cfg *terms.Config) ownFiles {
	return ownFiles{cfg.Partitions, cfg.Levels, cfg.Congestion, keyProtection{cfg.Keys.Protect, cfg.Keys.Lease}, cfg.AdmittedNodes()}
}

// rules returns what we go by now, as the master.
func (m *Manager) rules() Rules {
	return Rules{
		Partitions: m.cfg.Partitions, Levels: append(levels.Levels{}, m.cfg.Levels...), Congestion: m.cfg.Congestion,
		MKeys: &keyProtection{m.cfg.Keys.Protect, m.cfg.Keys.Lease}, Admitted: m.cfg.AdmittedNodes(), Drained: m.Drained(), Links: m.unsteady.told(m.now, m.watch.Flaps.Within),
		Rebalance: m.afresh < terms.Never || m.inRound && m.current.Unbalances(), Reregister: m.reregister, Options: m.cfg.Options,
	}
}

// RulesToTell returns what managers that stand by are to be told of what we go by.
func (m *Manager) RulesToTell() terms.RulesToTell {
	m.rulesTold++
	data, _ := json.Marshal(m.rules()) // nothing of it cannot be written
	return terms.RulesToTell{Number: m.rulesTold, Data: data}
}

// tellRules has managers that stand by told what we go by.
func (m *Manager) tellRules() {
	if m.inForce != nil && m.cfg.Elect && !m.ended {
		m.out = append(m.out, terms.Action{Kind: terms.TellRules})
	}
}

// learned holds what a manager that stands by knows of its master, until it begins a round.
type learned struct {
	plan  *planner.Kept // nil: nothing new
	rules *Rules        // nil: those of its own files, or of the last master
}

// learnPlan takes the Plan of the master, without tables.
func (m *Manager) learnPlan(data []byte) {
	kept, err := planner.ReadBare(data)
	if err != nil { // of another version of weft
		m.tell(terms.NotRead, "the Plan of %s: %v: who takes its place routes afresh", m.election.masterName(), err)
		m.next.Last = nil
	}
	m.learned.plan = kept
}

// learnRules takes what the master goes by, and tells in what our own files differ.
func (m *Manager) learnRules(data []byte) {
	var rules Rules
	if err := json.Unmarshal(data, &rules); err != nil {
		m.tell(terms.NotRead, "what %s goes by: %v: who takes its place goes by its own files", m.election.masterName(), err)
		return
	}
	m.learned.rules = &rules
	before := m.differences
	m.differences = m.own.differences(&rules, "the master", "a takeover changes nothing, and a reload (SIGHUP) after it has ours be in force")
	m.differences = append(m.differences, optionDifferences(rules.Options, m.cfg.Options)...)
	for _, w := range m.cfg.Drain {
		if !slices.Contains(rules.Drained, w) {
			m.differences = append(m.differences, w+", which drain names here, is not drained by the master: a takeover does not drain it")
		}
	}
	for _, text := range m.differences {
		if !slices.Contains(before, text) {
			m.tell(terms.OtherRules, "%s", text)
		}
	}
}

// masterName names the master that is stood by for.
func (e *election) masterName() string {
	if o := e.master; o != nil {
		return o.Name
	}
	return "another manager"
}

// differences lists, in words, in what our own files are not what somebody goes by, and what comes of it.
func (o *ownFiles) differences(r *Rules, who, then string) (list []string) {
	add := func(differs, named bool, what, option string) {
		switch {
		case !differs:
		case named:
			list = append(list, fmt.Sprintf("the %s of %s are not those that %s names here: %s", what, who, option, then))
		default:
			list = append(list, fmt.Sprintf("the %s of %s stay in force after a takeover and reloads: %s names none here", what, who, option))
		}
	}
	add(!isSame(r.Partitions, o.partitions), o.partitions != nil, "partitions", "partitions")
	add(r.Levels != nil && !o.levels.Equal(r.Levels), len(o.levels) > 0, "levels of service", "levels")
	add(r.Levels != nil && !isSame(r.Congestion, o.congestion), o.congestion != nil, "settings of congestion control", "congestion-control")
	if r.Levels != nil && !slices.Equal(r.Admitted, o.admitted) {
		list = append(list, fmt.Sprintf("the nodes that %s leaves out are not those that quarantine-strangers and expect have here: %s", who, then))
	}
	if k := r.MKeys; k != nil && *k != o.keys {
		list = append(list, fmt.Sprintf("%s has ports protect M_Keys by mkey-protect %d and mkey-lease %ds, not %d and %ds as here: %s", who, k.Protect, k.Lease, o.keys.Protect, o.keys.Lease, then))
	}
	return list
}

// optionDifferences lists, in words, options of the master that are others than ours. They are not inherited.
func optionDifferences(theirs, ours map[string]string) (list []string) {
	if theirs == nil { // an older weft
		return nil
	}
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if theirs[name] != ours[name] {
			list = append(list, fmt.Sprintf("%s is %s at the master, and %s here: a takeover changes nothing, and what this manager does after that it does by its own", name, cmp.Or(theirs[name], "not given"), cmp.Or(ours[name], "not given")))
		}
	}
	return list
}

// isSame reports whether settings are the same ones, also where they were told by another manager.
func isSame[T any](a, b *T) bool {
	x, _ := json.Marshal(a) // nothing of it cannot be written
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// inherit has the next round go by what was learned of the master before us.
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
	if r.Levels != nil { // by an older weft none of these is told
		m.cfg.Levels, m.cfg.Congestion = r.Levels, r.Congestion
		m.cfg.QuarantineStrangers, m.cfg.Admitted = r.Admitted != nil, r.Admitted
	}
	if r.MKeys != nil {
		m.cfg.Keys.Protect, m.cfg.Keys.Lease = r.MKeys.Protect, r.MKeys.Lease
	}
	m.drains = drains{terms.Drains{Told: slices.Clone(m.cfg.Drain), Now: slices.Clone(r.Drained)}}
	m.unsteady.links = linksOf(r.Links, m.now)
	m.reregister = r.Reregister
}

// tellInherited tells, of the first round as the master, in what the rules of the master before us are not those of our own files.
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
	for _, w := range m.cfg.Drain {
		if !slices.Contains(r.Drained, w) {
			m.tell(terms.OtherRules, "%s, which drain names, is not drained, since the master before us did not drain it: weft sm drain does", w)
		}
	}
	if r.Rebalance && m.watch.Rebalance > 0 && m.result.Repaired {
		m.afresh = m.now + m.watch.Rebalance
	}
	if !slices.Equal(r.Drained, m.cfg.Drain) && len(r.Drained) > 0 {
		m.tell(terms.OtherRules, "drained as by the master before us: %s", strings.Join(r.Drained, ", "))
	}
	for _, l := range m.unsteady.links {
		if l.state == linkHeld {
			m.tell(terms.Quarantined, "%s was put in quarantine by the master before us: it is not used until it has been up for %v without a change", l.name, max(l.hold, m.watch.Flaps.Hold))
		}
	}
	m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "what the master before us drained", Drains: m.drains.clone()})
}

// compareInForce lists in what our own files are not what is in force, which is that of a master before us.
func (m *Manager) compareInForce() {
	r := m.rules()
	m.differences = m.own.differences(&r, "the master before us", "what that one had stays in force, and a reload (SIGHUP) has ours be in force")
}

// takeFiles takes the settings of our own files. A master goes by them from now on; where none are named, and none were, it keeps those of the master before
// it. One that stands by goes by those of its master when it takes its place.
func (m *Manager) takeFiles(to *terms.Config) {
	own := ownFilesOf(to)
	if own.partitions != nil || m.own.partitions != nil {
		m.cfg.Partitions = own.partitions.After(m.cfg.Partitions)
	}
	if len(own.levels) > 0 || len(m.own.levels) > 0 {
		m.cfg.Levels = own.levels
	}
	if own.congestion != nil || m.own.congestion != nil {
		m.cfg.Congestion = own.congestion
	}
	m.own = own
	if m.inForce != nil {
		m.compareInForce()
	}
}
