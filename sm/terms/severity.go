package terms

import (
	"fmt"
	"slices"
)

// Severity says how urgent an incident is. Its numbers are the same as in syslog and journald: the
// lower the more urgent.
type Severity uint8

// The severities.
const (
	Error   Severity = 3 // hosts may be cut off, or the manager cannot do its work: act now
	Warning Severity = 4 // something is broken, left out or at risk: act soon
	Notice  Severity = 5 // the subnet or the manager has changed: to be known
	Info    Severity = 6 // what the manager does by itself
)

// byUrgency lists the severities, the most urgent first.
var byUrgency = []Severity{Error, Warning, Notice, Info}

var severityNames = map[Severity]string{Error: "error", Warning: "warning", Notice: "notice", Info: "info"}

// String returns the name of the severity.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity is the inverse of String.
func ParseSeverity(name string) (Severity, error) {
	i := slices.IndexFunc(byUrgency, func(s Severity) bool { return s.String() == name })
	if i < 0 {
		return 0, fmt.Errorf("%q is no severity: want error, warning, notice or info", name)
	}
	return byUrgency[i], nil
}

// Severity returns how urgent incidents of a code are; Warning unless the table says otherwise.
func (k IncidentKind) Severity() Severity {
	if s, ok := severities[k]; ok {
		return s
	}
	return Warning
}

// severities ranks the codes that are no warnings.
var severities = map[IncidentKind]Severity{
	NoPlan: Error, NotProven: Error, NotStored: Error, ServerFailed: Error, CertificateBad: Error, NotSpread: Error, KeptClosed: Error, HalfWritten: Error, NotSent: Error, Contested: Error,

	Changed: Notice, MovedCable: Notice, PlanKept: Notice, NotRepaired: Notice, OthersLIDs: Notice, OtherManager: Notice, DisabledPort: Notice, KeysGiven: Notice, Standby: Notice,
	JobRefused: Notice, JobStarted: Info, JobEnded: Info, JobMoves: Info,
	PartitionsWritten: Notice, WriteRefused: Notice, PartitionHidden: Warning,
	Handover: Notice, Reregistration: Notice, FabricChanged: Notice, Started: Notice, Ended: Notice, AskedFor: Notice, NewSettings: Notice, TopologyWritten: Notice,
	DrainTold: Notice, DrainRefused: Notice, NodeReturned: Notice, NodeForgotten: Notice, NodeReplaced: Notice, NodeRenamed: Notice,
	CableMoved: Notice, AsExpected: Notice, StoredAgain: Notice, BroughtBack: Notice, PortEnabled: Notice, Released: Notice, Uncontested: Notice, CounterCalm: Notice, TrapCame: Notice, SubnetKnown: Notice, SpeedForced: Notice,

	RoundBegun: Info, RoundEnds: Info, BetterPlan: Info, SweepFound: Info, TrapsUntold: Info, CongestionSet: Info, EntriesDropped: Info, MixedTables: Info, OldLevels: Info,
	CapabilityChanged: Info,
}
