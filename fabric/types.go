package fabric

import (
	"fmt"
	"strconv"
	"strings"
)

// GUID is a globally unique identifier of a node or port (EUI-64).
type GUID uint64

// String formats a GUID as OpenSM does: 0x and 16 hexadecimal digits.
func (g GUID) String() string { return fmt.Sprintf("0x%016x", uint64(g)) }

// MarshalText formats a GUID as String does, for JSON.
func (g GUID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText parses a GUID as ParseGUID does.
func (g *GUID) UnmarshalText(text []byte) (err error) {
	*g, err = ParseGUID(string(text))
	return err
}

// ParseGUID parses a GUID in hexadecimal, with or without 0x and leading zeros.
func ParseGUID(s string) (GUID, error) {
	digits, found := strings.CutPrefix(s, "0x")
	if !found {
		digits = strings.TrimPrefix(s, "0X")
	}
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) > 16 {
		return 0, fmt.Errorf("fabric: %q is not a GUID (want up to 16 hexadecimal digits)", s)
	}
	return GUID(v), nil
}

// LID is a local identifier. Zero means that none is assigned.
type LID uint16

// The LID ranges of IBA volume 1, section 4.1.3.
const (
	// MaxUnicastLID is the highest LID of an end port.
	MaxUnicastLID LID = 0xBFFF
	// FirstMLID is the first LID of multicast groups, LastMLID the last one.
	FirstMLID LID = 0xC000
	LastMLID  LID = 0xFFFE
	// MaxLMC is the largest LID mask control: 2^7 LIDs name one port.
	MaxLMC = 7
	// MaxPorts is the largest number of external ports of a node; port 255 in a forwarding table
	// means that packets are dropped.
	MaxPorts = 254
)

// The largest fabric that formulas build and files may hold, so that a short text cannot fill the
// memory.
const (
	MaxNodes       = 1 << 18
	MaxLinks       = 1 << 20
	MaxSwitchPorts = 1 << 22 // of all switches together
)

// NodeType is the NodeType of NodeInfo (IBA volume 1, section 14.2.5.3).
type NodeType uint8

// The node types, numbered as on the wire.
const (
	CA     NodeType = 1
	Switch NodeType = 2
	Router NodeType = 3
)

// String returns the type's name as printed for people: CA, switch or router.
func (t NodeType) String() string {
	switch t {
	case CA:
		return "CA"
	case Switch:
		return "switch"
	case Router:
		return "router"
	}
	return fmt.Sprintf("NodeType(%d)", uint8(t))
}

// Width is the number of serial lanes of a link (1, 2, 4, 8, 12); 0 is unknown.
type Width uint8

// Speed is the signalling rate of one lane.
type Speed uint8

// The link speeds, slowest first. SpeedUnknown stands for a speed that a dump left out or named by
// an unknown word.
const (
	SpeedUnknown Speed = iota
	SDR
	DDR
	QDR
	FDR10
	FDR
	EDR
	HDR
	NDR
	XDR
)

var speeds = [...]struct {
	name string
	mbps int32 // data rate of one lane after line coding, Mbit/s
}{
	SpeedUnknown: {"?", 0},
	SDR:          {"SDR", 2000},
	DDR:          {"DDR", 4000},
	QDR:          {"QDR", 8000},
	FDR10:        {"FDR10", 10000},
	FDR:          {"FDR", 13636},
	EDR:          {"EDR", 25000},
	HDR:          {"HDR", 50000},
	NDR:          {"NDR", 100000},
	XDR:          {"XDR", 200000},
}

// String returns the speed's name (SDR ... XDR), "?" if unknown.
func (s Speed) String() string {
	if int(s) < len(speeds) {
		return speeds[s].name
	}
	return fmt.Sprintf("Speed(%d)", uint8(s))
}

// ParseSpeed parses the name of a speed; ok is false for an unknown name.
func ParseSpeed(name string) (s Speed, ok bool) {
	for i, v := range speeds {
		if i > 0 && v.name == name {
			return Speed(i), true
		}
	}
	return SpeedUnknown, false
}

// Rate returns the data rate of a link in Mbit/s, 0 if width or speed is unknown.
func Rate(w Width, s Speed) int32 {
	if int(s) >= len(speeds) {
		return 0
	}
	return int32(w) * speeds[s].mbps
}
