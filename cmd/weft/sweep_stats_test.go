package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/internal/racing"
)

// TestSweepStatistics: weft lab stats prints the same tables, to the last digit, as a program in
// Python that computes them from the CSV.
func TestSweepStatistics(t *testing.T) {
	racing.SkipLong(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	script, err := filepath.Abs("../../lab/stats/testdata/check.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	weft := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("weft", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	for name, text := range map[string]string{
		"one":  "fabrics: [\"rlft(8,2)\"]\ndamage: [0.05, 0.1]\ndraws: {least: 9}\nseeds: {traffic: [1, 2], engine: [1]}\n",
		"many": "fabrics: [\"rlft(4,2)\", \"torus(4x4,hosts=1)\", \"torus(3x3,hosts=2)\", \"hypercube(3,hosts=1)\", \"rlft(8,2)\", \"torus(2x2,hosts=1)\"]\ndamage: [none, 0.1]\ndraws: {least: 4}\n",
	} {
		text += "engines: [updn, nue, dfsssp, minhop, dor]\nworkloads: [flow: {runs: 40}]\n"
		if err := os.WriteFile(filepath.Join(dir, "sweep.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		weft("lab", "sweep", "sweep.yaml", "-o", name+".db")
		weft("lab", "export", name+".db", "-o", name+".csv")
		for figure, better := range map[string]string{"ebb_share": "higher", "shift_congestion_sum": "lower", "channel_load_max_pairs": "lower"} {
			cmd := exec.Command(python, script, name+".csv", figure, better)
			cmd.Dir = dir
			want, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, want)
			}
			// The lines of both tables, with one tab between cells.
			var got []string
			for line := range strings.Lines(weft("lab", "stats", name+".db", "--figure", figure)) {
				cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
				if len(cells) == 6 || len(cells) == 9 {
					got = append(got, strings.Join(cells, "\t"))
				}
			}
			body := strings.Join(got, "\n") + "\n"
			body = regexp.MustCompile(`(?m)^ENGINE\t.*\n`).ReplaceAllString(body, "")
			if body != string(want) || strings.Count(body, "\n") < 8 {
				t.Errorf("%s, %s: weft says\n%s\nPython says\n%s", name, figure, body, want)
			}
		}
	}
}

// TestNotebook: examples/python/rows.py, five lines, reads the Parquet of a sweep and prints the
// means that weft lab stats prints.
func TestNotebook(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if out, err := exec.Command(python, "-c", "import pandas\nfrom pandas.io.parquet import get_engine\nget_engine('auto')").CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("Python has no pandas with a reader of Parquet: %s", lines[len(lines)-1])
	}
	script, err := filepath.Abs("../../examples/python/rows.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("weft", "lab", "sweep", "rlft(4,2)", "-e", "updn", "-e", "nue", "--failed", "0,0.1", "-n", "20", "-o", "results.db")
	run("weft", "lab", "export", "results.db", "-o", "rows.parquet")
	got := run(python, script)
	for line := range strings.Lines(run("weft", "lab", "stats", "results.db", "--figure", "ebb_share")) {
		cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		if len(cells) != 6 || cells[0] == "ENGINE" {
			continue
		}
		mean, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if text := strconv.FormatFloat(mean, 'f', 3, 64); !strings.Contains(got, text) {
			t.Errorf("no %s, the mean of %s:\n%s", text, cells[0], got)
		}
	}
}
