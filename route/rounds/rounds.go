// Package rounds prices packets that meet on a link in all-to-all by shifts: in each round every host sends to the one that is so
// many places after it, and the most loaded link sets the pace.
//
// A packet costs the sixth power of the share of the round's largest load that its link then has. So links near that load are
// avoided, and others hardly count.
package rounds

const (
	// ShareUnit is the number of parts of the largest load of a round in which the share of a link is counted, up to twice that load.
	ShareUnit = 16
	// PacketPrice is the price of a packet that makes a link as loaded as the most loaded one of the round.
	PacketPrice = 256
)

// prices of packets, by the share of the largest load that the link has then.
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

// Scale returns by what Price multiplies the loads of a round whose largest is so much.
func Scale(largest int64) int64 { return ShareUnit << 16 / largest }

// Price returns the price of a packet on a link that has such a load with it, in a round of this scale.
func Price(load, scale int64) uint16 { return PriceOfShare(load * scale >> 16) }

// PriceOfShare returns the price of a packet on a link that has such a share of the largest load with it; ShareUnit is all of it.
func PriceOfShare(share int64) uint16 { return prices[min(share, 2*ShareUnit)] }

// FirstRound returns the first of the n rounds, one after the other, in which n hosts send to the place to. The hosts are at places one
// after the other from first on; there are so many places in all.
func FirstRound(first, n, to, places int32) int32 { return (to - first - n + 1 + places) % places }

// Cells returns the cells of n rounds from one on, in two parts where the first round follows the last one.
func Cells[T any](cells []T, round, n int32) (now, later []T) {
	if rest := round + n - int32(len(cells)); rest > 0 {
		return cells[round:], cells[:rest]
	}
	return cells[round : round+n], nil
}
