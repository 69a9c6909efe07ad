package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestParquetPeer: DuckDB, which shares no code with weft, reads the same cells from an exported
// Parquet file as the CSV has, with types that a notebook can count with; and all rows of the parts
// of two workers. It needs node and its package @duckdb/node-api (make parquet installs it).
func TestParquetPeer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	if out, err := exec.Command(node, "-e", `require("@duckdb/node-api")`).CombinedOutput(); err != nil {
		t.Skipf("node has no DuckDB (NODE_PATH names its folder): %.80s", bytes.TrimSpace(out))
	}
	script, err := filepath.Abs("../../lab/store/testdata/parquet.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		var told bytes.Buffer
		cmd.Stderr = &told
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, &told)
		}
		return out
	}
	const text = "fabrics: [\"rlft(4,2)\", \"torus(4x4,hosts=1)\"]\ndamage: [none, 0.1]\nengines: [updn, dor, minhop, \"dfsssp,replies=own\"]\nworkloads: [flow: {runs: 20}, packets: {duration: 2us, warmup: 1us, load: 0.2}]\ncolumns: [{name: half, formula: ebb_share / 2}]\n"
	if err := os.WriteFile(filepath.Join(dir, "sweep.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run("weft", "lab", "sweep", "sweep.yaml", "-o", "results.db")
	run("weft", "lab", "export", "results.db", "-o", "rows.csv")
	run("weft", "lab", "export", "results.db", "-o", "rows.parquet")
	file, err := os.ReadFile(filepath.Join(dir, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil || len(want) < 40 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	names, types, rows := readLines(t, run(node, script, "rows.parquet"))
	if strings.Join(names, ",") != strings.Join(want[0], ",") || len(rows) != len(want)-1 {
		t.Fatalf("%d rows of %v, want %d of %v", len(rows), names, len(want)-1, want[0])
	}
	empty := map[string]int{}
	for i, row := range rows {
		for k, cell := range row {
			if cell == nil {
				empty[types[k]]++
			}
			if !sameCell(types[k], cell, want[i+1][k]) {
				t.Errorf("row %d, column %s %s: %v, want %q", i, names[k], types[k], cell, want[i+1][k])
			}
		}
	}
	if empty["DOUBLE"] == 0 || empty["BIGINT"] == 0 || empty["VARCHAR"] > 0 {
		t.Errorf("cells without a value: %v", empty)
	}

	n := 0
	for _, shard := range []string{"1/2", "2/2"} {
		run("weft", "lab", "sweep", "sweep.yaml", "--shard", shard, "-o", "parts")
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "parts", "*.parquet"))
	for _, part := range parts {
		_, _, rows := readLines(t, run(node, script, part))
		n += len(rows)
	}
	cases := map[string]bool{} // a case that stands in two cells has a row in each, but one in a part
	for _, row := range want[1:] {
		cases[row[0]] = true
	}
	if len(parts) < 2 || n != len(cases) {
		t.Errorf("%d rows in %d parts, want %d", n, len(parts), len(cases))
	}
}

// readLines reads what parquet.js prints.
func readLines(t *testing.T, out []byte) (names, types []string, rows [][]*string) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for first := true; lines.Scan(); first = false {
		if first {
			var head [][2]string
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				t.Fatal(err)
			}
			for _, column := range head {
				names, types = append(names, column[0]), append(types, column[1])
			}
			continue
		}
		var row []*string
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return names, types, rows
}

// sameCell compares a cell of DuckDB with that of a CSV file.
func sameCell(kind string, cell *string, text string) bool {
	if cell == nil {
		return text == ""
	}
	switch kind {
	case "DOUBLE":
		x, err := strconv.ParseFloat(*cell, 64)
		y, wrong := strconv.ParseFloat(text, 64)
		return err == nil && wrong == nil && x == y
	case "BIGINT", "BOOLEAN", "VARCHAR":
		return *cell == text
	}
	return false
}
