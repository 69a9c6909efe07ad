package rooms

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors lists the rooms, highest floor first. A package belongs to the longest
// prefix that fits it.
var floors = []struct {
	room   string
	floor  int
	toCome bool // no package is in it yet
}{
	{room: "weft/cmd", floor: 6},
	{room: "weft/ui", floor: 6, toCome: true}, // the page
	{room: "weft/examples/program", floor: 6},
	{room: "weft/lab", floor: 5},
	{room: "weft/lab/store", floor: 4, toCome: true}, // what sweeps have measured
	{room: "weft/sm/outage", floor: 5},
	{room: "weft/study", floor: 4},
	{room: "weft/study/choose", floor: 4},
	{room: "weft/study/whatif", floor: 4},
	{room: "weft/sm", floor: 4}, // a stair of rooms: see stair
	{room: "weft/sm/service", floor: 4},
	{room: "weft/emulator", floor: 4},
	{room: "weft/apps", floor: 4, toCome: true}, // applications in time, on sim/packet and sim/flow
	{room: "weft/sim", floor: 3},
	{room: "weft/judge", floor: 3},
	{room: "weft/mapping/job", floor: 3},
	{room: "weft/study/lpsolver", floor: 3},
	{room: "weft/planner", floor: 3},
	{room: "weft/intersubnet", floor: 3},
	{room: "weft/route", floor: 2},
	{room: "weft/wire", floor: 2},
	{room: "weft/mapping", floor: 2},
	{room: "weft/fabric", floor: 1},
	{room: "weft/examples", floor: 0},
	{room: "weft/internal", floor: 0},
}

// forbidden pairs say what the floors alone do not.
var forbidden = []struct{ from, to, why string }{
	{"weft/judge/check", "weft/judge/quality", "the proof stands alone"},
	{"weft/intersubnet", "weft/intersubnet/check", "what routes does not judge"},
	{"weft/intersubnet", "weft/planner", "Plans of the subnets are handed to it"},
	{"weft/intersubnet", "weft/sim", "it makes the Plan; what that delivers is another room's"},
	{"weft/route/lids", "weft/fabric/netfile", "LIDs come from Graphs and Plans, not from files"},
	{"weft/route/recipe", "weft/route/engine", "a recipe gets its engine, it does not choose one"},
	{"weft/route/recipe", "weft/fabric/netfile", "a recipe reads no files"},
	{"weft/planner", "weft/route/engine", "engines are handed to it"},
	{"weft/planner", "weft/route/names", "engines that assign LIDs are handed to it"},
	{"weft/planner", "weft/fabric/netfile", "files of other subnet managers are a command's business"},
	{"weft/emulator", "weft/route", "a Plan is judged from tables read back over the wire"},
	{"weft/apps", "weft/sm", "an application runs on a Plan, whoever has told it"},
	{"weft/apps", "weft/emulator", "an application runs on a Plan, not on devices"},
	{"weft/apps", "weft/study", "what an application needs is asked of sim"},
	{"weft/sm", "weft/sm/state", "the manager has no files: its runner is handed a function that stores"},
	{"weft/sm", "weft/sm/service", "a manager does not know who asks"},
	{"weft/cmd/weft/cli", "weft/cmd/weft/manage", "what commands share knows none of them"},
	{"weft/cmd/weft/cli", "weft/cmd/weft/demo", "what commands share knows none of them"},
	{"weft", "weft/internal/dumps", testsOnly},
	{"weft", "weft/internal/draws", testsOnly},
	{"weft", "weft/internal/peer", testsOnly},
	{"weft", "weft/internal/racing", testsOnly},
	{"weft", "weft/fabric/netfile/netfiletest", testsOnly},
	{"weft", "weft/fabric/subnets/subnetstest", testsOnly},
	{"weft", "weft/lab/labtest", testsOnly},
	{"weft", "weft/mapping/mappingtest", testsOnly},
	{"weft", "weft/judge/conformance", testsOnly},
	{"weft", "weft/route/routetest", testsOnly},
	{"weft", "weft/sm/smtest", testsOnly},
	{"weft", "weft/study/studytest", testsOnly},
	{"weft", "weft/wire/wiretest", testsOnly},
}

const testsOnly = "it is there for tests only"

// stair holds, for each room of the subnet manager, those of its rooms that it may import.
var stair = map[string][]string{
	"terms":     {},
	"ledger":    {"terms"},
	"round":     {"terms", "ledger"},
	"watch":     {"terms", "ledger", "round"},
	"clients":   {"terms", "ledger"},
	"recording": {"terms"},
}

// isUpstairs reports whether a package of the manager imports a room of the stair that it must not see.
func isUpstairs(pkg, imp string) bool {
	from, onStair := strings.CutPrefix(pkg, "weft/sm/")
	to, isRoom := strings.CutPrefix(imp, "weft/sm/")
	may, known := stair[from]
	_, step := stair[to]
	return onStair && isRoom && known && step && !slices.Contains(may, to)
}

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
	used := map[string]bool{}
	for _, p := range list(t, "weft/...") {
		room, _ := roomOf(p.ImportPath)
		used[room] = true
		checkImports(t, p.ImportPath, p.Imports)
	}
	seen := map[string]bool{}
	for _, f := range floors {
		switch {
		case seen[f.room]:
			t.Errorf("room %s is listed twice", f.room)
		case used[f.room] && f.toCome:
			t.Errorf("room %s has a package now: it is no longer toCome", f.room)
		case !used[f.room] && !f.toCome:
			t.Errorf("no package is in room %s", f.room)
		}
		seen[f.room] = true
	}
}

// listed is what "go list" says of a package, without its tests.
type listed struct {
	ImportPath string
	Dir        string
	Export     string // file of export data, where it was asked for
	GoFiles    []string
	Imports    []string
}

// list runs "go list" with more arguments. With -deps a package comes after those that it imports.
func list(t *testing.T, args ...string) (all []listed) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,Imports"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
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
		if within(pkg, "weft/judge") && !isForTests(pkg) && within(imp, "weft/route") && imp != "weft/route" {
			t.Errorf("%s imports %s: the judge knows the Plan alone, and shares no code with the engines", pkg, imp)
		}
		if within(pkg, "weft/sm") && !within(pkg, "weft/sm/outage") && within(imp, "weft/emulator") {
			t.Errorf("%s imports %s: a manager meets its subnet over the wire", pkg, imp)
		}
		if pkg == "weft/sm/service" && slices.ContainsFunc([]string{"weft/study", "weft/study/whatif", "weft/planner"}, func(room string) bool { return within(imp, room) }) {
			t.Errorf("%s imports %s: it is handed the studies that it serves", pkg, imp)
		}
		if _, other := roomOf(imp); other > floor {
			t.Errorf("%s (floor %d) imports %s (floor %d): imports go downwards", pkg, floor, imp, other)
		}
		if isUpstairs(pkg, imp) {
			t.Errorf("%s imports %s: values walk down the stair of the manager, and up as results", pkg, imp)
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
