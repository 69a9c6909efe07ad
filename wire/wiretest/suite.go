package wiretest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// GUIDs of the nodes; a CA's port has the GUID after its node's.
const (
	GUIDA = 0x100000
	GUIDB = 0x100002
	GUIDS = 0x200000
)

// Ibsim is the subnet as a net file.
const Ibsim = `switchguid=0x200000
Switch 2 "S"
[1]  "A"[1]
[2]  "B"[1]

caguid=0x100000
Hca 1 "A"
[1]  "S"[1]

caguid=0x100002
Hca 1 "B"
[1]  "S"[2]
`

// Medium creates a fresh subnet for one test, over the medium under test, and cleans it up at the
// end. It returns the function that attaches to the subnet's node "A" or "B".
type Medium func(t *testing.T) (attach func(node string) wire.Transport)

// Run runs the suite. The tests check for leaked goroutines.
func Run(t *testing.T, m Medium) {
	for _, c := range []struct {
		name string
		run  func(*fixture)
	}{
		{"Port", testPort},
		{"IsSM", testIsSM},
		{"DirectedRoute", testDirectedRoute},
		{"LID", testLID},
		{"Status", testStatus},
		{"Window", testWindow},
		{"Concurrent", testConcurrent},
		{"NoRoute", testNoRoute},
		{"TID", testTID},
		{"Malformed", testMalformed},
		{"Unsolicited", testUnsolicited},
		{"Silence", testSilence},
		{"RecvContext", testRecvContext},
		{"CloseInFlight", testCloseInFlight},
		{"Closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			NoLeaks(t)
			c.run(&fixture{T: t, attach: m(t)})
		})
	}
}

// fixture is one test with its subnet.
type fixture struct {
	*testing.T
	attach func(node string) wire.Transport
}

// transport attaches without a requester.
func (f *fixture) transport(node string) wire.Transport {
	f.Helper()
	t := f.attach(node)
	f.Cleanup(func() {
		if err := t.Close(); err != nil {
			f.Errorf("Close: %v", err)
		}
	})
	return t
}

// requester attaches with a requester. Its default timeout is that of a hang, so that a busy
// machine never sends a request twice.
func (f *fixture) requester(node string, o wire.Options) *wire.Requester {
	f.Helper()
	if o.Config.Timeout == 0 {
		o.Config.Timeout = patience
	}
	r := wire.New(f.attach(node), o)
	f.Cleanup(func() {
		// The test's own context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			f.Errorf("Close: %v", err)
		}
	})
	return r
}

// patience is the time after which the suite reports a hang.
const patience = 2 * time.Minute

func (f *fixture) context() context.Context {
	ctx, cancel := context.WithTimeout(f.T.Context(), patience)
	f.Cleanup(cancel)
	return ctx
}

// directed returns a request along a directed route.
func (f *fixture) directed(method mad.Method, attr mad.AttrID, ports ...byte) *wire.Request {
	f.Helper()
	m, err := mad.Request{Method: method, Attr: attr}.Directed(make([]byte, mad.Size), ports)
	f.must(err)
	return &wire.Request{Addr: wire.Directed(), MAD: m}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// do sends a request that must be answered with status 0.
func (f *fixture) do(r *wire.Requester, q *wire.Request) wire.Datagram {
	f.Helper()
	var reply wire.Datagram
	f.must(Do(f.context(), r, q, &reply))
	f.must(mad.Check(reply.MAD))
	return reply
}

// Do sends a request and waits for its end. The answer is copied into reply, also with a bad
// status. If ctx ends, the request remains, and may still write reply.
func Do(ctx context.Context, r *wire.Requester, q *wire.Request, reply *wire.Datagram) error {
	ended := make(chan error, 1)
	mine := *q
	mine.Done = func(res *wire.Result) {
		if res.Reply != nil {
			reply.CopyFrom(res.Reply)
		}
		ended <- res.Err
	}
	r.Start(&mine)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// guid asks for the GUID of the node at the end of a route.
func (f *fixture) guid(r *wire.Requester, ports ...byte) uint64 {
	f.Helper()
	reply := f.do(r, f.directed(mad.Get, mad.AttrNodeInfo, ports...))
	return mad.NodeInfoNodeGUID.Get(reply.MAD.Data())
}

// silentSM attaches to B as a subnet manager that counts what arrives and never
// answers.
func (f *fixture) silentSM() *atomic.Int32 {
	f.Helper()
	heard := new(atomic.Int32)
	b := f.requester("B", wire.Options{Handler: func(*wire.Datagram) { heard.Add(1) }})
	f.must(b.Transport().SetIsSM(f.context(), true))
	return heard
}

func (f *fixture) wantErr(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("got error %v, want %v", err, want)
	}
}

// eventually waits for a condition that another goroutine brings about.
func (f *fixture) eventually(what string, ok func() bool) {
	f.Helper()
	ctx := f.context()
	for !ok() {
		if ctx.Err() != nil {
			f.Fatalf("still not: %s", what)
		}
		<-time.NewTimer(time.Millisecond).C
	}
}

// burst starts n requests at once and waits for their results.
func (f *fixture) burst(r *wire.Requester, n int, request func(i int) *wire.Request) []wire.Result {
	f.Helper()
	results := make([]wire.Result, n)
	var wg sync.WaitGroup
	for i := range n {
		q := request(i)
		q.Tag = uint64(i)
		q.Done = func(res *wire.Result) {
			results[res.Tag] = *res
			wg.Done()
		}
		wg.Add(1)
		r.Start(q)
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-f.context().Done():
		f.Fatalf("requests are pending: %+v", r.Counters())
	}
	return results
}
