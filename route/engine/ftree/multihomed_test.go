package ftree

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/judge/conformance"
	"weft/route"
)

// manyPartners is leaves under spines with one host of two ports for every two of the
// leaves, and some links missing: while one leaf is in hand, the ways to all others are
// wanted too.
func manyPartners(t *testing.T, leaves, spines int) *fabric.Graph {
	t.Helper()
	b := &conformance.Builder{F: fabric.New(fmt.Sprintf("%d leaves, all paired", leaves))}
	var low, high []fabric.NodeID
	for range leaves {
		low = append(low, b.Switch())
	}
	for range spines {
		high = append(high, b.Switch())
	}
	for i, l := range low {
		for j, s := range high {
			if (i+2*j)%7 != 0 {
				b.Link(l, s)
			}
		}
	}
	for i := range low {
		for j := range i {
			host, err := b.F.AddNode(fabric.CA, fabric.GUID(0x10000+i*leaves+j), 2, fmt.Sprintf("host %d-%d", i, j))
			if err != nil {
				t.Fatal(err)
			}
			b.Link(host, low[i])
			b.Link(host, low[j])
		}
	}
	return b.F.Compile()
}

// TestManyPartners: all of it is proven, though more leaves are wanted at a time than finder
// remembers.
func TestManyPartners(t *testing.T) {
	g := manyPartners(t, 2*targetsKept, 6)
	for _, balance := range []string{auto, zahavi, beft} {
		for _, homes := range []string{mftree, standby} {
			o := "balance=" + balance + " multihomed=" + homes
			if r := judged(t, g, routed(t, g, o)); !r.OK {
				t.Errorf("%s: unreachable %d, loops %d, deadlock-free %v", o, r.Unreachable, r.Loops, r.DeadlockFree)
			}
		}
	}
}

// TestManyKinds: with as many kinds of hosts as there may be, and ports balanced by themselves,
// the kinds of one are not those of another.
func TestManyKinds(t *testing.T) {
	g := graph(t, "rlft(4,2)|ports(2)")
	for _, n := range []uint8{1, 2, 3, fabric.MaxKinds} {
		in := &route.Input{Graph: g, Kinds: make([]uint8, g.NumHosts)}
		for h := range in.Kinds {
			in.Kinds[h] = uint8(h)%n + 1
		}
		in.Kinds[0] = n
		k := newHostKinds(in, standby)
		of := map[uint8]uint8{}
		for h, kind := range in.Kinds {
			mine := k.kindOf(int32(h))
			if old, known := of[mine]; known && old != kind {
				t.Errorf("%d kinds: %d and %d are both %d", n, old, kind, mine)
			}
			if of[mine] = kind; int(k.portRank[h]) >= k.perType || mine >= k.switchKind() {
				t.Errorf("%d kinds: host %d is of kind %d of %d, %d of %d of its type", n, h, mine, k.switchKind(), k.portRank[h], k.perType)
			}
		}
	}
}
