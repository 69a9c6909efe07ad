// Package planfile writes Plans to files and reads them.
package planfile

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"weft/fabric"
	"weft/route"
)

// A plan file holds a Plan and the GUIDs of what it is for. All numbers are little-endian.
//
//	"weftplan"          8 bytes
//	version             uint32, 2
//	length of header    uint32
//	header              JSON, see planHeader
//	checksum            uint32, CRC-32 (IEEE) of everything before
//	body                one gzip stream (with its own checksum), and nothing behind it
//
// The body holds these sections, without gaps; the header has the lengths.
//
//	switches   each: node GUID uint64, ports uint8, base LID uint16, LMC uint8
//	end ports  each CA or router port: node GUID uint64, port uint8, base LID uint16, LMC uint8
//	tables     by switch: blocks of 64 egress ports uint8
//	choice     by end port: rows uint32; each row: target uint32, offset uint8
//	           (only where sources choose by rows)
//	SL         class of each end port int32, class of each LID int32, cells uint8
//	SL2VL      pool: 16 VLs uint8; table of each host uint16;
//	           by switch: By uint8, tables uint16 (1, ports+1 or (ports+1)^2)
//	VL arbitr. pool: limit uint8, then high and low list: entries uint8, each VL uint8 and
//	           weight uint8; table of each host uint16; by switch and port uint16
//	ports      packet lifetime uint8; pool: MTU, VLs, head-of-queue lifetime, stall count
//	           uint8; parameters of each host uint16; by switch and port uint16
//	absent     each: node GUID uint64, port uint8, base LID uint16, LMC uint8
//
// All from choice on are there if the header says so. A header with a field that this
// version does not know is refused: a part of a Plan is never skipped. A Graph is in order of GUIDs, so
// the same switches and end ports have the same indices in every Graph; Load
// demands the same sets and answers a *BindError otherwise.
const (
	planMagic   = "weftplan"
	planVersion = 2
	maxHeader   = 1 << 20
	max16       = 1 << 16 // most LIDs, classes or SL2VL tables: 16 bits name them
)

// planHeader is the JSON header of a plan file.
type planHeader struct {
	Recipe      route.Recipe `json:"recipe"`
	VLs         int          `json:"vls"`
	DefaultSL   uint8        `json:"default_sl"`
	ReplySameSL bool         `json:"reply_same_sl"`
	Switches    int          `json:"switches"`
	Hosts       int          `json:"hosts"`  // CA and router ports
	Blocks      int          `json:"blocks"` // blocks of a forwarding table
	Choice      string       `json:"choice"` // rule by which sources choose LIDs
	SL          *slHeader    `json:"sl,omitempty"`
	Pool        *int         `json:"sl2vl_tables,omitempty"`          // tables in the pool
	Arbitration *int         `json:"vl_arbitration_tables,omitempty"` // tables in the pool
	Ports       *int         `json:"port_parameters,omitempty"`       // sets in the pool
	Absent      int          `json:"absent,omitempty"`                // ports whose LIDs wait for them
}

type slHeader struct {
	Sources      int `json:"source_classes"`
	Destinations int `json:"destination_classes"`
	LIDs         int `json:"lids"`
}

// BindError says that a saved Plan is for another fabric: the first switch or end
// port by which they differ.
type BindError struct {
	Name    string // what it is, by GUID
	Problem string
}

func (e *BindError) Error() string {
	return "route: the plan is for another fabric: " + e.Name + " " + e.Problem
}

// Save writes a Plan that was made for g. The same Plan gives the same bytes. It
// fails when a part of the Plan does not fit g; nothing is written then.
func Save(w io.Writer, g *fabric.Graph, p *route.Plan) error {
	if err := p.Fits(g); err != nil {
		return err
	}
	head, err := fileHeader(g, p)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("route: plan file: header: %w", err)
	}
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("route: plan file: %w", err)
	}
	e := planWriter{w: bufio.NewWriterSize(zip, 1<<16)}
	e.ends(g, &p.Ends)
	e.tables(p.Tables)
	if p.Choice.By == route.ListedLIDs {
		e.choice(&p.Choice)
	}
	if p.SL != nil {
		e.sl(p.SL)
	}
	if p.SL2VL != nil {
		e.sl2vl(p.SL2VL)
	}
	if p.Arbitration != nil {
		e.arbitration(p.Arbitration)
	}
	if p.Ports != nil {
		e.ports(p.Ports)
	}
	e.absent(p.Absent)
	if err := cmp.Or(e.err, e.w.Flush(), zip.Close()); err != nil {
		return fmt.Errorf("route: plan file: %w", err)
	}
	return nil
}

// fileHeader is everything before the body.
func fileHeader(g *fabric.Graph, p *route.Plan) ([]byte, error) {
	h := planHeader{
		Recipe: p.Recipe, VLs: p.VLs, DefaultSL: p.Service.Default, ReplySameSL: p.Service.ReplySameSL,
		Switches: g.NumSwitches, Hosts: g.NumHosts, Blocks: p.Tables.NumBlocks(), Choice: p.Choice.By.String(),
		Absent: len(p.Absent),
	}
	if p.SL != nil {
		h.SL = &slHeader{p.SL.NumSrc, p.SL.NumDst, len(p.SL.Dst)}
	}
	if p.SL2VL != nil {
		h.Pool = new(len(p.SL2VL.Pool))
	}
	if p.Arbitration != nil {
		h.Arbitration = new(len(p.Arbitration.Pool))
	}
	if p.Ports != nil {
		h.Ports = new(len(p.Ports.Pool))
	}
	text, err := json.Marshal(&h)
	if err != nil {
		return nil, fmt.Errorf("route: plan file: header: %w", err)
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("route: plan file: header: %d bytes are too many (at most %d): the recipe is too long", len(text), maxHeader)
	}
	var b bytes.Buffer
	b.WriteString(planMagic)
	b.Write(binary.LittleEndian.AppendUint32(nil, planVersion))
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	b.Write(text)
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b.Bytes())))
	return b.Bytes(), nil
}

// planWriter writes sections and keeps the first error.
type planWriter struct {
	w   *bufio.Writer
	err error
	buf [8]byte
}

func (e *planWriter) bytes(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *planWriter) u8(v uint8)   { e.bytes(append(e.buf[:0], v)) }
func (e *planWriter) u16(v uint16) { e.bytes(binary.LittleEndian.AppendUint16(e.buf[:0], v)) }
func (e *planWriter) u32(v uint32) { e.bytes(binary.LittleEndian.AppendUint32(e.buf[:0], v)) }
func (e *planWriter) u64(v uint64) { e.bytes(binary.LittleEndian.AppendUint64(e.buf[:0], v)) }

func (e *planWriter) int32s(v []int32) {
	for _, x := range v {
		e.u32(uint32(x))
	}
}

func (e *planWriter) ends(g *fabric.Graph, ends *route.Ends) {
	for s := range int32(g.NumSwitches) {
		e.u64(uint64(g.SwitchGUID[s]))
		e.u8(uint8(g.SwitchPorts[s]))
		e.name(ends, g.PortZero(s))
	}
	for h := range int32(g.NumHosts) {
		e.u64(uint64(g.EndNodeGUID[h]))
		e.u8(g.EndNum[h])
		e.name(ends, h)
	}
}

func (e *planWriter) name(ends *route.Ends, end int32) {
	e.u16(uint16(ends.Base[end]))
	e.u8(ends.LMC[end])
}

func (e *planWriter) tables(t *route.Tables) {
	for s := range int32(t.NumSwitches()) {
		for i := range t.NumBlocks() {
			e.bytes(t.Block(s, i)[:])
		}
	}
}

func (e *planWriter) choice(c *route.Choice) {
	for s := range len(c.Start) - 1 {
		lo, hi := c.Start[s], c.Start[s+1]
		e.u32(uint32(hi - lo))
		for i := lo; i < hi; i++ {
			e.u32(uint32(c.Target[i]))
			e.u8(c.Offset[i])
		}
	}
}

func (e *planWriter) sl(m *route.SLs) {
	e.int32s(m.Src)
	e.int32s(m.Dst)
	e.bytes(m.Cells)
}

func (e *planWriter) sl2vl(m *route.SL2VL) {
	for i := range m.Pool {
		e.bytes(m.Pool[i][:])
	}
	e.u16s(m.Host)
	for i := range m.Switch {
		e.u8(uint8(m.Switch[i].By))
		e.u16s(m.Switch[i].Index)
	}
}

func (e *planWriter) u16s(v []uint16) {
	for _, x := range v {
		e.u16(x)
	}
}

func (e *planWriter) absent(ports []route.Absent) {
	for _, a := range ports {
		e.u64(uint64(a.Node))
		e.u8(a.Port)
		e.u16(uint16(a.Base))
		e.u8(a.LMC)
	}
}
