package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/repair"
	"weft/sim/flow"
)

func routed(t *testing.T, formula, chain string) (*fabric.Graph, *planner.Result) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := engine.Parse(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	r, err := planner.Route(t.Context(), g, &planner.Request{Chain: steps, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

// TestPorts: what ports are told is counted by set, with times in seconds and MTUs in bytes.
func TestPorts(t *testing.T) {
	g, r := routed(t, "torus(5x5,hosts=1)", "dor")
	r.Plan.Ports.Pool[0].MTU, r.Plan.Ports.Pool[1].HOQLife, r.Plan.Ports.PacketLife = 4, 20, 19
	r.Plan.Arbitration.Pool[0].High = []route.ArbEntry{{VL: 1, Weight: 9}}
	r.Plan.Arbitration.Pool[0].Limit = 3
	p := NewRoute(g, r, 12).Ports
	if len(p.Parameters) != 2 || p.Parameters[0].MTU != 2048 || p.Parameters[1].Ports != g.NumHosts || p.Parameters[1].HOQLife != 0 {
		t.Errorf("%+v", p.Parameters)
	}
	if life := p.PacketLife; life < 2.147 || life > 2.148 {
		t.Errorf("packet life %g s", life)
	}
	var text strings.Builder
	if err := NewRoute(g, r, 12).WriteAll(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"packet lifetime 2.15 s in a switch", "head-of-queue lifetime for ever", "MTU 2048", "high priority 1:9, limit 3", "0:32,1:32", "12 MB"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	r.Plan.Ports = nil
	if NewRoute(g, r, 0).Ports != nil {
		t.Error("a Plan that says nothing of ports has them")
	}
}

// TestRefusals: engine, reason and advice apart.
func TestRefusals(t *testing.T) {
	g, r := routed(t, "fat648", "dor,updn")
	refused := NewRoute(g, r, 0).Refused
	if len(refused) != 1 || refused[0].Engine != "dor" || strings.Contains(refused[0].Reason, "dor:") || refused[0].String() != r.Refused[0].Error() {
		t.Errorf("%+v", refused)
	}
	if other := refusalOf(errors.New("lost")); other.Reason != "lost" || other.Engine != "" {
		t.Errorf("%+v", other)
	}
}

// TestSort: rows without a Plan are last in every order, and equal rows stay in order.
func TestSort(t *testing.T) {
	rows := []Compared{
		{Engine: "refused", Refused: &Refusal{}},
		{Engine: "a", EBB: &flow.Summary{Mean: .5}, VLs: 2, Seconds: 3, RouteRSS: 9},
		{Engine: "b", EBB: &flow.Summary{Mean: .9}, VLs: 3, Seconds: 1, RouteRSS: 8},
		{Engine: "c", EBB: &flow.Summary{Mean: .5}, VLs: 1, Seconds: 2, RouteRSS: 7},
	}
	for order, want := range map[string]string{"engine": "a b c refused", "ebb": "b a c refused", "vls": "c a b refused", "seconds": "b c a refused", "memory": "c b a refused"} {
		c := Comparison{Engines: append([]Compared{}, rows...)}
		c.Sort(order)
		var got []string
		for _, r := range c.Engines {
			got = append(got, r.Engine)
		}
		if strings.Join(got, " ") != want || CheckOrder(order) != nil {
			t.Errorf("%s: %v, want %s", order, got, want)
		}
	}
	if CheckOrder("nothing") == nil {
		t.Error("an unknown order")
	}
}

// TestCompareEngine: a refusal is a row, measured times come from the clock.
func TestCompareEngine(t *testing.T) {
	g, _ := routed(t, "rlft(4,2)", "updn")
	ticks := time.Duration(0)
	req := &planner.Request{Seed: 1, Now: func() time.Duration { ticks += time.Second; return ticks }}
	chain, err := engine.Parse("updn,dor", nil)
	if err != nil {
		t.Fatal(err)
	}
	row, err := CompareEngine(t.Context(), g, chain[0], req, Figures{Runs: 10}, func() float64 { return 7 })
	if err != nil || row.EBB == nil || row.Counted != 1 || row.Judged != 1 || row.RouteRSS != 7 || !row.Check.OK {
		t.Errorf("%+v, %v", row, err)
	}
	if row, err = CompareEngine(t.Context(), g, chain[1], req, Figures{Runs: 10}, func() float64 { return 7 }); err != nil || row.Refused == nil || row.Refused.Engine != "dor" {
		t.Errorf("%+v, %v", row, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CompareEngine(ended, g, chain[0], req, Figures{Runs: 10}, func() float64 { return 0 }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestChange: ports that move are named by GUID, node and port, as fields.
func TestChange(t *testing.T) {
	g, _ := routed(t, "rlft(4,2)", "updn")
	c := NewChange("old.plan", g, &route.Change{
		Moved:    []route.MovedPort{{End: 1, From: 3, To: 9}},
		Switches: []route.SwitchChange{{Switch: 2, Blocks: 1}},
	}, &planner.Result{Repaired: &repair.Figures{Crossed: 7}, NotRepaired: errors.New("no")}, nil, nil)
	if c.Repair.Crossed != 7 || c.NotRepaired != "no" {
		t.Errorf("%+v", c)
	}
	if m := c.Moved[0]; m.GUID != g.EndNodeGUID[1] || m.Name != g.EndDesc[1] || m.Port != 1 || m.From != 3 || m.To != 9 {
		t.Errorf("%+v", m)
	}
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), fmt.Sprintf(`"guid":"%s"`, g.SwitchGUID[2])) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestORCS: a Plan that chooses among LIDs is not written.
func TestORCS(t *testing.T) {
	g, r := routed(t, "rlft(4,2)", "updn")
	var b strings.Builder
	r.Plan.Choice = route.Choice{By: route.HashedLID}
	if err := WriteORCS(&b, g, r.Plan); err == nil || b.Len() > 0 {
		t.Error("a hashed choice was written")
	}
	r.Plan.Choice = route.Choice{By: route.BaseLID}
	if err := WriteORCS(&b, g, r.Plan); err != nil || b.Len() == 0 {
		t.Error(err)
	}
}

// TestFlowRequest: what is out of range is named as the option is.
func TestFlowRequest(t *testing.T) {
	good := FlowRequest{Order: "auto", Options: flow.Options{Runs: 1}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*FlowRequest){
		"order": func(r *FlowRequest) { r.Order = "up" }, "runs 0": func(r *FlowRequest) { r.Runs = 0 },
		"runs 10000001": func(r *FlowRequest) { r.Runs = MaxRuns + 1 }, "ranks": func(r *FlowRequest) { r.Ranks = -1 },
		"equal-rates": func(r *FlowRequest) { r.Equal = true },
	} {
		r := good
		change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestSolving: without an engine that needs a solver nothing is looked for.
func TestSolving(t *testing.T) {
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Solving{Program: "./none/cbc", Limit: time.Second}
	if needed, err := s.Equip(chain, time.Now()); needed || err != nil || s.Report() != nil {
		t.Error(needed, err)
	}
	if chain, err = engine.Parse("srd+ilp", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Equip(chain, time.Now()); !CouldNot(err) {
		t.Error(err)
	}
	s.Dir = t.TempDir() + "/lp"
	if needed, err := s.Equip(chain, time.Now()); !needed || err != nil || s.Report().Written != s.Dir {
		t.Error(needed, err)
	}
	if _, err := os.Stat(s.Dir); err != nil {
		t.Error(err)
	}
}

// TestLetters: an option whose default is not the letter of its paper says so, and names the value that is.
func TestLetters(t *testing.T) {
	letter := map[string]string{"weight": "letter of paper 000 it is sum", "remove": "by its letter any may go: drawn", "degree": "letter of its Fig. 9 it is shrinking"}
	all, told := ListEngines(), map[string]bool{}
	for _, e := range append(all.Paths, all.Names...) {
		for _, o := range e.Options {
			if want, ok := letter[o.Name]; ok {
				told[o.Name] = true
				if !strings.Contains(o.Doc, want) || !strings.Contains(o.Doc, "is ours") {
					t.Errorf("%s, option %s: %s", e.Name, o.Name, o.Doc)
				}
			}
		}
	}
	if len(told) != len(letter) {
		t.Errorf("only %v are options", told)
	}
	for _, e := range append(all.Paths, all.Names...) {
		if own := map[string]string{"shortest-widest": "weight=sum", "path-selection": "remove=drawn", "color-s": "degree=shrinking", "color-l": "degree=shrinking"}[e.Name]; !strings.Contains(e.Summary, own) {
			t.Errorf("%s: %s", e.Name, e.Summary)
		}
	}
}
