package umadfs

import (
	"syscall"

	"weft/wire/mad"
	"weft/wire/rmpp"
	"weft/wire/umad"
)

// maxAgents is the maximum number of agents of a file.
const maxAgents = 32

// agent is a registration.
type agent struct {
	umad.Agent
	file   *file
	id     uint32 // in file.agents
	number uint16 // in bits 47..32 of the transaction IDs of its requests; not 0
	// messages cuts and joins the messages of an agent with kernelRMPP, nil for others.
	messages *rmpp.Machine
}

// kernelRMPP reports whether an agent writes and reads whole messages.
func (a *agent) kernelRMPP() bool { return a.RMPPVersion != 0 && a.Flags&umad.FlagUserRMPP == 0 }

// claim names the unsolicited datagrams of a method that one agent of a port can own.
type claim struct {
	class   mad.Class
	version uint8
	oui     uint32
	method  mad.Method
}

// vendorWithOUI reports whether datagrams of a class name their vendor.
func vendorWithOUI(c mad.Class) bool { return c >= 0x30 && c <= 0x4F }

// ouiAt is the offset of the vendor's OUI in such datagrams.
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

// ioctl executes an ioctl; arg is its argument, in and out.
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
	case umad.IoctlRegisterAgent, umad.IoctlRegisterAgent2:
		return f.registerAgent(arg, number == umad.IoctlRegisterAgent2)
	}
	return syscall.ENOTTY
}

// registerAgent executes one of the two registration calls. The newer one has flags; if unknown
// ones are set, it returns the known ones. If it comes first, it makes headers long.
func (f *file) registerAgent(arg []byte, newer bool) syscall.Errno {
	parsed, err := umad.ParseAgent(arg)
	switch {
	case err != nil, newer != (len(arg) == umad.AgentSize):
		return syscall.EINVAL
	case parsed.Flags&^umad.FlagUserRMPP != 0:
		umad.PutFlags(arg, umad.FlagUserRMPP)
		return syscall.EINVAL
	case !isValid(&parsed):
		return syscall.EINVAL
	}
	first := !f.used
	a := &agent{Agent: parsed}
	if e := f.register(a); e != 0 {
		return e
	}
	f.long = f.long || first && newer
	umad.PutAgentID(arg, a.id)
	return 0
}

// isValid reports whether the kernel accepts a registration. Class 0 only sends.
func isValid(a *umad.Agent) bool {
	if a.Class == 0 {
		return a.QP <= 1
	}
	return a.QP == umad.QPOf(a.Class) && a.Version < 8 &&
		(a.Class < 0x50 || a.Class == mad.ClassDirectedSMP) &&
		(a.OUI != 0 || !vendorWithOUI(a.Class)) &&
		(a.RMPPVersion == 0 || a.Class.HasRMPP())
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
	if a.kernelRMPP() {
		a.messages = rmpp.New(rmpp.Config{Timeout: ackTimeout})
	}
	f.agents[id], v.agents[a.number], f.used = a, a, true
	for _, c := range a.claims() {
		v.owners[c] = a
	}
	return 0
}

// unregister ends an agent and forgets its pending requests. It returns false if the number is
// unknown.
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
