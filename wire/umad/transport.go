package umad

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// Options select the port, and the agents to register.
type Options struct {
	CA   string // device name such as mlx5_0; empty: any
	Port uint8  // of the CA; 0: any
	GUID uint64 // of the port; 0: any

	Agents []Agent // agents to register; nil: ClientAgents

	Dev  string                          // directory of the devices; empty: /dev/infiniband
	Sys  fs.FS                           // nil: /sys/class
	Open func(path string) (File, error) // nil: the system's files
}

// ParseOptions parses [DEVICE][/PORT].
func ParseOptions(text string) (Options, error) {
	device, port, given := strings.Cut(text, "/")
	o := Options{CA: device}
	if given {
		n, err := strconv.ParseUint(port, 10, 8)
		if err != nil {
			return o, fmt.Errorf("umad:%s: %q is not a port number", text, port)
		}
		o.Port = uint8(n)
	}
	return o, nil
}

// The kernel's own repetition of RMPP segments: the time to wait for an acknowledgement, in
// milliseconds, and the number of repetitions.
const (
	rmppTimeoutMS = 1000
	rmppRetries   = 3
)

// Receive buffer, in bytes: enough for most RMPP messages. For larger ones a buffer is allocated,
// up to a limit that only a broken kernel exceeds.
const (
	firstBuffer = 64 << 10
	maxBuffer   = 1 << 30
)

// Transport is a port of this machine.
type Transport struct {
	site site
	open func(string) (File, error)
	dev  string
	file File
	in   *wire.Inbox
	bad  atomic.Uint64
	lid  atomic.Uint32

	agents [256]agent // by class

	sending sync.Mutex
	buf     []byte

	issmMu  sync.Mutex
	issm    File
	pumped  chan struct{}
	closing sync.Once
}

// agent is a registration for a class.
type agent struct {
	registered bool
	id         uint32
	rmpp       bool // done by the kernel
}

// Open attaches to a port.
func Open(ctx context.Context, o Options) (*Transport, error) {
	if o.Agents == nil {
		o.Agents = ClientAgents()
	}
	if o.Dev == "" {
		o.Dev = "/dev/infiniband"
	}
	if o.Sys == nil {
		o.Sys = os.DirFS("/sys/class")
	}
	if o.Open == nil {
		o.Open = openFile
	}
	if err := ctx.Err(); err != nil {
		return nil, wire.Cancelled(err)
	}
	sites, err := findSites(o.Sys)
	if err != nil {
		return nil, err
	}
	s, err := choose(sites, o)
	if err != nil {
		return nil, err
	}
	t := &Transport{site: s, open: o.Open, dev: o.Dev, in: wire.NewInbox(), pumped: make(chan struct{})}
	if t.file, err = o.Open(path.Join(o.Dev, s.umad)); err != nil {
		return nil, fmt.Errorf("umad: %w", err)
	}
	if err = t.register(o.Agents); err == nil {
		_, err = t.readPort()
	}
	if err != nil {
		return nil, errors.Join(err, t.file.Close())
	}
	go t.pump()
	return t, nil
}

func (t *Transport) register(agents []Agent) error {
	if err := t.file.Ioctl(IoctlEnablePKey, nil); err != nil {
		return fmt.Errorf("umad: %s: enabling the P_Key index: %w", t.site.umad, err)
	}
	arg := make([]byte, AgentSize)
	for i := range agents {
		a := &agents[i]
		a.Put(arg)
		if err := t.file.Ioctl(IoctlRegisterAgent2, arg); err != nil {
			why := ""
			if errors.Is(err, syscall.EINVAL) && len(a.Methods) > 0 {
				why = " (does another subnet manager run on this port?)"
			}
			return fmt.Errorf("umad: %s: registering class %v version %d: %w%s", t.site.umad, a.Class, a.Version, err, why)
		}
		t.agents[a.Class] = agent{
			registered: true, id: AgentID(arg),
			rmpp: a.RMPPVersion != 0 && a.Flags&FlagUserRMPP == 0,
		}
	}
	return nil
}

// Send implements wire.Transport.
func (t *Transport) Send(d *wire.Datagram) error {
	if len(d.MAD) < mad.Header.Size {
		return wire.ErrMalformed
	}
	a := &t.agents[d.MAD.Class()]
	if !a.registered {
		return fmt.Errorf("umad: %s: no agent for class %v", t.site.umad, d.MAD.Class())
	}
	message := a.rmpp && wire.RMPPActive(d.MAD)
	if len(d.MAD) > mad.Size && !message {
		return fmt.Errorf("%w: %d bytes, without RMPP", wire.ErrMalformed, len(d.MAD))
	}
	t.sending.Lock()
	defer t.sending.Unlock()
	if err := t.in.Err(); err != nil {
		return err
	}
	h := t.header(a, d, message)
	t.buf = append(t.buf[:0], make([]byte, HeaderSize)...)
	h.Put(t.buf)
	t.buf = append(t.buf, d.MAD...)
	if short := HeaderSize + mad.Size - len(t.buf); short > 0 && !message {
		t.buf = append(t.buf, make([]byte, short)...)
	}
	_, err := t.file.Write(t.buf)
	return t.writeError(err)
}

func (t *Transport) header(a *agent, d *wire.Datagram, message bool) Header {
	h := Header{
		Agent: a.id, QPN: d.Addr.DQP, QKey: d.Addr.QKey, LID: d.Addr.DLID,
		SL: d.Addr.SL, PKeyIndex: d.Addr.PKeyIndex, GRH: d.Addr.GRH,
	}
	if lid := uint16(t.lid.Load()); d.Addr.SLID > lid && d.Addr.SLID != wire.Permissive {
		h.PathBits = uint8(d.Addr.SLID-lid) & 0x7F
	}
	switch {
	case message:
		h.TimeoutMS, h.Retries = rmppTimeoutMS, rmppRetries
	case d.Timeout > 0:
		h.TimeoutMS = uint32(max(1, d.Timeout*3/4/time.Millisecond))
	}
	return h
}

// writeError converts the result of a write. Since the message is well formed, EINVAL means that
// the kernel still waits for an answer to the same TID.
func (t *Transport) writeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("%w: %w", wire.ErrBusy, err)
	}
	t.in.Close(err)
	return t.in.Err()
}

// pump reads until the file is closed or the device is gone.
func (t *Transport) pump() {
	defer close(t.pumped)
	buf := make([]byte, firstBuffer)
	for {
		n, waited, err := read(t.file, buf)
		if errors.Is(err, syscall.ENOSPC) {
			// The kernel has put the header into the buffer, which shows the room needed. A file
			// system over FUSE cannot.
			need := max(uint64(parseHeader(buf).Length), 2*uint64(len(buf)))
			if need > maxBuffer {
				t.in.Close(fmt.Errorf("umad: %s: a message of %d bytes or more: %w", t.site.umad, need, err))
				return
			}
			buf = make([]byte, need)
			continue
		}
		if err != nil {
			t.in.Close(err)
			return
		}
		d, err := t.datagram(buf[:n])
		if err != nil {
			t.bad.Add(1)
		} else {
			t.in.Push(&d)
		}
		if waited {
			t.in.Rest()
		}
		if len(buf) > firstBuffer {
			buf = make([]byte, firstBuffer)
		}
	}
}

// read reads a message. waited reports whether there was none at first, if that is known.
func read(file File, b []byte) (n int, waited bool, err error) {
	f, ok := file.(syscall.Conn)
	if !ok {
		n, err = file.Read(b)
		return n, false, err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	if n, waited, err = wire.Read(raw, func(fd int) (int, error) { return syscall.Read(fd, b) }); err == nil && n == 0 {
		err = io.EOF
	}
	return n, waited, err
}

// datagram converts a message that was read.
func (t *Transport) datagram(b []byte) (wire.Datagram, error) {
	h, m, err := ParseMessage(b)
	if err != nil {
		return wire.Datagram{}, err
	}
	d := wire.Datagram{
		Addr: wire.Address{
			DLID: uint16(t.lid.Load()) | uint16(h.PathBits), SLID: h.LID, SQP: h.QPN,
			PKeyIndex: h.PKeyIndex, SL: h.SL, GRH: h.GRH,
		},
		MAD:         m,
		Undelivered: h.Status != 0,
	}
	switch m.Class() {
	case mad.ClassDirectedSMP:
		d.Addr.DLID = wire.Permissive
	case mad.ClassSMP:
	default:
		d.Addr.DQP, d.Addr.QKey = 1, wire.QKeyGSI
	}
	return d, nil
}

// Dropped counts received messages that were malformed, or dropped because the queue was full.
func (t *Transport) Dropped() uint64 { return t.bad.Load() + t.in.Dropped() }

// Recv implements wire.Transport.
func (t *Transport) Recv(ctx context.Context, d *wire.Datagram) error { return t.in.Pop(ctx, d) }

// Feed serves wire.Feed.
func (t *Transport) Feed(f *wire.Feeder) error { return t.in.Feed(f) }

// Port implements wire.Transport.
func (t *Transport) Port(ctx context.Context) (wire.Port, error) {
	if err := t.in.Check(ctx); err != nil {
		return wire.Port{}, err
	}
	return t.readPort()
}

func (t *Transport) readPort() (wire.Port, error) {
	p, err := t.site.read()
	if err == nil {
		t.lid.Store(uint32(p.LID))
	}
	return p, err
}

// SetIsSM implements wire.Transport: the kernel sets IsSM while the issm device is open, which only
// one program at a time can open.
func (t *Transport) SetIsSM(ctx context.Context, on bool) error {
	t.issmMu.Lock()
	defer t.issmMu.Unlock()
	if err := t.in.Check(ctx); err != nil {
		return err
	}
	switch {
	case on == (t.issm != nil):
		return nil
	case !on:
		err := t.issm.Close()
		t.issm = nil
		return err
	case t.site.issm == "":
		return fmt.Errorf("umad: no issm device for %s port %d", t.site.ca, t.site.port)
	}
	f, err := t.open(path.Join(t.dev, t.site.issm))
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("umad: another subnet manager holds %s: %w", t.site.issm, err)
	}
	if err != nil {
		return fmt.Errorf("umad: %w", err)
	}
	t.issm = f
	return nil
}

// Close implements wire.Transport.
func (t *Transport) Close() error {
	var err error
	t.closing.Do(func() {
		t.in.Close(nil)
		t.issmMu.Lock()
		if t.issm != nil {
			err = t.issm.Close()
			t.issm = nil
		}
		t.issmMu.Unlock()
		err = errors.Join(err, t.file.Close())
		<-t.pumped
	})
	return err
}
