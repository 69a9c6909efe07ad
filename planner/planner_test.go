package planner

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/planfile"
)

func graph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

func chain(t testing.TB, list string, options ...string) route.Chain {
	t.Helper()
	c, err := engine.Parse(list, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A chain goes on from refusal to refusal, tells them, and proves what came of it.
func TestRun(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	clock := time.Duration(0)
	req := &Request{Chain: chain(t, "dor,torus,updn"), Now: func() time.Duration { clock += time.Second; return clock }}
	r, err := Run(context.Background(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	if r.Engine.Name != "updn" || len(r.Refused) != 2 || !r.Report.OK || r.Judged != 1 {
		t.Errorf("%s after %v, %+v, judged in %g s", r.Engine.Name, r.Refused, r.Report, r.Judged)
	}
	sum := 0.0
	for _, s := range r.Stages {
		sum += s.Seconds
	}
	if len(r.Stages) < 2 || r.Stages[0].Name != "names" || sum != r.Seconds || sum == 0 {
		t.Errorf("stages %v of %g s", r.Stages, r.Seconds)
	}
	req.Chain = chain(t, "dor,torus")
	r, err = Run(context.Background(), g, req)
	if _, refused := errors.AsType[*route.Refusal](err); !refused || r.Plan != nil || len(r.Refused) != 2 {
		t.Errorf("all refuse: %v, %+v", err, r)
	}
	if r, err = Run(context.Background(), g, &Request{}); err == nil || r == nil {
		t.Errorf("an empty chain: %v %v", r, err)
	}
}

// A switch that is not there ends the job, except where the fabric must run in any case.
func TestPassDeadSwitch(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	req := &Request{Chain: chain(t, "updn,minhop", "roots=nobody")}
	if r, err := Run(context.Background(), g, req); err == nil || len(r.Refused) != 0 {
		t.Errorf("a dead root: %v, %+v", err, r)
	}
	req.PassDeadSwitch = true
	ctx := context.Background()
	if r, err := Run(ctx, g, req); err != nil || r.Engine.Name != "updn" || len(r.Missing) != 1 || r.Plan.Recipe.Options["roots"] != "nobody" {
		t.Errorf("a dead root is left out: %v, %+v", err, r)
	}
	// The others stay roots, and the Plan answers the same request again.
	req.Chain = chain(t, "updn", "roots=nobody;leaf 1")
	some, err := Run(ctx, g, req)
	if err != nil || !Keep(some.Plan, g).Answers(req) {
		t.Fatalf("one of two roots is dead: %v, %+v", err, some)
	}
	alone, err := Run(ctx, g, &Request{Chain: chain(t, "updn", "roots=leaf 1")})
	if err != nil || !reflect.DeepEqual(some.Plan.Tables, alone.Plan.Tables) {
		t.Errorf("the other root is not used: %v", err)
	}
}

// An engine that gives LIDs itself is refused an LMC, and does not mind one in use.
func TestLMC(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	for _, c := range []struct {
		engine       string
		asked, inUse uint8
		want         uint8
		wrong        string
	}{
		{"updn", 0, 0, 0, ""},
		{"updn", 1, 0, 1, ""},
		{"updn", 0, 2, 2, ""},
		{"updn", 3, 2, 3, ""},
		{"separate", 0, 2, 1, ""},
		{"separate", 1, 0, 0, "gives each port the LMC of its paths"},
	} {
		r, err := Route(context.Background(), g, &Request{Chain: chain(t, c.engine), LIDs: lids.Options{LMC: c.asked}, HeldLMC: c.inUse})
		switch {
		case err != nil && (c.wrong == "" || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s, LMC %d: %v", c.engine, c.asked, err)
		case err == nil && (c.wrong != "" || c.engine == "updn" && r.Plan.Ends.MaxLMC() != c.want):
			t.Errorf("%s, LMC %d: LMC %d, want %d", c.engine, c.asked, r.Plan.Ends.MaxLMC(), c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, req := range map[string]*Request{
		"":                       {LIDs: lids.Options{LMC: 7}, MaxVLs: 15},
		"lmc 8 is out of range":  {LIDs: lids.Options{LMC: 8}},
		"vls -1 is out of range": {MaxVLs: -1},
		"vls 16 is out of range": {MaxVLs: 16},
	} {
		if err := req.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", req, err, want)
		}
	}
}

// What is kept of a Plan: engine and options unless others are given, LIDs, LMC.
func TestKept(t *testing.T) {
	g := graph(t, "rlft(4,2)")
	first, err := Route(context.Background(), g, &Request{Chain: chain(t, "sssp,passes=2"), LIDs: lids.Options{LMC: 2}, Kinds: []fabric.KindRule{{Kind: "io", Hosts: "host 3"}}})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := planfile.Save(&file, g, first.Plan); err != nil {
		t.Fatal(err)
	}
	kept, err := ReadKept(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options []string
		want    string
	}{{nil, "sssp,passes=2"}, {[]string{"passes=3"}, "sssp,passes=3"}} {
		if chain, err := engine.ChainOf(&kept.Plan.Recipe, c.options); err != nil || chain[0].Engine.Name+",passes="+chain[0].Options["passes"] != c.want {
			t.Errorf("options %v: %v, %v, want %s", c.options, chain, err, c.want)
		}
	}
	less := graph(t, "rlft(4,2)|fail(links=1,seed=1)")
	var req Request
	if err := kept.Hold(less, &req); err != nil || req.HeldLMC != 2 {
		t.Fatalf("LMC %d in use: %v", req.HeldLMC, err)
	}
	if len(req.Kinds) != 1 || req.Kinds[0].String() != "io=host 3" {
		t.Errorf("kinds kept: %v", req.Kinds)
	}
	changed := Request{Chain: chain(t, "updn"), Kept: kept, Kinds: []fabric.KindRule{{Kind: "io", Hosts: "host 4"}}}
	if r, err := Route(context.Background(), less, &changed); err != nil || r.NotRepaired == nil || r.Repaired != nil {
		t.Errorf("other kinds: %v, repaired %v, %v", r.NotRepaired, r.Repaired, err)
	}
	req.Chain = chain(t, "updn")
	second, err := Route(context.Background(), less, &req)
	if err != nil {
		t.Fatal(err)
	}
	if c := kept.Changes(less, second.Plan); c.Ports.Moved != 0 || c.Ports.Kept != less.NumEnds || c.Entries.Moved+c.Entries.New+c.Entries.Gone == 0 {
		t.Errorf("changes: %+v", c)
	}
	other := graph(t, "torus(3x3,hosts=1)")
	other.SwitchGUID, other.EndNodeGUID = make([]fabric.GUID, other.NumSwitches), make([]fabric.GUID, other.NumEnds)
	if err := kept.Hold(other, &req); err == nil || !strings.Contains(err.Error(), "another fabric") {
		t.Errorf("another fabric: %v", err)
	}
	req.LIDs.Fresh = true
	if err := kept.Hold(less, &req); err == nil {
		t.Error("fresh LIDs and a plan to keep")
	}
}

// A host that moves to another switch can make the lanes of a Plan unsafe: then it is routed
// afresh.
func TestMovedHost(t *testing.T) {
	f, err := gen.Parse("kautz(2,3,hosts=24)")
	if err != nil {
		t.Fatal(err)
	}
	old := f.Compile()
	first, err := Run(context.Background(), old, &Request{Chain: chain(t, "lash")})
	if err != nil || !first.Report.OK || first.Plan.VLs < 2 {
		t.Fatalf("%v, %d lanes", err, first.Plan.VLs)
	}
	var hosts []fabric.NodeID
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			hosts = append(hosts, fabric.NodeID(i))
		}
	}
	repaired, afresh := 0, 0
	for i, a := range hosts {
		b := hosts[(i+9)%len(hosts)]
		f.Nodes[a].GUID, f.Nodes[b].GUID = f.Nodes[b].GUID, f.Nodes[a].GUID
		g := f.Compile()
		kept := Keep(first.Plan, old)
		req := &Request{Chain: chain(t, "lash"), Kept: kept}
		if err := kept.Hold(g, req); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), g, req)
		if err != nil || !r.Report.OK {
			t.Errorf("host %d: %v", i, err)
		}
		if r.Repaired != nil {
			repaired++
		} else if r.NotRepaired != nil {
			afresh++
		}
		f.Nodes[a].GUID, f.Nodes[b].GUID = f.Nodes[b].GUID, f.Nodes[a].GUID
	}
	t.Logf("%d repaired, %d afresh", repaired, afresh)
	if afresh == 0 {
		t.Error("no repair was unsafe: the test shows nothing")
	}
}
