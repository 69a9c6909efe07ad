package sm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	simcongestion "weft/sim/congestion"
	"weft/sm/congestion"
	"weft/sm/ledger"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// congestionCounter counts the datagrams of congestion control that go to each LID.
type congestionCounter struct {
	wire.Transport
	mu   sync.Mutex
	sent map[fabric.LID]int
}

func (c *congestionCounter) Send(d *wire.Datagram) error {
	if d.MAD.Class() == mad.ClassCC {
		c.mu.Lock()
		c.sent[fabric.LID(d.Addr.DLID)]++
		c.mu.Unlock()
	}
	return c.Transport.Send(d)
}

// endByGUID finds port 1 of a node.
func endByGUID(t *testing.T, f *fabric.Fabric, guid fabric.GUID) fabric.End {
	t.Helper()
	node, ok := f.NodeByGUID(guid)
	if !ok {
		t.Fatalf("no node %s", guid)
	}
	return fabric.End{Node: node, Port: 1}
}

// take returns the counts, and begins anew.
func (c *congestionCounter) take() map[fabric.LID]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = map[fabric.LID]int{}
	return sent
}

// TestCongestionToldOnce: a Runner tells all devices once. After a round that finds nothing
// changed, and one that finds a new host, it sends nothing to devices that have not changed. The
// switch of the new host is told its new ports to hosts. Its other hosts may be told again: a trap
// in a round raises doubt.
func TestCongestionToldOnce(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	late := fabric.NodeID(0)
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			late = fabric.NodeID(i) // the last one
		}
	}
	if err := sub.SetNodeDown(late, true); err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	defer l.Close()
	counter := &congestionCounter{Transport: medium, sent: map[fabric.LID]int{}}
	asked, shown := make(chan *terms.Event), make(chan *watch.Snapshot, 1)
	r := Runner{
		Config: terms.Config{SMKey: 1, Congestion: &congestion.Settings{Control: simcongestion.Usual()}}, Watch: terms.UsualWatch, Routing: smtest.JobOf("updn", 0), Clock: testClock(),
		Wire: wire.Config{Window: 32}, Asked: asked,
		Show: func(s *watch.Snapshot) {
			select {
			case <-shown:
			default:
			}
			shown <- s // the last one
		},
	}
	r.Watch.Interval = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, counter)
		ended <- err
	}()
	await := func(what string, is func(s *watch.Snapshot) bool) (s *watch.Snapshot) {
		t.Helper()
		for patience := time.After(2 * time.Minute); ; {
			select {
			case s = <-shown:
				if is(s) {
					return s
				}
			case <-patience:
				t.Fatal(what)
			}
		}
	}
	await("not all are told", func(s *watch.Snapshot) bool {
		return s.Congestion != nil && s.Congestion.Switches+s.Congestion.Adapters == len(f.Nodes)-1
	})
	if n := len(counter.take()); n != len(f.Nodes)-1 {
		t.Errorf("%d devices are told at first", n)
	}
	asked <- &terms.Event{Kind: terms.Resweep}
	await("no second round", func(s *watch.Snapshot) bool { return s.InForce != nil && s.InForce.Number > 1 })
	l.Do(func(s *emulator.Subnet) { err = s.SetNodeDown(late, false) })
	if err != nil {
		t.Fatal(err)
	}
	s := await("the new host is not told", func(s *watch.Snapshot) bool { return s.Congestion.Switches+s.Congestion.Adapters == len(f.Nodes) })
	now := s.Routed.Fabric
	leaf := now.Peer(endByGUID(t, now, f.Nodes[late].GUID)).Node
	isNear := map[fabric.LID]bool{now.Nodes[leaf].Ports[0].LID: true}
	for i := range now.Nodes {
		if n := &now.Nodes[i]; n.Type == fabric.CA && now.Peer(fabric.End{Node: fabric.NodeID(i), Port: 1}).Node == leaf {
			isNear[n.Ports[1].LID] = true
		}
	}
	for lid, n := range counter.take() {
		if !isNear[lid] {
			t.Errorf("%d requests go to LID %d, which has not changed", n, lid)
		}
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCongestionToldAgain: after a round the Setter asks only the devices that have restarted since
// the round before, also where another round ends before the Setter has its list.
func TestCongestionToldAgain(t *testing.T) {
	wiretest.NoLeaks(t)
	f := smtest.Formula(t, "rlft(4,2)")
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	defer l.Close()
	ledgers, asked := make(chan *ledger.Ledger, 100), make(chan *terms.Event)
	r := Runner{
		Config: terms.Config{SMKey: 1}, Watch: terms.UsualWatch, Routing: smtest.JobOf("updn", 0), Clock: testClock(), Wire: wire.Config{Window: 32}, Asked: asked,
		Round: func(r *round.Result) {
			if r.Report.State == terms.Up {
				ledgers <- r.Ledger
			}
		},
	}
	r.Watch.Interval = 20 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, medium)
		ended <- err
	}()
	var now *ledger.Ledger // of the last round
	e := &easing{beside: beside{wake: make(chan struct{}, 1)}, setter: congestion.New(congestion.Settings{Control: simcongestion.Usual()})}
	told := func() (names []string) {
		if e.told != nil {
			e.told()
		}
		for e.told = nil; ; {
			a, _ := e.setter.Next(0)
			if a == nil {
				break
			}
			if a.Attr == mad.AttrCongestionInfo {
				mad.CongestionInfoTableCap.Put(a.Data[:], 2)
			}
			name := now.Nodes[now.Owner[slices.IndexFunc(now.Prog.End, func(end int32) bool { return end >= 0 && now.Plan.Ends.Base[end] == a.LID })]].Desc
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			e.setter.Ended(0, a.Tag, congestion.Answered, a.Data[:])
		}
		slices.Sort(names)
		return names
	}
	// rounds looks at the ledgers of rounds, up to one that knows of a restart of some node; noNode
	// for none.
	rounds := func(restarted fabric.NodeID) {
		t.Helper()
		since := func(l *ledger.Ledger) uint32 { return l.Since[l.ByGUID[f.Nodes[restarted].GUID]] }
		was := now
		for patience := time.After(2 * time.Minute); ; {
			select {
			case now = <-ledgers:
			case <-patience:
				t.Fatal("no round has ended")
			}
			if restarted < 0 || len(now.Fabric.Nodes) == len(f.Nodes) && since(now) > since(was) {
				break
			}
		}
		e.look(now)
	}
	check := func(when string, want ...string) {
		t.Helper()
		if got := told(); !slices.Equal(got, want) {
			t.Errorf("%s: %q are asked, want %q", when, got, want)
		}
	}
	reboot := func(id fabric.NodeID) {
		t.Helper()
		var err error
		if l.Do(func(s *emulator.Subnet) { err = s.Reboot(id, 50*time.Millisecond) }); err != nil {
			t.Fatal(err)
		}
		rounds(id)
	}
	sweep := func() {
		asked <- &terms.Event{Kind: terms.Resweep}
		rounds(-1)
	}
	rounds(-1)
	if got := told(); len(got) != len(f.Nodes) {
		t.Errorf("%q are asked at first", got)
	}
	sweep()
	check("nothing has changed")
	host, spine := smtest.Find(f, fabric.CA, 2), fabric.NodeID(slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Desc == "spine 0" }))
	reboot(host)
	check("a host restarts", f.Nodes[host].Desc)
	reboot(spine)
	check("a switch restarts", f.Nodes[spine].Desc)
	reboot(host)
	sweep()
	check("a host restarts, and another round ends", f.Nodes[host].Desc)
	sweep()
	check("nothing has changed any more")
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
