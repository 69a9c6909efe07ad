package watch

import (
	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

// writePartitions handles a program's write of partitions. Decided returns the outcome; the next
// round, which begins at once, gives ports their P_Keys.
func writePartitions(m *Manager, ev *terms.Event) {
	a := terms.Action{Kind: terms.Decided, Tag: ev.Tag}
	if m.inForce == nil {
		a.Err = errNotReigning
		m.out = append(m.out, a)
		return
	}
	own := m.inForce.Nodes[m.inForce.Owner[m.inForce.OwnPort()]]
	next, done, err := m.cfg.Partitions.Write(ev.Write, &partition.Port{GUID: m.guid, Type: fabric.CA, Desc: own.Desc, Manager: true})
	if a.Err = err; err == nil {
		a.Wrote = &terms.Wrote{Owned: next.Owned(), Done: done}
	}
	m.out = append(m.out, a)
	switch {
	case err != nil:
		m.tell(terms.WriteRefused, "%s%s: refused: %v", ev.Write, terms.ByWhom(ev.Write.By), err)
	case done.Partitions > 0:
		m.cfg.Partitions, m.untold = next, true
		m.tell(terms.PartitionsWritten, "%s%s: %s", ev.Write, terms.ByWhom(ev.Write.By), &done)
		m.noteChange(m.now, "partitions were written")
	}
}

// reown has the partitions of programs known again if the master is an older weft, which keeps the
// partitions but not their owners: it may have been the master between two newer ones.
func reown(m *Manager, before *succession.Rules) {
	had, isNew := m.cfg.Partitions, true
	if before != nil {
		had, isNew = before.Partitions, before.Owns
	}
	r, owned := m.learned.rules, had.Owned()
	if r.Owns || owned.Version == (partition.Version{}) {
		return
	}
	r.Partitions = r.Partitions.Reowned(owned)
	if isNew {
		m.tell(terms.OtherRules, "%s is an older weft, which does not know what programs own: this manager keeps their partitions of version %s; a takeover gives them back to programs", m.election.masterName(), owned.Version)
	}
}

// rememberLearned has the partitions of programs stored that the master has told: a standby that
// restarts alone then knows them.
func rememberLearned(m *Manager, before *succession.Rules) {
	had := m.cfg.Partitions
	if before != nil {
		had = before.Partitions
	}
	owned := m.learned.rules.Partitions.Owned()
	if ours := had.Owned().Version; before == nil && owned.Version != ours && owned.Version.Number <= ours.Number {
		m.tell(terms.OtherRules, "%s has the partitions of programs of version %s, this manager had %s: what was written only here is lost, so write it again", m.election.masterName(), owned.Version, ours)
	}
	if owned.Version != (partition.Version{}) && owned.Version != had.Owned().Version {
		m.out = append(m.out, terms.Action{Kind: terms.Decided, Name: "the partitions that programs have written", Wrote: &terms.Wrote{Owned: owned}})
	}
}

// tellHidden logs the partitions of programs that our file hides.
func tellHidden(m *Manager, was *terms.Partitioning) {
	if p := m.cfg.Partitions; p != nil && len(p.Hidden) > 0 && (was == nil || was.HiddenText() != p.HiddenText()) {
		m.tell(terms.PartitionHidden, "%s", p.HiddenText())
	}
}
