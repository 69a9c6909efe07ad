package clients

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"weft/planner"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// longValue names a value that is too long for one entry. It is sent in parts of equal length, each
// compressed by itself, so that a small change affects few entries. A Part is keyed by name and
// number. A Whole, keyed by name, follows with length and checksum. The value is complete if the
// parts match the Whole; during a change they do not.
type longValue byte

// The long values.
const (
	PlanValue  longValue = 1 // the Plan in force without tables, in the format of planner.Kept.Bare
	RulesValue longValue = 2 // the Rules as JSON
)

// The first byte of a Part: its encoding.
const (
	asIs     = 0
	deflated = 1
)

const (
	partLength  = sa.LongestValue - 1
	longestPart = 1 << 28 / partLength // parts of a value; more are not accepted
)

func partName(v longValue, number int) sa.EntryName {
	return sa.EntryName{Kind: sa.Part, Key: string(binary.BigEndian.AppendUint32([]byte{byte(v)}, uint32(number)))}
}

func wholeName(v longValue) sa.EntryName {
	return sa.EntryName{Kind: sa.Whole, Key: string([]byte{byte(v)})}
}

// wholeOf returns the Whole of a value: length and CRC-32C.
func wholeOf(data []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(data))), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// Packer makes the entries of a long value. It remembers the parts of the last value, and
// compresses only parts that differ: with thousands of running jobs, the start of one changes few
// parts of the rules.
type Packer struct {
	value longValue
	data  []byte     // packed last
	parts []sa.Entry // of data
}

// NewPacker returns the Packer of a long value.
func NewPacker(v longValue) *Packer { return &Packer{value: v} }

// deflaters holds writers that compress parts: each takes a megabyte of memory.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // cannot fail: the level is valid
	return w
}}

// Pack returns the entries of the long value, the Whole last. data must not change later.
func (p *Packer) Pack(data []byte) []sa.Entry {
	var packed bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	before, list := slices.Collect(slices.Chunk(p.data, partLength)), []sa.Entry(nil)
	for part := range slices.Chunk(data, partLength) {
		number := len(list)
		if number < len(before) && bytes.Equal(part, before[number]) {
			list = append(list, p.parts[number])
			continue
		}
		packed.Reset()
		packed.WriteByte(deflated)
		w.Reset(&packed)
		_, _ = w.Write(part) // a Buffer takes all
		_ = w.Close()
		value := bytes.Clone(packed.Bytes())
		if len(value) > len(part) {
			value = append([]byte{asIs}, part...)
		}
		list = append(list, sa.Entry{EntryName: partName(p.value, number), Value: value})
	}
	p.data, p.parts = data, list
	return append(slices.Clip(list), sa.Entry{EntryName: wholeName(p.value), Value: wholeOf(data)})
}

// Changes returns the changes that make the long value of a table equal to data, the Whole last.
func (p *Packer) Changes(t replica.Table, data []byte) (list []sa.Entry) {
	now := p.Pack(data)
	for _, e := range now {
		if !bytes.Equal(t[e.EntryName], e.Value) {
			list = append(list, e)
		}
	}
	for number := len(now) - 1; t[partName(p.value, number)] != nil; number++ {
		list = append([]sa.Entry{{EntryName: partName(p.value, number)}}, list...)
	}
	return list
}

// learnRest reports the complete long values of a table to the Manager.
func (r *Registrar) learnRest(t replica.Table) {
	var n terms.News
	n.Plan, _ = ValueOf(t, PlanValue)
	n.Rules, _ = ValueOf(t, RulesValue)
	if n.Plan != nil || n.Rules != nil {
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: n})
	}
}

// ValueOf returns a long value of a table, or false if it is missing or its parts do not match the
// Whole.
func ValueOf(t replica.Table, v longValue) (data []byte, ok bool) {
	whole := t[wholeName(v)]
	if len(whole) != 8 {
		return nil, false
	}
	length := int(binary.BigEndian.Uint32(whole))
	for number := 0; number < longestPart && len(data) < length; number++ {
		part := t[partName(v, number)]
		switch {
		case len(part) == 0:
			return nil, false
		case part[0] == asIs:
			data = append(data, part[1:]...)
		default:
			plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(part[1:])), partLength))
			if err != nil {
				return nil, false
			}
			data = append(data, plain...)
		}
	}
	if !bytes.Equal(whole, wholeOf(data)) {
		return nil, false
	}
	return data, true
}

// CopiedOf returns a Record in the form sent to standbys.
func CopiedOf(r *terms.Record, rules terms.RulesToTell) (copied, error) {
	plan, err := planner.Keep(r.Plan, r.Graph).Bare()
	return copied{LIDs: r.LIDs, Trees: multicast.ByLID(r.Graph, &r.Plan.Ends, r.Plan.Multicast), Plan: plan, Rules: rules}, err
}
