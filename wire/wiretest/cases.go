package wiretest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

func testPort(f *fixture) {
	for node, guid := range map[string]uint64{"A": GUIDA, "B": GUIDB} {
		p, err := f.transport(node).Port(f.context())
		f.must(err)
		if p.NodeGUID != guid || p.PortGUID != guid+1 || p.Number != 1 {
			f.Errorf("node %s: node GUID %#x, port GUID %#x, port %d", node, p.NodeGUID, p.PortGUID, p.Number)
		}
		if p.State != mad.PortInit || p.PhysState != mad.PhysLinkUp || p.IsSM {
			f.Errorf("node %s: state %d, physical state %d, IsSM %v", node, p.State, p.PhysState, p.IsSM)
		}
		if len(p.PKeys) == 0 || p.PKeys[0] != 0xFFFF {
			f.Errorf("node %s: P_Keys %x", node, p.PKeys)
		}
	}
}

// testIsSM also checks that Close clears the bit.
func testIsSM(f *fixture) {
	t := f.transport("A")
	for _, on := range []bool{true, false, true} {
		f.must(t.SetIsSM(f.context(), on))
		p, err := t.Port(f.context())
		f.must(err)
		if p.IsSM != on || (p.CapMask&mad.CapIsSM != 0) != on {
			f.Fatalf("IsSM is %v after SetIsSM(%v), capability mask %#x", p.IsSM, on, p.CapMask)
		}
	}
	f.must(t.Close())
	p, err := f.transport("A").Port(f.context())
	f.must(err)
	if p.IsSM {
		f.Fatal("IsSM outlived Close")
	}
}

func testDirectedRoute(f *fixture) {
	r := f.requester("A", wire.Options{})
	for _, c := range []struct {
		ports []byte
		guid  uint64
	}{{nil, GUIDA}, {[]byte{1}, GUIDS}, {[]byte{1, 2}, GUIDB}, {[]byte{1, 1}, GUIDA}} {
		if got := f.guid(r, c.ports...); got != c.guid {
			f.Errorf("route %v leads to %#x, want %#x", c.ports, got, c.guid)
		}
	}
	reply := f.do(r, f.directed(mad.Get, mad.AttrNodeInfo, 1))
	if reply.MAD.Class() != mad.ClassDirectedSMP || reply.MAD.Method() != mad.GetResp {
		f.Errorf("answer has class %v, method %v", reply.MAD.Class(), reply.MAD.Method())
	}
	if reply.Addr.SLID != wire.Permissive || reply.Undelivered {
		f.Errorf("answer from LID %#x, undelivered %v", reply.Addr.SLID, reply.Undelivered)
	}
}

// testLID assigns a LID to A's own port and asks it by LID.
func testLID(f *fixture) {
	const lid = 5
	r := f.requester("A", wire.Options{})
	info := f.do(r, f.directed(mad.Get, mad.AttrPortInfo))
	set := f.directed(mad.Set, mad.AttrPortInfo)
	data := set.MAD.Data()
	copy(data, info.MAD.Data())
	mad.PortInfoLID.Put(data, lid)
	mad.PortInfoMasterSMLID.Put(data, lid)
	mad.PortInfoPortState.Put(data, 0)
	mad.PortInfoPhysicalState.Put(data, 0)
	f.do(r, set)
	p, err := r.Transport().Port(f.context())
	f.must(err)
	if p.LID != lid {
		f.Fatalf("Port says LID %d, want %d", p.LID, lid)
	}
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Routed(make([]byte, mad.Size))
	f.must(err)
	reply := f.do(r, &wire.Request{Addr: wire.ToLID(lid, 0), MAD: m})
	if a := reply.Addr; a.SLID != lid || a.DLID != lid || a.SQP != 0 || a.DQP != 0 {
		f.Errorf("answer's address is %+v", a)
	}
	if got := mad.NodeInfoNodeGUID.Get(reply.MAD.Data()); got != GUIDA {
		f.Errorf("LID %d is node %#x, want %#x", lid, got, uint64(GUIDA))
	}
}

// testStatus asks a CA for an attribute of switches.
func testStatus(f *fixture) {
	r := f.requester("A", wire.Options{})
	q := f.directed(mad.Get, mad.AttrSwitchInfo)
	var reply wire.Datagram
	err := Do(f.context(), r, q, &reply)
	var status *wire.StatusError
	if !errors.As(err, &status) || status.Status != mad.StatusBadAttribute || status.Attribute != mad.AttrSwitchInfo {
		f.Fatalf("got error %v", err)
	}
	if len(reply.MAD) == 0 || reply.MAD.Status() != mad.StatusBadAttribute {
		f.Error("the answer did not come with the error")
	}
	if c := r.Counters(); c.Answered != 1 || c.Retried != 0 {
		f.Errorf("counters %+v", c)
	}
}

func testWindow(f *fixture) {
	const n = 2000
	routes := [][]byte{nil, {1}, {1, 2}}
	r := f.requester("A", wire.Options{Config: wire.Config{Window: 32, Timeout: patience, Retries: wire.NoRetries}})
	for i, res := range f.burst(r, n, func(i int) *wire.Request {
		return f.directed(mad.Get, mad.AttrNodeInfo, routes[i%3]...)
	}) {
		if res.Err != nil || res.Attempts != 1 {
			f.Fatalf("request %d: %d attempts, error %v", i, res.Attempts, res.Err)
		}
	}
	if c := r.Counters(); c != (wire.Counters{Started: n, Sent: n, Answered: n}) {
		f.Errorf("counters %+v", c)
	}
}

func testConcurrent(f *fixture) {
	r := f.requester("A", wire.Options{Config: wire.Config{Timeout: patience}})
	routes := [][]byte{nil, {1}, {1, 2}, {1, 1}}
	guids := []uint64{GUIDA, GUIDS, GUIDB, GUIDA}
	ctx := f.context()
	var wg sync.WaitGroup
	for g := range routes {
		q := f.directed(mad.Get, mad.AttrNodeInfo, routes[g]...)
		wg.Go(func() {
			var reply wire.Datagram
			for range 200 {
				if err := Do(ctx, r, q, &reply); err != nil {
					f.Error(err)
					return
				}
				if got := mad.NodeInfoNodeGUID.Get(reply.MAD.Data()); got != guids[g] {
					f.Errorf("an answer of %#x, want %#x", got, guids[g])
					return
				}
			}
		})
	}
	wg.Wait()
}

func testNoRoute(f *fixture) {
	r := f.requester("A", wire.Options{Config: wire.Config{Timeout: 50 * time.Millisecond, Retries: 2}})
	err := Do(f.context(), r, f.directed(mad.Get, mad.AttrNodeInfo, 1, 9), new(wire.Datagram))
	f.wantErr(err, wire.ErrTimeout)
	var re *wire.RequestError
	if !errors.As(err, &re) || re.Attempts != 3 || re.Attribute != mad.AttrNodeInfo {
		f.Errorf("got %+v, want 3 attempts", re)
	}
	if c := r.Counters(); c.Started != 1 || c.Sent != 3 || c.Retried != 2 || c.TimedOut != 1 || c.Answered != 0 {
		f.Errorf("counters %+v", c)
	}
	q := f.directed(mad.Get, mad.AttrNodeInfo, 1)
	q.Timeout = patience
	reply := f.do(r, q)
	if got := mad.NodeInfoNodeGUID.Get(reply.MAD.Data()); got != GUIDS {
		f.Errorf("after a timeout, route 1 leads to %#x", got)
	}
}

// testTID sends without a requester: the low half of the TID must come back.
func testTID(f *fixture) {
	t := f.transport("A")
	q := f.directed(mad.Get, mad.AttrNodeInfo, 1)
	mad.HeaderTransactionID.Put(q.MAD, 0xFEDCBA98_89ABCDEF)
	f.must(t.Send(&wire.Datagram{Addr: q.Addr, MAD: q.MAD, Timeout: patience}))
	var d wire.Datagram
	f.must(t.Recv(f.context(), &d))
	f.must(mad.Check(d.MAD))
	if uint32(d.MAD.TID()) != 0x89ABCDEF || d.Undelivered {
		f.Errorf("answer has TID %#x, undelivered %v", d.MAD.TID(), d.Undelivered)
	}
	if q.MAD.TID() != 0xFEDCBA98_89ABCDEF {
		f.Error("Send changed the caller's datagram")
	}
}

func testMalformed(f *fixture) {
	r := f.requester("A", wire.Options{})
	for _, n := range []int{0, 1, mad.Header.Size - 1} {
		f.wantErr(r.Transport().Send(&wire.Datagram{Addr: wire.Directed(), MAD: make(mad.Datagram, n)}), wire.ErrMalformed)
		q := &wire.Request{Addr: wire.Directed(), MAD: make(mad.Datagram, n)}
		f.wantErr(Do(f.context(), r, q, new(wire.Datagram)), wire.ErrMalformed)
	}
	if c := r.Counters(); c.Failed != 3 || c.Sent != 0 {
		f.Errorf("counters %+v", c)
	}
}

// testUnsolicited asks B for its SMInfo, which only B's own program can answer.
func testUnsolicited(f *fixture) {
	a := f.requester("A", wire.Options{})
	var b *wire.Requester
	var asked atomic.Uint64 // the TID that B saw
	var started sync.WaitGroup
	started.Add(1)
	b = f.requester("B", wire.Options{Handler: func(d *wire.Datagram) {
		started.Wait()
		if d.MAD.Attr() != mad.AttrSMInfo || d.MAD.Class() != mad.ClassDirectedSMP {
			return
		}
		asked.Store(d.MAD.TID())
		mad.SMInfoGUID.Put(d.MAD.Data(), GUIDB+1)
		d.MAD.Answer(mad.StatusOK)
		d.Addr = d.Addr.Reply()
		if err := b.Transport().Send(d); err != nil {
			f.Error(err)
		}
	}})
	started.Done()
	f.must(b.Transport().SetIsSM(f.context(), true))
	reply := f.do(a, f.directed(mad.Get, mad.AttrSMInfo, 1, 2))
	if got := mad.SMInfoGUID.Get(reply.MAD.Data()); got != GUIDB+1 {
		f.Errorf("SMInfo of %#x, want %#x", got, GUIDB+1)
	}
	if reply.MAD.TID() != asked.Load() {
		f.Errorf("the TID of an answer changed on the way, from %#x to %#x", asked.Load(), reply.MAD.TID())
	}
	if c := b.Counters(); c.Unsolicited != 1 || c.Stray != 0 {
		f.Errorf("B's counters %+v", c)
	}
}

func testSilence(f *fixture) {
	heard := f.silentSM()
	a := f.requester("A", wire.Options{Config: wire.Config{Timeout: 100 * time.Millisecond, Retries: 2}})
	err := Do(f.context(), a, f.directed(mad.Get, mad.AttrSMInfo, 1, 2), new(wire.Datagram))
	f.wantErr(err, wire.ErrTimeout)
	if c := a.Counters(); c.Sent != 3 || c.Retried != 2 || c.TimedOut != 1 {
		f.Errorf("counters %+v", c)
	}
	f.eventually("B has heard three copies", func() bool { return heard.Load() == 3 })
}

func testRecvContext(f *fixture) {
	t := f.transport("A")
	ctx, cancel := context.WithTimeout(f.context(), 20*time.Millisecond)
	defer cancel()
	var d wire.Datagram
	err := t.Recv(ctx, &d)
	f.wantErr(err, wire.ErrCancelled)
	f.wantErr(err, context.DeadlineExceeded)
	_, err = t.Port(ctx)
	f.wantErr(err, wire.ErrCancelled)
	f.wantErr(t.SetIsSM(ctx, true), wire.ErrCancelled)

	q := f.directed(mad.Get, mad.AttrNodeInfo)
	f.must(t.Send(&wire.Datagram{Addr: q.Addr, MAD: q.MAD, Timeout: patience}))
	f.must(t.Recv(f.context(), &d))
}

func testCloseInFlight(f *fixture) {
	heard := f.silentSM()
	a := f.requester("A", wire.Options{Config: wire.Config{Window: 4, Timeout: patience}})
	results := make(chan error, 10)
	for range 10 {
		q := f.directed(mad.Get, mad.AttrSMInfo, 1, 2)
		q.Done = func(res *wire.Result) { results <- res.Err }
		a.Start(q)
	}
	f.eventually("B has heard the window", func() bool { return heard.Load() == 4 })
	f.must(a.Close(f.context()))
	for range 10 {
		select {
		case err := <-results:
			f.wantErr(err, wire.ErrClosed)
		case <-f.context().Done():
			f.Fatal("a request outlived Close")
		}
	}
	if c := a.Counters(); c.Failed != c.Started {
		f.Errorf("requests pending after Close: %+v", c)
	}
}

func testClosed(f *fixture) {
	t := f.transport("A")
	waiting := make(chan error)
	go func() { waiting <- t.Recv(context.Background(), new(wire.Datagram)) }()
	f.must(t.Close())
	f.must(t.Close())
	f.wantErr(<-waiting, wire.ErrClosed)
	q := f.directed(mad.Get, mad.AttrNodeInfo)
	f.wantErr(t.Send(&wire.Datagram{Addr: q.Addr, MAD: q.MAD}), wire.ErrClosed)
	f.wantErr(t.Recv(f.context(), new(wire.Datagram)), wire.ErrClosed)
	_, err := t.Port(f.context())
	f.wantErr(err, wire.ErrClosed)
	f.wantErr(t.SetIsSM(f.context(), true), wire.ErrClosed)

	r := wire.New(t, wire.Options{})
	f.wantErr(Do(f.context(), r, q, new(wire.Datagram)), wire.ErrClosed)
	f.must(r.Close(f.context()))
}
