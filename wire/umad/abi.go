package umad

import (
	"encoding/binary"
	"fmt"

	"weft/wire"
	"weft/wire/mad"
)

// ABIVersion is the version of ib_user_mad.h.
const ABIVersion = 5

// The ioctl numbers.
const (
	IoctlRegisterAgent   = 0xC01C1B01 // oldAgentSize bytes, in and out; superseded
	IoctlUnregisterAgent = 0x40041B02 // the agent's number, 4 bytes
	IoctlEnablePKey      = 0x00001B03 // no argument
	IoctlRegisterAgent2  = 0xC0281B04 // AgentSize bytes, in and out
)

// Sizes of the header before a MAD in reads and writes, in bytes.
const (
	HeaderSize      = 64
	ShortHeaderSize = 56 // without the P_Key index, until that is enabled
)

// Header precedes a MAD in reads and writes. Addresses are the peer's: the receiver on write, the
// sender on read.
type Header struct {
	Agent     uint32
	Status    uint32 // on read: 0, or the error number of a request without an answer
	TimeoutMS uint32 // on write: 0 if no answer is expected
	Retries   uint32
	Length    uint32 // on read: of header and MAD
	QPN       uint32
	QKey      uint32
	LID       uint16
	SL        uint8
	PathBits  uint8 // on our side
	PKeyIndex uint16
	GRH       wire.GRH
}

// Put writes the header to the first HeaderSize bytes of b.
func (h *Header) Put(b []byte) {
	clear(b[:HeaderSize])
	binary.NativeEndian.PutUint32(b[0:], h.Agent)
	binary.NativeEndian.PutUint32(b[4:], h.Status)
	binary.NativeEndian.PutUint32(b[8:], h.TimeoutMS)
	binary.NativeEndian.PutUint32(b[12:], h.Retries)
	binary.NativeEndian.PutUint32(b[16:], h.Length)
	binary.BigEndian.PutUint32(b[20:], h.QPN)
	binary.BigEndian.PutUint32(b[24:], h.QKey)
	binary.BigEndian.PutUint16(b[28:], h.LID)
	b[30], b[31] = h.SL, h.PathBits
	if g := &h.GRH; g.Present {
		b[32], b[33], b[34], b[35] = 1, g.GIDIndex, g.HopLimit, g.TrafficClass
		copy(b[36:52], g.GID[:])
		binary.BigEndian.PutUint32(b[52:], g.FlowLabel)
	}
	binary.NativeEndian.PutUint16(b[56:], h.PKeyIndex)
}

// PutLength writes Header.Length alone.
func PutLength(b []byte, length int) { binary.NativeEndian.PutUint32(b[16:], uint32(length)) }

// ParseMessage splits a message into the header and the MAD, which is part of b and has at least
// its common header.
func ParseMessage(b []byte) (Header, mad.Datagram, error) {
	if len(b) < HeaderSize+mad.Header.Size {
		return Header{}, nil, fmt.Errorf("%w: %d bytes from the device, want %d or more",
			wire.ErrMalformed, len(b), HeaderSize+mad.Header.Size)
	}
	return parseHeader(b), mad.Datagram(b[HeaderSize:]), nil
}

func parseHeader(b []byte) Header {
	h := Header{
		Agent:     binary.NativeEndian.Uint32(b[0:]),
		Status:    binary.NativeEndian.Uint32(b[4:]),
		TimeoutMS: binary.NativeEndian.Uint32(b[8:]),
		Retries:   binary.NativeEndian.Uint32(b[12:]),
		Length:    binary.NativeEndian.Uint32(b[16:]),
		QPN:       binary.BigEndian.Uint32(b[20:]),
		QKey:      binary.BigEndian.Uint32(b[24:]),
		LID:       binary.BigEndian.Uint16(b[28:]),
		SL:        b[30],
		PathBits:  b[31],
		PKeyIndex: binary.NativeEndian.Uint16(b[56:]),
	}
	if b[32] != 0 {
		h.GRH = wire.GRH{
			Present: true, GIDIndex: b[33], HopLimit: b[34], TrafficClass: b[35],
			GID: [16]byte(b[36:52]), FlowLabel: binary.BigEndian.Uint32(b[52:]),
		}
	}
	return h
}

// Lengths of the arguments of IoctlRegisterAgent2 and IoctlRegisterAgent, in bytes.
const (
	AgentSize    = 40
	oldAgentSize = 28
)

// FlagUserRMPP of an Agent: segments are delivered as they come.
const FlagUserRMPP = 1 << 0

// Agent is a registration for the datagrams that the file may send and the unsolicited ones it
// receives. A method of a class has one owner at a port.
type Agent struct {
	Class       mad.Class
	QP          uint32 // QPOf the class
	Version     uint8
	Methods     []mad.Method // of unsolicited datagrams; none: answers only
	OUI         uint32       // of vendor classes 0x30 to 0x4F
	RMPPVersion uint8        // 1: the kernel does RMPP; 0: the class has none
	Flags       uint32
}

// QPOf returns the queue pair of a class.
func QPOf(c mad.Class) uint32 {
	if c == mad.ClassSMP || c == mad.ClassDirectedSMP {
		return 0
	}
	return 1
}

// Put writes the argument of IoctlRegisterAgent2 to the first AgentSize bytes of b.
func (a *Agent) Put(b []byte) {
	clear(b[:AgentSize])
	binary.NativeEndian.PutUint32(b[4:], a.QP)
	b[8], b[9] = byte(a.Class), a.Version
	binary.NativeEndian.PutUint32(b[12:], a.Flags)
	for _, m := range a.Methods {
		word := b[16+m/64*8:]
		binary.NativeEndian.PutUint64(word, binary.NativeEndian.Uint64(word)|1<<(m%64))
	}
	binary.NativeEndian.PutUint32(b[32:], a.OUI)
	b[36] = a.RMPPVersion
}

// ParseAgent parses the argument of IoctlRegisterAgent2, or of IoctlRegisterAgent, which is shorter
// and has no flags.
func ParseAgent(b []byte) (a Agent, err error) {
	methods := b
	switch len(b) {
	case AgentSize:
		a = Agent{
			Class: mad.Class(b[8]), QP: binary.NativeEndian.Uint32(b[4:]), Version: b[9], RMPPVersion: b[36],
			Flags: binary.NativeEndian.Uint32(b[12:]), OUI: binary.NativeEndian.Uint32(b[32:]) & 0xFFFFFF,
		}
		methods = b[16:]
	case oldAgentSize:
		a = Agent{
			Class: mad.Class(b[21]), QP: uint32(b[20]), Version: b[22], RMPPVersion: b[26],
			OUI: uint32(b[23])<<16 | uint32(b[24])<<8 | uint32(b[25]),
		}
		methods = b[4:]
	default:
		return a, fmt.Errorf("umad: a registration of %d bytes, want %d or %d", len(b), AgentSize, oldAgentSize)
	}
	for m := range mad.Method(128) {
		if binary.NativeEndian.Uint64(methods[m/64*8:])>>(m%64)&1 != 0 {
			a.Methods = append(a.Methods, m)
		}
	}
	return a, nil
}

// PutFlags writes Agent.Flags alone to the argument of IoctlRegisterAgent2.
func PutFlags(b []byte, flags uint32) { binary.NativeEndian.PutUint32(b[12:], flags) }

// AgentID returns the number of a new agent, which the kernel writes to the argument of its
// registration.
func AgentID(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }

// PutAgentID writes the number of a new agent.
func PutAgentID(b []byte, id uint32) { binary.NativeEndian.PutUint32(b, id) }

// ClientAgents returns the agents of a program that only sends requests: no unsolicited datagrams.
func ClientAgents() []Agent {
	return []Agent{
		{Class: mad.ClassSMP, Version: 1},
		{Class: mad.ClassDirectedSMP, Version: 1},
		{Class: mad.ClassSA, QP: 1, Version: 2, RMPPVersion: 1},
		{Class: mad.ClassPerf, QP: 1, Version: 1},
		{Class: mad.ClassRouter, QP: 1, Version: 1},
		{Class: mad.ClassCC, QP: 1, Version: 2},
	}
}

// ManagerAgents returns the agents of a subnet manager with subnet administration. A port has room
// for one.
func ManagerAgents() []Agent {
	agents := ClientAgents()
	for i := range agents {
		switch agents[i].Class {
		case mad.ClassSMP, mad.ClassDirectedSMP:
			agents[i].Methods = []mad.Method{mad.Get, mad.Set, mad.Trap, mad.TrapRepress}
		case mad.ClassSA:
			agents[i].Methods = []mad.Method{mad.Get, mad.Set, mad.GetTable, mad.GetTrace, mad.GetMulti, mad.Delete}
		default: // only sends requests
		}
	}
	return agents
}
