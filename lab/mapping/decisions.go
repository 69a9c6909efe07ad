package mapping

import "weft/lab"

// decisions explain the differences from the paper.
var decisions = []lab.Decision{
	{Artefact: "fig7", Of: "time of one master", By: lab.OurModel, Tried: "Times are modelled and the algorithm draws no lots, so that all runs take the same time; the paper's hosts ran other work, of which it gives no measure."},
	{Artefact: "fig7", By: lab.OurModel, Tried: "An election is modelled by processors and wires only. With starts within 20 ms times spread little; within 4 s they spread by 198 % on C+A+B (printed: 213 %), and by 910 % on C (printed: 1.8 %). The paper does not say how far apart mappers start; both wirings and another mapper were tried too."},
	{Artefact: "fig8", By: lab.TheText, Tried: "It says that the final prune makes the numbers plummet. Ours merges replicates as soon as an answer proves that they are one, and nothing is left to prune, with each mapper, wiring and collision rule that was tried."},
	{Artefact: "fig9", By: lab.TheText, Tried: "It gives neither the search depth nor the mapper's place: 1.27 to 2.48 with the readings, 1.5 with one order of hosts, and the paper shows one curve."},
	{Artefact: "fig10", Of: "time of Myricom", By: lab.TheData, Tried: "Its mapper ran on another processor, of which no time is printed. With the times fitted to Berkeley's mapper it takes 0.7 times as long as printed on C (0.9 times with circuit routing), and is within 25 % on the others."},
	{Artefact: "fig10", Of: "as long as Berkeley", By: lab.TheData, Tried: "As for its time: the processor of Myricom's mapper is not described, and the fitted times are those of Berkeley's."},
	{Artefact: "fig10", By: lab.TheData, Tried: "Section 5.4 says 5.4 times, and the numbers of Figs. 6 and 10 are 4.2 times. The rest may be the wiring of A and B, which is not printed: 2.4 times with our first guess, 3.5 times rewired."},
	{Artefact: "random", Of: "depth-first branches by lot send", By: lab.TheText, Tried: "It conjectures that a few branches help, and says neither where they start nor how many there are. One from each switch without a host saves 30 to 50 % on the NOW networks, and costs 4 to 7 % on the smallest and the largest tree."},
	{Artefact: "random", Of: "NOW networks", By: lab.TheText, Tried: "It does not say how directions are drawn, nor from which host. From the utility host on a root long probes find a fifth fewer wires on C, and from a host on a leaf more on all three (reading \"another mapper\"); with any turn (reading \"any turn\") they find 0.6 times as many as branches."},
	{Artefact: "random", Of: "fat-trees", By: lab.TheText, Tried: "It asks for sufficient expansion. In a tree the walk of a long probe goes up and down near its host, while branches, which know the silent ports, go on to new ones; other lengths of the row of useless probes were tried, 40 to 320."},
}
