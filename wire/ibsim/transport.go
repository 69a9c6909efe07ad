package ibsim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// Transport is an attachment to a simulator.
type Transport struct {
	s    *sockets
	ctl  *control
	node string
	in   *wire.Inbox
	isSM atomic.Bool
	bad  atomic.Uint64

	pumped  chan struct{} // closed when the reading goroutine has ended
	got     wire.Datagram // the last one that was read; for pump alone
	closing sync.Once
	data    *dataSocket
}

// Dial attaches to a running simulator. While the simulator has no socket yet, Dial retries, until
// ctx ends or for three seconds.
func Dial(ctx context.Context, o Options) (*Transport, error) {
	if o.Base == "" {
		o.Base = "sim"
	}
	if o.Port == 0 {
		o.Port = defaultPort
	}
	ctx, cancel := context.WithTimeoutCause(ctx, controlTimeout, errors.New("ibsim: no simulator answers"))
	defer cancel()
	for {
		t, err := attach(ctx, o)
		if err == nil {
			return t, nil
		}
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ENOENT) {
			return nil, err
		}
		again := time.NewTimer(20 * time.Millisecond)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, fmt.Errorf("%w (%w)", ended(ctx), err)
		}
	}
}

func attach(ctx context.Context, o Options) (*Transport, error) {
	var hello Control
	s, err := openSockets(o)
	if err != nil {
		return nil, err
	}
	t := &Transport{s: s, ctl: newControl(s.ctl), in: wire.NewInbox(), pumped: make(chan struct{})}
	me := Client{ID: s.id, Node: o.Node}
	hello.Type = ControlConnect
	if err = me.Put(&hello); err == nil {
		hello, err = t.ctl.ask(ctx, hello)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	server := hello.Client()
	t.node, t.ctl.slot = server.Node, server.ID
	if err = s.connectData(server.ID); err == nil {
		t.data, err = s.takeData()
	}
	if err != nil {
		t.leave()
		s.close()
		return nil, err
	}
	go t.pump()
	return t, nil
}

// pump always reads and never waits for others: the simulator stops while a client's socket is
// full. While datagrams come after each rest, it rests again: that wakes the process less often.
func (t *Transport) pump() {
	defer close(t.pumped)
	read := newMany(DataSize + 1)
	for came := false; ; {
		n, err := read.read(t.data.fd)
		if errors.Is(err, syscall.EAGAIN) {
			if err = nil; !came || !t.in.Rest() {
				err = t.data.await()
				t.in.Rest()
			}
			came = false
		}
		if err != nil {
			t.in.Close(err)
			return
		}
		for i := range n {
			t.push(read.datagram(i))
			came = true
		}
	}
}

// push takes a datagram that was read, with the room behind it.
func (t *Transport) push(b, room []byte) {
	var err error
	d := &t.got
	if *d, err = ParseData(b); err != nil {
		t.bad.Add(1)
		return
	}
	if m := d.MAD; len(m) >= mad.SAHeader.Size && m.Class().HasRMPP() && !wire.RMPPActive(m) {
		d.MAD = mad.Datagram(room[dataHeader:DataSize]) // OpenSM's answers end with their records
	}
	t.in.Push(d)
}

// Dropped counts received datagrams that were malformed, or dropped because the queue was full.
func (t *Transport) Dropped() uint64 { return t.bad.Load() + t.in.Dropped() }

// Send implements wire.Transport.
func (t *Transport) Send(d *wire.Datagram) error {
	one := [1]*wire.Datagram{d}
	_, err := t.SendAll(one[:])
	return err
}

// SendAll serves wire.SendAll.
func (t *Transport) SendAll(list []*wire.Datagram) (int, error) {
	if err := t.in.Err(); err != nil {
		return 0, err
	}
	n, err := t.data.send(list)
	switch {
	case err == nil, errors.Is(err, wire.ErrMalformed), errors.Is(err, wire.ErrClosed):
		return n, err
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOBUFS):
		return n, wire.ErrBusy
	}
	// The simulator is gone.
	t.in.Close(err)
	return n, t.in.Err()
}

// Recv implements wire.Transport.
func (t *Transport) Recv(ctx context.Context, d *wire.Datagram) error { return t.in.Pop(ctx, d) }

// Feed serves wire.Feed.
func (t *Transport) Feed(f *wire.Feeder) error { return t.in.Feed(f) }

// Port implements wire.Transport.
func (t *Transport) Port(ctx context.Context) (wire.Port, error) {
	var answers [3]Control
	for i, typ := range []ControlType{ControlNodeInfo, ControlPortInfo, ControlPKeys} {
		if err := t.in.Check(ctx); err != nil {
			return wire.Port{}, err
		}
		var err error
		if answers[i], err = t.ctl.ask(ctx, Control{Type: typ, Len: controlData}); err != nil {
			return wire.Port{}, err
		}
	}
	return makePort(t.node, answers[0].Data[:], answers[1].Data[:], answers[2].Data[:]), nil
}

// makePort builds a Port from NodeInfo, PortInfo and a block of P_Keys, 64 bytes each.
func makePort(node string, ni, pi, keys []byte) wire.Port {
	p := wire.PortOf(node, ni, pi, nil)
	// The NodeInfo of a control answer has the node's GUID as port GUID.
	p.Number, p.PortGUID = 0, p.NodeGUID
	if mad.NodeInfoNodeType.Get(ni) != mad.NodeSwitch {
		p.Number = uint8(mad.PortInfoLocalPortNum.Get(pi))
		p.PortGUID += uint64(p.Number)
	}
	last := 0
	for i := range mad.PKeyTablePKey.Len() {
		key := uint16(mad.PKeyTablePKey.At(keys, i))
		p.PKeys = append(p.PKeys, key)
		if key != 0 {
			last = i + 1
		}
	}
	p.PKeys = p.PKeys[:last]
	return p
}

// SetIsSM implements wire.Transport.
func (t *Transport) SetIsSM(ctx context.Context, on bool) error {
	if err := t.in.Check(ctx); err != nil {
		return err
	}
	q := Control{Type: ControlSetIsSM, Len: 4}
	if on {
		binary.LittleEndian.PutUint32(q.Data[:], 1)
	}
	_, err := t.ctl.ask(ctx, q)
	if err == nil {
		t.isSM.Store(on)
	}
	return err
}

// Close implements wire.Transport. It releases the simulator's slot.
func (t *Transport) Close() error {
	t.closing.Do(func() {
		alive := t.in.Err() == nil
		t.in.Close(nil)
		if alive {
			t.leave()
		}
		t.data.wake()
		<-t.pumped
		t.data.close()
		t.s.close()
	})
	return nil
}

// leave clears IsSM, which the simulator would keep, and disconnects. Errors no longer matter.
func (t *Transport) leave() {
	ctx := context.Background()
	if t.isSM.Load() {
		_, _ = t.ctl.ask(ctx, Control{Type: ControlSetIsSM, Len: 4})
	}
	_, _ = t.ctl.ask(ctx, Control{Type: ControlDisconnect})
}
