package service

import (
	"fmt"

	"weft/sm/terms"
	"weft/sm/watch"
)

// HeldLink is a link in quarantine.
type HeldLink struct {
	Link    string `json:"link"`
	Port    string `json:"port"`            // one of its ends, as /v1/undrain takes it
	Why     string `json:"reason"`          // in words; "" from a previous master that does not say
	Returns int    `json:"returns"`         // how often it came back before
	Since   string `json:"since"`           // UTC
	Until   string `json:"until,omitempty"` // used again then, UTC, unless it changes before; absent while it is down
	Hold    string `json:"hold"`            // how long it must be up without a change, such as 2m0s
}

// newHeldLink describes a link in quarantine.
func newHeldLink(s *shown, l *watch.HeldLink) HeldLink {
	out := HeldLink{Link: l.Name, Port: fmt.Sprintf("%s[%d]", l.Port.Node, l.Port.Port), Why: l.Why, Returns: l.Returns, Since: utc(s.at(l.Since)), Hold: l.Hold.String()}
	if l.Release < terms.Never {
		out.Until = utc(s.at(l.Release))
	}
	return out
}

// String describes the link in a line.
func (l *HeldLink) String() string {
	text := l.Link
	if l.Why != "" {
		text += ": " + l.Why
	}
	if l.Until == "" {
		return text + "; down, to be used again when it has been up for " + l.Hold
	}
	return text + "; to be used again at " + l.Until + " unless it changes before"
}
