package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAnotherModule: the go.mod and the five lines of docs/tools.md are a program of another module
// that routes a network with weft. make release runs it: it compiles weft anew, 10 s of CPU.
func TestAnotherModule(t *testing.T) {
	if os.Getenv("WEFT_ANOTHER_MODULE") == "" {
		t.Skip("compiles weft as another module does: set WEFT_ANOTHER_MODULE, or make release")
	}
	page, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind, begin string) string {
		t.Helper()
		found := regexp.MustCompile("(?s)```" + kind + "\n(" + begin + ".*?)```\n").FindSubmatch(page)
		if found == nil {
			t.Fatalf("docs/tools.md has no such block: %s", begin)
		}
		return string(found[1])
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	five := block("go", "src, err")
	if n := strings.Count(five, "\n"); n != 5 {
		t.Errorf("%d lines are five", n)
	}
	for name, text := range map[string]string{
		"go.mod": strings.Replace(block("text", "module"), "/path/to/weft", root, 1), "go.sum": string(sums),
		"main.go": fmt.Sprintf("package main\n\nimport (%q\n%q\n%q\n%q\n%q\n%q)\n\nfunc main() {\n%s}\n", "context", "errors", "fmt", "weft/fabric/source", "weft/planner", "weft/route/engine", five),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "44 LIDs, proven: true\n<nil>\n" {
		t.Errorf("%v:\n%s", err, out)
	}
}
