package clients

import (
	"maps"
	"slices"

	"weft/sm/replica"
	"weft/sm/sa"
)

// storage says which entries of a registrar are stored, and which are still to be. Changes are counted as replica.Leader counts them.
type storage struct {
	on       bool                  // entries are stored at all
	upTo     uint64                // the last change that is stored
	changed  map[sa.EntryName]bool // entries that have changed since
	replaces bool                  // all that was stored before goes
	under    map[sa.EntryName]bool // entries that are being stored; nil for none
	underTo  uint64                // the last change of these
}

// restart begins anew: all that was stored before goes. How storing ends that is under way tells nothing any more.
func (s *storage) restart() {
	s.replaces, s.changed, s.upTo = true, map[sa.EntryName]bool{}, 0
	if s.under != nil {
		s.under = map[sa.EntryName]bool{}
	}
}

// begin returns the entries to be stored now, as a table has them; none while others are being stored. last is the last change of all.
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

// end takes how storing has ended.
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

// skip takes all changes up to the last as stored where no entry is to be stored for them.
func (s *storage) skip(last uint64) {
	if len(s.changed) == 0 && s.under == nil {
		s.upTo = last
	}
}
