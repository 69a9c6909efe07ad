package ftree

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
)

// spreadOf counts the destinations that come down through every switch, and the
// paths from leaves on every channel up, by walking. A destination that comes down
// through several switches of a level counts for each.
func spreadOf(g *fabric.Graph, plan *route.Plan, t *tree) (through, up map[int32][]int) {
	down := make([]int, g.NumSwitches)
	on := make([]int, g.NumChannels)
	for h := range int32(g.NumHosts) {
		lid := plan.Ends.Base[h]
		seen := map[int32]bool{}
		for s := range int32(g.NumSwitches) {
			if len(g.HostsOf(s)) == 0 {
				continue
			}
			climbing := true
			for at := s; at != g.EndSwitch[h]; {
				c, _ := g.At(at, plan.Tables.Port(at, lid))
				next := g.To[c]
				if t.height[next] > t.height[at] {
					on[c] += len(g.HostsOf(s))
				} else if t.height[next] < t.height[at] {
					climbing = false
				}
				if !climbing && !seen[at] && t.height[at] > 0 {
					seen[at] = true
					down[at]++
				}
				at = next
			}
		}
	}
	through, up = map[int32][]int{}, map[int32][]int{}
	for s, n := range down {
		through[t.height[s]] = append(through[t.height[s]], n)
	}
	for c, n := range on {
		if t.height[g.To[c]] > t.height[g.From[c]] {
			up[t.height[g.From[c]]] = append(up[t.height[g.From[c]]], n)
		}
	}
	return through, up
}

// TestBalance prints and checks the balance on the distributions of table I of paper I.
func TestBalance(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	for _, formula := range []string{
		"fat648|hosts(even=9,odd=9)", "fat648|hosts(even=11,odd=7)", "fat648|hosts(even=13,odd=5)", "fat648|hosts(even=17,odd=1)", "fat648",
		"fat3456|hosts(even=6,odd=6)", "fat3456|hosts(even=7,odd=5)", "fat3456|hosts(even=9,odd=3)", "fat3456|hosts(even=11,odd=1)", "fat3456",
		"racks648|hosts(even=12,odd=12)", "racks648|hosts(even=22,odd=1)", "racks648",
	} {
		g := graph(t, formula)
		for _, balance := range []string{closed, zahavi, beft} {
			for _, switches := range []string{all, none} {
				plan := routed(t, g, "balance="+balance+" switches="+switches)
				tr := recognise(g, nil, nil)
				through, up := spreadOf(g, plan, tr)
				for level := range int32(3) {
					if level == 0 {
						t.Logf("%s %s %s up from leaves %d..%d", formula, balance, switches, slices.Min(up[0]), slices.Max(up[0]))
						continue
					}
					if through[level] == nil {
						continue
					}
					least, most := slices.Min(through[level]), slices.Max(through[level])
					t.Logf("%s %s %s level %d: down through a switch %d..%d", formula, balance, switches, level, least, most)
					if up[level] != nil {
						t.Logf("%s %s %s up from %d: %d..%d", formula, balance, switches, level, slices.Min(up[level]), slices.Max(up[level]))
					}
				}
			}
		}
	}
}
