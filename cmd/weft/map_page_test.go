package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"weft/fabric/gen"
	"weft/lab/sweep"
)

const mapDir = "../../docs/results/map/"

// describedMap reads a description of the map as the command does.
func describedMap(t *testing.T, name string) *sweep.Description {
	t.Helper()
	data, err := os.ReadFile(mapDir + name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sweep.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	d.SetUsual()
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMap: the committed text is of the committed sweep; its fabrics are there; the dumps are run
// in the same way.
func TestMap(t *testing.T) {
	d, dumps := describedMap(t, "sweep.yaml"), describedMap(t, "dumps.yaml")
	for _, name := range d.Fabrics {
		if _, err := os.Stat("../../" + name); err != nil && !gen.IsFormula(name) {
			t.Errorf("%s is no file and no formula", name)
		}
	}
	text, err := yaml.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := os.ReadFile(mapDir + "frozen/sweep.yaml")
	if err != nil || !bytes.Equal(frozen, text) {
		t.Errorf("frozen/sweep.yaml is not that of sweep.yaml (%v): make map", err)
	}
	dumps.Fabrics, dumps.Title = d.Fabrics, d.Title
	if !reflect.DeepEqual(d, dumps) {
		t.Error("dumps.yaml differs from sweep.yaml in more than its fabrics and title")
	}
	for _, dir := range []string{"frozen/", "dumps/"} {
		sums, err := os.ReadFile(mapDir + dir + "SHA256SUMS")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(sums)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			data, err := os.ReadFile(mapDir + dir + name)
			if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
				t.Errorf("%s%s: %v, or not the file of SHA256SUMS", dir, name, err)
			}
		}
	}
}

// TestMapStandings: the committed comparisons are those of the committed text. Their last table
// needs the fabrics, and is not compared.
func TestMapStandings(t *testing.T) {
	for dir, name := range map[string]string{"frozen": "standings.txt", "dumps": "dumps-standings.txt"} {
		want, err := os.ReadFile(mapDir + name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("weft", "lab", "stats", mapDir+dir, "--behind", "auto").Output()
		if err != nil || !bytes.HasPrefix(want, out) {
			t.Errorf("%s is not that of %s (%v): make map", name, dir, err)
		}
	}
}

// TestMapFigures: the page of the map has the numbers of its committed comparisons.
func TestMapFigures(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(mapDir + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	page := strings.Join(strings.Fields(read("README.md")), " ")
	for name, form := range map[string]string{
		"standings.txt":       "in ebb on %[2]s of %[1]s fabrics, in shifts on %[3]s, in both on %[5]d",
		"dumps-standings.txt": "on the dumps on %[2]s, %[3]s and %[5]d of %[1]s",
	} {
		text := read(name)
		auto := regexp.MustCompile(`(?m)^auto +(\d+) +0 +0 +0 +\S+ % +(\d+) +\S+ % +(\d+) +\S+ +(\d+)$`).FindStringSubmatch(text)
		_, behind, _ := strings.Cut(text, "\nFABRIC ")
		behind, _, _ = strings.Cut(behind, "\n\n")
		if auto == nil {
			t.Fatalf("%s has no line of auto", name)
		}
		of, err := strconv.Atoi(auto[1])
		if err != nil {
			t.Fatal(err)
		}
		both := of - strings.Count(behind, "\n")
		if want := fmt.Sprintf(form+"%.0[4]s", auto[1], auto[2], auto[3], auto[4], both); !strings.Contains(page, want) {
			t.Errorf("the page of the map does not say %q, as %s does", want, name)
		}
	}
}

// TestMapPage: the table of docs/choosing.md is that of the committed text.
func TestMapPage(t *testing.T) {
	want, err := os.ReadFile("../../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "choosing.md")
	empty := regexp.MustCompile(`(?s)(<!-- begin report [^\n]*\n).*?(<!-- end report)`).ReplaceAll(want, []byte("$1$2"))
	if err := os.WriteFile(page, empty, 0o600); err != nil || bytes.Equal(empty, want) {
		t.Fatalf("%v, or the table is empty", err)
	}
	for _, dir := range []string{"frozen", "dumps"} {
		if out, err := exec.Command("weft", "lab", "report", mapDir+dir, "--page", page).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/choosing.md differs (%v): weft lab report docs/results/map/frozen --page docs/choosing.md", err)
	}
}
