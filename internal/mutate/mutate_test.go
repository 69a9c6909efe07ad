package mutate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// edit is a line of a list.
type edit struct {
	place         string // of the line: list:number
	file, old, to string
	pkg           string
}

// readEdits reads lists, and checks that each edit has its place in the code.
func readEdits(root string) (edits []edit, err error) {
	lists, err := filepath.Glob(filepath.Join(root, "internal/mutate/*.edits"))
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			parts := strings.Split(line, " | ")
			place := fmt.Sprintf("%s:%d", filepath.Base(list), i+1)
			if len(parts) != 4 {
				return nil, fmt.Errorf("%s: want FILE | OLD | NEW | PACKAGE", place)
			}
			e := edit{place, parts[0], parts[1], parts[2], strings.TrimPrefix(parts[3], "./")}
			code, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", place, err)
			}
			if n := strings.Count(string(code), e.old); n != 1 {
				return nil, fmt.Errorf("%s: %q stands in %s %d times, not once", place, e.old, e.file, n)
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// try runs the tests of the package with the edit made. caught: they failed.
func (e *edit) try(dir string) (caught bool, err error) {
	code, err := os.ReadFile(e.file)
	if err != nil {
		return false, err
	}
	broken, overlay := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json")
	path, err := filepath.Abs(e.file)
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(broken, []byte(strings.Replace(string(code), e.old, e.to, 1)), 0o600); err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return false, err
	}
	out, err := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-short", "-timeout", "180s", "./"+e.pkg).CombinedOutput()
	if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]") {
		return false, fmt.Errorf("%s: the broken code does not build: %s", e.place, out)
	}
	return err != nil, nil
}

// mutate asks for the edits to be tried: all of them, or those of packages in some folders.
var (
	mutate = flag.String("mutate", "", "try the edits of packages in these folders of the project, a,b,c; all for every one")
	score  = flag.String("score", "", "write the score to this file")
)

// asked reports whether the edits of a package are to be tried.
func asked(pkg string) bool {
	return *mutate == "all" || slices.ContainsFunc(strings.Split(*mutate, ","), func(folder string) bool {
		return strings.HasPrefix(pkg+"/", folder+"/")
	})
}

// TestEdits: every edit of the lists has its place in the code.
func TestEdits(t *testing.T) {
	edits, err := readEdits("../..")
	if err != nil || len(edits) < 100 {
		t.Errorf("%d edits, %v", len(edits), err)
	}
}

// tally counts the edits of a package.
type tally struct{ tried, caught int }

// TestMutate tries the edits, and writes the score.
func TestMutate(t *testing.T) {
	if *mutate == "" {
		t.Skip("takes an hour: make mutate")
	}
	t.Chdir("../..")
	edits, err := readEdits(".")
	if err != nil {
		t.Fatal(err)
	}
	var missed []string
	scores := map[string]tally{}
	for i := range edits {
		e := &edits[i]
		if !asked(e.pkg) {
			continue
		}
		caught, err := e.try(t.TempDir())
		if err != nil {
			t.Error(err)
			continue
		}
		s, word := scores[e.pkg], "MISSED"
		s.tried++
		if caught {
			s.caught++
			word = "caught"
		} else {
			missed = append(missed, fmt.Sprintf("- `%s`: `%s` -> `%s`", e.file, e.old, e.to))
		}
		scores[e.pkg] = s
		fmt.Printf("%d of %d: %s %s: %s -> %s\n", i+1, len(edits), word, e.file, e.old, e.to)
	}
	text := report(scores, missed)
	fmt.Print(text)
	if *score != "" && !t.Failed() {
		if err := os.WriteFile(*score, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// report is the score as docs/mutants.md has it.
func report(scores map[string]tally, missed []string) string {
	var b strings.Builder
	b.WriteString("# Faults put in by hand\n\n`make mutate` breaks the code by the lists in `internal/mutate`, one edit at a time, and runs the tests of the package.\n\n| package | edits | caught | share |\n|---|---|---|---|\n")
	var all tally
	for _, pkg := range slices.Sorted(maps.Keys(scores)) {
		s := scores[pkg]
		all.tried, all.caught = all.tried+s.tried, all.caught+s.caught
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d %% |\n", pkg, s.tried, s.caught, 100*s.caught/s.tried)
	}
	fmt.Fprintf(&b, "\n%d of %d caught. Not noticed:\n\n%s\n", all.caught, all.tried, strings.Join(append(missed, ""), "\n"))
	return b.String()
}
