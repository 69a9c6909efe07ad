// Command mutate breaks the code on purpose, one edit at a time, and reports which edits
// the tests of the package notice. Edits stand in lists, a line each:
//
//	FILE | TEXT IN IT | TEXT IN ITS PLACE | PACKAGE WHOSE TESTS MUST FAIL
//
// The text stands in the file once. No file is changed: the go command overlays them.
//
//	make mutate                           all lists, and the score into docs/mutants.md
//	go run ./internal/mutate sm route     edits of these folders, to standard output
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	out, err := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", "180s", "./"+e.pkg).CombinedOutput()
	if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]") {
		return false, fmt.Errorf("%s: the broken code does not build: %s", e.place, out)
	}
	return err != nil, nil
}

func main() {
	log.SetFlags(0)
	edits, err := readEdits(".")
	if err != nil {
		log.Fatal(err)
	}
	if folders := os.Args[1:]; len(folders) > 0 {
		edits = slices.DeleteFunc(edits, func(e edit) bool {
			return !slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(e.pkg+"/", f+"/") })
		})
	}
	dir, err := os.MkdirTemp("", "weft-mutate-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	unbuilt := 0
	tried, caught, missed := map[string]int{}, map[string]int{}, []string{}
	var packages []string
	for i := range edits {
		e := &edits[i]
		noticed, err := e.try(dir)
		if err != nil {
			log.Print(err)
			unbuilt++
			continue
		}
		if tried[e.pkg]++; tried[e.pkg] == 1 {
			packages = append(packages, e.pkg)
		}
		word := "caught"
		if noticed {
			caught[e.pkg]++
		} else {
			word = "MISSED"
			missed = append(missed, fmt.Sprintf("- `%s`: `%s` -> `%s`", e.file, e.old, e.to))
		}
		log.Printf("%d of %d: %s %s: %s -> %s", i+1, len(edits), word, e.file, e.old, e.to)
	}
	slices.Sort(packages)
	fmt.Print("# Faults put in by hand\n\n`make mutate` breaks the code by the lists in `internal/mutate`, one edit at a time, and runs the tests of the package.\n\n| package | edits | caught | share |\n|---|---|---|---|\n")
	for _, pkg := range packages {
		fmt.Printf("| `%s` | %d | %d | %d %% |\n", pkg, tried[pkg], caught[pkg], 100*caught[pkg]/tried[pkg])
	}
	if unbuilt > 0 {
		log.Fatalf("%d edits leave code that does not build: mend the lists", unbuilt)
	}
	fmt.Printf("\n%d of %d caught. Not noticed:\n\n%s\n", len(edits)-len(missed), len(edits), strings.Join(append(missed, ""), "\n"))
}
