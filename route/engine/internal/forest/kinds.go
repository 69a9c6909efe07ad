package forest

import "weft/route"

// kindLoads are the loads by kind of the hosts that paths lead to, kept beside those of all.
// A destination's kinds choose one after the other, the smallest first. A hop costs twice the
// load of all hosts, and the load of the kind times the inverse of its share of the hosts. So where
// all carry the same the kind decides, and hosts of the next kind take the hops that are left.
type kindLoads struct {
	in    *route.Input
	own   [][]int64 // by kind, position in Out; nil where all hosts are alike
	price []int64   // by kind: what a path to a host of it costs beyond 2*wholePrice, the more the fewer they are
}

// wholePrice is the price of a kind that all hosts are of.
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
	k.own[0] = make([]int64, channels) // of LIDs that are no base LIDs, where only all count
	for kind := 1; kind <= n; kind++ {
		k.own[kind] = make([]int64, channels)
		k.price[kind] = wholePrice * int64(len(in.Kinds)) / max(hosts[kind], 1)
	}
	return k
}

// kindOf returns the kind of the host that a column of base LIDs leads to.
func (b *builder) kindOf(col int) uint8 {
	if b.own == nil {
		return 0
	}
	return b.in.KindOf(b.Ports[col].End)
}

// cost returns what a path to a host of a kind adds to a load.
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
