package ftree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/internal/racing"
	"weft/route"
)

// spreads is how destinations fall on the switches and channels of a tree.
type spreads struct {
	through []int // by switch: destinations that come down through it
	up      []int // by channel: destinations that somebody sends up it
}

// spreadOf walks the path of every leaf to every host, down from where another has
// come down already only once.
func spreadOf(g *fabric.Graph, plan *route.Plan, t *tree) *spreads {
	s := &spreads{make([]int, g.NumSwitches), make([]int, g.NumChannels)}
	down, up := make([]int32, g.NumSwitches), make([]int32, g.NumChannels)
	for h := range int32(g.NumHosts) {
		for leaf := range int32(g.NumSwitches) {
			hosts := len(g.HostsOf(leaf))
			if hosts == 0 || leaf == g.EndSwitch[h] {
				continue
			}
			climbing := true
			for at := leaf; at != g.EndSwitch[h]; {
				c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[h]))
				next := g.To[c]
				climbing = climbing && t.Level[next] > t.Level[at]
				if climbing {
					if up[c] != h+1 {
						up[c] = h + 1
						s.up[c]++
					}
				} else {
					if down[at] == h+1 {
						break
					}
					if down[at] = h + 1; t.Level[at] > 0 {
						s.through[at]++
					}
				}
				at = next
			}
		}
	}
	return s
}

// gaps are the differences between the most and the fewest destinations: of the
// switches of one level and pod, which have the same first child, and of the channels
// up from one switch.
func (s *spreads) gaps(t *tree) (through, up int) {
	type family struct{ level, first int32 }
	pods := map[family][]int{}
	for v := range int32(t.G.NumSwitches) {
		if t.Level[v] == 0 {
			continue
		}
		of := family{t.Level[v], -1}
		for _, c := range t.G.OutOf(v) {
			if u := t.G.To[c]; t.Level[v] < t.Top && t.Level[u] < t.Level[v] && (of.first < 0 || u < of.first) {
				of.first = u
			}
		}
		pods[of] = append(pods[of], s.through[v])
	}
	for _, n := range pods {
		through = max(through, slices.Max(n)-slices.Min(n))
	}
	for v := range int32(t.G.NumSwitches) {
		var n []int
		for _, c := range t.G.OutOf(v) {
			if t.Level[t.G.To[c]] > t.Level[v] {
				n = append(n, s.up[c])
			}
		}
		if len(n) > 0 {
			up = max(up, slices.Max(n)-slices.Min(n))
		}
	}
	return through, up
}

// distributions are those of table I, figure 8 and figure 9 of paper I.
func distributions() []string {
	var out []string
	add := func(name string, even, odd int) {
		out = append(out, fmt.Sprintf("%s|hosts(even=%d,odd=%d)", name, even, odd))
	}
	for _, d := range [][2]int{{9, 9}, {11, 7}, {13, 5}} {
		add("fat648", d[0], d[1])
	}
	for n := range 18 {
		add("fat648", n+1, 1)
		add("fat648", 18, n+1)
		add("fat648", 17, n+1)
	}
	for _, d := range [][2]int{{6, 6}, {7, 5}, {9, 3}} {
		add("fat3456", d[0], d[1])
	}
	for n := range 12 {
		add("fat3456", n+1, 1)
		add("fat3456", 12, n+1)
		add("fat3456", 11, n+1)
	}
	for _, d := range [][2]int{{12, 12}, {22, 1}, {24, 24}} {
		add("racks648", d[0], d[1])
	}
	return out
}

// TestBalance: on 648 and 3,456 ports destinations differ by at most one among the
// switches of a level, also the roots among each other, and among the links up from a
// switch. With rack switches four leaves of a pod share 18 spines, which costs a few more.
func TestBalance(t *testing.T) {
	for _, formula := range distributions() {
		if testing.Short() && strings.HasPrefix(formula, "fat3456") {
			continue
		}
		g := graph(t, formula)
		tr := recognise(g, nil, nil)
		allowed := 1
		if strings.HasPrefix(formula, "racks648") {
			allowed = 4
		}
		through, up := spreadOf(g, routed(t, g, ""), tr).gaps(tr)
		if through > allowed || up > allowed {
			t.Errorf("%s: destinations of switches differ by %d, of links up by %d", formula, through, up)
		}
	}
}

// TestOldBalance: the classic order is out of balance where leaves differ (paper I):
// with 17 and 1 hosts some roots take none, beft spreads them.
func TestOldBalance(t *testing.T) {
	g := graph(t, "fat648|hosts(even=17,odd=1)")
	tr := recognise(g, nil, nil)
	for balance, defect := range map[string]bool{zahavi: true, beft: false, closed: false} {
		through, up := spreadOf(g, routed(t, g, "balance="+balance), tr).gaps(tr)
		if (through > 1) != defect || (up > 1) != defect {
			t.Errorf("%s: destinations of switches differ by %d, of links up by %d", balance, through, up)
		}
	}
}

// TestRacks: of several ways from a rack switch eft takes the first, the others spread them (paper
// I, section II-A). On full racks beft loads links up less than beft-regular, which is without the
// two steps for racks (section II-B).
func TestRacks(t *testing.T) {
	g := graph(t, "racks648")
	tr := recognise(g, nil, nil)
	load := map[string]int{}
	for _, balance := range []string{zahavi, opensm335, eft, beft, beftRegular} {
		plan := routed(t, g, "balance="+balance)
		load[balance] = mostUp(g, plan, tr)
		through, most, all := map[int32]int{}, 0, 0
		for h := range int32(g.NumHosts) {
			if c, _ := g.At(0, plan.Tables.Port(0, plan.Ends.Base[h])); c >= 0 && tr.Level[g.To[c]] == 1 {
				through[g.To[c]]++
				most, all = max(most, through[g.To[c]]), all+1
			}
		}
		if share := float64(most) / float64(all); (share > .5) != (balance == eft) {
			t.Errorf("%s: a rack switch sends %.2f of the destinations over one switch", balance, share)
		}
	}
	if load[beft] >= load[beftRegular] {
		t.Errorf("links up carry up to %v paths", load)
	}
}

// TestShortDummies: that a dummy counts on its first link only changes nothing where each leaf has
// all its hosts, or paths down have one link only; elsewhere it gives other tables.
func TestShortDummies(t *testing.T) {
	racing.SkipLong(t)
	for formula, same := range map[string]bool{"racks648": true, "fat648|hosts(even=17,odd=1)": true, "racks648|hosts(even=22,odd=1)": false, "fat3456|hosts(even=11,odd=1)": false} {
		g := graph(t, formula)
		a, b := routed(t, g, "balance="+zahavi), routed(t, g, "balance="+opensm335)
		differ := false
		for s := range int32(g.NumSwitches) {
			for i := range a.Tables.NumBlocks() {
				differ = differ || *a.Tables.Block(s, i) != *b.Tables.Block(s, i)
			}
		}
		if differ == same {
			t.Errorf("%s: other tables: %v, want %v", formula, differ, !same)
		}
	}
}
