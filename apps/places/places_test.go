package places

import (
	"math"
	"testing"
)

// TestBetween: messages leave and arrive on ports of one plane, also if a server lacks a port.
func TestBetween(t *testing.T) {
	p := Places{Ports: [][]int32{{0, 1}, {2, 3}, {5}}, Server: []int32{0, 1, 2}, Plane: []int32{0, 1, 0, 1, 0, 1}}
	for _, c := range []struct {
		from, to int32
		nic      uint8
		src, dst int32
	}{
		{0, 1, 0, 0, 2},
		{0, 1, 1, 1, 3},
		{0, 1, 200, 0, 2},
		{0, 2, 0, 1, 5},
		{2, 0, 0, 5, 1},
		{2, 1, 7, 5, 3},
	} {
		if src, dst, local := p.Between(c.from, c.to, c.nic); src != c.src || dst != c.dst || local {
			t.Errorf("rank %d to %d by %d: port %d to %d, local %v", c.from, c.to, c.nic, src, dst, local)
		}
	}
	if _, _, local := p.Between(1, 1, 0); !local {
		t.Error("a message of a rank to itself leaves its machine")
	}
}

// TestMemory: latencies and rates that no machine has are refused, and no size overflows.
func TestMemory(t *testing.T) {
	for _, text := range []string{"", "500ns", "500ns,NaN", "500ns,0", "-1ns,200", "2h,200", "500ns,1e300", "500,200"} {
		if m, err := ParseMemory(text); err == nil {
			t.Errorf("%q is %v", text, m)
		}
	}
	m, err := ParseMemory("500ns,200")
	if err != nil || m.Picoseconds(0) != 500_000 || m.Picoseconds(25) != 501_000 {
		t.Errorf("%v takes %d ps for 25 bytes (%v)", m, m.Picoseconds(25), err)
	}
	if ps := m.Picoseconds(math.MaxInt64); ps < 1<<60 {
		t.Errorf("2^63 bytes take %d ps", ps)
	}
}
