package goal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/apps/program"
)

const sample = `/* two ranks */ num_ranks 2
rank 0 { // the first
l1: calc 1000 cpu 3
 big_One: send 4096 b to 1 tag 7 cpu 1 nic 2 /* a comment
over two lines */ l2: calc 5
big_One requires l1
l2 irequires big_One
}
rank 1 {
recv 4096b from -1 tag -1
}
`

func TestText(t *testing.T) {
	s, err := Read(strings.NewReader(strings.ReplaceAll(sample, "lines */ l2", "lines */\nl2")))
	if err != nil {
		t.Fatal(err)
	}
	want := []program.Op{
		{Kind: program.Calc, Size: 1000, CPU: 3},
		{ID: 1, Kind: program.Send, Size: 4096, Peer: 1, Tag: 7, CPU: 1, NIC: 2},
		{ID: 2, Kind: program.Calc, Size: 5},
		{Kind: program.Recv, Size: 4096, Peer: program.Any, Tag: program.Any},
	}
	if diff := cmp.Diff(want, s.Ops); diff != "" {
		t.Error(diff)
	}
	for op, want := range []string{
		"rank 0, l1 (line 3): calc 1000 ns", "rank 0, big_One (line 4): send 4096 bytes to rank 1, tag 7",
		"rank 0, l2 (line 6): calc 5 ns", "rank 1, operation 0 (line 11): recv 4096 bytes from rank any, tag any",
	} {
		if got := s.Describe(int32(op)); got != want {
			t.Errorf("operation %d is %q, want %q", op, got, want)
		}
	}
	if begin, end := s.Dependents(1); len(begin) != 1 || begin[0] != 2 || len(end) != 0 {
		t.Errorf("dependents %v and %v", begin, end)
	}
}

// TestFaults: each fault is an error with its line and column.
// TestHostile: a binary file cannot ask for more memory than it has bytes, nor end early or late.
func TestHostile(t *testing.T) {
	s, err := Read(strings.NewReader("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nb requires a\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteBinary(&out, s); err != nil {
		t.Fatal(err)
	}
	whole := out.Bytes()
	for cut := range whole {
		if _, err := Read(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("no error for the first %d of %d bytes", cut, len(whole))
		}
	}
	if _, err := Read(bytes.NewReader(append(slices.Clone(whole), 0))); err == nil || !strings.Contains(err.Error(), "goes on after the last rank") {
		t.Errorf("a byte more: %v", err)
	}
	// The second operation waits for two events by its head.
	more := slices.Clone(whole)
	more[len(more)-4-recordSize] = 2
	if _, err := Read(bytes.NewReader(more)); err == nil || !strings.Contains(err.Error(), "2 events by its head and for 1 by the lists") {
		t.Errorf("a wrong count: %v", err)
	}
	// Both operations name the only entry of the lists.
	twice := slices.Clone(whole)
	at := len(twice) - 4 - recordSize + 23
	twice[at] = 1
	if _, err := Read(bytes.NewReader(twice)); err == nil || !strings.Contains(err.Error(), "2 entries by the operations, and 1 places") {
		t.Errorf("lists that overlap: %v", err)
	}
}

// TestLabelMemory: a few labels of large numbers take little memory, and are all found.
func TestLabelMemory(t *testing.T) {
	var table labelTable
	n := 1000
	for op := range int32(12) {
		table.add(fmt.Appendf(nil, "l%d", n), op)
		if n = 3 * n; n > 99999999 {
			n = int(op)
		}
	}
	if len(table.numbered) > 10000 {
		t.Errorf("12 labels take %d places", len(table.numbered))
	}
	for n, op := 1000, int32(0); op < 10; n, op = 3*n, op+1 {
		if got := table.find(fmt.Appendf(nil, "l%d", n)); got != op {
			t.Errorf("label l%d is operation %d, want %d", n, got, op)
		}
	}
}

func TestFaults(t *testing.T) {
	rank := func(lines string) string { return "num_ranks 2\nrank 0 {\n" + lines + "\n}\nrank 1 {\n}\n" }
	for text, want := range map[string]string{
		"":                                 "line 1, column 1: the file has no line num_ranks",
		"rank 0 {":                         "line 1, column 1: num_ranks must come before the first rank",
		"num_ranks 0":                      "line 1, column 11: the number of ranks is 0: it may be 1 to 16777216",
		"num_ranks 1\nrank 1 {":            "line 2, column 7: rank 1: ranks come in order, so rank 0 is expected",
		"num_ranks 1\nrank 0 {\n":          "line 2, column 1: the file ends inside rank 0: } is missing",
		"num_ranks 2\nrank 0 {\n}\n":       "line 3, column 1: the file ends after rank 0 of 0 to 1",
		rank("l1: calc x"):                 "line 3, column 10: a number is missing: the time of a calc in ns",
		rank("calc 1 nic 0"):               `line 3, column 8: "nic" is not expected here`,
		rank("calc 1 cpu 256"):             "line 3, column 12: the cpu is 256: it may be 0 to 255",
		rank("send 5b to 2"):               "line 3, column 12: the peer is 2: it may be 0 to 1",
		rank("send 5b to -1"):              "line 3, column 12: the peer is -1: it may be 0 to 1",
		rank("send 5 to 1"):                "line 3, column 10: the size of a message ends with b: 5b",
		rank("send 5b to 1 tag 1 tag"):     `line 3, column 20: "tag" is not expected here`,
		rank("l1: calc 1\nl1: calc 2"):     "line 4, column 1: the label l1 is given twice in rank 0",
		rank("l1: calc 1\nl1 requires l2"): `line 4, column 13: the label "l2" is not known in rank 0: it must stand above`,
		rank("l1 requires l1"):             "line 3, column 1: the label l1 is not known in rank 0: it must stand above",
		rank("calc 99999999999999999999"):  "line 3, column 6: the time of a calc in ns is larger than 9223372036854775807",
		rank("l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1"): "operations wait for each other in a circle, so none can begin:\n  rank 0, l1 (line 3): calc 1 ns\n  rank 0, l2 (line 4): calc 1 ns",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// drawn returns a random schedule.
func drawn(t *rapid.T) *program.Schedule {
	b := program.NewBuilder(0, 0)
	ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
	for range ranks {
		b.Rank()
		var numbers []int32
		for range rapid.IntRange(0, 6).Draw(t, "operations") {
			o := program.Op{
				Kind: program.Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Size: rapid.Int64Range(0, 1<<62).Draw(t, "size"),
				CPU: uint8(rapid.IntRange(0, 3).Draw(t, "cpu")),
			}
			if o.Kind != program.Calc {
				o.NIC, o.Peer, o.Tag = uint8(rapid.IntRange(0, 3).Draw(t, "nic")), int32(rapid.IntRange(0, ranks-1).Draw(t, "peer")), int32(rapid.IntRange(0, 9).Draw(t, "tag"))
			}
			if o.Kind == program.Recv && rapid.Bool().Draw(t, "any") {
				o.Peer, o.Tag = program.Any, program.Any
			}
			n, err := b.Add(o, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, earlier := range numbers {
				if e := rapid.IntRange(0, 3).Draw(t, "edge"); e < 2 {
					b.Wait(n, earlier, e == 0)
				}
			}
			numbers = append(numbers, n)
		}
	}
	s, err := b.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRoundTrip: a schedule that is written and read again is the same, in both forms.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return WriteText(b, s) },
			func(b *bytes.Buffer) error { return WriteBinary(b, s) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			again, err := Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.Ops, again.Ops); diff != "" {
				t.Fatal(diff)
			}
			for op := range s.Ops {
				begin, end := s.Dependents(int32(op))
				begin2, end2 := again.Dependents(int32(op))
				if diff := cmp.Diff([][]int32{begin, end}, [][]int32{begin2, end2}); diff != "" {
					t.Fatal(diff)
				}
			}
		}
	})
}

// TestCutBinary: a binary schedule that ends early is an error, wherever it ends.
func TestCutBinary(t *testing.T) {
	s, err := Read(strings.NewReader(strings.ReplaceAll(sample, "lines */ l2", "lines */\nl2")))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteBinary(&b, s); err != nil {
		t.Fatal(err)
	}
	for n := 8; n < b.Len(); n++ {
		if _, err := Read(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, b.Len())
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	s, err := Read(strings.NewReader(strings.ReplaceAll(sample, "lines */ l2", "lines */\nl2")))
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteBinary(&b, s); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteText(&b, s); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
	})
}
