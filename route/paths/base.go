package paths

import (
	"context"

	"weft/fabric"
)

// noLink is the answer of a base routing for a missing link.
const noLink = fabric.Nothing

// repair says how to replace the paths of a base routing over a broken link.
type repair struct {
	by    []*Rule // rules for shortest-widest, in order: the first with a way
	first bool    // compute the new paths to a destination before the old ones
}

// repairBroken follows a base routing, which knows the network as built, from every host to every
// other. Paths without a broken link or drained switch stay and are counted first. The
// shortest-widest path replaces each of the others, in order of destination and source (paper 000,
// section VI-C). base keeps rule; the Set keeps it too if no new path breaks it.
func repairBroken(ctx context.Context, in *Input, base func(at, dst int32) int32, rule *Rule, how repair) (*Set, error) {
	g := in.Graph
	r := &repairer{g: g, base: base, b: newBuilder(rule)}
	for _, by := range how.by {
		r.ways = append(r.ways, newWidest(in, by))
		r.ways[len(r.ways)-1].weight = r.ways[0].weight
	}
	leave := func(_, _ int32) {}
	passes := []struct{ old, fresh func(src, dst int32) }{{r.keepPath, r.replacePath}}
	if how.first {
		passes = []struct{ old, fresh func(src, dst int32) }{{leave, r.replacePath}, {r.keepPath, leave}}
	}
	for dst := range int32(g.NumHosts) {
		if err := r.follow(ctx, dst, r.addWeight, leave); err != nil {
			return nil, err
		}
	}
	for dst := range int32(g.NumHosts) {
		for _, pass := range passes {
			if err := r.follow(ctx, dst, pass.old, pass.fresh); err != nil {
				return nil, err
			}
		}
	}
	return r.b.Build()
}

// repairer follows a base routing. It walks each path twice, which costs less than storing all
// paths.
type repairer struct {
	g    *fabric.Graph
	base func(at, dst int32) int32
	ways []*widest // with common weights
	b    *Builder
	way  []int32 // of the current pair
}

// follow follows the base routing to a destination, and calls old for a source with an intact path,
// fresh for another.
func (r *repairer) follow(ctx context.Context, dst int32, old, fresh func(src, dst int32)) error {
	next := func(at, in int32) int32 {
		if in >= 0 && r.g.Drained[at] {
			return noLink
		}
		return r.base(at, dst)
	}
	for src := range int32(r.g.NumHosts) {
		if src == dst {
			continue
		}
		var there bool
		var err error
		if r.way, there, err = follow(r.g, r.way[:0], src, dst, next); err != nil {
			return err
		}
		if there {
			old(src, dst)
		} else {
			fresh(src, dst)
		}
	}
	return ctx.Err()
}

func (r *repairer) addWeight(_, _ int32) { r.ways[0].addWeight(r.way) }

func (r *repairer) keepPath(src, dst int32) { r.b.Add(src, dst, r.way) }

// replacePath adds the shortest-widest path under the first rule that allows one.
func (r *repairer) replacePath(src, dst int32) {
	ok := false
	for i := 0; i < len(r.ways) && !ok; i++ {
		r.way, ok = r.ways[i].takePath(r.g.EndSwitch[src], r.g.EndSwitch[dst], r.way)
	}
	if ok {
		r.keepPath(src, dst)
	}
	if !r.b.rule.isKeptBy(r.way) {
		r.b.rule = nil
	}
}

// isKeptBy reports whether a path keeps the rule; no path keeps a nil rule.
func (r *Rule) isKeptBy(way []int32) bool {
	for i := 1; i < len(way); i++ {
		if r == nil || !r.Allows(way[i-1], way[i]) {
			return false
		}
	}
	return r != nil
}
