package route

import (
	"slices"

	"weft/fabric"
)

// NoPort is the entry of a LID that a switch drops, as on the wire (IBA volume 1,
// section 14.2.5.10).
const NoPort uint8 = 255

// BlockSize is the number of LIDs in a block of a forwarding table, as in attribute
// LinearForwardingTable.
const BlockSize = 64

// Block is 64 consecutive entries of one switch's forwarding table.
type Block [BlockSize]uint8

// emptyBlock is shared by all blocks without entries.
var emptyBlock = (*Block)(slices.Repeat([]uint8{NoPort}, BlockSize))

// Tables are the forwarding tables of all switches: an output port by switch and LID. Blocks may be
// shared between Tables (Clone) and between switches (TablesOf); the first write to a shared block
// copies it. Several goroutines may read, or write different switches.
type Tables struct {
	blocks int        // blocks a switch
	rows   [][]*Block // by switch, then LID/64; never nil inside
	owned  [][]bool   // whether the block may be written in place
}

// NewTables makes tables for LIDs 0 to top with every entry NoPort. It allocates all blocks: one
// byte a switch and LID.
func NewTables(switches int, top fabric.LID) *Tables {
	n := int(top)/BlockSize + 1
	t := &Tables{blocks: n, rows: make([][]*Block, switches), owned: make([][]bool, switches)}
	for s := range t.rows {
		slab := make([]Block, n)
		t.rows[s] = make([]*Block, n)
		t.owned[s] = make([]bool, n)
		for b := range slab {
			slab[b] = *emptyBlock
			t.rows[s][b] = &slab[b]
			t.owned[s][b] = true
		}
	}
	return t
}

// TablesOf makes tables of so many blocks a switch, given by switch and LID/64. Equal blocks may be
// shared: each is copied before it is written.
func TablesOf(blocks int, rows [][]*Block) *Tables {
	t := &Tables{blocks: blocks, rows: rows, owned: make([][]bool, len(rows))}
	for s := range rows {
		t.owned[s] = make([]bool, blocks)
	}
	return t
}

// NumSwitches returns the number of switches.
func (t *Tables) NumSwitches() int { return len(t.rows) }

// Top returns the highest LID that the blocks cover.
func (t *Tables) Top() fabric.LID { return fabric.LID(t.blocks*BlockSize - 1) }

// NumBlocks returns the number of blocks a switch.
func (t *Tables) NumBlocks() int { return t.blocks }

// Block returns the entries of LIDs 64*i to 64*i+63 of switch s. It must not be written.
func (t *Tables) Block(s int32, i int) *Block { return t.rows[s][i] }

// BlockOrEmpty is Block, or an empty block beyond the last one and for switch -1.
func (t *Tables) BlockOrEmpty(s int32, i int) *Block {
	if s < 0 || i >= t.blocks {
		return emptyBlock
	}
	return t.rows[s][i]
}

// Port returns the output port of switch s for a LID, NoPort for none.
func (t *Tables) Port(s int32, lid fabric.LID) uint8 {
	b := int(lid) / BlockSize
	if b >= t.blocks {
		return NoPort
	}
	return t.rows[s][b][lid%BlockSize]
}

// Set changes one entry; it copies a shared block first. The LID must be at most Top. Set is not
// safe for concurrent use on one switch, except on different LIDs of tables by NewTables that were
// never cloned.
func (t *Tables) Set(s int32, lid fabric.LID, port uint8) {
	b := int(lid) / BlockSize
	if !t.owned[s][b] {
		own := *t.rows[s][b]
		t.rows[s][b] = &own
		t.owned[s][b] = true
	}
	t.rows[s][b][lid%BlockSize] = port
}

// SetRun changes the entries of consecutive LIDs, as Set does.
func (t *Tables) SetRun(s int32, lid fabric.LID, ports []uint8) {
	if len(ports) == 1 {
		t.Set(s, lid, ports[0])
		return
	}
	row, owned := t.rows[s], t.owned[s]
	for len(ports) > 0 {
		b := lid / BlockSize
		if !owned[b] {
			t.Set(s, lid, ports[0]) // makes the block writable
		}
		n := copy(row[b][lid%BlockSize:], ports)
		lid, ports = lid+fabric.LID(n), ports[n:]
	}
}

// ReadRun copies the entries of consecutive LIDs up to Top.
func (t *Tables) ReadRun(s int32, lid fabric.LID, ports []uint8) {
	if len(ports) == 1 {
		ports[0] = t.Port(s, lid)
		return
	}
	for len(ports) > 0 {
		n := copy(ports, t.rows[s][lid/BlockSize][lid%BlockSize:])
		lid, ports = lid+fabric.LID(n), ports[n:]
	}
}

// Clone returns tables that share every block with t until either of them writes it.
func (t *Tables) Clone() *Tables {
	c := &Tables{blocks: t.blocks, rows: make([][]*Block, len(t.rows)), owned: make([][]bool, len(t.rows))}
	for s := range t.rows {
		c.rows[s] = append([]*Block(nil), t.rows[s]...)
		c.owned[s] = make([]bool, t.blocks)
		clear(t.owned[s])
	}
	return c
}

// Hops walks the tables from switch s and counts the links to the end port of a LID, 0 for the
// switch's own port 0. ok is false if the packet is dropped, loops, or leaves by a dead port.
func (t *Tables) Hops(g *fabric.Graph, s int32, lid fabric.LID) (hops int, ok bool) {
	for ; hops <= g.NumSwitches; hops++ {
		port := t.Port(s, lid)
		if port == 0 {
			return hops, true
		}
		if port == NoPort {
			return hops, false
		}
		c, host := g.At(s, port)
		if host >= 0 {
			return hops + 1, true
		}
		if c < 0 {
			return hops, false
		}
		s = g.To[c]
	}
	return hops, false
}
