package foreign_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/netfile/tables"
	"weft/route"
	"weft/route/engine"
	"weft/route/foreign"
	"weft/route/lids"
	"weft/route/recipe"
	"weft/route/routetest"
)

func planOf(t *testing.T, g *fabric.Graph, name string, lmc uint8) *route.Plan {
	t.Helper()
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc}}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func generate(t *testing.T, expr string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// through writes and reads a file.
func through[T any](t *testing.T, write func(*bytes.Buffer) error, read func(string, []byte) (T, []netfile.Warning, error)) T {
	t.Helper()
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		t.Fatal(err)
	}
	v, _, err := read("file", buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sameTables(t *testing.T, g *fabric.Graph, a, b *route.Plan) {
	t.Helper()
	for s := range int32(g.NumSwitches) {
		for lid := range int(a.Ends.Top()) + 1 {
			if x, y := a.Tables.Port(s, fabric.LID(lid)), b.Tables.Port(s, fabric.LID(lid)); x != y {
				t.Fatalf("%s LID %d: port %d, want %d", fabric.SwitchName(g, s), lid, y, x)
			}
		}
	}
}

// A Plan that goes out as files and comes back as foreign tables is the same Plan.
func TestForeignRoundTrip(t *testing.T) {
	f, _, err := netfile.Read("psmn", examples.PSMNX5, netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	p := planOf(t, g, "updn", 0)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"opensm-lfts.dump": func(b *bytes.Buffer) error { return tables.WriteOpenSMLFTs(b, foreign.LFTs(g, p)) },
		"opensm.fdbs":      func(b *bytes.Buffer) error { return tables.WriteFDBs(b, foreign.LFTs(g, p)) },
		"dump_fts":         func(b *bytes.Buffer) error { return tables.WriteDumpLFTs(b, foreign.LFTs(g, p)) },
	} {
		t.Run(name, func(t *testing.T) {
			files := foreign.Files{LFTs: through(t, write, netfile.ReadLFTs)}
			q, notes, err := files.Plan(g)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			sameTables(t, g, p, q)
			if wrong, n := files.WrongClaims(g, q, 3); n != 0 {
				t.Errorf("%d of our own hop counts are wrong: %v", n, wrong)
			}
			if q.SL != nil || q.SL2VL != nil {
				t.Error("lanes known without any file that tells them")
			}
		})
	}
}

// Lanes go out and come back too: every pair has the same SL, every hop the same VL.
func TestForeignLanesRoundTrip(t *testing.T) {
	g := generate(t, "torus(4x5,hosts=1)")
	p := planOf(t, g, "dor", 0)
	files := foreign.Files{
		LFTs:  through(t, func(b *bytes.Buffer) error { return tables.WriteDumpLFTs(b, foreign.LFTs(g, p)) }, netfile.ReadLFTs),
		SLs:   through(t, func(b *bytes.Buffer) error { return tables.WritePathSLs(b, foreign.PathSLs(g, p)) }, tables.ReadPathSLs),
		SL2VL: through(t, func(b *bytes.Buffer) error { return tables.WriteSL2VLs(b, foreign.SL2VLs(g, p)) }, tables.ReadSL2VLs),
	}
	q, notes, err := files.Plan(g)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	sameTables(t, g, p, q)
	if q.VLs != 2 {
		t.Errorf("%d VLs, want 2", q.VLs)
	}
	for src := range int32(g.NumEnds) {
		for lid, end := range p.Ends.ByLID() {
			if end >= 0 && p.SL.At(src, fabric.LID(lid)) != q.SL.At(src, fabric.LID(lid)) {
				t.Fatalf("SL from %s to LID %d differs", route.EndName(g, src), lid)
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			for _, d := range g.OutOf(s) {
				in, out := g.FromPort[c], g.FromPort[d]
				if c != d && *p.SL2VL.Table(g, s, in, out) != *q.SL2VL.Table(g, s, in, out) {
					t.Fatalf("SL2VL of %s from port %d to %d differs", fabric.SwitchName(g, s), in, out)
				}
			}
		}
	}
}

// A missing table makes the lanes unknown instead of guessed.
func TestForeignLanesIncomplete(t *testing.T) {
	g := generate(t, "torus(4x4,hosts=1)")
	p := planOf(t, g, "dor", 0)
	tables := foreign.SL2VLs(g, p)
	for i := range tables.Nodes {
		if tables.Nodes[i].Type == fabric.Switch {
			tables.Nodes[i].Rows = tables.Nodes[i].Rows[1:]
			break
		}
	}
	files := foreign.Files{LFTs: foreign.LFTs(g, p), SLs: foreign.PathSLs(g, p), SL2VL: tables}
	q, notes, err := files.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	if q.SL2VL != nil || len(notes) != 1 || !strings.Contains(notes[0], "lacks SL2VL tables") {
		t.Fatalf("SL2VL %v, notes %q", q.SL2VL, notes)
	}
}

func TestFitsTables(t *testing.T) {
	g := generate(t, "torus(5x5,hosts=1)")
	var refusal *route.Refusal
	if err := foreign.FitsTables(planOf(t, g, "dor", 0), false); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "2 lanes") {
		t.Errorf("a Plan of two lanes: %v", err)
	}
	p := planOf(t, g, "updn", 1)
	if err := foreign.FitsTables(p, false); err != nil {
		t.Error(err)
	}
	p.Choice = route.NewChoice(g.NumEnds, nil)
	if err := foreign.FitsTables(p, false); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "DLID") {
		t.Errorf("a Plan with a choice: %v", err)
	}
}

func TestForeignOfAnotherFabric(t *testing.T) {
	g := generate(t, "fullmesh(4,hosts=1)")
	lfts := foreign.LFTs(g, planOf(t, g, "updn", 0))
	for i := range lfts.Switches {
		lfts.Switches[i].GUID += 1000
	}
	if _, _, err := (&foreign.Files{LFTs: lfts}).Plan(g); err == nil || !strings.Contains(err.Error(), "none of the 4 switches") {
		t.Errorf("tables of another fabric: %v", err)
	}
	lfts.Switches[0].GUID -= 1000
	_, notes, err := (&foreign.Files{LFTs: lfts}).Plan(g)
	if err != nil || len(notes) != 6 {
		t.Errorf("tables of one switch: %v %q", err, notes)
	}
	g = generate(t, "fullmesh(30,hosts=1)")
	lfts = foreign.LFTs(g, planOf(t, g, "updn", 0))
	for i := range lfts.Switches[1:] {
		lfts.Switches[1+i].GUID += 1000
	}
	_, notes, err = (&foreign.Files{LFTs: lfts}).Plan(g)
	for _, want := range []string{"and 19 more switches of the tables are not in the fabric", "and 19 more switches have no table in the file"} {
		if err != nil || len(notes) != 22 || !slices.Contains(notes, want) {
			t.Errorf("tables of one switch of 30: %v, %d notes: %q", err, len(notes), notes)
		}
	}
}

// swlab's hop counts, all 4,030, are what walking the tables gives.
func TestSwlabClaims(t *testing.T) {
	g, lfts := routetest.Swlab(t)
	files := foreign.Files{LFTs: lfts}
	p, notes, err := files.Plan(g)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	if wrong, n := files.WrongClaims(g, p, 3); n != 0 {
		t.Errorf("%d wrong hop counts: %v", n, wrong)
	}
	lfts.Switches[5].Claims.Hops[7]++
	wrong, n := files.WrongClaims(g, p, 3)
	if n != 1 || !strings.Contains(wrong[0], "walking the tables gives ") {
		t.Errorf("one hop count was changed, %d were found wrong: %q", n, wrong)
	}
	p.Tables.Set(int32(slices.Index(g.SwitchGUID, lfts.Switches[5].GUID)), 7, route.NoPort)
	if wrong, _ = files.WrongClaims(g, p, 1); len(wrong) != 1 || !strings.HasSuffix(wrong[0], "walking the tables does not arrive") {
		t.Errorf("an entry was taken away: %q", wrong)
	}
}

// TestBestVia: an entry with a detour names a port by which fewer hops lead to the LID, one without
// names none.
func TestBestVia(t *testing.T) {
	g := generate(t, "torus(5,hosts=1)")
	p := planOf(t, g, "updn", 0)
	detours, lfts := 0, foreign.LFTs(g, p).Switches
	for s, sw := range lfts {
		for lid, via := range sw.Claims.BestVia {
			hops := sw.Claims.Hops[lid]
			switch detour := hops != tables.UnknownHops && hops > sw.Claims.Best[lid]; {
			case !detour && via != tables.NoPort:
				t.Errorf("switch %d, LID %d: %d hops of %d, and port %d is better", s, lid, hops, sw.Claims.Best[lid], via)
			case detour:
				detours++
				if c, _ := g.At(int32(s), via); c < 0 || lfts[g.To[c]].Claims.Best[lid]+1 != sw.Claims.Best[lid] {
					t.Errorf("switch %d, LID %d: port %d does not lead nearer", s, lid, via)
				}
			}
		}
	}
	if detours == 0 {
		t.Error("no path has a detour")
	}
}
