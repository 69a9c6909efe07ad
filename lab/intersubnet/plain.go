package intersubnet

// plainWords explains the largest differences of the paper in plain words.
var plainWords = map[string]string{
	"fig2: OpenSM, uniform, 20 %: 2 subnets (15.5 to 19.5 %)":                                               "With a fifth of the traffic between two subnets OpenSM's routing keeps 17.5 % in the paper, and the 9 % that one router port carries here.",
	"table1: 2 subnets, OpenSM, random rings, average (633 to 773 MB/s)":                                    "Random rings over two subnets get 703 MB/s by OpenSM's routing in the paper, and a little more than a quarter of that here: nodes wait for neighbours whose messages wait for the one router port.",
	"table1: 3 subnets, OpenSM, random rings, average (434 to 530 MB/s)":                                    "Random rings over three subnets get 482 MB/s by OpenSM's routing in the paper, and about a quarter of that here: nodes wait for neighbours whose messages wait for a router port.",
	"table1: 6 subnets, OpenSM, random rings, average (243 to 297 MB/s)":                                    "Random rings over six subnets get 270 MB/s by OpenSM's routing in the paper, and two thirds of that here.",
	"table1: 2 subnets, minimum, ISFR against OpenSM (1.51 to 3.04 times)":                                  "The slowest ring over two subnets is twice as fast by ISFR as by OpenSM's routing in the paper, and nine times here.",
	"fig2: ISSR, hot-spots, falls from 40 to 100 %: 2 subnets (-100 to -2.5 %)":                             "With hot-spots ISSR loses as more traffic leaves its subnet in the paper, and gains on two subnets here.",
	"fig2: ISSR above ISFR, hot-spots, at how many of the five shares from 20 to 100 %: 3 subnets (4 or 5)": "With hot-spots ISSR is above ISFR at almost all shares in the paper, and at fewer on three subnets here.",
}
