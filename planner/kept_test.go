package planner

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/planfile"
)

// TestWithTables: a Plan that is told without tables is, with those that switches hold, the Plan
// that it was; a switch that is there no more leaves the others their own.
func TestWithTables(t *testing.T) {
	f, err := gen.Parse("rlft(6,2)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Run(t.Context(), g, &Request{Chain: chain, Workers: 1, Multicast: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := Keep(made.Plan, g).Bare()
	if err != nil {
		t.Fatal(err)
	}
	bare, err := ReadBare(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []fabric.GUID{0, g.SwitchGUID[g.NumSwitches-1], g.SwitchGUID[0]} {
		now := f.Without(func(id fabric.NodeID) bool { return f.Nodes[id].GUID == gone }, nil).Compile()
		tables := route.NewTables(now.NumSwitches, made.Plan.Tables.Top())
		of, _ := fabric.Match(g, now)
		for s, o := range of {
			for lid := fabric.LID(1); lid <= tables.Top(); lid++ {
				tables.Set(int32(s), lid, made.Plan.Tables.Port(o, lid))
			}
		}
		held := bare.WithTables(now, tables)
		for o, guid := range g.SwitchGUID {
			for i := range made.Plan.Tables.NumBlocks() {
				want := made.Plan.Tables.Block(int32(o), i)[:]
				if guid == gone {
					want = bytes.Repeat([]byte{route.NoPort}, route.BlockSize)
				}
				if got := held.Plan.Tables.Block(int32(o), i)[:]; !bytes.Equal(got[1:], want[1:]) {
					t.Fatalf("%s gone, block %d of %s is %v, want %v", gone, i, guid, got, want)
				}
			}
		}
		req := &Request{Chain: chain, Workers: 1, Kept: held}
		if err := held.Hold(now, req); err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), now, req)
		if err != nil || r.Repaired == nil && gone == 0 || gone == 0 && r.Repaired.Moved+r.Repaired.Filled > 0 {
			t.Fatalf("%s gone: %v, %+v", gone, err, r.Repaired)
		}
	}
	for _, c := range []struct {
		engines string
		lmc     uint8
		vls     int
		want    bool
	}{{"updn", 0, 0, true}, {"auto", 0, 1, true}, {"ftree,updn", 0, 0, true}, {"ftree", 0, 0, false}, {"updn,roots=spine 1", 0, 0, false}, {"updn", 1, 0, false}} {
		chain, err := engine.Parse(c.engines, nil)
		if err != nil {
			t.Fatal(err)
		}
		req := &Request{Chain: chain, MaxVLs: c.vls}
		req.LIDs.LMC = c.lmc
		if got := bare.Answers(req); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// A Plan that cannot be repaired is routed by what its job named, also after a repair and from a
// file: auto chooses another engine, and a chain goes on with its next one.
func TestAskedAgain(t *testing.T) {
	whole, less, broken := graph(t, "torus(5x5,hosts=1)"), graph(t, "torus(5x5,hosts=1)|fail(links=1,seed=1)"), graph(t, "torus(5x5,hosts=1)|fail(links=12,seed=1)")
	for asked, want := range map[string]string{engine.Auto: "chosen", "torus,dfsssp": "dfsssp", "torus": "refused", "torus,updn,lash": "updn"} {
		first, err := Route(context.Background(), whole, &Request{Chain: chain(t, asked)})
		if err != nil || first.Engine.Name != "torus" {
			t.Fatalf("%s: %v by %v", asked, err, first.Engine)
		}
		req := &Request{Kept: Keep(first.Plan, whole)}
		if err := req.Kept.Hold(less, req); err != nil {
			t.Fatal(err)
		}
		repaired, err := Route(context.Background(), less, req)
		if err != nil || repaired.Repaired == nil {
			t.Fatalf("%s: not repaired: %v, %v", asked, err, repaired.NotRepaired)
		}
		var file bytes.Buffer
		if err := planfile.Save(&file, less, repaired.Plan); err != nil {
			t.Fatal(err)
		}
		kept, err := ReadKept(&file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := engine.AskedFor(&kept.Plan.Recipe, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Other kinds of hosts make the repair impossible.
		r, err := Route(context.Background(), broken, &Request{Chain: again, Kept: kept, Kinds: []fabric.KindRule{{Kind: "io", Hosts: "host 3"}}})
		got := ""
		switch _, refused := errors.AsType[*route.Refusal](err); {
		case refused:
			got = "refused"
		case err != nil || r.NotRepaired == nil:
			t.Fatalf("%s: %v, repaired %v", asked, err, r.Repaired)
		case r.Choice != nil:
			got = "chosen"
		default:
			got = r.Engine.Name
		}
		if got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
	// Options are those of the engine that made the Plan.
	made, err := Route(context.Background(), graph(t, "rlft(4,2)"), &Request{Chain: chain(t, "dfsssp,updn")})
	if err != nil {
		t.Fatal(err)
	}
	if one, err := engine.AskedFor(&made.Plan.Recipe, []string{"passes=2"}); err != nil || len(one) != 1 || one[0].Engine.Name != "dfsssp" || one[0].Options["passes"] != "2" {
		t.Errorf("with an option: %v, %v", one, err)
	}
}
