package umad_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
	"weft/wire/wiretest"
)

// machine doubles the kernel of a machine with one CA port, on a node of the
// suite's subnet.
type machine struct {
	subnet *live.Live
	at     fabric.End
	id     emulator.ClientID

	mu     sync.Mutex
	file   *deviceFile // the open umad0
	issm   bool        // issm0 is open
	writes []umad.Header
	bare   bool // as over FUSE: with ENOSPC the reader's buffer stays as it is
	hasty  bool // it reports at once that no answer has come
	room   int  // of the last read
}

// newSubnet emulates the suite's subnet.
func newSubnet(t *testing.T) *live.Live {
	t.Helper()
	f, _, err := netfile.Read("net", []byte(wiretest.Ibsim), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return live.New(s, func() time.Duration { return 0 })
}

func newMachine(t *testing.T, subnet *live.Live, node string) *machine {
	t.Helper()
	m := &machine{subnet: subnet}
	var err error
	subnet.Do(func(s *emulator.Subnet) {
		if m.at, err = s.FindEnd(node); err == nil {
			m.id, err = s.Attach(emulator.Client{At: m.at, Deliver: m.arrived})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) setIsSM(on bool) {
	m.subnet.Do(func(s *emulator.Subnet) { s.SetIsSM(m.id, on) })
}

func (m *machine) options() umad.Options {
	return umad.Options{Agents: umad.ManagerAgents(), Dev: "/dev/here", Sys: sysFS(m.sys), Open: m.open}
}

// sysFS is a file system whose files are made when one is opened.
type sysFS func() fstest.MapFS

func (s sysFS) Open(name string) (fs.File, error) { return s().Open(name) }

func (m *machine) sys() fstest.MapFS {
	p := m.subnet.Port(m.at)
	files := fstest.MapFS{}
	put := func(name, format string, v ...any) {
		files[name] = &fstest.MapFile{Data: fmt.Appendf(nil, format+"\n", v...)}
	}
	put("infiniband_mad/abi_version", "5")
	for _, dev := range []string{"umad0", "issm0"} {
		put("infiniband_mad/"+dev+"/ibdev", "double_0")
		put("infiniband_mad/"+dev+"/port", "1")
	}
	put("infiniband/double_0/node_type", "1: CA")
	put("infiniband/double_0/node_guid", "%s", guid(p.NodeGUID))
	port := "infiniband/double_0/ports/1/"
	put(port+"link_layer", "InfiniBand")
	put(port+"lid", "0x%x", p.LID)
	put(port+"sm_lid", "0x%x", p.SMLID)
	put(port+"lid_mask_count", "%d", p.LMC)
	put(port+"sm_sl", "%d", p.SMSL)
	put(port+"state", "%d: INIT", p.State)
	put(port+"phys_state", "%d: LinkUp", p.PhysState)
	put(port+"cap_mask", "0x%08x", p.CapMask)
	put(port+"gids/0", "%s:%s", guid(p.GIDPrefix), guid(p.PortGUID))
	put(port+"pkeys/0", "0x%04x", p.PKeys[0])
	put(port+"pkeys/1", "0x0000")
	return files
}

func guid(g uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", g>>48, g>>32&0xFFFF, g>>16&0xFFFF, g&0xFFFF)
}

func (m *machine) open(path string) (umad.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch path {
	case "/dev/here/umad0":
		m.file = &deviceFile{m: m, wake: make(chan struct{}, 1), closed: make(chan struct{}), waiting: map[pendingKey]*time.Timer{}}
		return m.file, nil
	case "/dev/here/issm0":
		if m.issm {
			return nil, syscall.EAGAIN
		}
		m.issm = true
		m.setIsSM(true)
		return &issmFile{m: m}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
}

// arrived is what the subnet delivers to the port.
func (m *machine) arrived(d *wire.Datagram) {
	m.mu.Lock()
	f := m.file
	m.mu.Unlock()
	if f != nil {
		f.arrived(d)
	}
}

type issmFile struct {
	umad.File
	m *machine
}

func (f *issmFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.m.issm = false
	f.m.setIsSM(false)
	return nil
}

// deviceFile doubles an open umad device.
type deviceFile struct {
	m      *machine
	wake   chan struct{}
	closed chan struct{}

	mu      sync.Mutex
	once    sync.Once
	pkeys   bool
	agents  []umad.Agent
	waiting map[pendingKey]*time.Timer // requests written with a timeout
	queue   [][]byte
}

type pendingKey struct {
	tid   uint32
	class mad.Class
}

func (f *deviceFile) Ioctl(number uint32, arg []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch number {
	case umad.IoctlEnablePKey:
		if len(f.agents) > 0 || arg != nil {
			return syscall.EINVAL
		}
		f.pkeys = true
		return nil
	case umad.IoctlRegisterAgent2:
		a, err := umad.ParseAgent(arg)
		if err != nil || a.Flags&^umad.FlagUserRMPP != 0 || a.QP != umad.QPOf(a.Class) {
			return syscall.EINVAL
		}
		for _, other := range f.agents {
			taken := func(m mad.Method) bool { return slices.Contains(a.Methods, m) }
			if other.Class == a.Class && slices.ContainsFunc(other.Methods, taken) {
				return syscall.EINVAL
			}
		}
		umad.PutAgentID(arg, uint32(len(f.agents)))
		f.agents = append(f.agents, a)
		return nil
	}
	return syscall.ENOTTY
}

// high is the half of the TID that the kernel puts in, for an agent.
func high(agent uint32) uint64 { return uint64(0x100+agent) << 32 }

func (f *deviceFile) Write(b []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, os.ErrClosed
	default:
	}
	h, m, err := umad.ParseMessage(b)
	if err != nil || len(b) < umad.HeaderSize+36 || h.Agent >= 32 {
		return 0, syscall.EINVAL
	}
	m = slices.Clone(m)
	if err := f.remember(h, m); err != nil {
		return 0, err
	}
	a := wire.Address{
		DLID: h.LID, DQP: h.QPN, SL: h.SL, PKeyIndex: h.PKeyIndex,
		SLID: f.m.subnet.Port(f.m.at).LID | uint16(h.PathBits), SQP: f.agents[h.Agent].QP, QKey: h.QKey,
	}
	if m.Class() == mad.ClassDirectedSMP {
		a.SLID = wire.Permissive
	}
	f.m.subnet.Send(f.m.id, &wire.Datagram{Addr: a, MAD: m})
	return len(b), nil
}

// written takes the headers that were written since it was asked last.
func (m *machine) written() []umad.Header {
	m.mu.Lock()
	defer m.mu.Unlock()
	headers := m.writes
	m.writes = nil
	return headers
}

// remember does what a write changes in the kernel: the high half of the TID, and
// the wait for the answer.
func (f *deviceFile) remember(h umad.Header, m mad.Datagram) error {
	f.m.mu.Lock()
	f.m.writes = append(f.m.writes, h)
	f.m.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if int(h.Agent) >= len(f.agents) || f.agents[h.Agent].Class != m.Class() {
		return syscall.EIO
	}
	if m.Method().IsResponse() {
		return nil
	}
	mad.HeaderTransactionID.Put(m, high(h.Agent)|m.TID()&0xFFFFFFFF)
	if h.TimeoutMS == 0 {
		return nil
	}
	key := pendingKey{uint32(m.TID()), m.Class()}
	if f.waiting[key] != nil {
		return syscall.EINVAL
	}
	header := slices.Clone(m[:mad.Header.Size])
	wait := time.Duration(h.TimeoutMS) * time.Millisecond * time.Duration(1+h.Retries)
	if f.m.hasty {
		wait = 0
	}
	f.waiting[key] = time.AfterFunc(wait, func() {
		f.mu.Lock()
		delete(f.waiting, key)
		f.mu.Unlock()
		h.Status = uint32(syscall.ETIMEDOUT)
		f.push(h, header)
	})
	return nil
}

// arrived is the kernel's dispatch: an answer goes to whoever waits for it, and
// else nowhere; a request to the agent that wants its method.
func (f *deviceFile) arrived(d *wire.Datagram) {
	h := umad.Header{QPN: d.Addr.SQP, LID: d.Addr.SLID, SL: d.Addr.SL, PKeyIndex: d.Addr.PKeyIndex}
	f.mu.Lock()
	id := slices.IndexFunc(f.agents, func(a umad.Agent) bool {
		return a.Class == d.MAD.Class() && (d.MAD.Method().IsResponse() || slices.Contains(a.Methods, d.MAD.Method()))
	})
	if d.MAD.Method().IsResponse() {
		key := pendingKey{uint32(d.MAD.TID()), d.MAD.Class()}
		if f.waiting[key] == nil || d.MAD.TID()>>32&0xFFFF<<32 != high(uint32(id)) {
			id = -1
		} else {
			f.waiting[key].Stop()
			delete(f.waiting, key)
		}
	}
	f.mu.Unlock()
	if id >= 0 {
		h.Agent = uint32(id)
		f.push(h, d.MAD)
	}
}

// push queues a message for Read.
func (f *deviceFile) push(h umad.Header, m []byte) {
	h.Length = uint32(umad.HeaderSize + len(m))
	b := make([]byte, umad.HeaderSize, h.Length)
	h.Put(b)
	f.mu.Lock()
	f.queue = append(f.queue, append(b, m...))
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *deviceFile) Read(b []byte) (int, error) {
	for {
		f.mu.Lock()
		if len(f.queue) > 0 {
			defer f.mu.Unlock()
			f.m.room = len(b)
			if f.m.bare && len(b) < len(f.queue[0]) {
				return 0, syscall.ENOSPC
			}
			n := copy(b, f.queue[0])
			if n < len(f.queue[0]) {
				return 0, &fs.PathError{Op: "read", Path: "umad0", Err: syscall.ENOSPC}
			}
			f.queue = f.queue[1:]
			return n, nil
		}
		f.mu.Unlock()
		select {
		case <-f.wake:
		case <-f.closed:
			return 0, os.ErrClosed
		}
	}
}

func (f *deviceFile) Close() error {
	f.once.Do(func() { close(f.closed) })
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.waiting {
		t.Stop()
	}
	return nil
}
