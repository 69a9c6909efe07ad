package chakra

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The types of nodes.
const (
	metadata   = 1
	load       = 2
	store      = 3
	compute    = 4
	send       = 5
	receive    = 6
	collective = 7
)

// node holds the attributes of an operation of a trace that a run needs. Absent ones have the value
// missing.
type node struct {
	id       uint64
	duration uint64 // microseconds
	size     int64  // comm_size
	peer     int64  // comm_dst or comm_src
	deps     int32  // of all nodes of the rank up to this one: the end of its own
	group    int32  // of a collective operation, by number
	tag      int32
	comm     int32 // comm_type
	kind     uint8
	onHost   bool // the CPU works, not the device
}

// missing is the value of an attribute that a node does not have.
const missing = math.MinInt32

// draft is a node while it is read.
type draft struct {
	node
	name, group []byte
	deps        []uint64
	kind        uint64
	src, dst    int64
	partial     bool // involved_dim leaves a dimension out
}

// rankNodes are the nodes of a rank.
type rankNodes struct {
	list []node
	deps []uint64 // of the first node, of the second one, and so on
}

// longest is the size of a message that is believed: larger ones come from another kind of file.
const longest = 1 << 26

// readFile reads the nodes of a rank, one after the other: the file may be larger than the memory.
func (t *trace) readFile(in io.Reader) (nodes rankNodes, err error) {
	b := bufio.NewReaderSize(in, 1<<16)
	var data []byte
	var d draft
	for number := 0; ; number++ {
		length, err := binary.ReadUvarint(b)
		if errors.Is(err, io.EOF) && number > 0 {
			return nodes, nil
		}
		if err == nil && length > longest {
			err = fmt.Errorf("%d bytes are too many", length)
		}
		if err != nil {
			return nodes, fmt.Errorf("message %d: %w: a Chakra trace without compression is expected", number, err)
		}
		data = slices.Grow(data[:0], int(length))[:length]
		if _, err := io.ReadFull(b, data); err != nil {
			return nodes, fmt.Errorf("message %d: the file ends within it", number)
		}
		if number == 0 {
			continue // the metadata
		}
		d = draft{deps: d.deps[:0], src: missing, dst: missing}
		d.size, d.comm = missing, missing
		if err := fields(data, d.set); err != nil {
			return nodes, fmt.Errorf("message %d: %w", number, err)
		}
		if err := d.finish(); err != nil {
			return nodes, fmt.Errorf("message %d, node %d %q: %w", number, d.id, d.name, err)
		}
		if len(d.deps) > math.MaxInt32-len(nodes.deps) {
			return nodes, fmt.Errorf("message %d: over %d dependencies", number, math.MaxInt32)
		}
		nodes.deps = append(nodes.deps, d.deps...)
		d.node.deps = int32(len(nodes.deps))
		if d.node.kind == collective {
			d.node.group = t.groupOf(d.group)
		}
		nodes.list = append(nodes.list, d.node)
	}
}

// finish checks a node that has been read, and completes it from its fields.
func (d *draft) finish() error {
	switch {
	case d.duration > math.MaxInt64/1000:
		return fmt.Errorf("duration %d us: no such thing", d.duration)
	case d.size < 0 && d.size != missing:
		return errors.New("comm_size is negative: no such thing")
	}
	if d.kind == collective && d.onHost && d.comm == missing {
		d.kind = compute // the call that launches the operation, which has a node of its own
	}
	peer, value := "comm_dst", d.dst
	switch d.kind {
	case metadata, compute:
	case load, store:
		d.onHost = true
	case collective:
		switch _, known := operations[d.comm]; {
		case d.comm == missing:
			return errors.New("it has no attribute comm_type")
		case !known:
			return fmt.Errorf("comm_type %d is not known, or cannot be run", d.comm)
		case d.partial:
			return errors.New("involved_dim leaves out a dimension: name its ranks by pg_name instead")
		}
	case receive:
		peer, value = "comm_src", d.src
		fallthrough
	case send:
		switch {
		case value == missing:
			return fmt.Errorf("it has no attribute %s", peer)
		case value != int64(int32(value)):
			return fmt.Errorf("%s: rank %d does not exist", peer, value)
		case d.size == missing:
			return errNoSize
		}
		d.peer = value
	default:
		return fmt.Errorf("type %d is not known: computations, loads, stores, messages and collective operations are", d.kind)
	}
	d.node.kind = uint8(d.kind)
	return nil
}

var errNoSize = errors.New("it has no attribute comm_size")

// field is a field of a message: a number or bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
	isText bool
}

// fields calls a function for each field of a message.
func fields(data []byte, set func(f field) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		f := field{number: int(number)}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
			f.isText = true
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := set(f); err != nil {
			return err
		}
	}
	return nil
}

// set takes a field of a node.
func (d *draft) set(f field) error {
	switch f.number {
	case 1:
		d.id = f.value
	case 2:
		d.name = f.bytes
	case 3:
		d.kind = f.value
	case 4, 5:
		return d.depend(f)
	case 7:
		d.duration = f.value
	case 10:
		return d.attribute(f.bytes)
	}
	return nil
}

// depend takes dependencies: one, or several in a row.
func (d *draft) depend(f field) error {
	if !f.isText {
		d.deps = append(d.deps, f.value)
		return nil
	}
	for data := f.bytes; len(data) > 0; {
		id, size := protowire.ConsumeVarint(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		d.deps, data = append(d.deps, id), data[size:]
	}
	return nil
}

// attribute takes an attribute: a name and a value.
func (d *draft) attribute(data []byte) error {
	var name []byte
	return fields(data, func(f field) error {
		switch f.number {
		case 1:
			name = f.bytes
		case 7, 9, 11, 13, 27: // int32, int64, uint32, uint64, bool
			d.take(name, int64(f.value))
		case 15, 17: // sint32, sint64
			d.take(name, protowire.DecodeZigZag(f.value))
		case 29:
			if string(name) == "pg_name" {
				d.group = f.bytes
			}
		case 28:
			if string(name) == "involved_dim" {
				return fields(f.bytes, func(v field) error {
					d.partial = d.partial || !v.isText && v.value == 0
					for _, b := range v.bytes {
						d.partial = d.partial || b == 0
					}
					return nil
				})
			}
		}
		return nil
	})
}

// take takes the value of an attribute that is a number.
func (d *draft) take(name []byte, value int64) {
	switch string(name) {
	case "is_cpu_op":
		d.onHost = value != 0
	case "comm_type":
		d.comm = int32(max(-1, min(value, math.MaxInt32)))
	case "comm_size":
		d.size = max(-1, value)
	case "comm_src":
		d.src = value
	case "comm_dst":
		d.dst = value
	case "comm_tag":
		d.tag = int32(value & 0x7fffff)
	}
}
