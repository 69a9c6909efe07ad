package mad

import (
	"fmt"
	"math/bits"
)

// rates holds the rates of paths in Mbit/s, by code; codes are not in order of rate.
var rates = [...]int32{
	2: 2500, 10000, 30000, 5000, 20000, 40000, 60000, 80000, 120000, 14000, 56000, 112000, 168000,
	25000, 100000, 200000, 300000, 28000, 50000, 400000, 600000, 800000, 1200000,
}

var rateNames = func() (names []named) {
	for code, mbps := range rates {
		if mbps > 0 {
			names = append(names, named{uint64(code), fmt.Sprintf("%g Gb/s", float64(mbps)/1000)})
		}
	}
	return names
}()

// RateMbps returns the signalling rate of a rate code in Mbit/s, 0 for an invalid code. Codes are
// not ordered: compare rates.
func RateMbps(code uint8) int32 {
	if int(code) >= len(rates) {
		return 0
	}
	return rates[code]
}

// The speeds of links, as LinkSpeed returns them.
const (
	SpeedSDR = iota + 1
	SpeedDDR
	SpeedQDR // or FDR10, shown by ExtendedPortInfo
	SpeedFDR
	SpeedEDR
	SpeedHDR
	SpeedNDR
	SpeedXDR
)

// laneCounts holds the widths of links by the bit number of LinkWidthActive.
var laneCounts = [...]int{1, 4, 8, 12, 2}

// rateOf holds rate codes by speed, from SDR to NDR, and by the bit number of LinkWidthActive.
var rateOf = [SpeedXDR][len(laneCounts)]uint8{
	SpeedSDR: {2, 3, 6, 4, 5},
	SpeedDDR: {5, 6, 7, 8, 3},
	SpeedQDR: {3, 7, 9, 10, 6},
	SpeedFDR: {11, 12, 13, 14, 19},
	SpeedEDR: {15, 16, 17, 18, 20},
	SpeedHDR: {20, 17, 21, 22, 16},
	SpeedNDR: {16, 21, 23, 24, 17},
}

// LinkWidth returns the number of lanes of the link at a port, from its PortInfo, 0 if unknown.
func LinkWidth(portInfo []byte) int {
	if bit := bitNumber(PortInfoWidthActive.Get(portInfo)); bit >= 0 && bit < len(laneCounts) {
		return laneCounts[bit]
	}
	return 0
}

// LinkSpeed returns the speed of the link at a port, from its PortInfo, 0 if unknown.
// LinkSpeedExtActive overrides LinkSpeedActive unless it is 0.
func LinkSpeed(portInfo []byte) int {
	base, ext := bitNumber(PortInfoSpeedActive.Get(portInfo)), PortInfoSpeedExtActive.Get(portInfo)
	switch {
	case PortInfoSpeedExt2Active.Get(portInfo) != 0:
		return SpeedXDR
	case ext != 0 && bitNumber(ext) >= 0:
		return SpeedFDR + bitNumber(ext)
	case ext == 0 && base >= 0 && base <= 2:
		return SpeedSDR + base
	}
	return 0
}

// PortRate returns the rate code of the link at a port, from its PortInfo; 0 if width or speed is
// unknown.
func PortRate(portInfo []byte) uint8 {
	column, row := bitNumber(PortInfoWidthActive.Get(portInfo)), LinkSpeed(portInfo)
	if row >= len(rateOf) || column < 0 || column >= len(laneCounts) {
		return 0
	}
	return rateOf[row][column]
}

// bitNumber returns the number of the only bit set in v, else -1.
func bitNumber(v uint64) int {
	if bits.OnesCount64(v) != 1 {
		return -1
	}
	return bits.TrailingZeros64(v)
}

// DataVLs returns the number of data VLs for a code of VLCap or OperationalVLs, 0 for an invalid
// code.
func DataVLs(code uint64) uint8 {
	if code > 5 {
		return 0
	}
	return [...]uint8{0, 1, 2, 4, 8, 15}[code]
}

// MTUBytes returns the number of bytes for an MTU code, 0 for an invalid code.
func MTUBytes(code uint8) int {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}

// LifeTimeNanos returns the time for the code of a packet life time, a response time or a subnet
// timeout: 4.096 us * 2^code, in nanoseconds. Codes have up to six bits; above 50 the result is
// capped at the value for 50, more than 50 days.
func LifeTimeNanos(code uint8) int64 { return 4096 << min(code, 50) }
