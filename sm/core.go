package sm

import (
	"weft/fabric"
	"weft/fabric/subnets"
	"weft/route"
	"weft/route/job"
)

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

// Core is a bring-up as a pure state machine: Step takes what happened and
// says what is to be done. It is not for concurrent use. Cost: constant time for
// an SMP, no allocation but for growing tables; about 93 bytes a port.
type Core struct {
	given   Given
	inherit Inherit // as given, and what this round adds to it
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

	clients  Clients
	changing []fabric.GUID // switches whose PortStateChange is not heeded, and was set

	beliefs   beliefs
	moved     int     // entries that the repair of the Plan before has moved
	repaired  bool    // that repair is the Plan of this round
	record    *Record // what is, or was, to be stored; nil where nothing is
	stored    bool    // that has ended
	unstored  bool    // not well
	pauseOver bool    // the packets that were under way have left

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

// Begin makes the round of what is given. The event Start sets it going.
func Begin(g *Given) *Core {
	c := &Core{
		given: *g, inherit: g.Inherit, ledger: &ledger{keys: g.Keys, by: g.By}, journal: journal{noted: map[Incident]bool{}},
		beliefs: beliefs{on: !g.AskAll && g.Before != nil, doubted: g.Doubted},
	}
	c.claimed, c.granted = g.Claimed, g.Before != nil
	return c
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
		for c.outstanding < c.given.Limits.Pending {
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
		if c.judgeMismatches() && c.sweep < c.given.Limits.Sweeps {
			c.beginSweep()
			return
		}
		c.queryManagers()
	case queryingManagers:
		c.managersQueried()
	case claiming:
		c.startSettling()
	case settling:
		if c.changed && c.sweep < c.given.Limits.Sweeps {
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
	if c.given.ReadOnly {
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
		Graph: c.graph, Stored: c.inherit.Stored, Trees: c.inherit.Trees, Absent: c.drainedHosts(), Multicast: c.by.stays, Levels: c.by.levels,
		Found: c.foundPlan(), Afresh: c.given.Afresh,
	}
	switch {
	case c.given.Before == nil && c.noteOthersLIDs():
		q.Stored = c.inherit.Stored.After(c.graph, &route.Seen(c.graph).Ends)
	case c.given.Before != nil:
		q.Kept = job.Keep(withoutForgotten(c.given.Before.plan, c.given.Forgotten), c.given.Before.graph)
	case c.inherit.Last != nil && !c.inherit.Held:
		q.Kept, q.Afresh = c.inherit.Last, c.inherit.Afresh
	case c.inherit.Last != nil && q.Found != nil:
		q.Kept, q.Inherited = c.inherit.Last.WithTables(c.graph, q.Found.Plan.Tables), true
	}
	q.FreshLIDs = c.given.Before == nil && !q.Inherited
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
	c.given.Before = nil // whose memory can be used again
	c.out = append(c.out, Action{Kind: Done})
}
