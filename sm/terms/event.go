package terms

import (
	"errors"
	"time"

	"weft/fabric"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/route/multicast"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// EventKind is the kind of an Event.
type EventKind uint8

// The events.
const (
	Start          EventKind = iota // begin; once, first
	Answer                          // a Send has ended
	Planned                         // a Route has ended
	Claimed                         // a Claim has succeeded
	PauseEnds                       // a Pause has ended
	Stop                            // end soon: send no more
	Unasked                         // to a Manager: a datagram came that answers no request
	Tick                            // to a Manager: the time of its Wake has come
	Reconfigure                     // to a Manager: Settings have changed
	Resweep                         // to a Manager: begin a round that reads all tables
	Rebalance                       // to a Manager: begin a round that routes from scratch
	Stored                          // a Store has ended, well or with Err
	DrainPart                       // to a Manager: drain part Name; Decided follows, with the Tag
	UndrainPart                     // to a Manager: use it again; also ends a quarantine
	MembersChanged                  // to a Manager: group members changed; TakeMembers follows
	MembersTold                     // to a Manager: Members lists the members of all groups
	_                               // old recordings hold seven former kinds, now News
	_
	_
	_
	_
	NeighboursTold // to a Manager: Neighbours lists cables that the master found
	_
	_
	Told        // to a Manager: News has come
	LinkChanged // to a round, from its Manager: a link has changed its state
	Improved    // to a Manager: an Improve has ended
	// WritePartitions has a Manager carry out Write; Decided follows, with the Tag.
	WritePartitions
	ClockSet // to a Manager: the clock of the machine was set, and Epoch is another
	// WriteJobs tells a Manager of jobs that start or end; Decided follows, with the Tag.
	WriteJobs
	Computed // to a Manager: a Compute has ended
)

// Outcome is the way a Send ended.
type Outcome uint8

// The outcomes.
const (
	Answered  Outcome = iota // with status 0
	Refused                  // with another status
	Silent                   // no answer to any attempt
	Cancelled                // ended early; Attempts says whether it was sent
)

// LastEventKind is the last of the kinds.
const LastEventKind = Computed

// Event is an input of a round or a Manager. The fields after Kind belong to some kinds only.
type Event struct {
	Kind EventKind

	// Of Answer.
	Tag      uint64 // the Send's; also of DrainPart and UndrainPart: the caller's
	Outcome  Outcome
	Attempts int        // number of times it was sent
	Status   mad.Status // if Refused
	Data     [64]byte   // the attribute, if Answered

	// Of Planned and Improved. Err says why there is no Plan or no judgement; of Stored, why
	// storing failed.
	Result *planner.Result
	Err    error
	Way    *planner.Transition // steps from the tables in force to this Plan; nil: unknown
	Other  string              // why an inherited Plan differs from our options, "" if it does not
	Less   []string            // what devices have less of than was asked for, in words
	// NoJobLanes says why jobs get no lanes though they are asked for; "": they do, or are not.
	NoJobLanes string
	More       bool            // engines were left out that may be better, as the request allows
	Unfit      error           // why Request.Better is not used; nil: it is, or there was none
	Held       *quality.Report // if Err, or without a proof: the tables that switches hold; nil: unknown

	// Of Unasked: a copy that the Manager owns.
	Datagram *wire.Datagram

	Settings *Settings // of Reconfigure

	Name string // of DrainPart and UndrainPart; of Resweep and Rebalance the reason, "" for a request
	By   string // of the same: who asks; "" if that is not known

	Write *partition.Write // of WritePartitions
	Jobs  *JobWrite        // of WriteJobs

	Members []sa.Members // of MembersTold

	Neighbours []Neighbour   // of NeighboursTold
	Epoch      time.Duration // of ClockSet, see Watch.Epoch
	News       *News         // of Told
}

// News reports from subnet administration to the Manager: messages from other managers, and
// consequences of registrations.
type News struct {
	// From the master that we stand by for: LIDs of ports, trees of multicast groups, the Plan in
	// the format of planner.Kept.Bare, and its Rules as JSON. nil: nothing new.
	LIDs  LIDMap
	Trees []multicast.TreeByLID
	Plan  []byte
	Rules []byte

	Aliases map[fabric.GUID]fabric.GUID `json:",omitzero"` // port GUIDs by alias; nil: unchanged

	MasterMissed bool          // that master has stopped sending
	MayTakeOver  []fabric.GUID // ports of managers fit for a handover; nil: unchanged
	Reregister   bool          // ask clients to register again
}

// RulesToTell holds the Rules as JSON, to be sent to standbys. The higher Number is the newer.
type RulesToTell struct {
	Number uint64
	Data   []byte
}

// ActionKind is the kind of an Action.
type ActionKind uint8

// The actions.
const (
	Send  ActionKind = iota // send an SMP; Answer follows
	Route                   // compute and judge a Plan by Request; Planned follows
	Claim                   // set IsSM at our port; Claimed follows
	Pause                   // give packets under way time to leave; PauseEnds follows
	Phase                   // phase Name begins
	Note                    // an Incident
	Store                   // make Result.Record durable; Stored follows, even after Stop
	Done                    // the end; Report is complete

	// Of a Manager only.
	Wake        // send a Tick at At, in place of any earlier wish
	Reply       // send Datagram, which gets no answer
	RoundEnded  // a round has ended: Manager.Result has its Report
	TakeMembers // MembersTold is wanted
	// End cancels the SMPs of this Group: those not sent yet at once, others when the present
	// attempt times out.
	End
	Decided   // the outcome of a request: its Tag, Name, and Err, nil if accepted
	TellRules // send Manager.RulesToTell to the standbys
	// Improve computes a better Plan by Request beside all else, and rests while the Manager is at
	// work; Improved follows. It ends an earlier Improve, whose event then does not come. Without a
	// Request that is all.
	Improve
	// Compute calls Do beside all else; Computed follows. There is one at a time.
	Compute
)

// Action is a request of a round or a Manager. Path and Data are valid until the next Step.
type Action struct {
	Kind ActionKind

	// Of Send: a directed-route SMP.
	Tag      uint64
	Method   mad.Method
	Attr     mad.AttrID
	Modifier uint32
	Path     []byte // egress port of every hop
	Data     []byte // the attribute, of a Set
	Key      uint64 // M_Key
	Once     bool   // do not repeat it if no answer comes

	Request  *RouteRequest // of Route and Improve
	Name     string
	Err      error
	Drains   *Drains // of Decided: the drains to remember over a restart; nil: unchanged
	Wrote    *Wrote  // the same for partitions of programs
	Jobs     *RunningJobs
	Incident Incident
	At       time.Duration
	Datagram *wire.Datagram
	Do       func() // of Compute: it depends on nothing else, and nobody waits for it in Step
}

// Wrote holds the partitions of programs, to be remembered over a restart.
type Wrote struct {
	partition.Owned
	Done  partition.Done
	Order uint64 // set by the Runner: a later one has a higher number
}

// RouteRequest asks for a Plan for a Graph, and says what to keep of earlier Plans.
type RouteRequest struct {
	Graph     *fabric.Graph
	Stored    LIDMap
	Trees     []multicast.TreeByLID // of the previous master
	NoGroups  []bool                // switches that hold no multicast table; nil: none
	Absent    []route.Absent        // ports outside the Graph that keep their LIDs
	Kept      *planner.Kept         // the Plan in force, to be repaired; nil: the planner's own
	Found     *planner.Kept         // the tables that devices hold, if not Kept; nil: unknown
	Inherited bool                  // Kept is the previous master's, maybe by other options
	Multicast bool                  // the Plan needs trees for multicast groups
	Levels    levels.Levels         // of service
	// FreshLIDs allows new LIDs if the options ask for them: none of ours or of a previous weft
	// master are in force.
	FreshLIDs bool
	Afresh    bool // route from scratch, and repair Kept only if all refuse
	Moves     int  // entries that may move to less loaded links besides
	// Later allows a Plan at once and a better one later: where auto tries several engines, Kept is
	// repaired, or else the first proven Plan is taken.
	Later    bool
	Unproven bool    // the better Plan may be used though the judge finds faults
	Beside   bool    // it is the better one: of Improve
	Better   *Better // that has been planned beside the loop, to be used if it is still good; nil: none
	// Jobs lists the jobs that run: a routing from scratch moves paths for them. With Turn, entries
	// of Kept move only for the jobs with these indices, MostMoves at most.
	Jobs      []Job
	Turn      []int
	MostMoves int
}

// Better is a Plan that was made beside the loop.
type Better struct {
	Kept    *planner.Kept
	Choice  *planner.Choice // how auto chose it
	Asked   bool            // a person or new settings want it, whatever it delivers
	ForJobs bool            // it is the Plan in force with entries moved for jobs that have started
}

// Group returns the number of the group that one End cancels, never 0: the SMPs of a round, or
// of one activity between rounds.
func (a *Action) Group() uint64 {
	switch first := a.Tag >> 56; first {
	case BlockTag:
		return SweepTag
	case SweepTag, LookTag, GroupTag, ElectionTag, KeyTag, PortTag, SpeedTag:
		return first
	default:
		return roundGroup
	}
}

// The first bytes of the tags of SMPs outside rounds.
const (
	SweepTag    = 0xFF // light sweep: number of the sweep, node
	ElectionTag = 0xFE // to another manager: modifier of a Set, 0 for a poll, or askedOwnPort
	LookTag     = 0xFD // ports read between rounds: number of the reading, slot
	BlockTag    = 0xFC // table read by a light sweep: its number, nodes + list index
	KeyTag      = 0xFB // PortInfo with the M_Key, to renew the lease: 56 bits of the port GUID
	GroupTag    = 0xFA // multicast tables: number of the update, index of the block
	PortTag     = 0xF9 // to disable or enable a port: number of the order
	SpeedTag    = 0xF8 // to force or read the speed of a port: ReadsSpeed, number of the order
)

// ReadsSpeed marks the tag of an SMP that reads the speed of a port.
const ReadsSpeed uint64 = 1 << 55

// roundGroup is the Group of the SMPs of a round.
const roundGroup = 1

// Never is later than all times.
const Never = time.Duration(1<<63 - 1)

// AnswerEvent returns the Answer for a finished request.
func AnswerEvent(res *wire.Result) Event {
	ev := Event{Kind: Answer, Tag: res.Tag, Attempts: res.Attempts}
	var status *wire.StatusError
	switch {
	case res.Err == nil:
		copy(ev.Data[:], res.Reply.MAD.Data())
	case errors.As(res.Err, &status):
		ev.Outcome, ev.Status = Refused, status.Status
	case errors.Is(res.Err, wire.ErrTimeout):
		ev.Outcome = Silent
	default:
		ev.Outcome = Cancelled
	}
	return ev
}

// NewsEvent returns the event that reports news to a Manager.
func NewsEvent(n *News) *Event { return &Event{Kind: Told, News: n} }
