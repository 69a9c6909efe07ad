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
	{"table1", "split-merge needs as many LIDs as greedy", theText, "It does not say in which order split-merge merges sets. In order of their numbers and with the fewest paths first (a reading) it is some 2 % from greedy on 64 switches, and with other draws of networks and machines -2 to +5 %; the paper's is at most 1.2 %."},
	{"table1", "differ by as much", theText, "The degrees that color/S and color/L sort by are counted once a LID or after each path: the first gives more than is printed, the second less, and the printed spread is between them."},
	{"table1", "512/16", theText, "It says of the networks only that their average degree is 8. Drawn by the letter they need a tenth too many LIDs; with links by chance, with machines switch by switch, or with a path's weight from its heaviest link they are within 10 %."},
	{"table2", "", theText, "It does not say which path on the most loaded link is removed, nor how long candidates may be. Drawn by lot from candidates of any length, paths take 2.7 to 7.7 times the printed LIDs; from candidates one hop longer than the shortest 2.0 to 5.2; from equally short ones 0.9 to 1.8; with the longest path of the pair with most paths left removed first 1.0 to 1.2, 0.9 to 1.3, and 0.5 to 0.9."},
	{"table3", "within 10 %", theText, "As in Table I with 512 machines on 16 switches: with links by chance or machines switch by switch the rows are within 10 %."},
	{"table3", "", theText, "The distance of color/L from the optimum depends on the degrees that it sorts by, as in Table I: counted after each path it is further from the optimum than printed on 64 switches, counted once a LID it is nearer, and greedy's is proven here on networks that lp_solve may have left out."},
	{"table4", "", theText, "As in Table II the paths are not fixed by the text, and all LIDs and distances follow from them: drawn by lot they split more, so that the optimum is further from greedy; with the longest removed first greedy is as far from it as printed within a point."},
	{"table5", "", ourModel, "Ours bounds the search by 4 nodes, since 4 hours of lp_solve cannot be repeated: it finishes nearly all networks of shortest widest and none of large ones of path selection, so that finished networks are hardly a selection."},
	{"table6", "SRD load", theText, "The paper of SRD was not available: joining a switch where the fewest paths pass is one rule of several, a tenth below the printed load on the smallest network with most machines."},
	{"table6", "renaming", theText, "It says only that renaming takes shortest paths: drawn by lot they give its loads, and shortest widest its LIDs, within 10 % of most rows; no computation that was tried gives both."},
	{"table6", "", theText, "As in Table II separate's paths are not fixed by the text. Its load is a quarter to two fifths above the printed one with paths removed by lot from candidates of any length, and up to a quarter below it with the longest removed first; equally short candidates are between the two."},
	{"fig10", "", theText, "It does not say which links are broken, how a path weighs, nor which of several equal paths replace those over broken links. Greedy is 1.6 to 4.6 % above the optimum in two dimensions with what was tried, and 3.5 to 5.5 % in three; no reading makes the first significantly worse and the second close."},
	{"fig11", "", theText, "It does not say which switch is the root of the paths over broken links, nor how a path weighs. With the degrees at the start of a LID, a path's heaviest link, or a root at the top color/L is within 3 % in the first networks; greedy is 4 to 9 % above the optimum with everything that was tried."},
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
