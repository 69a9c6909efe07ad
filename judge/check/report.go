package check

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// Answer is yes, no or unknown.
type Answer int8

// The answers.
const (
	Unknown Answer = iota
	Yes
	No
)

// String returns unknown, yes or no.
func (a Answer) String() string { return [...]string{"unknown", "yes", "no"}[a] }

// MarshalJSON writes null, true or false.
func (a Answer) MarshalJSON() ([]byte, error) {
	return []byte([...]string{"null", "true", "false"}[a]), nil
}

// UnmarshalJSON reads null, true or false.
func (a *Answer) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*a = Unknown
	case "true":
		*a = Yes
	case "false":
		*a = No
	default:
		return fmt.Errorf("check: %s is not an answer (want true, false or null)", b)
	}
	return nil
}

// Report holds the judge's findings.
type Report struct {
	// OK says that the Plan is proven: nothing unreachable, no invalid name, choice or lane, and no
	// dependency cycle. Disconnected pairs are no fault of the Plan. OK is false without any fault
	// if the deadlock verdict is unknown, if end ports have no LID, or if something is unclear.
	OK bool `json:"ok"`
	Size
	Reachability
	Deadlock
	Multicast *Multicast `json:"multicast,omitempty"` // nil if the Plan has no trees for groups

	Faults   []Finding `json:"faults"`   // the reasons for OK false, except cycles
	Warnings []Finding `json:"warnings"` // findings that are no faults; NoLID and Unclear prevent a proof
}

// Size counts the parts of the fabric and the LIDs.
type Size struct {
	Switches int `json:"switches"`
	Hosts    int `json:"hosts"` // CA and router ports, without aggregation nodes
	Channels int `json:"channels"`
	LIDs     int `json:"lids"`

	Aggregation int `json:"aggregation_nodes,omitempty"` // ports of CAs inside switches; not hosts
}

// Reachability counts pairs of a source end port and a LID that it may use, for hosts and switches
// together.
type Reachability struct {
	Pairs        int64 `json:"pairs"`        // assigned
	Unreachable  int64 `json:"unreachable"`  // not delivered, though a way exists
	Disconnected int64 `json:"disconnected"` // not delivered, and no way exists
	Discarded    int64 `json:"discarded"`    // delivered by the tables, but an SL2VL table drops them
	OneWay       int64 `json:"one_way"`      // (end port, end port): a path leads there, but none back
	Loops        int64 `json:"loops"`        // rings of switches, counted by LID
}

// Deadlock holds the verdicts on four kinds of traffic.
type Deadlock struct {
	// DeadlockFree is the verdict on Assigned.
	DeadlockFree Answer `json:"deadlock_free"`
	// VLs is the number of VLs of assigned traffic, 0 if unknown.
	VLs int `json:"vls"`
	// ChannelVLs holds by channel the VLs of assigned traffic, as a set of bits; nil when unknown.
	ChannelVLs []uint16 `json:"-"`
	Cycle      []Hold   `json:"cycle"` // of Assigned

	// Deliveries is the number of dependencies of a channel on the link to a host, whatever the VL.
	// They are on no cycle and not among the edges of a Verdict.
	Deliveries int64 `json:"deliveries"`

	Assigned Verdict `json:"assigned"`  // every assigned pair with its reply
	AnyDLID  Verdict `json:"any_dlid"`  // every LID that a source could use
	HostOnly Verdict `json:"host_only"` // assigned pairs of hosts alone
	// NoPathRecord adds to Assigned clients that never ask for a path record: every source to every
	// LID on Service.Default.
	NoPathRecord Verdict `json:"no_path_record"`
}

// Verdict answers whether one kind of traffic can deadlock.
type Verdict struct {
	DeadlockFree Answer `json:"deadlock_free"`
	// OneLane says that the lanes are unknown and the judge put all packets on one. Acyclic is then
	// a proof for any lanes; cyclic leaves the answer unknown.
	OneLane bool `json:"one_lane"`
	// Edges is the number of dependencies between (channel, VL) pairs.
	Edges int64 `json:"edges"`
	// Cycle is a shortest cycle of dependencies, empty when there is none.
	Cycle []Hold `json:"cycle"`
	// Shortest says that no shorter cycle exists; false if the search stopped early.
	Shortest bool `json:"shortest"`
}

// Hold is a channel and VL on a cycle, held by a packet that waits for the next one.
type Hold struct {
	Channel int32           `json:"channel"`
	From    fabric.PortName `json:"from"` // port of a switch
	To      fabric.PortName `json:"to"`
	VL      uint8           `json:"vl"`
	// Such a packet: its source, LID and SL.
	Source fabric.PortName `json:"source"`
	LID    fabric.LID      `json:"lid"`
	SL     uint8           `json:"sl"`
}

// Kind names a kind of finding.
type Kind string

// The kinds of findings. Kinds about entries count table entries and, under Pairs, the assigned
// pairs lost through them. Kinds about VLs count VLs of ports, for packets of groups too.
const (
	Names        Kind = "names"           // LIDs that the specification forbids
	NoLID        Kind = "no-lid"          // warning: end ports without a LID
	Unclear      Kind = "unclear"         // warning: the source of the Plan leaves something open
	NoEntry      Kind = "no-entry"        // no port for a LID that can be reached
	DeadPort     Kind = "dead-port"       // a port that does not exist, or has no link in use: none, down or drained
	WrongEnd     Kind = "wrong-end"       // delivered to another end port
	BeyondTable  Kind = "beyond-table"    // LID beyond LinearFDBCap
	Loop         Kind = "loop"            // a ring of switches
	OneWayPair   Kind = "one-way"         // no way back
	BadChoice    Kind = "choice"          // a row of Choice with a LID that its target does not have
	NoSL         Kind = "no-sl"           // a source or LID without a valid SL class
	VLBeyondPort Kind = "vl-beyond-port"  // a VL that the port does not have
	VLBeyondPlan Kind = "vl-beyond-plan"  // warning: more VLs than Plan.VLs says
	DiscardVL    Kind = "discard-vl"      // VL 15 for an SL in use
	NoWeight     Kind = "no-weight"       // traffic on a VL without weight in arbitration
	Starved      Kind = "starved-vl"      // traffic on a VL that waits as long as another VL has packets
	BadTree      Kind = "multicast-tree"  // a tree for multicast groups that is no tree
	DrainedUsed  Kind = "drained-transit" // warning: traffic through a drained switch
	StaleEntry   Kind = "stale-entry"     // warning: entries for LIDs without an owner
)

// Finding is a kind of fault with its number and first examples.
type Finding struct {
	Kind     Kind           `json:"kind"`
	Count    int64          `json:"count"`
	Pairs    int64          `json:"pairs,omitempty"`
	Examples []route.Remark `json:"examples"`
}

// Find returns the finding of a kind, or nil.
func (r *Report) Find(k Kind) *Finding {
	for _, list := range [][]Finding{r.Faults, r.Warnings} {
		for i := range list {
			if list[i].Kind == k {
				return &list[i]
			}
		}
	}
	return nil
}
