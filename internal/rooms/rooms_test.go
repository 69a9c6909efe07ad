package rooms

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// table is the import rule as ARCHITECTURE.md has it: a row for each room, and the rooms that its
// packages may import. A package belongs to the longest row that fits it, an import to the longest
// column. Each may import its own folder, and weft/internal.
type table struct {
	rows    map[string]bool // the rooms; true: no package is in it yet
	columns []string
	may     map[[2]string]bool
}

// readTable reads the import rule.
func readTable(t *testing.T) *table {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	r := &table{rows: map[string]bool{}, may: map[[2]string]bool{}}
	_, after, found := strings.Cut(string(text), "\n| may import ->")
	if !found {
		t.Fatal("ARCHITECTURE.md has no import table")
	}
	for i, line := range strings.Split(after, "\n") {
		if i > 0 && !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(line, "|")
		cells = cells[1 : len(cells)-1]
		if i == 0 {
			for _, c := range cells {
				r.columns = append(r.columns, strings.Trim(c, " `"))
			}
			continue
		}
		if i > 1 {
			r.addRow(t, cells)
		}
	}
	if len(r.rows) < 10 || len(r.columns) < 10 || len(r.may) < 50 {
		t.Fatalf("ARCHITECTURE.md: %d rooms, %d columns, %d marks in the import table", len(r.rows), len(r.columns), len(r.may))
	}
	return r
}

// addRow adds a row: a room and its marks.
func (r *table) addRow(t *testing.T, cells []string) {
	t.Helper()
	room, note, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(cells[0]), "`"), "`")
	if _, twice := r.rows[room]; twice || len(cells) != 1+len(r.columns) {
		t.Fatalf("import table of ARCHITECTURE.md: room %s has a second row, or not %d cells", room, 1+len(r.columns))
	}
	r.rows[room] = note == ", to come"
	for i, mark := range cells[1:] {
		switch strings.TrimSpace(mark) {
		case "":
		case "x":
			r.may[[2]string{room, r.columns[i]}] = true
		default:
			t.Errorf("import table of ARCHITECTURE.md: %q is no mark", mark)
		}
	}
}

// longest returns the longest of the rooms that a package is in, "" for none.
func longest(pkg string, rooms iter.Seq[string]) (found string) {
	for room := range rooms {
		if within(pkg, "weft/"+room) && len(room) > len(found) {
			found = room
		}
	}
	return found
}

// room returns the room of a package, "" for none.
func (r *table) room(pkg string) string { return longest(pkg, maps.Keys(r.rows)) }

// allows reports whether the table lets a package import another one.
func (r *table) allows(pkg, imp string) bool {
	if imp == "weft" { // the sources, as bytes
		return within(pkg, "weft/cmd/weft")
	}
	return folder(imp) == folder(pkg) || folder(imp) == "internal" || r.may[[2]string{r.room(pkg), longest(imp, slices.Values(r.columns))}]
}

// folder returns the top-level folder of a package.
func folder(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pkg, "weft/"), "/")
	return name
}

// forbidden pairs say what the table does not: most are pairs inside of a room.
var forbidden = []struct{ from, to, why string }{
	{"weft/judge/check", "weft/judge/quality", "the proof stands alone"},
	{"weft/intersubnet", "weft/intersubnet/check", "what routes does not judge"},
	{"weft/route/lids", "weft/fabric/netfile", "LIDs come from Graphs and Plans, not from files"},
	{"weft/route/recipe", "weft/route/engine", "a recipe gets its engine, it does not choose one"},
	{"weft/route/recipe", "weft/fabric/netfile", "a recipe reads no files"},
	{"weft/planner", "weft/route/names", "engines that assign LIDs are handed to it"},
	{"weft/planner", "weft/fabric/netfile", "files of other subnet managers are a command's business"},
	{"weft/sm", "weft/sm/state", "the manager has no files: its runner is handed a function that stores"},
	{"weft/sm", "weft/sm/service", "a manager does not know who asks"},
	{"weft/sm/service", "weft/planner", "it is handed the studies that it serves"},
	{"weft/sm", "weft/sm/outage", "a rehearsal stands above the manager"},
	{"weft/lab/store", "weft/lab", "what is stored does not know who measured it"},
	{"weft/study/lpsolver", "weft/study", "it solves programmes, and does not know whose"},
	{"weft/mapping", "weft/mapping/job", "a mapper does not know what runs it"},
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

// isUpstairs reports whether a package of the manager imports a room of the stair that it must not
// see.
func isUpstairs(pkg, imp string) bool {
	from, onStair := strings.CutPrefix(pkg, "weft/sm/")
	to, isRoom := strings.CutPrefix(imp, "weft/sm/")
	may, known := stair[from]
	_, step := stair[to]
	return onStair && isRoom && known && step && !slices.Contains(may, to)
}

func within(pkg, room string) bool {
	return pkg == room || strings.HasPrefix(pkg, room+"/")
}

// TestImports checks the imports of all packages, and that no room is empty or outside of the
// table.
func TestImports(t *testing.T) {
	rule, used := readTable(t), map[string]bool{}
	for _, p := range list(t, "weft/...") {
		used[rule.room(p.ImportPath)] = true
		checkImports(t, rule, p.ImportPath, p.Imports)
	}
	for room, toCome := range rule.rows {
		switch {
		case used[room] && toCome:
			t.Errorf("room %s has a package now: it is no longer to come", room)
		case !used[room] && !toCome:
			t.Errorf("no package is in room %s", room)
		}
	}
	for _, room := range rule.columns {
		if _, known := rule.rows[folder("weft/"+room)]; !known {
			t.Errorf("column %s is of no room", room)
		}
	}
}

// TestTable tries the rule on imports that it must tell apart.
func TestTable(t *testing.T) {
	rule := readTable(t)
	for _, c := range []struct {
		pkg, imp string
		allowed  bool
	}{
		{"fabric/gen", "fabric", true},
		{"fabric/gen", "internal/par", true},
		{"fabric", "route", false},
		{"route/relief", "route/engine", true}, // its own folder
		{"planner", "route/recipe", true},
		{"planner", "route/engine", false},
		{"planner/between", "route/engine/updn", false},
		{"study/routing", "route/engine/pathset", true},
		{"sm", "route/engine", false},
		{"sm/round", "emulator", false},
		{"sm/outage", "emulator/live", true},
		{"sm/outage", "sim/packet", true},
		{"sm/congestion", "sim/packet", false},
		{"sm/congestion", "sim/congestion", true},
		{"sm/service", "study/whatif", false},
		{"sm/service/client", "study/whatif", true},
		{"sm/service/client", "study", false},
		{"emulator", "route", false},
		{"intersubnet", "sim/flow", false},
		{"lab/fattree", "sm/outage", true},
		{"lab/fattree", "wire", false},
		{"apps/jobs", "sim/packet", true},
		{"apps/jobs", "emulator", false},
		{"ui", "sm/service", false},
		{"cmd/weft", "ui", true},
		{"internal/par", "fabric", false},
		{"sm", "cmd/weft/cli", false},
		{"somewhere", "fabric", false},
	} {
		if got := rule.allows("weft/"+c.pkg, "weft/"+c.imp); got != c.allowed {
			t.Errorf("%s may import %s: %t", c.pkg, c.imp, got)
		}
	}
	for _, c := range []struct {
		pkg, imp  string
		forbidden bool
	}{
		{"lab/store", "lab", true},
		{"lab", "lab/store", false},
		{"mapping/algorithm", "mapping/job", true},
		{"mapping/job", "mapping/algorithm", false},
		{"sm/watch", "sm/outage", true},
		{"sm/outage", "sm/watch", false},
		{"sm", "sm/state", true},
		{"sm/service/client", "sm/service", false},
		{"lab/fattree", "lab/labtest", true},
		{"sm/smtest", "route/routetest", false},
	} {
		if why := whyNot("weft/"+c.pkg, "weft/"+c.imp); (why != "") != c.forbidden {
			t.Errorf("%s may not import %s: %q", c.pkg, c.imp, why)
		}
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

func checkImports(t *testing.T, rule *table, pkg string, imports []string) {
	if pkg != "weft" && rule.room(pkg) == "" {
		t.Errorf("%s belongs to no room: give it a row in the import table of ARCHITECTURE.md", pkg)
	}
	for _, imp := range imports {
		if !within(imp, "weft") {
			continue
		}
		if !rule.allows(pkg, imp) && !isForTests(pkg) {
			t.Errorf("%s imports %s: the import table of ARCHITECTURE.md does not let %s do so", pkg, imp, rule.room(pkg))
		}
		if pkg == "weft/route" && !slices.Contains([]string{"weft/fabric", "weft/internal/par"}, imp) {
			t.Errorf("%s imports %s: the Plan is a pure model", pkg, imp)
		}
		if within(pkg, "weft/judge") && !isForTests(pkg) && within(imp, "weft/route") && imp != "weft/route" {
			t.Errorf("%s imports %s: the judge knows the Plan alone, and shares no code with the engines", pkg, imp)
		}
		if isUpstairs(pkg, imp) {
			t.Errorf("%s imports %s: values walk down the stair of the manager, and up as results", pkg, imp)
		}
		if why := whyNot(pkg, imp); why != "" {
			t.Errorf("%s imports %s: %s", pkg, imp, why)
		}
	}
}

// whyNot returns why an import is among the forbidden pairs, "" if it is not.
func whyNot(pkg, imp string) string {
	for _, f := range forbidden {
		from, to := within(pkg, f.from), within(imp, f.to)
		if within(f.from, f.to) { // a part of a room that does not know the rest
			to = to && !within(imp, f.from)
		} else {
			from = from && !within(pkg, f.to)
		}
		if from && to && (f.why != testsOnly || !isForTests(pkg)) {
			return f.why
		}
	}
	return ""
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
