package check

import (
	"context"
	"errors"
	"testing"

	"weft/fabric"
	"weft/route"
)

func TestJudgeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := tree(t)
	if _, err := Judge(ctx, x.g, x.p, Options{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNothingToJudge(t *testing.T) {
	g := fabric.New("nothing").Compile()
	r, err := Judge(context.Background(), g, &route.Plan{Tables: route.NewTables(0, 0)}, Options{})
	if err != nil || !r.OK || r.Pairs != 0 || r.DeadlockFree != Yes {
		t.Error(r, err)
	}
}

// TestNameless: a Plan is not proven where it leaves out end ports, one or all of them.
func TestNameless(t *testing.T) {
	for _, named := range []int{0, 1, tree(t).g.NumHosts, tree(t).g.NumEnds - 1} {
		x := tree(t)
		clear(x.p.Ends.Base[named:])
		x.p.Choice = route.Choice{}
		r := judged(t, x)
		f := r.Find(NoLID)
		if r.OK || len(r.Faults) > 0 || f == nil || f.Count != int64(x.g.NumEnds-named) || len(f.Examples) != min(examplesShown, int(f.Count)) {
			t.Errorf("%d ends named: %+v", named, f)
		}
	}
}
