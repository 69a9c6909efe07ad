// Package rounds prices packets that meet on a link in all-to-all by shifts: in each round every
// host sends to the host a fixed number of places after it, and the most loaded link sets the pace.
//
// A packet costs the sixth power of its link's new share of the round's largest load. So paths
// avoid links near that load, and others hardly count.
package rounds

const (
	// ShareUnit is the largest load of a round in units of a link's share, which counts up to twice
	// that load.
	ShareUnit = 16
	// PacketPrice is the price of a packet that makes a link as loaded as the most loaded one of
	// the round.
	PacketPrice = 256
)

// prices holds the price of a packet by its link's new share of the largest load.
var prices = func() (list [2*ShareUnit + 1]uint16) {
	for share := range list {
		price := PacketPrice
		for range 6 {
			price *= share
		}
		list[share] = uint16(price >> 24) // ShareUnit to the sixth power
	}
	return list
}()

// Scale returns Price's factor for the loads of a round, from the round's largest load.
func Scale(largest int64) int64 { return ShareUnit << 16 / largest }

// Price returns the price of a packet on a link with the given load, including the packet, in a
// round of this scale.
func Price(load, scale int64) uint16 { return PriceOfShare(load * scale >> 16) }

// PriceOfShare returns the price of a packet on a link with the given share of the largest load,
// including the packet; ShareUnit is all of it.
func PriceOfShare(share int64) uint16 { return prices[min(share, 2*ShareUnit)] }

// FirstRound returns the first of the n consecutive rounds that n hosts use to send to the place
// to. The hosts are at consecutive places from first on, out of places.
func FirstRound(first, n, to, places int32) int32 { return (to - first - n + 1 + places) % places }

// Cells returns the cells of n rounds from one on, in two parts if they wrap around.
func Cells[T any](cells []T, round, n int32) (now, later []T) {
	if rest := round + n - int32(len(cells)); rest > 0 {
		return cells[round:], cells[:rest]
	}
	return cells[round : round+n], nil
}
