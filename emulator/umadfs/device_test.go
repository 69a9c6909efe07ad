package umadfs

import (
	"bytes"
	"encoding/binary"
	"syscall"
	"testing"
	"time"

	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
)

// bench is a device with open files.
type bench struct {
	*testing.T
	dev *device
}

func newBench(t *testing.T) *bench { return &bench{t, newDevice(func() uint16 { return 8 })} }

func (b *bench) open() *file { return b.dev.open(func() {}) }

func (b *bench) want(e, want syscall.Errno) {
	b.Helper()
	if e != want {
		b.Fatalf("got error %d (%v), want %d", e, e, want)
	}
}

// write writes a message and returns the datagram that it sends.
func (b *bench) write(f *file, now time.Duration, msg []byte) (wire.Datagram, syscall.Errno) {
	b.Helper()
	e := f.write(now, msg)
	sent := b.dev.taken()
	if want := 1; e == 0 && len(sent) != want || e != 0 && len(sent) > 0 {
		b.Fatalf("error %d, %d datagrams", e, len(sent))
	}
	if e != 0 {
		return wire.Datagram{}, e
	}
	return sent[0], 0
}

// register makes an agent by the second interface.
func (b *bench) register(f *file, a umad.Agent) uint32 {
	b.Helper()
	arg := make([]byte, umad.AgentSize)
	a.Put(arg)
	b.want(f.ioctl(umad.IoctlRegisterAgent2, arg), 0)
	return umad.AgentID(arg)
}

func datagram(class mad.Class, method mad.Method, tid uint64) mad.Datagram {
	m := make(mad.Datagram, mad.Size)
	m[0], m[1], m[2], m[3] = 1, byte(class), 1, byte(method)
	mad.HeaderTransactionID.Put(m, tid)
	return m
}

func message(h umad.Header, m mad.Datagram) []byte {
	b := make([]byte, umad.HeaderSize)
	h.Put(b)
	return append(b, m...)
}

// read takes a message apart.
func (b *bench) read(f *file) (umad.Header, mad.Datagram) {
	b.Helper()
	msg, e := f.read(1 << 16)
	b.want(e, 0)
	h, m, err := umad.ParseMessage(msg)
	if err != nil || int(h.Length) != len(msg) {
		b.Fatalf("a message of %d bytes says %d: %v", len(msg), h.Length, err)
	}
	return h, m
}

func (b *bench) wantEmpty(f *file) {
	b.Helper()
	_, e := f.read(1 << 16)
	b.want(e, syscall.EAGAIN)
}

var (
	asking   = umad.Agent{Class: mad.ClassSMP, Version: 1}
	managing = umad.Agent{Class: mad.ClassSMP, Version: 1, Methods: []mad.Method{mad.Get, mad.Trap}}
)

// Two files that use the same transaction ID get each their own answer, once.
func TestAnswers(t *testing.T) {
	b := newBench(t)
	f, g := b.open(), b.open()
	var sent [2]wire.Datagram
	for i, x := range []*file{f, g} {
		id := b.register(x, asking)
		h := umad.Header{Agent: id, TimeoutMS: 100, LID: 7, SL: 3}
		d, e := b.write(x, 0, message(h, datagram(mad.ClassSMP, mad.Get, 0xABCD_0000_0042)))
		b.want(e, 0)
		if a := d.Addr; a.DLID != 7 || a.SL != 3 || a.SLID != 0 || uint32(d.MAD.TID()) != 0x42 {
			t.Fatalf("sent to %+v with TID %#x", a, d.MAD.TID())
		}
		sent[i] = d
		_, e = b.write(x, 0, message(h, datagram(mad.ClassSMP, mad.Set, 0x42)))
		b.want(e, syscall.EINVAL) // the same TID and class, still outstanding
	}
	if sent[0].MAD.TID() == sent[1].MAD.TID() {
		t.Fatal("both files send the same transaction ID")
	}
	for _, d := range sent {
		d.MAD.Answer(mad.StatusOK)
		d.Addr = wire.Address{SLID: 7, DLID: 8 + 1, SL: 3}
		// The subnet has changed the bits that are its own.
		mad.HeaderTransactionID.Put(d.MAD, d.MAD.TID()|0x1234<<48)
		b.dev.deliver(0, &d, 1)
		b.dev.deliver(0, &d, 1) // a copy
	}
	for i, x := range []*file{f, g} {
		h, m := b.read(x)
		if h.Status != 0 || h.LID != 7 || h.SL != 3 || h.PathBits != 1 || m.TID()&tidMask != sent[i].MAD.TID()&tidMask {
			t.Errorf("header %+v, TID %#x", h, m.TID())
		}
		b.wantEmpty(x)
	}
}

// A request is sent retries times again, then comes back with its header alone.
func TestTimeout(t *testing.T) {
	b := newBench(t)
	f := b.open()
	id := b.register(f, asking)
	const ms = time.Millisecond
	h := umad.Header{Agent: id, TimeoutMS: 100, Retries: 2}
	d, e := b.write(f, 5*ms, message(h, datagram(mad.ClassSMP, mad.Get, 9)))
	b.want(e, 0)
	var times []time.Duration
	for now := 5 * ms; now < 500*ms; now += ms {
		b.dev.expire(now)
		for _, again := range b.dev.taken() {
			times = append(times, now)
			if !bytes.Equal(again.MAD, d.MAD) || again.Addr != d.Addr {
				t.Error("a retry differs from the first copy")
			}
			clear(again.MAD) // as the subnet may
		}
		if len(f.queue) > 0 && now != 305*ms {
			t.Fatalf("given up after %v", now)
		}
		if len(f.queue) > 0 {
			got, m := b.read(f)
			if got.Status != uint32(syscall.ETIMEDOUT) || got.TimeoutMS != 100 || got.Retries != 2 ||
				!bytes.Equal(m, d.MAD[:mad.Header.Size]) {
				t.Errorf("came back with %+v, %x", got, m)
			}
		}
	}
	if len(times) != 2 || times[0] != 105*ms || times[1] != 205*ms {
		t.Errorf("sent again at %v", times)
	}
	d.MAD.Answer(mad.StatusOK)
	b.dev.deliver(0, &d, 0) // too late
	b.wantEmpty(f)
	if b.dev.due != never || len(b.dev.waiting) != 0 {
		t.Errorf("still waits for %d requests, until %v", len(b.dev.waiting), b.dev.due)
	}
}

// Requests of others go to the owner of their class, version and method; it can have
// one.
func TestUnsolicited(t *testing.T) {
	b := newBench(t)
	f, g := b.open(), b.open()
	id := b.register(f, managing)
	arg := make([]byte, umad.AgentSize)
	for _, m := range managing.Methods {
		one := managing
		one.Methods = []mad.Method{m}
		one.Put(arg)
		b.want(g.ioctl(umad.IoctlRegisterAgent2, arg), syscall.EINVAL)
	}
	b.register(g, asking)
	other := datagram(mad.ClassSMP, mad.Get, 1)
	other[2] = 2
	for _, m := range []mad.Datagram{
		datagram(mad.ClassSMP, mad.Set, 1), datagram(mad.ClassDirectedSMP, mad.Get, 1), other,
		datagram(mad.ClassSMP, mad.GetResp, 1),
	} {
		b.dev.deliver(0, &wire.Datagram{MAD: m}, 0)
	}
	b.wantEmpty(f)
	const tid = 0xFEDC_BA98_7654_3210
	b.dev.deliver(0, &wire.Datagram{MAD: datagram(mad.ClassSMP, mad.Get, tid), Addr: wire.Address{SLID: 3}}, 0)
	h, m := b.read(f)
	if h.Agent != id || h.LID != 3 || m.TID() != tid {
		t.Errorf("header %+v, TID %#x", h, m.TID())
	}
	// What it answers keeps the transaction ID, and waits for nothing.
	m.Answer(mad.StatusOK)
	d, e := b.write(f, 0, message(umad.Header{Agent: id, TimeoutMS: 10}, m))
	b.want(e, 0)
	if d.MAD.TID() != tid || len(b.dev.waiting) != 0 {
		t.Errorf("an answer with TID %#x; %d requests wait", d.MAD.TID(), len(b.dev.waiting))
	}
	f.close()
	b.want(g.ioctl(umad.IoctlRegisterAgent2, arg), 0) // free again
}

// The interface without P_Key index has a header of 56 bytes.
func TestShortHeader(t *testing.T) {
	b := newBench(t)
	f := b.open()
	arg := make([]byte, 28)
	arg[21], arg[22] = byte(mad.ClassSMP), 1
	binary.NativeEndian.PutUint32(arg[4:], 1<<mad.Get)
	b.want(f.ioctl(umad.IoctlRegisterAgent, arg), 0)
	b.want(f.ioctl(umad.IoctlEnablePKey, nil), syscall.EINVAL) // too late
	h := umad.Header{Agent: umad.AgentID(arg), LID: 5, TimeoutMS: 10}
	long := message(h, datagram(mad.ClassSMP, mad.Get, 1))
	short := append(bytes.Clone(long[:umad.ShortHeaderSize]), long[umad.HeaderSize:]...)
	d, e := b.write(f, 0, short)
	b.want(e, 0)
	if d.Addr.DLID != 5 || d.MAD.Class() != mad.ClassSMP || len(d.MAD) != mad.Size {
		t.Errorf("sent %x to %+v", d.MAD, d.Addr)
	}
	b.dev.deliver(0, &wire.Datagram{MAD: datagram(mad.ClassSMP, mad.Get, 77)}, 0)
	got, e := f.read(umad.ShortHeaderSize + mad.Size)
	b.want(e, 0)
	if m := mad.Datagram(got[umad.ShortHeaderSize:]); m.TID() != 77 || binary.NativeEndian.Uint32(got[16:]) != umad.ShortHeaderSize+mad.Size {
		t.Errorf("read %x", got)
	}
}

// What the calls refuse.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	f := b.open()
	agent := func(change func(*umad.Agent)) []byte {
		a, arg := asking, make([]byte, umad.AgentSize)
		change(&a)
		a.Put(arg)
		return arg
	}
	for name, arg := range map[string][]byte{
		"queue pair of another class": agent(func(a *umad.Agent) { a.QP = 1 }),
		"queue pair 2":                agent(func(a *umad.Agent) { a.QP = 2 }),
		"version 8":                   agent(func(a *umad.Agent) { a.Version = 8 }),
		"RMPP of a class without":     agent(func(a *umad.Agent) { a.RMPPVersion = 1 }),
		"vendor without OUI":          agent(func(a *umad.Agent) { a.Class, a.QP = 0x30, 1 }),
		"class that is not there":     agent(func(a *umad.Agent) { a.Class, a.QP = 0x50, 1 }),
		"short":                       make([]byte, 8),
	} {
		if e := f.ioctl(umad.IoctlRegisterAgent2, arg); e != syscall.EINVAL {
			t.Errorf("%s: error %d", name, e)
		}
	}
	flags := agent(func(a *umad.Agent) { a.Flags = 6 })
	b.want(f.ioctl(umad.IoctlRegisterAgent2, flags), syscall.EINVAL)
	if got := binary.NativeEndian.Uint32(flags[12:]); got != umad.FlagUserRMPP {
		t.Errorf("supported flags %#x", got)
	}
	b.want(f.ioctl(0x1B77, nil), syscall.ENOTTY)
	b.want(f.ioctl(umad.IoctlUnregisterAgent, make([]byte, 4)), syscall.EINVAL)
	for range maxAgents {
		b.register(f, asking)
	}
	b.want(f.ioctl(umad.IoctlRegisterAgent2, agent(func(*umad.Agent) {})), syscall.ENOMEM)
	b.want(f.ioctl(umad.IoctlUnregisterAgent, binary.NativeEndian.AppendUint32(nil, 4)), 0)

	write := func(h umad.Header, size int) syscall.Errno {
		m := datagram(mad.ClassSMP, mad.Get, 1)
		_, e := b.write(f, 0, message(h, append(m, make([]byte, 256)...)[:size]))
		return e
	}
	b.want(write(umad.Header{}, rmppHeader-1), syscall.EINVAL)
	b.want(write(umad.Header{Agent: 32}, mad.Size), syscall.EINVAL)
	b.want(write(umad.Header{Agent: 4}, mad.Size), syscall.EIO)
	b.want(write(umad.Header{}, mad.Size+1), syscall.EINVAL)
	b.want(write(umad.Header{}, rmppHeader), 0)
}

// Any bytes may be written and any argument given without a panic. Accepted writes become
// datagrams.
func FuzzDevice(f *testing.F) {
	arg := make([]byte, umad.AgentSize)
	managing.Put(arg)
	f.Add(uint32(umad.IoctlRegisterAgent2), arg, message(umad.Header{TimeoutMS: 1, Retries: 1}, datagram(mad.ClassSMP, mad.Get, 1)))
	f.Add(uint32(umad.IoctlRegisterAgent), make([]byte, 28), make([]byte, umad.ShortHeaderSize+rmppHeader))
	f.Add(uint32(umad.IoctlEnablePKey), []byte{}, []byte{})
	whole := make([]byte, umad.AgentSize)
	cut := umad.Agent{Class: mad.ClassSA, QP: 1, Version: 2, RMPPVersion: 1}
	cut.Put(whole)
	short := datagram(mad.ClassSA, mad.GetTableResp, 1)[:mad.SAHeader.Size]
	short[24], short[25], short[26] = 1, mad.RMPPTypeData, mad.RMPPActive
	f.Add(uint32(umad.IoctlRegisterAgent2), whole, message(umad.Header{}, short))
	f.Fuzz(func(t *testing.T, number uint32, arg, b []byte) {
		v := newDevice(func() uint16 { return 8 })
		x := v.open(func() {})
		_ = x.ioctl(number, arg)
		e := x.write(0, b)
		sent := v.taken()
		if e != 0 && len(sent) > 0 {
			t.Errorf("a refused write sends %d datagrams", len(sent))
		}
		for i := range sent {
			least := mad.Size
			if wire.RMPPActive(sent[i].MAD) {
				least = mad.SAHeader.Size
			}
			if n := len(sent[i].MAD); n < least || n > mad.Size {
				t.Errorf("sent a datagram of %d bytes", n)
			}
			v.deliver(0, &sent[i], 0)
		}
		v.expire(1 << 60)
		if out, e := x.read(1 << 20); e == 0 && len(out) < umad.ShortHeaderSize+mad.Header.Size {
			t.Errorf("read %d bytes", len(out))
		}
		x.close()
		if len(v.agents)+len(v.owners)+len(v.waiting) != 0 {
			t.Error("something has stayed behind")
		}
	})
}
