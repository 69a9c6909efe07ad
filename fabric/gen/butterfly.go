package gen

import (
	"fmt"
	"slices"
	"strconv"

	"weft/fabric"
)

// butterfly builds the k-ary n-fly of Dally and Towles: n stages of k^(n-1) switches with 2k ports.
// Ports k+1 to 2k of a switch lead to the next stage, ports 1 to k back. From stage s, a switch
// leads to the switches with its own number to the base k but for digit s, counted from the left.
// Hosts are on both sides: on ports 1 to k of the first stage, and k+1 to 2k of the last. Cables
// carry both directions, so there are also paths within a side; the channels of the book are
// one-way.
func butterfly(a *args) (*fabric.Fabric, error) {
	k, n, hosts := a.int("k"), a.int("n"), a.int("hosts")
	wide := pow(k, n-1)
	if hosts < 0 {
		hosts = mul(2, mul(k, wide))
	}
	switches, links := mul(n, wide), mul(n-1, mul(k, wide))
	ports := mul(2, k)
	if err := (size{switches, ports, hosts, links + hosts}).fits(a.most); err != nil {
		return nil, err
	}
	if room := 2 * k * wide; hosts > room {
		return nil, fmt.Errorf("%d hosts do not fit: both sides together hold %d", hosts, room)
	}
	bu := newBuilder()
	stages := make([][]fabric.NodeID, n)
	for level := range ceil(n, 2) { // as in other networks, the switches nearest to hosts come first
		for _, s := range slices.Compact([]int{level, n - 1 - level}) {
			stages[s] = bu.addAll(wide, ports, "stage "+strconv.Itoa(s)+" switch")
		}
	}
	weight := wide // of the digit that stage s changes
	for s := range n - 1 {
		weight /= k
		for w, id := range stages[s] {
			digit := w / weight % k
			for x := range k {
				bu.link(id, k+1+x, stages[s+1][w+(x-digit)*weight], 1+digit)
			}
		}
	}
	bu.spread(stages[0], ceil(hosts, 2), 1)
	bu.spread(stages[n-1], hosts/2, k+1)
	return bu.done()
}
