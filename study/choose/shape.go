package choose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/spelling"
)

// Want is the wish for a machine: hosts, ports, oversubscription.
type Want struct {
	Hosts int `json:"hosts"`
	Radix int `json:"radix"` // ports of a switch
	// Rails is the number of ports of a host, each to a network of its own unless the formula is
	// rail.
	Rails int `json:"rails"`
	// Ratio is the accepted oversubscription: the number of hosts that share the bandwidth of one.
	Ratio float64  `json:"oversubscription"`
	Kinds []string `json:"kinds"` // kinds of networks to propose; none: all
}

// Limits of a wish.
const (
	mostHosts = 200_000
	mostRadix = 254
	mostRails = 32
)

// Validate returns an error for a value out of range, named like the option of the command.
func (w *Want) Validate() error {
	switch {
	case w.Hosts < 2 || w.Hosts > mostHosts:
		return fmt.Errorf("hosts %d: want 2 to %d", w.Hosts, mostHosts)
	case w.Radix < 3 || w.Radix > mostRadix:
		return fmt.Errorf("radix %d: want the ports of a switch, 3 to %d", w.Radix, mostRadix)
	case w.Rails < 1 || w.Rails > mostRails:
		return fmt.Errorf("rails %d: want the ports of a host, 1 to %d", w.Rails, mostRails)
	case !(w.Ratio >= 1 && w.Ratio <= mostRadix):
		return fmt.Errorf("oversubscription %g: want 1 to %d", w.Ratio, mostRadix)
	}
	names := Kinds()
	for _, kind := range w.Kinds {
		if !slices.Contains(names, kind) {
			return fmt.Errorf("kinds %s: no kind of network is called so%s (there are: %s)", kind, spelling.Hint(kind, names), strings.Join(names, ", "))
		}
		if kind == rail && w.Rails == 1 {
			return fmt.Errorf("kinds %s: goes with --rails", rail)
		}
	}
	return nil
}

// rail is the kind of rail-optimised trees.
const rail = "rails"

// Kinds lists the kinds of networks to propose.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return append(names, rail)
}

// ratios lists the oversubscriptions to propose: none, 2, and the accepted one.
func (w *Want) ratios() []float64 {
	list := []float64{1, 2, w.Ratio}
	slices.Sort(list)
	return slices.Compact(list)
}

// Shape is a network by its formula.
type Shape struct {
	Kind    string  `json:"kind"`
	Formula string  `json:"formula"`          // of one plane
	Planes  int     `json:"planes"`           // equal networks without a cable between them, one for each port of a host
	Ratio   float64 `json:"oversubscription"` // the oversubscription that it was made for
	// Uniform is the share of its rate that each host gets if all send to random hosts at once
	// under ideal balance. It is computed; see the package comment.
	Uniform float64 `json:"uniform"`
}

// kinds lists the functions that find the smallest network of a kind for an oversubscription.
var kinds = []struct {
	name  string
	shape func(hosts, radix int, ratio float64) smallest
}{
	{"tree", tree},
	{"dragonfly", dragonfly},
	{"dragonfly+", dragonflyPlus},
	{"hyperx", hyperX},
	{"full-mesh", fullMesh},
	{"torus", torus},
	{"slim-fly", slimFly},
}

// Shapes lists the networks to propose, each formula once, and the kinds that cannot hold the
// hosts.
func Shapes(w Want) (shapes []Shape, none []string) {
	none = []string{}
	add := func(kind string, planes int, shape func(ratio float64) smallest) {
		if len(w.Kinds) > 0 && !slices.Contains(w.Kinds, kind) {
			return
		}
		found := false
		for _, ratio := range w.ratios() {
			s := shape(ratio)
			found = found || s.formula != ""
			if s.formula != "" && !slices.ContainsFunc(shapes, func(before Shape) bool { return before.Formula == s.formula }) {
				shapes = append(shapes, Shape{Kind: kind, Formula: s.formula, Planes: planes, Ratio: ratio, Uniform: min(1, 1/s.load)})
			}
		}
		if !found {
			none = append(none, kind)
		}
	}
	for _, k := range kinds {
		add(k.name, w.Rails, func(ratio float64) smallest { return k.shape(w.Hosts, w.Radix, ratio) })
	}
	if w.Rails > 1 {
		add(rail, 1, func(ratio float64) smallest { return rails(w.Hosts, w.Radix, w.Rails, ratio) })
	}
	return shapes, none
}

// smallest keeps the formula with the fewest switches, and among these the fewest cables; "" for
// none.
type smallest struct {
	switches, cables int
	load             float64 // of the busiest channel under uniform traffic
	formula          string
}

// beats reports whether a network is smaller than the kept one.
func (s *smallest) beats(switches, cables int) bool {
	return s.formula == "" || switches < s.switches || switches == s.switches && cables < s.cables
}

// try keeps a network if it is smaller.
func (s *smallest) try(switches, cables int, load float64, format string, args ...any) {
	if s.beats(switches, cables) {
		*s = smallest{switches, cables, load, fmt.Sprintf(format, args...)}
	}
}

// quotient is a/b.
func quotient(a, b int) float64 { return float64(a) / float64(b) }

// ceilDiv is a/b rounded up.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// floorTimes is n taken ratio times, rounded down.
func floorTimes(ratio float64, n int) int { return int(math.Floor(ratio*float64(n) + 1e-9)) }

// ceilDivRatio is n divided by ratio, rounded up.
func ceilDivRatio(n int, ratio float64) int { return int(math.Ceil(float64(n)/ratio - 1e-9)) }
