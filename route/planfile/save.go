// Package planfile writes Plans to files and reads them. save.go describes the format; body.go
// reads and writes its sections, so a new section belongs there. A Plan file finds its fabric again
// by the GUIDs of switches and end ports (bind.go). bare.go leaves out tables and network, for
// standby managers.
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
	"slices"

	"weft/fabric"
	"weft/route"
)

// A plan file holds a Plan with the GUIDs of its fabric. All numbers are little-endian.
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
//	links      by switch: drained uint8; by switch and port, port 0 included, the other end of
//	           its cable int32: -1 none, -2-h CA or router port h, 256*s+p port p of switch s
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
//	absent     each: node GUID uint64, port uint8, base LID uint16, LMC uint8; with absent_guids before it
//	           the port GUID of each, uint64. Without, the GUID of a port 0 may be that of another port
//
// The links, and all from choice on, are present if the header says so. A reader refuses a header
// with an unknown field: it never skips a part of a Plan. A Graph is in order of GUIDs, so the same
// switches and end ports have the same indices in every Graph; Load requires the same sets and
// otherwise returns a *BindError. In the file of one of several subnets the order is that of their
// common Graph (subnets.Network.NamedGraph): LoadAlone takes any.
const (
	planMagic   = "weftplan"
	planVersion = 2
	maxHeader   = 1 << 20
	max16       = 1 << 16 // limit of LIDs, classes and SL2VL tables: 16 bits name them
)

// planHeader is the JSON header of a plan file.
type planHeader struct {
	Recipe      route.Recipe `json:"recipe"`
	VLs         int          `json:"vls"`
	DefaultSL   uint8        `json:"default_sl"`
	ReplySameSL bool         `json:"reply_same_sl"` // false: the SLs are one-way
	Switches    int          `json:"switches"`
	Hosts       int          `json:"hosts"`           // CA and router ports
	Links       bool         `json:"links,omitempty"` // the file holds the Plan's network
	Blocks      int          `json:"blocks"`          // blocks of a forwarding table
	Choice      string       `json:"choice"`          // rule by which sources choose LIDs
	SL          *slHeader    `json:"sl,omitempty"`
	Pool        *int         `json:"sl2vl_tables,omitempty"`          // tables in the pool
	Arbitration *int         `json:"vl_arbitration_tables,omitempty"` // tables in the pool
	Ports       *int         `json:"port_parameters,omitempty"`       // sets in the pool
	Absent      int          `json:"absent,omitempty"`                // lost ports with reserved LIDs
	AbsentGUIDs bool         `json:"absent_guids,omitempty"`          // the file holds their port GUIDs, as far as they are known

	Levels   []route.Level    `json:"levels,omitempty"`
	JobLanes []route.LaneCopy `json:"job_lanes,omitempty"`

	Bare bool `json:"bare,omitempty"` // without tables: see SaveBare
}

type slHeader struct {
	Sources      int `json:"source_classes"`
	Destinations int `json:"destination_classes"`
	LIDs         int `json:"lids"`
}

// BindError says that a saved Plan is for another fabric, with the first different switch or end
// port.
type BindError struct {
	Name    string // the switch or end port, by GUID
	Problem string
}

func (e *BindError) Error() string {
	return "route: the plan is for another fabric: " + e.Name + " " + e.Problem
}

// Save writes a Plan for g. The same Plan gives the same bytes. If a part of the Plan does not fit
// g, Save fails and writes nothing.
func Save(w io.Writer, g *fabric.Graph, p *route.Plan) error {
	if err := p.Fits(g); err != nil {
		return err
	}
	h := headerOf(g, p)
	head, err := h.encode()
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
	c := coder{w: bufio.NewWriterSize(zip, 1<<16)}
	c.writeEnds(g, &p.Ends)
	if h.Links {
		_ = c.links(g, false) // its error is c.err
	}
	c.writeTables(p.Tables)
	c.parts(h, p, g)
	if err := cmp.Or(c.err, c.w.Flush(), zip.Close()); err != nil {
		return fmt.Errorf("route: plan file: %w", err)
	}
	return nil
}

func headerOf(g *fabric.Graph, p *route.Plan) *planHeader {
	h := &planHeader{
		Recipe: p.Recipe, VLs: p.VLs, DefaultSL: p.Service.Default, ReplySameSL: p.Service.ReplySameSL,
		Switches: g.NumSwitches, Hosts: g.NumHosts, Blocks: p.Tables.NumBlocks(), Choice: p.Choice.By.String(),
		Absent: len(p.Absent), AbsentGUIDs: slices.ContainsFunc(p.Absent, hasGUID), Links: hasLinks(g), Levels: p.Levels, JobLanes: p.JobLanes,
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
	return h
}

// encode returns all bytes before the body.
func (h *planHeader) encode() ([]byte, error) {
	text, err := json.Marshal(h)
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

func (c *coder) writeEnds(g *fabric.Graph, ends *route.Ends) {
	for s := range int32(g.NumSwitches) {
		id := identity{g.SwitchGUID[s], uint8(g.SwitchPorts[s])}
		c.name(&id, &ends.Base[g.PortZero(s)], &ends.LMC[g.PortZero(s)])
	}
	for h := range g.NumHosts {
		id := hostOf(g, h)
		c.name(&id, &ends.Base[h], &ends.LMC[h])
	}
}

func (c *coder) writeTables(t *route.Tables) {
	for s := range int32(t.NumSwitches()) {
		for i := range t.NumBlocks() {
			c.bytes(t.Block(s, i)[:])
		}
	}
}
