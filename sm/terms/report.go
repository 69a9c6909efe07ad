package terms

import (
	"weft/fabric"
	"weft/judge/quality"
)

// State says how a run ended.
type State string

// The ends.
const (
	Up          State = "SUBNET UP"
	UpInPart    State = "UP IN PART"   // something was left out, not taken or not acknowledged
	Discovered  State = "DISCOVERED"   // Config.ReadOnly
	OtherMaster State = "OTHER MASTER" // another subnet manager is the master: nothing was written
	NotRouted   State = "NOT ROUTED"   // no switch, no Plan, or not a proven one: no table was written
	Interrupted State = "INTERRUPTED"  // by Stop
	Failed      State = "FAILED"       // our own port does not answer
)

// IncidentKind names what went wrong.
type IncidentKind string

// The incidents.
const (
	NoAnswer      IncidentKind = "no-answer"       // a node answers nothing, or not what it must
	BadNode       IncidentKind = "bad-node"        // a NodeInfo that no node may give
	BadPortCount  IncidentKind = "bad-port-count"  // a node lies about how many ports it has
	DuplicateGUID IncidentKind = "duplicate-guid"  // two nodes have one GUID
	DuplicateLID  IncidentKind = "duplicate-lid"   // two ports were found with one LID
	MovedCable    IncidentKind = "moved-cable"     // a cable was moved during the sweep
	Changed       IncidentKind = "changed"         // a port changed its state during the sweep
	OwnCable      IncidentKind = "own-cable"       // a cable joins two ports of one node
	Loopback      IncidentKind = "loopback"        // a port is cabled to itself
	OneSided      IncidentKind = "one-sided"       // a cable shows from one end only
	TooMany       IncidentKind = "too-many"        // more nodes than there are LIDs
	OtherManager  IncidentKind = "other-manager"   // another subnet manager runs at a port
	CutOff        IncidentKind = "cut-off"         // a node is only behind what was left out
	TooFar        IncidentKind = "too-far"         // beyond the longest directed route
	NotAddressed  IncidentKind = "not-addressed"   // a port gets no LID: no switch is behind it
	NoPlan        IncidentKind = "no-plan"         // every engine refused, or an option of one was wrong
	NotProven     IncidentKind = "not-proven"      // the judge found faults
	PlanKept      IncidentKind = "plan-kept"       // every engine refused: the old Plan was repaired
	NotRepaired   IncidentKind = "not-repaired"    // the old Plan could not be repaired: it was routed afresh
	NotTaken      IncidentKind = "not-taken"       // a node refused a Set, or holds another table after it
	Unanswered    IncidentKind = "unanswered"      // a Set was sent and not acknowledged: the node may hold it or not
	HalfWritten   IncidentKind = "half-written"    // a switch holds some blocks of the new table and not others
	KeptClosed    IncidentKind = "kept-closed"     // a switch does not hold what was proven: its links that are not Active stay so
	CongestionSet IncidentKind = "congestion-set"  // devices were told how to control congestion
	NoLevel       IncidentKind = "no-level"        // a partition asks for a level of service that is not there
	NotEnough     IncidentKind = "not-enough-caps" // a port cannot hold what the Plan needs
	NotRead       IncidentKind = "not-read"        // what was stored cannot be read
	OtherRules    IncidentKind = "other-rules"     // the master before us went by other files than ours
	OthersLIDs    IncidentKind = "other-lids"      // ports have LIDs that another manager has given since
	Locked        IncidentKind = "locked"          // a port has an M_Key that is not known
	NotStored     IncidentKind = "not-stored"      // what must outlive the manager could not be written to its file of state

	// Of a Manager, between and around rounds.
	RoundBegun     IncidentKind = "round-begun"
	RoundEnds      IncidentKind = "round-ended"
	SweepFound     IncidentKind = "sweep-found"     // a light sweep has found a change
	TrapCame       IncidentKind = "trap"            // a device has told of something
	WrongKey       IncidentKind = "wrong-key"       // somebody has sent a device an SMP without its M_Key
	KeysGiven      IncidentKind = "keys-given"      // M_Keys were told otherwise, and ports have theirs
	Standby        IncidentKind = "standby"         // another manager is the master
	Handover       IncidentKind = "handover"        // from a manager to another
	Reregistration IncidentKind = "reregistration"  // clients are asked to register again
	TrapsUntold    IncidentKind = "traps-untold"    // more traps than are told one by one
	EntriesDropped IncidentKind = "entries-dropped" // packets to LIDs that change were dropped for a moment
	MixedTables    IncidentKind = "mixed-tables"    // what can happen while tables are written
	OldLevels      IncidentKind = "old-levels"      // what hosts that have not asked again can bring about
	NotSpread      IncidentKind = "not-spread"      // multicast groups have no trees, or a switch does not hold them
	FabricChanged  IncidentKind = "fabric-changed"  // what the subnet has now and had not before, or the other way round

	// Of a Manager in service.
	Started         IncidentKind = "started"
	Ended           IncidentKind = "ended"
	FileFailed      IncidentKind = "file-not-written"
	AskedFor        IncidentKind = "asked"            // what an operator wants
	OtherPort       IncidentKind = "other-port"       // our port has no link any more, and another one is used
	NewSettings     IncidentKind = "settings-changed" // options hold from now on
	SettingsLater   IncidentKind = "settings-later"   // options that hold from the start on have changed
	SettingsRefused IncidentKind = "settings-refused" // the configuration is wrong
	ServerFailed    IncidentKind = "server-failed"    // the socket is not served any more

	NotDrained   IncidentKind = "not-drained"   // what is to be drained is not there, or the only way
	DrainTold    IncidentKind = "drain"         // something is drained, or no more, as told
	DrainRefused IncidentKind = "drain-refused" // it is not

	NodeMissing       IncidentKind = "node-missing"       // a node is not there any more
	NodeReturned      IncidentKind = "node-returned"      // it is there again
	NodeForgotten     IncidentKind = "node-forgotten"     // its LIDs may be given to others
	NodeReplaced      IncidentKind = "node-replaced"      // another node is behind a port
	NodeRenamed       IncidentKind = "node-renamed"       // its NodeDescription has changed
	CableMoved        IncidentKind = "cable-moved"        // a port leads to another one
	CapabilityChanged IncidentKind = "capability-changed" // the CapabilityMask of a port

	Deviation  IncidentKind = "deviation"   // something is not as it is expected
	AsExpected IncidentKind = "as-expected" // it is
	Stranger   IncidentKind = "stranger"    // a node that is not expected is left out

	Quarantined IncidentKind = "quarantined"  // a link came back too often and is not used
	Released    IncidentKind = "released"     // it is used again
	OnlyWay     IncidentKind = "only-way"     // it is used all the same
	StuckChange IncidentKind = "stuck-change" // a PortStateChange cannot be cleared

	CounterPassed IncidentKind = "counter-passed" // a counter of a port grows faster than it should
	CounterCalm   IncidentKind = "counter-calm"   // it does so no more
	SubnetKnown   IncidentKind = "subnet-known"   // another subnet is known, by what its manager has told the routers
	NotExchanged  IncidentKind = "not-exchanged"  // a router does not take what it is told
)

// Incident is one thing that went wrong, is odd, or that a Manager tells.
type Incident struct {
	Kind IncidentKind
	Text string
	At   Place
}

// Place is the node, or the port, that an Incident is about; of the subnet as a whole
// it is zero.
type Place struct {
	Node fabric.GUID // node GUID
	Name string      // node description
	Port int         // -1: the node as a whole
}

// Report says how a bring-up or a discovery went.
type Report struct {
	State     State
	Sweeps    int
	Found     Found
	LIDs      LIDs
	Routing   Routing
	Drained   []string // switches and cables, by name
	Written   Written
	SMPs      Datagrams
	Time      Time
	Incidents []Incident
}

// Found counts what discovery found.
type Found struct{ Switches, CAs, Routers, Links int }

// LIDs counts the LIDs of the Plan.
type LIDs struct {
	Total  int
	Kept   int // ports that keep the LID they had
	MaxLMC uint8
	SM     fabric.LID // the subnet manager's
}

// Routing says where the Plan came from.
type Routing struct {
	Asked   []string // engines, by the runner
	Engine  string   // the one that was run
	Choice  string   // how engine auto chose it, "" where it was named
	Kept    string   // what became of the old Plan that was to be kept, "" without one
	Refused []string // those before it, with their reasons
	VLs     int
	Check   *quality.Report
	NotTold []string // what hosts must know of the Plan and learn from path records alone
}

// Written counts what holds the Plan.
type Written struct {
	Tables int // switches that hold their new table in full
	Blocks int // of forwarding tables that were written and acknowledged
	Active int // ends of links that are Active
}

// Datagrams counts SMPs, repetitions included.
type Datagrams struct {
	By      []Count
	Sent    int
	Retried int
}

// Count counts the SMPs of one attribute and method.
type Count struct {
	Method    string `json:"method"`
	Attribute string `json:"attribute"`
	Requests  int    `json:"requests"`
	Sent      int    `json:"sent"` // repetitions included
	Failed    int    `json:"failed"`
}

// Time holds how long the run and its phases took, in seconds, by the runner.
type Time struct {
	Seconds float64
	Phases  []PhaseTime
}

// PhaseTime holds how long a phase took, in seconds.
type PhaseTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Find returns the first incident of a kind, nil when there is none.
func (r *Report) Find(k IncidentKind) *Incident {
	for i := range r.Incidents {
		if r.Incidents[i].Kind == k {
			return &r.Incidents[i]
		}
	}
	return nil
}
