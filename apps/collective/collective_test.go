package collective

import (
	"context"
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"weft/apps/machine"
)

var oracleNames = map[string]string{"recdbl": "doubling", "halvdbl": "halving", "pairwise-xor": "pairwise", "pairwise-shift": "shift"}

// TestTable: rounds, messages, bytes and times of the collective operations are those of LogGOPSim
// on message lists made by another program.
func TestTable(t *testing.T) {
	f, err := os.Open("testdata/collectives.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 30 {
		t.Fatalf("%d rows, want 30", len(rows))
	}
	for _, row := range rows[1:] {
		number := func(i int) int64 {
			n, err := strconv.ParseInt(row[i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		s := Spec{Name: row[0], Algorithm: row[1], Ranks: int(number(2)), Bytes: number(3)}
		if other, ok := oracleNames[s.Algorithm]; ok {
			s.Algorithm = other
		}
		play := func(costs machine.Parameters) *machine.Machine {
			o, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			m := machine.New(o, costs)
			if err := m.Run(context.Background()); err != nil || !o.Done() || len(m.Waiting()) > 0 {
				t.Errorf("%v: %v, done %v, %d waiting", row, err, o.Done(), len(m.Waiting()))
			}
			if want := int(number(4)); o.Rounds() != want {
				t.Errorf("%v: %d rounds, want %d", row[:4], o.Rounds(), want)
			}
			return m
		}
		m := play(machine.Parameters{Latency: 1000, GapPerByte: 1, Eager: 1e9})
		if m.Messages != number(5) || m.Bytes != number(6) {
			t.Errorf("%v: %d messages of %d bytes, want %s of %s", row[:4], m.Messages, m.Bytes, row[5], row[6])
		}
		if got := end(m, s.Ranks); got != number(7) {
			t.Errorf("%v: ends at %d, want %s", row[:4], got, row[7])
		}
		written, err := s.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		again := machine.New(written.Start(), machine.Parameters{Latency: 1000, GapPerByte: 1, Eager: 1e9})
		if err := again.Run(context.Background()); err != nil || end(again, s.Ranks) != end(m, s.Ranks) {
			t.Errorf("%v: the written schedule ends at %d (%v), want %d", row[:4], end(again, s.Ranks), err, end(m, s.Ranks))
		}
		m = play(machine.Parameters{Latency: 2500, Overhead: 1500, Gap: 1000, GapPerByte: 6, Eager: 65535})
		if got := end(m, s.Ranks); got != number(9) {
			t.Errorf("%v with costs: ends at %d, want %s", row[:4], got, row[9])
		}
	}
}

func end(m *machine.Machine, ranks int) int64 {
	end := machine.Time(0)
	for r := range ranks {
		end = max(end, m.End(int32(r)))
	}
	return int64(end)
}
