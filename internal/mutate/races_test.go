package mutate

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var mutateRaces = flag.String("mutate-races", "", "put a data race into the loops on several cores of packages in these folders of the project, a,b,c, one at a time; all for every one")

// loopHeader is the line that opens the body of a loop on several cores.
var loopHeader = regexp.MustCompile(`(?m)^\t+.*\bpar\.For\(.*\{$`)

// readRaces returns an edit for each body of par.For outside of tests: all its workers count in one
// variable.
func readRaces(root string) (races []edit, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		code, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		for _, at := range loopHeader.FindAllIndex(code, -1) {
			header := string(code[at[0]:at[1]])
			place := fmt.Sprintf("%s:%d", file, 1+strings.Count(string(code[:at[0]]), "\n"))
			if strings.Count(string(code), header) != 1 {
				continue // two loops of one file begin alike: the edit would have two places
			}
			body := strings.TrimLeft(header, "\t")
			races = append(races, edit{place, file, header, "raced := new(int); " + body + " *raced++;", []string{filepath.Dir(file)}})
		}
		return nil
	})
	return races, err
}

// TestRaces: the race detector, over the tests that CI runs under it, notices a race in the body of
// any loop on several cores.
func TestRaces(t *testing.T) {
	t.Chdir("../..")
	races, err := readRaces(".")
	if err != nil || len(races) < 40 {
		t.Fatalf("%d loops, %v", len(races), err)
	}
	if *mutateRaces == "" {
		t.Skip("takes half an hour: make mutate-races")
	}
	races = slices.DeleteFunc(races, func(e edit) bool { return !e.in(*mutateRaces) })
	for i := range races {
		caught, err := races[i].try(t.TempDir(), true)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Printf("%d of %d: caught %v %s\n", i+1, len(races), caught, races[i].place); !caught {
			t.Errorf("no test of %s notices a race at %s", races[i].pkgs[0], races[i].place)
		}
	}
}
