package telemetry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// Frame is a round of readings. The totals of its Counts are 0.
type Frame struct {
	End      time.Time // of the round, to the millisecond
	Interval time.Duration
	perf.Reading
}

// version is the first byte of an encoded Frame, before compression.
const version = 1

// mostFrame bounds a decoded Frame: 49,151 LIDs with 254 ports each would fit with short names.
const mostFrame = 1 << 28

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // the options are right
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostFrame))
		if err != nil {
			panic(err) // the options are right
		}
		return d
	})
)

// nodeKey identifies a node of a Frame. Two nodes with the same GUID do not occur in a subnet, but
// a device may lie.
type nodeKey struct {
	typ, name string
	guid      fabric.GUID
}

// encoded holds the encoded ports of a Frame. The next Frame mostly has the same ports.
type encoded struct {
	ports []perf.Port
	data  []byte
}

// of returns ports in their encoded form. It encodes them if the last call had others.
func (e *encoded) of(ports []perf.Port) []byte {
	if len(ports) > 0 && len(ports) == len(e.ports) && &ports[0] == &e.ports[0] {
		return e.data
	}
	w := writer{nodes: map[nodeKey]uint64{}}
	for i := range ports {
		p := &ports[i]
		w.port(&p.Name)
		w.port(&p.Peer)
		w.number(uint64(max(0, p.Rate)))
	}
	e.ports, e.data = ports, w.data
	return e.data
}

// Encode appends a Frame in its stored form.
func (f *Frame) Encode(to []byte) []byte { return f.encode(to, new(encoded)) }

// encode appends a Frame in its stored form. last holds the ports of an earlier Frame.
func (f *Frame) encode(to []byte, last *encoded) []byte {
	ports := last.of(f.Ports)
	w := writer{data: make([]byte, 0, len(ports)+8*len(f.Counts)+32)}
	w.data = append(w.data, version)
	w.number(uint64(f.End.UnixMilli()))
	w.duration(f.Interval)
	w.number(uint64(len(f.Ports)))
	w.data = append(w.data, ports...)
	for i := range f.Counts {
		c := &f.Counts[i]
		w.duration(c.Took)
		if c.Took <= 0 {
			continue
		}
		w.duration(c.Age)
		mask := uint64(0)
		for n, grown := range c.Grown {
			if grown > 0 {
				mask |= 1 << n
			}
		}
		w.number(mask)
		for _, grown := range c.Grown {
			if grown > 0 {
				w.number(grown)
			}
		}
	}
	return encoder().EncodeAll(w.data, to)
}

// writer writes a Frame.
type writer struct {
	data  []byte
	nodes map[nodeKey]uint64 // numbers of those that are written, from 1 on
}

func (w *writer) number(n uint64) { w.data = binary.AppendUvarint(w.data, n) }

// duration writes milliseconds, rounded up: what took time must not look as if it took none.
func (w *writer) duration(d time.Duration) {
	w.number(uint64((max(0, d) + time.Millisecond - 1) / time.Millisecond))
}

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.data = append(w.data, s...)
}

// port writes the name of a port: the number of its node, 0 for a new one, and its own.
func (w *writer) port(p *fabric.PortName) {
	key := nodeKey{p.Type, p.Name, p.GUID}
	n, known := w.nodes[key]
	w.number(n)
	if !known {
		w.nodes[key] = uint64(len(w.nodes) + 1)
		w.data = binary.BigEndian.AppendUint64(w.data, uint64(p.GUID))
		w.text(p.Type)
		w.text(p.Name)
	}
	w.data = append(w.data, p.Port)
}

// errDamaged is the error of a Frame that is not one.
var errDamaged = errors.New("damaged")

// Decode reads a stored Frame.
func Decode(data []byte) (*Frame, error) {
	plain, err := decoder().DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	r := reader{data: plain}
	if v := r.byte(); v != version {
		return nil, fmt.Errorf("version %d, which this weft does not know", v)
	}
	f := &Frame{End: time.UnixMilli(int64(r.number(math.MaxInt64 / 2))), Interval: r.duration()}
	n := r.number(uint64(len(r.data))) // each port takes more than a byte
	if r.bad {
		return nil, errDamaged
	}
	f.Ports = make([]perf.Port, n)
	for i := range f.Ports {
		f.Ports[i] = perf.Port{Name: r.port(), Peer: r.port(), Rate: int32(r.number(math.MaxInt32))}
		if r.bad {
			return nil, errDamaged
		}
	}
	f.Counts = make([]perf.Counts, n)
	none := new(perf.Growth)
	for i := range f.Counts {
		c := &f.Counts[i]
		c.Growth = none
		if c.Took = r.duration(); c.Took == 0 {
			continue
		}
		c.Age = r.duration()
		mask := r.number(1<<mad.NumCounters - 1)
		if mask != 0 {
			c.Growth = new(perf.Growth)
		}
		for n := range c.Grown {
			if mask>>n&1 == 1 {
				c.Grown[n] = r.number(math.MaxUint64)
			}
		}
	}
	if r.bad || len(r.data) > 0 {
		return nil, errDamaged
	}
	return f, nil
}

// reader reads a Frame. After the end, or a number out of bounds, bad is true and all else is 0.
type reader struct {
	data  []byte
	nodes []fabric.PortName
	bad   bool
}

func (r *reader) byte() byte {
	if r.bad || len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if r.bad || size <= 0 || n > most {
		r.bad = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) duration() time.Duration {
	return time.Duration(r.number(uint64(math.MaxInt64/time.Millisecond))) * time.Millisecond
}

func (r *reader) bytes(n uint64) []byte {
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes(r.number(uint64(len(r.data))))) }

func (r *reader) port() fabric.PortName {
	var p fabric.PortName
	if n := r.number(uint64(len(r.nodes))); n > 0 {
		p = r.nodes[n-1]
	} else if guid := r.bytes(8); guid != nil {
		p.GUID = fabric.GUID(binary.BigEndian.Uint64(guid))
		p.Type, p.Name = r.text(), r.text()
		r.nodes = append(r.nodes, p)
	}
	p.Port = r.byte()
	return p
}
