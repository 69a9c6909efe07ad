package chakra

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"weft/apps/machine"
)

// attr is an attribute of a node as bytes; the value is a number or a text.
func attr(name string, value any) []byte {
	b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
	switch v := value.(type) {
	case int:
		b = protowire.AppendVarint(protowire.AppendTag(b, 9, protowire.VarintType), uint64(v))
	case bool:
		b = protowire.AppendVarint(protowire.AppendTag(b, 27, protowire.VarintType), protowire.EncodeBool(v))
	case string:
		b = protowire.AppendString(protowire.AppendTag(b, 29, protowire.BytesType), v)
	case []byte:
		list := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), v)
		b = protowire.AppendBytes(protowire.AppendTag(b, 28, protowire.BytesType), list)
	}
	return b
}

// written is a node as bytes.
func written(id, kind, us int, deps []int, attrs ...[]byte) []byte {
	number := func(b []byte, field protowire.Number, v int) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
	}
	b := number(number(number(nil, 1, id), 3, kind), 7, us)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), fmt.Sprintf("op %d", id))
	for i, d := range deps {
		if i%2 == 0 {
			b = number(b, 5, d)
		} else { // packed
			b = protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType), protowire.AppendVarint(nil, uint64(d)))
		}
	}
	for _, a := range attrs {
		b = protowire.AppendBytes(protowire.AppendTag(b, 10, protowire.BytesType), a)
	}
	return b
}

// file is the file of a rank.
func file(nodes ...[]byte) []byte {
	meta := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "0.0.4")
	b := protowire.AppendBytes(nil, meta)
	for _, n := range nodes {
		b = protowire.AppendBytes(b, n)
	}
	return b
}

func readers(files [][]byte) (list []io.Reader) {
	for _, f := range files {
		list = append(list, bytes.NewReader(f))
	}
	return list
}

// TestRead: computations, messages and a collective operation of a group run in their order.
func TestRead(t *testing.T) {
	all := [][]byte{attr("comm_type", 0), attr("comm_size", 4000)}
	inner := [][]byte{attr("comm_type", 9), attr("comm_size", 0), attr("pg_name", "pair")}
	var files [][]byte
	for rank := range 4 {
		nodes := [][]byte{
			written(7, compute, 5, nil),
			written(3, collective, 99, []int{7}, all...),
			written(9, compute, 2, []int{3, 7}),
		}
		switch rank {
		case 0:
			nodes = append(nodes, written(11, send, 0, []int{9}, attr("comm_dst", 1), attr("comm_size", 100), attr("comm_tag", 4)))
		case 1:
			nodes = append(nodes, written(11, receive, 0, nil, attr("comm_src", 0), attr("comm_size", 100), attr("comm_tag", 4)),
				written(12, compute, 1, []int{11}, attr("is_cpu_op", true)))
		default:
			nodes = append(nodes, written(11, collective, 0, []int{9}, inner...))
		}
		files = append(files, file(nodes...))
	}
	s, leftOut, err := Read(readers(files))
	if err != nil || leftOut != "" {
		t.Fatal(err, leftOut)
	}
	m := machine.New(s.Start(), machine.Parameters{Latency: 1000, GapPerByte: 1, Eager: 1 << 30})
	if err := m.Run(context.Background()); err != nil || len(m.Waiting()) > 0 {
		t.Fatalf("%v, %d waiting", err, len(m.Waiting()))
	}
	// Two rounds of doubling with 4,000 bytes; the message and its latency; the last computation.
	rounds := int64(2 * (1000 + 3999))
	for rank, want := range []int64{5000 + rounds + 2000, 5000 + rounds + 2000 + 1000 + 99 + 1000, 5000 + rounds + 2000 + 1000, 5000 + rounds + 2000 + 1000} {
		if got := int64(m.End(int32(rank))); got != want {
			t.Errorf("rank %d ends at %d, want %d", rank, got, want)
		}
	}
}

// TestAbsent: a node runs although the trace lacks nodes that it waits for, as traces of PyTorch
// do, and a call on the host that launches a collective operation is a computation. Both are told.
func TestAbsent(t *testing.T) {
	trace := file(written(4, compute, 2, []int{1, 2}), written(5, collective, 3, []int{4}, attr("is_cpu_op", true)))
	s, leftOut, err := Read(readers([][]byte{trace}))
	if want := "2 of the dependencies are on nodes that the trace does not have, and count as met; the first: rank 0, node 4 on node 1"; err != nil || leftOut != want {
		t.Fatalf("%v, %q, want %q", err, leftOut, want)
	}
	m := machine.New(s.Start(), machine.Parameters{})
	if err := m.Run(context.Background()); err != nil || m.End(0) != 5000 {
		t.Errorf("%v: it ends at %d", err, m.End(0))
	}
}

// TestFaults: what cannot be run is named by rank and node.
func TestFaults(t *testing.T) {
	barrier := written(1, collective, 0, nil, attr("comm_type", 9))
	whole := file(barrier)
	for want, files := range map[string][][]byte{
		"rank 0: message 0: ":                        {nil},
		"rank 1: message 1: the file ends within it": {whole, whole[:len(whole)-2]},
		"too many": {[]byte("\xff\xff\xff\xff\xff\x01")},
		"rank 0, node 1: this number comes twice":        {file(written(1, compute, 1, nil), written(1, compute, 1, nil))},
		"type 8 is not known":                            {file(written(1, 8, 1, nil))},
		"comm_type 4 is not known":                       {file(written(1, collective, 1, nil, attr("comm_type", 4)))},
		"only 1 of 2 have them":                          {whole, file()},
		`operation 0 of process group "" is another one`: {whole, file(written(1, collective, 0, nil, attr("comm_type", 0)))},
		`rank 1 has 1 operations of process group ""`:    {file(barrier, written(2, collective, 0, nil, attr("comm_type", 9))), whole},
		"involved_dim leaves out a dimension":            {file(written(1, collective, 0, nil, attr("comm_type", 9), attr("involved_dim", []byte{1, 0})))},
		"rank 9 does not exist":                          {file(written(1, send, 0, nil, attr("comm_dst", 9), attr("comm_size", 1)))},
		"rank 4294967296 does not exist":                 {file(written(1, send, 0, nil, attr("comm_dst", 1<<32), attr("comm_size", 1)))},
		"no attribute comm_type":                         {file(written(1, collective, 0, nil, attr("comm_size", 4)))},
		"no attribute comm_dst":                          {file(written(1, send, 0, nil, attr("comm_size", 4)))},
		"no attribute comm_src":                          {file(written(1, receive, 0, nil, attr("comm_size", 4)))},
		`"op 3": it has no attribute comm_size`:          {file(written(3, receive, 0, nil, attr("comm_src", 0)))},
		`node 4: it has no attribute comm_size`: {
			file(written(4, collective, 0, nil, attr("comm_type", 0))), file(written(4, collective, 0, nil, attr("comm_type", 0))),
		},
		"wait for each other in a circle": {file(written(1, compute, 1, []int{2}), written(2, compute, 1, []int{1}))},
		"no such thing":                   {file(written(1, send, 0, nil, attr("comm_size", -1)))},
	} {
		if _, _, err := Read(readers(files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzRead: any bytes give a schedule or an error.
func FuzzRead(f *testing.F) {
	f.Add(file(written(1, collective, 0, nil, attr("comm_type", 0), attr("comm_size", 64)), written(2, compute, 4, []int{1})))
	f.Add(file(written(1, send, 0, nil, attr("comm_dst", 1)), written(2, receive, 0, []int{1}, attr("comm_src", 1), attr("involved_dim", []byte{1}))))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = Read(readers([][]byte{data, data}))
	})
}

// longTrace is a file of computations, each with a text of 2,000 bytes, that is made while it is
// read.
type longTrace struct {
	nodes, next int
	rest        []byte
}

func (l *longTrace) Read(to []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.next > l.nodes {
			return 0, io.EOF
		}
		if l.next == 0 {
			l.rest = file()
		} else {
			l.rest = protowire.AppendBytes(nil, written(l.next, compute, 1, []int{max(l.next-1, 1)}[:min(l.next-1, 1)], attr("op_schema", strings.Repeat("x", 2000))))
		}
		l.next++
	}
	n := copy(to, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// TestStream: a trace takes memory for its operations, not for its bytes.
func TestStream(t *testing.T) {
	const nodes = 5000
	var before, after runtime.MemStats
	tr := &trace{known: map[string]int32{}}
	in, err := io.ReadAll(&longTrace{nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&before)
	got, err := tr.readFile(bytes.NewReader(in))
	runtime.ReadMemStats(&after)
	if err != nil || len(got.list) != nodes {
		t.Fatalf("%d nodes, %v", len(got.list), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(in)/4) {
		t.Errorf("a file of %d bytes takes %d", len(in), used)
	}
}
