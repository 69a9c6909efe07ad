package check

import (
	"math"

	"weft/fabric"
	"weft/route"
)

// columns holds the entries of one block of LIDs of all switches, by LID, then switch. (The tables
// order them by switch, then LID.)
type columns struct {
	tables   *route.Tables
	switches int
	stride   int // of a column
	ports    []uint8
	block    int // of LIDs
	loaded   int // block in ports, -1 at first
}

func newColumns(t *route.Tables, switches int) columns {
	// An odd number of cache lines keeps the columns out of each other's way.
	stride := ((switches+63)/64 | 1) * 64
	return columns{tables: t, switches: switches, stride: stride, ports: make([]uint8, route.BlockSize*stride), loaded: -1}
}

// load fetches the block, unless it has done so.
func (c *columns) load() {
	block := c.block
	if c.loaded == block {
		return
	}
	c.loaded = block
	for s := range c.switches {
		at := s
		for _, port := range c.tables.BlockOrEmpty(int32(s), block) {
			c.ports[at] = port
			at += c.stride
		}
	}
}

// of returns the entries of a LID of the block by switch.
func (c *columns) of(lid fabric.LID) []uint8 {
	c.load()
	at := int(lid) % route.BlockSize * c.stride
	return c.ports[at : at+c.switches]
}

// hop is the next step of packets to a LID from a switch, with their SLs. Forwarding needs all
// these fields, so they lie together.
type hop struct {
	next int32 // the next switch, or the end of the way; in portMap -1 for nothing, -2-h for host h
	out  int32 // channel to it, -1 when none
	row  int64 // deps.row of that channel
	rank int32 // deps.rank of it
	// Traffic that passes or starts at the switch: pairs of hosts, and a mask of SLs.
	pairs int32
	sls   uint64
}

// portMap maps each port of each switch to its neighbour.
type portMap struct {
	hops []hop // by port slot (Graph.PortStart), with no SLs on it
	of   []slots
}

// slots holds the port slots of a switch, and the capacity of its table in LIDs.
type slots struct{ first, end, lids int32 }

func newPortMap(g *fabric.Graph, d *deps) *portMap {
	m := &portMap{hops: make([]hop, len(g.Attached)), of: make([]slots, g.NumSwitches)}
	for i, v := range g.Attached {
		if v >= 0 {
			m.hops[i] = hop{next: g.To[v], out: v, row: d.row[v], rank: d.rank[v]}
		} else {
			m.hops[i] = hop{next: v, out: -1}
		}
	}
	for s, first := range g.PortStart {
		m.of[s] = slots{first, first + g.SwitchPorts[s] + 1, g.SwitchFDBCap[s]}
		if g.SwitchFDBCap[s] <= 0 {
			m.of[s].lids = math.MaxInt32
		}
	}
	return m
}

// slot returns the slot of the port in a LID's entry, if the port and the table entry exist.
func (s *slots) slot(port uint8, lid fabric.LID) (i int32, ok bool) {
	i = s.first + int32(port)
	return i, port != route.NoPort && i < s.end && int32(lid) < s.lids
}
