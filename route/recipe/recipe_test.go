package recipe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/routetest"
)

// toy is an engine that notes its input and answers what it is told to.
type toy struct {
	in   *route.Input
	plan route.Plan
	err  error
}

func (e *toy) Route(_ context.Context, in *route.Input) (*route.Plan, error) {
	e.in = in
	plan := e.plan
	return &plan, e.err
}

func (e *toy) spec() *route.Spec {
	return &route.Spec{
		Name: "toy", Lanes: "own", Options: []route.Option{{Name: "n", Default: 1, Max: 5}},
		New: func(route.Options) (route.Engine, error) { return e, nil },
	}
}

func TestRun(t *testing.T) {
	g := routetest.Line(t, 3, 2).Compile()
	ends := routetest.Must(lids.Assign(g, lids.Options{LMC: 1}))(t)
	own := route.Plan{SL: route.UniformSL(&ends, 3), SL2VL: route.UniformVL(g, route.VLTable{}), VLs: 2, Ends: route.Ends{Base: []fabric.LID{1}}}
	oneWay := own
	oneWay.SL = route.UniformSL(&ends, 3)
	oneWay.SL.OneWay = true
	for _, c := range []struct {
		name   string
		plan   route.Plan
		stages []string
		lanes  string
		vls    int
		reply  bool
	}{
		{"no lanes", route.Plan{}, []string{"names", "paths", "lanes"}, "none", 1, true},
		{"own lanes", own, []string{"names", "paths"}, "own", 2, true},
		{"own lanes for answers", oneWay, []string{"names", "paths"}, "own", 2, false},
	} {
		e := &toy{plan: c.plan}
		var stages []string
		options := map[string]string{"n": "3"}
		p, err := Run(context.Background(), g, &Request{
			Engine: e.spec(), Options: options, Names: lids.Options{LMC: 1}, MaxVLs: 3, Seed: 7,
		}, func(name string) { stages = append(stages, name) })
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.stages, stages); diff != "" {
			t.Errorf("%s: stages (-want +got):\n%s", c.name, diff)
		}
		want := route.Recipe{Paths: "toy", Options: options, Names: "lmc=1", Lanes: c.lanes}
		if diff := cmp.Diff(want, p.Recipe); diff != "" {
			t.Errorf("%s: recipe (-want +got):\n%s", c.name, diff)
		}
		e.in.Stage = nil
		if diff := cmp.Diff(&route.Input{Graph: g, Ends: ends, MaxVLs: 3, Workers: 1, Seed: 7, Held: route.Seen(g)}, e.in); diff != "" {
			t.Errorf("%s: input (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(ends, p.Ends); diff != "" || p.VLs != c.vls || p.Service.ReplySameSL != c.reply || p.SL == nil || p.SL2VL == nil {
			t.Errorf("%s: %d VLs, service %+v, ends (-want +got):\n%s", c.name, p.VLs, p.Service, diff)
		}
	}
}

// An engine that gives the names itself gets none, and its own are checked and kept.
func TestRunOwnNames(t *testing.T) {
	g := routetest.Line(t, 3, 2).Compile()
	fresh := routetest.Must(lids.Assign(g, lids.Options{LMC: 2}))(t)
	e := &toy{plan: route.Plan{Ends: fresh, Recipe: route.Recipe{Paths: "here", Names: "and there"}}}
	spec := e.spec()
	spec.OwnNames = true
	var stages []string
	stage := func(name string) { stages = append(stages, name) }
	p, err := Run(context.Background(), g, &Request{Engine: spec, Names: lids.Options{Fresh: true}}, stage)
	if err != nil {
		t.Fatal(err)
	}
	if e.in.Ends.Base != nil || len(e.in.Held.Ends.Base) != 0 || e.in.Stage == nil {
		t.Errorf("input %+v", e.in)
	}
	if p.Recipe.Paths != "here" || p.Recipe.Names != "and there" || p.Recipe.Lanes != "none" {
		t.Errorf("recipe %+v", p.Recipe)
	}
	if diff := cmp.Diff([]string{"paths", "lanes"}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fresh, p.Ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	if _, err := Run(context.Background(), g, &Request{Engine: spec, Names: lids.Options{LMC: 1}}, stage); err == nil {
		t.Error("an LMC was taken from an engine that gives its own")
	}
	g.SwitchFDBCap[1] = 4
	var no *route.Refusal
	if _, err := Run(context.Background(), g, &Request{Engine: spec}, stage); !errors.As(err, &no) {
		t.Errorf("LIDs beyond a table: %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	small := routetest.Line(t, 2, 1)
	small.Nodes[1].LinearFDBCap = 4
	broken := errors.New("broken")
	for _, c := range []struct {
		name    string
		f       *fabric.Fabric
		req     Request
		err     error
		refusal bool
		want    string
	}{
		{name: "option", req: Request{Options: map[string]string{"n": "6"}}, want: "6 is out of range"},
		{name: "LMC", req: Request{Names: lids.Options{LMC: 8}}, want: "LMC 8 is too large"},
		{name: "VLs", req: Request{MaxVLs: -1}, want: "-1 VLs were asked for"},
		{name: "VL15", req: Request{MaxVLs: 16}, want: "16 VLs were asked for"},
		{name: "FDB", f: small, refusal: true, want: `toy: LID 4 is beyond the forwarding table of switch "switch 1" (0x0000000000000101) (4 entries); lower the LMC`},
		{name: "engine", err: broken, want: "broken"},
		{name: "refusal", err: route.Refuse("toy", "use another", "no %s", "ring"), refusal: true, want: "toy: no ring; use another"},
	} {
		f := c.f
		if f == nil {
			f = routetest.Line(t, 2, 1)
		}
		e := &toy{err: c.err}
		c.req.Engine = e.spec()
		_, err := Run(context.Background(), f.Compile(), &c.req, func(string) {})
		var r *route.Refusal
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &r) != c.refusal {
			t.Errorf("%s: %v (%T), want %q", c.name, err, err, c.want)
		}
	}
	if got := route.Refuse("toy", "", "no ring").Error(); got != "toy: no ring" {
		t.Errorf("a refusal without advice: %q", got)
	}
	bad := &route.Spec{Name: "bad", New: func(route.Options) (route.Engine, error) { return nil, broken }}
	if _, err := Run(context.Background(), small.Compile(), &Request{Engine: bad}, func(string) {}); !errors.Is(err, broken) {
		t.Errorf("New fails: %v", err)
	}
}

// The forwarding table must hold the highest LID: a table of n entries has LIDs 0
// to n-1.
func TestRunFitsTables(t *testing.T) {
	f := routetest.Line(t, 2, 1) // LIDs 1 to 4
	f.Nodes[0].LinearFDBCap = 5
	if _, err := Run(context.Background(), f.Compile(), &Request{Engine: (&toy{}).spec()}, func(string) {}); err != nil {
		t.Error(err)
	}
}

// How many VLs an engine may use follows from the request and the least link
// between switches, as far as it is known.
func TestRunVLs(t *testing.T) {
	for _, c := range []struct {
		caps  [2]uint8 // of the link between the switches
		asked int
		want  int // -1: refused
	}{
		{[2]uint8{}, 0, route.UsualVLs},
		{[2]uint8{}, 15, 15},
		{[2]uint8{}, 1, 1},
		{[2]uint8{4, 8}, 0, 4},
		{[2]uint8{8, 4}, 4, 4},
		{[2]uint8{4, 8}, 5, -1},
		{[2]uint8{0, 2}, 0, 2},
		{[2]uint8{0, 2}, 3, -1},
		{[2]uint8{15, 15}, 0, 15},
	} {
		f := routetest.Line(t, 3, 1)
		f.Nodes[0].Ports[2].VLCap, f.Nodes[1].Ports[1].VLCap = c.caps[0], c.caps[1]
		for n := range f.Nodes { // links to hosts do not count
			if f.Nodes[n].Type == fabric.CA {
				f.Nodes[n].Ports[1].VLCap = 1
			}
		}
		e := &toy{}
		_, err := Run(context.Background(), f.Compile(), &Request{Engine: e.spec(), MaxVLs: c.asked}, func(string) {})
		var r *route.Refusal
		switch {
		case c.want < 0 && !errors.As(err, &r):
			t.Errorf("VLCap %v, asked for %d: %v, want a refusal", c.caps, c.asked, err)
		case c.want >= 0 && (err != nil || e.in.MaxVLs != c.want):
			t.Errorf("VLCap %v, asked for %d: %v, input %+v, want %d", c.caps, c.asked, err, e.in, c.want)
		}
	}
}

// TestFewVLsToHosts: links to hosts that have fewer VLs than there are lanes share them, those
// between switches have them all.
func TestFewVLsToHosts(t *testing.T) {
	g := routetest.Line(t, 2, 2).Compile()
	g.PortVLs = slices.Repeat([]uint8{8}, len(g.Attached))
	for h := range int32(g.NumHosts) {
		g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = 2
	}
	ends := routetest.Must(lids.Assign(g, lids.Options{}))(t)
	e := &toy{plan: route.Plan{SL: route.UniformSL(&ends, 3), SL2VL: route.UniformVL(g, route.VLTable{3: 3}), VLs: 4}}
	p, err := Run(context.Background(), g, &Request{Engine: e.spec()}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for h := range int32(g.NumHosts) {
		s := g.EndSwitch[h]
		if own, there := p.SL2VL.HostTable(h)[3], p.SL2VL.Table(g, s, 0, g.EndPort[h])[3]; own != 1 || there != 1 {
			t.Errorf("host %d sends on VL %d and receives on %d", h, own, there)
		}
		if between := p.SL2VL.Table(g, s, g.EndPort[h], g.FromPort[g.OutOf(s)[0]])[3]; between != 3 {
			t.Errorf("VL %d between switches", between)
		}
	}
}
