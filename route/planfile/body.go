package planfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"weft/fabric"
	"weft/route"
)

// coder reads or writes the sections of a body. Each section has one function for both, so that
// reading matches writing. After the first error the coder reads zeros and writes nothing.
type coder struct {
	r       *bufio.Reader // nil to write
	w       *bufio.Writer // nil to read
	section string
	err     error
	buf     [8]byte
}

func (c *coder) reads() bool { return c.r != nil }

// bytes reads all of b, or zeros it after an error; or writes it.
func (c *coder) bytes(b []byte) {
	switch {
	case c.err != nil:
	case !c.reads():
		_, c.err = c.w.Write(b)
	default:
		if _, err := io.ReadFull(c.r, b); err != nil {
			c.fail("%w", noEOF(err))
		}
	}
	if c.reads() && c.err != nil {
		clear(b)
	}
}

// fail keeps the first error of a reader, with the name of the section.
func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("route: plan file: "+c.section+": "+format, args...)
	}
}

// number reads or writes an integer of so many bytes.
func number[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32](c *coder, v *T, size int) {
	if c.reads() {
		clear(c.buf[size:])
	} else {
		binary.LittleEndian.PutUint64(c.buf[:], uint64(*v))
	}
	c.bytes(c.buf[:size])
	if c.reads() {
		*v = T(binary.LittleEndian.Uint64(c.buf[:]))
	}
}

func u8[T ~uint8](c *coder, v *T)   { number(c, v, 1) }
func u16[T ~uint16](c *coder, v *T) { number(c, v, 2) }
func u64[T ~uint64](c *coder, v *T) { number(c, v, 8) }
func i32(c *coder, v *int32)        { number(c, v, 4) }

// list reads n items, and allocates only as it reads; or writes all.
func list[T any](c *coder, v *[]T, n int, item func(c *coder, v *T)) {
	if c.reads() && n > 0 {
		*v = make([]T, 0, min(n, 1<<16))
	}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reads() {
			*v = append(*v, *new(T))
		}
		item(c, &(*v)[i])
	}
}

// parts reads or writes the sections after the tables. A reader has made the parts empty.
func (c *coder) parts(h *planHeader, p *route.Plan, g *fabric.Graph) {
	if p.Choice.By == route.ListedLIDs {
		c.choice(&p.Choice, g)
	}
	if h.SL != nil {
		c.section = "SL"
		list(c, &p.SL.Src, g.NumEnds, i32)
		list(c, &p.SL.Dst, h.SL.LIDs, i32)
		c.cells(&p.SL.Cells, h.SL.Destinations*((h.SL.Sources+1)/2))
	}
	if h.Pool != nil {
		c.sl2vl(p.SL2VL, *h.Pool, g)
	}
	if h.Arbitration != nil {
		c.section = "VL arbitration"
		list(c, &p.Arbitration.Pool, *h.Arbitration, arbTable)
		c.perPort(&p.Arbitration.Host, &p.Arbitration.Switch, g)
	}
	if h.Ports != nil {
		c.section = "ports"
		u8(c, &p.Ports.PacketLife)
		list(c, &p.Ports.Pool, *h.Ports, portParams)
		c.perPort(&p.Ports.Host, &p.Ports.Switch, g)
	}
	c.section = "absent"
	list(c, &p.Absent, h.Absent, func(c *coder, a *route.Absent) { absent(c, a, h.AbsentGUIDs) })
}

// choice reads or writes rows of LIDs.
func (c *coder) choice(by *route.Choice, g *fabric.Graph) {
	c.section = "choice"
	if c.reads() {
		by.Start = make([]int32, g.NumEnds+1)
	}
	for s := range g.NumEnds {
		n := by.Start[s+1] - by.Start[s]
		i32(c, &n)
		if most := g.NumEnds << fabric.MaxLMC; uint32(n) > uint32(most) {
			c.fail("%s has %d rows (at most %d)", route.EndName(g, int32(s)), uint32(n), most)
		}
		for i := by.Start[s]; i < by.Start[s]+n && c.err == nil; i++ {
			if c.reads() {
				by.Target, by.Offset = append(by.Target, 0), append(by.Offset, 0)
			}
			i32(c, &by.Target[i])
			u8(c, &by.Offset[i])
		}
		if c.reads() {
			by.Start[s+1] = int32(len(by.Target))
		}
	}
}

// cells reads n bytes, and allocates only as it reads; or writes all.
func (c *coder) cells(b *[]byte, n int) {
	if !c.reads() {
		c.bytes(*b)
		return
	}
	const step = 1 << 20
	for len(*b) < n && c.err == nil {
		lo := len(*b)
		*b = append(*b, make([]byte, min(n-lo, step))...)
		c.bytes((*b)[lo:])
	}
}

func (c *coder) sl2vl(m *route.SL2VL, pool int, g *fabric.Graph) {
	c.section = "SL2VL"
	list(c, &m.Pool, pool, func(c *coder, t *route.VLTable) { c.bytes(t[:]) })
	list(c, &m.Host, g.NumHosts, u16)
	s := int32(0)
	list(c, &m.Switch, g.NumSwitches, func(c *coder, sw *route.SwitchSL2VL) {
		u8(c, &sw.By)
		n, ok := sw.By.Tables(g.SwitchPorts[s])
		if !ok {
			c.fail("%s chooses tables by unknown rule %d", fabric.SwitchName(g, s), sw.By)
		}
		list(c, &sw.Index, n, u16)
		s++
	})
}

// perPort reads or writes by port its index in a pool.
func (c *coder) perPort(host, sw *[]uint16, g *fabric.Graph) {
	list(c, host, g.NumHosts, u16)
	list(c, sw, route.SwitchPortCount(g), u16)
}

func arbTable(c *coder, t *route.ArbTable) {
	u8(c, &t.Limit)
	for _, entries := range [2]*[]route.ArbEntry{&t.High, &t.Low} {
		n := uint8(len(*entries))
		u8(c, &n)
		list(c, entries, int(n), func(c *coder, e *route.ArbEntry) {
			u8(c, &e.VL)
			u8(c, &e.Weight)
		})
	}
}

func portParams(c *coder, p *route.PortParams) {
	for _, v := range [...]*uint8{&p.MTU, &p.VLs, &p.HOQLife, &p.StallCount} {
		u8(c, v)
	}
}

// absent reads or writes a lost port. A file without port GUIDs may have one in place of the node's
// GUID, with port 0.
func absent(c *coder, a *route.Absent, guids bool) {
	if guids {
		u64(c, &a.GUID)
	}
	u64(c, &a.Node)
	u8(c, &a.Port)
	u16(c, &a.Base)
	u8(c, &a.LMC)
	if c.reads() && !guids && a.Port == 0 {
		a.GUID = a.Node
	}
}

// hasGUID reports whether the GUID of a lost port must be written: otherwise the reader can restore
// it.
func hasGUID(a route.Absent) bool {
	return a.Port > 0 && a.GUID != 0 || a.Port == 0 && a.GUID != a.Node
}
