package planfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"weft/fabric"
	"weft/route"
)

// Load reads a Plan that Save wrote and binds it to g. It fails with a *BindError
// when g has not exactly the switches and end ports of the Plan. Memory stays in
// proportion to g and to what the body really holds, whatever the header says.
func Load(r io.Reader, g *fabric.Graph) (*route.Plan, error) {
	p, _, err := load(r, g)
	return p, err
}

// LoadAlone reads a Plan that Save wrote, whatever it is for, with a Graph that has the
// switches and end ports of the Plan, by their GUIDs, and nothing else.
func LoadAlone(r io.Reader) (*route.Plan, *fabric.Graph, error) { return load(r, nil) }

// load reads a Plan and binds it to g, or to a Graph of its own if g is nil.
func load(r io.Reader, g *fabric.Graph) (*route.Plan, *fabric.Graph, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(buffered)
	if err != nil {
		return nil, nil, fmt.Errorf("route: plan file: header: %w", noEOF(err))
	}
	zip, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, nil, fmt.Errorf("route: plan file: body: %w", noEOF(err))
	}
	zip.Multistream(false)
	body := bufio.NewReaderSize(zip, 1<<16)
	d := planReader{r: body}
	p, g, err := d.plan(h, g)
	if err != nil {
		return nil, nil, err
	}
	if err := atEnd(body, buffered); err != nil {
		return nil, nil, fmt.Errorf("route: plan file: end: %w", err)
	}
	if err := p.Fits(g); err != nil {
		return nil, nil, err
	}
	return p, g, nil
}

// atEnd demands that the body and the file end here, and that the body's checksum is right.
func atEnd(body, file *bufio.Reader) error {
	for _, r := range [2]*bufio.Reader{body, file} {
		switch _, err := r.ReadByte(); {
		case err == nil:
			return errors.New("there is more than the plan")
		case err != io.EOF:
			return err
		}
	}
	return nil
}

// noEOF makes the end of the file an error that cannot be taken for a good end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func readHeader(r io.Reader) (*planHeader, error) {
	head := make([]byte, len(planMagic)+8)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if string(head[:len(planMagic)]) != planMagic {
		return nil, errors.New("not a plan file")
	}
	if v := binary.LittleEndian.Uint32(head[len(planMagic):]); v != planVersion {
		return nil, fmt.Errorf("version %d is unknown (known: %d): write the plan again with this weft", v, planVersion)
	}
	n := binary.LittleEndian.Uint32(head[len(planMagic)+4:])
	if n > maxHeader {
		return nil, fmt.Errorf("%d bytes are too many (at most %d)", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	var sum [4]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(append(head, text...)) != binary.LittleEndian.Uint32(sum[:]) {
		return nil, errors.New("wrong checksum")
	}
	var h planHeader
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, err
	}
	return &h, h.check()
}

// check refuses lengths that no Plan has.
func (h *planHeader) check() error {
	ok := h.Switches >= 0 && h.Hosts >= 0 && h.Blocks >= 1 && h.Blocks <= max16/route.BlockSize
	if h.SL != nil {
		ok = ok && inRange(h.SL.Sources) && inRange(h.SL.Destinations) && inRange(h.SL.LIDs)
	}
	for _, pool := range []*int{h.Pool, h.Arbitration, h.Ports} {
		ok = ok && (pool == nil || inRange(*pool))
	}
	ok = ok && inRange(h.Absent)
	if !ok {
		return errors.New("lengths out of range")
	}
	return nil
}

func inRange(n int) bool { return n >= 0 && n <= max16 }

// planReader reads sections. After the first error it delivers zeros, and err
// names the section.
type planReader struct {
	r       *bufio.Reader
	section string
	err     error
	buf     [8]byte
}

// full reads all of b, or zeros it.
func (d *planReader) full(b []byte) {
	if d.err == nil {
		if _, err := io.ReadFull(d.r, b); err != nil {
			d.err = fmt.Errorf("route: plan file: %s: %w", d.section, noEOF(err))
		}
	}
	if d.err != nil {
		clear(b)
	}
}

func (d *planReader) u8() uint8   { d.full(d.buf[:1]); return d.buf[0] }
func (d *planReader) u16() uint16 { d.full(d.buf[:2]); return binary.LittleEndian.Uint16(d.buf[:]) }
func (d *planReader) u32() uint32 { d.full(d.buf[:4]); return binary.LittleEndian.Uint32(d.buf[:]) }
func (d *planReader) u64() uint64 { d.full(d.buf[:8]); return binary.LittleEndian.Uint64(d.buf[:]) }

// plan reads the body. A nil g stands for the Graph of the Plan itself.
func (d *planReader) plan(h *planHeader, g *fabric.Graph) (*route.Plan, *fabric.Graph, error) {
	by, known := route.ParseChoiceBy(h.Choice)
	if !known {
		return nil, nil, fmt.Errorf("route: plan file: header: sources choose LIDs by an unknown rule, %q", h.Choice)
	}
	p := &route.Plan{Choice: route.Choice{By: by}, Recipe: h.Recipe, VLs: h.VLs, Service: route.Service{Default: h.DefaultSL, ReplySameSL: h.ReplySameSL}}
	own := g == nil
	if own {
		g = &fabric.Graph{}
	}
	if err := d.bind(h, g, own, &p.Ends); err != nil {
		return nil, nil, err
	}
	p.Tables = d.tables(h, g)
	if p.Choice.By == route.ListedLIDs {
		p.Choice = d.choice(g)
	}
	if h.SL != nil {
		p.SL = d.sl(h.SL, g)
	}
	if h.Pool != nil {
		p.SL2VL = d.sl2vl(*h.Pool, g)
	}
	if h.Arbitration != nil {
		p.Arbitration = d.arbitration(*h.Arbitration, g)
	}
	if h.Ports != nil {
		p.Ports = d.ports(*h.Ports, g)
	}
	p.Absent = d.absent(h.Absent)
	return p, g, d.err
}

func notInPlan(name string) error   { return &BindError{name, "is not in the plan"} }
func notInFabric(name string) error { return &BindError{name, "of the plan is not in the fabric"} }

func (d *planReader) tables(h *planHeader, g *fabric.Graph) *route.Tables {
	d.section = "tables"
	rows := make([][]*route.Block, 0, g.NumSwitches)
	for range g.NumSwitches {
		slab, row := make([]route.Block, h.Blocks), make([]*route.Block, h.Blocks)
		for i := range slab {
			d.full(slab[i][:])
			row[i] = &slab[i]
		}
		if rows = append(rows, row); d.err != nil {
			break
		}
	}
	return route.TablesOf(h.Blocks, rows)
}

func (d *planReader) choice(g *fabric.Graph) route.Choice {
	d.section = "choice"
	c := route.Choice{By: route.ListedLIDs, Start: make([]int32, g.NumEnds+1)}
	for s := range g.NumEnds {
		n := d.u32()
		if most := g.NumEnds << fabric.MaxLMC; int(n) > most && d.err == nil {
			d.err = fmt.Errorf("route: plan file: choice: %s has %d rows (at most %d)", route.EndName(g, int32(s)), n, most)
		}
		for ; n > 0 && d.err == nil; n-- {
			c.Target = append(c.Target, int32(d.u32()))
			c.Offset = append(c.Offset, d.u8())
		}
		c.Start[s+1] = int32(len(c.Target))
	}
	return c
}

func (d *planReader) sl(h *slHeader, g *fabric.Graph) *route.SLs {
	d.section = "SL"
	return &route.SLs{
		Src: d.int32s(g.NumEnds), Dst: d.int32s(h.LIDs), NumSrc: h.Sources, NumDst: h.Destinations,
		Cells: d.bytes(h.Destinations * ((h.Sources + 1) / 2)),
	}
}

func (d *planReader) sl2vl(pool int, g *fabric.Graph) *route.SL2VL {
	d.section = "SL2VL"
	m := &route.SL2VL{Pool: make([]route.VLTable, pool), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	for i := range m.Pool {
		d.full(m.Pool[i][:])
	}
	m.Host = d.u16s(g.NumHosts)
	for s := range m.Switch {
		by := route.SL2VLBy(d.u8())
		n, ok := by.Tables(g.SwitchPorts[s])
		if !ok && d.err == nil {
			d.err = fmt.Errorf("route: plan file: SL2VL: %s chooses tables in way %d", route.SwitchName(g, int32(s)), by)
		}
		if d.err != nil {
			break
		}
		m.Switch[s] = route.SwitchSL2VL{By: by, Index: d.u16s(n)}
	}
	return m
}

func (d *planReader) absent(n int) (ports []route.Absent) {
	d.section = "absent"
	for ; n > 0 && d.err == nil; n-- {
		ports = append(ports, route.Absent{Node: fabric.GUID(d.u64()), Port: d.u8(), Base: fabric.LID(d.u16()), LMC: d.u8()})
	}
	return ports
}

// bytes reads n bytes, and takes memory only for what is there.
func (d *planReader) bytes(n int) []byte {
	const step = 1 << 20
	b := make([]byte, 0, min(n, step))
	for len(b) < n && d.err == nil {
		lo := len(b)
		b = append(b, make([]byte, min(n-lo, step))...)
		d.full(b[lo:])
	}
	return b
}

func (d *planReader) int32s(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(d.u32())
	}
	return v
}

func (d *planReader) u16s(n int) []uint16 {
	v := make([]uint16, n)
	for i := range v {
		v[i] = d.u16()
	}
	return v
}
