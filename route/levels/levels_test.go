package levels_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/levels"
	"weft/route/recipe"
)

func graph(t rapid.TB, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// routed routes a fabric by an engine with so many VLs.
func routed(t rapid.TB, g *fabric.Graph, name string, vls int, list levels.Levels) (*route.Plan, error) {
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, MaxVLs: vls, Levels: list}, func(string) {})
}

// some makes so many levels.
func some(q int) (list levels.Levels) {
	for i := range q {
		list = append(list, levels.Level{Name: fmt.Sprint("l", i), Share: uint8(1 + i%3), High: i%4 == 3})
	}
	return list
}

// Each level has lanes of its own between switches, and the judge proves all of them; the paths are
// those without levels.
func TestGive(t *testing.T) {
	formulas := []string{"torus(3x3,hosts=1)", "torus(5,hosts=1)", "torus(4x4,hosts=2)", "kautz(2,3,hosts=12)", "rlft(4,2)", "irregular(switches=8,degree=4,hosts=16,seed=3)", "mesh(3x3,hosts=1)"}
	engines := []string{"minhop", "updn", "dfsssp", "lash", "nue", "torus", "ftree", "valiant"}
	rapid.Check(t, func(t *rapid.T) {
		g := graph(t, rapid.SampledFrom(formulas).Draw(t, "fabric"))
		if rapid.Bool().Draw(t, "few VLs to hosts") {
			g.PortVLs = make([]uint8, len(g.Attached))
			for slot, what := range g.Attached {
				if g.PortVLs[slot] = 15; what != fabric.Nothing {
					g.PortVLs[slot] = 8
				}
			}
			for h := range int32(g.NumHosts) {
				g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = rapid.SampledFrom([]uint8{1, 2, 4, 8}).Draw(t, "VLs")
			}
		}
		name, q := rapid.SampledFrom(engines).Draw(t, "engine"), rapid.IntRange(1, 6).Draw(t, "levels")
		list := some(q)
		for i := range list {
			list[i].SL = rapid.Uint8Range(0, 9).Draw(t, "sl")
		}
		plan, err := routed(t, g, name, 8, list)
		if _, refused := errors.AsType[*route.Refusal](err); refused {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !list.Has(plan) || len(plan.Levels) != q {
			t.Fatalf("the Plan has the levels %+v", plan.Levels)
		}
		if err := plan.Fits(g); err != nil {
			t.Fatal(err)
		}
		report, err := check.Judge(t.Context(), g, plan, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Faults) > 0 {
			t.Fatalf("%+v", report.Faults)
		}
		bare, err := routed(t, g, name, 8/q, nil)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := check.Judge(t.Context(), g, bare, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if alone.OK != report.OK || alone.Assigned.Edges*int64(q) != report.Assigned.Edges {
			t.Fatalf("%v with %d dependencies at %d levels, %v with %d without", report.OK, report.Assigned.Edges, q, alone.OK, alone.Assigned.Edges)
		}
		apart(t, g, plan)
		for _, table := range plan.SL2VL.Pool {
			for sl, vl := range table {
				if plan.SLsInUse()>>sl&1 == 0 && vl != table[plan.Service.Default] {
					t.Fatalf("SL %d, of no level, has VL %d in %v", sl, vl, table)
				}
			}
		}
		// Taken away again, the Plan is as without levels.
		if err := levels.Levels(nil).Give(g, plan, 8); err != nil {
			t.Fatal(err)
		}
		if plan.VLs != lanes(g, bare) || plan.Levels != nil || !reflect.DeepEqual(plan.SL, bare.SL) {
			t.Fatalf("taken away: %d VLs, %d without", plan.VLs, lanes(g, bare))
		}
		again, err := check.Judge(t.Context(), g, plan, check.Options{})
		if err != nil || again.OK != alone.OK || again.Assigned.Edges != alone.Assigned.Edges {
			t.Fatal(again, err)
		}
	})
}

// lanes counts the VLs up to the highest that paths get between switches.
func lanes(g *fabric.Graph, p *route.Plan) int {
	most := uint8(0)
	for _, vls := range each(g, p, 0) {
		most = max(most, uint8(bits.Len16(vls)))
	}
	return int(most)
}

// each returns by channel the VLs that the paths of a level have there, whatever they are.
func each(g *fabric.Graph, p *route.Plan, level int) []uint16 {
	out := make([]uint16, g.NumChannels)
	for src := range int32(g.NumEnds) {
		for lid := 1; lid <= int(p.Ends.Top()); lid++ {
			if p.SL.Dst[lid] < 0 {
				continue
			}
			sl := p.SL.At(src, fabric.LID(lid))
			if level < len(p.Levels) {
				sl = p.Levels[level].SL[sl]
			}
			for c := range out {
				for in := range g.SwitchPorts[g.From[c]] + 1 {
					out[c] |= 1 << p.SL2VL.Table(g, g.From[c], uint8(in), g.FromPort[c])[sl]
				}
			}
		}
	}
	return out
}

// apart fails where levels share a lane between switches, or an SL, or a VL has no turn.
func apart(t *rapid.T, g *fabric.Graph, p *route.Plan) {
	seen := make([]uint16, g.NumChannels)
	for i := range p.Levels {
		for c, vls := range each(g, p, i) {
			if seen[c]&vls != 0 {
				t.Fatalf("level %s shares VLs %b on channel %d", p.Levels[i].Name, seen[c]&vls, c)
			}
			seen[c] |= vls
			for ; vls != 0; vls &= vls - 1 {
				if p.Arbitration.OfSwitch(g, g.From[c], g.FromPort[c]).Weight(uint8(bits.TrailingZeros16(vls))) == 0 {
					t.Fatalf("no turn at channel %d", c)
				}
			}
		}
	}
}

// A Plan whose levels share a lane with a cycle is not proven: 2 lanes of a ring, mixed.
func TestMixedLevelsAreFound(t *testing.T) {
	g := graph(t, "torus(5,hosts=1)")
	plan, err := routed(t, g, "torus", 8, some(2))
	if err != nil {
		t.Fatal(err)
	}
	report, err := check.Judge(t.Context(), g, plan, check.Options{})
	if err != nil || !report.OK {
		t.Fatal(report, err)
	}
	for i := range plan.SL2VL.Pool { // the second level on one lane
		for _, sl := range plan.Levels[1].SL {
			if first := plan.Levels[1].SL[0]; plan.Levels[0].SL[sl] != sl || sl >= first {
				plan.SL2VL.Pool[i][sl] = plan.SL2VL.Pool[i][first]
			}
		}
	}
	if report, err = check.Judge(t.Context(), g, plan, check.Options{}); err != nil || report.OK || report.DeadlockFree != check.No {
		t.Errorf("proven: %+v, %v", report, err)
	}
}

// Where there are too few VLs the refusal says how many levels fit.
func TestTooFew(t *testing.T) {
	for _, c := range []struct {
		formula, engine string
		vls, levels     int
		want            string
	}{
		{"rlft(4,2)", "updn", 2, 3, "the paths need 1 VLs and 1 SLs: 3 levels need 3 and 3, but only 2 and 16 exist: 2 levels fit"},
		{"torus(5x5,hosts=1)", "torus", 4, 4, "the paths need 2 VLs and 4 SLs: 4 levels need 8 and 16, but only 4 and 16 exist: 2 levels fit"},
		{"torus(5x5,hosts=1)", "torus", 2, 2, "the paths need 2 VLs and 4 SLs: 2 levels need 4 and 8, but only 2 and 16 exist: only one level fits"},
		{"torus(5x5x5,hosts=1)", "torus", 15, 4, "4 levels need 8 and 32, but only 15 and 16 exist: 2 levels fit"},
	} {
		_, err := routed(t, graph(t, c.formula), c.engine, c.vls, some(c.levels))
		if _, refused := errors.AsType[*route.Refusal](err); !refused || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d levels on %d VLs: %v, want %q", c.formula, c.levels, c.vls, err, c.want)
		}
	}
}

// The SL by which operators know a level is that of its first lane where it is free; a note says
// where it is not.
func TestKnownSLs(t *testing.T) {
	list := levels.Levels{{Name: "a", Share: 1}, {Name: "b", Share: 1, SL: 5}, {Name: "c", Share: 1, SL: 1}}
	g := graph(t, "torus(5,hosts=1)")
	plan, err := routed(t, g, "torus", 8, list)
	if err != nil {
		t.Fatal(err)
	}
	if b, c := plan.Levels[1].SL[0], plan.Levels[2].SL[0]; b != 5 || c == 1 || c == 0 {
		t.Errorf("SLs %d and %d", b, c)
	}
	if !strings.Contains(strings.Join(plan.Notes, "\n"), "level c has SL 3, not 1") {
		t.Errorf("notes %q", plan.Notes)
	}
}

func TestRead(t *testing.T) {
	list, err := levels.Read("f", []byte("\xef\xbb\xbf# levels\r\ndefault\nstorage share=3 sl=1 partition=storage partition=0x12 service=0x10-0x1f service=7 # x\n\ncontrol priority=high class=7 class=0x20\n"))
	want := levels.Levels{
		{Name: "default", Share: 1},
		{Name: "storage", Share: 3, SL: 1, Partitions: []string{"storage", "0x12"}, Services: []levels.Range{{0x10, 0x1f}, {7, 7}}},
		{Name: "control", Share: 1, High: true, Classes: []uint16{7, 32}},
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		"":                    "f:1: the file has no level",
		"a\na":                "f:2: level a is there twice",
		"share=3":             `f:1: "share=3" is not the name of a level`,
		"a share=0":           "f:1: share=0: want 1 to 100",
		"a share=101":         "want 1 to 100",
		"a sl=16":             "sl=16: want 1 to 15",
		"a sl=1\nb sl=1":      "f:2: another level has sl=1",
		"a service=9-8":       "want a service ID, or FIRST-LAST",
		"a class=4096":        "want 0 to 4095",
		"a priority=best":     "want high or low",
		"a partition=":        "want the name or the P_Key",
		"a shares=3":          "shares=3: want share=",
		many(16):              "f:16: there are more than 15 levels",
		"a " + rules(1025):    "more than 1024",
		"\n\n a service=0x z": "f:3: service=0x: want",
	} {
		if _, err := levels.Read("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

func many(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("l%d\n", i)
	}
	return text
}

func rules(n int) string { return strings.Repeat("class=1 ", n) }

// Any bytes give levels that can be told apart, or an *Error with a line.
func FuzzRead(f *testing.F) {
	f.Add([]byte("default\nstorage share=3 sl=1 partition=storage service=0x10-0x1f\ncontrol priority=high class=7"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := levels.Read("f", data)
		if err != nil {
			if e, ok := errors.AsType[*levels.Error](err); !ok || e.Line < 1 {
				t.Fatal(err)
			}
			return
		}
		for i, l := range list {
			if l.Share < 1 || list.Find(l.Name) != i || l.SL > 0 && list.BySL(l.SL) != i {
				t.Fatal(list)
			}
		}
	})
}
