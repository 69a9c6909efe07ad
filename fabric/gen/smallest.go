package gen

import (
	"fmt"
	"math"

	"weft/fabric"
)

// smallest is a tree of one switch radix in one to three levels. All leaves have the same number of
// hosts (give or take one) and of cables up, and equally many cables to each switch above them.
// With three levels the leaves are in pods: every leaf is cabled to each middle switch of its pod,
// and every pod has equally many cables to each root.
type smallest struct {
	radix, hosts int
	up           int // cables up of a leaf
	pods, leaves int // leaves is by pod; a tree of two levels is one pod
	spines       int // switches above the leaves of a pod
	middleUp     int // cables up of each spine, 0 with two levels
	roots        int
	limits       treeLimits
}

// treeLimits are what a tree must keep.
type treeLimits struct {
	ratio    float64 // hosts at most for each cable up of a leaf
	podRatio float64 // hosts at most for each cable up of a pod; 0: only leaves are oversubscribed
	first    int     // hosts that the first pod, or a tree of two levels, holds at least
}

// firstPod returns the hosts of the first pod.
func (t *smallest) firstPod() int {
	leaves := t.pods * t.leaves
	return t.leaves*(t.hosts/leaves) + min(t.leaves, t.hosts%leaves)
}

func (t *smallest) switches() int { return t.pods*(t.leaves+t.spines) + t.roots }

// cables counts the cables between switches.
func (t *smallest) cables() int { return t.pods * (t.leaves*t.up + t.spines*t.middleUp) }

// isPlain reports whether each middle switch has equally many cables to each of its roots, as in a
// PGFT.
func (t *smallest) isPlain() bool {
	if t.roots == 0 {
		return true
	}
	toRoot := t.spines * t.middleUp / t.roots
	return t.middleUp%toRoot == 0
}

// less reports whether a tree is preferable: fewer switches, then a PGFT, then fewer cables.
func (t *smallest) less(than *smallest) bool {
	switch {
	case than.pods == 0:
		return true
	case t.switches() != than.switches():
		return t.switches() < than.switches()
	case t.isPlain() != than.isPlain():
		return t.isPlain()
	}
	return t.cables() < than.cables()
}

// findSmallest finds the tree of switches of a radix that holds all hosts with the fewest switches,
// within the limits.
func findSmallest(radix, hosts int, limits treeLimits) (*smallest, error) {
	if hosts <= radix {
		return &smallest{radix: radix, hosts: hosts, pods: 1, leaves: 1}, nil
	}
	best := &smallest{}
	for _, search := range []func(t smallest, perLeaf int, best *smallest){twoLevels, threeLevels} {
		for up := 1; up < radix; up++ {
			if perLeaf := min(radix-up, int(math.Floor(limits.ratio*float64(up)+1e-9))); perLeaf > 0 {
				search(smallest{radix: radix, hosts: hosts, up: up, limits: limits}, perLeaf, best)
			}
		}
		if best.pods > 0 {
			return best, nil
		}
	}
	return nil, fmt.Errorf("hosts=%d: three levels of switches of %d ports hold fewer; take more ports, or a larger ratio=", hosts, radix)
}

// twoLevels tries all numbers of spines for leaves with at most perLeaf hosts.
func twoLevels(t smallest, perLeaf int, best *smallest) {
	t.pods, t.leaves = 1, ceil(t.hosts, perLeaf)
	for t.spines = 1; t.spines <= t.up; t.spines++ {
		if t.up%t.spines == 0 && t.leaves*(t.up/t.spines) <= t.radix && t.less(best) {
			*best = t
		}
	}
}

// threeLevels tries all sizes of pods, and all numbers of middle switches in a pod and of roots.
func threeLevels(t smallest, perLeaf int, best *smallest) {
	for t.spines = 1; t.spines <= t.up; t.spines++ {
		toSpine := t.up / t.spines
		if t.up%t.spines != 0 {
			continue
		}
		for t.leaves = 1; t.leaves*toSpine < t.radix; t.leaves++ {
			down := t.leaves * toSpine
			t.pods, t.roots = ceil(ceil(t.hosts, perLeaf), t.leaves), 0
			if t.pods > t.radix || best.pods > 0 && t.switches() >= best.switches() {
				continue
			}
			t.joinPods(down, best)
		}
	}
}

// joinPods tries all numbers of cables from a pod to each root, for middle switches with the given
// number of cables down.
func (t *smallest) joinPods(down int, best *smallest) {
	least := down
	if t.firstPod() < t.limits.first {
		return
	}
	if t.limits.podRatio > 0 {
		inPod := t.leaves * ceil(t.hosts, t.pods*t.leaves)
		least = min(down, max(1, int(math.Ceil(float64(inPod)/t.limits.podRatio/float64(t.spines)-1e-9))))
	}
	for toRoot := t.radix / t.pods; toRoot > 0; toRoot-- {
		for t.middleUp = least; t.middleUp <= t.radix-down; t.middleUp++ {
			if t.spines*t.middleUp%toRoot != 0 {
				continue
			}
			t.roots = t.spines * t.middleUp / toRoot
			if t.less(best) {
				*best = *t
			}
			break
		}
	}
}

// TreeSize is the size of the tree of the formula tree, without building it.
type TreeSize struct {
	Switches, Levels int
	Load             float64 // hosts at most for each cable up of a leaf or a pod; 0 for one switch
}

// SmallestTree finds the tree of the formula tree. The arguments are those of the formula; podRatio
// and first may be 0.
func SmallestTree(radix, hosts int, ratio, podRatio float64, first int) (s TreeSize, err error) {
	t, err := findSmallest(radix, hosts, treeLimits{ratio, podRatio, first})
	if err != nil {
		return s, err
	}
	s = TreeSize{Switches: t.switches(), Levels: 1}
	perLeaf := ceil(hosts, t.pods*t.leaves)
	if t.spines > 0 {
		s.Levels, s.Load = 2, float64(perLeaf)/float64(t.up)
	}
	if t.roots > 0 {
		s.Levels, s.Load = 3, max(s.Load, float64(t.leaves*perLeaf)/float64(t.spines*t.middleUp))
	}
	return s, size{t.switches(), radix, hosts, hosts + t.cables()}.fits()
}

// smallestTree builds the tree of findSmallest.
func smallestTree(a *args) (*fabric.Fabric, error) {
	t, err := findSmallest(a.int("radix"), a.int("hosts"), treeLimits{a.fraction("ratio"), a.fraction("pods"), a.int("first")})
	if err != nil {
		return nil, err
	}
	links := t.hosts + t.cables()
	if err := (size{t.switches(), t.radix, t.hosts, links}).fits(); err != nil {
		return nil, err
	}
	b := newBuilder()
	levels := 1
	if t.spines > 0 {
		levels++
	}
	if t.roots > 0 {
		levels++
	}
	leaves := b.addAll(t.pods*t.leaves, t.radix, levelName(0, levels))
	spines := b.addAll(t.pods*t.spines, t.radix, levelName(1, levels))
	roots := b.addAll(t.roots, t.radix, levelName(2, levels))
	for i := range leaves {
		pod := i / t.leaves
		b.dealUp(leaves[i:i+1], t.up, t.radix, spines[pod*t.spines:(pod+1)*t.spines], i%t.leaves)
	}
	for pod := range t.pods {
		b.dealUp(spines[pod*t.spines:(pod+1)*t.spines], t.middleUp, t.radix, roots, pod)
	}
	b.spread(leaves, t.hosts, 1)
	return b.done()
}

// dealUp joins a unit of switches to the switches above, one after the other, with equally many
// cables. Each switch of the unit has up cables on its last ports; after units come before this one
// on the ports of the switches above.
func (b *builder) dealUp(unit []fabric.NodeID, up, ports int, above []fabric.NodeID, after int) {
	if len(above) == 0 {
		return
	}
	each := len(unit) * up / len(above)
	for k := range len(unit) * up {
		b.link(unit[k/up], ports-up+1+k%up, above[k/each], after*each+k%each+1)
	}
}
