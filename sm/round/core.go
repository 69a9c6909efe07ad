package round

import (
	"weft/fabric"
	"weft/fabric/subnets"
	"weft/planner"
	"weft/route"
	"weft/route/repair"
	"weft/sm/ledger"
	"weft/sm/terms"
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

// Round is one bring-up as a pure state machine: Step takes an Event and returns Actions. It is not
// for concurrent use. Cost: constant time per SMP; no allocations except to grow tables; about 93
// bytes a port.
type Round struct {
	shared
	finder
	writer
}

// shared is the state that finder and writer share: the input, the phase, the ledger, the queue and
// the report.
type shared struct {
	given   Given
	inherit Inherit // the input, updated by this round
	phase   phase
	sweep   int
	stopped bool

	*ledger.Ledger
	agenda
	overtaken
	journal
}

// finder discovers nodes, links and other managers, up to a Fabric. It writes only M_Keys, and
// clears PortStateChange.
type finder struct {
	*shared
	mastership
	beliefs    beliefs
	mismatches []mismatch
	late       []lateNode
	liars      map[ledger.PortKey]bool // ports whose neighbours have stolen a GUID: they are put off
	silent     []int32                 // slots that got no answer, to be asked with M_Keys of moved ports
	movedKeys  []uint64                // those M_Keys
	changing   []fabric.GUID           // switches whose PortStateChange is ignored, and was set
	unfit      map[int32]bool          // nodes that are left out because they do not fit; this was noted
	sharing    map[fabric.LID]int      // number of ports by the base LID found
}

// writer reads the tables of the switches, has the Plan stored, and writes it.
type writer struct {
	*shared
	clients    Clients
	moved      int               // table entries that the repair of the previous Plan has moved
	repaired   bool              // the Plan of this round is a repair
	improvable bool              // see Result
	more       bool              // a better Plan may be found
	notUsed    error             // why Given.Better was not used; nil: it was, or there was none
	spread     *repair.Spreading // of Limits.Moves
	record     *terms.Record     // sent to be stored; nil if nothing is
	stored     bool              // the Store has ended
	unstored   bool              // with an error
	pauseOver  bool              // the packets under way have had time to leave

	// read holds the blocks that switches held before the Plan was made, by tag of ledger.GetLFT.
	// It is nil if all tables are known.
	read    map[uint64]*route.Block
	readTop fabric.LID            // the highest LID read
	lanes   map[int32]*lanesFound // by slot: lane tables being read, for a Plan of one lane
	mapped  map[int32]bool        // by node: switches that were sent one mapping for all ports
}

// agenda is the queue of SMPs of a phase, and the actions of a Step.
type agenda struct {
	out         []terms.Action // of this Step
	paths       []byte         // memory for the Paths of this Step
	queue       []uint64       // tags; those before head are handed out
	head        int
	outstanding int // handed out and not ended
	cursor      int // the node whose SMPs are queued next
}

// Begin returns a new round for the given input. Nothing happens until the event Start.
func Begin(g *Given) *Round {
	c := &Round{shared: shared{given: *g, inherit: g.Inherit, Ledger: &ledger.Ledger{Keys: g.Keys, By: g.By}, journal: journal{noted: map[terms.Incident]bool{}}}}
	c.inherit.Seen, c.inherit.IsLeft = nil, false // not passed on
	c.finder = finder{
		shared: &c.shared, mastership: mastership{claimed: g.Claimed, granted: g.Before != nil},
		beliefs: beliefs{on: !g.AskAll && g.Before != nil, doubted: g.Doubted},
	}
	c.writer = writer{shared: &c.shared}
	return c
}

// Step handles one event, and appends the actions that follow to out.
func (c *Round) Step(ev *terms.Event, out []terms.Action) []terms.Action {
	c.out, c.paths = out, c.paths[:0]
	switch ev.Kind {
	case terms.Start:
		c.beginSweep()
	case terms.Answer:
		c.outstanding--
		c.count(ev)
		c.watchUnsent(ev)
		c.doubtReached(ev)
		c.answered(ev)
		if ev.Outcome == terms.Silent {
			c.onSilence()
		}
	case terms.Planned:
		c.takePlan(ev)
	case terms.Claimed:
		c.claimed = true
	case terms.PauseEnds:
		c.pauseOver = true
	case terms.Stop:
		c.stopped = true
		c.endUnderWay()
	case terms.LinkChanged:
		c.overtake()
	case terms.Stored:
		c.takeStored(ev)
	default: // events for a Manager only
	}
	c.proceed()
	out, c.out = c.out, nil
	return out
}

// proceed hands out SMPs, at most Limits.Pending at a time, and enters the next phase when all SMPs
// of this one have ended.
func (c *Round) proceed() {
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
			c.finish(terms.Interrupted)
		case c.phase == routing && c.Plan == nil, c.phase == storing && !c.stored, c.phase == verifying && c.isStoring(), c.phase == claiming && !c.claimed, c.phase == pausing && !c.pauseOver:
			return
		default:
			c.leavePhase()
		}
	}
}

// nextTag returns the tag of the next SMP of this phase, or false if none is left.
func (c *Round) nextTag() (uint64, bool) {
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
func (s *shared) enqueue(tag uint64) {
	if !s.stopped && !s.brokenOff {
		s.queue = append(s.queue, tag)
	}
}

// queueNextNode queues the SMPs of this phase for the next node. It returns false after the last
// node.
func (c *Round) queueNextNode() bool {
	n, turns := len(c.Nodes), 1
	var queue func(c *Round, id int32)
	switch c.phase {
	case queryingManagers:
		queue = (*Round).queueManagers
	case settling, verifying:
		queue = (*Round).queueChangeRead
	case reading:
		queue = (*Round).queueRead
	case tables:
		queue = (*Round).queueTables
	case arming:
		queue = (*Round).queueArm
	case activating:
		queue, turns = (*Round).queueActivate, activationTurns
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

// enterPhase begins a phase at the first node.
func (s *shared) enterPhase(p phase) {
	s.phase = p
	s.cursor = 0
	s.out = append(s.out, terms.Action{Kind: terms.Phase, Name: phaseNames[p]})
}

// leavePhase enters the next phase, after all SMPs of this one have ended.
func (c *Round) leavePhase() {
	switch {
	case c.brokenOff && c.phase <= reading:
		c.beginSweep()
		return
	case c.unsent && c.phase <= reading: // what is known is no picture of the subnet
		c.finish(terms.Failed)
		return
	case c.brokenOff && c.isWriting():
		c.leaveHalfWritten()
		return
	}
	switch c.phase {
	case discovering:
		c.nodesFound()
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
		if c.Changed && c.sweep < c.given.Limits.Sweeps {
			c.beginSweep()
			return
		}
		if c.endDiscovery() && !c.startReading() {
			c.askForPlan()
		}
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
	default: // idle and finished have no next phase
	}
}

// nodesFound ends the discovery of nodes, unless some are to be asked again: it joins the ports.
func (f *finder) nodesFound() {
	switch {
	case f.takeLate() || f.tryMoved() || f.takeOnlyWays():
		return
	case !f.ownPortWorks():
		f.finish(terms.Failed)
		return
	}
	f.pairPorts()
	if len(f.mismatches) > 0 {
		f.enterPhase(rechecking)
		f.queueRecheck()
		return
	}
	f.queryManagers()
}

// ownPortWorks reports whether our own port answers, and either has a node behind it or is port 0
// of a switch.
func (f *finder) ownPortWorks() bool {
	switch {
	case len(f.Nodes) == 0:
		return false
	case f.Flags[f.OwnPort()]&ledger.PortKnown == 0:
		f.noteSilent(0, "PortInfo", &terms.Event{Outcome: terms.Silent})
		return false
	// A locked node gets its M_Key after the managers have been asked.
	case !f.IsManageable(0) && (f.granted || !f.Locked[0]):
		return false
	case f.PortNumber(f.OwnPort()) != 0 && !f.HasLink(f.OwnPort()):
		f.note(terms.NoAnswer, f.PortPlace(f.OwnPort()), "our own port has no link")
		return false
	}
	return f.PortNumber(f.OwnPort()) == 0 || f.Behind[f.OwnPort()] != ledger.NoSlot
}

// endDiscovery leaves out parts that do not fit, makes the Fabric and Graph, and reports whether
// the bring-up continues.
func (f *finder) endDiscovery() bool {
	f.linkChanged = false // changes up to now are in this Fabric
	if !f.given.ReadOnly {
		f.leaveOutNarrow()
		f.fitTables()
	}
	return f.makeGraph()
}

// makeGraph makes the Fabric and Graph of the inventory, and reports whether the bring-up
// continues.
func (f *finder) makeGraph() bool {
	f.buildFabric()
	f.rememberNeighbours()
	f.notePortGUIDs()
	f.noteDisabled()
	if f.given.ReadOnly {
		f.finish(terms.Discovered)
		return false
	}
	f.noteLIDClashes()
	// In a network of several subnets, switches with routers are roots of the tree, not leaves.
	if f.By.Between.Prefix != 0 {
		subnets.GiveRoles(f.Fabric)
	}
	f.Graph = f.Fabric.Compile()
	if f.Graph.NumSwitches == 0 {
		f.note(terms.NotAddressed, f.PortPlace(f.OwnPort()), "our own port, %s, is cabled to no switch: channel adapters cabled to each other get no LIDs", f.PortName(f.OwnPort()))
		f.finish(terms.NotRouted)
		return false
	}
	return true
}

// askForPlan emits the routing request: the Graph, and the earlier settings that the Plan is to
// keep.
func (c *Round) askForPlan() {
	c.enterPhase(routing)
	q := &terms.RouteRequest{
		Graph: c.Graph, Stored: c.inherit.Stored, Trees: c.inherit.Trees, Absent: c.DrainedHosts(), Multicast: c.By.Stays, Levels: c.By.Levels,
		Found: c.foundPlan(), Afresh: c.given.Afresh, Moves: c.given.Limits.Moves,
		Later: c.By.Stays, Unproven: c.By.Unproven, Better: c.given.Better, Jobs: c.By.Jobs,
	}
	if q.Multicast {
		q.NoGroups = c.WithoutGroups()
		c.noteWithoutGroups(q.NoGroups)
	}
	switch {
	case c.given.Before == nil && c.noteOthersLIDs():
		q.Stored = c.inherit.Stored.After(c.Graph, &route.Seen(c.Graph).Ends)
	case c.given.Before != nil:
		q.Kept = planner.Keep(ledger.WithoutForgotten(c.given.Before.Plan, c.given.Forgotten), c.given.Before.Graph)
	case c.inherit.Last != nil && !c.inherit.Held:
		q.Kept, q.Afresh = c.inherit.Last, c.inherit.Afresh
	case c.inherit.Last != nil && q.Found != nil:
		q.Kept, q.Inherited = c.inherit.Last.WithTables(c.Graph, q.Found.Plan.Tables), true
	}
	q.FreshLIDs = c.given.Before == nil && !q.Inherited
	c.out = append(c.out, terms.Action{Kind: terms.Route, Request: q})
}

// takePlan accepts a proven Plan, or ends the round.
func (c *Round) takePlan(ev *terms.Event) {
	if c.stopped {
		return
	}
	r, result := &c.report.Routing, ev.Result
	if ev.Err != nil && len(result.Refused) > 0 && c.leaveOutNarrowest() {
		if c.makeGraph() {
			c.askForPlan()
		}
		return
	}
	r.Held, c.more, c.notUsed = ev.Held, ev.More, ev.Unfit
	for _, err := range result.Refused {
		r.Refused = append(r.Refused, err.Error())
	}
	c.noteRepair(result)
	if ev.Err != nil {
		c.note(terms.NoPlan, terms.Place{}, "%v", ev.Err)
		c.finish(terms.NotRouted)
		return
	}
	if ev.Other != "" {
		c.note(terms.OtherRules, terms.Place{}, "%s", ev.Other)
	}
	for _, err := range result.Missing {
		c.note(terms.NoSwitch, terms.Place{}, "%v: it is left out", err)
	}
	for _, text := range ev.Less {
		c.note(terms.NotEnough, terms.Place{}, "%s", text)
	}
	r.NoJobLanes = ev.NoJobLanes
	c.noteTrees(result.NoMulticast)
	c.noteLevels()
	r.Engine, r.Check = result.Engine.Name, result.Report
	if result.Choice != nil {
		r.Choice = result.Choice.String()
	}
	if !r.Check.OK {
		if !c.By.Unproven {
			c.note(terms.NotProven, terms.Place{}, "the judge found faults in the Plan of %s: nothing was distributed", r.Engine)
			c.finish(terms.NotRouted)
			return
		}
		c.note(terms.NotProven, terms.Place{}, "the Plan of %s has faults and is distributed all the same, as told", r.Engine)
	}
	c.Plan, c.Way = tuned(result.Plan, c.Graph, c.By.Tuning), ev.Way
	c.noteUnmatched()
	c.noteWay()
	r.NotTold = notTold(c.Plan, r.Check)
}

// finish ends the round in a state.
func (s *shared) finish(state terms.State) {
	s.report.State = state
	s.report.Sweeps = s.sweep
	s.summarise()
	s.phase = finished
	s.given.Before = nil // its memory can be reused
	s.out = append(s.out, terms.Action{Kind: terms.Done})
}
