package dor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// shape describes a test network: dimensions, which of them wrap, links between
// neighbours and hosts a switch.
type shape struct {
	size     []int
	wrap     bool
	parallel int
	hosts    int
	ports    int    // external ports a switch; 0: as many as needed
	named    bool   // descriptions carry coordinates
	seed     uint64 // shuffles GUIDs and ports, 0: does not
}

func (s shape) String() string {
	kind := "mesh"
	if s.wrap {
		kind = "torus"
	}
	return fmt.Sprintf("%s%v parallel=%d hosts=%d named=%v seed=%d", kind, s.size, s.parallel, s.hosts, s.named, s.seed)
}

func torus(size ...int) shape {
	return shape{size: size, wrap: true, parallel: 1, hosts: 1, named: true}
}
func mesh(size ...int) shape { return shape{size: size, parallel: 1, hosts: 1, named: true} }

func cube(n int) shape {
	s := mesh()
	for range n {
		s.size = append(s.size, 2)
	}
	return s
}

// build makes the fabric, one link after the other, in the plainest way.
func (s shape) build(t testing.TB) *fabric.Fabric {
	t.Helper()
	f := fabric.New(s.String())
	s.addTo(t, f, 0)
	return f
}

// addTo adds the network to a fabric; part keeps the GUIDs of several apart.
func (s shape) addTo(t testing.TB, f *fabric.Fabric, part int) {
	n := 1
	for _, k := range s.size {
		n *= k
	}
	ports := s.ports
	if ports == 0 {
		ports = 2*len(s.size)*s.parallel + s.hosts
	}
	names := identity(n)
	plugs := make([][]int, n)
	for i := range plugs {
		plugs[i] = identity(max(1, ports))
	}
	if s.seed != 0 {
		rng := rand.New(rand.NewPCG(s.seed, 1))
		shuffle(rng, names)
		for i := range plugs {
			shuffle(rng, plugs[i])
		}
	}
	id := make([]fabric.NodeID, n)
	for i := range n {
		desc := fmt.Sprintf("box %d", names[i])
		if s.named {
			desc = fmt.Sprintf("switch %s", coords.Format(s.coords(i)))
		}
		id[i] = must(f.AddNode(fabric.Switch, fabric.GUID(part<<32+1000+names[i]), max(1, ports), desc))(t)
	}
	plug := func(i int) fabric.End {
		p := plugs[i][0]
		plugs[i] = plugs[i][1:]
		return fabric.End{Node: id[i], Port: uint8(p + 1)}
	}
	stride := 1
	for _, k := range s.size {
		for i := range n {
			x := i / stride % k
			j := i + stride
			if x == k-1 {
				if j = i - x*stride; !s.wrap || k < 3 {
					continue
				}
			}
			for range s.parallel {
				must(f.Connect(plug(i), plug(j), 4, fabric.EDR))(t)
			}
		}
		stride *= k
	}
	for i := range n {
		for h := range s.hosts {
			ca := must(f.AddNode(fabric.CA, fabric.GUID(part<<32+1<<30+names[i]*s.hosts+h), 1, fmt.Sprintf("host %d.%d", i, h)))(t)
			must(f.Connect(fabric.End{Node: ca, Port: 1}, plug(i), 4, fabric.EDR))(t)
		}
	}
}

// coords are the coordinates of the i-th switch, the first dimension fastest.
func (s shape) coords(i int) []int32 {
	var x []int32
	for _, k := range s.size {
		x = append(x, int32(i%k))
		i /= k
	}
	return x
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func shuffle(rng *rand.Rand, p []int) {
	rng.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
}

// must fails the test on an error; must(call())(t) is the call's value.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// run routes a graph with the engine, through the recipe.
func run(g *fabric.Graph, lmc uint8, vls, workers int) (*route.Plan, error) {
	return recipe.Run(context.Background(), g, &recipe.Request{
		Engine: Spec(), Names: lids.Options{LMC: lmc}, MaxVLs: vls, Workers: workers,
	}, func(string) {})
}

// refusal routes what must be refused and returns the reason.
func refusal(t testing.TB, g *fabric.Graph, vls int) string {
	t.Helper()
	_, err := run(g, 0, vls, 1)
	var r *route.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s: got %v, want a refusal", g.Name, err)
	}
	if r.Engine != Name {
		t.Errorf("%s: refusal %+v names another engine", g.Name, r)
	}
	return r.Reason
}
