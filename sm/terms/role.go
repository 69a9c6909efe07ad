package terms

import "weft/sm/sa"

// Role is the state of a manager in its subnet.
type Role string

// The roles.
const (
	Looking   Role = "looking" // discovers the subnet
	Master    Role = "master"
	StandBy   Role = "standby"
	NotActive Role = "not active" // suspended by another manager
	Gone      Role = "ended"
)

// QueryCount counts queries to subnet administration for one attribute.
type QueryCount struct {
	Attribute string `json:"attribute"` // "other" stands for all attributes unknown to the specification
	Answered  int    `json:"answered"`  // answered, also with an empty answer
	Refused   int    `json:"refused"`   // not served, not allowed, not as a query must be, or too much
	Busy      int    `json:"busy"`      // answered busy: before the first round, or with a full queue
}

// Registered counts the registrations of clients with subnet administration, and the standbys with
// a copy of them.
type Registered struct {
	Services      int              `json:"services"`
	Subscriptions int              `json:"subscriptions"`
	Groups        int              `json:"groups"`             // multicast groups, including those of partitions
	Members       int              `json:"members"`            // of all groups together
	MLIDs         int              `json:"mlids"`              // multicast LIDs that all switches support
	MLIDsUsed     int              `json:"mlids_used"`         // that groups have; groups can share one
	Refused       sa.RefusedCounts `json:"refused_over_share"` // places refused to ports that hold their share, since the start
	Reports       sa.ReportCounts  `json:"reports"`            // to subscribers, since we are the master
	Standbys      int              `json:"standbys"`           // standbys that must confirm before weft acknowledges
	InStep        bool             `json:"in_step"`            // for a standby: it has a complete copy
	Rejected      int              `json:"rejected"`           // messages from managers with another mkey-secret, or another SM_Key if there is no secret
}
