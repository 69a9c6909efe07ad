package mapping

// plainWords says in plain words what the largest differences of the paper are.
var plainWords = map[string]string{
	"C+A+B: longest above shortest election (207.9 to 217.9 %)": "The longest of the paper's elections on the whole cluster takes three times as long as the shortest; ours all take the same time.",
	"C: the same by Figs. 7 and 10 (within 25 %)":               "On subcluster C Myricom's algorithm takes 5.5 times as long as Berkeley's by the paper's figures, and 3.7 times in ours.",
	"time with 20 hosts at random over the least (at most 1.5)": "With 20 hosts that answer mapping takes at most half as long again as with all in the paper, and more in ours.",
}
