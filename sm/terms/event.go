package terms

import (
	"errors"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/route/multicast"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// EventKind says what happened.
type EventKind uint8

// The events.
const (
	Start          EventKind = iota // begin; once, first
	Answer                          // a Send has ended
	Planned                         // a Route has ended
	Claimed                         // a Claim has ended well
	PauseEnds                       // a Pause has ended
	Stop                            // end soon: send no more
	Unasked                         // to a Manager: a datagram has come that answers no request
	Tick                            // to a Manager: the time has come that it asked for by Wake
	Reconfigure                     // to a Manager: Settings are told anew
	Resweep                         // to a Manager: a round is asked for
	Rebalance                       // to a Manager: one that routes all afresh
	Stored                          // a Store has ended, well or with Err
	DrainPart                       // to a Manager: take a switch or a cable out of use, Name; Decided follows, with the Tag
	UndrainPart                     // to a Manager: use it again, a link in quarantine too
	MembersChanged                  // to a Manager: members of multicast groups have changed; TakeMembers follows
	MembersTold                     // to a Manager: Members are those of all groups
	_                               // seven kinds were what a News is now: recordings have their numbers
	_
	_
	_
	_
	NeighboursTold // to a Manager: Neighbours are those that the master has found
	_
	_
	Told        // to a Manager: News has come
	LinkChanged // to a round, by its Manager: a link has changed its state
)

// Outcome says how a Send ended.
type Outcome uint8

// The outcomes.
const (
	Answered  Outcome = iota // status 0
	Refused                  // another status
	Silent                   // no answer to any attempt
	Cancelled                // ended early; it may have been sent, if Attempts says so
)

// Event is something that happened to a round or a Manager.
type Event struct {
	Kind EventKind

	// Of an Answer.
	Tag      uint64 // the Send's
	Outcome  Outcome
	Attempts int        // times it was sent
	Status   mad.Status // of one Refused
	Data     [64]byte   // the attribute, of one Answered

	// Of Planned. Err says why there is no Plan, or none that was judged; of Stored, why nothing was stored.
	Result *planner.Result
	Err    error
	Way    *planner.Transition // from what the devices hold to this Plan; nil where that is not known
	Other  string              // of a Plan of the manager before us: why it is not what is asked for here, "" where it is

	// Of Unasked: a copy, which is the Manager's.
	Datagram *wire.Datagram

	Settings *Settings // of Reconfigure

	Name string // of DrainPart and UndrainPart

	Members []sa.Members // of MembersTold

	Neighbours []Neighbour // of NeighboursTold
	News       *News       // of Told
}

// News holds what subnet administration tells the Manager: what other managers have told it, and what
// follows from what clients have registered.
type News struct {
	// The master that we stand by for has given ports these LIDs, has these trees for multicast groups,
	// this Plan, as planner.Kept.Bare writes it, and goes by these Rules, as JSON. Each is nil where it
	// tells nothing new.
	LIDs  LIDMap
	Trees []multicast.TreeByLID
	Plan  []byte
	Rules []byte

	MasterMissed bool          // that master tells no more what it does
	MayTakeOver  []fabric.GUID // ports of managers that the subnet may be handed over to, where we Replicate; nil: as before
	Reregister   bool          // clients are to register with subnet administration again
}

// RulesToTell holds Rules as JSON, for managers that stand by. Of two the one with the higher number is the later one.
type RulesToTell struct {
	Number uint64
	Data   []byte
}

// ActionKind says what a round or a Manager wants done.
type ActionKind uint8

// The actions.
const (
	Send  ActionKind = iota // send an SMP; its end comes back as an Answer
	Route                   // compute and judge a Plan by Request that keeps the LIDs in use, those Stored before all; it comes back as Planned
	Claim                   // set IsSM at our port; Claimed says that it is
	Pause                   // packets under way need time to leave; PauseEnds says that it is over
	Phase                   // a phase of the work begins: Name
	Note                    // an Incident
	Store                   // make Result.Record durable; Stored says how that ended, before the round ends or after Stop
	Done                    // the end: Report has all

	// Of a Manager alone.
	Wake        // a Tick is wanted at At, in place of any earlier wish
	Reply       // send Datagram, which wants no answer
	RoundEnded  // a round has ended: Manager.Result has its Report
	TakeMembers // the members of multicast groups are wanted: MembersTold
	End         // end the SMPs of this Group that are under way: those not sent yet at once, others when the present attempt has no answer
	Decided     // what an event wanted is taken, or refused: its Tag, Name, and Err, nil where it is taken
	TellRules   // managers that stand by are to be told what we go by: Manager.RulesToTell has it
)

// Action is something that a round or a Manager wants done. Path and Data are valid until the
// next Step.
type Action struct {
	Kind ActionKind

	// Of a Send: a directed-route SMP.
	Tag      uint64
	Method   mad.Method
	Attr     mad.AttrID
	Modifier uint32
	Path     []byte // egress port of every hop
	Data     []byte // the attribute, of a Set
	Key      uint64 // M_Key
	Once     bool   // it is not sent again where no answer comes

	Request  *RouteRequest // of a Route
	Name     string
	Err      error
	Drains   *Drains // of Decided: what is to be drained from now on, to be known by a restart; nil where nothing has changed
	Incident Incident
	At       time.Duration
	Datagram *wire.Datagram
}

// RouteRequest says of which fabric a Plan is wanted, and what of earlier ones it is to keep.
type RouteRequest struct {
	Graph     *fabric.Graph
	Stored    LIDMap
	Trees     []multicast.TreeByLID // those of the manager before us
	Absent    []route.Absent        // ports that are not in the Graph and keep their LIDs
	Kept      *planner.Kept         // the Plan in force, to be repaired; nil for that of the job
	Found     *planner.Kept         // what the devices hold, where that is not Kept; nil where nobody knows
	Inherited bool                  // Kept is the Plan of the manager before us, which may not be what we are asked for
	Multicast bool                  // the Plan is to have trees for multicast groups
	Levels    levels.Levels         // of service
	FreshLIDs bool                  // nothing of ours, or of a manager before us, is in force: LIDs may be given afresh, where that is asked for
	Afresh    bool                  // with Kept: routed afresh, and repaired where the engines refuse
}

// Group names the SMPs that an End ends together, and is not 0: those of a round, or of a work between rounds.
func (a *Action) Group() uint64 {
	switch first := a.Tag >> 56; first {
	case BlockTag:
		return SweepTag
	case SweepTag, LookTag, GroupTag, ElectionTag, KeyTag:
		return first
	default:
		return roundGroup
	}
}

// The first bytes of tags of SMPs that are of no round.
const (
	SweepTag    = 0xFF // of a light sweep: the number of the sweep and the node follow
	ElectionTag = 0xFE // to another manager: the modifier of a Set follows, 0 for a poll, or askedOwnPort
	LookTag     = 0xFD // of a look: the number of the look and the slot follow
	BlockTag    = 0xFC // a table that a light sweep reads again: the number of the sweep and, after the nodes, its place in the list follow
	KeyTag      = 0xFB // a port's PortInfo with its M_Key, which has its lease go on: 56 bits of its GUID follow
	GroupTag    = 0xFA // of multicast tables: the number of the work and the place of the block follow
)

// roundGroup is the Group of the SMPs of a round.
const roundGroup = 1

// Never is later than everything.
const Never = time.Duration(1<<63 - 1)

// AnswerEvent translates the end of a request.
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

// NewsEvent returns the event by which a Manager is told news.
func NewsEvent(n *News) *Event { return &Event{Kind: Told, News: n} }
