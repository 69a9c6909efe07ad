package compare

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/fabric/gen"
)

var (
	drawKind = flag.String("draw", "", "TestDraw prints a list of fabrics of this kind: odd or unseen")
	drawSeed = flag.Uint64("draw-seed", 1, "the seed of that list")
	drawMany = flag.Int("draw-n", 100, "its length")
)

// draw draws parts of FABRIC arguments.
type draw struct{ *rand.Rand }

// in draws a number in a range, with both ends.
func (d draw) in(low, high int) int { return low + d.IntN(high-low+1) }

// of draws one of several texts.
func (d draw) of(list ...string) string { return list[d.IntN(len(list))] }

// f formats like fmt.Sprintf.
func f(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// usual draw shapes of docs/results/map in other sizes.
var usual = []func(draw) string{
	func(d draw) string { return f("rlft(%d,2)", 2*d.in(5, 15)) },
	func(d draw) string { return f("rlft(%d,3)", 2*d.in(3, 6)) },
	func(d draw) string { return f("torus(%dx%d,hosts=%d)", d.in(4, 9), d.in(4, 9), d.in(1, 4)) },
	func(d draw) string {
		return f("torus(%dx%dx%d,hosts=%d)", d.in(3, 5), d.in(3, 6), d.in(3, 6), d.in(1, 3))
	},
	func(d draw) string { return f("mesh(%dx%d,hosts=%d)", d.in(3, 9), d.in(3, 7), d.in(1, 4)) },
	func(d draw) string { return f("hypercube(%d,hosts=%d)", d.in(4, 7), d.in(2, 3)) },
	func(d draw) string { return f("hyperx(%dx%d,hosts=%d)", d.in(3, 7), d.in(3, 7), d.in(2, 6)) },
	func(d draw) string { return f("fullmesh(%d,hosts=%d)", d.in(5, 20), d.in(4, 14)) },
	func(d draw) string { return f("dragonfly(%d,%d,%d)", d.in(3, 6), d.in(2, 4), d.in(1, 2)) },
	func(d draw) string {
		return f("dragonflyplus(%d,%d,%d,%d)", d.in(2, 5), d.in(3, 5), d.in(2, 4), d.in(1, 2))
	},
	func(d draw) string { return f("kautz(%d,%d,hosts=%d)", d.in(2, 4), 3, d.in(50, 200)) },
	func(d draw) string { return f("slimfly(%d,hosts=%d)", d.in(2, 3)*2+1, d.in(1, 6)) },
	func(d draw) string {
		n := d.in(20, 60)
		return f("random(switches=%d,hosts=%d,links=%d,seed=%d)", n, d.in(2, 5), d.in(n*3/2, 3*n), d.in(1, 99))
	},
	func(d draw) string {
		return f("rail(%d,%d,%d,spines=%d)", d.in(3, 8), d.in(6, 24), d.in(2, 5), d.in(4, 16))
	},
	func(d draw) string {
		return d.of("deimos", "odin", "chic", "now-cab", "fat648") + f("|without(hosts=0-%d)", d.in(10, 60))
	},
}

// families draw fabrics, by kind of list. Odd ones are small, and few people build them: rings,
// chains, stars, sparse random graphs, uneven hosts. Unseen ones have the shapes of
// docs/results/map in other sizes, and five shapes that are not there.
var families = map[string][]func(draw) string{
	"odd": {
		func(d draw) string {
			n := d.in(3, 20)
			return f("random(switches=%d,hosts=%d,links=%d,seed=%d)", n, d.in(1, 5), d.in(n-1, 2*n), d.in(1, 99))
		},
		func(d draw) string {
			n := d.in(4, 16)
			return f("random(switches=%d,hosts=%d,links=%d,seed=%d)", n, d.in(1, 3), n-1+d.in(0, 2), d.in(1, 99))
		},
		func(d draw) string {
			n := d.in(4, 20)
			return f("irregular(switches=%d,degree=%d,hosts=%d,seed=%d)", n, min(n-1, 2*d.in(1, 3)), d.in(n, 5*n), d.in(1, 99))
		},
		func(d draw) string {
			return f("regular(switches=%d,degree=%d,hosts=%d,seed=%d)", 2*d.in(3, 12), d.in(2, 5), d.in(1, 4), d.in(1, 99))
		},
		func(d draw) string {
			return f("torus(%d,hosts=%d,width=%d)", d.in(3, 12), d.in(1, 5), d.in(1, 2)) + d.uneven()
		},
		func(d draw) string {
			return f("mesh(%dx1,hosts=%d,width=%d)", d.in(2, 9), d.in(1, 5), d.in(1, 3)) + d.uneven()
		},
		func(d draw) string { return f("torus(2x%d,hosts=%d)", d.in(3, 8), d.in(1, 4)) + d.uneven() },
		func(d draw) string {
			return f("mesh(%dx%d,hosts=%d,width=%d)", d.in(2, 5), d.in(2, 5), d.in(1, 3), d.in(1, 2)) + d.uneven()
		},
		func(d draw) string {
			return f("hyperx(%dx%d,hosts=%d,width=%d)", d.in(2, 4), d.in(2, 5), d.in(1, 5), d.in(1, 2)) + d.uneven()
		},
		func(d draw) string {
			return f("fullmesh(%d,hosts=%d,width=%d)", d.in(3, 8), d.in(1, 9), d.in(1, 2)) + d.uneven()
		},
		func(d draw) string { return f("kautz(2,%d,hosts=%d)", d.in(2, 3), d.in(6, 50)) },
		func(d draw) string {
			return f("dragonfly(%d,%d,%d,groups=%d)", d.in(2, 4), d.in(1, 3), d.in(1, 2), d.in(2, 3)) + d.uneven()
		},
		func(d draw) string {
			return f("dragonflyplus(%d,%d,%d,1,groups=%d)", d.in(2, 3), d.in(2, 3), d.in(1, 4), d.in(2, 3)) + d.uneven()
		},
		func(d draw) string { return "slimfly(3" + d.of(",hosts=1", ",hosts=2", "") + ")" + d.uneven() },
		func(d draw) string { return f("rlft(%d,%d)", 2*d.in(2, 4), d.in(2, 3)) + d.uneven() },
		func(d draw) string {
			return f("pgft(2;%d,%d;1,%d;1,%d)", d.in(2, 5), d.in(2, 6), d.in(1, 3), d.in(1, 3)) + d.uneven()
		},
		func(d draw) string {
			return f("rail(%d,%d,%d,spines=%d)", d.in(2, 4), d.in(2, 6), d.in(2, 3), d.in(1, 4))
		},
		func(d draw) string {
			return f("rlft(%d,2)|merge(rlft(%d,2),at=%s)", 2*d.in(2, 4), 2*d.in(2, 4), d.of("leaves", "roots"))
		},
		func(d draw) string {
			return f("rlft(%d,2)|merge(torus(%dx%d,hosts=%d),links=%d)", 2*d.in(2, 4), d.in(3, 4), d.in(3, 4), d.in(1, 2), d.in(1, 4))
		},
		func(d draw) string {
			return f("fullmesh(%d,hosts=%d)|merge(mesh(%dx%d,hosts=1),links=%d)", d.in(3, 6), d.in(1, 3), d.in(2, 4), d.in(2, 3), d.in(1, 3))
		},
		func(d draw) string {
			return d.of("renaming-fig1", "sftree-fig4a", "sftree-fig4b", "vftree-fig4b", "mftree-fig2", "now-c", "racks72")
		},
	},
	"unseen": slices.Concat(usual, []func(draw) string{
		func(d draw) string {
			return f("pgft(2;%d,%d;1,%d;1,%d)", d.in(6, 12), d.in(6, 12), d.in(2, 6), d.in(2, 3))
		},
		func(d draw) string {
			return f("rlft(%d,2)|merge(rlft(%d,2),links=%d)", 2*d.in(4, 8), 2*d.in(4, 8), d.in(2, 16))
		},
		func(d draw) string {
			return f("torus(%dx%d,hosts=%d)|plane(rlft(%d,2),name=storage)", d.in(4, 6), d.in(4, 6), d.in(2, 3), 2*d.in(4, 6))
		},
		func(d draw) string { return d.of("racks432", "racks216", "over384", "superpod127") },
		func(d draw) string {
			return f("tree(%d,%d,ratio=%d)|hosts(even=%d,odd=1)", 2*d.in(6, 10), d.in(100, 300), d.in(2, 3), d.in(3, 6))
		},
	}),
	"unseen-2": slices.Concat(usual, []func(draw) string{
		func(d draw) string {
			return f("irregular(switches=%d,degree=%d,hosts=%d,seed=%d)", d.in(20, 50), 2*d.in(2, 4), d.in(60, 240), d.in(1, 99))
		},
		func(d draw) string { return f("butterfly(%d,%d)", d.in(3, 6), d.in(2, 3)) },
		func(d draw) string {
			return f("rail(%d,%d,%d,spines=%d,cores=%d,up=%d)", d.in(2, 4), d.in(4, 12), d.in(2, 5), d.in(2, 6), d.in(2, 6), d.in(1, 2))
		},
		func(d draw) string {
			return f("dragonfly(%d,%d,%d)|merge(rlft(%d,2),links=%d)", d.in(3, 5), d.in(2, 3), d.in(1, 2), 2*d.in(3, 6), d.in(2, 12))
		},
		func(d draw) string {
			m, n := d.in(3, 6), d.in(3, 5)
			return f("xgft(3;%d,%d,%d;%d,%d,%d;hosts=%d)", d.in(2, 3), m, n, d.in(2, 4), d.in(2, 4), d.in(2, 3), d.in(60, 240))
		},
	}),
	"unseen-3": slices.Concat(usual, []func(draw) string{
		func(d draw) string { return f("karytree(%d,%d)", d.in(3, 6), d.in(2, 3)) },
		func(d draw) string {
			return f("hyperx(%dx%d,hosts=%d)|merge(mesh(%dx%d,hosts=1),links=%d)", d.in(3, 6), d.in(3, 6), d.in(2, 5), d.in(2, 5), d.in(2, 5), d.in(2, 10))
		},
		func(d draw) string {
			return f("dragonfly(%d,%d,%d)|plane(rlft(%d,2),name=storage)", d.in(3, 5), d.in(2, 3), d.in(1, 2), 2*d.in(4, 6))
		},
		func(d draw) string { return f("slimfly(5,hosts=%d)|without(hosts=0-%d)", d.in(1, 5), d.in(3, 30)) },
		func(d draw) string {
			return f("mesh(%dx%d,hosts=%d,width=2)|merge(fullmesh(%d,hosts=%d),links=%d)", d.in(3, 6), d.in(3, 6), d.in(1, 3), d.in(4, 9), d.in(1, 6), d.in(2, 8))
		},
	}),
	"learnt": {
		func(d draw) string {
			return f("pgft(3;%d,%d,%d;1,%d,%d;1,%d,1)", d.in(3, 6), d.in(3, 5), d.in(2, 5), d.in(2, 4), d.in(2, 4), d.in(1, 2))
		},
		func(d draw) string {
			n := 2 * d.in(10, 30)
			return f("regular(switches=%d,degree=%d,hosts=%d,seed=%d)", n, d.in(3, 7), d.in(1, 5), d.in(1, 99))
		},
		func(d draw) string {
			return f("dragonflyplus(%d,%d,%d,%d,groups=%d)", d.in(2, 5), d.in(2, 4), d.in(2, 4), d.in(1, 3), d.in(3, 5))
		},
		func(d draw) string {
			return f("torus(%dx%d,hosts=%d)|merge(rlft(%d,2),links=%d)", d.in(4, 6), d.in(4, 6), d.in(1, 3), 2*d.in(4, 6), d.in(2, 12))
		},
		func(d draw) string {
			return f("torus(%dx%d,hosts=%d,width=%d)|without(hosts=0-%d)", d.in(4, 7), d.in(4, 7), d.in(2, 4), d.in(1, 3), d.in(3, 20))
		},
		func(d draw) string {
			return f("torus(3x%dx%dx%d,hosts=%d)", d.in(3, 4), d.in(2, 4), d.in(2, 4), d.in(1, 2))
		},
		func(d draw) string {
			return f("fullmesh(%d,hosts=%d,width=%d)|without(hosts=0-%d)", d.in(5, 14), d.in(4, 14), d.in(1, 3), d.in(3, 20))
		},
		func(d draw) string {
			return f("mesh(%dx%dx%d,hosts=%d)", d.in(3, 5), d.in(3, 5), d.in(2, 4), d.in(1, 3))
		},
	},
}

// uneven makes a third of networks uneven: some hosts are missing.
func (d draw) uneven() string { return d.of("", "", f("|without(hosts=0-%d)", d.in(0, 2))) }

// damage takes links down, at most a fifth of all: none in a quarter of the networks.
func (d draw) damage() string {
	seed := d.in(100, 999)
	switch d.IntN(4) {
	case 0:
		return ""
	case 1:
		return f("|fail(links=%d,seed=%d)", d.in(1, 6), seed)
	}
	return f("|fail(share=%s,links=all,seed=%d)", d.of("0.015", "0.025", "0.04", "0.06", "0.07", "0.12", "0.15", "0.18"), seed)
}

// drawn lists different fabrics of a kind.
func drawn(kind string, seed uint64, n int) (list []string) {
	d := draw{rand.New(rand.NewPCG(seed, 0))}
	had := map[string]bool{}
	for i := 0; len(list) < n; i++ {
		fabric := families[kind][i%len(families[kind])](d) + d.damage()
		if _, err := gen.Parse(fabric); err == nil && !had[fabric] { // some have fewer links than fail
			had[fabric] = true
			list = append(list, fabric)
		}
	}
	return list
}

// TestDraw prints a list of fabrics for weft lab sweep --list.
func TestDraw(t *testing.T) {
	if *drawKind == "" {
		t.Skip("-draw names no kind of list")
	}
	fmt.Fprintf(os.Stdout, "# Drawn: go test ./study/compare -run TestDraw -draw %s -draw-seed %d -draw-n %d\n%s\n", *drawKind, *drawSeed, *drawMany, strings.Join(drawn(*drawKind, *drawSeed, *drawMany), "\n"))
}
