package foreign_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/fabric/netfile/tables"
	"weft/judge/check"
	"weft/route"
	"weft/route/foreign"
)

// seen returns a graph whose end ports were seen with base LIDs, and LMC 0.
func seen(g *fabric.Graph, p *route.Plan) *fabric.Graph {
	known := *g
	known.EndLID = slices.Clone(p.Ends.Base)
	return &known
}

var formats = []struct {
	name  string
	write func(*bytes.Buffer, *tables.LFTs) error
	names bool // the file names LIDs
}{
	{"opensm-lfts.dump", func(b *bytes.Buffer, l *tables.LFTs) error { return tables.WriteOpenSMLFTs(b, l) }, true},
	{"dump_fts", func(b *bytes.Buffer, l *tables.LFTs) error { return tables.WriteDumpLFTs(b, l) }, true},
	{"opensm.fdbs", func(b *bytes.Buffer, l *tables.LFTs) error { return tables.WriteFDBs(b, l) }, false},
}

// planOfFile writes tables and reads them again for a graph.
func planOfFile(t *testing.T, g *fabric.Graph, lfts *tables.LFTs, write func(*bytes.Buffer, *tables.LFTs) error) *route.Plan {
	t.Helper()
	files := foreign.Files{LFTs: through(t, func(b *bytes.Buffer) error { return write(b, lfts) }, netfile.ReadLFTs)}
	p, _, err := files.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func isProven(t *testing.T, g *fabric.Graph, p *route.Plan) bool {
	t.Helper()
	r, err := check.Judge(t.Context(), g, p, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.OK
}

// Tables say the LMC where the fabric's file does not: all LIDs are judged, and none of
// them can lose an entry on any switch and be proven.
func TestLMCOfTables(t *testing.T) {
	for _, lmc := range []uint8{1, 2} {
		bare := generate(t, "torus(3x3,hosts=1)")
		p := planOf(t, bare, "updn", lmc)
		for _, f := range formats {
			t.Run(fmt.Sprint(f.name, lmc), func(t *testing.T) {
				g := seen(bare, p)
				if f.names {
					g = bare // the file tells all LIDs
				}
				lfts := foreign.LFTs(g, p)
				q := planOfFile(t, g, lfts, f.write)
				if !slices.Equal(q.Ends.Base, p.Ends.Base) || !slices.Equal(q.Ends.LMC, p.Ends.LMC) || len(q.Unclear) > 0 {
					t.Fatalf("LIDs %v, LMC %v, unclear %v; want %v, %v", q.Ends.Base, q.Ends.LMC, q.Unclear, p.Ends.Base, p.Ends.LMC)
				}
				if !isProven(t, g, q) {
					t.Fatal("whole tables are not proven")
				}
				for i := range lfts.Switches {
					for lid := 1; lid <= int(p.Ends.Top()); lid++ {
						lfts = foreign.LFTs(g, p)
						lfts.Switches[i].Ports[lid] = route.NoPort
						if isProven(t, g, planOfFile(t, g, lfts, f.write)) {
							t.Fatalf("proven, though switch %d has no entry for LID %d", i, lid)
						}
					}
				}
			})
		}
	}
}

// LIDs that are no block of an LMC leave no proof.
func TestUnclearLIDs(t *testing.T) {
	bare := generate(t, "torus(3x3,hosts=1)")
	p := planOf(t, bare, "updn", 1)
	first := func(l *tables.LFTs, lid fabric.LID) *tables.Target {
		for i := range l.Targets {
			if l.Targets[i].LID == lid {
				return &l.Targets[i]
			}
		}
		t.Fatal("nobody has LID", lid)
		return nil
	}
	for name, c := range map[string]struct {
		do      func(l *tables.LFTs)
		unclear int
	}{
		"as they are":    {func(*tables.LFTs) {}, 0},
		"three LIDs":     {func(l *tables.LFTs) { first(l, p.Ends.Base[1]).GUID = bare.EndGUID[0] }, 1},
		"two LIDs apart": {func(l *tables.LFTs) { first(l, p.Ends.Base[0]+1).GUID = bare.EndGUID[bare.NumHosts] }, 1},
		"an odd base": {func(l *tables.LFTs) {
			first(l, p.Ends.Base[1]).GUID, first(l, p.Ends.Base[0]).GUID = bare.EndGUID[0], bare.EndGUID[2]
		}, 2},
		"a LID of another fabric": {func(l *tables.LFTs) { first(l, p.Ends.Base[0]+1).GUID = 12345 }, 0},
	} {
		lfts := foreign.LFTs(bare, p)
		c.do(lfts)
		q, _, err := (&foreign.Files{LFTs: lfts}).Plan(bare)
		if err != nil {
			t.Fatal(err)
		}
		if len(q.Unclear) != c.unclear || isProven(t, bare, q) != (c.unclear == 0) {
			t.Errorf("%s: unclear %v, proven %v", name, q.Unclear, isProven(t, bare, q))
		}
	}
}

// In tables without names a LID that no switch delivers may be one of the port before it,
// unless the fabric's file knows of LMCs or no block could hold both.
func TestUnplacedLIDs(t *testing.T) {
	bare := generate(t, "torus(3x3,hosts=1)")
	p := planOf(t, bare, "updn", 0)
	g := seen(bare, p)
	withMore := func(add fabric.LID) *tables.LFTs {
		lfts := foreign.LFTs(g, p)
		lfts.Targets = nil
		lid := p.Ends.Top() + add
		for i := range lfts.Switches {
			s := &lfts.Switches[i]
			ports := make([]uint8, lid+1)
			for j := range ports {
				ports[j] = s.Port(fabric.LID(j))
			}
			c := g.OutOf(int32(slices.Index(g.SwitchGUID, s.GUID)))[0]
			ports[lid] = g.FromPort[c]
			s.Ports, s.Claims = ports, nil
		}
		return lfts
	}
	if top := p.Ends.Top(); top != 18 {
		t.Fatal("the test supposes 18 LIDs, there are", top)
	}
	for add, want := range map[fabric.LID]int{1: 1, 2: 0} { // 18 and 19 may be a block, 18 to 20 not
		q, _, err := (&foreign.Files{LFTs: withMore(add)}).Plan(g)
		if err != nil || len(q.Unclear) != want || isProven(t, g, q) != (want == 0) {
			t.Errorf("LID %d: %v, proven %v, %v", 18+add, q.Unclear, isProven(t, g, q), err)
		}
	}
	known := *g
	known.EndLMC = make([]uint8, g.NumEnds)
	known.EndLMC[1] = 1
	if q, _, err := (&foreign.Files{LFTs: withMore(1)}).Plan(&known); err != nil || len(q.Unclear) > 0 {
		t.Error("the fabric knows its LMCs:", q.Unclear, err)
	}
}
