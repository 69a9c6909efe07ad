package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBOM: a program is listed with Go and each module that it links, and each has a licence.
func TestBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var bom, again, licences bytes.Buffer
	for _, w := range []*bytes.Buffer{&bom, &again} {
		if err := run(w, []string{"sbom", self}); err != nil {
			t.Fatal(err)
		}
	}
	var read struct{ Components []component }
	if err := json.Unmarshal(bom.Bytes(), &read); err != nil || len(read.Components) == 0 || read.Components[0].Name != "std" || bom.String() != again.String() {
		t.Errorf("%v: %s", err, &bom)
	}
	t.Chdir("../..")
	if err := run(&licences, []string{"licences", self}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"==== weft ====", "Apache License", "==== Go go"} {
		if !strings.Contains(licences.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, args := range [][]string{nil, {"sbom"}, {"what", self}, {"sbom", "LICENSE"}} {
		if run(&bom, args) == nil {
			t.Errorf("%v is taken", args)
		}
	}
	if _, err := licencesIn(t.TempDir()); err == nil {
		t.Error("a module without a licence is taken")
	}
}
