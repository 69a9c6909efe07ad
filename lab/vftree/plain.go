package vftree

// plainWords says in plain words what the largest differences of the paper are.
var plainWords = map[string]string{
	"Table I: Naturally Ordered Ring Lat. (us), vFtree better by (28.04 to 38.04 %)": "The latency of the naturally ordered ring falls by a third with vFtree on the machine, and rises as much in ours.",
	"648-port 1:1, hot-spots: 1, with 8 lanes against one (7.713 to 9.427 times)":    "With one hot-spot on 648 ports eight lanes give 8.6 times what one gives in the paper, and three times that in ours.",
	"the total rises from 1 to 3 lanes (33 to 43 %)":                                 "Three lanes raise the total by 38 % in the paper, and by twice as much in ours.",
}
