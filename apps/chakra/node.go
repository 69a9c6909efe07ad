package chakra

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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

// node is an operation of a trace.
type node struct {
	id       uint64
	name     string
	kind     uint64
	deps     []uint64
	duration uint64 // microseconds
	numbers  map[string]int64
	texts    map[string]string
	partial  bool // involved_dim leaves a dimension out
}

// longest is the size of a message that is believed: larger ones come from another kind of file.
const longest = 1 << 26

// readFile reads the nodes of a rank.
func readFile(in io.Reader) (nodes []node, err error) {
	b := bufio.NewReader(in)
	for number := 0; ; number++ {
		length, err := binary.ReadUvarint(b)
		if errors.Is(err, io.EOF) && number > 0 {
			return nodes, nil
		}
		if err == nil && length > longest {
			err = fmt.Errorf("%d bytes are too many", length)
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w: a Chakra trace without compression is expected", number, err)
		}
		data := make([]byte, length)
		if _, err := io.ReadFull(b, data); err != nil {
			return nil, fmt.Errorf("message %d: the file ends within it", number)
		}
		if number == 0 {
			continue // the metadata
		}
		n := node{numbers: map[string]int64{}, texts: map[string]string{}}
		if err := fields(data, n.set); err != nil {
			return nil, fmt.Errorf("message %d: %w", number, err)
		}
		nodes = append(nodes, n)
	}
}

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
func (n *node) set(f field) error {
	switch f.number {
	case 1:
		n.id = f.value
	case 2:
		n.name = string(f.bytes)
	case 3:
		n.kind = f.value
	case 4, 5:
		return n.depend(f)
	case 7:
		n.duration = f.value
	case 10:
		return n.attribute(f.bytes)
	}
	return nil
}

// depend takes dependencies: one, or several in a row.
func (n *node) depend(f field) error {
	if !f.isText {
		n.deps = append(n.deps, f.value)
		return nil
	}
	for data := f.bytes; len(data) > 0; {
		id, size := protowire.ConsumeVarint(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		n.deps, data = append(n.deps, id), data[size:]
	}
	return nil
}

// attribute takes an attribute: a name and a value.
func (n *node) attribute(data []byte) error {
	name := ""
	return fields(data, func(f field) error {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 7, 9, 11, 13, 27: // int32, int64, uint32, uint64, bool
			n.numbers[name] = int64(f.value)
		case 15, 17: // sint32, sint64
			n.numbers[name] = protowire.DecodeZigZag(f.value)
		case 29:
			n.texts[name] = string(f.bytes)
		case 28:
			if name == "involved_dim" {
				return fields(f.bytes, func(v field) error {
					n.partial = n.partial || !v.isText && v.value == 0
					for _, b := range v.bytes {
						n.partial = n.partial || b == 0
					}
					return nil
				})
			}
		}
		return nil
	})
}
