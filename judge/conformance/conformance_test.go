package conformance

import (
	"context"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/recipe"
)

// broken routes along a ring the wrong way round, or not at all.
type broken struct {
	port func(in *route.Input, s int32, end int32) uint8
}

func (b broken) Route(_ context.Context, in *route.Input) (*route.Plan, error) {
	tables := route.NewTables(in.Graph.NumSwitches, in.Ends.Top())
	for end := range int32(in.Graph.NumEnds) {
		for s := range int32(in.Graph.NumSwitches) {
			port := in.Graph.EndPort[end]
			if in.Graph.EndSwitch[end] != s {
				port = b.port(in, s, end)
			}
			tables.Set(s, in.Ends.Base[end], port)
		}
	}
	return &route.Plan{Ends: in.Ends, Tables: tables}, nil
}

// ringPlan routes a ring of five switches by an engine of a test.
func ringPlan(t *testing.T, port func(in *route.Input, s int32, end int32) uint8) (*fabric.Graph, *route.Plan) {
	t.Helper()
	b := &Builder{F: fabric.New("ring")}
	b.ring(5, 1)
	if b.err != nil {
		t.Fatal(b.err)
	}
	g := b.F.Compile()
	spec := &route.Spec{Name: "broken", New: func(route.Options) (route.Engine, error) { return broken{port}, nil }}
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return g, p
}

// portTo is the port of switch s that leads to another switch.
func portTo(g *fabric.Graph, s, to int32) uint8 {
	for _, c := range g.OutOf(s) {
		if g.To[c] == to {
			return g.FromPort[c]
		}
	}
	return route.NoPort
}

// TestInspectFindsFaults: what the suite relies on notices each kind of fault.
func TestInspectFindsFaults(t *testing.T) {
	round := func(in *route.Input, s, _ int32) uint8 { return portTo(in.Graph, s, (s+1)%5) }
	g, p := ringPlan(t, round)
	if f := inspect(g, p); len(f.problems) > 0 || !f.cyclic() || f.longer == 0 {
		t.Errorf("round the ring: problems %q, cyclic %v, longer %d", f.problems, f.cyclic(), f.longer)
	}
	line := func(in *route.Input, s, end int32) uint8 {
		if in.Graph.EndSwitch[end] > s {
			return portTo(in.Graph, s, s+1)
		}
		return portTo(in.Graph, s, s-1)
	}
	g, p = ringPlan(t, line)
	if f := inspect(g, p); len(f.problems) > 0 || f.cyclic() {
		t.Errorf("along the line: problems %q, cyclic %v", f.problems, f.cyclic())
	}
	for name, port := range map[string]uint8{"no entry": route.NoPort, "dead port": 30, "own host": 1, "port 0": 0} {
		g, p = ringPlan(t, func(in *route.Input, s, end int32) uint8 {
			if s == 2 && end == 0 {
				return port
			}
			return round(in, s, end)
		})
		if f := inspect(g, p); len(f.problems) == 0 {
			t.Errorf("%s: not noticed", name)
		}
	}
	g, p = ringPlan(t, func(in *route.Input, s, end int32) uint8 {
		if s == 2 && end == 0 {
			return portTo(in.Graph, 2, 1)
		}
		return round(in, s, end)
	})
	if f := inspect(g, p); len(f.problems) == 0 {
		t.Error("loop: not noticed")
	}
}

// TestCancelled: the suite says what an engine did instead of giving up: it ignored its context, or
// returned another error.
func TestCancelled(t *testing.T) {
	g, _ := ringPlan(t, func(in *route.Input, s, _ int32) uint8 { return portTo(in.Graph, s, (s+1)%5) })
	for _, c := range []struct {
		what, want string
		route      func(ctx context.Context, in *route.Input) (*route.Plan, error)
	}{
		{"it gives up", "", func(ctx context.Context, _ *route.Input) (*route.Plan, error) { return nil, ctx.Err() }},
		{"it goes on", "ignored that and went on to the end", broken{func(in *route.Input, s, _ int32) uint8 { return portTo(in.Graph, s, (s+1)%5) }}.Route},
		{"it refuses", `returned "broken: no" instead`, func(context.Context, *route.Input) (*route.Plan, error) { return nil, route.Refuse("broken", "", "no") }},
	} {
		spec := &route.Spec{Name: "broken", New: func(route.Options) (route.Engine, error) { return engineFunc(c.route), nil }}
		if got := cancelled(spec, g); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

type engineFunc func(ctx context.Context, in *route.Input) (*route.Plan, error)

func (f engineFunc) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	return f(ctx, in)
}

// TestMeasureSpread: one LID can use one of the paths between two switches, and
// several LIDs on one path are noticed.
func TestMeasureSpread(t *testing.T) {
	g, p := ringPlan(t, func(in *route.Input, s, _ int32) uint8 { return portTo(in.Graph, s, (s+1)%5) })
	all := func(int32) func(int32) bool { return func(int32) bool { return true } }
	if n := disjointPaths(g, 0, 2, all(2)); n != 2 {
		t.Errorf("%d disjoint paths on a ring, want 2", n)
	}
	if got := MeasureSpread(g, p, all, 50, 1); got.Min != 1 || got.Pairs == 0 {
		t.Errorf("one LID: %+v", got)
	}
	for end := range g.NumHosts { // pretend that the next LID is the host's, too
		p.Ends.LMC[end] = 1
	}
	if got := MeasureSpread(g, p, all, 50, 1); got.Min != 0.5 {
		t.Errorf("two LIDs on one path: %+v", got)
	}
}

// TestTable: every fabric of the table can be built, under a name of its own.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Fabrics() {
		if seen[c.Name] {
			t.Errorf("%s twice", c.Name)
		}
		seen[c.Name] = true
		f, err := c.Build()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		} else if f.Compile().NumSwitches == 0 {
			t.Errorf("%s: no switch", c.Name)
		}
	}
}
