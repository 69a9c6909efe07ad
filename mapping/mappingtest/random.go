package mappingtest

import (
	"fmt"
	"math/rand/v2"

	"weft/mapping"
)

// Random draws a connected network of 2 to maxSwitches switches with everything that makes mapping
// hard: parallel wires, loopback cables, unused ports, bridges, switches far from any host,
// switches with fewer ports than others.
func Random(seed uint64, maxSwitches int) *mapping.Network {
	r := rand.New(rand.NewPCG(seed, 0x5a4))
	switches := 2 + r.IntN(maxSwitches-1)
	hosts := max(2, switches/2) + r.IntN(2*switches)
	degree := make([]int32, switches)
	uneven := r.IntN(4) == 0
	for i := range degree {
		degree[i] = 8
		if uneven {
			degree[i] = 3 + r.Int32N(6)
		}
	}
	d := draw{rand: r, free: make([][]int32, switches), hosts: int32(hosts)}
	for s := range d.free {
		for _, p := range r.Perm(int(degree[s])) {
			d.free[s] = append(d.free[s], int32(p))
		}
	}
	// A tree: each switch on an earlier one, in some networks a near one.
	reach := 2 + r.IntN(switches)
	for s := 1; s < switches; s++ {
		t := s - 1 - r.IntN(min(s, reach))
		for len(d.free[t]) == 0 {
			t = (t + s - 1) % s
		}
		d.wire(s, t)
	}
	names := d.hang(hosts)
	// More wires, anywhere: parallel ones and loops among them.
	for range r.IntN(2*switches + 1) {
		s := r.IntN(switches)
		t := r.IntN(switches)
		if r.IntN(6) == 0 {
			t = s
		}
		if s != t && len(d.free[s]) > 0 && len(d.free[t]) > 0 || s == t && len(d.free[s]) > 1 {
			d.wire(s, t)
		}
	}
	n, err := mapping.New(names, degree, d.wires)
	if err != nil {
		panic(err) // the draw counts free ports
	}
	return n
}

type draw struct {
	rand  *rand.Rand
	free  [][]int32 // by switch
	hosts int32
	wires []mapping.Wire
}

// end takes a free port of a switch.
func (d *draw) end(s int) mapping.End {
	last := len(d.free[s]) - 1
	p := d.free[s][last]
	d.free[s] = d.free[s][:last]
	return mapping.End{Node: d.hosts + int32(s), Port: p}
}

func (d *draw) wire(s, t int) { d.wires = append(d.wires, mapping.Wire{d.end(s), d.end(t)}) }

// hang puts hosts on switches; up to half of the switches, and eight, are kept free of them. If
// large parts of a network are far from all hosts, the Berkeley algorithm takes exponentially many
// probes.
func (d *draw) hang(hosts int) []mapping.Host {
	switches := len(d.free)
	among := max((switches+1)/2, switches-d.rand.IntN(9))
	var names []mapping.Host
	for h := range hosts {
		s := d.rand.IntN(among)
		for range switches {
			if len(d.free[s]) > 0 {
				break
			}
			s = (s + 1) % switches
		}
		if len(d.free[s]) == 0 {
			break
		}
		d.wires = append(d.wires, mapping.Wire{{Node: int32(h)}, d.end(s)})
		names = append(names, mapping.Host{ID: 0x100 + uint64(h), Name: fmt.Sprintf("h%d", h)})
	}
	return d.renumber(names)
}

// renumber closes the gap between hosts and switches if ports ran out early.
func (d *draw) renumber(names []mapping.Host) []mapping.Host {
	gap := d.hosts - int32(len(names))
	for i := range d.wires {
		for k := range d.wires[i] {
			if d.wires[i][k].Node >= d.hosts {
				d.wires[i][k].Node -= gap
			}
		}
	}
	d.hosts -= gap
	return names
}
