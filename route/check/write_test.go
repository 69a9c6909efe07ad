package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
)

func written(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// All packets round a ring of three, on one lane.
func TestWriteDrawsTheCycle(t *testing.T) {
	x := ring(t, 3, 0, func(int) bool { return false }, func(_, _ int32) uint8 { return 0 })
	got := written(t, judged(t, x))
	want := []string{
		"FAULTY: all pairs reachable, 12 pairs not minimal, deadlock-free: no\n",
		"  deadlock-free, assigned LIDs         no  3 dependencies\n",
		"cycle, assigned LIDs: a shortest one, of 3 channels\n" +
			`    switch "s" (0x0000000000000001)[1] VL 0 -> switch "s" (0x0000000000000002)[2]  held by `,
		`    switch "s" (0x0000000000000003)[1] VL 0 -> switch "s" (0x0000000000000001)[2]  held by `,
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("not written: %s\nin:\n%s", w, got)
		}
	}
	if strings.Count(got, "cycle, ") != 1 {
		t.Errorf("the same cycle is drawn again:\n%s", got)
	}
}

func TestWriteFindings(t *testing.T) {
	x := tree(t)
	x.p.Tables.Set(away(x.g, 0), lidOfHost(x.p, 0), 254)
	got := written(t, judged(t, x))
	for _, w := range []string{"FAULTY: ", " pairs unreachable, ", ", dead-port, one-way\n", "fault: dead-port: 1, ", " pairs lost\n    LID ", " sends to port 254, but has only 4 ports\n"} {
		if !strings.Contains(got, w) {
			t.Errorf("not written: %s\nin:\n%s", w, got)
		}
	}
	if got := written(t, judged(t, tree(t))); !strings.HasPrefix(got, "PROVEN: all pairs reachable, minimal between hosts (42 pairs with switches are not), deadlock-free: yes\n") {
		t.Errorf("a good plan:\n%s", got)
	}
}

// The keys that programs rely on.
func TestJSON(t *testing.T) {
	x := dateline(t)
	for want, do := range map[string]func(){
		"true": func() {}, "false": func() { clear(x.p.SL.Cells) }, "null": func() { x.p.SL = nil },
	} {
		x = dateline(t)
		do()
		text, err := json.Marshal(judged(t, x))
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"ok", "pairs", "unreachable", "loops", "deadlock_free", "vls", "cycle", "hops", "load", "minimal"} {
			if _, ok := keys[k]; !ok {
				t.Errorf("no key %q", k)
			}
		}
		if got := string(keys["deadlock_free"]); got != want {
			t.Errorf("deadlock_free is %s, want %s", got, want)
		}
		var back Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(&back); err != nil || string(again) != string(text) {
			t.Errorf("%v: read back as %s", err, again)
		}
	}
}

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
		x.p.Choice = nil
		r := judged(t, x)
		want := fmt.Sprintf("NOT PROVEN: %d of %d end ports have no LID and are not judged, ", x.g.NumEnds-named, x.g.NumEnds)
		if r.OK || len(r.Faults) > 0 || !strings.HasPrefix(written(t, r), want) {
			t.Errorf("%d ends named: %s", named, written(t, r))
		}
	}
}
