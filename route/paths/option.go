package paths

import "weft/route"

// The options of the computations: open or ambiguous points of the papers.
var (
	weightOption = route.Option{
		Name: "weight", Default: heaviest, OneOf: []string{heaviest, sumOfLinks},
		Doc: "what a path weighs where shortest-widest chooses: heaviest, as much as its heaviest link, is ours; by the letter of paper 000 it is sum, all its links together",
	}
	orderOption = route.Option{
		Name: "order", Default: drawn, OneOf: []string{drawn, bySwitch},
		Doc: "order of hosts: drawn at random, or switch by switch",
	}
	removeOption = route.Option{
		Name: "remove", Default: removeMost, OneOf: []string{removeMost, removeDrawn},
		Doc: "which path on the most loaded link goes: most, the longest of the pair with most paths left, is ours, and was searched for with the numbers of paper 000; by its letter any may go: drawn",
	}
	repairedOption = route.Option{
		Name: "repaired", Default: repairedLast, OneOf: []string{repairedLast, repairedFirst},
		Doc: "compute the replacements of broken paths to a destination last, or first",
	}
	repairOption = route.Option{
		Name: "repair", Default: fromLeaf, OneOf: []string{fromLeaf, fromTop},
		Doc: "the up*/down* rule that paths over broken links keep: from a leaf, which leaves all the shortest, or from a switch at the top",
	}
	balanceOption = route.Option{
		Name: "balance", Default: byWeights, OneOf: []string{byWeights, ByProgramme, byWidest},
		Doc: "how paths are balanced: weights, by multiplicative weights, is ours; paper 002 has a linear programme that it does not print, programme is ours of it and needs an installed solver; widest, pair by pair as shortest-widest does",
	}
)

// The values of these options.
const (
	heaviest      = "heaviest"
	sumOfLinks    = "sum"
	drawn         = "drawn"
	bySwitch      = "switch"
	removeMost    = "most"
	removeDrawn   = "drawn"
	repairedLast  = "last"
	repairedFirst = "first"
	fromLeaf      = "leaf"
	fromTop       = "top"
	byWeights     = "weights"
	ByProgramme   = "programme"
	byWidest      = "widest"
)

// anyLength is the value of option detour for candidates of any length.
const anyLength = -1

// detourOption limits the length of candidates of path selection.
func detourOption(hops int) route.Option {
	return route.Option{
		Name: "detour", Default: hops, Min: anyLength, Max: 255,
		Doc: "hops by which candidates may be longer than the shortest path; -1: any length",
	}
}

// word returns the value of a string option.
func (in *Input) word(o route.Option) string {
	if v, ok := in.Options[o.Name]; ok {
		return v.(string)
	}
	return o.Default.(string)
}

// number returns the value of an int option.
func (in *Input) number(o route.Option) int {
	if v, ok := in.Options[o.Name]; ok {
		return v.(int)
	}
	return o.Default.(int)
}
