package sm

import (
	"sync"

	"weft/fabric"
	"weft/sm/replica"
	"weft/sm/sa"
)

// Standing holds the facts about the Manager that subnet administration goes by.
type Standing struct {
	Role        Role
	Claims      bool        // of one that looks: no other master is there, and it is about to be it
	StandsBy    fabric.GUID // of one that stands by: the port of the manager for which it does
	MasterAlive bool        // that one was the master, and was not just about to be

	Ledger        *ledger   // of the round whose Plan is in force; nil: none is
	Spread        sa.Spread // of multicast groups over the trees of that Plan
	SpreadVersion int
	Priority      uint8
	SMKey, Acts   uint64 // as SMInfo tells others

	// Of the first round of a Master: ports were Active, or had another manager's LID as that of their
	// master, and our own port had the LID Told there.
	WasActive, Others bool
	Told              fabric.LID
}

// isAs reports whether nothing has changed by which queries are answered.
func (s *Standing) isAs(before *Standing) bool {
	return s.Ledger == before.Ledger && s.Role == before.Role && s.SpreadVersion == before.SpreadVersion && s.Claims == before.Claims
}

// managerState holds what a registrar is told of the Manager.
type managerState struct {
	Standing
	term     int              // counts changes of the role
	subnet   *sa.Subnet       // of the round in force, of a Master
	members  []replica.Member // other managers that may stand by
	round    bool             // the round in force is a new one
	standing []sa.Standing    // multicast groups that are there before anybody joins, of a new round
}

// follow takes what the Manager is: queries are answered by that from now on.
func (a *administration) follow(m *Standing) {
	if f := a.take(m); f != nil {
		a.do(func() []registrarAction { return a.registrar.follow(a.clock(), f) })
	}
}

// take sets the role and the Subnet by which queries are answered: those of the Manager and its round in
// force. It returns what the registrar is to know, nil where nothing has changed.
func (a *administration) take(m *Standing) *managerState {
	if m.isAs(&a.manager) {
		return nil
	}
	next := &serving{open: m.Role == Master || m.Role == Looking}
	f := &managerState{Standing: *m}
	switch was := a.serving.Load().subnet; {
	case m.Role == Master && was != nil && m.Ledger == a.manager.Ledger:
		next.subnet = was.With(m.Spread)
	case m.Role == Master: // by a round that has ended since
		next.subnet = administered(m.Ledger, m.Priority, m.SMKey, m.Acts).With(m.Spread)
		f.round, f.standing = true, standingGroups(m.Ledger.by.partitions)
	}
	if m.Role != a.manager.Role {
		a.term++
	}
	if m.Role == Master {
		f.subnet, f.members = next.subnet, managersBeside(m.Ledger)
	}
	f.term = a.term
	a.manager = *m
	a.serving.Store(next)
	return f
}

// newsbox holds what the Manager is to be told, until it is taken.
type newsbox struct {
	mu   sync.Mutex
	news News
	any  bool
	wake chan struct{}
}

// put adds news, in place of older ones of the same, and does not wait.
func (b *newsbox) put(n *News) {
	b.mu.Lock()
	b.any = true
	b.add(n)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// add adds later news.
func (b *newsbox) add(later *News) {
	n := &b.news
	if later.LIDs != nil {
		n.LIDs = later.LIDs
	}
	if later.Trees != nil {
		n.Trees = later.Trees
	}
	if later.Plan != nil {
		n.Plan = later.Plan
	}
	if later.Rules != nil {
		n.Rules = later.Rules
	}
	if later.MayTakeOver != nil {
		n.MayTakeOver = later.MayTakeOver
	}
	n.MasterMissed, n.Reregister = n.MasterMissed || later.MasterMissed, n.Reregister || later.Reregister
}

// take returns what was put since the last call, nil where nothing was.
func (b *newsbox) take() *News {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.any {
		return nil
	}
	n := b.news
	b.news, b.any = News{}, false
	return &n
}
