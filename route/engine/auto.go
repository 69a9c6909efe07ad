package engine

import (
	"errors"
	"fmt"
	"slices"

	"weft/route"
)

// Auto is the word that stands for the engine which routes a fabric best.
const Auto = "auto"

// AutoSpec describes Auto, which is none of All. It makes no Plan by itself: whoever runs a routing tries the engines of
// Spec.Among.
func AutoSpec() *route.Spec {
	return &route.Spec{
		Name:    Auto,
		Summary: "the engine that delivers the most, found by trying those that cannot deadlock",
		Cost:    fmt.Sprintf("that of the engines it tries: as many as fit into %d million entries of tables, an entry of a slow engine counted up to %d times", effortMost/1_000_000, slowestEffort()),
		Lanes:   "those of the engine it chooses",
		New: func(route.Options) (route.Engine, error) {
			return nil, errors.New("engine: auto is no engine by itself")
		},
		Among: among(), Effort: effortMost,
	}
}

// candidate is a route.Candidate whose engine is not looked up yet.
type candidate struct {
	engine string
	effort int // of the engine; proof and measuring are added
	from   string
}

// candidates are engines whose Plans cannot deadlock, in the order in which they are tried, and
// preferred where they deliver as much: those for one kind of network first, since they refuse
// others at once. What is advised in place of an engine that was named stands in package planner.
var candidates = []candidate{
	{"ftree", 2, ""},
	{"ftree,balance=beft", 2, ""},
	{"ftree,balance=zahavi", 2, ""},
	{"torus", 1, ""},
	{"dor", 1, ""},
	{"hyperx", 2, ""},
	{"dfsssp", 5, ""},
	{"lash", 2, ""},
	{"nue", 20, ""},
	{"updn", 1, ""},
	{"ftree,relief=true", 10, "ftree"},
	{"dfsssp,relief=true", 10, "dfsssp"},
	{"lash,relief=true", 10, "lash"},
	{"nue,relief=true", 10, "nue"},
	{evenSSSP, 60, ""}, // the most balanced paths, on as many lanes as they take
	{evenSSSP + ",relief=true", 10, evenSSSP},
}

const evenSSSP = "dfsssp,paths=sssp,passes=3"

// among looks the candidates up.
func among() (all []route.Candidate) {
	for _, c := range candidates {
		chain, err := Parse(c.engine, nil)
		if err != nil {
			panic(err) // candidates are engines
		}
		all = append(all, route.Candidate{Step: chain[0], Name: c.engine, Effort: c.effort, From: c.from})
	}
	return all
}

// effortMost bounds the effort of all engines tried, in entries of forwarding tables that
// engine updn computes: some seconds. The first engine that routes the fabric is not bound.
const effortMost = 100_000_000

// Preference is the place of an engine among those that Auto tries: one that comes before another is
// preferred where both deliver as much. Engines that it does not try come last.
func Preference(engine string) int {
	i := slices.IndexFunc(candidates, func(c candidate) bool { return c.engine == engine })
	if i < 0 {
		return len(candidates)
	}
	return i
}

// Tries reports whether an engine, as its name and options are written, is one that Auto tries.
func Tries(engine string) bool { return Preference(engine) < len(candidates) }

// slowestEffort is the largest effort of a candidate.
func slowestEffort() (most int) {
	for _, c := range candidates {
		most = max(most, c.effort)
	}
	return most
}
