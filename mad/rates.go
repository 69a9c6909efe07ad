package mad

// rates are the codes of a path's rate: not ordered by value.
var rates = [...]struct {
	mbps int32
	name string
}{
	2:  {2500, "2.5 Gb/s"},
	3:  {10000, "10 Gb/s"},
	4:  {30000, "30 Gb/s"},
	5:  {5000, "5 Gb/s"},
	6:  {20000, "20 Gb/s"},
	7:  {40000, "40 Gb/s"},
	8:  {60000, "60 Gb/s"},
	9:  {80000, "80 Gb/s"},
	10: {120000, "120 Gb/s"},
	11: {14000, "14 Gb/s"},
	12: {56000, "56 Gb/s"},
	13: {112000, "112 Gb/s"},
	14: {168000, "168 Gb/s"},
	15: {25000, "25 Gb/s"},
	16: {100000, "100 Gb/s"},
	17: {200000, "200 Gb/s"},
	18: {300000, "300 Gb/s"},
	19: {28000, "28 Gb/s"},
	20: {50000, "50 Gb/s"},
	21: {400000, "400 Gb/s"},
	22: {600000, "600 Gb/s"},
	23: {800000, "800 Gb/s"},
	24: {1200000, "1200 Gb/s"},
}

var rateNames = func() (names []named) {
	for code, r := range rates {
		if r.mbps > 0 {
			names = append(names, named{uint64(code), r.name})
		}
	}
	return names
}()

// RateMbps is the signalling rate in Mbit/s that a rate code stands for, 0 for a
// code without meaning. Codes are not ordered: compare these.
func RateMbps(code uint8) int32 {
	if int(code) >= len(rates) {
		return 0
	}
	return rates[code].mbps
}

// rateOf is the rate code by speed (rows: SDR, DDR, QDR, FDR, EDR, HDR, NDR) and
// width (columns: the bit numbers of LinkWidthActive: 1x, 4x, 8x, 12x, 2x).
var rateOf = [7][5]uint8{
	{2, 3, 6, 4, 5},
	{5, 6, 7, 8, 3},
	{3, 7, 9, 10, 6},
	{11, 12, 13, 14, 19},
	{15, 16, 17, 18, 20},
	{20, 17, 21, 22, 16},
	{16, 21, 23, 24, 17},
}

// PortRate is the rate code of the link at a port, from its PortInfo:
// LinkSpeedExtActive wins over LinkSpeedActive unless it is 0. It is 0 when
// width or speed is not one of those known.
func PortRate(portInfo []byte) uint8 {
	column := bitNumber(PortInfoWidthActive.Get(portInfo))
	row := bitNumber(PortInfoSpeedActive.Get(portInfo))
	if ext := PortInfoSpeedExtActive.Get(portInfo); ext != 0 {
		row = 3 + bitNumber(ext)
		if bitNumber(ext) < 0 {
			return 0
		}
	} else if row > 2 {
		return 0
	}
	if row < 0 || row >= len(rateOf) || column < 0 || column >= len(rateOf[0]) {
		return 0
	}
	return rateOf[row][column]
}

// bitNumber is the number of the only bit that is set in v, else -1.
func bitNumber(v uint64) int {
	if v == 0 || v&(v-1) != 0 {
		return -1
	}
	n := 0
	for v>>n != 1 {
		n++
	}
	return n
}

// MTUBytes is the number of bytes that an MTU code stands for, 0 for a code
// without meaning.
func MTUBytes(code uint8) int {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}

// LifeTimeNanos is the time that the code of a packet life time, a response time
// or a subnet timeout stands for: 4.096 us * 2^code, in nanoseconds. Codes have
// up to six bits; beyond 50 the result is that of 50, more than 50 days.
func LifeTimeNanos(code uint8) int64 { return 4096 << min(code, 50) }
