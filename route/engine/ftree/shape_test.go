package ftree

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
)

func parsed(t interface{ Fatal(args ...any) }, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(formula, err)
	}
	return f
}

// TestStrictSaysMore: a refusal of many irregularities says how many, and who lists them.
func TestStrictSaysMore(t *testing.T) {
	_, err := attempt(t, graph(t, "racks648"), "strict=true")
	no, ok := errors.AsType[*route.Refusal](err)
	if !ok || !strings.Contains(no.Reason, "; and 51 more (weft show --tree --json lists all)") {
		t.Errorf("%v", err)
	}
}

// flipped is a tree in which only the last leaf has hosts. Two of the other leaves seem to
// be two levels higher (paper IV, figure 1), and what is below their neighbours
// does not tell.
func flipped(t *testing.T) (f *fabric.Fabric, want []int32) {
	t.Helper()
	f = parsed(t, "karytree(2,3)")
	g := f.Compile()
	whole := recognise(g, nil, nil)
	last := g.SwitchGUID[whole.Leaves[len(whole.Leaves)-1]]
	f = f.Without(func(n fabric.NodeID) bool {
		return f.Nodes[n].Type == fabric.CA && f.Nodes[f.Peer(fabric.End{Node: n, Port: 1}).Node].GUID != last
	}, func(fabric.LinkID) bool { return false })
	if n := len(f.Compile().SwitchGUID); n != g.NumSwitches {
		t.Fatalf("%d switches", n)
	}
	return f, whole.Level
}

// give gives the switches of some height a role.
func give(f *fabric.Fabric, height []int32, at int32, role fabric.Role) *fabric.Graph {
	g := f.Compile()
	for s, h := range height {
		if id, _ := f.NodeByGUID(g.SwitchGUID[s]); h == at {
			f.Nodes[id].Role = role
		}
	}
	return f.Compile()
}

// TestRoles: a flipping switch that inference cannot put back is put back by roles that
// the fabric gives, of leaves or of roots; roots and leaves that are named come first.
func TestRoles(t *testing.T) {
	f, want := flipped(t)
	bare := recognise(f.Compile(), nil, nil).Level
	high := 0
	for s, h := range want {
		if h == 0 && bare[s] == 2 {
			high++
		}
	}
	if high != 2 {
		t.Fatalf("levels %v inferred: %d leaves are two too high, want 2", bare, high)
	}
	for _, c := range []struct {
		at   int32
		role fabric.Role
	}{{0, fabric.RoleLeaf}, {2, fabric.RoleRoot}} {
		f, _ := flipped(t)
		g := give(f, want, c.at, c.role)
		if got := recognise(g, nil, nil).Level; !slices.Equal(got, want) {
			t.Errorf("%ss given: levels %v, want %v", c.role, got, want)
		}
		if r := judged(t, g, routed(t, g, "")); !r.OK {
			t.Errorf("%ss given: %d unreachable, deadlock-free %v", c.role, r.Unreachable, r.DeadlockFree)
		}
	}
	f, _ = flipped(t)
	g := give(f, want, 1, fabric.RoleRoot) // wrong
	var roots []int32
	for s, h := range want {
		if h == 2 {
			roots = append(roots, int32(s))
		}
	}
	if got := recognise(g, roots, nil).Level; !slices.Equal(got, want) {
		t.Errorf("roots named: levels %v, want %v", got, want)
	}
}

// TestTrueRoles: roles that say what is inferred anyway change no byte of the tables.
func TestTrueRoles(t *testing.T) {
	for _, formula := range []string{"rlft(8,3)|fail(links=9,seed=2)", "racks648", "fat648|hosts(even=3,odd=0)", "sftree-fig4a"} {
		f := parsed(t, formula)
		g := f.Compile()
		want := routed(t, g, "")
		tr := recognise(g, nil, nil)
		for h := range tr.Top + 1 {
			role := fabric.RoleMiddle
			switch h {
			case 0:
				role = fabric.RoleLeaf
			case tr.Top:
				role = fabric.RoleRoot
			}
			give(f, tr.Level, h, role)
		}
		got := routed(t, f.Compile(), "")
		for s := range int32(g.NumSwitches) {
			for lid := fabric.LID(1); lid <= want.Ends.Top(); lid++ {
				if got.Tables.Port(s, lid) != want.Tables.Port(s, lid) {
					t.Fatalf("%s: switch %d sends LID %d to port %d, was %d", formula, s, lid, got.Tables.Port(s, lid), want.Tables.Port(s, lid))
				}
			}
		}
	}
}

// TestNotes: what lanes cost is said, and how many pairs paper III's subtree leaves apart:
// as many as the judge finds.
func TestNotes(t *testing.T) {
	plan := routed(t, graph(t, "rlft(8,2)"), "lanes=vftree vls=2")
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "the 8 VLs allowed have room for 4 service levels") {
		t.Errorf("vftree: %q", plan.Notes)
	}
	if plan := routed(t, graph(t, "rlft(8,3)"), "switches=sftree"); len(plan.Notes) > 0 {
		t.Errorf("a whole tree: %q", plan.Notes)
	}
	told := 0
	for seed := range 12 {
		g := graph(t, fmt.Sprintf("rlft(8,3)|fail(share=0.1,links=up,seed=%d)", seed+1))
		plan, err := attempt(t, g, "switches=sftree")
		if err != nil {
			continue
		}
		apart := 0
		if _, err := fmt.Sscanf(strings.Join(plan.Notes, ""), "switches=sftree leaves %d pairs", &apart); err == nil {
			told++
		}
		if r := judged(t, g, plan); int64(apart) != r.Unreachable {
			t.Errorf("seed %d: %q, and the judge finds %d", seed+1, plan.Notes, r.Unreachable)
		}
	}
	if told == 0 {
		t.Error("no pairs were ever left apart")
	}
}
