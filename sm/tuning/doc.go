// Package tuning holds settings of ports that a site may choose beside its routes: how long packets
// wait before switches drop them (Times), and the speeds and widths that links may use (Rules).
// Rules say what ports are to hold; package sm/watch/forcing brings it about. All is pure: files
// are read by callers.
package tuning

import (
	"reflect"
)

// Settings are the settings of ports. nil: all have their usual values.
type Settings struct {
	Times *Times `json:",omitempty"` // nil: the usual ones
	Links Rules  `json:",omitempty"` // of speeds and widths; none: links keep what they have
}

// Equal reports whether two settings ask the same of all ports.
func (s *Settings) Equal(other *Settings) bool {
	return s.times() == other.times() && reflect.DeepEqual(s.Rules(), other.Rules())
}

// Rules returns the rules of links; none for nil.
func (s *Settings) Rules() Rules {
	if s == nil || len(s.Links) == 0 {
		return nil
	}
	return s.Links
}

// times returns the times, the usual ones for nil.
func (s *Settings) times() Times {
	if s == nil || s.Times == nil {
		return UsualTimes
	}
	return *s.Times
}

// Timeout returns the code of the subnet timeout.
func (s *Settings) Timeout() uint8 { return s.times().Subnet }
