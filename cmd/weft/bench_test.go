package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/internal/peer"
)

// benchFiles are the runs that docs/performance.md shows.
func benchFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/results/bench/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatal("no files of weft lab bench", err)
	}
	return files
}

// keptBench prints the comparison in a copy of a file, with further arguments.
func keptBench(t *testing.T, file string, args ...string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("weft", append([]string{"lab", "bench", "--kept", "-o", copied}, args...)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	return out.String()
}

// TestBenchPage: the blocks of docs/performance.md are those that weft lab bench makes of the
// committed runs.
func TestBenchPage(t *testing.T) {
	want, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "performance.md")
	empty := regexp.MustCompile(`(?s)(<!-- begin bench [^\n]*\n).*?(<!-- end bench)`).ReplaceAll(want, []byte("$1$2"))
	if err := os.WriteFile(page, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range benchFiles(t) {
		keptBench(t, file, "--page", page)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/performance.md differs: weft lab bench --kept -o docs/results/bench/NAME.csv --page docs/performance.md writes\n%s", got)
	}
}

// TestBenchStatistics: the ratios and intervals of weft lab bench are those that a program in
// Python computes from its file, to the last digit.
func TestBenchStatistics(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	for _, file := range benchFiles(t) {
		cmd := exec.Command(python, "../../lab/bench/testdata/check.py", file, "../../lab/stats/testdata/check.py")
		want, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, want)
		}
		var got []string
		for line := range strings.Lines(keptBench(t, file)) {
			cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
			if strings.HasPrefix(line, "all, geometric mean") || len(cells) == 12 && cells[0] != "FABRIC" && strings.Contains(cells[7], "(") {
				got = append(got, strings.Join(cells, "\t"))
			}
		}
		if text := strings.Join(got, "\n") + "\n"; text != string(want) || len(got) == 0 {
			t.Errorf("%s: weft says\n%s\nPython says\n%s", file, text, want)
		}
	}
}

// TestBenchPeers runs OpenSM beside weft. What is kept is not run again.
func TestBenchPeers(t *testing.T) {
	peer.Program(t, "opensm")
	peer.Program(t, "ibsim")
	peer.Preload(t)
	dir := t.TempDir()
	bench := func() string {
		cmd := exec.Command("weft", "lab", "bench", "rlft(4,2)", "torus(3x3,hosts=1)", "-e", "ftree", "--rounds", "2", "-o", "bench.csv")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	first := bench()
	for _, want := range []string{
		`(?m)^rlft\(4,2\) +8 +ftree +2 .*\d+\.?\d* \(`, // times with a ratio and its interval
		`(?m)^rlft\(4,2\) +ftree +0\.\d+ +\d+ +\d+ +\d+ +1 +0\.\d+ +\d+ +\d+ +\d+ +1$`,
		`(?m)^torus\(3x3,hosts=1\), ftree, OpenSM: refused: `, `(?m)^torus\(3x3,hosts=1\), ftree, weft: refused: not a fat-tree`,
	} {
		if !regexp.MustCompile(want).MatchString(first) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "bench.csv"))
	if err != nil || bytes.Count(data, []byte("\n")) != 1+2+4+2 {
		t.Errorf("%v, rows:\n%s", err, data)
	}
	if again := bench(); again != first {
		t.Errorf("with all runs kept it prints\n%s\nbefore\n%s", again, first)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "bench.csv")); err != nil || !bytes.Equal(after, data) {
		t.Errorf("runs were made again (%v)", err)
	}
}

// TestBenchKept: --kept without runs is an error, and makes no file.
func TestBenchKept(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"-o", filepath.Join(dir, "none.csv")}, {"-o", filepath.Join(dir, "none.db")}} {
		if out, err := exec.Command("weft", append([]string{"lab", "bench", "--kept"}, args...)...).CombinedOutput(); err == nil {
			t.Errorf("%q: %s", args, out)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v are made (%v)", files, err)
	}
}
