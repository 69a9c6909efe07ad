package rooms

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is the width of comments; a tab counts as four columns. Code has no limit.
const mostColumns = 100

// TestComments: comments on lines of their own wrap. Tables and code in them, which begin with a
// tab, and words without a space need not.
func TestComments(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			files++
			checkComments(t, path)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files: %v", files, err)
	}
}

func checkComments(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			at := fset.Position(c.Pos())
			before := text[at.Offset-at.Column+1 : at.Offset]
			columns := 4*len(before) + utf8.RuneCountInString(c.Text)
			words, isProse := strings.CutPrefix(c.Text, "// ")
			if isProse && strings.Contains(words, " ") && columns > mostColumns && len(bytes.Trim(before, "\t")) == 0 {
				t.Errorf("%s:%d: a comment of %d columns, more than %d", file, at.Line, columns, mostColumns)
			}
		}
	}
}
