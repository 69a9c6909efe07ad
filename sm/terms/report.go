package terms

import (
	"time"

	"weft/fabric"
	"weft/judge/quality"
)

// State is the way a round ended.
type State string

// The states.
const (
	Up          State = "SUBNET UP"
	UpInPart    State = "UP IN PART"   // something was left out, refused or not acknowledged
	Discovered  State = "DISCOVERED"   // Config.ReadOnly
	OtherMaster State = "OTHER MASTER" // another subnet manager is the master: nothing was written
	NotRouted   State = "NOT ROUTED"   // no switch or no proven Plan: no table was written
	Interrupted State = "INTERRUPTED"  // by Stop
	Failed      State = "FAILED"       // our own port does not answer
)

// IsUp reports whether the Plan of the round came into force, in part at least.
func (s State) IsUp() bool { return s == Up || s == UpInPart }

// IncidentKind is the code of an incident in logs and JSON.
type IncidentKind string

// The codes. Explain of package recording describes them for operators.
const (
	NoAnswer      IncidentKind = "no-answer"       // no answer to a mandatory attribute
	BadNode       IncidentKind = "bad-node"        // invalid NodeInfo or LID
	BadPortCount  IncidentKind = "bad-port-count"  // a node reports a wrong number of ports
	DuplicateGUID IncidentKind = "duplicate-guid"  // two nodes have the same GUID
	DuplicateLID  IncidentKind = "duplicate-lid"   // two ports were found with the same LID
	MovedCable    IncidentKind = "moved-cable"     // a cable was moved during the sweep
	Changed       IncidentKind = "changed"         // a port changed its state during the sweep
	OwnCable      IncidentKind = "own-cable"       // a cable joins two ports of one node
	Loopback      IncidentKind = "loopback"        // a port is cabled to itself
	OneSided      IncidentKind = "one-sided"       // a cable is visible from one end only
	TooMany       IncidentKind = "too-many"        // more nodes than there are LIDs
	OtherManager  IncidentKind = "other-manager"   // another subnet manager runs at a port
	Disbelieved   IncidentKind = "disbelieved"     // what says it is a manager is none of this subnet
	CutOff        IncidentKind = "cut-off"         // a node is reachable only through such parts
	TooFar        IncidentKind = "too-far"         // beyond the longest directed route
	NotAddressed  IncidentKind = "not-addressed"   // a port gets no LID: it has no switch behind it
	NoPlan        IncidentKind = "no-plan"         // all engines refused, or an option is wrong
	NotProven     IncidentKind = "not-proven"      // the judge found faults
	PlanKept      IncidentKind = "plan-kept"       // all engines refused: old Plan repaired
	NotRepaired   IncidentKind = "not-repaired"    // the old Plan could not be repaired
	NotTaken      IncidentKind = "not-taken"       // a Set was refused, or had no effect
	Unanswered    IncidentKind = "unanswered"      // a Set was not acknowledged
	HalfWritten   IncidentKind = "half-written"    // a switch holds part of its new table
	KeptClosed    IncidentKind = "kept-closed"     // a switch lacks its proven tables
	CongestionSet IncidentKind = "congestion-set"  // congestion control was written to devices
	NoLevel       IncidentKind = "no-level"        // a partition names a missing level of service
	NoMember      IncidentKind = "no-member"       // a member of a partition selects no port
	NoSwitch      IncidentKind = "no-switch"       // an engine's option names a switch that is not up
	NotEnough     IncidentKind = "not-enough-caps" // a port lacks capacity that the Plan needs
	NotSent       IncidentKind = "not-sent"        // this host could not send requests: no device is to blame
	NoRoom        IncidentKind = "no-room"         // a part does not fit the limits of a device, and is left out
	NotRead       IncidentKind = "not-read"        // stored data cannot be read
	OtherRules    IncidentKind = "other-rules"     // the previous master used other files than ours
	OthersLIDs    IncidentKind = "other-lids"      // another manager assigned LIDs since
	Locked        IncidentKind = "locked"          // a port has an unknown M_Key
	DisabledPort  IncidentKind = "disabled-port"   // a port was told to have no link
	NotStored     IncidentKind = "not-stored"      // the state file cannot be written
	StoredAgain   IncidentKind = "stored-again"    // it can, after it could not
	SetAside      IncidentKind = "set-aside"       // a damaged or old state file was renamed
	BroughtBack   IncidentKind = "brought-back"    // what the state file puts into force at the start

	// Of a Manager, between and around rounds.
	RoundBegun     IncidentKind = "round-begun"
	RoundEnds      IncidentKind = "round-ended"
	BetterPlan     IncidentKind = "better-plan"
	SweepFound     IncidentKind = "sweep-found"     // a light sweep found a change
	TrapCame       IncidentKind = "trap"            // a device reported an event
	WrongKey       IncidentKind = "wrong-key"       // a device got an SMP with a wrong M_Key
	KeysGiven      IncidentKind = "keys-given"      // ports have the changed M_Keys
	Standby        IncidentKind = "standby"         // another manager is the master
	Handover       IncidentKind = "handover"        // from one manager to another
	Contested      IncidentKind = "contested"       // another manager writes to our ports
	Uncontested    IncidentKind = "uncontested"     // it does so no more, or a person has decided
	Reregistration IncidentKind = "reregistration"  // clients are asked to register again
	TrapsUntold    IncidentKind = "traps-untold"    // traps too many to log one by one
	EntriesDropped IncidentKind = "entries-dropped" // packets were dropped for a moment
	MixedTables    IncidentKind = "mixed-tables"    // risks while tables are written
	OldLevels      IncidentKind = "old-levels"      // risks from hosts on old service levels
	PortOverShare  IncidentKind = "over-share"      // a port is refused more than its share
	NotSpread      IncidentKind = "not-spread"      // no multicast trees, or not on a switch
	FabricChanged  IncidentKind = "fabric-changed"  // a difference from the previous round

	// Of a Manager in service.
	Started         IncidentKind = "started"
	Ended           IncidentKind = "ended"
	FileFailed      IncidentKind = "file-not-written"
	TopologyWritten IncidentKind = "topology-written" // a topology file is written anew
	AskedFor        IncidentKind = "asked"            // an operator's request
	OtherPort       IncidentKind = "other-port"       // our port lost its link, another one is used
	NewSettings     IncidentKind = "settings-changed" // changed options are in force
	SettingsLater   IncidentKind = "settings-later"   // changed options that need a restart
	SettingsRefused IncidentKind = "settings-refused" // the configuration has errors
	ServerFailed    IncidentKind = "server-failed"    // a server has failed
	HookFailed      IncidentKind = "hook-failed"      // the program for events has failed
	CertificateDue  IncidentKind = "certificate-due"  // the certificate of the API expires soon
	CertificateBad  IncidentKind = "certificate-bad"  // it has expired, or is not valid yet

	NotDrained        IncidentKind = "not-drained"        // a part to be drained is missing, or the only way
	PartitionsWritten IncidentKind = "partitions-written" // a program has changed partitions
	WriteRefused      IncidentKind = "partitions-refused" // a program's write of partitions was refused
	PartitionHidden   IncidentKind = "partition-hidden"   // the file names a partition of programs
	JobStarted        IncidentKind = "job-started"        // a job has started on nodes of the subnet
	JobEnded          IncidentKind = "job-ended"          // it is over
	JobMoves          IncidentKind = "job-moves"          // what has moved for jobs that have started, or why nothing has
	JobRefused        IncidentKind = "job-refused"        // a start or an end was refused
	DrainTold         IncidentKind = "drain"              // something is drained, or no longer, on request
	DrainRefused      IncidentKind = "drain-refused"      // a drain request was refused

	NodeMissing       IncidentKind = "node-missing"       // a node has disappeared
	NodeReturned      IncidentKind = "node-returned"      // it is back
	NodeForgotten     IncidentKind = "node-forgotten"     // its LIDs can be reused
	NodeReplaced      IncidentKind = "node-replaced"      // another node is behind a port
	NodeRenamed       IncidentKind = "node-renamed"       // its NodeDescription has changed
	CableMoved        IncidentKind = "cable-moved"        // a port leads to another port
	CapabilityChanged IncidentKind = "capability-changed" // CapabilityMask of a port

	Deviation  IncidentKind = "deviation"   // something differs from the expected fabric
	AsExpected IncidentKind = "as-expected" // the deviation is over
	Stranger   IncidentKind = "stranger"    // an unexpected node is left out

	Quarantined  IncidentKind = "quarantined"   // a link that came back too often or does not become Active, or a deaf switch, is not used
	Released     IncidentKind = "released"      // it is used again
	OnlyWay      IncidentKind = "only-way"      // such a link stays in use: it is the only way
	Babbling     IncidentKind = "babbling"      // a port sends too much, or its link never comes to rest
	PortDisabled IncidentKind = "port-disabled" // such a port was disabled
	PortEnabled  IncidentKind = "port-enabled"  // a disabled port was enabled on request

	SpeedForced IncidentKind = "speed-forced" // the speed or width of a link is tried, or is in use
	SpeedUndone IncidentKind = "speed-undone" // a link did not return, and gets back what it had

	StuckChange IncidentKind = "stuck-change" // a PortStateChange cannot be cleared

	CounterPassed IncidentKind = "counter-passed" // a counter of a port grows faster than it should
	CounterCalm   IncidentKind = "counter-calm"   // it no longer does
	SubnetKnown   IncidentKind = "subnet-known"   // another subnet became known through the routers
	NotExchanged  IncidentKind = "not-exchanged"  // a router refused data of other subnets
)

// Incident is one event in the report or the log: a fault, an oddity or a message.
type Incident struct {
	Kind   IncidentKind
	Text   string
	At     Place
	Shared *Shared // with other incidents of the same cause; nil: nothing
	Lost   *Cable  // that is there no more; nil: none
	// Step is the time of the Manager's step that told it, as recorded; 0: it was told beside the
	// Manager. The Runner sets it.
	Step time.Duration
}

// Cable is a cable by its ports.
type Cable [2]fabric.PortName

// Place is the node or port of an Incident; zero for the whole subnet.
type Place struct {
	Node fabric.GUID // node GUID; 0: the whole subnet
	Name string      // node description
	Port int         // -1: the whole node
}

// Report is the outcome of a bring-up or a discovery.
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

// Found counts discovered nodes and links.
type Found struct{ Switches, CAs, Routers, Links int }

// LIDs counts the LIDs of the Plan.
type LIDs struct {
	Total  int
	Kept   int // ports that keep their LID
	MaxLMC uint8
	SM     fabric.LID // our own LID
}

// Routing describes the origin of the Plan.
type Routing struct {
	Asked   []string // the engines asked for; set by the runner
	Engine  string   // the engine that was run
	Choice  string   // how auto chose it, "" if it was named
	Kept    string   // fate of the old Plan, "" without one
	Refused []string // engines tried before, with their reasons
	VLs     int
	Check   *quality.Report
	// NoJobLanes says why jobs get no lanes of their own; "": they do, or none are asked for.
	NoJobLanes string
	NotTold    []string        // facts that hosts learn only from path records
	Held       *quality.Report // without a new Plan in force: the tables that switches hold; nil: unknown
}

// Written counts completed writes.
type Written struct {
	Tables int // switches with their complete new table
	Blocks int // forwarding-table blocks written and acknowledged
	Active int // link ends that are Active
}

// Datagrams counts SMPs, retries included.
type Datagrams struct {
	By      []Count
	Sent    int
	Retried int
}

// Count counts the SMPs of one method and attribute.
type Count struct {
	Method    string `json:"method"`
	Attribute string `json:"attribute"`
	Requests  int    `json:"requests"`
	Sent      int    `json:"sent"` // retries included
	Failed    int    `json:"failed"`
}

// Time holds the duration of a run and its phases; set by the runner.
type Time struct {
	Seconds float64
	Phases  []PhaseTime
}

// PhaseTime is the duration of a phase, in seconds.
type PhaseTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Find returns the first incident of a kind, nil if there is none.
func (r *Report) Find(k IncidentKind) *Incident {
	for i := range r.Incidents {
		if r.Incidents[i].Kind == k {
			return &r.Incidents[i]
		}
	}
	return nil
}
