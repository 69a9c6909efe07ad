package ibsim_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

func TestNoSimulator(t *testing.T) {
	wiretest.NoLeaks(t)
	for _, o := range []ibsim.Options{{Base: "weft-nobody-" + strconv.Itoa(os.Getpid())}, {Base: "x", Dir: t.TempDir()}} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := ibsim.Dial(ctx, o)
		cancel()
		if !errors.Is(err, wire.ErrCancelled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

func TestUnknownNode(t *testing.T) {
	o := simulator(t, false)
	if err := dial(t, o, "A").Close(); err != nil { // it runs
		t.Fatal(err)
	}
	o.Node = "nowhere"
	if _, err := ibsim.Dial(t.Context(), o); err == nil || errors.Is(err, wire.ErrCancelled) || errors.Is(err, wire.ErrTimeout) {
		t.Errorf("got error %v", err)
	}
}

// TestSlots: every Close gives its slot back, and the eleventh attachment is
// refused.
func TestSlots(t *testing.T) {
	wiretest.NoLeaks(t)
	o := simulator(t, false)
	for range 3 {
		var all []*ibsim.Transport
		for range 10 {
			all = append(all, dial(t, o, "A"))
		}
		if _, err := ibsim.Dial(t.Context(), o); err == nil {
			t.Error("an eleventh attachment")
		}
		for _, tr := range all {
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFlood has more requests outstanding than the sockets hold: the medium is busy
// at times, and nothing is lost.
func TestFlood(t *testing.T) {
	const n, inBursts = 20_000, 4_000
	tr := dial(t, simulator(t, false), "A")
	r := wire.New(tr, wire.Options{Config: wire.Config{Window: 2000, Timeout: time.Minute}})
	defer shut(t, r)
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), []byte{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Add(n)
	q := wire.Request{Addr: wire.Directed(), MAD: m, Done: func(res *wire.Result) {
		if res.Err != nil {
			t.Error(res.Err)
		}
		wg.Done()
	}}
	for range n {
		r.Start(&q)
	}
	wg.Wait()
	if c := r.Counters(); c.Answered != n || tr.Dropped() != 0 {
		t.Errorf("counters %+v, dropped %d", c, tr.Dropped())
	}
	wg.Add(inBursts) // the same in bursts, whose answers may be handled a moment late
	q.Patient = true
	burst := slices.Repeat([]wire.Request{q}, 250)
	for range inBursts / len(burst) {
		r.StartAll(burst)
	}
	wg.Wait()
	if c := r.Counters(); c.Answered != n+inBursts || tr.Dropped() != 0 {
		t.Errorf("counters %+v, dropped %d", c, tr.Dropped())
	}
}

// TestNamesInUse: names that others have are left alone.
func TestNamesInUse(t *testing.T) {
	s := newServer(t)
	for n := range 512 {
		id := os.Getpid()<<8&0x3FFFFFFF | 1<<30
		name := filepath.Join(s.dir, "sim:ctl"+strconv.Itoa(id+n))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: s.dir}); err == nil {
		t.Fatal("attached, though all names are in use")
	}
	if files, _ := filepath.Glob(filepath.Join(s.dir, "sim:ctl?*")); len(files) != 512 {
		t.Errorf("%d of 512 files left", len(files))
	}
}

func shut(t *testing.T, r *wire.Requester) {
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// server is as much of a simulator as tests of the sockets need: it answers
// control requests, or not, and echoes data datagrams as answers.
type server struct {
	t         *testing.T
	dir       string
	ctl, data *net.UnixConn
	deaf      chan ibsim.ControlType // control requests that get no answer
}

func newServer(t *testing.T) *server {
	s := &server{t: t, dir: t.TempDir(), deaf: make(chan ibsim.ControlType, 10)}
	listen := func(name string) *net.UnixConn {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: filepath.Join(s.dir, name)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	s.ctl, s.data = listen("sim:ctl"), listen("sim:out0")
	var wg sync.WaitGroup
	wg.Go(s.serveControl)
	wg.Go(s.serveData)
	t.Cleanup(func() {
		s.die()
		wg.Wait()
	})
	return s
}

func (s *server) die() {
	_ = s.ctl.Close()
	_ = s.data.Close()
}

func (s *server) serveControl() {
	buf := make([]byte, 100)
	for {
		n, from, err := s.ctl.ReadFromUnix(buf)
		if err != nil {
			return
		}
		c, err := ibsim.ParseControl(buf[:n])
		if err != nil {
			s.t.Error(err)
			return
		}
		switch c.Type {
		case ibsim.ControlConnect:
			client := c.Client()
			client.ID = 0
			if err := client.Put(&c); err != nil {
				s.t.Error(err)
			}
		case ibsim.ControlNodeInfo:
			s.deaf <- c.Type
			continue
		default: // echoed
		}
		if _, err := s.ctl.WriteToUnix(c.Append(nil), from); err != nil {
			s.t.Error(err)
		}
	}
}

func (s *server) serveData() {
	buf := make([]byte, 400)
	for {
		n, from, err := s.data.ReadFromUnix(buf)
		if err != nil {
			return
		}
		if _, err := s.data.WriteToUnix([]byte("not a datagram"), from); err != nil {
			s.t.Error(err)
		}
		d, err := ibsim.ParseData(buf[:n])
		if err != nil {
			s.t.Error(err)
			return
		}
		d.MAD.Answer(mad.StatusOK)
		b, err := ibsim.AppendData(nil, &d)
		if err != nil {
			s.t.Error(err)
			return
		}
		if _, err := s.data.WriteToUnix(b, from); err != nil {
			s.t.Error(err)
		}
	}
}

// TestDirectory attaches by sockets in a directory, to a server that answers some
// control requests never.
func TestDirectory(t *testing.T) {
	wiretest.NoLeaks(t)
	s := newServer(t)
	tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	r := wire.New(tr, wire.Options{})
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m}, new(wire.Datagram)); err != nil {
		t.Fatal(err)
	}
	if tr.Dropped() != 1 {
		t.Errorf("dropped %d, want the one that is not a datagram", tr.Dropped())
	}
	for heard, wait := false, 30*time.Millisecond; !heard; wait *= 2 { // it may be over before the server has heard
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		_, err := tr.Port(ctx)
		cancel()
		if !errors.Is(err, wire.ErrCancelled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Port of a deaf server: %v", err)
		}
		select {
		case <-s.deaf:
			heard = true
		default:
		}
	}
	if err := tr.SetIsSM(t.Context(), true); err != nil {
		t.Errorf("the control socket after a timeout: %v", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(s.dir, "sim:*[0-9][0-9]")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

// TestServerDies: pending and later requests end with ErrClosed, and Close returns.
func TestServerDies(t *testing.T) {
	wiretest.NoLeaks(t)
	s := newServer(t)
	tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	r := wire.New(tr, wire.Options{})
	s.die()
	m := make(mad.Datagram, mad.Size)
	err = wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m}, new(wire.Datagram))
	if !errors.Is(err, wire.ErrClosed) {
		t.Errorf("got error %v", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
