package check_test

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// floodGroups returns by group what is wrong with its tree, "" if it is sound. The lanes and waits
// of its packets are those of the pool, which floodPlan looks at.
func floodGroups(g *fabric.Graph, p *route.Plan, groups []route.Group, trees []route.GroupTree) []string {
	var list []string
	seen := map[fabric.LID]bool{}
	for i := range groups {
		w := newWorld(g, p)
		if seen[groups[i].MLID] || groups[i].MLID < fabric.FirstMLID {
			w.wrong("its entries belong to another")
		}
		seen[groups[i].MLID] = true
		w.group(&groups[i], &trees[i])
		list = append(list, append(w.faults, "")[0])
	}
	return list
}

// group floods a group from each member.
func (w *world) group(group *route.Group, t *route.GroupTree) {
	g, pool := w.g, w.p.Multicast
	members := slices.Concat(group.Receivers, group.Senders)
	for _, list := range [][]int32{group.Receivers, group.Senders} {
		for i, e := range list {
			if e < 0 || int(e) >= g.NumEnds || i > 0 && e <= list[i-1] {
				w.wrong("its members are not in order")
				return
			}
		}
	}
	switch {
	case len(members) == 0:
		if len(t.Switches) > 0 {
			w.wrong("switches without members")
		}
		return
	case t.Tree < 0 || t.Tree >= len(pool.Trees) || len(t.Ports) != len(t.Switches):
		w.wrong("no tree of the pool")
		return
	}
	table := map[int32]*route.PortSet{}
	for i, s := range t.Switches {
		if s < 0 || int(s) >= g.NumSwitches || i > 0 && s <= t.Switches[i-1] {
			w.wrong("switches out of order")
			return
		}
		if pool.Trees[t.Tree].Up[s] == route.Outside {
			w.wrong("a switch outside the tree")
		}
		table[s] = &t.Ports[i]
	}
	w.cablesOfPool(table, pool.Trees[t.Tree].Up)
	for _, e := range members {
		if at := table[g.EndSwitch[e]]; at == nil || slices.Contains(group.Receivers, e) && !at.Has(g.EndPort[e]) {
			w.wrong("a member whose switch has no entry for it")
			continue
		}
		w.flood(e, group.Receivers, table, pool.SL, t.Switches)
	}
}

// cablesOfPool makes sure that a group has only cables of its tree, each with both ends.
func (w *world) cablesOfPool(table map[int32]*route.PortSet, up []int32) {
	g := w.g
	for s, ports := range table {
		ports.Each(func(p uint8) {
			c, h := g.At(s, p)
			switch {
			case p == 0 || h >= 0:
			case c < 0:
				w.wrong("a port without a cable")
			case up[s] != c && up[g.To[c]] != c^1:
				w.wrong("a cable that is not of the tree")
			case table[g.To[c]] == nil || !table[g.To[c]].Has(g.ToPort[c]):
				w.wrong("a cable with one end")
			}
		})
	}
}

// wellFormed reports whether a tree of the pool has one root and upward cables of existing
// switches: form alone, whatever they join.
func (w *world) wellFormed(t *route.SpanningTree) bool {
	for s, c := range t.Up {
		if (c == fabric.Nothing) != (int32(s) == t.Root) {
			return false
		}
	}
	return true
}

// floodAll floods a tree of the pool from every end port at its switches to all of them.
func (w *world) floodAll(i int) {
	g, t := w.g, &w.p.Multicast.Trees[i]
	table, all, members := map[int32]*route.PortSet{}, []int32(nil), []int32(nil)
	for s, c := range t.Up {
		if c != route.Outside {
			table[int32(s)] = &route.PortSet{}
			all = append(all, int32(s))
		}
	}
	for _, c := range t.Up {
		if c < 0 {
			continue
		}
		if table[g.To[c]] == nil {
			w.wrong("tree %d: a parent outside it", i)
			return
		}
		table[g.From[c]].Add(g.FromPort[c])
		table[g.To[c]].Add(g.ToPort[c])
	}
	for e := range int32(g.NumEnds) {
		if at := table[g.EndSwitch[e]]; at != nil {
			at.Add(g.EndPort[e])
			members = append(members, e)
		}
	}
	for _, e := range members {
		w.flood(e, members, table, w.p.Multicast.SL, all)
	}
}

// flood sends one packet from an end port. Each receiver must get one copy, nobody else one, and
// every switch of the tree must see it.
func (w *world) flood(from int32, receivers []int32, table map[int32]*route.PortSet, sl uint8, switches []int32) {
	g := w.g
	if !w.enter(from, sl) {
		return // lanes tells
	}
	type copied struct {
		s    int32
		in   uint8
		held hold
	}
	got, seen := map[int32]int{}, map[int32]bool{}
	queue := []copied{{g.EndSwitch[from], g.EndPort[from], nothing}}
	dropped := false
	for n := 0; len(queue) > 0; n++ {
		if n > 3*g.NumSwitches {
			w.wrong("copies without end")
			return
		}
		k := queue[0]
		queue = queue[1:]
		seen[k.s] = true
		if table[k.s] == nil {
			continue
		}
		table[k.s].Each(func(out uint8) {
			switch c, h := g.At(k.s, out); {
			case out == k.in, out > 0 && c < 0 && h < 0: // not back, and not to nowhere
			case out == 0:
				got[g.PortZero(k.s)]++
			default:
				vl := w.vl(k.s, k.in, out, sl)
				if w.p.SL2VL != nil {
					w.send(sender{k.s, out, false}, vl)
				}
				switch {
				case vl == route.DropVL:
					dropped = true
				case h >= 0:
					got[h]++
				case c >= 0:
					if k.held != nothing && g.Drained[k.s] {
						w.wrong("copies pass a drained switch")
					}
					now := hold{c, vl}
					if !w.pathLanes() {
						now.vl = 0 // one lane for all
					}
					if k.held != nothing {
						w.waits[[2]hold{k.held, now}] = true
					}
					queue = append(queue, copied{g.To[c], g.ToPort[c], now})
				}
			}
		})
	}
	if dropped {
		return // lanes tells
	}
	for e := range int32(g.NumEnds) {
		want := 0
		if e != from && slices.Contains(receivers, e) {
			want = 1
		}
		if got[e] != want {
			w.wrong("from %v: %v gets %d copies, want %d", g.EndName(from), g.EndName(e), got[e], want)
		}
	}
	for _, s := range switches {
		if !seen[s] {
			w.wrong("from %v: switch %d sees no copy", g.EndName(from), s)
		}
	}
}
