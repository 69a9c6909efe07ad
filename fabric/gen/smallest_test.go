package gen

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// fewestSwitches tries every tree of one to three levels that is built as smallest says, without
// any thought: 0 where none holds the hosts.
func fewestSwitches(radix, hosts int, ratio float64) int {
	if hosts <= radix {
		return 1
	}
	best := math.MaxInt
	for up := 1; up < radix; up++ {
		for perLeaf := 1; perLeaf+up <= radix && float64(perLeaf) <= ratio*float64(up); perLeaf++ {
			leaves := (hosts + perLeaf - 1) / perLeaf
			for spines := 1; spines <= up; spines++ {
				if up%spines != 0 {
					continue
				}
				if leaves*up/spines <= radix {
					best = min(best, leaves+spines)
				}
				for inPod := 1; inPod*up/spines < radix; inPod++ {
					down := inPod * up / spines
					pods := (leaves + inPod - 1) / inPod
					for middleUp := down; middleUp+down <= radix; middleUp++ {
						for roots := 1; roots <= spines*middleUp; roots++ {
							if spines*middleUp%roots == 0 && pods*spines*middleUp/roots <= radix {
								best = min(best, pods*(inPod+spines)+roots)
							}
						}
					}
				}
			}
		}
	}
	if best == math.MaxInt {
		return 0
	}
	return best
}

// TestSmallestTree: no tree of fewer switches holds the hosts; the built tree keeps the radix and
// the ratio.
func TestSmallestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		radix, hosts := rapid.IntRange(2, 12).Draw(t, "radix"), rapid.IntRange(1, 300).Draw(t, "hosts")
		ratio := rapid.SampledFrom([]float64{1, 1.5, 2, 3}).Draw(t, "ratio")
		want := fewestSwitches(radix, hosts, ratio)
		f, err := Parse(fmt.Sprintf("tree(%d,hosts=%d,ratio=%g)", radix, hosts, ratio))
		if (err != nil) != (want == 0) {
			t.Fatalf("%v, but the fewest switches are %d", err, want)
		}
		if err != nil {
			return
		}
		checkSmallest(t, f, radix, hosts, ratio, want)
	})
}

// checkSmallest checks the counts of a built tree.
func checkSmallest(t *rapid.T, f *fabric.Fabric, radix, hosts int, ratio float64, switches int) {
	g := f.Compile()
	if g.NumSwitches != switches || g.NumHosts != hosts {
		t.Fatalf("%d switches and %d hosts, want %d and %d", g.NumSwitches, g.NumHosts, switches, hosts)
	}
	if _, parts := g.Components(); parts != 1 {
		t.Fatalf("%d parts", parts)
	}
	level := Levels(f)
	type ends struct{ from, to fabric.NodeID }
	cables, up, down := map[ends]int{}, map[fabric.NodeID]int{}, map[fabric.NodeID]int{}
	for _, l := range f.Links {
		a, b := l.A.Node, l.B.Node
		if !nodes.IsSwitch(f, a) || !nodes.IsSwitch(f, b) {
			continue
		}
		if level[a] > level[b] {
			a, b = b, a
		}
		if level[a]+1 != level[b] {
			t.Fatalf("a cable from level %d to %d", level[a], level[b])
		}
		cables[ends{a, b}]++
		up[a]++
		down[b]++
	}
	each := map[fabric.NodeID]int{} // cables of a leaf to each spine
	for pair, n := range cables {
		if level[pair.from] > 0 {
			continue
		}
		if before := each[pair.from]; before != 0 && before != n {
			t.Fatalf("%s has %d cables to one spine and %d to another", f.NodeName(pair.from), before, n)
		}
		each[pair.from] = n
	}
	for id := range f.Nodes {
		s := fabric.NodeID(id)
		if !nodes.IsSwitch(f, s) {
			continue
		}
		here := len(nodes.HostPorts(f, s))
		switch {
		case f.Nodes[s].NumPorts() != radix:
			t.Fatalf("%s has %d ports", f.NodeName(s), f.Nodes[s].NumPorts())
		case level[s] == 0 && g.NumSwitches > 1 && float64(here) > ratio*float64(up[s])+1e-9:
			t.Fatalf("%s has %d hosts on %d cables up", f.NodeName(s), here, up[s])
		case level[s] > 0 && here > 0:
			t.Fatalf("%s is no leaf and has hosts", f.NodeName(s))
		case up[s] > 0 && level[s] > 0 && up[s] < down[s]:
			t.Fatalf("%s has %d cables up and %d down", f.NodeName(s), up[s], down[s])
		}
	}
}

// TestTreesPeopleBuy holds the sizes of trees that are known.
func TestTreesPeopleBuy(t *testing.T) {
	for expr, want := range map[string]int{
		"tree(40,40)":           1,
		"tree(36,648)":          36 + 18,
		"tree(40,800)":          40 + 20,
		"tree(40,2000)":         100 + 100 + 50,
		"tree(40,1200,ratio=3)": 40 + 10,
		"tree(24,3456)":         720,
		"tree(64,65536)":        5120,
	} {
		if got := parse(t, expr).Compile().NumSwitches; got != want {
			t.Errorf("%s has %d switches, want %d", expr, got, want)
		}
	}
}
