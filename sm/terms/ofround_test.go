package terms_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/sm/terms"
)

// TestOfRounds: the codes of rounds are those that package round notes, and the deviations that a
// manager adds to a Report.
func TestOfRounds(t *testing.T) {
	named := map[string]string{} // by the name in the code
	report, err := os.ReadFile("report.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(\w+) +IncidentKind = "([^"]+)"`).FindAllStringSubmatch(string(report), -1) {
		named[m[1]] = m[2]
	}
	noted := map[string]bool{string(terms.Deviation): true}
	files, err := filepath.Glob("../round/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`terms\.(\w+)`).FindAllStringSubmatch(string(text), -1) {
			if code := named[m[1]]; code != "" {
				noted[code] = true
			}
		}
	}
	var listed []string
	for _, code := range terms.OfRounds {
		listed = append(listed, string(code))
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(noted)); !slices.Equal(listed, want) || len(want) < 30 {
		t.Errorf("%v, want %v", listed, want)
	}
}
