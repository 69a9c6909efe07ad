package umadfs

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"weft/emulator/umadfs/internal/fuse"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
)

// Info holds a port's attributes for sysfs.
type Info struct {
	NodeInfo [40]byte // as read through the port
	PortInfo [64]byte
	PKeys    []uint16 // by index
}

// Adapter is a port of a subnet.
type Adapter interface {
	// Send passes a datagram to the subnet, and does not keep it. Bits 63..48 of a request's
	// transaction ID belong to the subnet: answers may have others. A source LID of 0 is the port's
	// base LID.
	Send(d *wire.Datagram)
	SetIsSM(on bool)
	// Info returns the current state of the port.
	Info() Info
	// Close ends the attachment.
	Close()
}

// Attach attaches to a port. deliver receives a copy of each datagram, and never waits.
type Attach func(deliver func(*wire.Datagram)) (Adapter, error)

// Server serves ports at a directory.
type Server struct {
	clock func() time.Duration
	fs    *fuse.Server
	ports []*port
	done  sync.WaitGroup
}

// port is a served port with its devices. The lock of fuse.Server.Do guards its changing fields.
type port struct {
	s       *Server
	adapter Adapter
	in      *wire.Inbox // from the subnet
	dev     *device
	isSM    bool // the issm device is open
	closed  bool
	timer   *time.Timer
	armed   time.Duration // when the timer fires
}

// Mount serves ports at an existing directory: the first port as umad0 and issm0, and so on. Ports
// with the same node GUID belong to one adapter; adapters are named weft_0, weft_1 and so on. The
// clock must never go back.
func Mount(dir string, clock func() time.Duration, ports ...Attach) (*Server, error) {
	s := &Server{clock: clock}
	t := fuse.NewTree()
	t.Text(ClassDir+"/infiniband_mad/abi_version", func() string { return fmt.Sprint(umad.ABIVersion) })
	cas := map[uint64]string{}
	for i, attach := range ports {
		if err := s.add(t, i, cas, attach); err != nil {
			s.detach()
			return nil, err
		}
	}
	s.fs = fuse.New(t)
	if err := s.fs.Mount(dir); err != nil {
		s.detach()
		return nil, err
	}
	for _, p := range s.ports {
		s.done.Go(p.dispatch)
	}
	return s, nil
}

// add attaches to a port and adds its files to the tree.
func (s *Server) add(t *fuse.Tree, index int, cas map[uint64]string, attach Attach) error {
	p := &port{s: s, in: wire.NewInbox(), armed: never}
	p.dev = newDevice(p.lid)
	p.timer = time.AfterFunc(never, p.tick)
	s.ports = append(s.ports, p)
	var err error
	if p.adapter, err = attach(func(d *wire.Datagram) { p.in.Push(d) }); err != nil {
		return err
	}
	info := p.adapter.Info()
	node := mad.NodeInfoNodeGUID.Get(info.NodeInfo[:])
	ca, known := cas[node]
	if !known {
		ca = fmt.Sprintf("weft_%d", len(cas))
		cas[node] = ca
		addCA(t, ca, p.adapter)
	}
	number := uint8(mad.NodeInfoLocalPortNum.Get(info.NodeInfo[:]))
	for _, q := range s.ports[:index] {
		other := q.adapter.Info()
		if other.NodeInfo == info.NodeInfo {
			return fmt.Errorf("umadfs: port %d of node %s is served twice", number, guid(node))
		}
	}
	addPort(t, index, ca, number, p.adapter)
	t.Device(fmt.Sprintf("%s/umad%d", DevDir, index), p.openUMAD)
	t.Device(fmt.Sprintf("%s/issm%d", DevDir, index), p.openISSM)
	return nil
}

// Close unmounts and detaches from the subnet. Programs with open devices get errors.
func (s *Server) Close() error {
	err := s.fs.Close()
	s.fs.Do(func() {
		for _, p := range s.ports {
			p.closed = true
		}
	})
	s.detach()
	s.done.Wait()
	return err
}

func (s *Server) detach() {
	for _, p := range s.ports {
		p.timer.Stop()
		if p.adapter != nil {
			p.adapter.Close()
		}
		p.in.Close(nil)
	}
}

// dispatch passes datagrams from the subnet to the device.
func (p *port) dispatch() {
	var d wire.Datagram
	for p.in.Pop(context.Background(), &d) == nil {
		var bits uint8
		if d.Addr.DLID != wire.Permissive {
			info := p.adapter.Info()
			bits = uint8(d.Addr.DLID & (1<<mad.PortInfoLMC.Get(info.PortInfo[:]) - 1))
		}
		p.s.fs.Do(func() {
			p.dev.deliver(p.s.clock(), &d, bits)
			p.flush()
		})
	}
}

// lid returns the base LID of the port.
func (p *port) lid() uint16 {
	info := p.adapter.Info()
	return uint16(mad.PortInfoLID.Get(info.PortInfo[:]))
}

// flush sends the device's datagrams, and sets the timer.
func (p *port) flush() {
	list := p.dev.taken()
	p.arm()
	for i := range list {
		p.adapter.Send(&list[i])
	}
}

// tick sends unanswered datagrams again, or returns them as timed out.
func (p *port) tick() {
	p.s.fs.Do(func() {
		p.armed = never
		if p.closed {
			return
		}
		p.dev.expire(p.s.clock())
		p.flush()
	})
}

// arm sets the timer to the next timeout. It may fire early, for a request that has meanwhile been
// answered.
func (p *port) arm() {
	if due := p.dev.deadline(); due < p.armed {
		p.armed = due
		p.timer.Reset(max(0, p.armed-p.s.clock()))
	}
}

// umadFile is an open umad device.
type umadFile struct {
	*file
	p *port
}

func (p *port) openUMAD(h *fuse.Handle) (fuse.File, syscall.Errno) {
	return &umadFile{file: p.dev.open(h.Wake), p: p}, 0
}

func (f *umadFile) Read(size int) ([]byte, syscall.Errno) { return f.read(size) }

func (f *umadFile) Write(b []byte) syscall.Errno {
	if e := f.write(f.p.s.clock(), b); e != 0 {
		return e
	}
	f.p.flush()
	return 0
}

func (f *umadFile) Ioctl(number uint32, arg []byte) syscall.Errno { return f.ioctl(number, arg) }
func (f *umadFile) Readable() bool                                { return f.readable() }
func (f *umadFile) Release()                                      { f.close() }

// issmFile is an open issm device. All operations on it except closing fail.
type issmFile struct{ p *port }

func (p *port) openISSM(*fuse.Handle) (fuse.File, syscall.Errno) {
	if p.isSM {
		return nil, syscall.EAGAIN
	}
	p.isSM = true
	p.adapter.SetIsSM(true)
	return &issmFile{p}, 0
}

func (*issmFile) Read(int) ([]byte, syscall.Errno)   { return nil, syscall.EINVAL }
func (*issmFile) Write([]byte) syscall.Errno         { return syscall.EINVAL }
func (*issmFile) Ioctl(uint32, []byte) syscall.Errno { return syscall.ENOTTY }
func (*issmFile) Readable() bool                     { return true }

func (f *issmFile) Release() {
	f.p.isSM = false
	f.p.adapter.SetIsSM(false)
}
