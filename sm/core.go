package sm

import (
	"time"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/route/multicast"
	"weft/sm/congestion"
	"weft/sm/sa"
)

// Config says what a Core is to do. The zero value brings a subnet up.
type Config struct {
	ReadOnly   bool                  // only look: nothing is Set, and it ends after discovery
	Unproven   bool                  // distribute a Plan even if the judge finds faults
	TakeOver   bool                  // write although another subnet manager is the master
	AskRoles   bool                  // ask switches for their role in a tree, by the vendor attribute SwitchRole
	Keys       Keys                  // M_Keys of ports
	Partitions *Partitioning         // nil: all ports are full members of the default partition, and keep what other P_Keys they have
	Levels     levels.Levels         // of service: which paths have which
	OwnPort    fabric.GUID           // GUID of our own port, 0 where it is not known: its M_Key may be needed to ask for it
	Neighbours []Neighbour           // as they were found before
	Stored     LIDMap                // LIDs remembered; they win over those found
	Trees      []multicast.TreeByLID // for multicast groups, of the manager before us
	Store      bool                  // LIDs and Plan are stored before a port gets its LID: the action Store
	Last       *planner.Kept         // the Plan of the last time, to be repaired in the first round; nil where none is known
	LastAfresh bool                  // it is not to be repaired, but its LIDs to be kept
	LastHeld   bool                  // it is that of another manager, or others may have changed it since: its tables are those that switches hold
	MaxPending int                   // SMPs handed out and not ended, to bound memory; 1024
	Sweeps     int                   // sweeps before it goes on in a fabric that keeps changing; 3
	SMKey      uint64                // that other managers are told; OpenSM heeds none that has not its own
	Priority   uint8                 // towards other subnet managers, 0 to 15
	Replicates bool                  // the subnet is handed over to another manager after MayTakeOver alone
	Pause      time.Duration         // how long packets under way are given to leave where old and new tables must not meet; UsualPause
	Elect      bool                  // who is the master is settled with other managers by priority and GUID, not by who was first

	Drain               []string       // switches and cables by name: no traffic of others passes through them
	Drains              Drains         // what was drained the last time; Drain is followed from there
	Expected            *fabric.Fabric // what should be there; deviations are told
	QuarantineStrangers bool           // nodes that are not Expected are left out; or not Admitted, where that is not nil
	Admitted            []fabric.GUID  `json:"-"` // in order; of the master before us

	Between    sa.Between           // how the subnet is joined with others
	Congestion *congestion.Settings // what switches and adapters are told of congestion control, by the Runner; nil for nothing
	Options    map[string]string    // by which routes, or what is written, would change, by name, and what they say: managers that stand by tell where theirs differ
}

type phase uint8

const (
	idle phase = iota
	discovering
	rechecking
	queryingManagers
	claiming
	settling
	reading
	routing
	storing
	tables
	pausing
	arming
	activating
	verifying
	finished
)

var phaseNames = [...]string{
	"idle", "discover", "recheck", "managers", "claim", "settle", "read", "route", "store", "tables", "pause", "arm", "activate", "verify", "done",
}

// Core is the subnet manager as a pure state machine: Step takes what happened and
// says what is to be done. It is not for concurrent use. Cost: constant time for
// an SMP, no allocation but for growing tables; about 93 bytes a port.
type Core struct {
	cfg     Config
	phase   phase
	sweep   int
	stopped bool

	*ledger
	mastership
	agenda
	overtaken
	journal
	mismatches []mismatch
	late       []lateNode
	silent     []int32  // slots behind which nobody has answered, until others' M_Keys are tried there
	movedKeys  []uint64 // these

	handedBy fabric.GUID // port of the manager that hands the subnet over to us, 0 for none
	clients  clients
	apart    apart
	missing  missingNodes // of the Manager

	before     *ledger // of the round whose Plan is in force; nil where none is known
	beliefs    beliefs
	afresh     bool    // that Plan is not to be repaired
	failed     int     // rounds, one after the other, that did not bring up all before this one
	moved      int     // entries that its repair has moved
	unbalanced bool    // all is to be routed afresh some time, since that Plan has been repaired
	repaired   bool    // its repair is the Plan of this round
	record     *Record // what is, or was, to be stored; nil without Config.Store
	stored     bool    // that has ended
	unstored   bool    // not well
	pauseOver  bool    // the packets that were under way have left

	read    map[uint64]*route.Block // by tag of getLFT: what switches held before a Plan was made; nil where the Plan in force is known
	readTop fabric.LID              // the last LID that was read
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

// UsualPause is the time that packets are given to leave unless Config says otherwise. With credits for 64 KB a lane and links of 10 Gbit/s, a
// packet behind a full buffer at each of 10 hops leaves in less than 1 ms; behind many senders to one host it takes longer.
const UsualPause = 100 * time.Millisecond

// fillIn sets the bounds that are not set to the usual ones.
func (cfg *Config) fillIn() {
	if cfg.MaxPending <= 0 {
		cfg.MaxPending = 1024
	}
	if cfg.Sweeps <= 0 {
		cfg.Sweeps = 3
	}
	if cfg.Pause <= 0 {
		cfg.Pause = UsualPause
	}
}

// New makes a Core that has not started.
func New(cfg Config) *Core {
	cfg.fillIn()
	return &Core{cfg: cfg, ledger: newLedger(&cfg), journal: journal{noted: map[Incident]bool{}}}
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
		c.doubtReached(ev)
		c.answered(ev)
		if ev.Outcome == Silent {
			c.onSilence()
		}
	case Planned:
		c.takePlan(ev)
	case Claimed:
		c.claimed = true
	case PauseEnds:
		c.pauseOver = true
	case Stop:
		c.stopped = true
		c.endUnderWay()
	case LinkChanged:
		c.overtake()
	case Stored:
		c.takeStored(ev)
	default: // the Manager's
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
			if ev := &c.beliefs.answer; c.answerFromBefore(tag, ev) {
				c.answered(ev)
			} else {
				c.ask(tag)
			}
		}
		switch {
		case c.outstanding > 0:
			return
		case c.stopped:
			c.finish(Interrupted)
		case c.phase == routing && c.plan == nil, c.phase == storing && !c.stored, c.phase == verifying && c.isStoring(), c.phase == claiming && !c.claimed, c.phase == pausing && !c.pauseOver:
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
		if c.stopped || c.brokenOff || !c.queueNextNode() {
			return 0, false
		}
	}
	tag := c.queue[c.head]
	c.head++
	return tag, true
}

// enqueue adds an SMP to this phase.
func (c *Core) enqueue(tag uint64) {
	if !c.stopped && !c.brokenOff {
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
	case reading:
		queue = (*Core).queueRead
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
	switch {
	case c.brokenOff && c.phase <= reading:
		c.beginSweep()
		return
	case c.brokenOff && c.isWriting():
		c.leaveHalfWritten()
		return
	}
	switch c.phase {
	case discovering:
		if c.takeLate() || c.tryMoved() || c.takeOnlyWays() {
			return
		}
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
	case reading:
		c.askForPlan()
	case routing:
		c.startStoring()
	case storing:
		c.startProgram()
	case tables:
		c.stepEnded()
	case pausing:
		c.nextStep()
	case arming:
		c.enterPhase(activating)
	case activating:
		c.startVerifying()
	case verifying:
		c.noteUnverified()
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
	case !c.isManageable(0) && (c.granted || !c.locked[0]): // one that is locked is given its key when the managers have been asked
		return false
	case c.portNumber(c.ownPort()) != 0 && !c.hasLink(c.ownPort()):
		c.note(NoAnswer, c.portPlace(c.ownPort()), "our own port has no link")
		return false
	}
	return c.portNumber(c.ownPort()) == 0 || c.behind[c.ownPort()] != noSlot
}

// endDiscovery makes a Fabric of what was found, and goes on where the subnet is to
// be brought up.
func (c *Core) endDiscovery() {
	c.linkChanged = false // what was before is found
	c.buildFabric()
	c.rememberNeighbours()
	c.notePortGUIDs()
	if c.cfg.ReadOnly {
		c.finish(Discovered)
		return
	}
	c.noteLIDClashes()
	if c.by.between.Prefix != 0 { // one of several subnets: switches with routers are the roots of a tree, and no leaves
		subnets.GiveRoles(c.fabric)
	}
	c.graph = c.fabric.Compile()
	if c.graph.NumSwitches == 0 {
		c.note(NotAddressed, c.portPlace(c.ownPort()), "our own port, %s, is cabled to no switch: channel adapters cabled to each other get no LIDs", c.portName(c.ownPort()))
		c.finish(NotRouted)
		return
	}
	c.startReading()
}

// askForPlan asks for a Plan.
func (c *Core) askForPlan() {
	c.enterPhase(routing)
	q := &RouteRequest{
		Graph: c.graph, Stored: c.cfg.Stored, Trees: c.cfg.Trees, Absent: c.drainedHosts(), Multicast: c.by.stays, Levels: c.by.levels,
		Found: c.foundPlan(), Afresh: c.afresh,
	}
	switch {
	case c.before == nil && c.noteOthersLIDs():
		q.Stored = c.cfg.Stored.After(c.graph, &route.Seen(c.graph).Ends)
	case c.before != nil:
		q.Kept = planner.Keep(c.missing.withoutForgotten(c.before.plan), c.before.graph)
	case c.cfg.Last != nil && !c.cfg.LastHeld:
		q.Kept, q.Afresh = c.cfg.Last, c.cfg.LastAfresh
	case c.cfg.Last != nil && q.Found != nil:
		q.Kept, q.Inherited = c.cfg.Last.WithTables(c.graph, q.Found.Plan.Tables), true
	}
	q.FreshLIDs = c.before == nil && !q.Inherited
	c.out = append(c.out, Action{Kind: Route, Request: q})
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
	if ev.Other != "" {
		c.note(OtherRules, Place{}, "%s", ev.Other)
	}
	c.noteTrees(result.NoMulticast)
	c.noteLevels()
	r.Engine, r.Check = result.Engine.Name, result.Report
	if result.Choice != nil {
		r.Choice = result.Choice.String()
	}
	if !r.Check.OK {
		if !c.by.unproven {
			c.note(NotProven, Place{}, "the judge found faults in the Plan of %s: nothing was distributed", r.Engine)
			c.finish(NotRouted)
			return
		}
		c.note(NotProven, Place{}, "the Plan of %s has faults and is distributed all the same, as told", r.Engine)
	}
	c.plan, c.way = result.Plan, ev.Way
	c.noteWay()
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
