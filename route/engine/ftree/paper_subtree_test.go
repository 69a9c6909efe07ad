package ftree

import (
	"errors"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/conformance"
	"weft/route"
)

// TestSubtreeCycle: the smallest degraded tree on which the subtree of paper III closes
// a cycle, against its lemma 5.9: of all on three levels with one or two leaves none with
// fewer switches does. One leaf, four switches above it of which two are linked to it,
// and three roots. The order that joins all switches has none.
func TestSubtreeCycle(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("lemma 5.9")}
	leaf, m0, m1, m2, m3, r0, r1, r2 := b.Switch(), b.Switch(), b.Switch(), b.Switch(), b.Switch(), b.Switch(), b.Switch(), b.Switch()
	b.Hosts(leaf, 1)
	for _, link := range [][2]fabric.NodeID{
		{leaf, m0}, {leaf, m3}, {m0, r0}, {m1, r0}, {m1, r1}, {m1, r2}, {m2, r1}, {m2, r2}, {m3, r1},
	} {
		b.Link(link[0], link[1])
	}
	g := b.F.Compile()
	_, err := attempt(t, g, "balance=zahavi switches=sftree")
	if no, ok := errors.AsType[*route.Refusal](err); !ok || !strings.Contains(no.Reason, "cycle") {
		t.Errorf("subtree: %v", err)
	}
	if r := judged(t, g, routed(t, g, "balance=zahavi")); !r.OK {
		t.Errorf("one order: deadlock-free %v, unreachable %d, lanes %d", r.DeadlockFree, r.Unreachable, r.VLs)
	}
}

// TestSubtreeLoop: where paths through the subtree lead round in a loop, that is refused too,
// so that a chain of engines goes on.
func TestSubtreeLoop(t *testing.T) {
	g := graph(t, "irregular(switches=16,degree=5,hosts=40,seed=475)|fail(links=8,seed=475)")
	_, err := attempt(t, g, "switches=sftree")
	if _, ok := errors.AsType[*route.Refusal](err); !ok {
		t.Errorf("no refusal: %v", err)
	}
}

// TestSubtreeDrained: likewise on a regular tree of which switches are drained.
func TestSubtreeDrained(t *testing.T) {
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	whole := f.Compile()
	for _, s := range []int{1, 4, 8} {
		id, _ := f.NodeByGUID(whole.SwitchGUID[s])
		f.Nodes[id].Drained = true
	}
	_, err = attempt(t, f.Compile(), "balance=beft switches=sftree")
	if no, ok := errors.AsType[*route.Refusal](err); !ok || !strings.Contains(no.Reason, "cycle") {
		t.Errorf("no refusal: %v", err)
	}
}

// TestSubtreeWhole: on whole trees the subtree connects all switches on one lane.
func TestSubtreeWhole(t *testing.T) {
	for _, formula := range []string{
		"fat648", "racks648", "rlft(8,3)", "xgft(3;3,3,3;1,2,3)", "pgft(2;4,4;1,2;1,2)", "fat3456", "juropa", "ranger", "dual4608",
	} {
		g := graph(t, formula)
		large := g.NumSwitches > 500
		if testing.Short() && large {
			continue
		}
		for _, balance := range []string{closed, zahavi, beft} {
			if large && balance != closed {
				continue
			}
			if r := judged(t, g, routed(t, g, "switches=sftree balance="+balance)); !r.OK {
				t.Errorf("%s %s: unreachable %d, deadlock-free %v", formula, balance, r.Unreachable, r.DeadlockFree)
			}
		}
	}
}
