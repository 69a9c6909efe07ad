// Package smallest finds the fat tree of the fewest switches of one radix that holds a number of
// hosts, in one to three levels. Package gen builds it.
package smallest

import (
	"fmt"
	"math"
)

// Tree is a tree of one switch radix in one to three levels. All leaves have the same number of
// hosts (give or take one) and of cables up, and equally many cables to each switch above them.
// With three levels the leaves are in pods: every leaf is cabled to each middle switch of its pod,
// and every pod has equally many cables to each root.
type Tree struct {
	Radix, Hosts int
	Up           int // cables up of a leaf
	Pods, Leaves int // Leaves is by pod; a tree of two levels is one pod
	Spines       int // switches above the leaves of a pod
	MiddleUp     int // cables up of each spine, 0 with two levels
	Roots        int
	limits       Limits
}

// Limits are bounds for a tree: the arguments of the formula tree.
type Limits struct {
	Ratio    float64 // the most hosts for each cable up of a leaf
	PodRatio float64 // the most hosts for each cable up of a pod; 0: only leaves are oversubscribed
	First    int     // the fewest hosts of the first pod, or of a tree of two levels
}

// firstPod returns the hosts of the first pod.
func (t *Tree) firstPod() int {
	leaves := t.Pods * t.Leaves
	return t.Leaves*(t.Hosts/leaves) + min(t.Leaves, t.Hosts%leaves)
}

// Switches counts the switches.
func (t *Tree) Switches() int { return t.Pods*(t.Leaves+t.Spines) + t.Roots }

// Cables counts the cables between switches.
func (t *Tree) Cables() int { return t.Pods * (t.Leaves*t.Up + t.Spines*t.MiddleUp) }

// isPlain reports whether each middle switch has equally many cables to each of its roots, as in a
// PGFT.
func (t *Tree) isPlain() bool {
	if t.Roots == 0 {
		return true
	}
	toRoot := t.Spines * t.MiddleUp / t.Roots
	return t.MiddleUp%toRoot == 0
}

// less reports whether a tree is preferable: fewer switches, then a PGFT, then fewer cables.
func (t *Tree) less(than *Tree) bool {
	switch {
	case than.Pods == 0:
		return true
	case t.Switches() != than.Switches():
		return t.Switches() < than.Switches()
	case t.isPlain() != than.isPlain():
		return t.isPlain()
	}
	return t.Cables() < than.Cables()
}

// Find finds the tree of switches of a radix that holds all hosts with the fewest switches,
// within the limits.
func Find(radix, hosts int, limits Limits) (*Tree, error) {
	if hosts <= radix {
		return &Tree{Radix: radix, Hosts: hosts, Pods: 1, Leaves: 1}, nil
	}
	best := &Tree{}
	for _, search := range []func(t Tree, perLeaf int, best *Tree){twoLevels, threeLevels} {
		for up := 1; up < radix; up++ {
			if perLeaf := min(radix-up, int(math.Floor(limits.Ratio*float64(up)+1e-9))); perLeaf > 0 {
				search(Tree{Radix: radix, Hosts: hosts, Up: up, limits: limits}, perLeaf, best)
			}
		}
		if best.Pods > 0 {
			return best, nil
		}
	}
	return nil, fmt.Errorf("hosts=%d: three levels of switches of %d ports hold fewer; take more ports, or a larger ratio=", hosts, radix)
}

// twoLevels tries all numbers of spines for leaves with at most perLeaf hosts.
func twoLevels(t Tree, perLeaf int, best *Tree) {
	t.Pods, t.Leaves = 1, ceil(t.Hosts, perLeaf)
	for t.Spines = 1; t.Spines <= t.Up; t.Spines++ {
		if t.Up%t.Spines == 0 && t.Leaves*(t.Up/t.Spines) <= t.Radix && t.less(best) {
			*best = t
		}
	}
}

// threeLevels tries all sizes of pods, and all numbers of middle switches in a pod and of roots.
func threeLevels(t Tree, perLeaf int, best *Tree) {
	for t.Spines = 1; t.Spines <= t.Up; t.Spines++ {
		toSpine := t.Up / t.Spines
		if t.Up%t.Spines != 0 {
			continue
		}
		for t.Leaves = 1; t.Leaves*toSpine < t.Radix; t.Leaves++ {
			down := t.Leaves * toSpine
			t.Pods, t.Roots = ceil(ceil(t.Hosts, perLeaf), t.Leaves), 0
			if t.Pods > t.Radix || best.Pods > 0 && t.Switches() >= best.Switches() {
				continue
			}
			t.joinPods(down, best)
		}
	}
}

// joinPods tries all numbers of cables from a pod to each root, for middle switches with the given
// number of cables down.
func (t *Tree) joinPods(down int, best *Tree) {
	least := down
	if t.firstPod() < t.limits.First {
		return
	}
	if t.limits.PodRatio > 0 {
		inPod := t.Leaves * ceil(t.Hosts, t.Pods*t.Leaves)
		least = min(down, max(1, int(math.Ceil(float64(inPod)/t.limits.PodRatio/float64(t.Spines)-1e-9))))
	}
	for toRoot := t.Radix / t.Pods; toRoot > 0; toRoot-- {
		for t.MiddleUp = least; t.MiddleUp <= t.Radix-down; t.MiddleUp++ {
			if t.Spines*t.MiddleUp%toRoot != 0 {
				continue
			}
			t.Roots = t.Spines * t.MiddleUp / toRoot
			if t.less(best) {
				*best = *t
			}
			break
		}
	}
}

// Levels returns the number of levels of switches.
func (t *Tree) Levels() int {
	switch {
	case t.Roots > 0:
		return 3
	case t.Spines > 0:
		return 2
	}
	return 1
}

// Load returns the largest number of hosts for each cable up of a leaf or a pod; 0 for one switch.
func (t *Tree) Load() (load float64) {
	perLeaf := ceil(t.Hosts, t.Pods*t.Leaves)
	if t.Spines > 0 {
		load = float64(perLeaf) / float64(t.Up)
	}
	if t.Roots > 0 {
		load = max(load, float64(t.Leaves*perLeaf)/float64(t.Spines*t.MiddleUp))
	}
	return load
}

// ceil returns a/b rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }
