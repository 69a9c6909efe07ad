package clients

import (
	"sync"

	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// ManagerState holds what a registrar is told of the Manager.
type ManagerState struct {
	ledger.Standing
	term     int              // counts changes of the role
	subnet   *sa.Subnet       // of the round in force, of a Master
	members  []replica.Member // other managers that may stand by
	round    bool             // the round in force is a new one
	standing []sa.Standing    // multicast groups that are there before anybody joins, of a new round
}

// Follow takes what the Manager is: queries are answered by that from now on.
func (a *Administration) Follow(m *ledger.Standing) {
	if f := a.Take(m); f != nil {
		a.do(func() []RegistrarAction { return a.registrar.Follow(a.clock(), f) })
	}
}

// Take sets the role and the Subnet by which queries are answered: those of the Manager and its round in
// force. It returns what the registrar is to know, nil where nothing has changed.
func (a *Administration) Take(m *ledger.Standing) *ManagerState {
	if m.IsAs(&a.manager) {
		return nil
	}
	next := &Serving{Open: m.Role == terms.Master || m.Role == terms.Looking}
	f := &ManagerState{Standing: *m}
	switch was := a.Serving.Load().Subnet; {
	case m.Role == terms.Master && was != nil && m.Ledger == a.manager.Ledger:
		next.Subnet = was.With(m.Spread)
	case m.Role == terms.Master: // by a round that has ended since
		next.Subnet = Administered(m.Ledger, m.Priority, m.SMKey, m.Acts).With(m.Spread)
		f.round, f.standing = true, StandingGroups(m.Ledger.By.Partitions)
	}
	if m.Role != a.manager.Role {
		a.Term++
	}
	if m.Role == terms.Master {
		f.subnet, f.members = next.Subnet, managersBeside(m.Ledger)
	}
	f.term = a.Term
	a.manager = *m
	a.Serving.Store(next)
	return f
}

// Newsbox holds what the Manager is to be told, until it is taken.
type Newsbox struct {
	mu   sync.Mutex
	news terms.News
	any  bool
	Wake chan struct{}
}

// Put adds news, in place of older ones of the same, and does not wait.
func (b *Newsbox) Put(n *terms.News) {
	b.mu.Lock()
	b.any = true
	b.add(n)
	b.mu.Unlock()
	select {
	case b.Wake <- struct{}{}:
	default:
	}
}

// add adds later news.
func (b *Newsbox) add(later *terms.News) {
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

// Take returns what was put since the last call, nil where nothing was.
func (b *Newsbox) Take() *terms.News {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.any {
		return nil
	}
	n := b.news
	b.news, b.any = terms.News{}, false
	return &n
}
