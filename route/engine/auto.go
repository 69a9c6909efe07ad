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

// candidate is a route.Candidate before the lookup of its engine.
type candidate struct {
	engine string
	effort int // of the engine, without proof and measuring
	from   string
	gain   route.Gain
	small  bool
}

// candidates are engines whose Plans cannot deadlock; of equally good ones the earlier wins. The
// order in which Auto tries them depends on the kind of network (package planner, which has the
// advice to use another engine than the named one too). Efforts are measured times for an entry on
// the fabrics of docs/results/routes, in the middle: some vary by a factor of three.
var candidates = []candidate{
	{"ftree", 3, "", 0, false},
	{"ftree,balance=beft", 1, "", 0, false},
	{"ftree,balance=zahavi", 1, "", 0, false},
	{"torus", 1, "", 0, false},
	{"dor", 1, "", 0, false},
	{"hyperx", 1, "", 0, false},
	{"dfsssp", 8, "", 0, false},
	{"lash", 4, "", 0, false},
	{"nue", 12, "", 0, false},
	{"updn", 1, "", 0, false},
	{"ftree,relief=true", 15, "ftree", route.GainsLittle, false},
	{"dfsssp,relief=true", 15, "dfsssp", route.GainsUsually, false},
	{"lash,relief=true", 15, "lash", route.GainsMuch, false},
	{"nue,relief=true", 15, "nue", route.GainsUsually, false},
	{evenSSSP, 12, "", 0, false}, // the most balanced paths, on any number of lanes
	{evenSSSP + ",relief=true", 15, evenSSSP, route.GainsUsually, false},

	// There each of them is best on a few, mostly uneven ones.
	{engine: "nue,vls=0", effort: 40, small: true},
	{engine: "valiant", effort: 2, small: true},
	{engine: "valiant,share=50", effort: 2, small: true},
	{engine: "separate", effort: 20, small: true},
	{engine: "renaming", effort: 10, small: true},
}

const evenSSSP = "dfsssp,paths=sssp,passes=3"

// among looks up the candidates' engines.
func among() (all []route.Candidate) {
	for _, c := range candidates {
		chain, err := Parse(c.engine, nil)
		if err != nil {
			panic(err) // candidates are engines
		}
		all = append(all, route.Candidate{Step: chain[0], Name: c.engine, Effort: c.effort, From: c.from, Gain: c.gain, Small: c.small})
	}
	return all
}

// effortMost limits the total effort of all tried engines, in table entries computed by engine
// updn: some seconds. It does not limit the first engine that routes the fabric.
const effortMost = 100_000_000

// Preference returns the place of an engine among the candidates of Auto: of equally good ones the
// earlier wins. Other engines come last.
func Preference(engine string) int {
	i := slices.IndexFunc(candidates, func(c candidate) bool { return c.engine == engine })
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
		most = max(most, c.effort)
	}
	return most
}
