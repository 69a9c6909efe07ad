package packet

import (
	"math/bits"

	"weft/route"
)

// A link chooses twice: in each VL among the inputs of its switch (candidate), then among the VLs
// (turns).

// candidate chooses the input that sends next on a VL of a link. The choice stands even without
// credits for its packet.
func (s *Sim) candidate(sw, l int32, vl uint8) int32 {
	set := s.askers(l, vl)
	if !s.config.OldestFirst {
		return afterIn(set, s.turn[l*s.vls+int32(vl)])
	}
	oldest, input := Time(0), none
	for i := range members(set) {
		if came := s.firstOf(sw, i, l).came; input == none || came < oldest {
			oldest, input = came, i
		}
	}
	return input
}

// turns chooses the VL of a link that sends next (IBA volume 1, section 7.6.9). The zero value is
// ready for use.
type turns struct {
	last      uint8 // VL that sent last, if there is no table
	high, low place
	sent      int32 // blocks sent by the high-priority list since the low-priority list had its turn
}

// place is the position in a list of VL arbitration entries.
type place struct {
	at   uint8 // entry whose turn it is
	left int32 // blocks that the entry may still send
}

// next chooses among the ready VLs, a set that is not empty. ok is false if no entry of the table
// names one of them.
func (t *turns) next(table *route.ArbTable, ready uint16) (vl uint8, high, ok bool) {
	if table == nil {
		return after(ready, t.last), false, true
	}
	hi := t.high.find(table.High, ready)
	lo := t.low.find(table.Low, ready)
	if hi >= 0 && (lo < 0 || table.Limit == 255 || t.sent == 0 || t.sent < int32(table.Limit)*(4096/blockSize)) {
		return table.High[hi].VL, true, true
	}
	if lo < 0 {
		return 0, false, false
	}
	return table.Low[lo].VL, false, true
}

// take records that the VL chosen by next sends the given number of blocks.
func (t *turns) take(table *route.ArbTable, vl uint8, ready uint16, high bool, size int32) {
	switch {
	case table == nil:
		t.last = vl
	case high:
		t.high.take(table.High, ready, size)
		if t.sent += size; t.low.find(table.Low, ready) < 0 {
			t.sent = 0 // no low-priority VL is waiting
		}
	default:
		t.low.take(table.Low, ready, size)
		t.sent = 0
	}
}

// find returns the entry whose turn it is among the ready VLs, or -1.
func (l *place) find(entries []route.ArbEntry, ready uint16) int {
	for i := range len(entries) {
		at := (int(l.at) + i) % len(entries)
		if e := entries[at]; e.Weight > 0 && ready>>e.VL&1 != 0 {
			return at
		}
	}
	return -1
}

// take charges the entry chosen by find for the blocks sent. An entry may end its turn with a
// packet that is larger than its remaining blocks.
func (l *place) take(entries []route.ArbEntry, ready uint16, size int32) {
	at := l.find(entries, ready)
	if at != int(l.at) || l.left <= 0 {
		l.at, l.left = uint8(at), int32(entries[at].Weight)
	}
	if l.left -= size; l.left <= 0 {
		l.at = uint8((at + 1) % len(entries))
	}
}

// after returns the first member of a set after another number, cyclically.
func after(set uint16, last uint8) uint8 {
	if rest := set &^ (1<<(last+1) - 1); rest != 0 {
		return uint8(bits.TrailingZeros16(rest))
	}
	return uint8(bits.TrailingZeros16(set))
}

// afterIn returns the first member of a non-empty set after another number, cyclically.
func afterIn(set []uint64, last int32) int32 {
	w := int(last) >> 6
	if rest := set[w] &^ (2<<(last&63) - 1); rest != 0 {
		return int32(w<<6 + bits.TrailingZeros64(rest))
	}
	for range set {
		if w++; w == len(set) {
			w = 0
		}
		if set[w] != 0 {
			return int32(w<<6 + bits.TrailingZeros64(set[w]))
		}
	}
	panic("packet: an empty set of inputs")
}
