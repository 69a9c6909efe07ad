package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"weft/fabric"
	"weft/internal/fold"
	"weft/planner"
	"weft/route/repair"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch/forcing"
	"weft/sm/watch/moving"
	"weft/sm/watch/pacing"
	"weft/sm/watch/standing"
	"weft/sm/watch/starting"
	"weft/sm/watch/succession"
	"weft/sm/watch/tally"
	"weft/wire/mad"
)

// Manager is a subnet manager that stays, as a pure state machine. A round is one bring-up. Between
// rounds light sweeps and traps watch the subnet, and a change begins the next round, which repairs
// the Plan in force. Step takes what happened and the time, which only grows. Not for concurrent
// use.
type Manager struct {
	cfg   terms.Config
	watch terms.Watch

	keys    *ledger.Keyring
	inForce *ledger.Ledger // of the last round that brought the subnet up, in full or in part; nil unless we are the master
	clients round.Clients  // data of that round about clients
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
	others     others
	contest    contest
	guid       fabric.GUID   // of our port; 0 until it is known
	acts       uint64        // SMInfo.ActCount
	settled    []fabric.GUID // port GUIDs of standbys with a full copy, to which we may hand over
	reregister bool          // the next round asks clients to register again
	toManagers int           // SMPs to other managers under way
	outbox
	paths []byte // memory of the Paths of this Step
}

// rounds holds the round under way, the last one, and the start of the next one.
type rounds struct {
	current *round.Round  // the round under way, or else the last one
	given   round.Given   // input of current
	result  *round.Result // of the last round that ended
	next    round.Inherit // passed on to the next round
	inRound bool
	failed  int // rounds in a row that did not bring up everything
	wanted  wantedRound
	begun   wantedRound // the one that current is
	better  better
	jobs    starting.Machine
}

// ruleBook holds the rules of this manager: its own files' settings, the rules learned from other
// managers, and what the standbys have been sent.
type ruleBook struct {
	learned     learned
	own         succession.OwnFiles         // of Config and Reconfigure; cfg has those in force
	differences []string                    // between own and the rules in force, or of our master
	aliases     map[fabric.GUID]fabric.GUID // port GUIDs by alias, as clients have set them
	rulesTold   uint64                      // counts RulesToTell
	untold      bool                        // our rules have changed since the last round began: no handover before a round has sent them
}

// outbox collects the actions of a Step.
type outbox struct{ out []terms.Action }

// schedule holds when something is due; never.
type schedule struct {
	now                   time.Duration // of this Step
	pauseEnds             time.Duration // the packets that the round waits for have left
	storeSince, storeLate time.Duration // since when the round stores, and when it is to go on without
	again                 time.Duration // the next round, if nothing changes
	afresh                time.Duration // routing from scratch, since the Plan in force is unbalanced
	moves                 moving.Schedule

	unbalanced bool // the Plan in force was repaired, or leaves something unused
}

// signs holds signs of change, and the sweeps and looks that find them.
type signs struct {
	change    pacing.Changes
	doubted   map[fabric.GUID]bool // node GUIDs: may have changed, and no round has asked since
	somewhere bool                 // an unknown node reports a change: the next round asks everything
	sweep     lightSweep
	traps     trapLog
	looks     looks
	alarms    alarms
	asking    map[uint64]shownKey // after traps 256, by tag: ports that have not answered
}

// findings holds the known faults of a subnet, and the parts that the Manager does not use.
type findings struct {
	unsteady   unsteady
	standing   standing.Notes
	missing    missingNodes
	drains     drains
	babble     babble
	forcing    forcing.Machine
	deviations []string // from Config.Expected
}

// memory holds rounds and counts for Snapshots.
type memory struct {
	round   Round         // under way
	noticed time.Duration // the first sign of the change that it handles; or when it began
	routing time.Duration // when its last Plan was asked for
	last    *Round
	good    *Round     // the last whose Plan came into force
	servers func() int // of its Graph, counted once
	tally   tally.Tally
}

// NewManager makes a Manager that has not started.
func NewManager(cfg terms.Config, watch terms.Watch) *Manager {
	cfg.FillIn()
	m := &Manager{
		cfg: cfg, guid: cfg.OwnPort, ruleBook: ruleBook{own: succession.FilesOf(&cfg), aliases: cfg.Aliases}, watch: watch, keys: ledger.NewKeyring(&cfg), schedule: schedule{pauseEnds: terms.Never, storeLate: terms.Never, again: terms.Never, afresh: terms.Never, moves: moving.New()},
		signs:    signs{change: pacing.New(), doubted: map[fabric.GUID]bool{}, sweep: lightSweep{due: terms.Never}, alarms: newAlarms(), asking: map[uint64]shownKey{}},
		groups:   groups{due: terms.Never, again: terms.Never},
		others:   newOthers(),
		rounds:   rounds{next: round.GivenBy(&cfg).Inherit, jobs: starting.Resume(cfg.Jobs, 0, watch.Jobs)},
		findings: findings{missing: missingNodes{}, drains: drains{cfg.Drains}, babble: newBabble(), forcing: forcing.Resume(cfg.Drains.Trials, 0)},
	}
	m.current = round.Begin(&round.Given{Keys: m.keys})
	m.result = m.current.Result()
	return m
}

// Result returns the result of the round under way, or else of the last one.
func (r *rounds) Result() *round.Result {
	if r.inRound {
		return r.current.Result()
	}
	return r.result
}

// found returns the ledger of the round under way, or else of the last one.
func (r *rounds) found() *ledger.Ledger { return r.Result().Ledger }

// Reigning returns the ledger of the round whose Plan is in force; nil if we are not the master.
func (m *Manager) Reigning() *ledger.Ledger {
	if m.Role() != terms.Master {
		return nil
	}
	return m.inForce
}

// Step handles an event and appends the actions that follow to out.
func (m *Manager) Step(now time.Duration, ev *terms.Event, out []terms.Action) []terms.Action {
	m.out, m.paths, m.now = out, m.paths[:0], now
	m.acts++
	switch ev.Kind {
	case terms.Start:
		m.start()
	case terms.Answer:
		m.onAnswer(now, ev)
	case terms.Planned:
		m.tally.RouteTimes.Add(now - m.routing)
		m.stepRound(ev)
	case terms.Improved:
		if m.jobs.IsPlanning() {
			takeTurn(m, ev)
		} else {
			takeBetter(m, ev)
		}
	case terms.Stored:
		m.storeLate = terms.Never
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
	case terms.WritePartitions:
		writePartitions(m, ev)
	case terms.WriteJobs:
		writeJobs(m, ev)
	case terms.Computed:
		takePlaced(m)
	case terms.MembersChanged:
		m.groups.wantMembers(now + m.watch.Quiet)
	case terms.MembersTold:
		if m.inForce != nil { // otherwise they are sent again when the subnet is ours
			m.groups.takeMembers(ev.Members)
		}
	case terms.Stop:
		m.stopped = true
		stopBetter(m)
		stopTurn(m)
		m.out = m.jobs.Release(m.out)
		m.dropWork()
		m.stepRound(ev)
	case terms.Reconfigure:
		m.reconfigure(now, ev.Settings)
	case terms.Resweep:
		m.wanted.tables = true
		m.ask(cmp.Or(ev.Name, "a full sweep was requested"+terms.ByWhom(ev.By)), false)
	case terms.Rebalance:
		m.ask(cmp.Or(ev.Name, "routing from scratch was requested"+terms.ByWhom(ev.By)), true)
	case terms.Told:
		m.onNews(ev.News)
	case terms.NeighboursTold:
		m.keys.Expect(ev.Neighbours)
	case terms.ClockSet:
		m.watch.Epoch = ev.Epoch
	case terms.Tick, terms.PauseEnds, terms.LinkChanged: // a Tick needs no more; the other two go to a round
	}
	m.proceed(now)
	out, m.out = m.out, nil
	return out
}

// onAnswer handles the end of an SMP. Its tag names the purpose of the SMP.
func (m *Manager) onAnswer(now time.Duration, ev *terms.Event) {
	m.tally.Answer(kindOf(ev.Tag), ev)
	switch ev.Tag >> 56 {
	case terms.SweepTag, terms.BlockTag:
		m.onSwept(now, ev)
	case terms.LookTag:
		m.onLooked(now, ev)
	case terms.ElectionTag:
		m.election.onAnswer(m, now, ev)
	case terms.KeyTag:
		m.onKeyShown(now, ev)
	case terms.GroupTag:
		m.onGroupBlock(ev)
	case terms.PortTag:
		m.babble.ended(m, now, ev)
	case terms.SpeedTag:
		m.forcing.Ended(worldOf(m), ev)
	default:
		m.stepRound(ev)
	}
}

// start begins the first round. With Config.Elect it first sets IsSM at our port, so that of two
// managers that start at once at least one sees the other.
func (m *Manager) start() {
	if m.cfg.Elect {
		m.out = append(m.out, terms.Action{Kind: terms.Claim})
		return
	}
	m.beginRound("the manager has started", askAll)
}

// stepRound passes an event to the round under way. It removes the round's Done, its last action,
// and turns a Pause into a Wake.
func (m *Manager) stepRound(ev *terms.Event) {
	if !m.inRound {
		return
	}
	from := len(m.out)
	m.out = m.current.Step(ev, m.out)
	for i := from; i < len(m.out); i++ {
		if m.out[i].Kind == terms.Route {
			if m.routing = m.now; m.inForce == nil {
				m.out = m.jobs.Foresee(m.out[i].Request.Graph, m.out)
			}
		}
	}
	m.standing.Drop(&m.out, from)
	if slices.ContainsFunc(m.out[from:], func(a terms.Action) bool { return a.Kind == terms.Note }) {
		m.standing.TellBegin(&m.out, from)
	}
	if guid := m.found().OwnGUID(); guid != 0 {
		m.guid = guid
	}
	switch last := len(m.out) - 1; {
	case last < 0:
	case m.out[last].Kind == terms.Done:
		m.out = m.out[:last]
	case m.out[last].Kind == terms.Pause:
		m.pauseEnds = m.now + m.given.Limits.Pause
		m.out[last] = terms.Action{Kind: terms.Wake, At: m.pauseEnds}
	}
	limitStore(m, from)
}

// proceed ends a finished round and begins the work that is due.
func (m *Manager) proceed(now time.Duration) {
	endPause(m, now)
	endSlowStore(m, now)
	if !m.ended && m.inRound && m.current.IsDone() {
		m.endRound(now)
		if !m.ended { // the next round begins in a Step of its own, so that Result stays until this end is reported
			m.out = append(m.out, terms.Action{Kind: terms.Wake, At: now})
			return
		}
	}
	if m.ended || m.inRound {
		return
	}
	if now >= m.alarms.due {
		m.alarms.begin(m, now)
	}
	if m.drains.Follow(m.cfg.Drain) && m.inForce != nil {
		m.noteChange(now, "the parts to be drained have changed")
	}
	switch {
	case m.stopped:
		if m.sweep.outstanding == 0 && m.looks.outstanding == 0 && m.toManagers == 0 && m.groups.outstanding == 0 && len(m.asking)+len(m.babble.under) == 0 && !m.forcing.IsUnderWay() {
			m.end()
		}
		return
	case m.election.handing != nil: // the manager that we offered the subnet may write by now
		m.election.follow(m, now)
		return
	case !m.claimed && m.cfg.Elect, m.election.off:
		return
	}
	if beginDue(m, now); m.inRound {
		return
	}
	planBetter(m)
	forceSpeeds(m)
	m.askSwitches()
	m.workOnGroups(now)
	wakeForNext(m)
}

// beginDue begins the first work that is due: a round before all else.
func beginDue(m *Manager, now time.Duration) {
	switch {
	case m.wanted.why != "":
		m.beginRound(m.wanted.why, askAll)
	case now >= m.change.Due():
		m.change.Count(now)
		m.beginRound(m.change.Text(), askChanged)
	case now >= m.again:
		m.beginRound(m.whyAgain(), askAll)
	case now >= afreshDue(m):
		m.beginRound("routing from scratch after repairs", routeAfresh)
	case now >= betterDue(m):
		m.beginRound(whyBetter, useBetter)
	case now >= jobsDue(m):
		serveJobs(m)
	case now >= movesDue(m):
		m.moveOrSweep()
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
}

// scheduleAfresh makes routing from scratch due, or not: an expected better Plan is from scratch.
func scheduleAfresh(m *Manager) {
	if m.afresh = terms.Never; m.inForce != nil && m.unbalanced && m.watch.Rebalance > 0 && !m.better.expected() {
		m.afresh = m.now + m.watch.Rebalance
	}
}

// afreshDue returns when the Plan is routed from scratch: never while the subnet is contested.
func afreshDue(m *Manager) time.Duration {
	return m.contest.delay(moving.Allowed(&m.watch, m.afresh, m.now))
}

// movesDue returns when entries move, or the light sweep before that begins: after noticed changes,
// sweeps and looks, and never while the subnet is contested. Moves wait for a better Plan, which
// replaces them and is planned only while no round is under way, and for the planning of a turn of
// jobs, which would begin again after each.
func movesDue(m *Manager) time.Duration {
	due := m.contest.delay(m.moves.Due(&m.watch, m.now))
	switch {
	case due == terms.Never, m.better.expected(), m.jobs.IsPlanning(), m.change.Due() < terms.Never, m.sweep.under, m.looks.under, m.looks.due() < terms.Never:
		return terms.Never
	case m.sweep.clean:
		return due
	}
	return max(due, m.sweep.calm)
}

// moveOrSweep begins a round that moves entries, after a light sweep that finds nothing: packets
// take no new ways through switches that do not hold their tables.
func (m *Manager) moveOrSweep() {
	if !m.sweep.clean {
		m.beginLightSweep()
		return
	}
	m.beginRound(moving.Why, moveEntries)
}

// endPause goes on with a round whose pause is over.
func endPause(m *Manager, now time.Duration) {
	if m.inRound && now >= m.pauseEnds {
		m.pauseEnds = terms.Never
		m.stepRound(&terms.Event{Kind: terms.PauseEnds})
		wakeForStore(m)
	}
}

// wakeForNext asks for a call of Step when the next work between rounds is due.
func wakeForNext(m *Manager) {
	at := min(
		m.change.Due(), m.alarms.due, m.again, afreshDue(m), betterDue(m), jobsDue(m), movesDue(m), forceDue(m), m.sweep.due, m.election.pollDue(),
		m.unsteady.releaseDue(m.inForce, m.watch.Flaps), m.looks.due(), m.groups.membersDue(), m.groups.workDue(),
	)
	if at < terms.Never {
		m.out = append(m.out, terms.Action{Kind: terms.Wake, At: at})
	}
}

// end ends the manager.
func (m *Manager) end() {
	m.ended = true
	m.out = append(m.out, terms.Action{Kind: terms.Done})
}

// roundKind says what a round asks the devices, and whether it repairs the Plan in force.
type roundKind uint8

const (
	askAll      roundKind = iota // ask everything; repair the Plan in force
	askChanged                   // ask only devices that may have changed since the round in force; repair its Plan
	routeAfresh                  // ask everything; route from scratch and keep LIDs
	moveEntries                  // as askChanged; besides, move entries to less loaded links
	useBetter                    // as askChanged; besides, program the better Plan
	moveForJobs                  // as askChanged; besides, program the Plan of a turn of jobs
)

// asksAll reports whether such a round asks everything.
func (k roundKind) asksAll() bool { return k == askAll || k == routeAfresh }

// beginRound begins a bring-up.
func (m *Manager) beginRound(why string, kind roundKind) {
	asked := kind
	switch {
	case m.wanted.afresh:
		kind = routeAfresh
	case (m.somewhere || m.wanted.tables || m.inForce != nil && m.inForce.HalfWritten) && !kind.asksAll(),
		kind == useBetter && m.failed > 0: // it is the next attempt too
		kind = askAll
	case kind == askAll && m.contest.isOn():
		kind = askChanged
	}
	m.somewhere, m.untold = false, false
	m.inherit()
	if !m.keys.Equal(&m.cfg.Keys) {
		m.keys.Change(m.cfg.Keys, m.inForce)
	}
	m.given = m.give(kind)
	switch {
	case m.wanted.afresh:
	case asked == useBetter:
		m.given.Better = m.better.ready
	case asked == moveForJobs:
		m.given.Better = m.jobs.Ready()
	}
	m.current, m.inRound = round.Begin(&m.given), true
	m.doubted = map[fabric.GUID]bool{}
	m.noticed = min(m.change.Since(), m.now)
	m.change.Drop()
	m.begun, m.wanted = m.wanted, wantedRound{}
	m.again, m.alarms.due = terms.Never, terms.Never
	if kind == routeAfresh {
		m.afresh, m.better.ready = terms.Never, nil
	}
	m.dropWork()
	m.unsteady.begun, m.unsteady.signs = m.unsteady.signs, nil
	if m.traps.untold > 0 {
		m.tell(terms.TrapsUntold, "%s since the last round began", fold.Count(m.traps.untold, "more trap", "more traps"))
	}
	m.traps = trapLog{seen: map[string]bool{}, of: map[fabric.LID]int{}}
	m.standing.BeginRound(&m.out, why, why == stillOther)
	m.round = Round{Number: m.round.Number + 1, Why: why, Begun: m.now}
	m.stepRound(&terms.Event{Kind: terms.Start})
}

// give returns the input of a round.
func (m *Manager) give(kind roundKind) round.Given {
	g := round.GivenBy(&m.cfg)
	g.By.Aliases, g.By.Jobs = m.aliases, m.jobs.List()
	g.By.Drain, g.By.Avoid, g.By.Stays = append(m.Drained(), m.forcing.Drained()...), m.unsteady.avoided(), m.watch.Interval > 0
	g.Keys, g.Inherit = m.keys, m.next
	g.Before, g.AskAll, g.Doubted, g.Afresh, g.Failed = m.inForce, kind.asksAll(), m.doubted, kind == routeAfresh, m.failed
	if kind == moveEntries {
		g.Limits.Moves = m.moves.Begin(&m.watch, m.now)
	}
	if m.inForce == nil {
		g.Inherit.Seen = m.result.Ledger
	}
	g.ReadTables = m.wanted.tables && m.inForce != nil
	g.Forgotten, g.Apart = m.missing.forgotten(), m.unsteady.apart()
	g.Claimed, g.HandedBy, g.Inherit.IsLeft, g.Reregister = m.claimed, m.election.handed, m.election.isLeft, m.reregister
	g.Idle, g.By.Contested = m.others.idle(), m.contest.keeps(m.now)
	return g
}

// endRound takes over the result of a round and schedules the next one.
func (m *Manager) endRound(now time.Duration) {
	m.inRound, m.pauseEnds, m.storeLate = false, terms.Never, terms.Never
	m.result = m.current.Result()
	m.next = m.result.Inherit
	m.groups.forgetRestarted(m.result.Ledger, m.given.Before)
	if m.given.ReadTables {
		m.groups.held = nil
	}
	m.given.Before, m.given.Inherit.Seen = nil, nil // free their memory
	r, master := m.result.Report, m.result.Master
	m.memory.end(now, m.result)
	m.tellEnd()
	m.out = append(m.out, terms.Action{Kind: terms.RoundEnded})
	m.standing.EndRound(m.result.Ledger.Fabric != nil)
	m.watchLinks(now)
	defer m.tellRules()
	m.wanted.addRest(m.begun, r.State.IsUp(), &m.given)
	if r.State.IsUp() {
		m.watchStuck()
		m.unsteady.watchVain(now, m.result.Ledger, m.inForce, m.watch.Flaps.Within)
		m.takeRound(now)
		m.unsteady.holdDead(m, now)
		m.unsteady.avoidDeaf(m, now)
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
		m.election.handed, m.election.isLeft = 0, false // the next round is not of that offer
	}
	if m.inForce != nil {
		m.sweep.due = now + m.watch.Interval
	}
	switch {
	case r.State == terms.Up:
		m.failed = 0
	case r.State == terms.OtherMaster && m.others.judgeLeft(m, now):
		m.again = now
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
	if round.Report.State.IsUp() {
		m.good = &round
	}
	m.tally.Round(now, round.Begun, m.noticed, result)
}

// lookSoon is the time after which a manager looks again if another one, which it precedes, was
// looking too.
const lookSoon = time.Second

// stillOther is the reason of a round after one that left the subnet to another manager.
const stillOther = "another manager is, or may be, the master: it is looked for again"

// whyAgain returns the reason of a round that repeats the last one.
func (m *Manager) whyAgain() string {
	if m.last != nil && m.last.Report.State == terms.OtherMaster {
		return stillOther
	}
	return "the last round did not bring up everything"
}

// tellEnd logs how a round ended, unless it has found another manager as the round before did.
func (m *Manager) tellEnd() {
	r := m.result.Report
	if m.standing.IsHeldBack() && r.State == terms.OtherMaster {
		return
	}
	m.standing.TellBegin(&m.out, len(m.out))
	text := string(r.State)
	if n := r.Found; n.Switches+n.CAs > 0 {
		text += fmt.Sprintf(": %s, %s, %s", fold.Count(n.Switches, "switch", "switches"), fold.Count(n.CAs, "channel adapter", "channel adapters"), fold.Count(n.Links, "link", "links"))
	}
	if r.Routing.Engine != "" {
		text += ", engine " + r.Routing.Engine
	}
	if r.Routing.Kept != "" {
		text += ", " + r.Routing.Kept
	}
	if r.State.IsUp() {
		text += fmt.Sprintf(", %s of forwarding tables written", fold.Count(r.Written.Blocks, "block", "blocks"))
	}
	m.tell(terms.RoundEnds, "%s", text)
}

// takeRound puts the Plan of a round in force and logs the changes since the last round. If a
// repair moved paths, or no path uses an addition yet, it schedules routing from scratch.
func (m *Manager) takeRound(now time.Duration) {
	before := m.inForce
	leftAfresh, leftMoves := leftWork(m)
	m.inForce, m.clients = m.result.Ledger, m.result.Clients
	g := m.inForce.Graph
	m.servers = sync.OnceValue(func() int { return len(g.Servers().List) })
	m.inForce.AddRewritten(before)
	m.inForce.CountSince(before, m.round.Number)
	m.reregister = m.reregister && !m.given.Reregister
	asked := m.begun.afresh || before == nil && m.given.Inherit.Afresh
	m.election = election{}
	m.others.isIdleSince, m.others.lost = terms.Never, 0
	m.contest.judge(m, now)
	m.tellKeys()
	if m.cfg.Elect && !m.stopped {
		m.handOver()
	}
	m.babble.findDisabled(m.inForce)
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
		m.share(terms.Shared{Rest: changes[mostChanges:]})
	}
	isRepair := m.inForce.Plan.Recipe.Repaired // perhaps of a manager before us, or before our start
	changed := added || m.result.Moved > 0
	fresh := afterBetter(m, asked, changed)
	m.unbalanced = !fresh && (m.unbalanced || changed || before == nil && isRepair || leftAfresh && m.result.Repaired)
	followJobs(m)
	afterTurn(m)
	if m.given.Limits.Moves == 0 && !isTurn(m) || m.afresh == terms.Never || m.better.expected() { // else it is no change of the subnet
		scheduleAfresh(m)
	}
	switch {
	case !isRepair, repair.Spreadable(m.inForce.Graph, m.inForce.Plan) != nil:
		m.moves.Drop()
	case m.given.Limits.Moves > 0:
		m.moves.Ended(m.result.Spread != nil)
	case changed || m.result.Improvable || leftMoves:
		m.moves.Changed(now)
	}
	if before == nil {
		m.tellInherited()
	}
}

// mostChanges is the number of changes that a round logs one by one.
const mostChanges = 20

// tell logs an incident.
func (o *outbox) tell(k terms.IncidentKind, format string, args ...any) {
	o.out = append(o.out, terms.Action{Kind: terms.Note, Incident: terms.Incident{Kind: k, Text: fmt.Sprintf(format, args...)}})
}

// share says what the last logged incident may have in common with others.
func (o *outbox) share(s terms.Shared) { o.out[len(o.out)-1].Incident.Shared = &s }

// Successor returns the Config of a Manager at another port that continues where this one ends.
func (m *Manager) Successor() terms.Config {
	cfg := m.cfg
	cfg.OwnPort, cfg.Drains, cfg.Jobs = 0, m.drains.Drains, m.jobs.List()
	cfg.Stored, cfg.Trees, cfg.Last, cfg.LastAfresh, cfg.LastHeld = m.next.Stored, m.next.Trees, m.next.Last, m.next.Afresh, m.next.Held
	if c := m.inForce; c != nil {
		isOpen := m.watch.ChangesAllowed(m.now) == m.now // outside of change windows nobody gets what nobody asked for
		cfg.Last, cfg.LastAfresh = planner.Keep(c.Plan, c.Graph), m.wanted.afresh || m.better.expected() && (m.better.asked || isOpen)
		cfg.Neighbours = terms.Neighbours(c.Fabric)
	}
	return cfg
}

// Watch returns the settings for watching that are in force.
func (m *Manager) Watch() terms.Watch { return m.watch }
