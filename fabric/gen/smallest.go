package gen

import (
	"weft/fabric"
	"weft/fabric/gen/smallest"
)

// smallestTree builds the tree of the fewest switches.
func smallestTree(a *args) (*fabric.Fabric, error) {
	t, err := smallest.Find(a.int("radix"), a.int("hosts"), smallest.Limits{Ratio: a.fraction("ratio"), PodRatio: a.fraction("pods"), First: a.int("first")})
	if err != nil {
		return nil, err
	}
	links := t.Hosts + t.Cables()
	if err := (size{t.Switches(), t.Radix, t.Hosts, links}).fits(a.most); err != nil {
		return nil, err
	}
	b := newBuilder()
	levels := t.Levels()
	leaves := b.addAll(t.Pods*t.Leaves, t.Radix, levelName(0, levels))
	spines := b.addAll(t.Pods*t.Spines, t.Radix, levelName(1, levels))
	roots := b.addAll(t.Roots, t.Radix, levelName(2, levels))
	for i := range leaves {
		pod := i / t.Leaves
		b.dealUp(leaves[i:i+1], t.Up, t.Radix, spines[pod*t.Spines:(pod+1)*t.Spines], i%t.Leaves)
	}
	for pod := range t.Pods {
		b.dealUp(spines[pod*t.Spines:(pod+1)*t.Spines], t.MiddleUp, t.Radix, roots, pod)
	}
	b.spread(leaves, t.Hosts, 1)
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
