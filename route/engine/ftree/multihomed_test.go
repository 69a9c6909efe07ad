package ftree

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/conformance"
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

// TestManyTypes: as many types as there is room for are routed, more are refused, and with
// ports balanced by themselves the kinds of one type are not those of another.
func TestManyTypes(t *testing.T) {
	g := graph(t, "rlft(4,2)|ports(2)")
	for _, n := range []int{1, maxKinds/2 - 1, maxKinds / 2, maxKinds - 1, maxKinds, 300} {
		types := strings.TrimSuffix(strings.Repeat("none;", n), ";")
		plan, err := attempt(t, g, "multihomed=standby types="+types)
		if no, ok := errors.AsType[*route.Refusal](err); ok != (n >= maxKinds) || err != nil && !ok {
			t.Errorf("%d types: %v (%v)", n, err, no)
		} else if err == nil && !judged(t, g, plan).OK {
			t.Errorf("%d types: not proven", n)
		}
		if n >= maxKinds {
			continue
		}
		k := newHostKinds(g, make([]string, n), standby)
		for h := range int32(g.NumHosts) {
			if int(k.portRank[h]) >= k.perType || k.kindOf(h) >= k.switchKind() {
				t.Errorf("%d types: host %d is of kind %d of %d, %d of %d of its type", n, h, k.kindOf(h), k.switchKind(), k.portRank[h], k.perType)
			}
		}
	}
}
