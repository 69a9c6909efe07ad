package sm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"weft/route/job"
	"weft/route/multicast"
)

// Rules hold the settings of a master that follow neither from the subnet nor from its Plan. A manager that stands by gets them, and keeps to them when it
// takes its place: where its own files differ it says so, and they come into force when it is told so (Reconfigure).
type Rules struct {
	Partitions *Partitioning // nil: all ports are full members of the default one, and keep what else they have
	Drained    []string      // switches and cables
	Rebalance  bool          // the Plan is that of repairs, or leaves something unused: all is to be routed afresh some time
}

// copied holds the parts of a round that managers that stand by are told.
type copied struct {
	lids        LIDMap
	trees       []multicast.TreeByLID
	plan, rules []byte
}

// copiedOf makes what is told of a Record.
func copiedOf(r *Record) (c copied, err error) {
	c.lids, c.trees = r.LIDs, multicast.ByLID(r.Graph, &r.Plan.Ends, r.Plan.Multicast)
	if c.plan, err = job.Keep(r.Plan, r.Graph).Bare(); err == nil {
		c.rules, err = json.Marshal(r.Rules)
	}
	return c, err
}

// rules returns what we go by now, as the master.
func (m *Manager) rules() Rules {
	return Rules{Partitions: m.cfg.Partitions, Drained: m.Drained(), Rebalance: m.afresh < never}
}

// learned holds what a manager that stands by knows of its master, until it begins a round.
type learned struct {
	plan  *job.Kept // nil: nothing new
	rules *Rules    // nil: those of its own files, or of the last master
}

// learnPlan takes the Plan of the master, without tables.
func (m *Manager) learnPlan(data []byte) {
	kept, err := job.ReadBare(data)
	if err != nil { // of another version of weft
		m.tell(NotRead, "the Plan of %s: %v: who takes its place routes afresh", m.otherName(), err)
		m.cfg.Last = nil
	}
	m.learned.plan = kept
}

// learnRules takes what the master goes by.
func (m *Manager) learnRules(data []byte) {
	var rules Rules
	if err := json.Unmarshal(data, &rules); err != nil {
		m.tell(NotRead, "what %s goes by: %v: who takes its place goes by its own files", m.otherName(), err)
		return
	}
	m.learned.rules = &rules
}

// otherName names the master that is stood by for.
func (m *Manager) otherName() string {
	if o := m.election.master; o != nil {
		return o.name
	}
	return "another manager"
}

// is reports whether partitions are the same ones, also where they were told by another manager.
func (p *Partitioning) is(other *Partitioning) bool {
	a, _ := json.Marshal(p) // nothing of it cannot be written
	b, _ := json.Marshal(other)
	return bytes.Equal(a, b)
}

// inherit has the next round go by what was learned of the master before us.
func (m *Manager) inherit() {
	if m.inForce != nil {
		return
	}
	if m.learned.plan != nil {
		m.cfg.Last, m.cfg.LastHeld, m.cfg.LastAfresh, m.learned.plan = m.learned.plan, true, false, nil
	}
	if r := m.learned.rules; r != nil {
		m.cfg.Partitions = r.Partitions
		m.drains = Drains{Told: slices.Clone(m.cfg.Drain), Now: slices.Clone(r.Drained)}
	}
}

// tellInherited tells, of the first round as the master, in what the rules of the master before us are not those of our own files.
func (m *Manager) tellInherited() {
	r := m.learned.rules
	if r == nil {
		return
	}
	m.learned.rules = nil
	if !r.Partitions.is(m.ownPartitions) {
		what := "--partitions names other ones"
		if m.ownPartitions == nil {
			what = "--partitions names none"
		}
		m.tell(OtherRules, "the partitions of the master before us stay in force, and %s: a reload (SIGHUP) has those that it names be in force", what)
	}
	for _, w := range m.cfg.Drain {
		if !slices.Contains(r.Drained, w) {
			m.tell(OtherRules, "%s, which drain names, is not drained, since the master before us did not drain it: weft sm drain does", w)
		}
	}
	if r.Rebalance && m.watch.Rebalance > 0 && m.core.repaired {
		m.afresh = m.now + m.watch.Rebalance
	}
	if !slices.Equal(r.Drained, m.cfg.Drain) && len(r.Drained) > 0 {
		m.tell(OtherRules, "drained as by the master before us: %s", strings.Join(r.Drained, ", "))
	}
	m.out = append(m.out, Action{Kind: Decided, Name: "what the master before us drained", Drains: &Drains{slices.Clone(m.drains.Told), slices.Clone(m.drains.Now)}})
}
