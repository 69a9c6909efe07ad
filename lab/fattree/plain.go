package fattree

// plainI says in plain words what the largest differences of Paper I are.
var plainI = map[string]string{
	"racks648 22:1: least of random rings, BEFT gains (52 to 62 %)":                      "With 22 and 1 nodes a leaf on the fabric with racks, the slowest of the random rings gains 57 % by BEFT in the paper, and loses in ours.",
	"648 ports with racks, 22:1: BEFT gains at most 6 % (0.5 to 6 %)":                    "With uniform traffic on that fabric BEFT is slightly ahead in the paper, and clearly behind in ours.",
	"dummy nodes work where leaves are full: EFT at 18:9 more than at 17:9 (5 to 100 %)": "EFT gives much more as soon as some leaves are full in the paper; 18 nodes a leaf give no more than 17 in ours.",
}

// plainIII says in plain words what the largest differences of Paper III are.
var plainIII = map[string]string{
	"3456-port fat-tree switch: LASH takes as many times as long as sFtree (72.2 to 286 times)": "OpenSM's LASH takes 143 times as long as sFtree on 3,456 ports; weft's LASH takes less time than it.",
	"juropa: lanes of LASH": "LASH needs 8 lanes on JUROPA in the paper, and 4 in ours.",
	"nodes on VL 1: latency of the natural ring rises (0.524 to 2.096 %)": "Traffic of switches on another lane raises the latency of the natural ring by 1 % in the paper, and by nothing in ours.",
}

// plainIV says in plain words what the largest differences of Paper IV are.
var plainIV = map[string]string{
	"fewer than 34 failed links, each number: fat-tree routing is not behind DFSSSP (by more than 0.5 points)": firstLink,
	"80 failed links: fat-tree routing loses (33 to 37 %)":                                                     firstLink,
	"MinHop gives more with 2 and with 3 failed switches than with one (by more than 0.5 points)":              "MinHop recovers when a second and a third switch fail in the paper, and does not in ours.",
	"2 and 3 failed switches, each: MinHop balances, upward ports unused (0 to 1 %)":                           "With two and three failed switches MinHop leaves no upward port unused in the paper, and a tenth of them in ours.",
	"MinHop: trees with 0 to 7 failed switches on which paths between nodes close a credit loop (50 to 100 %)": "MinHop usually leads to credit loops in the paper; in ours its paths between nodes close none on these trees, as they go up and then down.",
}

// firstLink says what a failed link costs; TestPlainWords holds it against the results.
const firstLink = "Failed links cost fat-tree routing more in ours than in the paper: the first alone takes about half of what it gives, so that DFSSSP is ahead from the first on, in the paper from the 34th."

// plainVI says in plain words what the largest differences of Paper VI are.
var plainVI = map[string]string{
	"over384: mFtree against ftree (47.6 to 57.6 %)":                                    "Recursive doubling on the oversubscribed tree of 384 ports gains half by mFtree in the paper, and nothing in ours.",
	"2-stage 648-port: minhop takes as many times as long as ftree (39.6 to 156 times)": "OpenSM's MinHop takes 78 times as long as ftree on 648 ports; weft's takes a third of its time.",
	"fat648: mFtree against ftree (-9 to -2.25 %)":                                      "Shifts on 648 ports lose 4.5 % by mFtree in the paper, and nothing in ours.",
}
