package sm

import "weft/sm/sa"

// Role says what a manager does for its subnet.
type Role string

// The roles.
const (
	Looking   Role = "looking" // finds out what is there
	Master    Role = "master"
	StandBy   Role = "standby"
	NotActive Role = "not active" // as another manager wants it
	Gone      Role = "ended"
)

// QueryCount counts queries to subnet administration for one attribute.
type QueryCount struct {
	Attribute string `json:"attribute"` // "other": all that the specification does not have
	Answered  int    `json:"answered"`  // told what there is, or that there is nothing
	Refused   int    `json:"refused"`   // not served, not allowed, not as a query must be, or too much
	Busy      int    `json:"busy"`      // told to ask again: nothing was known yet, or too many waited
}

// Registered counts what clients have registered with subnet administration, and the managers that stand by with a copy of it.
type Registered struct {
	Services      int             `json:"services"`
	Subscriptions int             `json:"subscriptions"`
	Groups        int             `json:"groups"`   // multicast groups, with those that partitions have
	Members       int             `json:"members"`  // of all groups together
	MLIDs         int             `json:"mlids"`    // groups that all switches have room for
	Reports       sa.ReportCounts `json:"reports"`  // to subscribers, since we are the master
	Standbys      int             `json:"standbys"` // without which nothing is acknowledged
	InStep        bool            `json:"in_step"`  // of one that stands by: it has a complete copy
	Rejected      int             `json:"rejected"` // messages of managers with another mkey-secret, or SM_Key where there is none
}
