package sm

import (
	"weft/fabric"
	"weft/mad"
	"weft/route"
	"weft/route/job"
)

// Config says what a Core is to do. The zero value brings a subnet up.
type Config struct {
	ReadOnly   bool                       // only look: nothing is Set, and it ends after discovery
	Unproven   bool                       // distribute a Plan even if the judge finds faults
	TakeOver   bool                       // write although another subnet manager is the master
	AskRoles   bool                       // ask switches for their role in a tree, by the vendor attribute SwitchRole
	MKey       uint64                     // M_Key that every SMP carries
	Stored     map[fabric.GUID]fabric.LID // base LIDs remembered, by port GUID; they win over those found
	MaxPending int                        // SMPs handed out and not ended, to bound memory; 1024
	Sweeps     int                        // sweeps before it goes on in a fabric that keeps changing; 3
}

// EventKind says what happened.
type EventKind uint8

// The events.
const (
	Start   EventKind = iota // begin; once, first
	Answer                   // a Send has ended
	Planned                  // a Route has ended
	Claimed                  // a Claim has ended well
	Stop                     // end soon: send no more
)

// Outcome says how a Send ended.
type Outcome uint8

// The outcomes.
const (
	Answered  Outcome = iota // status 0
	Refused                  // another status
	Silent                   // no answer to any attempt
	Cancelled                // given up; it may have been sent
)

// Event is something that happened to a Core.
type Event struct {
	Kind EventKind

	// Of an Answer.
	Tag      uint64 // the Send's
	Outcome  Outcome
	Attempts int        // times it was sent
	Status   mad.Status // of one Refused
	Data     [64]byte   // the attribute, of one Answered

	// Of Planned. Err says why there is no Plan, or none that was judged.
	Result *job.Result
	Err    error
}

// ActionKind says what a Core wants done.
type ActionKind uint8

// The actions.
const (
	Send  ActionKind = iota // send an SMP; its end comes back as an Answer
	Route                   // compute and judge a Plan for Graph that keeps what is Held; it comes back as Planned
	Claim                   // set IsSM at our port; Claimed says that it is
	Phase                   // a phase of the work begins: Name
	Note                    // an Incident
	Done                    // the end: Report has all
)

// Action is something that a Core wants done. Path and Data are valid until the
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

	Graph    *fabric.Graph
	Held     *route.Held
	Name     string
	Incident Incident
}

// phase is the state of a Core.
type phase uint8

const (
	idle phase = iota
	discovering
	rechecking
	queryingManagers
	claiming
	settling
	routing
	tables
	arming
	activating
	verifying
	finished
)

var phaseNames = [...]string{
	"idle", "discover", "recheck", "managers", "claim", "settle", "route", "tables", "arm", "activate", "verify", "done",
}

// Core is the subnet manager as a pure state machine: Step takes what happened and
// says what is to be done. It is not for concurrent use. Cost: constant time for
// an SMP, no allocation but for growing tables; about 93 bytes a port.
type Core struct {
	cfg     Config
	phase   phase
	sweep   int
	stopped bool

	inventory
	mastership
	agenda
	journal
	mismatches []mismatch

	fabric *fabric.Fabric
	graph  *fabric.Graph
	plan   *route.Plan
	prog   programming
}

// agenda holds the SMPs that are to be handed out.
type agenda struct {
	out         []Action // of this Step
	paths       []byte   // memory of the Paths of this Step
	queue       []uint64 // tags; those before head were handed out
	head        int
	outstanding int // handed out and not ended
	cursor      int // of refill: the node whose work is next
}

// journal holds what the report will say.
type journal struct {
	report     Report
	counts     [numKinds]Count
	noted      map[Incident]bool
	incomplete bool // something that is there is not managed, or did not take what it was told
}

// New makes a Core that has not started.
func New(cfg Config) *Core {
	if cfg.MaxPending <= 0 {
		cfg.MaxPending = 1024
	}
	if cfg.Sweeps <= 0 {
		cfg.Sweeps = 3
	}
	return &Core{cfg: cfg, journal: journal{noted: map[Incident]bool{}}}
}

// Step takes an event and appends the actions that follow from it to out.
func (c *Core) Step(ev *Event, out []Action) []Action {
	c.out, c.paths = out, c.paths[:0]
	switch ev.Kind {
	case Start:
		c.beginSweep()
	case Answer:
		c.outstanding--
		c.count(ev)
		c.answered(ev)
	case Planned:
		c.takePlan(ev)
	case Claimed:
		c.claimed = true
	case Stop:
		c.stopped = true
		c.queue, c.head = c.queue[:0], 0
	}
	c.proceed()
	out, c.out = c.out, nil
	return out
}

// proceed hands out SMPs up to MaxPending, and goes to the next phase when all of this one
// have ended.
func (c *Core) proceed() {
	for c.phase != finished {
		for c.outstanding < c.cfg.MaxPending {
			tag, ok := c.nextTag()
			if !ok {
				break
			}
			c.ask(tag)
		}
		switch {
		case c.outstanding > 0:
			return
		case c.stopped:
			c.finish(Interrupted)
		case c.phase == routing && c.plan == nil, c.phase == claiming && !c.claimed:
			return
		default:
			c.leavePhase()
		}
	}
}

// nextTag returns the tag of the next SMP of this phase; false when none is left.
func (c *Core) nextTag() (uint64, bool) {
	for c.head == len(c.queue) {
		c.queue, c.head = c.queue[:0], 0
		if c.stopped || !c.queueNextNode() {
			return 0, false
		}
	}
	tag := c.queue[c.head]
	c.head++
	return tag, true
}

// enqueue adds an SMP to this phase.
func (c *Core) enqueue(tag uint64) {
	if !c.stopped {
		c.queue = append(c.queue, tag)
	}
}

// queueNextNode queues the SMPs that this phase has for the next node; false after the
// last.
func (c *Core) queueNextNode() bool {
	n, turns := len(c.nodes), 1
	var queue func(c *Core, id int32)
	switch c.phase {
	case queryingManagers:
		queue = (*Core).queueManagers
	case settling, verifying:
		queue = (*Core).queueChangeRead
	case tables:
		queue = (*Core).queueTables
	case arming:
		queue = (*Core).queueArm
	case activating:
		queue, turns = (*Core).queueActivate, activationTurns
	default:
		return false
	}
	if c.cursor >= turns*n {
		return false
	}
	queue(c, int32(c.cursor%n))
	c.cursor++
	return true
}

// enterPhase begins a phase with the first node.
func (c *Core) enterPhase(p phase) {
	c.phase = p
	c.cursor = 0
	c.out = append(c.out, Action{Kind: Phase, Name: phaseNames[p]})
}

// leavePhase goes to the next phase, when nothing of the present one is left.
func (c *Core) leavePhase() {
	switch c.phase {
	case discovering:
		if !c.ownPortWorks() {
			c.finish(Failed)
			return
		}
		c.pairPorts()
		if len(c.mismatches) > 0 {
			c.enterPhase(rechecking)
			c.queueRecheck()
			return
		}
		c.queryManagers()
	case rechecking:
		if c.judgeMismatches() && c.sweep < c.cfg.Sweeps {
			c.beginSweep()
			return
		}
		c.queryManagers()
	case queryingManagers:
		c.managersQueried()
	case claiming:
		c.startSettling()
	case settling:
		if c.changed && c.sweep < c.cfg.Sweeps {
			c.beginSweep()
			return
		}
		c.endDiscovery()
	case routing:
		c.startProgram()
	case tables:
		c.enterPhase(arming)
	case arming:
		c.enterPhase(activating)
	case activating:
		c.enterPhase(verifying)
	case verifying:
		c.finish(c.finalState())
	default: // idle and finished lead nowhere
	}
}

// ownPortWorks reports whether our own port answers, and leads to a node or is a switch's.
func (c *Core) ownPortWorks() bool {
	switch {
	case len(c.nodes) == 0:
		return false
	case c.flags[c.ownPort()]&portKnown == 0:
		c.noteSilent(0, "PortInfo", &Event{Outcome: Silent})
		return false
	case !c.isManageable(0):
		return false
	case c.portNumber(c.ownPort()) != 0 && !c.hasLink(c.ownPort()):
		c.note(NoAnswer, c.portPlace(c.ownPort()), "our own port has no link")
		return false
	}
	return c.portNumber(c.ownPort()) == 0 || c.behind[c.ownPort()] != noSlot
}

// endDiscovery makes a Fabric of what was found, and asks for a Plan where the subnet is to
// be brought up.
func (c *Core) endDiscovery() {
	c.buildFabric()
	c.notePortGUIDs()
	if c.cfg.ReadOnly {
		c.finish(Discovered)
		return
	}
	c.noteLIDClashes()
	c.graph = c.fabric.Compile()
	if c.graph.NumSwitches == 0 {
		c.note(NotAddressed, c.portPlace(c.ownPort()), "our own port, %s, is cabled to no switch: channel adapters cabled to each other get no LIDs", c.portName(c.ownPort()))
		c.finish(NotRouted)
		return
	}
	c.enterPhase(routing)
	c.out = append(c.out, Action{Kind: Route, Graph: c.graph, Held: c.heldLIDs()})
}

// takePlan accepts a Plan, or ends the run where there is none or it is not proven.
func (c *Core) takePlan(ev *Event) {
	if c.stopped {
		return
	}
	r, result := &c.report.Routing, ev.Result
	for _, err := range result.Refused {
		r.Refused = append(r.Refused, err.Error())
	}
	c.noteRepair(result)
	if ev.Err != nil {
		c.note(NoPlan, Place{}, "%v", ev.Err)
		c.finish(NotRouted)
		return
	}
	r.Engine, r.Check = result.Engine.Name, result.Report
	if result.Choice != nil {
		r.Choice = result.Choice.String()
	}
	if !r.Check.OK {
		if !c.cfg.Unproven {
			c.note(NotProven, Place{}, "the judge found faults in the Plan of %s: nothing was distributed", r.Engine)
			c.finish(NotRouted)
			return
		}
		c.note(NotProven, Place{}, "the Plan of %s has faults and is distributed all the same, as told", r.Engine)
	}
	c.plan = result.Plan
	r.NotTold = notTold(c.plan, r.Check)
}

// finish ends the run.
func (c *Core) finish(s State) {
	c.report.State = s
	c.report.Sweeps = c.sweep
	c.summarise()
	c.phase = finished
	c.out = append(c.out, Action{Kind: Done})
}

// Report returns what has come about; it is complete after Done.
func (c *Core) Report() *Report { return &c.report }

// Fabric returns what discovery found, nil before it ended. LIDs are those found, and
// after SUBNET UP those given.
func (c *Core) Fabric() *fabric.Fabric { return c.fabric }

// Plan returns the Plan that was or is being distributed, nil when none is.
func (c *Core) Plan() *route.Plan { return c.plan }
