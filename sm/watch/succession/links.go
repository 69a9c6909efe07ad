package succession

import (
	"time"

	"weft/sm/ledger"
)

// HoldReason says why a link is in quarantine.
type HoldReason struct {
	Why     string `json:",omitempty"` // in words
	Returns int    `json:",omitempty"` // how often it came back before
}

// LinkState says how an unsteady link is used.
type LinkState uint8

// The states of an unsteady link.
const (
	LinkUsed   LinkState = iota
	LinkHeld             // in quarantine
	LinkSpared           // not in quarantine because it is the only way to a switch
)

// Link is an unsteady link in the rules for standbys. Its times begin anew at a takeover, since
// clocks of two machines are not compared.
type Link struct {
	Ends     [2]ledger.PortKey
	Name     string
	ToSwitch bool
	State    LinkState
	Came     int           // how often it came back, within FlapRule.Within
	Hold     time.Duration // of the last quarantine
	Trial    bool          // if it comes back soon, quarantine follows at once
	HoldReason
}
