package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Registrar handles registrations of clients, as a pure machine: time, requests and outcomes of its
// actions go in, actions come out. It acknowledges a change after the change is stored and all
// standbys in step have it.
type Registrar struct {
	Registry *sa.Registry
	members  *Members     // of multicast groups
	joins    sa.Responder // answers joins and leaves
	subnet   *sa.Subnet   // the picture for requests; nil: not known yet
	Role     terms.Role

	table    replica.Table // all data that must survive; shared with leader
	leader   *replica.Leader
	settled  []fabric.GUID // as last sent in MayTakeOver
	Follower *replica.Follower
	disk     replica.Table // as stored by the last run; nil: none, or another master since
	told     uint64        // Follower.LIDs as last reported
	wholes   uint64        // Follower.Wholes as last reported
	rules    uint64        // number of the rules last sent
	packer   *Packer       // of the rules
	missed   bool          // MasterMissed was reported
	over     overShares

	storage storage
	Held    []heldAnswer
	waiting []commitment
	keys    terms.Keys // M_Keys of ports
	setting bool       // a SetGUIDs is under way
	aliases uint64     // version of the aliases that the Manager was told
	now     time.Duration
	out     []RegistrarAction
}

// heldAnswer is an answer that waits until its change is safe.
type heldAnswer struct {
	change uint64
	d      wire.Datagram
}

// commitment is a callback that waits until a change is safe.
type commitment struct {
	change uint64
	done   func(error)
}

// Limits of waiting answers, above which no more changes are taken: usually, and while the Manager
// is at work. Data of a round reaches the standbys only after the changes of these answers.
const (
	MostHeld       = 256
	mostHeldAtWork = 16
)

// Room reports whether another change can be taken.
func (r *Registrar) Room(atWork bool) bool {
	return len(r.Held) < mostHeldAtWork || !atWork && len(r.Held) < MostHeld
}

// registrarActionKind is the kind of a RegistrarAction.
type registrarActionKind uint8

// The kinds.
const (
	SendAnswer   registrarActionKind = iota // send Datagram
	SendReport                              // send Datagram, then call Reported with the outcome
	SendCopy                                // send Datagram, then call Copied with the outcome
	StoreEntries                            // make Entries durable, then call StoredAll
	SetGUIDs                                // send Datagram, an SMP with a block of a port's GUIDs, then call GUIDsSet
	TellManager                             // report News to the Manager
	Committed                               // call Done
	TellOperator                            // log Incident
)

// RegistrarAction is a request of a registrar to the Administration.
type RegistrarAction struct {
	Kind     registrarActionKind
	Tag      uint64
	Datagram wire.Datagram
	GUIDs    sa.AliasBlock // of SetGUIDs
	Entries  []sa.Entry
	Replaces bool // of StoreEntries: first remove all stored entries
	News     terms.News
	Incident *terms.Incident
	Done     func(error)
	Err      error
}

// RegistrarOptions are the parameters of NewRegistrar.
type RegistrarOptions struct {
	Key     replica.Key
	GUID    fabric.GUID   // of our port
	Nonce   func() uint64 // see replica.NewFollower
	Stores  bool          // entries are stored
	Disk    []sa.Entry    // as stored by the last run; nil: none
	Limits  sa.Limits
	Members *Members // of multicast groups
}

// NewRegistrar returns a registrar in the role Looking, without a Subnet.
func NewRegistrar(o RegistrarOptions) *Registrar {
	r := &Registrar{Registry: sa.NewRegistry(o.Limits), Role: terms.Looking, table: replica.Table{}, packer: NewPacker(RulesValue), members: o.Members, storage: storage{on: o.Stores, changed: map[sa.EntryName]bool{}}}
	r.Registry.Refused = r.overShare
	r.Registry.Aliases = o.Members.Aliases
	r.Registry.IsMember = func(alias fabric.GUID) bool { return r.subnet != nil && r.members.hasAlias(r.subnet, alias) }
	r.Registry.IsPort = func(guid fabric.GUID) bool { return r.table[lidName(guid)] != nil }
	r.leader = replica.NewLeader(o.Key, o.GUID, r.table)
	r.Follower = replica.NewFollower(o.Key, o.GUID, o.Nonce)
	if o.Disk != nil {
		r.disk = replica.Table{}
		r.disk.Put(o.Disk...)
	}
	return r
}

// begin starts a call.
func (r *Registrar) begin(now time.Duration) { r.now, r.out = max(r.now, now), nil }

// end finishes a call: it collects all actions that are possible now.
func (r *Registrar) end() []RegistrarAction {
	r.putChanges()
	if list := r.storage.begin(r.table, r.leader.Last()); list != nil {
		r.out = append(r.out, RegistrarAction{Kind: StoreEntries, Entries: list, Replaces: r.storage.replaces})
	}
	safe := r.leader.Taken()
	if r.storage.on {
		safe = min(safe, r.storage.upTo)
	}
	for len(r.Held) > 0 && r.Held[0].change <= safe {
		r.out = append(r.out, RegistrarAction{Kind: SendAnswer, Datagram: r.Held[0].d})
		r.Held = r.Held[1:]
	}
	for len(r.waiting) > 0 && r.waiting[0].change <= r.leader.Taken() {
		r.out = append(r.out, RegistrarAction{Kind: Committed, Done: r.waiting[0].done})
		r.waiting = r.waiting[1:]
	}
	if r.Role == terms.Master {
		for {
			d, tag, ok := r.Registry.NextReport()
			if !ok {
				break
			}
			r.out = append(r.out, RegistrarAction{Kind: SendReport, Tag: tag, Datagram: d})
		}
	}
	r.setGUIDs()
	if v := r.Registry.Aliases.Version(); r.Role == terms.Master && v != r.aliases {
		r.aliases = v
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: terms.News{Aliases: r.Registry.Aliases.Ports()}})
	}
	if settled := r.leader.Settled(); r.Role == terms.Master && !slices.Equal(settled, r.settled) {
		r.settled = settled
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: terms.News{MayTakeOver: append([]fabric.GUID{}, settled...)}})
	}
	for {
		d, tag, ok := r.leader.Next(r.now)
		if !ok {
			break
		}
		r.out = append(r.out, RegistrarAction{Kind: SendCopy, Tag: tag, Datagram: d})
	}
	return r.out
}

// putChanges passes changes by clients to disk and standbys. A registration that is repeated
// unchanged is no change.
func (r *Registrar) putChanges() {
	if r.Role != terms.Master {
		return
	}
	changes := slices.DeleteFunc(append(r.Registry.Changes(), r.members.changes()...), func(e sa.Entry) bool {
		had, is := r.table[e.EntryName]
		return is == (e.Value != nil) && bytes.Equal(had, e.Value)
	})
	if len(changes) > 0 {
		r.put(changes)
	}
}

// put passes changes to disk and standbys.
func (r *Registrar) put(list []sa.Entry) {
	r.leader.Put(list)
	for i := range list {
		if !ofRecord(list[i].Kind) {
			r.storage.changed[list[i].EntryName] = true
		}
	}
	r.storage.skip(r.leader.Last())
}

// Deadline returns the time of the next Tick.
func (r *Registrar) Deadline() time.Duration {
	due := r.leader.Deadline()
	if r.Role == terms.Master {
		due = min(due, r.Registry.Deadline())
	}
	if r.Role == terms.StandBy && !r.missed {
		due = min(due, r.Follower.Quiet())
	}
	return due
}

// Tick handles deadlines that have passed.
func (r *Registrar) Tick(now time.Duration) []RegistrarAction {
	r.begin(now)
	if r.Role == terms.Master {
		r.Registry.Tick(now)
	}
	if r.Role == terms.StandBy && !r.missed && now >= r.Follower.Quiet() {
		r.missed = true
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: terms.News{MasterMissed: true}})
	}
	return r.end()
}

// Follow applies a new state of the Manager.
func (r *Registrar) Follow(now time.Duration, f *ManagerState) []RegistrarAction {
	r.begin(now)
	before := r.Role
	r.Role, r.keys = f.Role, f.Keys
	switch {
	case before == terms.Master && r.Role != terms.Master:
		r.leave()
	case before == terms.StandBy && r.Role != terms.StandBy:
		r.Follower.Look(now)
	}
	if f.Claims {
		r.Follower.Claim(now)
	}
	switch {
	case r.Role == terms.StandBy:
		r.missed = false
		r.Follower.StandBy(now, f.StandsBy, f.MasterAlive)
	case r.Role == terms.Master && before != terms.Master:
		r.takeOver(f)
		fallthrough
	case r.Role == terms.Master:
		r.Registry.Follow(r.subnet, f.subnet)
		if r.subnet = f.subnet; f.round {
			r.members.Follow(f.subnet, f.standing)
		}
		r.leader.Follow(now, f.members)
	}
	return r.end()
}

// ErrNotMaster is the error of a Commit that did not end before another manager became the master.
var ErrNotMaster = errors.New("another manager is the master now")

// groupTold notifies subscribers that a multicast group was created or deleted (traps 66 and 67).
func (r *Registrar) groupTold(g *sa.Group, created bool) {
	trap := uint64(mad.TrapGroupDeleted)
	if created {
		trap = mad.TrapGroupCreated
	}
	r.Registry.NotifyOfGroup(r.subnet, trap, g)
}

// Serves reports whether a datagram must go to the registrar: registrations, joins and leaves, and
// messages between managers.
func (r *Registrar) Serves(m mad.Datagram) bool {
	return r.Registry.Serves(m.Attr()) || m.Attr() == replica.Attr || isJoin(m)
}

// isJoin reports whether a request joins or leaves a multicast group.
func isJoin(m mad.Datagram) bool {
	return m.Attr() == mad.AttrMCMemberRecord && (m.Method() == mad.Set || m.Method() == mad.Delete)
}

// Request handles a datagram for which Serves is true.
func (r *Registrar) Request(now time.Duration, d *wire.Datagram) []RegistrarAction {
	r.begin(now)
	if d.MAD.Attr() == replica.Attr {
		r.copyOf(d)
		return r.end()
	}
	get := d.MAD.Method() == mad.Get || d.MAD.Method() == mad.GetTable
	s := r.subnet
	if r.Role != terms.Master {
		s = nil // busy
	}
	var a mad.Datagram
	if isJoin(d.MAD) {
		a = r.members.Answer(&r.joins, s, d)
	} else {
		a = r.Registry.Answer(now, s, d)
	}
	if a == nil {
		return r.end()
	}
	answer := heldAnswer{d: wire.Datagram{Addr: d.Addr.Reply(), MAD: append(mad.Datagram(nil), a...)}}
	r.putChanges()
	if !get && s != nil { // an answer without a change too: what it reports may have ended just now
		answer.change = r.leader.Last()
		r.Held = append(r.Held, answer)
	} else {
		r.out = append(r.out, RegistrarAction{Kind: SendAnswer, Datagram: answer.d})
	}
	return r.end()
}

// copyOf handles a message of another manager's Leader.
func (r *Registrar) copyOf(d *wire.Datagram) {
	if !r.Follower.Take(r.now, r.Role == terms.StandBy, d) {
		return
	}
	r.missed = false
	r.out = append(r.out, RegistrarAction{Kind: SendAnswer, Datagram: *d})
	if r.Follower.Live() && r.Follower.LIDs() != r.told {
		r.told = r.Follower.LIDs()
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: newsOf(r.Follower.Copy().Table)})
	}
	if r.Follower.Live() && r.Follower.Wholes() != r.wholes {
		r.wholes = r.Follower.Wholes()
		r.learnRest(r.Follower.Copy().Table)
	}
}

// Notify reports a notice to subscribers.
func (r *Registrar) Notify(now time.Duration, notice []byte) []RegistrarAction {
	r.begin(now)
	if r.Role == terms.Master {
		r.Registry.Notify(r.subnet, notice)
	}
	return r.end()
}

// copied is the result of a round, as sent to standbys.
type copied struct {
	LIDs  terms.LIDMap
	Trees []multicast.TreeByLID
	Plan  []byte // in the format of News.Plan
	Rules terms.RulesToTell
}

// Commit sends the result of a round to the standbys, and calls done when all in step have it.
func (r *Registrar) Commit(now time.Duration, c *copied, done func(error)) []RegistrarAction {
	r.begin(now)
	r.putRules(&c.Rules) // before the Plan that follows from them: no standby has the Plan alone
	changes := TreeChanges(r.table, c.Trees)
	if r.Role == terms.Master { // before that nothing is stored: the registrations are not known yet
		r.put(changes)
	} else {
		r.leader.Put(changes)
	}
	r.leader.Put(lidChanges(r.table, c.LIDs))
	r.leader.Put(NewPacker(PlanValue).Changes(r.table, c.Plan))
	return r.await(done)
}

// CommitRules does the same for rules that have changed between rounds.
func (r *Registrar) CommitRules(now time.Duration, rules *terms.RulesToTell, done func(error)) []RegistrarAction {
	r.begin(now)
	r.putRules(rules)
	return r.await(done)
}

// putRules sends rules, unless newer ones were sent.
func (r *Registrar) putRules(rules *terms.RulesToTell) {
	if rules.Number > r.rules {
		r.rules = rules.Number
		r.leader.Put(r.packer.Changes(r.table, rules.Data))
	}
}

// await calls done when all standbys in step have everything sent so far.
func (r *Registrar) await(done func(error)) []RegistrarAction {
	r.storage.skip(r.leader.Last())
	r.waiting = append(r.waiting, commitment{r.leader.Last(), done})
	return r.end()
}

// Reported handles the end of a SendReport.
func (r *Registrar) Reported(now time.Duration, tag uint64, acknowledged bool) []RegistrarAction {
	r.begin(now)
	r.Registry.Reported(tag, acknowledged)
	return r.end()
}

// Copied handles the end of a SendCopy: the other manager's answer, or that it refuses such
// messages.
func (r *Registrar) Copied(now time.Duration, tag uint64, reply mad.Datagram, refused bool) []RegistrarAction {
	r.begin(now)
	r.leader.Ended(r.now, tag, reply, refused)
	return r.end()
}

// StoredAll handles the end of a StoreEntries. After an error the waiting answers become busy.
func (r *Registrar) StoredAll(now time.Duration, err error) []RegistrarAction {
	r.begin(now)
	if r.storage.end(r.leader.Last(), err); err == nil {
		return r.end()
	}
	for _, h := range r.Held {
		h.d.MAD.SetStatus(mad.StatusBusy)
		r.out = append(r.out, RegistrarAction{Kind: SendAnswer, Datagram: h.d})
	}
	r.Held = nil
	return r.out
}

// setGUIDs tells a port its GUIDs, one port at a time.
func (r *Registrar) setGUIDs() {
	if r.Role != terms.Master || r.setting {
		return
	}
	b, lid, info, ok := r.Registry.NextToPort(r.subnet)
	if !ok {
		return
	}
	m, err := mad.Request{Method: mad.Set, Attr: mad.AttrGUIDInfo, Modifier: uint32(b.Number), Key: r.keys.Of(b.Port)}.Routed(make([]byte, mad.Size))
	if err != nil {
		panic(err) // the buffer is long enough
	}
	copy(m.Data(), info[:])
	r.setting = true
	r.out = append(r.out, RegistrarAction{Kind: SetGUIDs, GUIDs: b, Datagram: wire.Datagram{Addr: wire.ToLID(uint16(lid), 0), MAD: m}})
}

// GUIDsSet handles the end of a SetGUIDs.
func (r *Registrar) GUIDsSet(now time.Duration, b sa.AliasBlock, err error) []RegistrarAction {
	r.begin(now)
	r.setting = false
	if err != nil && r.Role == terms.Master && r.subnet != nil {
		r.out = append(r.out, RegistrarAction{Kind: TellOperator, Incident: &terms.Incident{Kind: terms.NotTaken, Text: fmt.Sprintf("%s does not take alias GUIDs: block %d of its GUIDInfo: %v", r.subnet.PortName(b.Port), b.Number, err)}})
	}
	return r.end()
}

// Counts returns the current numbers of registrations and standbys.
func (r *Registrar) Counts() terms.Registered {
	c := terms.Registered{InStep: r.Role == terms.StandBy && r.Follower.Live(), Rejected: r.Follower.Rejected}
	if r.Role == terms.Master {
		c.Services, c.Subscriptions = r.Registry.Registered()
		n := r.members.counts()
		c.Groups, c.Members, c.MLIDsUsed, c.MLIDs = n.Groups, n.Members, n.MLIDsUsed, n.MLIDs
		c.Reports, c.Standbys, c.Refused = r.Registry.Reports(), r.leader.Synced(), r.over.counts
	}
	return c
}
