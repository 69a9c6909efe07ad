package page

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGlossary: every line of the table is a term; the terms that the page names are there, and the
// page names a fair number of them.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	g := readGlossary(string(text))
	if want := strings.Count(string(text), "\n| ") - 1; len(g.Terms) != want || want < 300 {
		t.Errorf("%d terms, want %d", len(g.Terms), want)
	}
	known := map[string]bool{}
	for _, term := range g.Terms {
		if known[term.Term] || term.Term == "" || len(term.Meaning) < 5 || strings.ContainsAny(term.Term+term.Meaning, "|`") {
			t.Errorf("%+v", term)
		}
		known[term.Term] = true
	}
	names := regexp.MustCompile(`<Term of=(?:"([^"]*)")?`)
	used := map[string]bool{}
	err = filepath.WalkDir("../../ui/page/src", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) != ".svelte" {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range names.FindAllStringSubmatch(string(source), -1) {
			used[found[1]] = true
			if !known[found[1]] {
				t.Errorf("%s: the glossary has no term %q", path, found[1])
			}
		}
		return err
	})
	if err != nil || len(used) < 20 {
		t.Errorf("%v; the page names %d terms", err, len(used))
	}
}
