package clients

import (
	"sync"

	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// ManagerState is the state of the Manager as the registrar sees it.
type ManagerState struct {
	ledger.Standing
	term     int              // number of changes of the role
	subnet   *sa.Subnet       // from the ledger in force; of a Master
	members  []replica.Member // other managers that may stand by
	round    bool             // the ledger in force is new
	standing []sa.Standing    // of a new ledger: multicast groups that exist before anybody joins
}

// Follow applies a new state of the Manager: from now on queries are answered from its ledger.
func (a *Administration) Follow(m *ledger.Standing) {
	if f := a.Take(m); f != nil {
		a.do(func() []RegistrarAction { return a.registrar.Follow(a.clock(), f) })
	}
}

// Take does the first half of Follow: it sets role and Subnet for queries. It returns the state for
// the registrar, nil if nothing has changed.
func (a *Administration) Take(m *ledger.Standing) *ManagerState {
	if m.IsAs(&a.manager) {
		return nil
	}
	next := &Serving{Open: m.Role == terms.Master || m.Role == terms.Looking}
	f := &ManagerState{Standing: *m}
	switch was := a.Serving.Load().Subnet; {
	case m.Role == terms.Master && was != nil && m.Ledger == a.manager.Ledger:
		next.Subnet = was.With(m.Spread, m.Jobs)
	case m.Role == terms.Master: // by a round that has ended since
		next.Subnet = Administered(m.Ledger, m.Priority, m.SMKey, m.Acts).With(m.Spread, m.Jobs)
		f.round, f.standing = true, StandingGroups(m.Ledger.By.Partitions)
	}
	if m.Role != a.manager.Role {
		a.Term++
	}
	if m.Role == terms.Master {
		next.Subnet.Aliases = a.Members.Aliases
		f.subnet, f.members = next.Subnet, managersBeside(m.Ledger)
	}
	f.term = a.Term
	a.manager = *m
	a.Serving.Store(next)
	return f
}

// Newsbox collects News for the Manager until the loop takes it. It is safe for concurrent use.
type Newsbox struct {
	mu   sync.Mutex
	news terms.News
	any  bool
	Wake chan struct{}
}

// Put merges news into those already there, newer values winning. It does not block.
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

// add merges later news.
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
	if later.Aliases != nil {
		n.Aliases = later.Aliases
	}
	if later.Rules != nil {
		n.Rules = later.Rules
	}
	if later.MayTakeOver != nil {
		n.MayTakeOver = later.MayTakeOver
	}
	n.MasterMissed, n.Reregister = n.MasterMissed || later.MasterMissed, n.Reregister || later.Reregister
}

// Take returns the news since the last call, nil if there are none.
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
