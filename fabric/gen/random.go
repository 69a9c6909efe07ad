package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"weft/fabric"
)

// maxDraws bounds the number of draws until a graph with this many links is connected.
func maxDraws(links int) int { return min(1000, 20+(1<<21)/(links+1)) }

// newRand returns the generator of a formula or suffix: PCG, seeded from seed=.
func newRand(a *args) *rand.Rand { return rand.New(rand.NewPCG(a.seed("seed"), 0)) }

// pairs is a simple graph under construction.
type pairs struct {
	n      int
	list   [][2]int32
	has    map[[2]int32]bool
	degree []int
}

func newPairs(n int) *pairs {
	return &pairs{n: n, has: map[[2]int32]bool{}, degree: make([]int, n)}
}

// add joins i and j unless they are equal or already joined.
func (g *pairs) add(i, j int) bool {
	key := [2]int32{int32(min(i, j)), int32(max(i, j))}
	if i == j || g.has[key] {
		return false
	}
	g.has[key] = true
	g.list = append(g.list, key)
	g.degree[i]++
	g.degree[j]++
	return true
}

// fill adds uniform random pairs until the graph has links of them; no switch gets more than most.
// It returns false if it finds no room.
func (g *pairs) fill(rng *rand.Rand, links, most int) bool {
	for tries := 64 * (links + g.n); len(g.list) < links; tries-- {
		if tries == 0 {
			return false
		}
		i, j := rng.IntN(g.n), rng.IntN(g.n)
		if g.degree[i] < most && g.degree[j] < most {
			g.add(i, j)
		}
	}
	return true
}

// attach draws a random attachment tree: each switch of a shuffled order is joined to a uniformly
// random earlier one with room.
func (g *pairs) attach(rng *rand.Rand, most int) {
	order := rng.Perm(g.n)
	open := []int{order[0]} // earlier switches with room
	for _, s := range order[1:] {
		i := rng.IntN(len(open))
		to := open[i]
		g.add(s, to)
		if g.degree[to] >= most {
			open[i] = open[len(open)-1]
			open = open[:len(open)-1]
		}
		if g.degree[s] < most {
			open = append(open, s)
		}
	}
}

func (g *pairs) connected() bool {
	part := make([]int32, g.n)
	for i := range part {
		part[i] = int32(i)
	}
	find := func(i int32) int32 {
		for part[i] != i {
			part[i] = part[part[i]]
			i = part[i]
		}
		return i
	}
	left := g.n
	for _, p := range g.list {
		if a, b := find(p[0]), find(p[1]); a != b {
			part[a] = b
			left--
		}
	}
	return left == 1
}

// isolated returns the expected number of switches without a link.
func isolated(switches, links int) float64 {
	return float64(switches) * math.Exp(-2*float64(links)/float64(switches))
}

// random draws distinct pairs until the graph is connected, if chance allows (at most 1.5 switches
// expected without a link); a sparser graph starts from a random attachment tree. No switch has
// more links than degree.
func random(a *args) (*fabric.Fabric, error) {
	n, hosts, links, most := a.int("switches"), a.int("hosts"), a.int("links"), a.int("degree")
	if links < n-1 {
		return nil, fmt.Errorf("%d links cannot connect %d switches", links, n)
	}
	if room := min(mul(n, n-1)/2, mul(n, most)/2); links > room {
		return nil, fmt.Errorf("%d links do not fit: %d switches of %d links each, every pair once, hold %d", links, n, most, room)
	}
	if n > 2 && most < 2 {
		return nil, fmt.Errorf("degree %d cannot connect %d switches", most, n)
	}
	if err := (size{n, hosts + most, mul(n, hosts), links + mul(n, hosts)}).fits(a.most); err != nil {
		return nil, err
	}
	rng := newRand(a)
	sparse, crowded := isolated(n, links) > 1.5, false
	for range maxDraws(links) {
		g := newPairs(n)
		if sparse {
			g.attach(rng, most)
		}
		crowded = !g.fill(rng, links, most)
		if !crowded && g.connected() {
			return g.build(most, func(int) int { return hosts })
		}
	}
	if crowded {
		return nil, fmt.Errorf("no room found for %d links in %d draws: give fewer links or a larger degree", links, maxDraws(links))
	}
	return nil, fmt.Errorf("no connected graph of %d links found in %d draws: give more links", links, maxDraws(links))
}

// irregular builds GM8: exactly degree*switches/2 distinct uniform pairs, drawn until connected;
// each host on a uniformly random switch.
func irregular(a *args) (*fabric.Fabric, error) {
	n, degree, hosts := a.int("switches"), a.int("degree"), a.int("hosts")
	links := mul(n, degree) / 2
	switch {
	case n*degree%2 != 0:
		return nil, fmt.Errorf("%d switches of average degree %d: the product is odd", n, degree)
	case degree > n-1:
		return nil, fmt.Errorf("average degree %d needs more than %d switches", degree, n)
	case n > 2 && degree < 2 || isolated(n, links) > 2:
		return nil, fmt.Errorf("%d switches of average degree %d are hardly ever connected: give a larger degree", n, degree)
	}
	if err := (size{n, degree + ceil(hosts, n), hosts, links + hosts}).fits(a.most); err != nil {
		return nil, err
	}
	rng := newRand(a)
	for range maxDraws(links) {
		g := newPairs(n)
		if !g.fill(rng, links, n) || !g.connected() {
			continue
		}
		on := make([]int, n)
		for range hosts {
			on[rng.IntN(n)]++
		}
		ports := 1
		for s := range n {
			ports = max(ports, g.degree[s]+on[s])
		}
		if ports > fabric.MaxPorts {
			return nil, fmt.Errorf("this seed gives a switch %d ports (at most %d): give fewer hosts", ports, fabric.MaxPorts)
		}
		return g.build(-1, func(s int) int { return on[s] })
	}
	return nil, fmt.Errorf("no connected graph found in %d draws: give a larger degree", maxDraws(links))
}

// regular builds RR: a random connected graph with the same number of links at every switch. Links
// are drawn one by one between switches that need more (Steger and Wormald 1999), from the start if
// none fits. For a dense graph the complement is drawn.
func regular(a *args) (*fabric.Fabric, error) {
	n, degree, hosts := a.int("switches"), a.int("degree"), a.int("hosts")
	links := mul(n, degree) / 2
	switch {
	case n*degree%2 != 0:
		return nil, fmt.Errorf("%d switches of degree %d: the product is odd", n, degree)
	case degree > n-1:
		return nil, fmt.Errorf("degree %d needs more than %d switches", degree, n)
	case n > 2 && degree < 2:
		return nil, fmt.Errorf("degree %d cannot connect %d switches", degree, n)
	}
	if err := (size{n, degree + hosts, mul(n, hosts), links + mul(n, hosts)}).fits(a.most); err != nil {
		return nil, err
	}
	rng := newRand(a)
	for range maxDraws(links) {
		g, dense := newPairs(n), n-1-degree < degree
		matched := g.match(rng, min(degree, n-1-degree))
		if dense {
			g = g.complement()
		}
		if matched && g.connected() {
			return g.build(degree, func(int) int { return hosts })
		}
	}
	return nil, fmt.Errorf("no regular graph found in %d draws: give another seed or degree", maxDraws(links))
}

// match joins loose link ends at random until none is left. It returns false if the remaining ends
// fit nowhere.
func (g *pairs) match(rng *rand.Rand, degree int) bool {
	loose := make([]int, 0, g.n*degree)
	for s := range g.n {
		for range degree {
			loose = append(loose, s)
		}
	}
	misses := 0
	for len(loose) > 0 {
		last := len(loose) - 1
		i, j := rng.IntN(last+1), rng.IntN(last+1)
		if i == j || !g.add(loose[i], loose[j]) {
			if misses++; misses > 100*g.n {
				return false
			}
			continue
		}
		misses = 0
		loose[max(i, j)] = loose[last]
		loose[min(i, j)] = loose[last-1]
		loose = loose[:last-1]
	}
	return true
}

// complement returns the graph of all pairs that are not joined.
func (g *pairs) complement() *pairs {
	c := newPairs(g.n)
	for i := range g.n {
		for j := range i {
			if !g.has[[2]int32{int32(j), int32(i)}] {
				c.add(j, i)
			}
		}
	}
	return c
}

// build creates the switches, with links on the first ports, in the order of the other switch, and
// then hosts from port first+1 on; first = -1 stands for the next free port.
func (g *pairs) build(first int, hosts func(s int) int) (*fabric.Fabric, error) {
	slices.SortFunc(g.list, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	b := newBuilder()
	behind := func(s int) int {
		if first < 0 {
			return g.degree[s]
		}
		return first
	}
	ids := make([]fabric.NodeID, g.n)
	for s := range ids {
		ids[s] = b.add(max(behind(s)+hosts(s), 1), fmt.Sprintf("switch %d", s))
	}
	free := make([]int, g.n)
	for _, p := range g.list {
		free[p[0]]++
		free[p[1]]++
		b.link(ids[p[0]], free[p[0]], ids[p[1]], free[p[1]])
	}
	for s, id := range ids {
		for i := range hosts(s) {
			b.host(id, behind(s)+1+i)
		}
	}
	return b.done()
}
