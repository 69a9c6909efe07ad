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
	sums, err := os.ReadFile(mapDir + "frozen/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(mapDir + "frozen/" + name)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("frozen/%s: %v, or not the file of SHA256SUMS", name, err)
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
	if out, err := exec.Command("weft", "lab", "report", mapDir+"frozen", "--page", page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/choosing.md differs (%v): weft lab report docs/results/map/frozen --page docs/choosing.md", err)
	}
}
