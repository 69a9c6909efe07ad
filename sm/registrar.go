package sm

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/wire"
	"weft/wire/mad"
)

// registrar answers for what clients register, as a pure machine: time, requests and the ends of what it wanted in, actions out. What it has taken
// is acknowledged when it is stored and when all managers that stand by have it.
type registrar struct {
	registry *sa.Registry
	members  *members     // of multicast groups
	joins    sa.Responder // which answers joins and leaves
	subnet   *sa.Subnet   // by which requests are answered; nil: not known yet
	role     Role

	table    replica.Table // all that must not be lost: it is the Leader's too
	leader   *replica.Leader
	settled  []fabric.GUID // as was told last
	follower *replica.Follower
	disk     replica.Table // as it was stored the last time; nil where nothing was, or somebody was master since
	told     uint64        // of Follower.LIDs
	wholes   uint64        // of Follower.Wholes
	rules    uint64        // number of the rules that were told last
	missed   bool          // that the master is silent was told

	storage storage
	held    []heldAnswer
	waiting []commitment
	now     time.Duration
	out     []registrarAction
}

// heldAnswer is an answer that waits until a change is safe.
type heldAnswer struct {
	change uint64
	d      wire.Datagram
}

// commitment is something else that waits for it.
type commitment struct {
	change uint64
	done   func(error)
}

// The numbers of answers that wait from which on no more changes are taken: usually, and while the Manager is at work. What a round tells the managers that stand by comes after what
// they are told for these.
const (
	mostHeld       = 256
	mostHeldAtWork = 16
)

// room reports whether a change can be taken.
func (r *registrar) room(atWork bool) bool {
	return len(r.held) < mostHeldAtWork || !atWork && len(r.held) < mostHeld
}

// registrarActionKind is the kind of an action that a registrar asks for.
type registrarActionKind uint8

const (
	sendAnswer   registrarActionKind = iota // send Datagram
	sendReport                              // and say by reported how that ended
	sendCopy                                // and say by copied how that ended
	storeEntries                            // make Entries durable, and say by storedAll how that ended
	tellManager                             // tell the Manager the news
	committed                               // call done
)

// registrarAction is an action that a registrar asks of the administration.
type registrarAction struct {
	kind     registrarActionKind
	tag      uint64
	datagram wire.Datagram
	entries  []sa.Entry
	replaces bool // of storeEntries: what was stored before goes
	news     News
	done     func(error)
	err      error
}

// registrarOptions say what a registrar begins with.
type registrarOptions struct {
	Key     replica.Key
	GUID    fabric.GUID   // of our port
	Nonce   func() uint64 // see replica.NewFollower
	Stores  bool          // entries are stored
	Disk    []sa.Entry    // as they were stored the last time; nil for never
	Limits  sa.Limits
	Members *members // of multicast groups
}

func newRegistrar(o registrarOptions) *registrar {
	r := &registrar{registry: sa.NewRegistry(o.Limits), role: Looking, table: replica.Table{}, members: o.Members, storage: storage{on: o.Stores, changed: map[sa.EntryName]bool{}}}
	r.leader = replica.NewLeader(o.Key, o.GUID, r.table)
	r.follower = replica.NewFollower(o.Key, o.GUID, o.Nonce)
	if o.Disk != nil {
		r.disk = replica.Table{}
		r.disk.Put(o.Disk...)
	}
	return r
}

// begin begins a call.
func (r *registrar) begin(now time.Duration) { r.now, r.out = max(r.now, now), nil }

// end ends a call: what can be done is done.
func (r *registrar) end() []registrarAction {
	r.putChanges()
	if list := r.storage.begin(r.table, r.leader.Last()); list != nil {
		r.out = append(r.out, registrarAction{kind: storeEntries, entries: list, replaces: r.storage.replaces})
	}
	safe := r.leader.Taken()
	if r.storage.on {
		safe = min(safe, r.storage.upTo)
	}
	for len(r.held) > 0 && r.held[0].change <= safe {
		r.out = append(r.out, registrarAction{kind: sendAnswer, datagram: r.held[0].d})
		r.held = r.held[1:]
	}
	for len(r.waiting) > 0 && r.waiting[0].change <= r.leader.Taken() {
		r.out = append(r.out, registrarAction{kind: committed, done: r.waiting[0].done})
		r.waiting = r.waiting[1:]
	}
	if r.role == Master {
		for {
			d, tag, ok := r.registry.NextReport()
			if !ok {
				break
			}
			r.out = append(r.out, registrarAction{kind: sendReport, tag: tag, datagram: d})
		}
	}
	if settled := r.leader.Settled(); r.role == Master && !slices.Equal(settled, r.settled) {
		r.settled = settled
		r.out = append(r.out, registrarAction{kind: tellManager, news: News{MayTakeOver: append([]fabric.GUID{}, settled...)}})
	}
	for {
		d, tag, ok := r.leader.Next(r.now)
		if !ok {
			break
		}
		r.out = append(r.out, registrarAction{kind: sendCopy, tag: tag, datagram: d})
	}
	return r.out
}

// putChanges tells what clients have changed to the disk and to those that stand by. What was registered once more, as it was, is no change.
func (r *registrar) putChanges() {
	if r.role != Master {
		return
	}
	changes := slices.DeleteFunc(append(r.registry.Changes(), r.members.changes()...), func(e sa.Entry) bool {
		had, is := r.table[e.EntryName]
		return is == (e.Value != nil) && bytes.Equal(had, e.Value)
	})
	if len(changes) > 0 {
		r.put(changes)
	}
}

// put tells changes to the disk and to those that stand by.
func (r *registrar) put(list []sa.Entry) {
	r.leader.Put(list)
	for i := range list {
		if !ofRecord(list[i].Kind) {
			r.storage.changed[list[i].EntryName] = true
		}
	}
	r.storage.skip(r.leader.Last())
}

// deadline returns when tick is to be called.
func (r *registrar) deadline() time.Duration {
	due := r.leader.Deadline()
	if r.role == Master {
		due = min(due, r.registry.Deadline())
	}
	if r.role == StandBy && !r.missed {
		due = min(due, r.follower.Quiet())
	}
	return due
}

// tick lets time pass.
func (r *registrar) tick(now time.Duration) []registrarAction {
	r.begin(now)
	if r.role == Master {
		r.registry.Tick(now)
	}
	if r.role == StandBy && !r.missed && now >= r.follower.Quiet() {
		r.missed = true
		r.out = append(r.out, registrarAction{kind: tellManager, news: News{MasterMissed: true}})
	}
	return r.end()
}

// follow takes what the manager is now.
func (r *registrar) follow(now time.Duration, f *managerState) []registrarAction {
	r.begin(now)
	before := r.role
	r.role = f.Role
	switch {
	case before == Master && r.role != Master:
		r.leave()
	case before == StandBy && r.role != StandBy:
		r.follower.Look(now)
	}
	if f.Claims {
		r.follower.Claim(now)
	}
	switch {
	case r.role == StandBy:
		r.missed = false
		r.follower.StandBy(now, f.StandsBy, f.MasterAlive)
	case r.role == Master && before != Master:
		r.takeOver(f)
		fallthrough
	case r.role == Master:
		r.registry.Follow(r.subnet, f.subnet)
		if r.subnet = f.subnet; f.round {
			r.members.follow(f.subnet, f.standing)
		}
		r.leader.Follow(now, f.members)
	}
	return r.end()
}

var errNotMaster = errors.New("another manager is the master now")

// groupTold has subscribers told that a multicast group has come to be, or is deleted (traps 66 and 67).
func (r *registrar) groupTold(g *sa.Group, created bool) {
	trap := uint64(mad.TrapGroupDeleted)
	if created {
		trap = mad.TrapGroupCreated
	}
	r.registry.NotifyOfGroup(r.subnet, trap, g)
}

// serves reports whether a datagram of subnet administration is the registrar's business.
func (r *registrar) serves(m mad.Datagram) bool {
	return r.registry.Serves(m.Attr()) || m.Attr() == replica.Attr || isJoin(m)
}

// isJoin reports whether a request joins or leaves a multicast group.
func isJoin(m mad.Datagram) bool {
	return m.Attr() == mad.AttrMCMemberRecord && (m.Method() == mad.Set || m.Method() == mad.Delete)
}

// request takes a request for what it serves.
func (r *registrar) request(now time.Duration, d *wire.Datagram) []registrarAction {
	r.begin(now)
	if d.MAD.Attr() == replica.Attr {
		r.copyOf(d)
		return r.end()
	}
	get := d.MAD.Method() == mad.Get || d.MAD.Method() == mad.GetTable
	s := r.subnet
	if r.role != Master {
		s = nil // busy
	}
	var a mad.Datagram
	if isJoin(d.MAD) {
		a = r.members.answer(&r.joins, s, d)
	} else {
		a = r.registry.Answer(now, s, d)
	}
	if a == nil {
		return r.end()
	}
	answer := heldAnswer{d: wire.Datagram{Addr: d.Addr.Reply(), MAD: append(mad.Datagram(nil), a...)}}
	r.putChanges()
	if !get && s != nil { // also that there is nothing to be ended: it may have ended just now
		answer.change = r.leader.Last()
		r.held = append(r.held, answer)
	} else {
		r.out = append(r.out, registrarAction{kind: sendAnswer, datagram: answer.d})
	}
	return r.end()
}

// copyOf takes a message of another manager's Leader.
func (r *registrar) copyOf(d *wire.Datagram) {
	if !r.follower.Take(r.now, r.role == StandBy, d) {
		return
	}
	r.missed = false
	r.out = append(r.out, registrarAction{kind: sendAnswer, datagram: *d})
	if r.follower.Live() && r.follower.LIDs() != r.told {
		r.told = r.follower.LIDs()
		r.out = append(r.out, registrarAction{kind: tellManager, news: News{LIDs: lidsOf(r.follower.Copy().Table), Trees: treesOf(r.follower.Copy().Table)}})
	}
	if r.follower.Live() && r.follower.Wholes() != r.wholes {
		r.wholes = r.follower.Wholes()
		r.learnRest(r.follower.Copy().Table)
	}
}

// notify tells subscribers of a notice.
func (r *registrar) notify(now time.Duration, notice []byte) []registrarAction {
	r.begin(now)
	if r.role == Master {
		r.registry.Notify(r.subnet, notice)
	}
	return r.end()
}

// copied holds the parts of a round that managers that stand by are told.
type copied struct {
	LIDs  LIDMap
	Trees []multicast.TreeByLID
	Plan  []byte // see News
	Rules RulesToTell
}

// commit tells what follows from a round to the managers that stand by, and calls done when all of them know it.
func (r *registrar) commit(now time.Duration, c *copied, done func(error)) []registrarAction {
	r.begin(now)
	r.putRules(&c.Rules) // before the Plan that follows from them, so that nobody has that one alone
	changes := treeChanges(r.table, c.Trees)
	if r.role == Master { // before that nothing is stored, since what clients have registered is not known
		r.put(changes)
	} else {
		r.leader.Put(changes)
	}
	r.leader.Put(lidChanges(r.table, c.LIDs))
	r.leader.Put(partChanges(r.table, planValue, c.Plan))
	return r.await(done)
}

// commitRules does the same for rules that have changed between rounds.
func (r *registrar) commitRules(now time.Duration, rules *RulesToTell, done func(error)) []registrarAction {
	r.begin(now)
	r.putRules(rules)
	return r.await(done)
}

// putRules tells rules, unless later ones were told.
func (r *registrar) putRules(rules *RulesToTell) {
	if rules.Number > r.rules {
		r.rules = rules.Number
		r.leader.Put(partChanges(r.table, rulesValue, rules.Data))
	}
}

// await calls done when what was told so far is known.
func (r *registrar) await(done func(error)) []registrarAction {
	r.storage.skip(r.leader.Last())
	r.waiting = append(r.waiting, commitment{r.leader.Last(), done})
	return r.end()
}

// reported takes how a report has ended.
func (r *registrar) reported(now time.Duration, tag uint64, acknowledged bool) []registrarAction {
	r.begin(now)
	r.registry.Reported(tag, acknowledged)
	return r.end()
}

// copied takes how a message to another manager has ended: its answer, or that it refuses such messages.
func (r *registrar) copied(now time.Duration, tag uint64, reply mad.Datagram, refused bool) []registrarAction {
	r.begin(now)
	r.leader.Ended(r.now, tag, reply, refused)
	return r.end()
}

// storedAll takes how storing has ended. What waits for it is answered: busy, where it could not be stored.
func (r *registrar) storedAll(now time.Duration, err error) []registrarAction {
	r.begin(now)
	if r.storage.end(r.leader.Last(), err); err == nil {
		return r.end()
	}
	for _, h := range r.held {
		h.d.MAD.SetStatus(mad.StatusBusy)
		r.out = append(r.out, registrarAction{kind: sendAnswer, datagram: h.d})
	}
	r.held = nil
	return r.out
}

// counts returns the counts of now.
func (r *registrar) counts() Registered {
	c := Registered{InStep: r.role == StandBy && r.follower.Live(), Rejected: r.follower.Rejected}
	if r.role == Master {
		c.Services, c.Subscriptions = r.registry.Registered()
		c.Groups, c.Members, c.MLIDs = r.members.counts()
		c.Reports, c.Standbys = r.registry.Reports(), r.leader.Synced()
	}
	return c
}
