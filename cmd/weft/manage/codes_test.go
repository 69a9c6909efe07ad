package manage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodesAreConstants: nothing is told with a code that is written where it is told. The codes
// are the constants of package sm, whose tests find that each is explained.
func TestCodesAreConstants(t *testing.T) {
	told := 0
	for _, dir := range []string{".", "../../../sm", "../../../sm/service", "../../../sm/state"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			told += incidents(t, name, text)
		}
	}
	if told < 10 {
		t.Errorf("%d incidents found", told)
	}
	bad := `package p; var i = sm.Incident{Kind: "new-code"}; func f(m T) { m.tell("other-code", "text") }`
	noticed := &countingTB{TB: t}
	if incidents(noticed, "bad.go", []byte(bad)); noticed.errors != 2 {
		t.Errorf("%d of 2 codes that are no constants are noticed", noticed.errors)
	}
}

// countingTB counts errors in place of reporting them.
type countingTB struct {
	testing.TB
	errors int
}

func (c *countingTB) Errorf(string, ...any) { c.errors++ }

// incidents counts what a file tells, and reports codes that are no constants.
func incidents(t testing.TB, name string, text []byte) (told int) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	check := func(code ast.Expr) {
		told++
		if lit, ok := code.(*ast.BasicLit); ok {
			t.Errorf("%s: the code %s is no constant of package sm", files.Position(lit.Pos()), lit.Value)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Kind" {
				if lit, ok := n.Value.(*ast.BasicLit); !ok || lit.Kind == token.STRING {
					check(n.Value)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "tell" || f.Sel.Name == "note" || f.Sel.Name == "noteLoss") && len(n.Args) > 1 {
				check(n.Args[0])
			}
		}
		return true
	})
	return told
}
