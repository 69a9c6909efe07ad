package replica

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"weft/fabric"
	"weft/sm/sa"
	"weft/wire/mad"
)

// Attr is the attribute of messages.
const Attr mad.AttrID = 0xFFC1

// kind is the type of a message.
type kind uint8

const (
	open         kind = 1 + iota // starts a session
	part                         // a part of the stream
	taken                        // the answer to both
	notStandby                   // the answer of a manager that is not a standby
	otherSession                 // the answer to an unknown session
)

// The flags of a Part.
const (
	complete = 1 // completes the copy
	waiting  = 2 // the Leader acknowledges no change that a good copy of this Follower lacks
)

// message is the content of a datagram.
type message struct {
	kind    kind
	flags   uint8
	session uint64
	number  uint64
	from    fabric.GUID
	payload []byte
}

const (
	payloadAt   = 32
	mostPayload = 152
	macAt       = payloadAt + mostPayload
	macSize     = 16
)

// Key is the shared secret that authenticates messages.
type Key [sha256.Size]byte

// KeyOf derives a Key from a secret.
func KeyOf(secret []byte) Key { return sha256.Sum256(append([]byte("weft replica 1\x00"), secret...)) }

// seal writes a message into a datagram, and authenticates it.
func (k *Key) seal(d mad.Datagram, m *message) {
	b := d.Data()[:macAt+macSize]
	clear(b)
	copy(b, "wft1")
	b[4], b[5] = byte(m.kind), m.flags
	binary.BigEndian.PutUint16(b[6:], uint16(len(m.payload)))
	binary.BigEndian.PutUint64(b[8:], m.session)
	binary.BigEndian.PutUint64(b[16:], m.number)
	binary.BigEndian.PutUint64(b[24:], uint64(m.from))
	copy(b[payloadAt:macAt], m.payload)
	copy(b[macAt:], k.mac(b))
}

func (k *Key) mac(b []byte) []byte {
	h := hmac.New(sha256.New, k[:])
	h.Write(b[:macAt])
	return h.Sum(nil)[:macSize]
}

// read decodes and verifies a message; false if it is malformed or was sealed with another key.
func (k *Key) read(d mad.Datagram) (m message, ok bool) {
	if len(d) < mad.Size || d.Class() != mad.ClassSA || d.Attr() != Attr {
		return m, false
	}
	b := d.Data()[:macAt+macSize]
	n := int(binary.BigEndian.Uint16(b[6:]))
	if string(b[:4]) != "wft1" || n > mostPayload || !hmac.Equal(b[macAt:], k.mac(b)) {
		return m, false
	}
	return message{
		kind: kind(b[4]), flags: b[5], session: binary.BigEndian.Uint64(b[8:]), number: binary.BigEndian.Uint64(b[16:]),
		from: fabric.GUID(binary.BigEndian.Uint64(b[24:])), payload: b[payloadAt : payloadAt+n],
	}, true
}

// appendEntry appends an entry to a stream.
func appendEntry(b []byte, e *sa.Entry) []byte {
	length := 0
	if e.Value != nil {
		length = len(e.Value) + 1
	}
	b = append(b, byte(e.Kind), byte(len(e.Key)))
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	return append(append(b, e.Key...), e.Value...)
}

var errStream = errors.New("replica: malformed stream")

// takeEntry decodes the first entry of a stream, and returns the rest; e is nil if it is
// incomplete.
func takeEntry(b []byte) (e *sa.Entry, rest []byte, err error) {
	if len(b) < 4 {
		return nil, b, nil
	}
	length := int(binary.BigEndian.Uint16(b[2:]))
	key, value := int(b[1]), max(0, length-1)
	if b[0] == 0 || value > sa.LongestValue {
		return nil, b, errStream
	}
	end := 4 + key + value
	if len(b) < end {
		return nil, b, nil
	}
	e = &sa.Entry{EntryName: sa.EntryName{Kind: sa.EntryKind(b[0]), Key: string(b[4 : 4+key])}}
	if length > 0 {
		e.Value = append(make([]byte, 0, value), b[4+key:end]...)
	}
	return e, b[end:], nil
}
