package mapping

import (
	"context"
	"fmt"

	"weft/lab"
)

// decision says for some claims that differ what decides the difference, and what was tried.
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
	{"fig7", "time of one master", ourModel, "Times are modelled and the algorithm draws no lots, so that all runs take the same time; the paper's hosts ran other work, of which it gives no measure."},
	{"fig7", "", ourModel, "An election is modelled by processors and wires only. With starts within 20 ms times spread little; within 4 s they spread as printed on C+A+B (198 %) and a hundred times too much on C. The paper does not say how far apart mappers start; both wirings and another mapper were tried too."},
	{"fig8", "", theText, "It says that the final prune makes the numbers plummet. Ours merges replicates as soon as an answer proves that they are one, and nothing is left to prune, with each mapper, wiring and collision rule that was tried."},
	{"fig9", "", theText, "It gives neither the search depth nor the mapper's place: 1.27 to 2.48 with the readings, 1.5 with one order of hosts, and the paper shows one curve."},
	{"fig10", "time of Myricom", theData, "Its mapper ran on another processor, of which no time is printed. With the times fitted to Berkeley's mapper it takes 0.7 times as long as printed on C (0.9 times with circuit routing), and is within 25 % on the others."},
	{"fig10", "as long as Berkeley", theData, "As for its time: the processor of Myricom's mapper is not described, and the fitted times are those of Berkeley's."},
	{"fig10", "", theData, "Section 5.4 says 5.4 times, and the numbers of Figs. 6 and 10 are 4.2 times. The rest is the wiring of A and B, which is not printed: 2.4 times with our first guess, 3.5 times rewired."},
	{"random", "depth-first branches by lot send", theText, "It conjectures that a few branches help, and says neither where they start nor how many there are. One from each switch without a host saves 30 to 50 % on the NOW networks, and costs 4 to 7 % on the smallest and the largest tree."},
	{"random", "NOW networks", theText, "It does not say how directions are drawn, nor from which host. From the utility host on a root long probes find a fifth fewer wires on C, and from a host on a leaf more on all three (reading \"another mapper\"); with any turn (reading \"any turn\") they find 0.6 times as many as branches."},
	{"random", "fat-trees", theText, "It asks for sufficient expansion. In a tree the walk of a long probe goes up and down near its host, while branches, which know the silent ports, go on to new ones; other lengths of the row of useless probes were tried, 40 to 320."},
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
