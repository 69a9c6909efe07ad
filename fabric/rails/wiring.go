package rails

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"

	"weft/fabric"
)

// shared stands for a switch or plane that serves several rails.
const shared int32 = -2

// exclusive holds the rails of switches and planes that serve one rail alone.
type exclusive struct {
	g       *fabric.Graph
	planeOf []int32
	next    []int32 // by switch: the rail of the leaves next to it, None or shared
	plane   []int32 // by plane: the rail of its leaves, None or shared
}

func newExclusive(g *fabric.Graph, planeOf []int32, planes int) *exclusive {
	return &exclusive{g, planeOf, slices.Repeat([]int32{None}, g.NumSwitches), slices.Repeat([]int32{None}, planes)}
}

// add notes that a leaf has a rail.
func (x *exclusive) add(leaf, rail int32) {
	note := func(of []int32, i int32) {
		switch of[i] {
		case None, rail:
			of[i] = rail
		default:
			of[i] = shared
		}
	}
	for _, c := range x.g.OutOf(leaf) {
		note(x.next, x.g.To[c])
	}
	if p := x.planeOf[leaf]; p != None {
		note(x.plane, p)
	}
}

// vote returns the rail that alone uses most of the switches next to some leaves, or else their
// plane; None if there is none.
func (x *exclusive) vote(leaves []int32) int32 {
	votes := map[int32]int{}
	for _, leaf := range leaves {
		for _, c := range x.g.OutOf(leaf) {
			if r := x.next[x.g.To[c]]; r >= 0 {
				votes[r]++
			}
		}
	}
	if r := winner(votes); r != None {
		return r
	}
	for _, leaf := range leaves {
		if p := x.planeOf[leaf]; p != None && x.plane[p] >= 0 {
			votes[x.plane[p]]++
		}
	}
	return winner(votes)
}

// tuple is a set of leaves, and the servers that have a port on each of them.
type tuple struct {
	leaves  []int32
	servers int
	known   int // leaves with a rail
}

// wiring gives rails to leaves by the servers whose places decide nothing.
type wiring struct {
	*find
	tuples []tuple
	on     map[int32][]int32 // by leaf: its tuples
	count  map[int32]int     // by leaf: the servers of its tuples
	width  int               // ports of most servers
	list   []int32           // the leaves that got a rail here
}

// byWiring gives rails to the leaves of servers whose places decide nothing, and takes all back
// unless nearly all servers have one port on each rail.
func (f *find) byWiring() {
	w := &wiring{find: f, on: map[int32][]int32{}, count: map[int32]int{}}
	servers := w.collect()
	if len(servers) < 2 || len(w.tuples) == 0 {
		return
	}
	before := f.rails
	w.run(true)
	w.run(false)
	if !w.holds(servers) {
		for _, leaf := range w.list {
			f.rail[leaf] = None
		}
		f.rails = before
		return
	}
	for _, server := range servers {
		f.wired[server] = true
	}
}

// collect lists the servers whose rails their places do not decide. It sets the tuples, sorted by
// number of servers, most first.
func (w *wiring) collect() (servers []int32) {
	var sets [][]int32
	widths := map[int]int{}
	for server, ends := range w.ends {
		if len(ends) < 2 || w.kindOf[server] != nil {
			continue
		}
		servers = append(servers, int32(server))
		set := make([]int32, len(ends))
		for i, e := range ends {
			set[i] = w.g.EndSwitch[e]
		}
		slices.Sort(set)
		widths[len(set)] += len(set)
		if len(slices.Compact(slices.Clone(set))) == len(ends) {
			sets = append(sets, set)
		}
	}
	for _, width := range slices.Sorted(maps.Keys(widths)) {
		if widths[width] >= widths[w.width] {
			w.width = width
		}
	}
	slices.SortFunc(sets, slices.Compare)
	for _, set := range sets {
		if n := len(w.tuples); n > 0 && slices.Equal(w.tuples[n-1].leaves, set) {
			w.tuples[n-1].servers++
			continue
		}
		w.tuples = append(w.tuples, tuple{leaves: set, servers: 1})
	}
	slices.SortStableFunc(w.tuples, func(a, b tuple) int { return cmp.Compare(b.servers, a.servers) })
	for i := range w.tuples {
		for _, leaf := range w.tuples[i].leaves {
			w.on[leaf] = append(w.on[leaf], int32(i))
			w.count[leaf] += w.tuples[i].servers
			if w.rail[leaf] != None {
				w.tuples[i].known++
			}
		}
	}
	return servers
}

// solid reports whether a tuple has at least a quarter of the servers on each of its leaves. One
// cable in a wrong leaf makes no solid tuple.
func (w *wiring) solid(t *tuple) bool {
	for _, leaf := range t.leaves {
		if 4*t.servers < w.count[leaf] {
			return false
		}
	}
	return true
}

// due is a tuple in the queue, with the number of leaves that had a rail then.
type due struct {
	tuple, known, open, servers int
}

type queue []due

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(cmp.Compare(min(b.known, 1), min(a.known, 1)), cmp.Compare(a.open, b.open), cmp.Compare(b.servers, a.servers), cmp.Compare(a.tuple, b.tuple)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(due)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// run gives rails to the leaves of all tuples, or of the solid ones. Tuples with a known leaf come
// first; of these, the tuple with the fewest open leaves, and then with the most servers.
func (w *wiring) run(solid bool) {
	q := queue{}
	takes := make([]bool, len(w.tuples))
	push := func(i int) {
		t := &w.tuples[i]
		if open := len(t.leaves) - t.known; open > 0 && takes[i] {
			heap.Push(&q, due{i, t.known, open, t.servers})
		}
	}
	for i := range w.tuples {
		takes[i] = !solid || w.solid(&w.tuples[i])
		push(i)
	}
	for q.Len() > 0 {
		d := heap.Pop(&q).(due)
		t := &w.tuples[d.tuple]
		if t.known != d.known {
			continue // it was pushed again
		}
		for _, leaf := range w.assign(t, takes) {
			for _, i := range w.on[leaf] {
				w.tuples[i].known++
			}
			for _, i := range w.on[leaf] {
				push(int(i))
			}
		}
	}
}

// assign gives rails to the open leaves of a tuple, and returns these leaves. A leaf gets the rail
// of its spines or its plane, or a free one of its plane, or any free one if there are enough
// rails, or else a new one.
func (w *wiring) assign(t *tuple, takes []bool) (done []int32) {
	used := map[int32]bool{}
	var open []int32
	for _, leaf := range t.leaves {
		if r := w.rail[leaf]; r != None {
			used[r] = true
		} else {
			open = append(open, leaf)
		}
	}
	beside := map[int32]map[int32]bool{}
	for _, leaf := range open {
		beside[leaf] = w.beside(leaf, takes)
	}
	got := map[int32]int32{}
	give := func(rail func(leaf int32) int32) {
		open = slices.DeleteFunc(open, func(leaf int32) bool {
			r := rail(leaf)
			if r == None || used[r] || beside[leaf][r] {
				return false
			}
			used[r], got[leaf] = true, r
			return true
		})
	}
	give(func(leaf int32) int32 { return w.only.vote([]int32{leaf}) })
	give(func(leaf int32) int32 {
		for _, r := range w.inPlane[w.planes[leaf]] {
			if !used[r] && !beside[leaf][r] {
				return r
			}
		}
		return None
	})
	if len(used) > 0 && w.rails >= w.width { // a leaf cut off from its plane
		give(func(leaf int32) int32 {
			for r := range int32(w.rails) {
				if !used[r] && !beside[leaf][r] {
					return r
				}
			}
			return None
		})
	}
	give(func(int32) int32 { w.rails++; return int32(w.rails - 1) })
	for _, leaf := range t.leaves {
		if r, ok := got[leaf]; ok {
			w.set(leaf, r)
			w.list = append(w.list, leaf)
			done = append(done, leaf)
		}
	}
	return done
}

// beside returns the rails of all leaves that share a tuple with a leaf.
func (w *wiring) beside(leaf int32, takes []bool) map[int32]bool {
	met := map[int32]bool{}
	for _, i := range w.on[leaf] {
		if !takes[i] {
			continue
		}
		for _, other := range w.tuples[i].leaves {
			if r := w.rail[other]; r != None {
				met[r] = true
			}
		}
	}
	return met
}

// holds reports whether nearly all servers have one port on each rail, on leaves that are mostly
// for such servers, and, if they have two ports, in two planes.
func (w *wiring) holds(servers []int32) bool {
	good, together, ports, hosts := 0, 0, 0, 0
	multi := map[int32]int{}
	for _, server := range servers {
		met := map[int32]bool{}
		for _, e := range w.ends[server] {
			met[w.rail[w.g.EndSwitch[e]]] = true
			multi[w.g.EndSwitch[e]]++
		}
		if ports += len(w.ends[server]); len(met) == len(w.ends[server]) && !met[None] {
			good++
		}
	}
	for leaf, n := range multi {
		hosts += int(w.g.HostCount(leaf))
		if n > 1 {
			together += n
		}
	}
	if w.width == 2 && !w.inTwoPlanes() {
		return false
	}
	return most(good, len(servers)) && 2*together >= ports && 2*ports >= hosts
}

// inTwoPlanes reports whether most servers of the tuples have leaves in two planes.
func (w *wiring) inTwoPlanes() bool {
	apart, all := 0, 0
	for i := range w.tuples {
		t := &w.tuples[i]
		all += t.servers
		if w.planes[t.leaves[0]] != w.planes[t.leaves[len(t.leaves)-1]] {
			apart += t.servers
		}
	}
	return most(apart, all)
}
