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

// Load reads a Plan written by Save and binds it to g. It fails with a *BindError unless g has
// exactly the switches and end ports of the Plan. Memory stays in proportion to g and to the real
// size of the body, whatever the header says.
func Load(r io.Reader, g *fabric.Graph) (*route.Plan, error) {
	p, _, err := load(r, g)
	return p, err
}

// Is reports whether data begin as a file of Save.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(planMagic)) }

// LoadAlone reads a Plan written by Save for any fabric. Its Graph has only the switches and end
// ports of the Plan, by their GUIDs, and the channels between them if the file has the links.
func LoadAlone(r io.Reader) (*route.Plan, *fabric.Graph, error) { return load(r, nil) }

// load reads a Plan and binds it to g, or to a Graph of its own if g is nil.
func load(r io.Reader, g *fabric.Graph) (*route.Plan, *fabric.Graph, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(buffered)
	if err != nil {
		return nil, nil, fmt.Errorf("route: plan file: header: %w", noEOF(err))
	}
	if h.Bare {
		return nil, nil, errors.New("route: plan file: header: it has no tables")
	}
	zip, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, nil, fmt.Errorf("route: plan file: body: %w", noEOF(err))
	}
	zip.Multistream(false)
	body := bufio.NewReaderSize(zip, 1<<16)
	c := coder{r: body}
	p, g, err := c.plan(h, g)
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

// atEnd requires that the body and the file end here, with the right checksum of the body.
func atEnd(body, file *bufio.Reader) error {
	for _, r := range [2]*bufio.Reader{body, file} {
		switch _, err := r.ReadByte(); {
		case err == nil:
			return errors.New("unknown data after the plan")
		case err != io.EOF:
			return err
		}
	}
	return nil
}

// noEOF replaces io.EOF, which callers may take for a good end.
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
		return nil, errors.New("not a plan file by weft route -o (tables of another subnet manager are for --lfts)")
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

// check refuses lengths that no Plan can have.
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

// plan reads the body. A nil g stands for the Plan's own Graph.
func (c *coder) plan(h *planHeader, g *fabric.Graph) (*route.Plan, *fabric.Graph, error) {
	by, known := route.ParseChoiceBy(h.Choice)
	if !known {
		return nil, nil, fmt.Errorf("route: plan file: header: sources choose LIDs by an unknown rule, %q", h.Choice)
	}
	p := &route.Plan{Choice: route.Choice{By: by}, Recipe: h.Recipe, VLs: h.VLs, Levels: h.Levels, JobLanes: h.JobLanes, Service: route.Service{Default: h.DefaultSL, ReplySameSL: h.ReplySameSL}}
	own := g == nil
	if own {
		g = &fabric.Graph{}
	}
	if err := c.bind(h, g, own, &p.Ends); err != nil {
		return nil, nil, err
	}
	if h.Links {
		if err := c.links(g, own); err != nil {
			return nil, nil, err
		}
	}
	p.Tables = c.readTables(h, g)
	if h.SL != nil {
		p.SL = &route.SLs{NumSrc: h.SL.Sources, NumDst: h.SL.Destinations, OneWay: !h.ReplySameSL}
	}
	if h.Pool != nil {
		p.SL2VL = &route.SL2VL{}
	}
	if h.Arbitration != nil {
		p.Arbitration = &route.VLArbitration{}
	}
	if h.Ports != nil {
		p.Ports = &route.Ports{}
	}
	c.parts(h, p, g)
	return p, g, c.err
}

func notInPlan(name string) error   { return &BindError{name, "is not in the plan"} }
func notInFabric(name string) error { return &BindError{name, "of the plan is not in the fabric"} }

func (c *coder) readTables(h *planHeader, g *fabric.Graph) *route.Tables {
	if h.Bare {
		return route.NewTables(g.NumSwitches, 0)
	}
	c.section = "tables"
	rows := make([][]*route.Block, 0, g.NumSwitches)
	for range g.NumSwitches {
		slab, row := make([]route.Block, h.Blocks), make([]*route.Block, h.Blocks)
		for i := range slab {
			c.bytes(slab[i][:])
			row[i] = &slab[i]
		}
		if rows = append(rows, row); c.err != nil {
			break
		}
	}
	return route.TablesOf(h.Blocks, rows)
}
