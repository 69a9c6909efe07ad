package clients

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"

	"weft/planner"
	"weft/route/multicast"
	"weft/sm/replica"
	"weft/sm/sa"
	"weft/sm/terms"
)

// A value that is longer than that of an entry can be is told in parts of the same length, each compressed by itself, so that a small change of it is a change of few
// entries. Key of a Part: the name of the value and the number of the part. Behind them comes the Whole, by the name: length and checksum.
// Who has a Whole that fits the parts has the value; while it changes, nobody does.
type longValue byte

// The long values.
const (
	PlanValue  longValue = 1 // the Plan in force without its tables, as planner.Kept.Bare writes it
	RulesValue longValue = 2 // Rules
)

// The first byte of a Part, before what it holds.
const (
	asIs     = 0
	deflated = 1
)

const (
	partLength  = sa.LongestValue - 1
	longestPart = 1 << 28 / partLength // of a value: more is not believed
)

func partName(v longValue, number int) sa.EntryName {
	return sa.EntryName{Kind: sa.Part, Key: string(binary.BigEndian.AppendUint32([]byte{byte(v)}, uint32(number)))}
}

func wholeName(v longValue) sa.EntryName {
	return sa.EntryName{Kind: sa.Whole, Key: string([]byte{byte(v)})}
}

// wholeOf makes the value of a Whole.
func wholeOf(data []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(data))), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// PartsOf makes the entries of a value.
func PartsOf(v longValue, data []byte) (list []sa.Entry) {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is right
	for part := range slices.Chunk(data, partLength) {
		packed.Reset()
		packed.WriteByte(deflated)
		w.Reset(&packed)
		_, _ = w.Write(part) // a Buffer takes all
		_ = w.Close()
		value := bytes.Clone(packed.Bytes())
		if len(value) > len(part) {
			value = append([]byte{asIs}, part...)
		}
		list = append(list, sa.Entry{EntryName: partName(v, len(list)), Value: value})
	}
	return append(list, sa.Entry{EntryName: wholeName(v), Value: wholeOf(data)})
}

// PartChanges lists what makes a value of a table this one; the Whole is the last.
func PartChanges(t replica.Table, v longValue, data []byte) (list []sa.Entry) {
	now := PartsOf(v, data)
	for _, e := range now {
		if !bytes.Equal(t[e.EntryName], e.Value) {
			list = append(list, e)
		}
	}
	for number := len(now) - 1; t[partName(v, number)] != nil; number++ {
		list = append([]sa.Entry{{EntryName: partName(v, number)}}, list...)
	}
	return list
}

// learnRest tells the Manager the values that have come, as far as they are complete.
func (r *Registrar) learnRest(t replica.Table) {
	var n terms.News
	n.Plan, _ = ValueOf(t, PlanValue)
	n.Rules, _ = ValueOf(t, RulesValue)
	if n.Plan != nil || n.Rules != nil {
		r.out = append(r.out, RegistrarAction{Kind: TellManager, News: n})
	}
}

// ValueOf joins the parts of a value; false where they are not those of the Whole, or there is none.
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

// CopiedOf makes what managers that stand by are told of a Record.
func CopiedOf(r *terms.Record, rules terms.RulesToTell) (copied, error) {
	plan, err := planner.Keep(r.Plan, r.Graph).Bare()
	return copied{LIDs: r.LIDs, Trees: multicast.ByLID(r.Graph, &r.Plan.Ends, r.Plan.Multicast), Plan: plan, Rules: rules}, err
}
