package gen

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// TestButterflyPaths: from every switch of the first stage exactly one way leads forward to every
// switch of the last one, stage after stage.
func TestButterflyPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n := rapid.IntRange(1, 4).Draw(t, "k"), rapid.IntRange(1, 4).Draw(t, "n")
		f, err := Parse(fmt.Sprintf("butterfly(%d,%d,hosts=0)", k, n))
		if err != nil {
			t.Fatal(err)
		}
		next := map[fabric.NodeID][]fabric.NodeID{}
		stage := func(id fabric.NodeID) int {
			var s, i int
			if _, err := fmt.Sscanf(f.Nodes[id].Desc, "stage %d switch %d", &s, &i); err != nil {
				t.Fatal(err)
			}
			return s
		}
		for i := range f.Links {
			a, b := f.Links[i].A.Node, f.Links[i].B.Node
			if stage(a) > stage(b) {
				a, b = b, a
			}
			if stage(b) != stage(a)+1 {
				t.Fatalf("%s and %s are joined", f.Nodes[a].Desc, f.Nodes[b].Desc)
			}
			next[a] = append(next[a], b)
		}
		for id := range f.Nodes {
			if !strings.HasPrefix(f.Nodes[id].Desc, "stage 0 ") {
				continue
			}
			ways := map[fabric.NodeID]int{fabric.NodeID(id): 1}
			for range n - 1 {
				after := map[fabric.NodeID]int{}
				for at, w := range ways {
					for _, to := range next[at] {
						after[to] += w
					}
				}
				ways = after
			}
			if len(ways) != len(f.Nodes)/n {
				t.Fatalf("%d of %d switches are reached", len(ways), len(f.Nodes)/n)
			}
			for to, w := range ways {
				if w != 1 {
					t.Fatalf("%d ways to %s", w, f.Nodes[to].Desc)
				}
			}
		}
	})
}
