package clients

import (
	"maps"
	"slices"

	"weft/sm/replica"
	"weft/sm/sa"
)

// storage tracks which entries of a registrar are stored. It numbers changes as replica.Leader
// does.
type storage struct {
	on       bool                  // entries are stored at all
	upTo     uint64                // the last change that is stored
	changed  map[sa.EntryName]bool // entries changed since
	replaces bool                  // the next store first removes all stored entries
	under    map[sa.EntryName]bool // entries being stored; nil: none
	underTo  uint64                // the last change in under
}

// restart forgets the progress: the next store replaces everything. The outcome of a store under
// way is ignored.
func (s *storage) restart() {
	s.replaces, s.changed, s.upTo = true, map[sa.EntryName]bool{}, 0
	if s.under != nil {
		s.under = map[sa.EntryName]bool{}
	}
}

// begin returns the changed entries to be stored now, with their values in t; nil during another
// store. last is the number of the last change.
func (s *storage) begin(t replica.Table, last uint64) (list []sa.Entry) {
	if !s.on || s.under != nil || len(s.changed) == 0 {
		return nil
	}
	for _, name := range slices.SortedFunc(maps.Keys(s.changed), sa.CompareNames) {
		list = append(list, sa.Entry{EntryName: name, Value: t[name]})
	}
	s.under, s.underTo, s.changed = s.changed, last, map[sa.EntryName]bool{}
	return list
}

// end handles the end of a store.
func (s *storage) end(last uint64, err error) {
	was := s.under
	s.under = nil
	if err != nil {
		maps.Copy(s.changed, was)
		return
	}
	if len(was) > 0 {
		s.upTo, s.replaces = s.underTo, false
		s.skip(last)
	}
}

// skip counts all changes up to last as stored if no entry is waiting to be stored.
func (s *storage) skip(last uint64) {
	if len(s.changed) == 0 && s.under == nil {
		s.upTo = last
	}
}
