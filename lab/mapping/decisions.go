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
	{"fig7", "", ourModel, "An election is modelled by processors and wires only. Starts within 20 ms and within 4 s were tried, with both wirings and another mapper: the first spreads as little as here, the second far more, and the paper does not say how far apart mappers start."},
	{"fig8", "", theText, "The text says both that merging and that pruning shrink the graph; ours merges replicates as soon as an answer proves them, and nothing is left to prune with any mapper, wiring or collision rule that was tried."},
	{"fig9", "", theText, "It gives neither the search depth nor the mapper's place: 1.27 to 2.48 with the readings, 1.5 with one order of hosts, and the paper shows one curve."},
	{"fig10", "time of Myricom", theData, "Its mapper ran on another processor, of which no time is printed. With the times fitted to Berkeley's mapper, and with circuit routing, it is 0.7 to 0.9 times the printed time on C and right on the others."},
	{"fig10", "as long as Berkeley", theData, "As for its time: the processor of Myricom's mapper is not described, and the fitted times are those of Berkeley's."},
	{"fig10", "", theData, "Section 5.4 says 5.4 times, and the numbers of Figs. 6 and 10 are 4.2 times. The rest is the wiring of A and B, which is not printed: 2.4 times with our first guess, 3.5 times rewired."},
	{"random", "depth-first branches by lot send", theText, "It conjectures that a few branches help, and says neither where they start nor how many there are: one from each switch without a host saves up to half on the NOW networks, and costs 4 % on the tree of 256 switches."},
	{"random", "NOW networks", theText, "It does not say how directions are drawn, nor from which host: from the utility host on a root long probes find fewer wires, from a host on a leaf more (reading \"another mapper\"), and with any turn (reading \"any turn\") both phases find less than half."},
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
