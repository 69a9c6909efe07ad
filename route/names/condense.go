package names

// condensed is a Routing whose equal paths are one (a class), with what the schemes
// need of it. Classes are in order of their first path, so that a scheme which
// prefers the earliest path prefers the lowest class. Its arrays are reused.
//
// The classes are found in the trie of the paths read from the destination: equal
// paths end at one trie node.
type condensed struct {
	r      *Routing
	class  []int32 // by path
	first  []int32 // by class: its first path
	weight []int32 // by class: its number of paths

	trie []trieNode
	met  []int32 // by node: 1 + last class that met it
}

type trieNode struct {
	hop           Hop
	child, beside int32 // first child and next sibling, -1 when none
	class         int32 // that ends here, -1 when none
}

// condense reads a Routing. It fails with a *LoopError.
func (c *condensed) condense(r *Routing) error {
	c.r = r
	c.class = resize(c.class, r.Len())
	c.first, c.weight = c.first[:0], c.weight[:0]
	c.trie = append(c.trie[:0], trieNode{child: -1, beside: -1, class: -1})
	c.met = zeros(c.met, int(r.nodes))
	for p := range r.Len() {
		at := int32(0)
		hops := r.Path(p)
		for i := len(hops) - 1; i >= 0; i-- {
			at = c.step(at, hops[i])
		}
		if c.trie[at].class < 0 {
			class := int32(len(c.first))
			for _, h := range hops {
				if c.met[h.Node] == class+1 {
					return &LoopError{p, h.Node}
				}
				c.met[h.Node] = class + 1
			}
			c.trie[at].class = class
			c.first = append(c.first, int32(p))
			c.weight = append(c.weight, 0)
		}
		c.class[p] = c.trie[at].class
		c.weight[c.class[p]]++
	}
	return nil
}

// step is the child of a trie node for a hop, made if it is not there.
func (c *condensed) step(at int32, h Hop) int32 {
	for n := c.trie[at].child; n >= 0; n = c.trie[n].beside {
		if c.trie[n].hop == h {
			return n
		}
	}
	n := int32(len(c.trie))
	c.trie = append(c.trie, trieNode{hop: h, child: -1, beside: c.trie[at].child, class: -1})
	c.trie[at].child = n
	return n
}

// size is the number of classes.
func (c *condensed) size() int { return len(c.first) }

// hops are the hops of a class.
func (c *condensed) hops(class int32) []Hop { return c.r.Path(int(c.first[class])) }

// resize returns a slice of n elements in the memory of s if they fit.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// zeros is resize with every element zero.
func zeros[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}
