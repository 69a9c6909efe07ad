package flow

// tree adds up loads along the destination tree of one column after the other. It is scratch memory
// and sums of one worker.
type tree struct {
	n      *Network
	hostOf []int32   // by column
	hosts  []int32   // by switch: hosts that send
	planes [][]int32 // hosts by plane; nil for one plane

	weight []int32 // by switch: pairs that start at or pass it
	degree []int32 // by switch: unprocessed switches that forward to it
	order  []int32 // switches, each before its next hop
	sorted int     // switches in order, by depth, farthest first
	depth  []int32 // by switch: links to the host in the column that was sorted last; 0: none
	levels []int32 // memory of sortByDepth
	most   []int64 // by switch: the largest load on its path

	load             []int64 // by slot
	targets          []int32 // by slot: columns
	pairs, delivered int64
}

func newTree(n *Network, hostOf, hosts []int32) *tree {
	return &tree{
		n: n, hostOf: hostOf, hosts: hosts,
		weight: make([]int32, n.switches), degree: make([]int32, n.switches),
		order: make([]int32, n.switches), depth: make([]int32, n.switches), levels: make([]int32, n.hops+2), most: make([]int64, n.switches),
		load: make([]int64, len(n.to)), targets: make([]int32, len(n.to)),
	}
}

// start sets weight to the number of hosts of each switch that send to a column, and returns the
// total on its plane: the tables lead no others there.
func (t *tree) start(column int32) int {
	host, home, hosts := t.hostOf[column], t.n.g.EndSwitch, t.n.Hosts
	if t.planes != nil {
		hosts = t.planes[t.n.Servers().Plane[host]]
	}
	if t.n.lids.allSend() {
		copy(t.weight, t.hosts)
		t.weight[home[host]]--
		return len(hosts) - 1
	}
	clear(t.weight)
	senders := 0
	for _, src := range hosts {
		if src != host && t.n.lids.column(src, host, 0) == column {
			t.weight[home[src]]++
			senders++
		}
	}
	return senders
}

// sort orders the switches that lead to the column's host, each before its next hop. The order of
// the column before fits most columns of hosts at the same switch.
func (t *tree) sort(next []uint8) []int32 {
	if !t.fits(next) {
		t.sorted = t.sortByDepth(next, t.sortAfresh(next))
	}
	return t.order[:t.sorted]
}

// fits reports whether each switch of a column leads to one of less depth.
func (t *tree) fits(next []uint8) bool {
	n := t.n
	for s, port := range next {
		d := t.depth[s]
		if port == 0 || d == 0 {
			if port != 0 || d != 0 {
				return false
			}
			continue
		}
		if v := n.to[n.base[s]+int32(port)]; v >= 0 && (t.depth[v] == 0 || t.depth[v] >= d) {
			return false
		}
	}
	return true
}

// sortByDepth finds the depths of sorted switches, sorts them by depth, and returns their number.
func (t *tree) sortByDepth(next []uint8, order []int32) int {
	n := t.n
	clear(t.depth)
	clear(t.levels)
	for i := len(order) - 1; i >= 0; i-- {
		s := order[i]
		d := int32(1)
		if v := n.to[n.base[s]+int32(next[s])]; v >= 0 {
			d += t.depth[v]
		}
		t.depth[s] = d
		t.levels[d]++
	}
	at := int32(0)
	for d := len(t.levels) - 1; d >= 0; d-- {
		at, t.levels[d] = at+t.levels[d], at
	}
	for s, d := range t.depth {
		if d > 0 {
			t.order[t.levels[d]] = int32(s)
			t.levels[d]++
		}
	}
	return len(order)
}

// sortAfresh orders the switches that lead to the column's host, sources first.
func (t *tree) sortAfresh(next []uint8) []int32 {
	n := t.n
	clear(t.degree)
	for s, port := range next {
		if port != 0 {
			if v := n.to[n.base[s]+int32(port)]; v >= 0 {
				t.degree[v]++
			}
		}
	}
	done := 0
	for start := range int32(n.switches) {
		if t.degree[start] != 0 || next[start] == 0 {
			continue
		}
		for s := start; s >= 0; {
			t.degree[s] = -1
			t.order[done] = s
			done++
			if s = n.to[n.base[s]+int32(next[s])]; s >= 0 {
				if t.degree[s]--; t.degree[s] > 0 {
					break
				}
			}
		}
	}
	return t.order[:done]
}

// count adds the loads of a column.
func (t *tree) count(column int32) {
	n, next := t.n, t.n.column(column)
	t.pairs += int64(t.start(column))
	for _, s := range t.sort(next) {
		weight := t.weight[s]
		if weight == 0 {
			continue
		}
		slot := n.base[s] + int32(next[s])
		t.load[slot] += int64(weight)
		t.targets[slot]++
		if v := n.to[slot]; v >= 0 {
			t.weight[v] += weight
		} else {
			t.delivered += int64(weight)
		}
	}
}

// worst adds, for every pair of a column, the largest load on its path.
func (t *tree) worst(column int32, load []int64, sum *population) {
	n, next := t.n, t.n.column(column)
	t.start(column)
	order := t.sort(next)
	for i := len(order) - 1; i >= 0; i-- {
		s := order[i]
		slot := n.base[s] + int32(next[s])
		v := n.to[slot]
		if v < 0 {
			t.most[s] = 0
			continue
		}
		t.most[s] = max(load[slot], t.most[v])
		if pairs := int64(t.weight[s]); pairs > 0 {
			sum.add(t.most[s], pairs)
		}
	}
}
