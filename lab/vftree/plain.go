package vftree

// plainWords explains the largest differences of each table and figure in plain words.
var plainWords = map[string]string{
	"fig8: 2 lanes: a victim, mean of both (6.65 to 7.35 Gbit/s)":                               "Victims on a lane of their own get 7 Gbit/s on the machine, and 12 here.",
	"fig8: the total rises from 1 to 3 lanes (33 to 43 %)":                                      "Three lanes raise the total by 38 % in the paper, and by twice as much here.",
	"fig9: 2 lanes: the victim (7.12 to 7.88 Gbit/s)":                                           "On the oversubscribed tree the victim on its own lane gets 7.5 Gbit/s on the machine, and 8.9 here.",
	"table1: Table I: Min Ping Pong BW (MB/s), fat-tree, by the printed one (0.9 to 1.1 times)": "Beside the hot-spot the slowest pair of nodes gets 95 MB/s on the machine, and four times as much here.",
	"table1: Table I: Naturally Ordered Ring Lat. (us), vFtree better by (28.04 to 38.04 %)":    "The latency of the naturally ordered ring falls by a third with vFtree on the machine, and rises as much here.",
	"fig10: 648-port 1:1, hot-spots: 1, with 8 lanes against one (7.713 to 9.427 times)":        "With one hot-spot on 648 ports eight lanes give 8.6 times the throughput of one lane in the paper, and three times that here.",
	"fig10: one hot-spot: the second lane adds more than the next two (1.05 to 100 times)":      "With one hot-spot the second lane adds twice as much as the next two in the paper, and less than they here.",
}
