package names

// classes groups the equal paths of a Routing into classes. Classes are in order of their first
// path, so that a scheme that prefers the earliest path prefers the lowest class.
type classes struct {
	routing *Routing
	of      []int32 // by path: its class
	first   []int32 // by class: its first path
	weight  []int32 // by class: its number of paths
}

// trieNode is a node of the trie of all paths read from the destination; equal paths end at one
// node. A missing link is -1.
type trieNode struct {
	hop                 Hop
	firstChild, sibling int32
	class               int32 // of paths that end here, or -1
}

// newClasses finds the classes of a Routing. It fails with a *LoopError.
func newClasses(r *Routing) (*classes, error) {
	c := &classes{routing: r, of: make([]int32, r.Len())}
	trie := []trieNode{{firstChild: -1, sibling: -1, class: -1}}
	met := make([]int32, r.nodes) // by node: 1 + the last class that passed it
	for p := range r.Len() {
		at := int32(0)
		hops := r.Path(p)
		for i := len(hops) - 1; i >= 0; i-- {
			trie, at = child(trie, at, hops[i])
		}
		class := trie[at].class
		if class < 0 {
			class = int32(c.len())
			for _, h := range hops {
				if met[h.Node] == class+1 {
					return nil, &LoopError{p, h.Node}
				}
				met[h.Node] = class + 1
			}
			trie[at].class = class
			c.first, c.weight = append(c.first, int32(p)), append(c.weight, 0)
		}
		c.of[p] = class
		c.weight[class]++
	}
	return c, nil
}

// child returns the child of a trie node by a hop, and adds it if it is missing.
func child(trie []trieNode, parent int32, h Hop) ([]trieNode, int32) {
	for n := trie[parent].firstChild; n >= 0; n = trie[n].sibling {
		if trie[n].hop == h {
			return trie, n
		}
	}
	n := int32(len(trie))
	trie = append(trie, trieNode{hop: h, firstChild: -1, sibling: trie[parent].firstChild, class: -1})
	trie[parent].firstChild = n
	return trie, n
}

// len returns the number of classes.
func (c *classes) len() int { return len(c.first) }

// hops returns the hops of the paths of a class.
func (c *classes) hops(class int32) []Hop { return c.routing.Path(int(c.first[class])) }
