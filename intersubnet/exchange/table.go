package exchange

import (
	"encoding/binary"
	"errors"
	"hash/fnv"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/wire/mad"
)

// Table lists the GIDs whose packets leave a router through one of its ports.
type Table []Entry

// Entry says where packets for a GID go from a port.
type Entry struct {
	To       subnets.GID
	LID      fabric.LID
	SL       uint8
	Distance uint8 // routers behind this one
}

// encode writes a Table: entries of one prefix and distance together.
func (t Table) encode() (b []byte) {
	for i := 0; i < len(t); {
		end := i
		for end < len(t) && t[end].To.Prefix == t[i].To.Prefix && t[end].Distance == t[i].Distance {
			end++
		}
		b = binary.BigEndian.AppendUint64(b, uint64(t[i].To.Prefix))
		b = binary.BigEndian.AppendUint32(append(b, t[i].Distance), uint32(end-i))
		for ; i < end; i++ {
			b = binary.BigEndian.AppendUint64(b, uint64(t[i].To.GUID))
			b = append(binary.BigEndian.AppendUint16(b, uint16(t[i].LID)), t[i].SL)
		}
	}
	return b
}

// Sizes of the parts of an encoded table, in bytes.
const (
	sectionSize = 13
	entrySize   = 11
)

// decodeTable reads a Table that encode wrote.
func decodeTable(b []byte) (t Table, err error) {
	for len(b) > 0 {
		if len(b) < sectionSize || uint64(binary.BigEndian.Uint32(b[9:])) > uint64(len(b)-sectionSize)/entrySize {
			return nil, errors.New("the table is cut off")
		}
		prefix, distance, n := subnets.Prefix(binary.BigEndian.Uint64(b)), b[8], int(binary.BigEndian.Uint32(b[9:]))
		b = b[sectionSize:]
		for range n {
			e := Entry{subnets.GID{Prefix: prefix, GUID: fabric.GUID(binary.BigEndian.Uint64(b))}, fabric.LID(binary.BigEndian.Uint16(b[8:])), b[10], distance}
			if e.LID == 0 || e.LID > fabric.MaxUnicastLID || e.SL > 15 {
				return nil, errors.New("the table has an invalid LID or SL")
			}
			t = append(t, e)
			b = b[entrySize:]
		}
	}
	return t, nil
}

// versionOf is the version of a table: a hash of it, never 0.
func versionOf(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b)
	return max(1, h.Sum64())
}

// versioned holds the bytes of a whole note or table, and its version.
type versioned struct {
	version uint64
	bytes   []byte
}

// putBlock writes a block of it into an attribute.
func (h *versioned) putBlock(data []byte, number uint32) {
	mad.RouterBlockVersion.Put(data, h.version)
	mad.RouterBlockLength.Put(data, uint64(len(h.bytes)))
	block := mad.RouterBlockData.Get(data)
	clear(block)
	if at := uint64(number) * mad.RouterBlockSize; at < uint64(len(h.bytes)) {
		copy(block, h.bytes[at:])
	}
}

// blocks returns the number of blocks for some bytes: at least one.
func blocks(length int) int { return max(1, (length+mad.RouterBlockSize-1)/mad.RouterBlockSize) }

// partial is a note or a table with blocks still to come.
type partial struct {
	versioned
	prefix  uint64
	seen    []bool
	missing int
}

// take takes a block, and reports whether all are there.
func (g *partial) take(data []byte, number uint32) bool {
	prefix, version, length := mad.RouterBlockPrefix.Get(data), mad.RouterBlockVersion.Get(data), int(mad.RouterBlockLength.Get(data))
	if g.seen == nil || g.prefix != prefix || g.version != version || len(g.bytes) != length {
		n := blocks(length)
		*g = partial{versioned{version, make([]byte, length)}, prefix, make([]bool, n), n}
	}
	if int64(number) >= int64(len(g.seen)) {
		return false
	}
	if !g.seen[number] {
		g.seen[number] = true
		g.missing--
	}
	copy(g.bytes[int(number)*mad.RouterBlockSize:], mad.RouterBlockData.Get(data))
	return g.missing == 0
}
