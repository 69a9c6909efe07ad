package intersubnet

// plainWords says in plain words what the largest differences of the paper are.
var plainWords = map[string]string{
	"3 subnets, ISFR, random rings, average (962 to 1176 MB/s)":          "Random rings over three subnets get 1069 MB/s by ISFR in the paper, and a seventh less in ours.",
	"more subnets, hot-spots, 60 %, 6 against 2: ISFR (0.5 to 80 %)":     "With hot-spots more subnets give more in the paper; ISFR gives less on six subnets than on two in ours.",
	"OpenSM, uniform, 20 %: 2 subnets (15.5 to 19.5 %)":                  "With a fifth of the traffic between two subnets OpenSM's routing keeps 17.5 % in the paper, and the 7 % that one router port carries in ours.",
	"ISSR, hot-spots, falls from 40 to 100 %: 2 subnets (-50 to -0.5 %)": "With hot-spots ISSR loses as more traffic leaves its subnet in the paper, and gains on two subnets in ours.",
}
