package sweep

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"weft/fabric"
	"weft/lab/measure/flowload"
)

// made is a Setup whose sources have a digest.
func made(sources string) *Setup {
	s := setup()
	s.Digest = func(...string) (string, error) { return sources, nil }
	return s
}

// again runs a sweep with known rows. It returns its rows, its sheet, the number of computed cases,
// and the rows that it put into its keeper.
func again(t *testing.T, d *Description, s *Setup, rows, from map[string]*Row) (map[string]*Row, *Sheet, int, []*Row) {
	t.Helper()
	var put keepAll
	var computed atomic.Int32
	r := &Run{Description: d, Setup: s, Keep: &put, Rows: maps.Clone(rows), From: from, Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) { computed.Add(1) }}
	if r.Rows == nil {
		r.Rows = map[string]*Row{}
	}
	p, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Rows, r.SheetOf(p, "", ""), int(computed.Load()), put.rows
}

// TestOlder: rows of older sources are computed again. If they may be taken, they keep their names
// and sources, and the sheet lists those; the newest wins, and a row of the present sources before
// all.
func TestOlder(t *testing.T) {
	d := describe(t, "fabrics: [\"torus(3x3,hosts=1)\"]\nengines: [updn, dor, nue]\nworkloads: [flow: {runs: 1}]\n")
	first, _, _, _ := again(t, d, made("first"), nil, nil)
	second, _, computed, _ := again(t, d, made("second"), first, first)
	if computed != 3 || len(second) != 6 {
		t.Fatalf("%d cases computed again, %d rows", computed, len(second))
	}
	for _, row := range first {
		row.Identity = "" // of a brief freeze
	}
	s := made("third")
	s.Older = Older{Rows: first, Sources: []string{"first"}}
	if _, _, computed, _ = again(t, d, s, nil, first); computed != 3 {
		t.Errorf("%d cases computed, but older rows may not be taken", computed)
	}
	s.Older.Take = true
	rows, sheet, computed, put := again(t, d, s, nil, first)
	if computed != 0 || len(put) != 3 || !slices.Equal(sheet.Older, []string{"first"}) || len(sheet.Sources) > 0 {
		t.Errorf("%d computed, %d put, %+v", computed, len(put), sheet)
	}
	for name, row := range rows {
		if row.Sources != "first" || first[name] == nil || row.Identity == "" {
			t.Errorf("%+v", row)
		}
	}
	if list := sheet.Origins(rows); len(list) != 1 || list[0].Cases != 3 || OlderCases(list) != 3 || list[0].Networks[0] != "torus(3x3,hosts=1)" {
		t.Errorf("%+v", list)
	}

	// One case of the third sources is there, one of the second did not run, one has two older
	// rows.
	third, _, _, _ := again(t, d, made("third"), nil, nil)
	known := maps.Clone(second)
	for name, row := range third {
		if row.Engine == "updn" {
			known[name] = row
		}
	}
	for name, row := range second {
		if row.Engine == "dor" && row.Sources == "second" {
			failed := *row
			failed.Outcome = Outcome{Status: NotRun}
			known[name] = &failed
		}
	}
	s.Older = Older{Take: true, Rows: known, Sources: []string{"first", "second", "third"}}
	rows, sheet, computed, _ = again(t, d, s, known, nil)
	got := ""
	for _, row := range sheet.Rows(rows) {
		got += row.Engine + " " + row.Sources + "\n"
	}
	if computed != 0 || got != "updn third\ndor first\nnue second\n" || !slices.Equal(sheet.Older, []string{"first", "second"}) || !slices.Equal(sheet.Sources, []string{"third"}) {
		t.Errorf("%d computed; %s%+v", computed, got, sheet)
	}
}

// TestOlderOfAnother: a row of another fabric, engine, option or seed is never taken, however old.
func TestOlderOfAnother(t *testing.T) {
	base := func() *Description {
		return describe(t, "fabrics: [\"torus(3x3,hosts=1)\"]\nengines: [updn]\nworkloads: [flow: {runs: 1}]\n")
	}
	rows, _, _, _ := again(t, base(), made("old"), nil, nil)
	for what, change := range map[string]func(d *Description, s *Setup){
		"nothing": func(*Description, *Setup) {},
		"fabric":  func(d *Description, _ *Setup) { d.Fabrics = []string{"torus(3x4,hosts=1)"} },
		"damage":  func(d *Description, _ *Setup) { d.Damage = []string{"0.1"} },
		"engine":  func(d *Description, _ *Setup) { d.Engines = []string{"nue"} },
		"lanes":   func(d *Description, _ *Setup) { d.Lanes = []int{2} },
		"seed":    func(d *Description, _ *Setup) { d.Seeds.Engine = []uint64{2} },
		"traffic": func(d *Description, _ *Setup) { d.Seeds.Traffic = []uint64{2} },
		"runs":    func(d *Description, _ *Setup) { d.Workloads = []Workload{{Flow: &flowload.Params{Runs: 2}}} },
		"kinds":   func(_ *Description, s *Setup) { s.Kinds = []fabric.KindRule{{Kind: "io", Hosts: "*"}} },
	} {
		d, s := base(), made("new")
		change(d, s)
		s.Older = Older{Take: true, Rows: rows, Sources: []string{"old"}}
		if _, _, computed, _ := again(t, d, s, nil, rows); (computed == 0) != (what == "nothing") {
			t.Errorf("%s changed: %d cases computed", what, computed)
		}
	}
}

// TestOlderWorkers: workers that take rows of different older sources are not joined.
func TestOlderWorkers(t *testing.T) {
	d := describe(t, small)
	rows, _, _, _ := again(t, d, made("old"), nil, nil)
	var sheets []*Sheet
	for i := 1; i <= 2; i++ {
		s := made("new")
		s.Older = Older{Take: i == 1, Rows: rows, Sources: []string{"old"}}
		r := &Run{Description: d, Setup: s, Shard: Shard{i, 2}, Keep: keepNothing{}, Rows: maps.Clone(rows), Begin: func(*Plan, int) {}, Step: func(string) {}, Done: func(*Row) {}}
		p, err := r.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sheets = append(sheets, r.SheetOf(p, "", ""))
	}
	if _, _, err := JoinSheets(sheets); err == nil || fmt.Sprint(err) != "workers 1 and 2 take the rows of different older sources: give both the same --older and --from" {
		t.Error(err)
	}
}

// TestFrom: a row of another store is kept where there is none, or one that did not run. A row that
// did not run there is kept too, and tried again.
func TestFrom(t *testing.T) {
	d := describe(t, "fabrics: [\"torus(3x3,hosts=1)\"]\nengines: [updn, dor, nue]\nworkloads: [flow: {runs: 1}]\n")
	from, _, _, _ := again(t, d, made("x"), nil, nil)
	own := map[string]*Row{}
	for name, row := range from {
		row.Host = "there"
		here := *row
		here.Host = "here"
		switch row.Engine {
		case "updn":
			own[name] = &here
		case "dor":
			here.Outcome = Outcome{Status: NotRun}
			own[name] = &here
		case "nue":
			row.Outcome = Outcome{Status: NotRun}
		}
	}
	rows, _, computed, put := again(t, d, made("x"), own, from)
	var kept []string
	for _, row := range put {
		kept = append(kept, row.Engine+" "+row.Host+" "+row.Status)
	}
	if want := []string{"dor there proven", "nue there not run", "nue  proven"}; computed != 1 || !slices.Equal(kept, want) {
		t.Errorf("%d computed, kept %q", computed, kept)
	}
	for _, row := range rows {
		if row.Engine == "updn" && row.Host != "here" || row.Status != Proven {
			t.Errorf("%+v", row)
		}
	}
}
