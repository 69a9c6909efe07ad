package engine

import (
	"errors"
	"fmt"
	"slices"

	"weft/route"
)

// Auto is the name for the engine that routes a fabric best.
const Auto = "auto"

// AutoSpec describes Auto, which is not in All. It makes no Plan itself: its caller tries the
// engines of Spec.Among.
func AutoSpec() *route.Spec {
	return &route.Spec{
		Name:    Auto,
		Summary: "the engine with the most bandwidth that cannot deadlock: known, or found by trying several",
		Cost:    fmt.Sprintf("that of the engines it tries: up to %d million table entries, an entry of a slow engine counted up to %d times", effortMost/1_000_000, slowestEffort()),
		Lanes:   "those of the chosen engine",
		New: func(route.Options) (route.Engine, error) {
			return nil, errors.New("engine: auto only chooses among engines")
		},
		Among: among(), Effort: effortMost,
	}
}

// candidates lists the engines that Auto may choose; their Plans cannot deadlock. Of equally good
// ones the earlier wins. Package planner orders the trials by the kind of network. An Effort is
// typical of the times measured on the fabrics of docs/results/map, without proof and measuring;
// some vary by a factor of three. Steps are empty here: among fills them in.
var candidates = []route.Candidate{
	{Name: "ftree", Effort: 3},
	{Name: "ftree,balance=beft", Effort: 1},
	{Name: "ftree,balance=zahavi", Effort: 1},
	{Name: "torus", Effort: 1},
	{Name: "dor", Effort: 1},
	{Name: "hyperx", Effort: 1},
	{Name: "dfsssp", Effort: 8},
	{Name: "lash", Effort: 4},
	{Name: "nue", Effort: 12},
	{Name: "updn", Effort: 1},
	{Name: "ftree,relief=true", Effort: 15, From: "ftree", Gain: route.GainsLittle},
	{Name: "dfsssp,relief=true", Effort: 15, From: "dfsssp", Gain: route.GainsUsually},
	{Name: "lash,relief=true", Effort: 15, From: "lash", Gain: route.GainsMuch},
	{Name: "nue,relief=true", Effort: 15, From: "nue", Gain: route.GainsUsually},
	{Name: evenSSSP, Effort: 12}, // the most balanced paths, on any number of lanes
	{Name: evenSSSP + ",relief=true", Effort: 15, From: evenSSSP, Gain: route.GainsUsually},

	// Each of these is the best one on some small networks, mostly uneven ones.
	{Name: "nue,vls=0", Effort: 40, Small: true},
	{Name: "valiant", Effort: 2, Small: true},
	{Name: "valiant,share=50", Effort: 2, Small: true},
	{Name: "separate", Effort: 20, Small: true},
	{Name: "renaming", Effort: 10, Small: true},
}

const evenSSSP = "dfsssp,paths=sssp,passes=3"

// among looks up the candidates' engines.
func among() (all []route.Candidate) {
	for _, c := range candidates {
		chain, err := Parse(c.Name, nil)
		if err != nil {
			panic(err) // candidates are engines
		}
		c.Step = chain[0]
		all = append(all, c)
	}
	return all
}

// effortMost limits the total effort of all tried engines, in table entries computed by engine
// updn: some seconds. It does not limit the first engine that routes the fabric.
const effortMost = 100_000_000

// Preference returns the place of an engine among the candidates of Auto: of equally good ones the
// earlier wins. Other engines come last.
func Preference(engine string) int {
	i := slices.IndexFunc(candidates, func(c route.Candidate) bool { return c.Name == engine })
	if i < 0 {
		return len(candidates)
	}
	return i
}

// Tries reports whether Auto tries an engine, given as its name with options.
func Tries(engine string) bool { return Preference(engine) < len(candidates) }

// slowestEffort is the largest effort of a candidate.
func slowestEffort() (most int) {
	for _, c := range candidates {
		most = max(most, c.Effort)
	}
	return most
}
