package loop

import (
	"context"
	"sync"
	"sync/atomic"

	"weft/wire"
	"weft/wire/mad"
)

// Responder is the subnet behind a Transport. It is called for every datagram sent, one at a time,
// on the sending goroutine. It calls reply for every datagram that the subnet sends to the port: at
// once, later, or never. d and its memory are the Responder's until it returns: it may turn d into
// the answer in place. It must not call Send of the same Transport.
type Responder func(d *wire.Datagram, reply func(*wire.Datagram))

// Options configure a Transport.
type Options struct {
	// Port returns the local port; nil: a port with GUID 1 and LID 1, Active.
	Port func() wire.Port
	// SetIsSM is called when IsSM changes; nil: Port reports it by itself.
	SetIsSM func(on bool)
}

// agents numbers the attachments of the process, for the high half of their TIDs.
var agents atomic.Uint32

// Transport is an attachment in process.
type Transport struct {
	o     Options
	agent uint32
	in    *wire.Inbox
	isSM  atomic.Bool

	mu      sync.Mutex // one outgoing datagram at a time
	out     func(*wire.Datagram)
	scratch wire.Datagram
}

// New attaches to a subnet represented by a function.
func New(r Responder, o Options) *Transport {
	if o.Port == nil {
		o.Port = func() wire.Port {
			return wire.Port{
				Device: "loop", Number: 1, NodeGUID: 1, PortGUID: 1, GIDPrefix: mad.DefaultGIDPrefix,
				LID: 1, State: mad.PortActive, PhysState: mad.PhysLinkUp, PKeys: []uint16{mad.DefaultPKey},
			}
		}
	}
	t := &Transport{o: o, agent: agents.Add(1), in: wire.NewInbox()}
	reply := t.Deliver
	t.out = func(d *wire.Datagram) { r(d, reply) }
	return t
}

// Send implements wire.Transport.
func (t *Transport) Send(d *wire.Datagram) error {
	if len(d.MAD) < mad.Header.Size {
		return wire.ErrMalformed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.in.Err(); err != nil {
		return err
	}
	s := &t.scratch
	s.CopyFrom(d)
	if s.Addr.SLID == 0 {
		s.Addr.SLID = t.o.Port().LID
	}
	if !s.MAD.Method().IsResponse() {
		mad.HeaderTransactionID.Put(s.MAD, uint64(t.agent)<<32|s.MAD.TID()&0xFFFFFFFF)
	}
	t.out(s)
	return nil
}

// Deliver passes a datagram from the subnet to the port: an answer or anything else.
func (t *Transport) Deliver(d *wire.Datagram) { t.in.Push(d) }

// Recv implements wire.Transport.
func (t *Transport) Recv(ctx context.Context, d *wire.Datagram) error { return t.in.Pop(ctx, d) }

// Port implements wire.Transport.
func (t *Transport) Port(ctx context.Context) (wire.Port, error) {
	if err := t.in.Check(ctx); err != nil {
		return wire.Port{}, err
	}
	p := t.o.Port()
	if t.o.SetIsSM == nil {
		p.IsSM = t.isSM.Load()
	}
	return p, nil
}

// SetIsSM implements wire.Transport.
func (t *Transport) SetIsSM(ctx context.Context, on bool) error {
	if err := t.in.Check(ctx); err != nil {
		return err
	}
	t.setIsSM(on)
	return nil
}

func (t *Transport) setIsSM(on bool) {
	if t.isSM.Swap(on) != on && t.o.SetIsSM != nil {
		t.o.SetIsSM(on)
	}
}

// Close implements wire.Transport.
func (t *Transport) Close() error {
	t.setIsSM(false)
	t.in.Close(nil)
	return nil
}
