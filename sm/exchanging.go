package sm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/intersubnet/exchange"
	"weft/sm/ledger"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
)

// exchanging tells routers the data that they and the managers behind them need, while the Manager
// is the master: it runs an exchange.Manager beside the loop of a Runner.
type exchanging struct {
	interval time.Duration
	between  sa.Between
	note     func(terms.Incident)
	request  *wire.Requester
	met      atomic.Pointer[waysTo]

	of *ledger.Ledger // of own; for the Runner's goroutine

	mu   sync.Mutex
	own  *exchange.OwnSubnet // nil: nothing to tell
	wake chan struct{}
	done chan struct{}
}

// waysTo holds the known ways to other subnets.
type waysTo struct {
	*intersubnet.Ways
	unproven bool
}

// newExchanging makes the exchange of a subnet; nil without an interval. Subnet administration asks
// it for routers.
func newExchanging(interval time.Duration, between *sa.Between, note func(terms.Incident)) *exchanging {
	if interval <= 0 {
		return nil
	}
	x := &exchanging{interval: interval, note: note, wake: make(chan struct{}, 1), done: make(chan struct{})}
	between.Router = x.router
	x.between = *between
	return x
}

// start begins the exchange, which ends with ctx.
func (x *exchanging) start(ctx context.Context, r *wire.Requester) {
	if x != nil {
		x.request = r
		go x.run(ctx)
	}
}

// wait waits until the exchange has ended, after its context.
func (x *exchanging) wait() {
	if x != nil {
		<-x.done
	}
}

// look takes the subnet of the round in force, if it is another one.
func (x *exchanging) look(m *watch.Manager) {
	if x == nil {
		return
	}
	ledger := m.Reigning()
	if ledger == x.of {
		return
	}
	x.of = ledger
	var own *exchange.OwnSubnet
	if ledger != nil {
		own = &exchange.OwnSubnet{
			Prefix: subnets.Prefix(x.between.OwnPrefix()), Graph: ledger.Graph, Plan: ledger.Plan, From: ledger.Prog.End[ledger.OwnPort()], Unproven: ledger.By.Unproven,
		}
	}
	x.mu.Lock()
	x.own = own
	x.mu.Unlock()
	signal(x.wake)
}

// router returns the port of a router for packets to a GID of another subnet.
func (x *exchanging) router(gid mad.GID, _ fabric.GUID, usable func(port fabric.GUID) bool) (fabric.GUID, bool) {
	ways := x.met.Load()
	if ways == nil {
		return 0, false
	}
	return ways.Router(subnets.Prefix(x.between.OwnPrefix()), intersubnet.GIDOf(gid), ways.unproven, usable)
}

// run exchanges in rounds until ctx ends.
func (x *exchanging) run(ctx context.Context) {
	defer close(x.done)
	manager := exchange.NewManager()
	timer := time.NewTimer(x.interval)
	defer timer.Stop()
	told := ""
	for {
		x.mu.Lock()
		own := x.own
		x.mu.Unlock()
		if own != nil {
			met, news, err := manager.Round(own, func(to fabric.LID, sl uint8, method mad.Method, attr mad.AttrID, modifier uint32, data []byte) ([]byte, error) {
				return x.ask(ctx, to, sl, mad.Request{Method: method, Attr: attr, Modifier: modifier}, data)
			})
			if ctx.Err() != nil {
				return
			}
			if met != nil {
				x.met.Store(&waysTo{met, own.Unproven})
			}
			for _, text := range news {
				x.tell(terms.SubnetKnown, text)
			}
			if err == nil {
				told = ""
			} else if text := err.Error(); text != told {
				told = text
				x.tell(terms.NotExchanged, text)
			}
		}
		timer.Reset(x.interval)
		select {
		case <-x.wake:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

func (x *exchanging) tell(kind terms.IncidentKind, text string) {
	if x.note != nil {
		x.note(terms.Incident{Kind: kind, Text: text})
	}
}

// The next round repeats unanswered requests.
const (
	exchangeTimeout = 200 * time.Millisecond
	exchangeRetries = 3
)

// ask sends a request to a router and returns the attribute of the answer.
func (x *exchanging) ask(ctx context.Context, lid fabric.LID, sl uint8, r mad.Request, data []byte) ([]byte, error) {
	m, err := r.New(make([]byte, mad.Size), mad.ClassRouter)
	if err != nil {
		return nil, err
	}
	copy(m.Data(), data)
	to := wire.ToLID(uint16(lid), 1)
	to.SL = sl
	answer, err := x.request.Ask(ctx, &wire.Request{Addr: to, MAD: m, Timeout: exchangeTimeout, Retries: exchangeRetries})
	if err != nil {
		return nil, err
	}
	return answer.Data(), nil
}
