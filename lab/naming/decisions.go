package naming

import (
	"context"
	"fmt"

	"weft/lab"
)

// decision says for some claims of paper 000 that differ what decides the difference, and what was
// tried.
type decision struct {
	artefact string
	of       string // words in the texts of the claims; "" for all others of the artefact
	by       string
	tried    string
}

// What can decide a difference.
const (
	theText  = "the text"         // it leaves open what the number depends on
	theData  = "the paper's data" // no reading of the text gives its number
	ourModel = "our model"        // it lacks something that the paper measured
)

// decisions lists them; the first that fits a claim is about it.
var decisions = []decision{
	{"table1", "split-merge needs as many LIDs as greedy", theText, "It does not say in which order split-merge merges sets; in order of their numbers, and those with the fewest paths first (a reading), it needs up to 2.3 % more than greedy on 64 switches, and the paper's at most 1.2 %."},
	{"table1", "differ by as much", theText, "The degrees that color/S and color/L sort by are counted once a LID or after each path: the first gives more than is printed, the second less, and the printed spread is between them."},
	{"table1", "512/16", theData, "All ways to draw networks and machines that were tried (links by chance, machines by switch, another weight of a path) need 9 to 14 % more LIDs here, while 128 and 256 machines on the same switches agree within 10 %."},
	{"table2", "", theText, "It does not say which path on the most loaded link is removed, nor how long candidates may be. Drawn by lot from candidates of any length, paths take 2.7 to 7.7 times the printed LIDs; from candidates one hop longer than the shortest 2.0 to 5.2; from equally short ones 0.9 to 1.8; with the longest path of the pair with most paths left removed first 1.0 to 1.2, 0.9 to 1.3, and 0.5 to 0.9."},
	{"table3", "within 10 %", theData, "As in Table I with 512 machines on 16 switches: the optimum itself is a tenth above the printed one, with all ways to draw networks that were tried."},
	{"table3", "", theText, "The distance of color/L from the optimum depends on the degrees that it sorts by, as in Table I: counted after each path it is further from the optimum than printed on 64 switches, counted once a LID it is nearer, and greedy's is proven here on networks that lp_solve may have left out."},
	{"table4", "", theText, "As in Table II the paths are not fixed by the text, and all LIDs and distances follow from them: drawn by lot they split more, so that the optimum is further from greedy; with the longest removed first greedy is as far from it as printed within a point."},
	{"table5", "", ourModel, "Ours bounds the search by 4 nodes, since 4 hours of lp_solve cannot be repeated: it finishes nearly all networks of shortest widest and none of large ones of path selection, so that finished networks are hardly a selection."},
	{"table6", "SRD load", theText, "The paper of SRD was not available: joining a switch where the fewest paths pass is one rule of several, a tenth below the printed load on the smallest network with most machines."},
	{"table6", "renaming", theText, "It says only that renaming takes shortest paths: drawn by lot they give its loads, and shortest widest its LIDs, within 10 % of most rows; no computation that was tried gives both."},
	{"table6", "", theText, "As in Table II separate's paths are not fixed by the text. Its load is a quarter to two fifths above the printed one with paths removed by lot from candidates of any length, and up to a quarter below it with the longest removed first; equally short candidates are between the two."},
	{"fig10", "", theText, "It does not say which links are broken, nor which of several equal paths replace those over them: paths that come first or last were tried, and neither puts greedy further from the optimum in two dimensions than in three."},
	{"fig11", "", theText, "It does not say which switch is the root of the paths over broken links: a leaf, which keeps all shortest paths, and a switch at the top were tried, and greedy is 8 to 11 % above the optimum with both."},
}

// withDecisions lets an artefact say what decides its differences.
func withDecisions(artefact string, run func(context.Context, *lab.Setup) *lab.Result) func(context.Context, *lab.Setup) *lab.Result {
	return func(ctx context.Context, s *lab.Setup) *lab.Result {
		r := run(ctx, s)
		for _, d := range decisions {
			if d.artefact == artefact {
				about := "What decides the differences"
				if d.of != "" {
					about += fmt.Sprintf(" of claims with %q", d.of)
				}
				r.Notes = append(r.Notes, fmt.Sprintf("%s: %s. %s", about, d.by, d.tried))
			}
		}
		return r
	}
}
