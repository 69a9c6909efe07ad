package check

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/fabric"
)

// walked judges a Plan's tables, in batches or LID by LID, and returns what the walk found.
func walked(t *testing.T, j *judge, inBatches bool) (found results, counted counts) {
	t.Helper()
	if !inBatches {
		j.batches = nil
	} else if j.batches == nil {
		t.Fatal("nothing is judged in batches")
	}
	if err := j.walk(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, w := range j.workers {
		if w != nil {
			counted.Pairs += w.counts.Pairs
			counted.Unreachable += w.counts.Unreachable
			counted.Loops += w.counts.Loops
			counted.stale += w.counts.stale
		}
	}
	return j.found, counted
}

// TestBatchesLikeSingleLIDs compares LIDs judged together with LIDs judged one by one, on whole
// tables and on tables with random wrong entries.
func TestBatchesLikeSingleLIDs(t *testing.T) {
	for _, of := range []struct{ formula, engine string }{
		{"rlft(12,3)", "ftree"},
		{"rlft(8,2)|fail(links=3,seed=1)", "updn"},
		{"dragonfly(4,2,2)|without(hosts=5)", "minhop"},
		{"torus(4x3,hosts=6)", "minhop"},
		{"hyperx(4x3,hosts=5)", "minhop"},
		{"fullmesh(3,hosts=70)", "minhop"}, // two words of ports
		{"xgft(3;20,2,2;1,2,2)", "ftree"},  // eight equal entries
	} {
		for wrong := range 3 {
			g, p := plan(t, of.formula, of.engine, uint8(wrong%2), nil)
			rng := rand.New(rand.NewPCG(uint64(wrong), 1))
			for range wrong * 20 {
				s, lid := rng.Int32N(int32(g.NumSwitches)), 1+rng.IntN(int(p.Ends.Top()))
				p.Tables.Set(s, fabric.LID(lid), uint8(rng.IntN(int(g.SwitchPorts[s])+2)))
			}
			a, b := prepare(g, p, 2, room{}), prepare(g, p, 1, room{})
			found, counted := walked(t, a, true)
			want, counts := walked(t, b, false)
			if !reflect.DeepEqual(found, want) || counted != counts {
				t.Errorf("%s by %s, %d wrong: batches found %+v, single LIDs %+v, or other examples", of.formula, of.engine, wrong*20, counted, counts)
			}
			if !reflect.DeepEqual(a.Pairs, b.Pairs) {
				t.Errorf("%s by %s, %d wrong: other pairs on channels", of.formula, of.engine, wrong*20)
			}
			if !reflect.DeepEqual(a.deps.words, b.deps.words) || !reflect.DeepEqual(a.deps.last, b.deps.last) {
				t.Errorf("%s by %s, %d wrong: other dependencies", of.formula, of.engine, wrong*20)
			}
		}
	}
}
