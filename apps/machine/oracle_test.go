package machine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"weft/apps/goal"
	"weft/apps/machine"
	"weft/apps/program"
	"weft/internal/dumps"
)

// row is a row of a table, by the name of the column.
type row map[string]string

func (r row) number(t *testing.T, names ...string) int64 {
	t.Helper()
	for _, name := range names {
		if text, ok := r[name]; ok {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

func (r row) costs(t *testing.T) machine.Parameters {
	time := func(names ...string) machine.Time { return machine.Time(r.number(t, names...)) }
	return machine.Parameters{
		Latency: time("L_ns"), Overhead: time("o_ns"), Gap: time("g_ns"), GapPerByte: time("G_ns_per_byte", "G"), OverheadPerByte: time("O_ns_per_byte", "O"),
		Eager: r.number(t, "S_bytes", "S"),
	}
}

func table(t *testing.T, data []byte) (rows []row) {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(unzip(t, data)))
	r.Comma = '\t'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		named := row{}
		for i, name := range all[0] {
			named[name] = cells[i]
		}
		rows = append(rows, named)
	}
	return rows
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	if len(data) < 2 || data[0] != 0x1f {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, data []byte) *program.Schedule {
	t.Helper()
	s, err := goal.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play runs a schedule on the ideal network.
func play(t *testing.T, s *program.Schedule, costs machine.Parameters) *machine.Machine {
	t.Helper()
	m := machine.New(s.Start(), costs)
	if err := m.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOracle: each rank of random schedules ends when LogGOPSim's does, from text and from binary.
func TestOracle(t *testing.T) {
	ends := map[string][]row{}
	for _, r := range table(t, file(t, "finish-by-rank.tsv.gz")) {
		key := r["file"] + r["parameters"]
		ends[key] = append(ends[key], r)
	}
	runs := map[string]int{}
	for _, r := range table(t, file(t, "finish.tsv")) {
		name := r["file"]
		key := name + strconv.Itoa(runs[name])
		runs[name]++
		forms := [][]byte{file(t, name+".gz")}
		if binary, err := os.ReadFile(filepath.Join("testdata", name+".bin.gz")); err == nil {
			forms = append(forms, binary)
		}
		for form, data := range forms {
			m := play(t, read(t, data), r.costs(t))
			if n := len(m.Waiting()); n > 0 {
				t.Errorf("%s, form %d: %d messages and receives are left", key, form, n)
			}
			if len(ends[key]) == 0 {
				t.Errorf("%s: the table has no ends", key)
			}
			for _, e := range ends[key] {
				rank := int32(e.number(t, "rank"))
				if got, want := int64(m.End(rank)), e.number(t, "causal_ns"); got != want {
					t.Errorf("%s, form %d: rank %d ends at %d, want %d", key, form, rank, got, want)
				}
			}
		}
	}
}

// TestEdges: messages without bytes, sizes that differ, and sends that wait for each other.
func TestEdges(t *testing.T) {
	// A message without bytes counts as one byte, and an operation never begins before one that it
	// requires has ended.
	ours := map[string]string{"edge-zero.goal": "", "edge-cross-cpu.goal": ""}
	for _, r := range table(t, file(t, "edge.tsv")) {
		s := read(t, file(t, r["file"]))
		m := play(t, s, r.costs(t))
		if got, want := int64(len(m.Waiting())), r.number(t, "unmatched"); got != want {
			t.Errorf("%s: %d are left, want %d", r["file"], got, want)
		}
		if _, differs := ours[r["file"]]; differs || r["loggopsim_ns_by_rank"] == "-" {
			continue
		}
		for rank, want := range strings.Split(r["loggopsim_ns_by_rank"], ",") {
			if got := fmt.Sprint(int64(m.End(int32(rank)))); got != want {
				t.Errorf("%s: rank %d ends at %s, want %s", r["file"], rank, got, want)
			}
		}
	}
	if got := play(t, read(t, file(t, "edge-cross-cpu.goal")), machine.Usual).End(0); got != 1010 {
		t.Errorf("the computation that waits for 1000 ns on another processor ends at %d, want 1010", got)
	}
}

// TestDumpSchedules: public schedules end when they do in LogGOPSim, and those that do not end
// there are broken here too.
func TestDumpSchedules(t *testing.T) {
	for _, r := range table(t, dumps.Read(t, "goal/loggopsim.tsv")) {
		name := r["file"]
		if name == "sweep3d-2x2.goal" {
			name += ".gz"
		}
		if name == "allreduce-ring-16x4MiB.goal" {
			continue // its 480 sends have 480 receives of the same ranks and tag, and it ends here
		}
		s := read(t, dumps.Read(t, "goal/"+name))
		m := play(t, s, r.costs(t))
		end := machine.Time(0)
		for rank := range s.Shape().Ranks {
			end = max(end, m.End(int32(rank)))
		}
		if want := r["max_finish_ns"]; want != "-" && strconv.FormatInt(int64(end), 10) != want {
			t.Errorf("%s ends at %d, want %s", name, end, want)
		}
		if got := fmt.Sprintf("unmatched=%d", len(m.Waiting())); got != r["status"] {
			t.Errorf("%s: %s, want %s", name, got, r["status"])
		}
	}
}
