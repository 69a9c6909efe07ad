package wire

import (
	"context"
	"fmt"
	"time"

	"weft/wire/mad"
)

// Size is the length of a datagram in bytes. Only whole RMPP messages are longer.
const Size = mad.Size

// Permissive is the LID of packets that need no routing table: directed routes.
const Permissive = 0xFFFF

// QKeyGSI is the Q_Key of QP 1.
const QKeyGSI = 0x80010000

// Address holds the packet headers of a datagram as in the packet: on a received datagram SLID and
// SQP name the sender.
type Address struct {
	DLID      uint16
	SLID      uint16 // when sending, 0 is the port's base LID
	DQP, SQP  uint32 // 0 for SMPs, 1 for other management
	QKey      uint32 // 0 on QP 0
	PKeyIndex uint16
	SL        uint8
	GRH       GRH
}

// GRH is a global route header. Its GID is the peer's, the receiver of a datagram to send or the
// sender of a received one, so that an answer needs no change. Media without a GRH (ibsim) leave it
// out.
type GRH struct {
	Present      bool
	GIDIndex     uint8 // of the local port's GID
	HopLimit     uint8
	TrafficClass uint8
	FlowLabel    uint32
	GID          [16]byte
}

// Directed returns the address of every directed-route SMP; the route is in the SMP.
func Directed() Address { return Address{DLID: Permissive, SLID: Permissive} }

// ToLID returns the address from the local port to a queue pair (0 or 1) of a LID, on SL 0 and
// P_Key index 0.
func ToLID(lid uint16, qp uint32) Address {
	a := Address{DLID: lid, DQP: qp, SQP: qp}
	if qp != 0 {
		a.QKey = QKeyGSI
	}
	return a
}

// Reply returns the address of an answer: the way back.
func (a Address) Reply() Address {
	a.DLID, a.SLID = a.SLID, a.DLID
	a.DQP, a.SQP = a.SQP, a.DQP
	return a
}

func (a Address) String() string {
	if a.DLID == Permissive {
		return "a directed route"
	}
	return fmt.Sprintf("LID %d QP %d", a.DLID, a.DQP)
}

// Datagram is one management datagram with its address.
type Datagram struct {
	Addr Address
	// MAD is Size bytes, or a whole RMPP message: the headers of its first segment and all of its
	// data, possibly shorter than a datagram. Media carry it by RMPP or in one piece; ibsim carries
	// what fits. A received MAD may have any length, with Undelivered set often only the header.
	// Check it before reading beyond the header (mad.Check), as Core does.
	MAD mad.Datagram
	// Timeout, when sending, is the time that the sender waits for an answer, 0 if it expects none.
	// Media that track pending requests (umad) use it.
	Timeout time.Duration
	// Undelivered, on receipt, marks a datagram of ours that the medium returns: it could not
	// deliver it, or there was no answer.
	Undelivered bool
}

// CopyFrom makes d a copy of src that shares no memory with it; it reuses the memory of d.MAD.
func (d *Datagram) CopyFrom(src *Datagram) {
	mad := append(d.MAD[:0], src.MAD...)
	*d = *src
	d.MAD = mad
}

// RMPPActive reports whether a datagram is a segment, or a whole message, of RMPP.
func RMPPActive(m mad.Datagram) bool {
	return len(m) >= mad.RMPP.Size && m.Class().HasRMPP() && mad.RMPPVersion.Get(m) == 1 && mad.RMPPFlags.Get(m)&1 != 0
}

// RMPPControl reports whether an RMPP datagram carries no data: it acknowledges, stops or aborts a
// message.
func RMPPControl(m mad.Datagram) bool {
	return RMPPActive(m) && mad.RMPPType.Get(m) != mad.RMPPTypeData
}

// Port is the local port that a Transport is attached to.
type Port struct {
	Device             string // node or device name
	Number             uint8  // port number, 0 on a switch
	NodeGUID, PortGUID uint64
	GIDPrefix          uint64
	LID, SMLID         uint16
	LMC, SMSL          uint8
	State              uint8 // 1 Down, 2 Initialize, 3 Armed, 4 Active
	PhysState          uint8 // 5 LinkUp
	CapMask            uint32
	IsSM               bool     // mad.CapIsSM of CapMask
	PKeys              []uint16 // by P_Key index
}

// PortOf builds a Port from a device's NodeInfo, its port's PortInfo and its P_Keys.
func PortOf(device string, node, info []byte, keys []uint16) Port {
	caps := uint32(mad.PortInfoCapabilityMask.Get(info))
	return Port{
		Device: device, Number: uint8(mad.NodeInfoLocalPortNum.Get(node)),
		NodeGUID: mad.NodeInfoNodeGUID.Get(node), PortGUID: mad.NodeInfoPortGUID.Get(node),
		GIDPrefix: mad.PortInfoGidPrefix.Get(info),
		LID:       uint16(mad.PortInfoLID.Get(info)), SMLID: uint16(mad.PortInfoMasterSMLID.Get(info)),
		LMC: uint8(mad.PortInfoLMC.Get(info)), SMSL: uint8(mad.PortInfoMasterSMSL.Get(info)),
		State: uint8(mad.PortInfoPortState.Get(info)), PhysState: uint8(mad.PortInfoPhysicalState.Get(info)),
		CapMask: caps, IsSM: caps&mad.CapIsSM != 0, PKeys: keys,
	}
}

// Transport moves datagrams through one local port. It is unreliable: datagrams may be lost,
// repeated and reordered, but not changed, except that the high 32 bits of a request's transaction
// ID belong to the medium. It is safe for concurrent use.
type Transport interface {
	// Send hands a datagram to the medium, which copies it. It never waits: if the medium has no
	// room the error is ErrBusy, after Close it is ErrClosed.
	Send(d *Datagram) error
	// Recv waits for the next datagram and copies it into d, reusing d.MAD's memory. It fails with
	// ErrCancelled when ctx ends, and with ErrClosed after Close or when the medium has failed.
	Recv(ctx context.Context, d *Datagram) error
	// Port reads the current state of the local port.
	Port(ctx context.Context) (Port, error)
	// SetIsSM sets or clears the IsSM bit of the port's capability mask. Media deliver datagrams
	// for a subnet manager only if it is set.
	SetIsSM(ctx context.Context, on bool) error
	// Close ends everything and wakes Recv. It clears IsSM, and takes bounded time. Closing twice
	// is allowed.
	Close() error
}

// SendAll sends datagrams in one go if the Transport can do that. It returns the number of those
// that were sent before the first error.
func SendAll(t Transport, list []*Datagram) (sent int, err error) {
	if t, ok := t.(interface {
		SendAll(list []*Datagram) (int, error)
	}); ok {
		return t.SendAll(list)
	}
	for i, d := range list {
		if err := t.Send(d); err != nil {
			return i, err
		}
	}
	return len(list), nil
}
