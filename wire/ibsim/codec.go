package ibsim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"weft/wire"
	"weft/wire/mad"
)

// Sizes of the two types of datagrams, in bytes.
const (
	DataSize    = 288
	ControlSize = 80
	dataHeader  = DataSize - mad.Size
)

// undelivered is the status of a returned datagram: ETIMEDOUT.
const undelivered = 110

// AppendData appends the data datagram for d. The MAD must be at most 256 bytes; a shorter one is
// padded with zeros.
func AppendData(b []byte, d *wire.Datagram) ([]byte, error) {
	if len(d.MAD) < mad.Header.Size || len(d.MAD) > mad.Size {
		return b, fmt.Errorf("%w: %d bytes, ibsim carries %d to %d", wire.ErrMalformed, len(d.MAD), mad.Header.Size, mad.Size)
	}
	at := len(b)
	b = append(b, make([]byte, DataSize)...)
	h := b[at:]
	binary.BigEndian.PutUint16(h[0:], d.Addr.DLID)
	binary.BigEndian.PutUint16(h[4:], d.Addr.SLID)
	binary.BigEndian.PutUint32(h[8:], d.Addr.DQP)
	binary.BigEndian.PutUint32(h[12:], d.Addr.SQP)
	if d.Undelivered {
		binary.BigEndian.PutUint32(h[16:], undelivered)
	}
	binary.BigEndian.PutUint64(h[24:], uint64(len(d.MAD)))
	copy(h[dataHeader:], d.MAD)
	return b, nil
}

// ParseData parses a data datagram. The MAD of the result is part of b.
func ParseData(b []byte) (wire.Datagram, error) {
	if len(b) != DataSize {
		return wire.Datagram{}, fmt.Errorf("ibsim: a data datagram of %d bytes, want %d", len(b), DataSize)
	}
	n := binary.BigEndian.Uint64(b[24:])
	if n < uint64(mad.Header.Size) || n > mad.Size {
		return wire.Datagram{}, fmt.Errorf("ibsim: a MAD of %d bytes, want %d to %d", n, mad.Header.Size, mad.Size)
	}
	d := wire.Datagram{
		Addr: wire.Address{
			DLID: binary.BigEndian.Uint16(b[0:]),
			SLID: binary.BigEndian.Uint16(b[4:]),
			DQP:  binary.BigEndian.Uint32(b[8:]),
			SQP:  binary.BigEndian.Uint32(b[12:]),
		},
		MAD:         mad.Datagram(b[dataHeader:][:n]),
		Undelivered: binary.BigEndian.Uint32(b[16:]) != 0,
	}
	if d.Addr.DQP == 1 {
		d.Addr.QKey = wire.QKeyGSI
	}
	return d, nil
}

// ControlType is the purpose of a control datagram.
type ControlType uint32

// The control types. The answer has the type of the question, or ControlError.
const (
	ControlError      ControlType = 0  // refused
	ControlConnect    ControlType = 1  // Client both ways
	ControlDisconnect ControlType = 2  // no data
	ControlPort       ControlType = 3  // LID u16, state u8, in host order
	ControlVendor     ControlType = 4  // vendor, part, hardware version u32, firmware version u64 at 16, in host order
	ControlGID        ControlType = 5  // prefix, node GUID in host order
	ControlGUID       ControlType = 6  // node GUID in host order
	ControlNodeInfo   ControlType = 7  // NodeInfo; its PortGUID is the node's GUID
	ControlPortInfo   ControlType = 8  // the question has the port in byte 0, 0 for the attached one; PortInfo
	ControlSetIsSM    ControlType = 9  // u32 0 or 1, in host order
	ControlPKeys      ControlType = 10 // the first 32 P_Keys
)

const (
	controlMagic  = 0xDEADBEEF
	controlHeader = 16
	controlData   = ControlSize - controlHeader
)

// Control is a control datagram.
type Control struct {
	Slot uint32 // of the client; 0 in ControlConnect
	Type ControlType
	Len  uint32 // bytes of Data that count
	Data [controlData]byte
}

// Append appends the control datagram in its wire format.
func (c *Control) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, controlMagic)
	b = binary.LittleEndian.AppendUint32(b, c.Slot)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Type))
	b = binary.LittleEndian.AppendUint32(b, c.Len)
	return append(b, c.Data[:]...)
}

// ParseControl parses a control datagram.
func ParseControl(b []byte) (Control, error) {
	var c Control
	if len(b) != ControlSize {
		return c, fmt.Errorf("ibsim: a control datagram of %d bytes, want %d", len(b), ControlSize)
	}
	if m := binary.LittleEndian.Uint32(b); m != controlMagic {
		return c, fmt.Errorf("ibsim: a control datagram with magic 0x%08x, want 0x%08x", m, uint32(controlMagic))
	}
	c.Slot = binary.LittleEndian.Uint32(b[4:])
	c.Type = ControlType(binary.LittleEndian.Uint32(b[8:]))
	c.Len = binary.LittleEndian.Uint32(b[12:])
	copy(c.Data[:], b[controlHeader:])
	return c, nil
}

// Client is the data of ControlConnect.
type Client struct {
	ID   uint32 // identifies the client's sockets; in the answer: its slot
	QP   uint32
	IsSM bool
	Node string // to attach to; empty: the first of the net. In the answer: the node attached to
}

const (
	clientSize = 44
	nodeAt     = 12
	maxNode    = clientSize - nodeAt - 1
)

// Put writes c to the data of a control datagram.
func (c *Client) Put(to *Control) error {
	if len(c.Node) > maxNode {
		return fmt.Errorf("ibsim: node name %q has more than %d bytes", c.Node, maxNode)
	}
	if bytes.IndexByte([]byte(c.Node), 0) >= 0 {
		return errors.New("ibsim: a NUL in a node name")
	}
	clear(to.Data[:])
	binary.LittleEndian.PutUint32(to.Data[0:], c.ID)
	binary.LittleEndian.PutUint32(to.Data[4:], c.QP)
	if c.IsSM {
		to.Data[8] = 1
	}
	copy(to.Data[nodeAt:], c.Node)
	to.Len = clientSize
	return nil
}

// Client parses the data of ControlConnect.
func (c *Control) Client() Client {
	node, _, _ := bytes.Cut(c.Data[nodeAt:clientSize-1], []byte{0}) // the last byte only terminates it
	return Client{
		ID:   binary.LittleEndian.Uint32(c.Data[0:]),
		QP:   binary.LittleEndian.Uint32(c.Data[4:]),
		IsSM: binary.LittleEndian.Uint32(c.Data[8:]) != 0,
		Node: string(node),
	}
}
