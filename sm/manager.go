package sm

import (
	"fmt"
	"maps"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/wire/mad"
)

// Manager is a subnet manager that stays, as a pure state machine. A round is one bring-up by a Core; between rounds
// it watches the subnet by light sweeps and traps, and a change begins the next round. Later rounds repair the Plan that
// is in force. Step takes what happened and the time; times only grow. It is not for concurrent use.
type Manager struct {
	cfg   Config
	watch Watch

	learned     learned
	own         ownFiles // as Config and Reconfigure have them; those of cfg are in force
	differences []string // of what is, or would be, in force from own, in words
	rulesTold   uint64   // counts RulesToTell
	untold      bool     // what we go by has changed since the last round began: it is not handed over until a round has told that

	keys    *keyring
	core    *Core   // the round that is under way, or else the last one
	given   Given   // what that was given
	result  *Result // of the last round that has ended
	next    Inherit // what the next round takes over
	inRound bool
	inForce *ledger // of the last round that brought the subnet up, in full or in part
	clients Clients // what that round knew of clients
	claimed bool    // IsSM is set at our port
	stopped bool
	ended   bool
	failed  int // rounds, one after the other, that did not bring up all
	wanted  wantedRound

	groups groups
	schedule
	signs
	findings
	memory

	election   election
	guid       fabric.GUID   // of our port; 0 until it is known
	acts       uint64        // SMInfo.ActCount
	settled    []fabric.GUID // ports of managers that the subnet may be handed over to, where we Replicate
	reregister bool          // clients are to register again, in the next round
	toManagers int           // SMPs to other managers that have not ended
	out        []Action
	paths      []byte // memory of the Paths of this Step
}

// schedule holds when something is due; never.
type schedule struct {
	now       time.Duration // of this Step
	pauseEnds time.Duration // the packets have left for which the round waits
	again     time.Duration // the next round without a change
	afresh    time.Duration // a routing afresh, since what is in force was repaired
}

// signs hold the signs that something has changed, and the sweeps and looks that find them.
type signs struct {
	change    pendingChange
	pace      pace
	doubted   map[fabric.GUID]bool // by node GUID: it may have changed, and no round has asked it since
	somewhere bool                 // a node that no round in force has named says that it has changed: all are asked
	sweep     lightSweep
	traps     trapLog
	looks     looks
	asking    map[uint64]shownKey // after traps 256, by tag: what has not answered
}

// findings hold the faults of a subnet that a Manager knows of, and the parts that it does not use.
type findings struct {
	unsteady   unsteady
	standing   standing
	missing    missingNodes
	drains     Drains
	deviations []string // from Config.Expected
}

// memory holds rounds and counts for Snapshots.
type memory struct {
	round Round // that is under way
	last  *Round
	good  *Round // whose Plan is in force, or was
	tally Tally
}

// NewManager makes a Manager that has not started.
func NewManager(cfg Config, watch Watch) *Manager {
	cfg.fillIn()
	m := &Manager{
		cfg: cfg, own: ownFilesOf(&cfg), watch: watch, keys: newKeyring(&cfg), schedule: schedule{pauseEnds: never, again: never, afresh: never},
		signs:    signs{change: nothingChanged, doubted: map[fabric.GUID]bool{}, sweep: lightSweep{due: never}, asking: map[uint64]shownKey{}},
		groups:   groups{due: never, again: never},
		next:     Inherit{Stored: cfg.Stored, Trees: cfg.Trees, Last: cfg.Last, Afresh: cfg.LastAfresh, Held: cfg.LastHeld},
		findings: findings{missing: missingNodes{}, drains: cfg.Drains},
	}
	m.core = Begin(&Given{Keys: m.keys})
	m.result = m.core.Result()
	return m
}

// Result returns what the round has brought about that is under way, or else that of the last one.
func (m *Manager) Result() *Result {
	if m.inRound {
		return m.core.Result()
	}
	return m.result
}

// found returns the ledger of the round that is under way, or else of the last one.
func (m *Manager) found() *ledger { return m.Result().Ledger }

// reigning returns the ledger of the round whose Plan is in force, nil where we are not the master.
func (m *Manager) reigning() *ledger {
	if m.role() != Master {
		return nil
	}
	return m.inForce
}

// Step takes an event and appends the actions that follow from it to out.
func (m *Manager) Step(now time.Duration, ev *Event, out []Action) []Action {
	m.out, m.paths, m.now = out, m.paths[:0], now
	m.acts++
	switch ev.Kind {
	case Start:
		m.start()
	case Answer:
		m.tally.answer(ev)
		switch ev.Tag >> 56 {
		case sweepTag, blockTag:
			m.onSwept(now, ev)
		case lookTag:
			m.onLooked(now, ev)
		case electionTag:
			m.onManagerAnswer(now, ev)
		case keyTag:
			m.onKeyShown(now, ev)
		case groupTag:
			m.onGroupBlock(ev)
		default:
			m.stepCore(ev)
		}
	case Planned, Stored:
		m.stepCore(ev)
	case Claimed:
		m.claimed = true
		if m.cfg.Elect && !m.inRound && !m.stopped {
			m.beginRound("the manager has started", askAll)
		} else {
			m.stepCore(ev)
		}
	case Unasked:
		m.onUnasked(now, ev)
	case DrainPart, UndrainPart:
		m.onDrain(now, ev)
	case MembersChanged:
		m.noteMembers(now)
	case MembersTold:
		m.takeMembers(ev.Members)
	case Stop:
		m.stopped = true
		m.dropWork()
		m.stepCore(ev)
	case Reconfigure:
		m.reconfigure(now, ev.Settings)
	case Resweep:
		m.ask("a full sweep was asked for", false)
	case Rebalance:
		m.ask("a routing afresh was asked for", true)
	case Told:
		m.onNews(ev.News)
	case NeighboursTold:
		m.keys.expect(ev.Neighbours)
	case Tick, PauseEnds, LinkChanged: // the last two are what the Manager tells a round
	}
	m.proceed(now)
	out, m.out = m.out, nil
	return out
}

// start begins the first round. Where a master is elected our port says that a manager runs there before we look for others, so
// that of two that start at once one at least sees the other.
func (m *Manager) start() {
	if m.cfg.Elect {
		m.out = append(m.out, Action{Kind: Claim})
		return
	}
	m.beginRound("the manager has started", askAll)
}

// stepCore gives an event to the Core of the round. That a Core is done, which it says last, ends its round alone.
func (m *Manager) stepCore(ev *Event) {
	if !m.inRound {
		return
	}
	from := len(m.out)
	m.out = m.core.Step(ev, m.out)
	m.standing.drop(&m.out, from)
	if m.guid == 0 {
		m.guid = m.found().ownGUID()
	}
	switch last := len(m.out) - 1; {
	case last < 0:
	case m.out[last].Kind == Done:
		m.out = m.out[:last]
	case m.out[last].Kind == Pause:
		m.pauseEnds = m.now + m.given.Limits.Pause
		m.out[last] = Action{Kind: Wake, At: m.pauseEnds}
	}
}

// proceed ends a round that is done and begins what is due.
func (m *Manager) proceed(now time.Duration) {
	if m.inRound && now >= m.pauseEnds {
		m.pauseEnds = never
		m.stepCore(&Event{Kind: PauseEnds})
	}
	if !m.ended && m.inRound && m.core.IsDone() {
		m.endRound(now)
		if !m.ended { // the next one begins in a Step of its own: who is told of this end looks at its Core
			m.out = append(m.out, Action{Kind: Wake, At: now})
			return
		}
	}
	if m.ended || m.inRound {
		return
	}
	if m.drains.follow(m.cfg.Drain) && m.inForce != nil {
		m.noteChange(now, "what is to be drained was told otherwise")
	}
	switch {
	case m.stopped:
		if m.sweep.outstanding == 0 && m.looks.outstanding == 0 && m.toManagers == 0 && m.groups.outstanding == 0 && len(m.asking) == 0 {
			m.end()
		}
		return
	case !m.claimed && m.cfg.Elect, m.election.off, m.election.handing != nil: // the one that is to take it may write by now
		return
	case m.wanted.why != "":
		m.beginRound(m.wanted.why, askAll)
	case now >= m.change.due():
		m.pace.add(now)
		m.beginRound(m.change.text(), askChanged)
	case now >= m.again:
		m.beginRound("the last one did not bring up all", askAll)
	case now >= m.afresh:
		m.beginRound("all is routed afresh after repairs", routeAfresh)
	case now >= m.releaseDue():
		m.release(now)
	case now >= m.groups.membersDue():
		m.groups.due = never
		m.out = append(m.out, Action{Kind: TakeMembers})
	case now >= m.looks.due():
		m.beginLook(now)
	case now >= m.sweep.due:
		m.beginLightSweep()
	case now >= m.pollDue():
		m.poll()
	}
	if m.inRound {
		return
	}
	m.askSwitches()
	m.workOnGroups(now)
	if at := min(m.change.due(), m.again, m.afresh, m.sweep.due, m.pollDue(), m.releaseDue(), m.looks.due(), m.groups.membersDue(), m.groups.workDue()); at < never {
		m.out = append(m.out, Action{Kind: Wake, At: at})
	}
}

// end ends the manager.
func (m *Manager) end() {
	m.ended = true
	m.out = append(m.out, Action{Kind: Done})
}

// roundKind says what a round asks the devices, and what it does with the Plan in force.
type roundKind uint8

const (
	askAll      roundKind = iota // all is asked; the Plan in force is repaired
	askChanged                   // what has not changed since the round in force is not asked again; its Plan is repaired
	routeAfresh                  // all is asked; all is routed afresh, and LIDs are kept
)

// beginRound begins a bring-up.
func (m *Manager) beginRound(why string, kind roundKind) {
	switch {
	case m.wanted.afresh:
		kind = routeAfresh
	case (m.somewhere || m.inForce != nil && m.inForce.halfWritten) && kind == askChanged:
		kind = askAll
	}
	m.somewhere, m.untold = false, false
	m.inherit()
	if !m.keys.Equal(&m.cfg.Keys) {
		m.keys.change(m.cfg.Keys, m.inForce)
	}
	m.given = m.give(kind)
	m.core, m.inRound = Begin(&m.given), true
	m.doubted = map[fabric.GUID]bool{}
	m.change, m.again, m.wanted.why = nothingChanged, never, ""
	if kind == routeAfresh {
		m.afresh = never
	}
	m.standing.now = map[Incident]bool{}
	m.dropWork()
	m.unsteady.begun, m.unsteady.signs = m.unsteady.signs, nil
	if m.traps.untold > 0 {
		m.tell(TrapsUntold, "%d more traps since the last round began", m.traps.untold)
	}
	m.traps = trapLog{seen: map[string]bool{}}
	m.tell(RoundBegun, "a round begins: %s", why)
	m.round = Round{Number: m.round.Number + 1, Why: why, Begun: m.now}
	m.stepCore(&Event{Kind: Start})
}

// give returns what a round goes by.
func (m *Manager) give(kind roundKind) Given {
	cfg := &m.cfg
	return Given{
		By: policy{
			between: cfg.Between, partitions: cfg.Partitions, levels: cfg.Levels, drain: m.Drained(), unproven: cfg.Unproven, stays: m.watch.Interval > 0,
		},
		Limits:   Limits{Pending: cfg.MaxPending, Sweeps: cfg.Sweeps, Pause: cfg.Pause},
		ReadOnly: cfg.ReadOnly, TakeOver: cfg.TakeOver, AskRoles: cfg.AskRoles, Elect: cfg.Elect, Store: cfg.Store, Priority: cfg.Priority,
		Admitted: cfg.admitted(), Keys: m.keys, Inherit: m.next,
		Before: m.inForce, AskAll: kind != askChanged, Doubted: m.doubted, Afresh: kind == routeAfresh, Failed: m.failed,
		Unbalanced: kind != routeAfresh && m.afresh < never || m.inForce == nil && m.learned.rules != nil && m.learned.rules.Rebalance,
		Forgotten:  m.missing.forgotten(), Apart: m.unsteady.apart(),
		Claimed: m.claimed, HandedBy: m.election.handed, Reregister: m.reregister,
	}
}

// endRound takes what a round has brought about, and says when the next one is due.
func (m *Manager) endRound(now time.Duration) {
	m.inRound, m.pauseEnds = false, never
	m.result = m.core.Result()
	m.next = m.result.Inherit
	m.forgetRestarted()
	m.given.Before = nil // whose memory can be used again
	r, master := m.result.Report, m.result.Master
	m.endRecord(now)
	m.tellEnd()
	m.out = append(m.out, Action{Kind: RoundEnded})
	if m.result.Ledger.fabric != nil {
		m.standing.before = m.standing.now
	}
	m.watchLinks(now)
	defer m.tellRules()
	if r.State == Up || r.State == UpInPart {
		m.watchStuck()
		m.watchVain(now)
		m.takeRound(now)
		m.lookAfterRound(now)
	} else {
		maps.Copy(m.doubted, m.result.Doubted)
	}
	if m.stopped || m.watch.Interval <= 0 {
		m.end()
		return
	}
	if r.State == OtherMaster { // which names and routes as it likes
		m.giveUp()
	}
	if m.inForce != nil {
		m.sweep.due = now + m.watch.Interval
	}
	switch {
	case r.State == Up:
		m.failed = 0
	case r.State == OtherMaster && master != nil && master.state == mad.SMStateDiscovering && !master.precedes(m.cfg.Priority, m.guid):
		m.again = now + min(lookSoon, m.watch.Interval)
	case r.State == OtherMaster && master != nil:
		m.standBy(now, master)
	case r.State == OtherMaster: // a silent one
		m.again = now + m.watch.Interval
	case r.Find(Changed) != nil && m.failed == 0:
		m.failed++
		m.noteChange(now, "something changed while the subnet was brought up")
	default:
		m.again = now + m.watch.retryAfter(m.failed)
		m.failed++
	}
}

// endRecord remembers a round that has ended.
func (m *Manager) endRecord(now time.Duration) {
	round := m.round
	round.Ended, round.Report = now, m.result.Report
	m.last = &round
	if s := round.Report.State; s == Up || s == UpInPart {
		m.good = &round
	}
	m.tally.round(m.result)
}

// lookSoon is the time after which a manager looks again if another one, which it goes before, was looking too.
const lookSoon = time.Second

// tellEnd tells how a round has ended.
func (m *Manager) tellEnd() {
	r := m.result.Report
	text := string(r.State)
	if n := r.Found; n.Switches+n.CAs > 0 {
		text += fmt.Sprintf(": %d switches, %d channel adapters, %d links", n.Switches, n.CAs, n.Links)
	}
	if r.Routing.Engine != "" {
		text += ", engine " + r.Routing.Engine
	}
	if r.Routing.Kept != "" {
		text += ", " + r.Routing.Kept
	}
	if r.State == Up || r.State == UpInPart {
		text += fmt.Sprintf(", %d blocks of forwarding tables written", r.Written.Blocks)
	}
	m.tell(RoundEnds, "%s", text)
}

// takeRound makes the Plan of a round the one in force, tells what has changed since the last one, and has all routed
// afresh some time after a repair has moved paths, or something was added that no path uses yet.
func (m *Manager) takeRound(now time.Duration) {
	before := m.inForce
	m.inForce, m.clients = m.result.Ledger, m.result.Clients
	m.inForce.addRewritten(before)
	m.inForce.countSince(before, m.round.Number)
	m.reregister = m.reregister && !m.given.Reregister
	m.wanted.afresh = m.wanted.afresh && !m.given.Afresh
	m.election = election{}
	m.tellKeys()
	if m.cfg.Elect && !m.stopped {
		m.handOver()
	}
	m.watchMissing(before)
	m.watchExpected()
	var changes []Incident
	added := false
	if before != nil {
		changes, added = changesOf(before, m.inForce)
	}
	for _, c := range changes[:min(len(changes), mostChanges)] {
		m.out = append(m.out, Action{Kind: Note, Incident: c})
	}
	if more := len(changes) - mostChanges; more > 0 {
		m.tell(FabricChanged, "and %d more changes", more)
	}
	if m.afresh < never || m.watch.Rebalance > 0 && !m.given.Afresh && (added || m.result.Moved > 0) {
		m.afresh = now + m.watch.Rebalance
	}
	if before == nil {
		m.tellInherited()
	}
}

// mostChanges is the number of changes that are told one by one.
const mostChanges = 20

// tell tells what has happened.
func (m *Manager) tell(k IncidentKind, format string, args ...any) {
	m.out = append(m.out, Action{Kind: Note, Incident: Incident{Kind: k, Text: fmt.Sprintf(format, args...)}})
}

// successor returns how a Manager at another port is to be made, so that it goes on where this one ends.
func (m *Manager) successor() Config {
	cfg := m.cfg
	cfg.OwnPort, cfg.Drains = 0, m.drains
	cfg.Stored, cfg.Trees, cfg.Last, cfg.LastAfresh, cfg.LastHeld = m.next.Stored, m.next.Trees, m.next.Last, m.next.Afresh, m.next.Held
	if c := m.inForce; c != nil {
		cfg.Last, cfg.LastAfresh = planner.Keep(c.plan, c.graph), false
		cfg.Neighbours = Neighbours(c.fabric)
	}
	return cfg
}
