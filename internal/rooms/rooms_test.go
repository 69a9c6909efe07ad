package rooms

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors lists the rooms, highest floor first. A package belongs to the longest
// prefix that fits it.
var floors = []struct {
	room  string
	floor int
}{
	{"weft/cmd", 6},
	{"weft/examples/program", 6},
	{"weft/lab", 5},
	{"weft/lab/chart", 3},
	{"weft/demo", 5},
	{"weft/outage", 5},
	{"weft/study", 4},
	{"weft/choose", 4},
	{"weft/whatif", 4},
	{"weft/sm", 4},
	{"weft/sm/service", 4},
	{"weft/emulator", 4},
	{"weft/intersubnet", 4},
	{"weft/sim", 3},
	{"weft/traffic", 3},
	{"weft/route/check", 3},
	{"weft/route/quality", 3},
	{"weft/cables", 3},
	{"weft/mapping/job", 3},
	{"weft/lpsolver", 3},
	{"weft/layout", 3},
	{"weft/route/engine/conformance", 3},
	{"weft/route/job", 3},
	{"weft/route", 2},
	{"weft/wire", 2},
	{"weft/mapping", 2},
	{"weft/mad", 1},
	{"weft/fabric", 1},
	{"weft/examples", 0},
	{"weft/internal", 0},
}

// forbidden pairs say what the floors alone do not.
var forbidden = []struct{ from, to, why string }{
	{"weft/route/check", "weft/route/engine", "the judge shares no code with the engines"},
	{"weft/route/check", "weft/route/quality", "the proof stands alone"},
	{"weft/intersubnet", "weft/intersubnet/check", "what routes does not judge"},
	{"weft/route/lids", "weft/fabric/netfile", "LIDs come from Graphs and Plans, not from files"},
	{"weft/route/recipe", "weft/route/engine", "a recipe gets its engine, it does not choose one"},
	{"weft/route/recipe", "weft/fabric/netfile", "a recipe reads no files"},
	{"weft/emulator", "weft/route", "a Plan is judged from tables read back over the wire"},
	{"weft/sm", "weft/sm/state", "the manager has no files: its runner is handed a function that stores"},
	{"weft/sm", "weft/sm/service", "a manager does not know who asks"},
	{"weft", "weft/internal/dumps", testsOnly},
	{"weft", "weft/internal/draws", testsOnly},
	{"weft", "weft/internal/peer", testsOnly},
	{"weft", "weft/internal/racing", testsOnly},
	{"weft", "weft/lab/labtest", testsOnly},
	{"weft", "weft/mapping/mappingtest", testsOnly},
	{"weft", "weft/route/engine/conformance", testsOnly},
	{"weft", "weft/route/routetest", testsOnly},
	{"weft", "weft/wire/wiretest", testsOnly},
}

const testsOnly = "it is there for tests only"

// roomOf is the room of a package and its floor, "" and -1 when it has none.
func roomOf(pkg string) (room string, floor int) {
	floor = -1
	for _, f := range floors {
		if within(pkg, f.room) && len(f.room) > len(room) {
			room, floor = f.room, f.floor
		}
	}
	return room, floor
}

func within(pkg, room string) bool {
	return pkg == room || strings.HasPrefix(pkg, room+"/")
}

func TestImportsGoDown(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "weft/...")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for dec := json.NewDecoder(out); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room, _ := roomOf(p.ImportPath)
		used[room] = true
		checkImports(t, p.ImportPath, p.Imports)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, f := range floors {
		if !used[f.room] {
			t.Errorf("no package is in room %s", f.room)
		}
	}
}

func checkImports(t *testing.T, pkg string, imports []string) {
	_, floor := roomOf(pkg)
	if floor < 0 {
		t.Errorf("%s belongs to no room: give it one in ARCHITECTURE.md and here", pkg)
	}
	for _, imp := range imports {
		if !within(imp, "weft") {
			continue
		}
		if pkg == "weft/route" && !slices.Contains([]string{"weft/fabric", "weft/internal/par"}, imp) {
			t.Errorf("%s imports %s: the Plan is a pure model", pkg, imp)
		}
		if _, other := roomOf(imp); other > floor {
			t.Errorf("%s (floor %d) imports %s (floor %d): imports go downwards", pkg, floor, imp, other)
		}
		for _, f := range forbidden {
			if f.why == testsOnly && isForTests(pkg) {
				continue
			}
			if within(pkg, f.from) && within(imp, f.to) && !within(pkg, f.to) {
				t.Errorf("%s imports %s: %s", pkg, imp, f.why)
			}
		}
	}
}

// isForTests reports whether only tests import a package.
func isForTests(pkg string) bool {
	for _, f := range forbidden {
		if f.why == testsOnly && within(pkg, f.to) {
			return true
		}
	}
	return false
}
