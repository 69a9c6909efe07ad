package sm

import (
	"weft/fabric"
	"weft/mad"
	"weft/route"
	"weft/route/quality"
)

// Config of a Core. The zero value brings a subnet up.
type Config struct {
	ReadOnly bool                       // only look: nothing is Set, and it ends after discovery
	Unproven bool                       // distribute a Plan even if the judge finds faults
	TakeOver bool                       // write although another subnet manager is the master
	AskRoles bool                       // ask switches for their role in a tree, by the vendor attribute SwitchRole
	MKey     uint64                     // M_Key that every SMP carries
	Stored   map[fabric.GUID]fabric.LID // base LIDs remembered, by port GUID; they win over those found
	Ahead    int                        // SMPs handed out and not ended, to bound memory; 1024
	Sweeps   int                        // sweeps before it goes on in a fabric that keeps changing; 3
}

// EventKind says what happened.
type EventKind uint8

// The events.
const (
	Start   EventKind = iota // begin; once, first
	Answer                   // an Ask has ended
	Planned                  // a Route has ended
	Claimed                  // a Claim has ended well
	Stop                     // end soon: send no more
)

// Outcome says how an Ask ended.
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
	Tag      uint64 // the Ask's
	Outcome  Outcome
	Attempts int        // times it was sent
	Status   mad.Status // of one Refused
	Data     [64]byte   // the attribute, of one Answered

	// Of Planned. Plan is nil when Err says why there is none.
	Plan    *route.Plan
	Engine  string   // the engine that made it
	Refused []string // engines asked before it, with their reasons
	Check   *quality.Report
	Err     error
}

// ActionKind says what a Core wants done.
type ActionKind uint8

// The actions.
const (
	Ask   ActionKind = iota // send an SMP; its end comes back as an Answer
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

	// Of an Ask: a directed-route SMP.
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

	net
	mastership
	agenda
	journal
	doubts []doubt

	fabric *fabric.Fabric
	graph  *fabric.Graph
	plan   *route.Plan
	setup  setup
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
	if cfg.Ahead <= 0 {
		cfg.Ahead = 1024
	}
	if cfg.Sweeps <= 0 {
		cfg.Sweeps = 3
	}
	return &Core{cfg: cfg, journal: journal{noted: map[Incident]bool{}}}
}

// Step takes an event and appends to out what is to be done.
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
		c.planned(ev)
	case Claimed:
		c.claimed = true
	case Stop:
		c.stopped = true
		c.queue, c.head = c.queue[:0], 0
	}
	c.pump()
	out, c.out = c.out, nil
	return out
}

// pump hands out work while there is room, and goes to the next phase when all of
// this one has ended.
func (c *Core) pump() {
	for c.phase != finished {
		for c.outstanding < c.cfg.Ahead {
			tag, ok := c.next()
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
			c.advance()
		}
	}
}

// next is the next SMP of this phase.
func (c *Core) next() (uint64, bool) {
	for c.head == len(c.queue) {
		c.queue, c.head = c.queue[:0], 0
		if c.stopped || !c.refill() {
			return 0, false
		}
	}
	tag := c.queue[c.head]
	c.head++
	return tag, true
}

func (c *Core) enqueue(tag uint64) {
	if !c.stopped {
		c.queue = append(c.queue, tag)
	}
}

// refill queues the work that this phase has for the next node; false at the end.
func (c *Core) refill() bool {
	n := len(c.nodes)
	switch c.phase {
	case queryingManagers, settling, tables, arming, verifying:
		if c.cursor >= n {
			return false
		}
	case activating:
		if c.cursor >= 3*n {
			return false
		}
	default:
		return false
	}
	i := c.cursor
	c.cursor++
	switch c.phase {
	case queryingManagers:
		c.queueManagers(int32(i))
	case settling, verifying:
		c.queueSettle(int32(i))
	case tables:
		c.queueTables(int32(i))
	case arming:
		c.queueArm(int32(i))
	case activating:
		c.queueActivate(int32(i%n), i/n)
	default: // without work by node
	}
	return true
}

func (c *Core) enter(p phase) {
	c.phase = p
	c.cursor = 0
	c.out = append(c.out, Action{Kind: Phase, Name: phaseNames[p]})
}

// advance goes to the next phase: nothing of the present one is left.
func (c *Core) advance() {
	switch c.phase {
	case discovering:
		if !c.attached() {
			c.finish(Failed)
			return
		}
		c.resolve()
		if len(c.doubts) > 0 {
			c.enter(rechecking)
			c.queueRecheck()
			return
		}
		c.startQuery()
	case rechecking:
		if c.judgeDoubts() && c.sweep < c.cfg.Sweeps {
			c.beginSweep()
			return
		}
		c.startQuery()
	case queryingManagers:
		c.managersQueried()
	case claiming:
		c.startSettling()
	case settling:
		if c.changed && c.sweep < c.cfg.Sweeps {
			c.beginSweep()
			return
		}
		c.settled()
	case routing:
		c.startProgram()
	case tables:
		c.enter(arming)
	case arming:
		c.enter(activating)
	case activating:
		c.enter(verifying)
	case verifying:
		c.finish(c.verdict())
	default: // idle and finished lead nowhere
	}
}

// attached tells whether our own port answers, and has a cable.
func (c *Core) attached() bool {
	switch {
	case len(c.nodes) == 0:
		return false
	case c.flags[c.own()]&known == 0:
		c.nodeSilent(0, "PortInfo", &Event{Outcome: Silent})
		return false
	case !c.usable(0):
		return false
	case c.portOf(c.own()) != 0 && !c.linked(c.own()):
		c.note(NoAnswer, c.portPlace(c.own()), "our own port has no link")
		return false
	}
	return c.portOf(c.own()) == 0 || c.claim[c.own()] != noSlot
}

// settled ends discovery: the fabric is what was found.
func (c *Core) settled() {
	c.buildFabric()
	c.notePortGUIDs()
	if c.cfg.ReadOnly {
		c.finish(Discovered)
		return
	}
	c.noteLIDClashes()
	c.graph = c.fabric.Compile()
	if c.graph.NumSwitches == 0 {
		c.note(NotAddressed, c.portPlace(c.own()), "our own port, %s, is cabled to no switch: channel adapters cabled to each other get no LIDs", c.slotName(c.own()))
		c.finish(NotRouted)
		return
	}
	c.enter(routing)
	c.out = append(c.out, Action{Kind: Route, Graph: c.graph, Held: c.held()})
}

// planned takes the Plan, or refuses it.
func (c *Core) planned(ev *Event) {
	if c.stopped {
		return
	}
	r := &c.report.Routing
	r.Engine, r.Refused, r.Check = ev.Engine, ev.Refused, ev.Check
	switch {
	case ev.Plan == nil:
		c.note(NoPlan, Place{}, "%v", ev.Err)
		c.finish(NotRouted)
	case (ev.Check == nil || !ev.Check.OK) && !c.cfg.Unproven:
		c.note(NotProven, Place{}, "the judge found faults in the Plan of %s: nothing was distributed", ev.Engine)
		c.finish(NotRouted)
	default:
		if ev.Check == nil || !ev.Check.OK {
			c.note(NotProven, Place{}, "the Plan of %s has faults and is distributed all the same, as told", ev.Engine)
		}
		c.plan = ev.Plan
	}
}

// finish ends everything.
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

// Graph returns the Graph whose indices the Plan uses.
func (c *Core) Graph() *fabric.Graph { return c.graph }
