package choose

import (
	"fmt"
	"math"
	"slices"
)

// Shape is a network by its formula.
type Shape struct {
	Kind    string `json:"kind"`
	Formula string `json:"formula"` // of one plane, without the plane of storage
	Whole   string `json:"whole"`   // of everything, for other commands
	Planes  int    `json:"planes"`  // equal networks without a cable between them, one for each port of a host
	// Ratio is the oversubscription that it was made for, Pods the one between pods, groups and
	// subnets.
	Ratio float64 `json:"oversubscription"`
	Pods  float64 `json:"pod_oversubscription"`
	// Uniform is the share of its rate that each host gets if all send to random hosts at once
	// under ideal balance. It is computed; see the package comment.
	Uniform float64  `json:"uniform"`
	Subnets *Subnets `json:"subnets,omitempty"` // absent for a single subnet
	found   smallest
}

// rail is the kind of rail-optimised trees.
const rail = "rails"

// kind is a kind of network.
type kind struct {
	name  string
	shape func(need) smallest // the smallest one
	// growing returns one with fewer switches at the first step of growth; nil: shape does.
	growing func(need) smallest
	// fixed says why the kind does not grow without cables that are plugged again; "" if it does.
	fixed string
}

// kinds lists the kinds of networks. That of rails comes last: it is for servers of several ports.
var kinds = []kind{
	{name: "tree", shape: tree, growing: growingTree},
	{name: "dragonfly", shape: dragonfly},
	{name: "dragonfly+", shape: dragonflyPlus},
	{name: "hyperx", shape: hyperX, fixed: "its grid is whole only when all %d switches stand"},
	{name: "full-mesh", shape: fullMesh},
	{name: "torus", shape: torus, fixed: "its rings are closed only when all %d switches stand"},
	{name: "slim-fly", shape: slimFly, fixed: "its graph is whole only when all %d switches stand"},
	{name: rail, shape: rails, growing: growingRails},
}

// Kinds lists the kinds of networks to propose.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// LeftOut is a kind of network that is not proposed.
type LeftOut struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// need describes the load of one network: hosts with a port each, or with rails ports.
type need struct {
	hosts, radix int
	rails        int // ports of a host on the network, 1 but for rails
	first        int // hosts at the first step of growth, 0 without growth
	limit
}

// shapes lists the networks to propose, each formula once, and the kinds without any.
func shapes(w Want) (list []Shape, out []LeftOut) {
	w.complete()
	out = []LeftOut{}
	for _, k := range kinds {
		if len(w.Kinds) > 0 && !slices.Contains(w.Kinds, k.name) || k.name == rail && w.Rails == 1 {
			continue
		}
		n := need{hosts: w.onNetwork(), radix: w.Radix, rails: 1, first: w.Now}
		if k.name == rail {
			n.rails = w.Rails
		}
		found, reason := w.shapesOf(k, n)
		if len(found) == 0 {
			out = append(out, LeftOut{k.name, reason})
		}
		list = append(list, found...)
	}
	return list, out
}

// shapesOf lists the networks of a kind, or says why there is none.
func (w *Want) shapesOf(k kind, n need) (list []Shape, reason string) {
	planes := w.Rails / n.rails
	add := func(s smallest) {
		if s.formula == "" || slices.ContainsFunc(list, func(before Shape) bool { return before.Formula == s.formula }) {
			return
		}
		if w.Now > 0 && k.fixed != "" {
			reason = "does not grow: " + fmt.Sprintf(k.fixed, s.switches)
			return
		}
		shape := Shape{Kind: k.name, Formula: s.formula, Planes: planes, Ratio: n.ratio, Pods: n.pods, Uniform: min(1, 1/s.load), found: s}
		if lids := s.switches + n.hosts*n.rails; lids > w.subnetLIDs() {
			if n.ratio > w.Ratio || n.pods > w.Pods {
				return // a network of several subnets takes long to build
			}
			if shape.Subnets, reason = w.several(k, n, lids, planes); shape.Subnets == nil {
				return
			}
			shape.severalSubnets()
		}
		list = append(list, shape)
	}
	for _, n.limit = range w.accepted() {
		s := k.shape(n)
		add(s)
		if n.first > 0 && k.growing != nil {
			add(k.growing(n))
		}
	}
	n.limit = limit{w.Ratio, w.Pods}
	if len(list) == 0 && reason == "" {
		reason = k.reason(n)
	}
	return list, reason
}

// smallest keeps the formula with the fewest switches, and among these the fewest cables; "" for
// none.
type smallest struct {
	switches, cables int
	first            int     // switches at the first step of growth, where that counts before the others
	load             float64 // of the busiest channel under uniform traffic
	between          float64 // of this, the load between groups; 0 where it does not depend on their number
	groups           int     // that are joined with each other
	formula          string
}

// beats reports whether a network is smaller than the kept one.
func (s *smallest) beats(switches, cables int) bool {
	return s.formula == "" || switches < s.switches || switches == s.switches && cables < s.cables
}

// try keeps a network if it is smaller.
func (s *smallest) try(switches, cables int, load float64, format string, args ...any) {
	if s.beats(switches, cables) {
		*s = smallest{switches: switches, cables: cables, load: load, formula: fmt.Sprintf(format, args...)}
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
