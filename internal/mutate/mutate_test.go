package mutate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/internal/fold"
	"weft/internal/par"
)

// edit is a line of a list.
type edit struct {
	place         string // of the line: list:number
	file, old, to string
	pkgs          []string // whose tests run, one after the other, until some fail; the first counts it
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
				return nil, fmt.Errorf("%s: want FILE | OLD | NEW | PACKAGES", place)
			}
			pkgs := strings.Fields(strings.ReplaceAll(parts[3], "./", ""))
			e := edit{place, parts[0], parts[1], parts[2], pkgs}
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

// try runs the tests of its packages with the edit made, under the race detector if race is set.
// caught: some failed.
func (e *edit) try(dir string, race bool) (caught bool, err error) {
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
	for _, pkg := range e.pkgs {
		if caught, err = e.tryTests(pkg, dir, overlay, race); caught || err != nil {
			return caught, err
		}
	}
	return false, nil
}

// tryTests runs the tests of one package, if it has any.
func (e *edit) tryTests(pkg, dir, overlay string, race bool) (caught bool, err error) {
	program := filepath.Join(dir, filepath.Base(pkg)+".test")
	if out, err := exec.Command("go", "test", "-c", "-race="+strconv.FormatBool(race), "-overlay", overlay, "-vet=off", "-o", program, "./"+pkg).CombinedOutput(); err != nil {
		return false, fmt.Errorf("%s: the broken code does not build: %w: %s", e.place, err, out)
	}
	if _, err := os.Stat(program); err != nil {
		return false, nil
	}
	for _, which := range []string{"-test.skip", "-test.run"} { // those with real programs last: they are slow
		tests := exec.Command(program, which, realPrograms, "-test.failfast", "-test.short="+strconv.FormatBool(race || *short), "-test.timeout", "600s")
		tests.Dir = pkg
		if tests.Run() != nil {
			return true, nil
		}
	}
	return false, nil
}

// realPrograms names the tests that hold weft against real programs.
const realPrograms = "OpenSM|RealPeers|Osmtest"

// mutate selects the edits to try: all of them, the edits of packages in some folders, or of some
// lists.
var (
	mutate = flag.String("mutate", "", "try the edits of packages in these folders of the project, or of these lists, a,b.edits,c; all for every one")
	most   = flag.Int("mutate-most", 0, "of these edits try so many, drawn; 0: all")
	draw   = flag.Uint64("mutate-draw", 1, "what they are drawn from")
	within = flag.Duration("mutate-for", 0, "begin no more edits after this time; 0: try all")
	atOnce = flag.Int("mutate-at-once", 1, "edits that are tried side by side")
	short  = flag.Bool("mutate-short", true, "run the tests with -short; without it as CI runs them")
	score  = flag.String("score", "", "write the score to this file")
)

// in reports whether a list of folders and lists of edits, a,b,c, has the edit. all has every one.
func (e *edit) in(list string) bool {
	return list == "all" || slices.ContainsFunc(strings.Split(list, ","), func(some string) bool {
		return strings.HasPrefix(e.pkgs[0]+"/", some+"/") || strings.HasPrefix(e.place, some+":")
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
	all := len(edits)
	edits = slices.DeleteFunc(edits, func(e edit) bool { return !e.in(*mutate) })
	selected := len(edits)
	listed := map[string]int{}
	for i := range edits {
		listed[edits[i].pkgs[0]]++
	}
	if *most > 0 {
		rand.New(rand.NewPCG(*draw, 0)).Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		edits = edits[:min(*most, len(edits))]
	}
	missed, scores := make([]string, len(edits)), map[string]tally{}
	dir, begun := t.TempDir(), time.Now()
	var mu sync.Mutex
	err = par.For(t.Context(), *atOnce, len(edits), func(_, i int) error {
		if *within > 0 && time.Since(begun) > *within {
			return nil
		}
		e := &edits[i]
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		caught, err := e.try(own, false)
		mu.Lock()
		defer mu.Unlock()
		if err != nil { // such as broken code that does not build: the others are tried all the same
			t.Error(err)
			return os.RemoveAll(own)
		}
		s, word := scores[e.pkgs[0]], "caught"
		if s.tried++; caught {
			s.caught++
		} else {
			word, missed[i] = "MISSED", fmt.Sprintf("- `%s`: `%s` -> `%s`", e.file, e.old, e.to)
		}
		scores[e.pkgs[0]] = s
		fmt.Printf("%d of %d: %s %s: %s -> %s\n", i+1, len(edits), word, e.file, e.old, e.to)
		return os.RemoveAll(own)
	})
	if err != nil {
		t.Fatal(err)
	}
	missed = slices.DeleteFunc(missed, func(line string) bool { return line == "" })
	slices.Sort(missed)
	tried := 0
	for _, s := range scores {
		tried += s.tried
	}
	text := report(counted(*mutate, all, selected, tried), scores, listed, missed)
	fmt.Print(text)
	if *score != "" && !t.Failed() {
		if err := os.WriteFile(*score, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// report returns the text of docs/mutants.md.
func report(part string, scores map[string]tally, listed map[string]int, missed []string) string {
	var b strings.Builder
	b.WriteString("# Deliberate faults\n\n")
	b.WriteString(fold.Page("", "`make mutate` breaks the code by the lists in `internal/mutate`, one edit at a time, and runs the tests of the package (`-short`). A fault counts as caught if a test fails.") + "\n\n")
	b.WriteString(fold.Page("", "**Counted here**: "+part) + "\n\n| package | edits in the lists | tried | caught | share |\n|---|---|---|---|---|\n")
	var all tally
	for _, pkg := range slices.Sorted(maps.Keys(scores)) {
		s := scores[pkg]
		all.tried, all.caught = all.tried+s.tried, all.caught+s.caught
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d %% |\n", pkg, listed[pkg], s.tried, s.caught, 100*s.caught/s.tried)
	}
	fmt.Fprintf(&b, "\n%d of %d caught. Not noticed:\n\n%s\n", all.caught, all.tried, strings.Join(append(missed, ""), "\n"))
	return b.String()
}

// counted says which part of the lists a run tried: a selection of all edits, and of these some,
// drawn at random or started in time.
func counted(selection string, all, selected, tried int) string {
	part := "all packages"
	if selection != "all" {
		part = "`" + strings.ReplaceAll(selection, ",", "`, `") + "` and the folders below"
	}
	return fmt.Sprintf("%s, with %d of the %d edits of all lists. %d of these %d edits were tried.", part, selected, all, tried, selected)
}
