package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"weft/fabric"
)

// network is a random network under construction.
type network struct {
	rng    *rand.Rand
	shape  string
	f      *fabric.Fabric
	spare  []uint8 // by node: lowest port without a cable
	intact bool    // nothing was added to or taken from the shape
	leaves []int   // switches of a tree that are meant for hosts; nil elsewhere
}

// Most networks have up to smallSwitches switches. One in largeEvery has up to maxSwitches, where
// an engine takes ten times as long. Large ones show integers that are too narrow. With -large all
// networks are large, as in make soak-engines.
const (
	smallSwitches = 70
	maxSwitches   = 200
	largeEvery    = 5
)

// shapes lay cables between switches, about n of them.
var shapes = []struct {
	name string
	lay  func(w *network, n int)
}{
	{"multigraph", (*network).multigraph},
	{"multigraph", (*network).multigraph},
	{"multigraph", (*network).multigraph},
	{"ring", (*network).ring},
	{"torus", (*network).torus},
	{"mesh", (*network).mesh},
	{"kautz", (*network).kautz},
	{"leaf-spine", (*network).leafSpine},
	{"three-level tree", (*network).threeLevels},
	{"line", (*network).line},
}

// draw makes a network of 1 to most switches, small ones more often: a shape, then
// cables doubled, broken or added, hosts, and now and then a second part without a
// cable to the first, drained switches, or no host at all.
func draw(rng *rand.Rand, most int) *network {
	w := &network{rng: rng, f: fabric.New("random"), intact: true}
	w.part(skewed(rng, most))
	if rest := most - len(w.f.Nodes); rest > 20 && w.often(0.05) {
		w.intact = false
		w.part(skewed(rng, rest))
	}
	switches := len(w.f.Nodes)
	if w.often(0.7) {
		w.double()
	}
	if w.often(0.25) {
		w.intact = false
		w.random(0, switches, 1+switches/8)
	}
	if w.often(0.4) {
		w.breakSome(switches)
	}
	if w.often(0.06) {
		w.intact = false
		w.f.Nodes[rng.IntN(switches)].Drained = true
	}
	if !w.often(0.04) {
		w.hosts(switches)
	}
	return w
}

// skewed draws a size from 1 to most: one in ten is below 4, the others are spread
// evenly on a scale of logarithms.
func skewed(rng *rand.Rand, most int) int {
	if most < 4 || rng.IntN(10) == 0 {
		return 1 + rng.IntN(min(3, most))
	}
	return int(4 * math.Pow(float64(most+1)/4, rng.Float64()))
}

func (w *network) often(p float64) bool { return w.rng.Float64() < p }

// part lays a shape of about n switches.
func (w *network) part(n int) {
	s := shapes[w.rng.IntN(len(shapes))]
	w.shape = s.name
	s.lay(w, n)
}

func (w *network) node(t fabric.NodeType, ports int) int {
	n := len(w.f.Nodes) + 1
	id, err := w.f.AddNode(t, fabric.GUID(0x100*n), ports, fmt.Sprintf("%s %d", t, n))
	if err != nil {
		panic(err)
	}
	if t != fabric.Switch {
		for p := range ports {
			w.f.Nodes[id].Ports[p+1].GUID = fabric.GUID(0x100*n + p + 1)
		}
	}
	w.spare = append(w.spare, 1)
	return int(id)
}

// switches adds n switches and returns the first.
func (w *network) switches(n int) int {
	first := len(w.f.Nodes)
	for range n {
		w.node(fabric.Switch, fabric.MaxPorts)
	}
	return first
}

// cable joins two nodes by their lowest spare ports; a full switch gets no more.
func (w *network) cable(a, b int) {
	pa, pb := w.spare[a], w.spare[b]
	if a == b {
		pb++
	}
	if int(pa) >= len(w.f.Nodes[a].Ports) || int(pb) >= len(w.f.Nodes[b].Ports) {
		return
	}
	ends := [2]fabric.End{{Node: fabric.NodeID(a), Port: pa}, {Node: fabric.NodeID(b), Port: pb}}
	if _, err := w.f.Connect(ends[0], ends[1], 4, fabric.EDR); err != nil {
		panic(err)
	}
	w.spare[a]++
	w.spare[b]++
}

// random lays cables between any of n switches, to the same one too.
func (w *network) random(first, n, cables int) {
	for range cables {
		w.cable(first+w.rng.IntN(n), first+w.rng.IntN(n))
	}
}

func (w *network) multigraph(n int) {
	first := w.switches(n)
	for i := 1; i < n; i++ {
		w.cable(first+i, first+w.rng.IntN(i))
	}
	w.random(first, n, w.rng.IntN(2*n+1))
}

func (w *network) line(n int) {
	first := w.switches(n)
	for i := 1; i < n; i++ {
		w.cable(first+i-1, first+i)
	}
}

func (w *network) ring(n int) {
	n = max(n, 3)
	first := w.switches(n)
	for i := range n {
		w.cable(first+i, first+(i+1)%n)
	}
}

func (w *network) torus(n int) { w.grid(n, 3, true) }

func (w *network) mesh(n int) { w.grid(n, 2, false) }

// grid lays rows and columns of at least `least` switches.
func (w *network) grid(n, least int, wrap bool) {
	wide := least + w.rng.IntN(max(1, int(math.Sqrt(float64(n)))))
	high := max(least, min(n, maxSwitches)/wide)
	first := w.switches(wide * high)
	for y := range high {
		for x := range wide {
			at := first + y*wide + x
			if wrap || x+1 < wide {
				w.cable(at, first+y*wide+(x+1)%wide)
			}
			if wrap || y+1 < high {
				w.cable(at, first+(y+1)%high*wide+x)
			}
		}
	}
}

// kautz lays the digraph of Imase and Itoh, which is Kautz's where n allows, with
// cables instead of arcs.
func (w *network) kautz(n int) {
	n = max(n, 4)
	degree := 2 + w.rng.IntN(3)
	first := w.switches(n)
	for i := range n {
		for k := range degree {
			if to := (n*degree - i*degree - k - 1) % n; to != i {
				w.cable(first+i, first+to)
			}
		}
	}
}

func (w *network) leafSpine(n int) {
	leaves := max(2, n*2/3)
	spines := max(1, n-leaves)
	first := w.switches(leaves + spines)
	for l := range leaves {
		w.leaves = append(w.leaves, first+l)
		for s := range spines {
			w.cable(first+l, first+leaves+s)
		}
	}
}

// threeLevels lays pods of leaves and middle switches, and roots above the middle
// switches of equal place.
func (w *network) threeLevels(n int) {
	arity := max(1, int(math.Sqrt(float64(n)/5)))
	pods := max(2, n/(3*arity))
	first := w.switches(pods*2*arity + arity*arity)
	roots := first + pods*2*arity
	for p := range pods {
		pod := first + p*2*arity
		for m := range arity {
			w.leaves = append(w.leaves, pod+m)
			for k := range arity {
				w.cable(pod+k, pod+arity+m)
				w.cable(pod+arity+m, roots+m*arity+k)
			}
		}
	}
}

// double lays cables beside some of those there are.
func (w *network) double() {
	share := w.rng.Float64()
	for _, l := range w.f.Links {
		for w.often(share / 2) {
			w.cable(int(l.A.Node), int(l.B.Node))
			w.intact = false
		}
	}
}

// breakSome takes cables down, or a switch.
func (w *network) breakSome(switches int) {
	w.intact = false
	share := 0.2 * w.rng.Float64()
	for id := range w.f.Links {
		w.f.SetLinkDown(fabric.LinkID(id), w.often(share))
	}
	if w.often(0.3) && switches > 1 {
		w.f.SetNodeDown(fabric.NodeID(w.rng.IntN(switches)), true)
	}
}

// hosts attaches CAs: some switches have none, some CAs two ports on any switches.
// Trees have them on their leaves, as a rule.
func (w *network) hosts(switches int) {
	most := 1 + w.rng.IntN(4)
	bare := 0.5 * w.rng.Float64()
	dual := 0.0
	if w.often(0.3) {
		dual = 0.3
		w.intact = false
	}
	atLeaves := w.leaves != nil && w.often(0.8)
	w.intact = w.intact && (atLeaves || w.leaves == nil)
	for s := range switches {
		if w.often(bare) || atLeaves && !slices.Contains(w.leaves, s) {
			continue
		}
		for range 1 + w.rng.IntN(most) {
			ca := w.node(fabric.CA, 2)
			w.cable(ca, s)
			if w.often(dual) {
				w.cable(ca, w.rng.IntN(switches))
			}
		}
	}
}
