package machine

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"weft/apps/goal"
	"weft/apps/program"
)

const oracle = "/work/shared/data/real/goal/"

func table(t *testing.T, path string) (rows []map[string]string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		rows = append(rows, m)
	}
	return rows
}

func load(t *testing.T, path string) *program.Schedule {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := goal.Read(f)
	if err != nil {
		t.Fatal(path, err)
	}
	return s
}

func num(t *testing.T, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOracle(t *testing.T) {
	byRank := map[string][]map[string]string{}
	for _, r := range table(t, oracle+"oracle/finish-by-rank.tsv") {
		k := r["file"] + r["parameters"]
		byRank[k] = append(byRank[k], r)
	}
	seen := map[string]int{}
	for _, r := range table(t, oracle+"oracle/finish.tsv") {
		s := load(t, filepath.Join(oracle, "oracle", r["file"]))
		c := Parameters{Time(num(t, r["L_ns"])), Time(num(t, r["o_ns"])), Time(num(t, r["g_ns"])), Time(num(t, r["G_ns_per_byte"])), Time(num(t, r["O_ns_per_byte"])), num(t, r["S_bytes"])}
		m := New(s.Start(), c)
		m.Run(context.Background())
		k := r["file"] + fmt.Sprint(seen[r["file"]])
		seen[r["file"]]++
		bad := 0
		for _, b := range byRank[k] {
			if got, want := m.End(int32(num(t, b["rank"]))), Time(num(t, b["causal_ns"])); got != want {
				if bad++; bad < 3 {
					t.Errorf("%s %s rank %s: %d, want %d", k, r["kind"], b["rank"], got, want)
				}
			}
		}
		if n := len(m.Waiting()); n > 0 {
			t.Error(k, n, "waiting")
		}
	}
}

func TestFiles(t *testing.T) {
	for _, r := range table(t, oracle+"loggopsim.tsv") {
		name := filepath.Join(oracle, r["file"])
		if _, err := os.Stat(name); err != nil {
			name += ".gz"
		}
		s := load(t, name)
		m := New(s.Start(), Parameters{Time(num(t, r["L_ns"])), Time(num(t, r["o_ns"])), Time(num(t, r["g_ns"])), Time(num(t, r["G_ns_per_byte"])), 0, num(t, r["S_bytes"])})
		m.Run(context.Background())
		end := Time(0)
		for i := range m.ranks {
			end = max(end, m.End(int32(i)))
		}
		if w := r["max_finish_ns"]; w != "-" && int64(end) != num(t, w) {
			t.Errorf("%s: %d, want %s", r["file"], end, w)
		}
		if w, got := r["status"], fmt.Sprintf("unmatched=%d", len(m.Waiting())); w != got {
			t.Errorf("%s: %s, want %s", r["file"], got, w)
		}
	}
}
