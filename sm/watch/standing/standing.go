// Package standing keeps incidents that stand from being logged by each round anew.
package standing

import (
	"slices"

	"weft/sm/terms"
)

// kinds lists the incidents that a round reports only if the round before did not.
var kinds = []terms.IncidentKind{terms.NotDrained, terms.Stranger, terms.NoRoom, terms.NotEnough, terms.NoMember, terms.NoSwitch, terms.NoLevel, terms.Disbelieved, terms.DisabledPort, terms.OtherManager}

// Notes holds the incidents of the round before and of this round that are reported only when new.
type Notes struct {
	before, now map[terms.Incident]bool
	begin       string // the event of this round's begin, until it is told; "" if it is
}

// BeginRound holds the event of a begin back if the round only looks whether another manager still
// is the master.
func (s *Notes) BeginRound(out *[]terms.Action, why string, onlyLooks bool) {
	s.now, s.begin = map[terms.Incident]bool{}, "a round begins: "+why
	if !onlyLooks {
		s.TellBegin(out, len(*out))
	}
}

// IsHeldBack reports whether the begin of the round was not told.
func (s *Notes) IsHeldBack() bool { return s.begin != "" }

// TellBegin tells that the round has begun, before action from on, unless it is told.
func (s *Notes) TellBegin(out *[]terms.Action, from int) {
	if s.begin != "" {
		*out = slices.Insert(*out, from, terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: terms.RoundBegun, Text: s.begin}})
		s.begin = ""
	}
}

// EndRound takes what the round has reported as the standing incidents. A round that made no fabric
// can only tell of managers.
func (s *Notes) EndRound(hasFabric bool) {
	if !hasFabric {
		for i := range s.before {
			if i.Kind != terms.OtherManager {
				s.now[i] = true
			}
		}
	}
	s.before = s.now
}

// Drop removes the notes, from action from on, that the round before reported too.
func (s *Notes) Drop(out *[]terms.Action, from int) {
	kept := (*out)[:from]
	for _, a := range (*out)[from:] {
		if a.Kind == terms.Note && slices.Contains(kinds, a.Incident.Kind) {
			a.Incident.Shared = nil
			s.now[a.Incident] = true
			if s.before[a.Incident] {
				continue
			}
		}
		kept = append(kept, a)
	}
	*out = kept
}
