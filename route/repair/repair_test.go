package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine"
	"weft/route/planfile"
	"weft/route/recipe"
	"weft/route/routetest"
)

// found finds an engine.
func found(t testing.TB, name string) *route.Spec {
	t.Helper()
	return routetest.Must(engine.Find(name))(t)
}

// routed routes a network, nil if the engine refuses it.
func routed(t testing.TB, g *fabric.Graph, name string) *route.Plan {
	t.Helper()
	return routedBy(t, g, &recipe.Request{Engine: found(t, name)})
}

// routedBy is routed for a request with an engine.
func routedBy(t testing.TB, g *fabric.Graph, req *recipe.Request) *route.Plan {
	t.Helper()
	req.Workers, req.Seed = 2, 1
	plan, err := recipe.Run(context.Background(), g, req, func(string) {})
	if _, no := errors.AsType[*route.Refusal](err); no {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func judged(t testing.TB, g *fabric.Graph, p *route.Plan) *check.Report {
	t.Helper()
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// saved is a Plan as its file has it.
func saved(t testing.TB, g *fabric.Graph, p *route.Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := planfile.Save(&b, g, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// change takes a node or some links out, or puts them back.
func change(f *fabric.Fabric, rng *rand.Rand) {
	if rng.IntN(5) == 0 {
		n := rng.IntN(len(f.Nodes))
		f.SetNodeDown(fabric.NodeID(n), !f.Nodes[n].Down)
		return
	}
	for range 1 + 2*rng.IntN(2) {
		if len(f.Links) > 0 {
			l := rng.IntN(len(f.Links))
			f.SetLinkDown(fabric.LinkID(l), !f.Links[l].Down)
		}
	}
}

// changeThrice routes each fabric of the table, changes it three times, and gives the old Plan and
// the new Graph to a function that returns the next Plan; nil ends that fabric.
func changeThrice(t *testing.T, req *recipe.Request, next func(what string, old *fabric.Graph, plan *route.Plan, g *fabric.Graph, rng *rand.Rand) *route.Plan) {
	for _, c := range conformance.Fabrics() {
		f, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		old, rng := f.Compile(), rand.New(rand.NewPCG(1, 7))
		plan := routedBy(t, old, req)
		for step := 0; step < 3 && plan != nil; step++ {
			change(f, rng)
			g := f.Compile()
			plan = next(fmt.Sprint(c.Name, " step ", step), old, plan, g, rng)
			old = g
		}
	}
}

// TestEngines: fabrics of the table lose and get back links, switches and hosts, three
// times. What a repair makes of a proven Plan is proven; it moves no more entries than were
// crossed, leaves the others as they were, and is the same on one core and on four, with
// the links of the old Graph known or not. Few repairs are impossible.
func TestEngines(t *testing.T) {
	for name, impossible := range map[string]int{
		"minhop": 0, "updn": 3, "dor": 3, "sssp": 3, "dfsssp": 8, "lash": 8, "nue": 8, "torus": 3, "ftree": 3, "renaming": 6,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "updn" && name != "dfsssp" {
				racing.SkipLong(t)
			}
			done, failed := 0, 0
			changeThrice(t, &recipe.Request{Engine: found(t, name)}, func(what string, old *fabric.Graph, plan *route.Plan, g *fabric.Graph, _ *rand.Rand) *route.Plan {
				if now := repaired(t, what, old, plan, g); now != nil {
					done++
					return now
				}
				failed++
				return routed(t, g, name)
			})
			t.Logf("%d done, %d impossible", done, failed)
			if failed*100 > impossible*(done+failed) {
				t.Errorf("%d of %d repairs were impossible", failed, done+failed)
			}
		})
	}
}

// repaired repairs a Plan and checks what came of it; nil if that is impossible.
func repaired(t *testing.T, what string, old *fabric.Graph, plan *route.Plan, g *fabric.Graph) *route.Plan {
	t.Helper()
	before := saved(t, old, plan)
	held := route.Hold(old, plan, g)
	now, figures, err := Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: held, Workers: 1})
	if _, no := errors.AsType[*Impossible](err); no {
		return nil
	}
	if err != nil {
		t.Fatal(what, err)
	}
	if r := judged(t, g, now); judged(t, old, plan).OK && !r.OK {
		t.Fatalf("%s: %+v %+v, deadlock-free: %v", what, r.Faults, r.Reachability, r.DeadlockFree)
	}
	leavesTheRest(t, what, old, plan, g, now, figures)
	again, _, err := Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: held, Workers: 4})
	if err != nil || !bytes.Equal(saved(t, g, now), saved(t, g, again)) {
		t.Fatalf("%s: not the same on 4 cores: %v", what, err)
	}
	if !bytes.Equal(before, saved(t, old, plan)) {
		t.Fatalf("%s: the old plan was changed", what)
	}
	loaded, alone, err := planfile.LoadAlone(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	again, _, err = Run(t.Context(), g, &Request{Old: alone, Plan: loaded, Held: held, Workers: 2})
	if err != nil || !bytes.Equal(saved(t, g, now), saved(t, g, again)) {
		t.Fatalf("%s: not the same from a file: %v", what, err)
	}
	alone.Attached = nil
	again, _, err = Run(t.Context(), g, &Request{Old: alone, Plan: loaded, Held: held, Workers: 2})
	if _, no := errors.AsType[*Impossible](err); no {
		return now
	}
	if err != nil {
		t.Fatal(what, err)
	}
	if r := judged(t, g, again); judged(t, old, plan).OK && !r.OK {
		t.Fatalf("%s, without links: %+v %+v, deadlock-free: %v", what, r.Faults, r.Reachability, r.DeadlockFree)
	}
	return now
}

// leavesTheRest walks the old tables on both Graphs, entry by entry: one whose path is whole
// is the same, and as many others have moved as the figures say.
func leavesTheRest(t *testing.T, what string, old *fabric.Graph, plan *route.Plan, g *fabric.Graph, now *route.Plan, f *Figures) {
	t.Helper()
	at := map[fabric.GUID]int32{}
	for s, guid := range old.SwitchGUID {
		at[guid] = int32(s)
	}
	owners := now.Ends.ByLID()
	was := plan.Ends.ByLID()
	moved, crossed := 0, 0
	for lid, end := range owners {
		if end < 0 || lid >= len(was) || was[lid] < 0 || old.EndNodeGUID[was[lid]] != g.EndNodeGUID[end] || old.EndNum[was[lid]] != g.EndNum[end] {
			continue
		}
		for s := range int32(g.NumSwitches) {
			o, known := at[g.SwitchGUID[s]]
			if !known || plan.Tables.Port(o, fabric.LID(lid)) == route.NoPort {
				continue
			}
			same := now.Tables.Port(s, fabric.LID(lid)) == plan.Tables.Port(o, fabric.LID(lid))
			if !same {
				moved++
			}
			if wholeOnBoth(old, plan, o, g, at, s, lid, end) {
				if !same {
					t.Fatalf("%s: the entry of switch %d for LID %d moved, and was not crossed", what, s, lid)
				}
			} else if s != g.EndSwitch[end] {
				crossed++
			}
		}
	}
	if f.Crossed < crossed || f.Moved > moved || moved > 2*f.Crossed {
		t.Fatalf("%s: %+v, counted: %d crossed, %d moved", what, f, crossed, moved)
	}
}

// wholeOnBoth walks from a switch on the new Graph by the old entries, as long as the links
// are those of the old Graph.
func wholeOnBoth(old *fabric.Graph, plan *route.Plan, o int32, g *fabric.Graph, at map[fabric.GUID]int32, s int32, lid int, end int32) bool {
	for range g.NumSwitches + 1 {
		port := plan.Tables.Port(o, fabric.LID(lid))
		if s == g.EndSwitch[end] {
			return port == g.EndPort[end]
		}
		was, _ := old.At(o, port)
		c, _ := g.At(s, port)
		if was < 0 || c < 0 || old.SwitchGUID[old.To[was]] != g.SwitchGUID[g.To[c]] || old.ToPort[was] != g.ToPort[c] {
			return false
		}
		s, o = g.To[c], at[g.SwitchGUID[g.To[c]]]
		if g.Drained[s] && s != g.EndSwitch[end] {
			return false
		}
	}
	return false
}

// TestRepairedMark: the recipe says whether a repair changed the paths or left links unused: not
// for a lost host, but for a lost link, one that is back, a new host, and a switch that is drained
// no more.
func TestRepairedMark(t *testing.T) {
	for _, c := range []struct {
		what  string
		apply func(f *fabric.Fabric, back bool)
		want  [2]bool // at first without the part; then with it, from a fresh Plan without it
	}{
		{"nothing", func(*fabric.Fabric, bool) {}, [2]bool{false, false}},
		{"a host", func(f *fabric.Fabric, back bool) { f.SetNodeDown(f.Links[hostLink(f)].A.Node, !back) }, [2]bool{false, true}},
		{"a link", func(f *fabric.Fabric, back bool) { f.SetLinkDown(betweenSwitches(f, 2), !back) }, [2]bool{true, true}},
		{"a drain", func(f *fabric.Fabric, back bool) {
			l := f.Links[betweenSwitches(f, 2)] // from a leaf to a spine
			f.SetSwitchDrained(max(l.A.Node, l.B.Node), !back)
		}, [2]bool{true, true}},
	} {
		f, err := gen.Parse("rlft(6,2)")
		if err != nil {
			t.Fatal(err)
		}
		for step, want := range c.want {
			old := f.Compile()
			plan := routed(t, old, "updn")
			c.apply(f, step == 1)
			g := f.Compile()
			now, figures, err := Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 1})
			if err != nil || plan.Recipe.Repaired || now.Recipe.Repaired != want {
				t.Errorf("%s, step %d: %v, repaired %t: %+v", c.what, step, err, now.Recipe.Repaired, figures)
			}
		}
	}
}

// hostLink is the first link of a host, whose end A it is.
func hostLink(f *fabric.Fabric) fabric.LinkID {
	return fabric.LinkID(slices.IndexFunc(f.Links, func(l fabric.Link) bool { return f.Nodes[l.A.Node].Type == fabric.CA }))
}

// TestOtherPort: hosts of one switch exchange their ports, with and without other switches. Their
// LIDs follow them, and nothing else moves.
func TestOtherPort(t *testing.T) {
	for _, formula := range []string{"rlft(4,2)", "fullmesh(1,hosts=3)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		old := f.Compile()
		plan := routed(t, old, "updn")
		g := f.Compile()
		a, b := g.HostsOf(0)[0], g.HostsOf(0)[1]
		g.EndPort[a], g.EndPort[b] = g.EndPort[b], g.EndPort[a]
		first := g.PortStart[0]
		x, y := first+int32(g.EndPort[a]), first+int32(g.EndPort[b])
		g.Attached[x], g.Attached[y] = g.Attached[y], g.Attached[x]
		now, figures, err := Run(t.Context(), g, &Request{Old: old, Plan: plan, Held: route.Hold(old, plan, g), Workers: 1})
		if err != nil {
			t.Fatal(formula, err)
		}
		if r := judged(t, g, now); !r.OK || figures.Moved != 2 {
			t.Errorf("%s: %+v %+v", formula, r.Faults, figures)
		}
	}
}

// TestPartsJoined: a link that was the only one between two parts is lost and comes back. What had
// no way then has one again, over that link.
func TestPartsJoined(t *testing.T) {
	f := routetest.Line(t, 4, 2)
	g := f.Compile()
	plan := routed(t, g, "updn")
	for _, down := range []bool{true, false} {
		for id, l := range f.Links {
			if l.A.Node == 1 && l.B.Node == 2 {
				f.SetLinkDown(fabric.LinkID(id), down)
			}
		}
		old := g
		g = f.Compile()
		if plan = repaired(t, fmt.Sprint("down ", down), old, plan, g); plan == nil {
			t.Fatal("impossible")
		}
		if r := judged(t, g, plan); !r.OK || (r.Disconnected > 0) != down {
			t.Fatalf("down %v: %+v", down, r.Reachability)
		}
	}
}
