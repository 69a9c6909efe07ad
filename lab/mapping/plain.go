package mapping

// plainWords explains the largest difference of each artefact in plain words.
var plainWords = map[string]string{
	"fig6: C+A: host and switch probes, sent and answered (within 25 %)":                                                      "On C+A our mapper sends 705 switch-probes with our first guess of the cables between A and C; the paper has 491. With a wiring found by search the counts agree.",
	"fig6: C+A+B: host and switch probes, sent and answered (within 25 %)":                                                    "On the whole cluster our mapper sends 1,929 switch-probes with our first guess of the cables between A and B; the paper has 1,207. With a wiring found by search the counts agree.",
	"fig7: C+A+B: longest above shortest election (207.9 to 217.9 %)":                                                         "The longest of the paper's elections on the whole cluster takes three times as long as the shortest; ours all take nearly the same time.",
	"fig8: C+A+B: the final prune accounts for the plummet of nodes near exploration 250 (more than half of it)":              "In the paper a final prune cuts the model graph down to the map. Here deductions have merged its nodes before, and nothing is left to prune.",
	"fig9: time with 20 hosts at random over the least (at most 1.5)":                                                         "With 20 hosts that answer mapping takes at most half as long again as with all in the paper, and more here.",
	"fig10: C+A+B: Myricom sends so many times as many probes as Berkeley (section 5.4, within 25 %)":                         "On the whole cluster Myricom's algorithm sends 5.4 times as many messages as Berkeley's by the paper's text, 4.2 times by its figures, and 2.4 times here, where Berkeley's sends half as many again as in the paper.",
	"fig10: C: Myricom takes so many times as long as Berkeley (section 5.4, within 25 %)":                                    "On subcluster C Myricom's algorithm takes 5.5 times as long as Berkeley's in the paper, and 3.7 times here.",
	"random: fat-trees: 300 long probes find more wires than 300 probes of depth-first branches (1 to 100 times as many)":     "The paper calls long random probes a considerable saving over random depth-first branches. On fat-trees they find fewer wires with as many probes; on the paper's own networks and on graphs that expand well they find more.",
	"random: depth-first branches by lot send fewer probes than breadth first alone (on every network: 0 to 1 times as many)": "Depth-first branches by lot save probes on the paper's networks and on small trees; on the tree of 256 switches they cost some more.",
}
