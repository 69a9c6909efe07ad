package paths_test

import (
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// graph compiles a formula.
func graph(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// levels are the distances from a root by plain relaxation, nothing passing a drained
// switch; what is out of reach gets its own root, the first switch, and so on.
func levels(g *fabric.Graph, root int32) []int {
	const far = 1 << 20
	level := make([]int, g.NumSwitches)
	for s := range level {
		level[s] = far
	}
	for {
		if !g.Drained[root] {
			level[root] = 0
		}
		for again := true; again; {
			again = false
			for c := range g.NumChannels {
				s, v := g.From[c], g.To[c]
				if !g.Drained[s] && !g.Drained[v] && level[s]+1 < level[v] {
					level[v], again = level[s]+1, true
				}
			}
		}
		root = -1
		for s := g.NumSwitches - 1; s >= 0; s-- {
			if level[s] == far && !g.Drained[s] {
				root = int32(s)
			}
		}
		if root < 0 {
			return level
		}
	}
}

// goesUp tells the direction of a channel from the levels.
func goesUp(g *fabric.Graph, level []int, c int32) bool {
	s, v := g.From[c], g.To[c]
	return level[v] < level[s] || level[v] == level[s] && v < s
}

// legalHops is the length of a shortest up*/down* path from switch s to every switch:
// a search over (switch, has gone down), each link and drained switches looked at
// anew.
func legalHops(g *fabric.Graph, level []int, s int32) []int {
	type state struct {
		at   int32
		down bool
	}
	hops := map[state]int{{s, false}: 0}
	best := make([]int, g.NumSwitches)
	for v := range best {
		best[v] = -1
	}
	best[s] = 0
	for queue := []state{{s, false}}; len(queue) > 0; queue = queue[1:] {
		x := queue[0]
		if g.Drained[x.at] && x.at != s {
			continue
		}
		for c := range int32(g.NumChannels) {
			up := goesUp(g, level, c)
			if g.From[c] != x.at || g.To[c] == x.at || up && x.down {
				continue
			}
			y := state{g.To[c], !up}
			if _, met := hops[y]; met {
				continue
			}
			hops[y] = hops[x] + 1
			if best[y.at] < 0 {
				best[y.at] = hops[y]
			}
			queue = append(queue, y)
		}
	}
	return best
}

// dependencyCycle reports whether the paths' channel dependency graph has a cycle:
// channels without a dependency are taken away until none is left.
func dependencyCycle(g *fabric.Graph, ways [][]int32) bool {
	edges := map[[2]int32]bool{}
	for _, way := range ways {
		for i := 1; i < len(way); i++ {
			edges[[2]int32{way[i-1], way[i]}] = true
		}
	}
	for {
		into := map[int32]bool{}
		for e := range edges {
			into[e[1]] = true
		}
		before := len(edges)
		for e := range edges {
			if !into[e[0]] {
				delete(edges, e)
			}
		}
		if len(edges) == before {
			return before > 0
		}
	}
}

// simpleWays lists all loopless legal ways from one switch to another, by a plain
// recursion.
func simpleWays(g *fabric.Graph, allowed func(c, d int32) bool, s, t int32) [][]int32 {
	var all [][]int32
	met := make([]bool, g.NumSwitches)
	var walk func(at int32, way []int32)
	walk = func(at int32, way []int32) {
		if at == t {
			all = append(all, append([]int32(nil), way...))
			return
		}
		if g.Drained[at] && at != s {
			return
		}
		met[at] = true
		for c := range int32(g.NumChannels) {
			if g.From[c] == at && !met[g.To[c]] && (len(way) == 0 || allowed(way[len(way)-1], c)) {
				walk(g.To[c], append(way, c))
			}
		}
		met[at] = false
	}
	walk(s, nil)
	return all
}
