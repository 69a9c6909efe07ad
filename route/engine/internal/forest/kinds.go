package forest

import "weft/route"

// kindLoads holds loads by kind of the destination hosts, beside the loads of all. A destination's
// kinds choose one after another, the smallest first. A hop costs twice the load of all hosts, plus
// the load of the kind times the inverse of its share of the hosts. So between equal total loads
// the kind decides, and hosts of the next kind take the remaining hops.
type kindLoads struct {
	in    *route.Input
	own   [][]int64 // by kind, position in Out; nil if all hosts are of one kind
	price []int64   // by kind: price of a path to one of its hosts beyond 2*wholePrice; more for a smaller kind
}

// wholePrice is the price of a kind that includes all hosts.
const wholePrice = 16

func newKindLoads(in *route.Input, channels int) kindLoads {
	k := kindLoads{in: in}
	n := in.NumKinds()
	if n == 0 {
		return k
	}
	k.own, k.price = make([][]int64, n+1), make([]int64, n+1)
	hosts := make([]int64, n+1)
	for _, kind := range in.Kinds {
		hosts[kind]++
	}
	k.own[0] = make([]int64, channels) // of other LIDs than base LIDs, for which only the total counts
	for kind := 1; kind <= n; kind++ {
		k.own[kind] = make([]int64, channels)
		k.price[kind] = wholePrice * int64(len(in.Kinds)) / max(hosts[kind], 1)
	}
	return k
}

// kindOf returns the kind of the host of a column of base LIDs.
func (b *builder) kindOf(col int) uint8 {
	if b.own == nil {
		return 0
	}
	return b.in.KindOf(b.Ports[col].End)
}

// cost returns the load of a path to a host of a kind.
func (k *kindLoads) cost(kind uint8) int64 {
	if k.own == nil {
		return 1
	}
	return 2*wholePrice + k.price[kind]
}

// count counts paths to a host of a kind on a channel.
func (k *kindLoads) count(kind uint8, i int32, paths int64) {
	if k.own != nil {
		k.own[kind][i] += paths
	}
}
