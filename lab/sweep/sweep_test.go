package sweep

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weft/fabric"
	"weft/fabric/source"
	"weft/lab/measure"
	"weft/lab/measure/appload"
	"weft/lab/measure/flowload"
	"weft/lab/measure/packetload"
	"weft/lab/stats"
	"weft/lab/store"
	"weft/route/levels"
)

var update = flag.Bool("update", false, "write docs/sweep.schema.json")

// keepNothing keeps no rows.
type keepNothing struct{}

func (keepNothing) Put(*Row) error { return nil }
func (keepNothing) Flush() error   { return nil }

func setup() *Setup {
	return &Setup{
		Open: func(arg string) (*fabric.Graph, error) {
			src, err := source.Open(arg, source.Options{})
			if err != nil {
				return nil, err
			}
			return src.Fabric.Compile(), nil
		},
		Digest:  func(packages ...string) (string, error) { return strings.Join(packages, " "), nil },
		Workers: 2,
	}
}

func describe(t *testing.T, text string) *Description {
	t.Helper()
	d, err := Parse("sweep.yaml", []byte(text))
	if err == nil {
		d.SetUsual()
		err = d.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs a sweep and returns its rows and its sheet.
func run(t *testing.T, d *Description, s *Setup, shard Shard) (map[string]*Row, *Sheet) {
	t.Helper()
	r := &Run{Description: d, Setup: s, Shard: shard, Keep: keepNothing{}, Rows: map[string]*Row{}, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) {}}
	p, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Rows, r.SheetOf(p, "", "")
}

// same compares the rows of two runs.
func same(t *testing.T, what string, a, b map[string]*Row) {
	t.Helper()
	if x, y := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)); !slices.Equal(x, y) {
		t.Errorf("%s: %d cases and %d", what, len(x), len(y))
	}
	for name, row := range a {
		if b[name] == nil {
			continue
		}
		if d := store.Differences(row, b[name]); len(d) > 0 {
			t.Errorf("%s: %s: %+v", what, name, d)
		}
	}
}

const small = `
fabrics: ["torus(4x4,hosts=1)", "rlft(4,2)"]
damage: [none, 0.1]
draws: {least: 2}
engines: [updn, dor, minhop]
workloads: [flow: {runs: 20}, packets: {duration: 2us, warmup: 1us, load: 0.2}, app: {program: "alltoall(size=4KiB)", placement: random}]
`

// namesOf returns the names of a sweep's cases.
func namesOf(t *testing.T, d *Description, s *Setup) []string {
	t.Helper()
	p, err := d.Expand(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, j := range p.Jobs {
		for _, c := range j.Cases {
			list = append(list, c.Row.Case)
		}
	}
	return list
}

// TestCaseNames: each option, seed, file and source that decides a result makes other cases; no
// other option does. A new option of a description must be put in one of the lists.
func TestCaseNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.txt")
	dump, err := os.ReadFile("../../examples/psmn-x5.ibnetdiscover")
	if err != nil {
		t.Fatal(err)
	}
	write := func(data string) {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(dump))
	base := func() *Description {
		return describe(t, fmt.Sprintf("fabrics: [%q]\ndamage: [0.1]\ndraws: {least: 1}\nengines: [dfsssp]\n", file))
	}
	was := namesOf(t, base(), setup())
	if len(was) != 1 || !slices.Equal(namesOf(t, base(), setup()), was) {
		t.Fatalf("one sweep has two lists of names: %v", was)
	}
	classed := map[string]bool{"List": true, "Roles": true, "Kinds": true, "Levels": true} // files: below
	for name, change := range map[string]func(d *Description, s *Setup){
		"Fabrics":      func(d *Description, _ *Setup) { d.Fabrics = []string{"odin"} },
		"Damage":       func(d *Description, _ *Setup) { d.Damage = []string{"0.2"} },
		"Draws":        func(d *Description, _ *Setup) { d.Draws.First = 2 },
		"Engines":      func(d *Description, _ *Setup) { d.Engines = []string{"dfsssp,replies=own"} },
		"Options":      func(d *Description, _ *Setup) { d.Options = []string{"replies=own"} },
		"Lanes":        func(d *Description, _ *Setup) { d.Lanes = []int{3} },
		"LMC":          func(d *Description, _ *Setup) { d.LMC = []int{1} },
		"FreshLIDs":    func(d *Description, _ *Setup) { d.FreshLIDs = true },
		"Seeds":        func(d *Description, _ *Setup) { d.Seeds.Engine = []uint64{2} },
		"Seeds again":  func(d *Description, _ *Setup) { d.Seeds.Traffic = []uint64{2} },
		"Workloads":    func(d *Description, _ *Setup) { d.Workloads = []Workload{{Flow: &flowload.Params{Runs: 5}}} },
		"file":         func(*Description, *Setup) { write(strings.Replace(string(dump), "4xQDR", "4xDDR", 1)) },
		"sources":      func(_ *Description, s *Setup) { s.Digest = func(...string) (string, error) { return "other", nil } },
		"kinds file":   func(_ *Description, s *Setup) { s.Kinds = []fabric.KindRule{{Kind: "io", Hosts: "*"}} },
		"levels file":  func(_ *Description, s *Setup) { s.Levels = levels.Levels{{Name: "a", Share: 3}} },
		"Title":        func(d *Description, _ *Setup) { d.Title = "?" },
		"Only":         func(d *Description, _ *Setup) { d.Only = []string{"hosts > 0"} },
		"Skip":         func(d *Description, _ *Setup) { d.Skip = []string{"hosts < 0"} },
		"Columns":      func(d *Description, _ *Setup) { d.Columns = []Derived{{"x", "ebb_share"}} },
		"TimeLimit":    func(d *Description, _ *Setup) { d.TimeLimit = "1h" },
		"number cores": func(_ *Description, s *Setup) { s.Workers = 1 },
	} {
		d, s := base(), setup()
		change(d, s)
		first, _, _ := strings.Cut(name, " ")
		classed[first] = true
		now := namesOf(t, d, s)
		decides := !slices.Contains([]string{"Title", "Only", "Skip", "Columns", "TimeLimit", "number"}, first)
		if other := len(now) > 0 && !slices.Contains(now, was[0]); other != decides {
			t.Errorf("%s changed: other cases: %t", name, other)
		}
		write(string(dump))
	}
	for field := range options(reflect.TypeFor[Description]()) {
		if !classed[field.Name] {
			t.Errorf("%s: does it decide a result? Add it to this test", field.Name)
		}
	}
}

// TestIdentityFields: every field of the types that decide a result is in the name of a case.
func TestIdentityFields(t *testing.T) {
	name := func(id *identity) string { n, _ := id.name(); return n }
	try := func(what string, v reflect.Value, id *identity) {
		for i := range v.NumField() {
			was := name(id)
			f := v.Field(i)
			old := reflect.New(f.Type()).Elem()
			old.Set(f)
			switch f.Kind() {
			case reflect.String:
				f.SetString("x")
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int:
				f.SetInt(7)
			case reflect.Uint8, reflect.Uint64:
				f.SetUint(7)
			case reflect.Float64:
				f.SetFloat(.7)
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 3, 3))
			case reflect.Pointer, reflect.Struct:
				continue // tried by its own fields
			default:
				t.Fatalf("%s.%s: a kind that this test does not change", what, v.Type().Field(i).Name)
			}
			if name(id) == was {
				t.Errorf("%s.%s does not change the name of a case", what, v.Type().Field(i).Name)
			}
			f.Set(old)
		}
	}
	id := &identity{Workload: Workload{Flow: &flowload.Params{}}}
	try("identity", reflect.ValueOf(id).Elem(), id)
	try("Routing", reflect.ValueOf(&id.Routing).Elem(), id)
	try("flowload.Params", reflect.ValueOf(id.Workload.Flow).Elem(), id)
	id.Workload = Workload{Packets: &packetload.Params{}}
	try("packetload.Params", reflect.ValueOf(id.Workload.Packets).Elem(), id)
	id.Workload = Workload{App: &appload.Params{}}
	try("appload.Params", reflect.ValueOf(id.Workload.App).Elem(), id)
	id.Routing.Levels = make(levels.Levels, 1)
	try("Level", reflect.ValueOf(&id.Routing.Levels[0]).Elem(), id)
	id.Routing.Engines = []measure.Engine{{Name: "a"}}
	was := name(id)
	if id.Routing.Engines[0].Options = map[string]string{"o": "1"}; name(id) == was {
		t.Error("options of engines do not change the name of a case")
	}
}

// TestWorkers: the rows do not depend on the number of cores, nor on the number of workers.
func TestWorkers(t *testing.T) {
	d := describe(t, small)
	s := setup()
	whole, sheet := run(t, d, s, Shard{})
	if len(whole) != len(sheet.Cases) || len(whole) < 30 {
		t.Fatalf("%d rows, %d cases", len(whole), len(sheet.Cases))
	}
	for _, workers := range []int{1, 5} {
		s.Workers = workers
		rows, _ := run(t, d, s, Shard{})
		same(t, fmt.Sprintf("%d cores", workers), whole, rows)
	}
	for _, n := range []int{2, 5} {
		all := map[string]*Row{}
		var sheets []*Sheet
		for i := 1; i <= n; i++ {
			rows, part := run(t, d, s, Shard{i, n})
			for name, row := range rows {
				if all[name] != nil {
					t.Errorf("two of %d workers have case %s", n, name)
				}
				all[name] = row
			}
			sheets = append(sheets, part)
		}
		counts := map[int]int{} // of jobs; each has two cases
		for _, part := range sheets {
			counts[(len(part.Cases)+1)/2]++
		}
		if keys := slices.Sorted(maps.Keys(counts)); keys[len(keys)-1]-keys[0] > 1 {
			t.Errorf("%d workers have uneven numbers of jobs: %v", n, counts)
		}
		same(t, fmt.Sprintf("%d workers", n), whole, all)
		joined, missing, err := JoinSheets(sheets)
		if err != nil || len(missing) > 0 || !slices.Equal(joined.Cases, sheet.Cases) {
			t.Errorf("%d workers: %v, without %v, the order differs: %t", n, err, missing, !slices.Equal(joined.Cases, sheet.Cases))
		}
	}
	statuses := map[string]int{}
	for _, row := range whole {
		statuses[row.Status]++
		if (row.Status == Proven) != (row.Reason == "") {
			t.Errorf("%s: %q", row.Status, row.Reason)
		}
	}
	if statuses[Proven] == 0 || statuses[NotProven] == 0 || statuses[Refused] == 0 {
		t.Errorf("%v", statuses)
	}
}

// TestDrawsUntilNarrow: cells are drawn until their intervals are narrow, by one worker or several.
// Cells have fabrics in common: one of them is a draw of another, and two fail one link of 32.
func TestDrawsUntilNarrow(t *testing.T) {
	d := describe(t, `
fabrics: ["torus(4x4,hosts=1)|fail(share=0.1,links=all,seed=1)", "torus(4x4,hosts=1)"]
damage: [none, 0.1, "fail(links=1)", 0.04]
skip: ['network != "torus(4x4,hosts=1)" && damage != "none"']
engines: [updn]
workloads: [flow: {runs: 30}]
draws: {least: 2, most: 32, within: 0.02}
`)
	rows, sheet := run(t, d, setup(), Shard{})
	s, err := d.Summarise(sheet, rows, "", "")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]stats.Interval{}
	for _, c := range s.Cells {
		drawn[c.Damage] = c.Interval
		if c.N > 1 && c.N < 30 && c.Half > .02*c.Mean {
			t.Errorf("%+v is wide, and was not drawn further", c)
		}
	}
	if drawn[NoDamage].N != 1 || drawn["0.1"].N <= 2 || drawn["0.1"].N <= drawn["fail(links=1)"].N {
		t.Errorf("%v", drawn)
	}
	if drawn["fail(links=1)"] != drawn["0.04"] || len(sheet.Cases) == len(sheet.Points) {
		t.Errorf("equal cells: %v", drawn)
	}
	for _, n := range []int{2, 3, 5} {
		all := map[string]*Row{}
		var sheets []*Sheet
		for i := 1; i <= n; i++ {
			part, sheet := run(t, d, setup(), Shard{i, n})
			maps.Copy(all, part)
			sheets = append(sheets, sheet)
		}
		joined, missing, err := JoinSheets(sheets)
		if err != nil || len(missing) > 0 || !slices.Equal(joined.Cases, sheet.Cases) || !slices.Equal(joined.Points, sheet.Points) || !slices.Equal(joined.Labels, sheet.Labels) || !slices.Equal(joined.Equal, sheet.Equal) {
			t.Errorf("%d workers: %v, the lists differ:\n%+v\n%+v", n, err, joined, sheet)
		}
		for _, row := range joined.Distinct(all) {
			all[row.Case] = row
		}
		same(t, fmt.Sprintf("%d workers", n), rows, all)
	}
}

// TestLabels: a sweep that takes the rows of another one gives them its own names. Both cells of a
// fabric that stands in two have the case.
func TestLabels(t *testing.T) {
	first := describe(t, "fabrics: [\"torus(4x4,hosts=1)\"]\ndamage: [none, 0.1, 0.01]\ndraws: {least: 2}\nengines: [\"dfsssp,replies=own\"]\n")
	second := describe(t, "fabrics: [\"torus(4x4,hosts=1)|fail(share=0.1,links=all,seed=1)\", \"torus(4x4,hosts=1)\"]\nengines: [dfsssp]\noptions: [replies=own]\n")
	rows, sheet := run(t, first, setup(), Shard{})
	cells := func(d *Description, sheet *Sheet, rows map[string]*Row) (list []string) {
		s, err := d.Summarise(sheet, rows, "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Cells {
			list = append(list, fmt.Sprintf("%s %s %s %d", c.Network, c.Damage, c.Contestant, c.N))
		}
		return list
	}
	want := []string{"torus(4x4,hosts=1) 0.01 dfsssp,replies=own 1", "torus(4x4,hosts=1) 0.1 dfsssp,replies=own 2", "torus(4x4,hosts=1) none dfsssp,replies=own 1"}
	if got := cells(first, sheet, rows); !slices.Equal(got, want) || len(sheet.Cases) != 3 || len(sheet.Points) != 4 {
		t.Errorf("%q", got)
	}
	only := sheet.With(sheet.Rows(rows)[2:])
	want = []string{"torus(4x4,hosts=1) 0.01 dfsssp,replies=own 1", "torus(4x4,hosts=1) 0.1 dfsssp,replies=own 1"}
	if got := cells(first, only, rows); !slices.Equal(got, want) {
		t.Errorf("the sheet of some rows: %q", got)
	}
	var put keepAll
	r := &Run{Description: second, Setup: setup(), Keep: &put, Rows: maps.Clone(rows), Begin: func(_ *Plan, missing int) {
		if missing > 0 {
			t.Errorf("%d cases computed again", missing)
		}
	}, Step: func(string) {}, Done: func(*Row) {}}
	p, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := r.SheetOf(p, "", "")
	want = []string{"torus(4x4,hosts=1)|fail(share=0.1,links=all,seed=1) none dfsssp 1", "torus(4x4,hosts=1) none dfsssp 1"}
	for what, rows := range map[string]map[string]*Row{"of the run": r.Rows, "of the first sweep": rows} {
		if got := cells(second, again, rows); !slices.Equal(got, want) {
			t.Errorf("rows %s: %q", what, got)
		}
	}
	if len(put.rows) != 2 || put.rows[0].Engine != "dfsssp" || put.rows[0].Options != "replies=own" || put.rows[0].Draw != 0 {
		t.Errorf("stored: %+v", put.rows)
	}
	if got := cells(first, sheet, r.Rows); len(got) != 3 || got[1] != "torus(4x4,hosts=1) 0.1 dfsssp,replies=own 2" {
		t.Errorf("the first sweep, with rows of the second: %q", got)
	}
}

// keepAll notes the rows that it is to keep.
type keepAll struct {
	mu   sync.Mutex
	rows []*Row
}

func (k *keepAll) Put(row *Row) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = append(k.rows, row)
	return nil
}

func (*keepAll) Flush() error { return nil }

// TestCommands: the command of joined parts repeats all of them.
func TestCommands(t *testing.T) {
	sheet := func(shard int, command string) *Sheet {
		return &Sheet{Command: command, Shard: shard, Shards: 2}
	}
	const one = "weft lab sweep s.yaml --shard 1/2 -o parts"
	for _, c := range []struct{ second, want string }{
		{"weft lab sweep s.yaml --shard=2/2 -o parts", "for i in $(seq 2); do weft lab sweep s.yaml --shard $i/2 -o parts; done"},
		{"weft lab sweep s.yaml --shard 2/2 -j 3 -o parts", one + "\nweft lab sweep s.yaml --shard 2/2 -j 3 -o parts"},
		{"", one},
	} {
		sheets := []*Sheet{sheet(1, one)}
		if c.second != "" {
			sheets = append(sheets, sheet(2, c.second))
		}
		all, _, err := JoinSheets(sheets)
		if err != nil || all.Command != c.want {
			t.Errorf("%v, %s", err, all.Command)
		}
	}
}

// TestChangedFile: workers that found other contents in a file are not joined.
func TestChangedFile(t *testing.T) {
	var sheets []*Sheet
	for i := 1; i <= 2; i++ {
		s := setup()
		if i == 2 {
			s.Levels = levels.Levels{{Name: "a", Share: 1}}
		}
		_, sheet := run(t, describe(t, "fabrics: [\"torus(3x3,hosts=1)\"]\nengines: [updn]\nworkloads: [flow: {runs: 1}]\n"), s, Shard{i, 2})
		sheets = append(sheets, sheet)
	}
	if _, _, err := JoinSheets(sheets); err == nil || !strings.Contains(err.Error(), "different cases") {
		t.Error(err)
	}
}

// TestSchema: the committed schema is that of the types, and says what Parse says. With -update the
// test writes it.
func TestSchema(t *testing.T) {
	const path = "../../docs/sweep.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != string(want) {
		t.Errorf("%s is not the schema of a description: go test ./lab/sweep -run TestSchema -update (%v)", path, err)
	}
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		Template(): true, small: true, "engines: [updn]\nengine: [updn]\n": false, "engines: updn\n": false, "fabrics: [odin]\n": false,
	} {
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestResume: rows that are there are not computed again, but those that did not run are.
func TestResume(t *testing.T) {
	d := describe(t, small)
	rows, _ := run(t, d, setup(), Shard{})
	left := maps.Clone(rows)
	n := 0
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if n++; n%3 == 0 {
			delete(left, name)
		} else if n%3 == 1 {
			row := *rows[name]
			row.Outcome = Outcome{Status: NotRun}
			left[name] = &row
		}
	}
	computed := 0
	r := &Run{Description: d, Setup: setup(), Keep: keepNothing{}, Rows: left, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) { computed++ }}
	r.Setup.Workers = 1
	if _, err := r.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := n/3 + (n+2)/3; computed != want {
		t.Errorf("%d cases computed, want %d", computed, want)
	}
	same(t, "resumed", rows, left)
}

// TestTry: a fault and a time limit are reasons of one case; an interruption is none.
func TestTry(t *testing.T) {
	r := &Run{Limit: time.Millisecond}
	if err := r.try(t.Context(), func(context.Context) error { panic("broken") }); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("%v", err)
	}
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	if err := r.try(t.Context(), wait); err == nil || !strings.Contains(err.Error(), "time limit of 1ms") {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := (&Run{}).try(ctx, wait); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestInterrupted: an interrupted sweep has no row of an interrupted case.
func TestInterrupted(t *testing.T) {
	d := describe(t, small)
	whole, _ := run(t, d, setup(), Shard{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := 0
	r := &Run{Description: d, Setup: setup(), Keep: keepNothing{}, Rows: map[string]*Row{}, Begin: func(*Plan, int) {}, Step: func(string) {}}
	r.Setup.Workers = 1
	r.Done = func(*Row) {
		if done++; done == 5 {
			stop()
		}
	}
	if _, err := r.Do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for name, row := range r.Rows {
		if d := store.Differences(row, whole[name]); len(d) > 0 {
			t.Errorf("%+v", d)
		}
	}
	if len(r.Rows) != 5 {
		t.Errorf("%d rows", len(r.Rows))
	}
}

// fullDisk keeps some rows, and then fails.
type fullDisk struct{ left atomic.Int32 }

var errFull = errors.New("the disk is full")

func (k *fullDisk) Put(*Row) error {
	if k.left.Add(-1) < 0 {
		return errFull
	}
	return nil
}

func (*fullDisk) Flush() error { return nil }

// TestKeeperFails: a run ends with the error of its keeper, not with that of the jobs which the
// failure interrupted.
func TestKeeperFails(t *testing.T) {
	for range 5 {
		keep := &fullDisk{}
		keep.left.Store(3)
		r := &Run{Description: describe(t, small), Setup: setup(), Keep: keep, Rows: map[string]*Row{}, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) {}}
		r.Setup.Workers = 4
		if _, err := r.Do(t.Context()); !errors.Is(err, errFull) || errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// TestTemplate: the file of weft lab init is a sweep, and names every option.
func TestTemplate(t *testing.T) {
	text := Template()
	describe(t, text)
	for _, key := range keys(reflect.TypeFor[Description]()) {
		if !strings.Contains(text, key+":") {
			t.Errorf("no option %s", key)
		}
	}
	// With all comments on options taken away it is still one.
	var all []string
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		if strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "# ") && !strings.HasSuffix(line, ": \n") && !strings.Contains(text, "\n"+strings.Replace(line, "#", "", 1)) {
			line = strings.Replace(line, "#", "", 1)
		}
		all = append(all, line)
	}
	describe(t, strings.Join(all, ""))
}

// TestParse: errors name the line and the option.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"fabrics: [odin]\nengine: [updn]\n":       `sweep.yaml:2: unknown field "engine": did you mean engines?`,
		"fabrics: odin\n":                         "sweep.yaml:1: ",
		"fabrics: [odin]\nfabrics: [odin]\n":      "sweep.yaml:2: ",
		"fabrics: [odin]\n":                       "engines: name an engine",
		"engines: [updn]\n":                       "fabrics: name a FABRIC",
		"fabrics: [rlft(8,2)]\nengines: [updn]\n": `fabrics: "rlft(8": quote a formula with a comma: "rlft(8,2)"`,
		"fabrics: [odin]\nengines: [updn]\ndamage: [fail(links=1,seed=2)]\n":                                     `damage: "fail(links=1": quote a formula with a comma: "fail(links=1,seed=2)"`,
		"fabrics: [odin]\nengines: [updn]\ndamage: [2]\n":                                                        "damage 2: want shares",
		"fabrics: [odin]\nengines: [updn]\ndamage: [much]\n":                                                     `damage "much": want none`,
		"fabrics: [odin]\nengines: [updn]\nlanes: [16]\n":                                                        "vls 16",
		"fabrics: [odin]\nengines: [updn]\nlmc: [300]\n":                                                         "lmc 255",
		"fabrics: [odin]\nengines: [updn]\noptions: [nosuch=1]\n":                                                "options: ",
		"fabrics: [odin]\nengines: [updn]\ndraws: {least: 9, most: 3}\n":                                         "draws: most 3",
		"fabrics: [odin]\nengines: [updn]\ndraws: {figure: ebb}\n":                                               `figure "ebb": no such figure`,
		"fabrics: [odin]\nengines: [updn]\nseeds: {engine: [1, 1]}\n":                                            "seeds: engine: 1 is named twice",
		"fabrics: [odin]\nengines: [updn]\nworkloads: [{}]\n":                                                    "workloads: number 1: want flow, packets or app",
		"fabrics: [odin]\nengines: [updn]\nworkloads: [packets: {duration: 1h}]\n":                               "workloads: number 1: duration",
		"fabrics: [odin]\nengines: [updn]\nworkloads: [app: {}]\n":                                               "workloads: number 1: program: \"\" is no collective operation",
		"fabrics: [odin]\nengines: [updn]\nworkloads: [app: {program: \"alltoall(fast)\"}]\n":                    "workloads: number 1: program: alltoall by \"fast\" is not known",
		"fabrics: [odin]\nengines: [updn]\nworkloads: [app: {program: \"alltoall()\", placement: \"file:x\"}]\n": "workloads: number 1: placement \"file:x\"",
		"fabrics: [odin]\nengines: [updn]\nonly: [hosts]\n":                                                      "only: hosts",
		"fabrics: [odin]\nengines: [updn]\nskip: [\"ebb_share > 1\"]\n":                                          "skip: ebb_share > 1",
		"fabrics: [odin]\nengines: [updn]\ncolumns: [{name: vls, formula: \"1.0\"}]\n":                           `columns: "vls" is no new name`,
		"fabrics: [odin]\nengines: [updn]\ncolumns: [{name: x, formula: nosuch}]\n":                              "columns: x: ",
		"fabrics: [odin]\nengines: [updn]\ntime_limit: soon\n":                                                   `time_limit "soon"`,
	} {
		d, err := Parse("sweep.yaml", []byte(text))
		if err == nil {
			d.SetUsual()
			err = d.Validate()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add(Template())
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := Parse("f", []byte(text)); err == nil {
			d.SetUsual()
			if d.Validate() == nil {
				d.variants(nil)
			}
		}
	})
}

// TestFurther: derived columns are computed, and have no value where a column of theirs has none.
func TestFurther(t *testing.T) {
	d := describe(t, "fabrics: [odin]\nengines: [updn]\ncolumns: [{name: a, formula: ebb_share / vls}, {name: b, formula: hosts * 2.0}]\n")
	ebb, vls := .5, int64(2)
	row := &Row{Place: Place{Hosts: 3}}
	row.EBB, row.VLs = &ebb, &vls
	got, err := d.Further(row)
	if err != nil || *got[0] != .25 || *got[1] != 6 {
		t.Errorf("%v, %v", err, got)
	}
	compiled := maps.Clone(d.programs)
	row.EBB = nil
	if got, err = d.Further(row); err != nil || got[0] != nil || *got[1] != 6 {
		t.Errorf("%v, %v", err, got)
	}
	if len(compiled) != 2 || !maps.Equal(compiled, d.programs) {
		t.Error("the formulas were compiled again")
	}
}
