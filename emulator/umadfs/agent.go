package umadfs

import (
	"encoding/binary"
	"syscall"

	"weft/mad"
	"weft/wire"
	"weft/wire/umad"
)

// maxAgents bounds the agents of a file.
const maxAgents = 32

// agent is a registration.
type agent struct {
	umad.Agent
	file   *file
	id     uint32 // in file.agents
	number uint16 // in bits 47..32 of the transaction IDs of its requests; not 0
	qp     uint32
}

// kernelRMPP tells agents that write and read whole messages.
func (a *agent) kernelRMPP() bool { return a.RMPPVersion != 0 && a.Flags&umad.FlagUserRMPP == 0 }

// claim names unsolicited datagrams that one agent of a port can own: those of a method.
type claim struct {
	class   mad.Class
	version uint8
	oui     uint32
	method  mad.Method
}

// vendorWithOUI tells the classes whose datagrams name their vendor.
func vendorWithOUI(c mad.Class) bool { return c >= 0x30 && c <= 0x4F }

// ouiAt is the offset of the vendor's OUI in those datagrams.
const ouiAt = 37

func claimOf(m mad.Datagram) claim {
	c := claim{class: m.Class(), version: uint8(mad.HeaderClassVersion.Get(m)), method: m.Method()}
	if vendorWithOUI(c.class) && len(m) >= ouiAt+3 {
		c.oui = uint32(m[ouiAt])<<16 | uint32(m[ouiAt+1])<<8 | uint32(m[ouiAt+2])
	}
	return c
}

func (a *agent) claims() []claim {
	if a.Class == 0 {
		return nil // sends only
	}
	var out []claim
	for _, m := range a.Methods {
		c := claim{class: a.Class, version: a.Version, method: m}
		if vendorWithOUI(a.Class) {
			c.oui = a.OUI
		}
		out = append(out, c)
	}
	return out
}

// The registration of the first interface: the layout of its 28 bytes.
const (
	ioctlRegisterAgent1 = umad.IoctlRegisterAgent
	agent1Size          = 28
)

// ioctl does one of the calls; arg is its argument, in and out.
func (f *file) ioctl(number uint32, arg []byte) syscall.Errno {
	switch number {
	case umad.IoctlEnablePKey:
		if f.used {
			return syscall.EINVAL
		}
		f.long = true
		return 0
	case umad.IoctlUnregisterAgent:
		if len(arg) != 4 || !f.unregister(umad.AgentID(arg)) {
			return syscall.EINVAL
		}
		return 0
	case umad.IoctlRegisterAgent2:
		return f.register2(arg)
	case ioctlRegisterAgent1:
		return f.register1(arg)
	}
	return syscall.ENOTTY
}

// register1 is the call without flags: it does not change the header.
func (f *file) register1(arg []byte) syscall.Errno {
	if len(arg) != agent1Size {
		return syscall.EINVAL
	}
	v2 := make([]byte, umad.AgentSize)
	v2[qpAt], v2[8], v2[9] = arg[20], arg[21], arg[22]
	copy(v2[16:32], arg[4:20])
	binary.NativeEndian.PutUint32(v2[32:], uint32(arg[23])<<16|uint32(arg[24])<<8|uint32(arg[25]))
	v2[36] = arg[26]
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		v2[qpAt], v2[qpAt+3] = 0, arg[20]
	}
	a, e := parseAgent(v2)
	if e == 0 {
		e = f.register(a)
	}
	if e == 0 {
		binary.NativeEndian.PutUint32(arg, a.id)
	}
	return e
}

// register2 is the call with flags. Unknown ones are answered with those that exist.
func (f *file) register2(arg []byte) syscall.Errno {
	if len(arg) != umad.AgentSize {
		return syscall.EINVAL
	}
	if binary.NativeEndian.Uint32(arg[flagsAt:])&^umad.FlagUserRMPP != 0 {
		binary.NativeEndian.PutUint32(arg[flagsAt:], umad.FlagUserRMPP)
		return syscall.EINVAL
	}
	a, e := parseAgent(arg)
	if e != 0 {
		return e
	}
	first := !f.used
	if e := f.register(a); e != 0 {
		return e
	}
	f.long = f.long || first
	binary.NativeEndian.PutUint32(arg, a.id)
	return 0
}

// Where the argument of IoctlRegisterAgent2 has the queue pair and the flags.
const (
	qpAt    = 4
	flagsAt = 12
)

// parseAgent reads a registration and checks it as the kernel does.
func parseAgent(v2 []byte) (*agent, syscall.Errno) {
	parsed, err := umad.ParseAgent(v2)
	a := &agent{Agent: parsed, qp: binary.NativeEndian.Uint32(v2[qpAt:])}
	switch {
	case err != nil, a.qp > 1:
		return nil, syscall.EINVAL
	case a.Class == 0:
		return a, 0
	case a.qp != a.QP(), a.Version >= 8,
		a.Class >= 0x50 && a.Class != mad.ClassDirectedSMP,
		vendorWithOUI(a.Class) && a.OUI == 0,
		a.RMPPVersion != 0 && !wire.HasRMPP(a.Class):
		return nil, syscall.EINVAL
	}
	return a, 0
}

// register gives an agent its numbers.
func (f *file) register(a *agent) syscall.Errno {
	v := f.dev
	id := 0
	for id < maxAgents && f.agents[id] != nil {
		id++
	}
	if id == maxAgents || len(v.agents) == 1<<16-1 {
		return syscall.ENOMEM
	}
	for _, c := range a.claims() {
		if v.owners[c] != nil {
			return syscall.EINVAL
		}
	}
	for v.last++; v.last == 0 || v.agents[v.last] != nil; {
		v.last++
	}
	a.file, a.id, a.number = f, uint32(id), v.last
	f.agents[id], v.agents[a.number], f.used = a, a, true
	for _, c := range a.claims() {
		v.owners[c] = a
	}
	return 0
}

// unregister ends an agent: what it waits for is forgotten. It reports false when
// there is none of that number.
func (f *file) unregister(id uint32) bool {
	if id >= maxAgents || f.agents[id] == nil {
		return false
	}
	a := f.agents[id]
	f.agents[id] = nil
	delete(f.dev.agents, a.number)
	for _, c := range a.claims() {
		delete(f.dev.owners, c)
	}
	for k, r := range f.dev.waiting {
		if r.agent == a {
			delete(f.dev.waiting, k)
		}
	}
	return true
}
