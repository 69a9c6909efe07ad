package planner

import (
	"bytes"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
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
