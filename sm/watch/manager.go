package watch

import (
	"fmt"
	"maps"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Manager is a subnet manager that stays, as a pure state machine. A round is one bring-up by a Round; between rounds
// it watches the subnet by light sweeps and traps, and a change begins the next round. Later rounds repair the Plan that
// is in force. Step takes what happened and the time; times only grow. It is not for concurrent use.
type Manager struct {
	cfg   terms.Config
	watch terms.Watch

	keys    *ledger.Keyring
	inForce *ledger.Ledger // of the last round that brought the subnet up, in full or in part
	clients round.Clients  // what that round knew of clients
	claimed bool           // IsSM is set at our port
	stopped bool
	ended   bool

	groups groups
	rounds
	ruleBook
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
	outbox
	paths []byte // memory of the Paths of this Step
}

// rounds hold the round under way, the last one, and what the next one begins with.
type rounds struct {
	current *round.Round  // the round that is under way, or else the last one
	given   round.Given   // what that was given
	result  *round.Result // of the last round that has ended
	next    round.Inherit // what the next round takes over
	inRound bool
	failed  int // rounds, one after the other, that did not bring up all
	wanted  wantedRound
}

// ruleBook holds the rules of this manager: those of its own files, those learned from other
// managers, and which of them have been sent to the standbys.
type ruleBook struct {
	learned     learned
	own         ownFiles // as Config and Reconfigure have them; those of cfg are in force
	differences []string // of what is, or would be, in force from own, in words
	rulesTold   uint64   // counts RulesToTell
	untold      bool     // what we go by has changed since the last round began: it is not handed over until a round has told that
}

// outbox collects the actions of a Step.
type outbox struct{ out []terms.Action }

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
	drains     drains
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
func NewManager(cfg terms.Config, watch terms.Watch) *Manager {
	cfg.FillIn()
	m := &Manager{
		cfg: cfg, ruleBook: ruleBook{own: ownFilesOf(&cfg)}, watch: watch, keys: ledger.NewKeyring(&cfg), schedule: schedule{pauseEnds: terms.Never, again: terms.Never, afresh: terms.Never},
		signs:    signs{change: nothingChanged, doubted: map[fabric.GUID]bool{}, sweep: lightSweep{due: terms.Never}, asking: map[uint64]shownKey{}},
		groups:   groups{due: terms.Never, again: terms.Never},
		rounds:   rounds{next: round.Inherit{Stored: cfg.Stored, Trees: cfg.Trees, Last: cfg.Last, Afresh: cfg.LastAfresh, Held: cfg.LastHeld}},
		findings: findings{missing: missingNodes{}, drains: drains{cfg.Drains}},
	}
	m.current = round.Begin(&round.Given{Keys: m.keys})
	m.result = m.current.Result()
	return m
}

// Result returns what the round has brought about that is under way, or else that of the last one.
func (r *rounds) Result() *round.Result {
	if r.inRound {
		return r.current.Result()
	}
	return r.result
}

// found returns the ledger of the round that is under way, or else of the last one.
func (r *rounds) found() *ledger.Ledger { return r.Result().Ledger }

// Reigning returns the ledger of the round whose Plan is in force, nil where we are not the master.
func (m *Manager) Reigning() *ledger.Ledger {
	if m.Role() != terms.Master {
		return nil
	}
	return m.inForce
}

// Step takes an event and appends the actions that follow from it to out.
func (m *Manager) Step(now time.Duration, ev *terms.Event, out []terms.Action) []terms.Action {
	m.out, m.paths, m.now = out, m.paths[:0], now
	m.acts++
	switch ev.Kind {
	case terms.Start:
		m.start()
	case terms.Answer:
		m.tally.answer(ev)
		switch ev.Tag >> 56 {
		case terms.SweepTag, terms.BlockTag:
			m.onSwept(now, ev)
		case terms.LookTag:
			m.onLooked(now, ev)
		case terms.ElectionTag:
			m.onManagerAnswer(now, ev)
		case terms.KeyTag:
			m.onKeyShown(now, ev)
		case terms.GroupTag:
			m.onGroupBlock(ev)
		default:
			m.stepRound(ev)
		}
	case terms.Planned, terms.Stored:
		m.stepRound(ev)
	case terms.Claimed:
		m.claimed = true
		if m.cfg.Elect && !m.inRound && !m.stopped {
			m.beginRound("the manager has started", askAll)
		} else {
			m.stepRound(ev)
		}
	case terms.Unasked:
		m.onUnasked(now, ev)
	case terms.DrainPart, terms.UndrainPart:
		m.onDrain(now, ev)
	case terms.MembersChanged:
		m.groups.wantMembers(now + m.watch.Quiet)
	case terms.MembersTold:
		if m.inForce != nil { // otherwise they are sent again when the subnet is ours
			m.groups.takeMembers(ev.Members)
		}
	case terms.Stop:
		m.stopped = true
		m.dropWork()
		m.stepRound(ev)
	case terms.Reconfigure:
		m.reconfigure(now, ev.Settings)
	case terms.Resweep:
		m.ask("a full sweep was asked for", false)
	case terms.Rebalance:
		m.ask("a routing afresh was asked for", true)
	case terms.Told:
		m.onNews(ev.News)
	case terms.NeighboursTold:
		m.keys.Expect(ev.Neighbours)
	case terms.Tick, terms.PauseEnds, terms.LinkChanged: // the last two are what the Manager tells a round
	}
	m.proceed(now)
	out, m.out = m.out, nil
	return out
}

// start begins the first round. Where a master is elected our port says that a manager runs there before we look for others, so
// that of two that start at once one at least sees the other.
func (m *Manager) start() {
	if m.cfg.Elect {
		m.out = append(m.out, terms.Action{Kind: terms.Claim})
		return
	}
	m.beginRound("the manager has started", askAll)
}

// stepRound gives an event to the round under way. That a round is done, which it says last, ends its round alone.
func (m *Manager) stepRound(ev *terms.Event) {
	if !m.inRound {
		return
	}
	from := len(m.out)
	m.out = m.current.Step(ev, m.out)
	m.standing.drop(&m.out, from)
	if m.guid == 0 {
		m.guid = m.found().OwnGUID()
	}
	switch last := len(m.out) - 1; {
	case last < 0:
	case m.out[last].Kind == terms.Done:
		m.out = m.out[:last]
	case m.out[last].Kind == terms.Pause:
		m.pauseEnds = m.now + m.given.Limits.Pause
		m.out[last] = terms.Action{Kind: terms.Wake, At: m.pauseEnds}
	}
}

// proceed ends a round that is done and begins what is due.
func (m *Manager) proceed(now time.Duration) {
	if m.inRound && now >= m.pauseEnds {
		m.pauseEnds = terms.Never
		m.stepRound(&terms.Event{Kind: terms.PauseEnds})
	}
	if !m.ended && m.inRound && m.current.IsDone() {
		m.endRound(now)
		if !m.ended { // the next one begins in a Step of its own: who is told of this end looks at its Result
			m.out = append(m.out, terms.Action{Kind: terms.Wake, At: now})
			return
		}
	}
	if m.ended || m.inRound {
		return
	}
	if m.drains.Follow(m.cfg.Drain) && m.inForce != nil {
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
	case now >= m.unsteady.releaseDue(m.inForce, m.watch.Flaps):
		m.release(now)
	case now >= m.groups.membersDue():
		m.groups.due = terms.Never
		m.out = append(m.out, terms.Action{Kind: terms.TakeMembers})
	case now >= m.looks.due():
		m.beginLook(now)
	case now >= m.sweep.due:
		m.beginLightSweep()
	case now >= m.election.pollDue():
		m.poll()
	}
	if m.inRound {
		return
	}
	m.askSwitches()
	m.workOnGroups(now)
	if at := min(m.change.due(), m.again, m.afresh, m.sweep.due, m.election.pollDue(), m.unsteady.releaseDue(m.inForce, m.watch.Flaps), m.looks.due(), m.groups.membersDue(), m.groups.workDue()); at < terms.Never {
		m.out = append(m.out, terms.Action{Kind: terms.Wake, At: at})
	}
}

// end ends the manager.
func (m *Manager) end() {
	m.ended = true
	m.out = append(m.out, terms.Action{Kind: terms.Done})
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
	case (m.somewhere || m.inForce != nil && m.inForce.HalfWritten) && kind == askChanged:
		kind = askAll
	}
	m.somewhere, m.untold = false, false
	m.inherit()
	if !m.keys.Equal(&m.cfg.Keys) {
		m.keys.Change(m.cfg.Keys, m.inForce)
	}
	m.given = m.give(kind)
	m.current, m.inRound = round.Begin(&m.given), true
	m.doubted = map[fabric.GUID]bool{}
	m.change, m.again, m.wanted.why = nothingChanged, terms.Never, ""
	if kind == routeAfresh {
		m.afresh = terms.Never
	}
	m.standing.now = map[terms.Incident]bool{}
	m.dropWork()
	m.unsteady.begun, m.unsteady.signs = m.unsteady.signs, nil
	if m.traps.untold > 0 {
		m.tell(terms.TrapsUntold, "%d more traps since the last round began", m.traps.untold)
	}
	m.traps = trapLog{seen: map[string]bool{}}
	m.tell(terms.RoundBegun, "a round begins: %s", why)
	m.round = Round{Number: m.round.Number + 1, Why: why, Begun: m.now}
	m.stepRound(&terms.Event{Kind: terms.Start})
}

// give returns what a round goes by.
func (m *Manager) give(kind roundKind) round.Given {
	g := round.GivenBy(&m.cfg)
	g.By.Drain, g.By.Stays = m.Drained(), m.watch.Interval > 0
	g.Keys, g.Inherit = m.keys, m.next
	g.Before, g.AskAll, g.Doubted, g.Afresh, g.Failed = m.inForce, kind != askChanged, m.doubted, kind == routeAfresh, m.failed
	g.Unbalanced = kind != routeAfresh && m.afresh < terms.Never || m.inForce == nil && m.learned.rules != nil && m.learned.rules.Rebalance
	g.Forgotten, g.Apart = m.missing.forgotten(), m.unsteady.apart()
	g.Claimed, g.HandedBy, g.Reregister = m.claimed, m.election.handed, m.reregister
	return g
}

// endRound takes what a round has brought about, and says when the next one is due.
func (m *Manager) endRound(now time.Duration) {
	m.inRound, m.pauseEnds = false, terms.Never
	m.result = m.current.Result()
	m.next = m.result.Inherit
	m.groups.forgetRestarted(m.result.Ledger, m.given.Before)
	m.given.Before = nil // whose memory can be used again
	r, master := m.result.Report, m.result.Master
	m.memory.end(now, m.result)
	m.tellEnd()
	m.out = append(m.out, terms.Action{Kind: terms.RoundEnded})
	if m.result.Ledger.Fabric != nil {
		m.standing.before = m.standing.now
	}
	m.watchLinks(now)
	defer m.tellRules()
	if r.State == terms.Up || r.State == terms.UpInPart {
		m.watchStuck()
		m.unsteady.watchVain(now, m.result.Ledger, m.inForce, m.watch.Flaps.Within)
		m.takeRound(now)
		m.lookAfterRound(now)
	} else {
		maps.Copy(m.doubted, m.result.Doubted)
	}
	if m.stopped || m.watch.Interval <= 0 {
		m.end()
		return
	}
	if r.State == terms.OtherMaster { // which names and routes as it likes
		m.giveUp()
	}
	if m.inForce != nil {
		m.sweep.due = now + m.watch.Interval
	}
	switch {
	case r.State == terms.Up:
		m.failed = 0
	case r.State == terms.OtherMaster && master != nil && master.State == mad.SMStateDiscovering && !master.Precedes(m.cfg.Priority, m.guid):
		m.again = now + min(lookSoon, m.watch.Interval)
	case r.State == terms.OtherMaster && master != nil:
		m.standBy(now, master)
	case r.State == terms.OtherMaster: // a silent one
		m.again = now + m.watch.Interval
	case r.Find(terms.Changed) != nil && m.failed == 0:
		m.failed++
		m.noteChange(now, "something changed while the subnet was brought up")
	default:
		m.again = now + m.watch.RetryAfter(m.failed)
		m.failed++
	}
}

// end remembers a round that has ended.
func (m *memory) end(now time.Duration, result *round.Result) {
	round := m.round
	round.Ended, round.Report = now, result.Report
	m.last = &round
	if s := round.Report.State; s == terms.Up || s == terms.UpInPart {
		m.good = &round
	}
	m.tally.round(result)
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
	if r.State == terms.Up || r.State == terms.UpInPart {
		text += fmt.Sprintf(", %d blocks of forwarding tables written", r.Written.Blocks)
	}
	m.tell(terms.RoundEnds, "%s", text)
}

// takeRound makes the Plan of a round the one in force, tells what has changed since the last one, and has all routed
// afresh some time after a repair has moved paths, or something was added that no path uses yet.
func (m *Manager) takeRound(now time.Duration) {
	before := m.inForce
	m.inForce, m.clients = m.result.Ledger, m.result.Clients
	m.inForce.AddRewritten(before)
	m.inForce.CountSince(before, m.round.Number)
	m.reregister = m.reregister && !m.given.Reregister
	m.wanted.afresh = m.wanted.afresh && !m.given.Afresh
	m.election = election{}
	m.tellKeys()
	if m.cfg.Elect && !m.stopped {
		m.handOver()
	}
	m.watchMissing(before)
	m.watchExpected()
	var changes []terms.Incident
	added := false
	if before != nil {
		changes, added = ledger.ChangesOf(before, m.inForce)
	}
	for _, c := range changes[:min(len(changes), mostChanges)] {
		m.out = append(m.out, terms.Action{Kind: terms.Note, Incident: c})
	}
	if more := len(changes) - mostChanges; more > 0 {
		m.tell(terms.FabricChanged, "and %d more changes", more)
	}
	if m.afresh < terms.Never || m.watch.Rebalance > 0 && !m.given.Afresh && (added || m.result.Moved > 0) {
		m.afresh = now + m.watch.Rebalance
	}
	if before == nil {
		m.tellInherited()
	}
}

// mostChanges is the number of changes that are told one by one.
const mostChanges = 20

// tell tells what has happened.
func (o *outbox) tell(k terms.IncidentKind, format string, args ...any) {
	o.out = append(o.out, terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: k, Text: fmt.Sprintf(format, args...)}})
}

// Successor returns how a Manager at another port is to be made, so that it goes on where this one ends.
func (m *Manager) Successor() terms.Config {
	cfg := m.cfg
	cfg.OwnPort, cfg.Drains = 0, m.drains.Drains
	cfg.Stored, cfg.Trees, cfg.Last, cfg.LastAfresh, cfg.LastHeld = m.next.Stored, m.next.Trees, m.next.Last, m.next.Afresh, m.next.Held
	if c := m.inForce; c != nil {
		cfg.Last, cfg.LastAfresh = planner.Keep(c.Plan, c.Graph), false
		cfg.Neighbours = terms.Neighbours(c.Fabric)
	}
	return cfg
}

// Watch returns how the subnet is watched now.
func (m *Manager) Watch() terms.Watch { return m.watch }
