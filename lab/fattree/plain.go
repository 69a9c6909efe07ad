package fattree

// plainI explains the largest differences of Paper I in plain words, at least one for each
// artefact.
var plainI = map[string]string{
	"fig4: EFT gives a node less when there are fewer: 18:18 against 9:9 (0.5 to 100 %)":                         "EFT gives a node less when there are fewer of them in the paper; half of 648 nodes, spread evenly, get as much here.",
	"fig5: 648 ports with racks, 24:24: BEFT gains at most 6 % (0.5 to 6 %)":                                     "With uniform traffic on the fabric with racks BEFT is at most 6 % ahead in the paper. Here EFT, as the text has it, sends all rack switches the same way to a node, and BEFT gains 43 to 65 %. In the form of OpenSM 3.3.5 BEFT gains -3.6 to 0.0 %: that does not give the gain either.",
	"fig7: JuRoPA-like, 12:12: BEFT gains (2 to 100 %)":                                                          "On a fabric like JuRoPA with all racks half full BEFT gains at least a few percent in the paper, and nothing here.",
	"ranger: Ranger-like, 6:6: BEFT gains 1 to 2 % (0.5 to 4 %)":                                                 "On a fabric like Ranger BEFT gains 1 to 2 % in the paper, and 39 to 52 % here.",
	"table2: racks648 24:24: average of random rings, BEFT gains (1.55 to 6.199 %)":                              "On the fabric with racks BEFT raises the average of the random rings by 3 to 10 % in the paper, and by 57 to 120 % here.",
	"fig8: 648 ports, 18:1, even leaves full: EFT jumps (90 to 100 %)":                                           "EFT jumps from 65 to over 90 % of capacity when half of the leaves are full in the paper, and stays at 56 % here.",
	"fig8: dummy nodes work where leaves are full: EFT at 18:9 more than at 17:9 (5 to 100 %)":                   "EFT gives much more as soon as some leaves are full in the paper; 18 nodes a leaf give no more than 17 here.",
	"fig9: 3456 ports, 12:1: EFT (62.3 to 66.3 %)":                                                               "With full even leaves on 3,456 ports EFT gives 64 % of capacity in the paper, and 57 % here.",
	"table3: 648-port fat-tree with rack switches: BEFT takes as many times as long as EFT (4.36 to 14.4 times)": "OpenSM's BEFT takes 7.7 times as long as its EFT on the fabric with racks; weft's takes as long as its EFT.",
}

// plainIII explains the largest differences of each table and figure of Paper III in plain words.
var plainIII = map[string]string{
	"table4: JuRoPA-like supercomputer: switch-to-switch routing adds (32.76 to 42.76 %)":               "Routing between switches adds 38 % to the time of fat-tree routing on the JuRoPA-like system in the paper, and a third of that here.",
	"table4: 3456-port fat-tree switch: LASH takes as many times as long as sFtree (72.2 to 286 times)": "OpenSM's LASH takes 143 times as long as sFtree on 3,456 ports; weft's LASH takes less time than it.",
	"fig2: all four stand still": "The four pairs of figure 2 stop each other in the paper; here they do only with two nodes on each switch.",
	"fig6: 4 switches, tables edited by hand: deadlock when the last stream closes the loop": "Four switches in a ring stand still when the last stream begins in the paper; here they do only with two nodes on each switch.",
	"lanes: fat3456: lanes of LASH": "LASH needs 6 lanes on 3,456 ports in the paper, and 3 here.",
	"lanes: juropa: lanes of LASH":  "LASH needs 8 lanes on JUROPA in the paper, and 4 here.",
	"fig7: with nodes on a lane of their own, switches at full load: a node (62 to 66 %)":                   "With nodes on a lane of their own, switches at full load leave nodes 64 % of their links in the paper, and 88 % here.",
	"table3: fat648: minhop (64.98 to 68.98 %)":                                                             "On 648 ports minhop gives 67 % and sFtree 92 % in the paper; here minhop, DFSSSP and sFtree all give 87 %.",
	"table3: fat648: sFtree gives more than the best of the others (0.5 to 100 %)":                          "On 648 ports sFtree is ahead of all others in the paper; here minhop and DFSSSP give the same.",
	"table3: sFtree does not lose on the more complex tree, its loss (-100 to 0.5 %)":                       "With racks sFtree gives as much as without in the paper, and 13 points less here.",
	"table1: all on VL 0: bandwidth of the natural ring, switches silent, by the printed one (98 to 102 %)": "The natural ring gets 1,489 MB/s on the machine, and 7 % more here.",
	"table1: nodes on VL 1: latency of the natural ring rises (0.524 to 2.096 %)":                           "Traffic of switches on another lane raises the latency of the natural ring by 1 % in the paper, and by nothing here.",
}

// plainIV explains the largest differences of Paper IV in plain words.
var plainIV = map[string]string{
	"fig4: fewer than 259 failed links, each number: fat-tree routing is not behind DFSSSP (by more than 0.5 points)":   "DFSSSP is ahead of fat-tree routing only with 259 failed links in the paper. Here it is ahead with fewer too.",
	"fig2: fewer than 34 failed links, each number: fat-tree routing is not behind DFSSSP (by more than 0.5 points)":    firstLink,
	"fig2: 80 failed links: fat-tree routing loses (33 to 37 %)":                                                        firstLink,
	"fig3: MinHop gives more with 2 and with 3 failed switches than with one (by more than 0.5 points)":                 "MinHop recovers when a second and a third switch fail in the paper, and does not here.",
	"anomaly: 2 and 3 failed switches, each: MinHop balances, upward ports unused (0 to 1 %)":                           "With two and three failed switches MinHop leaves no upward port unused in the paper, and a tenth of them here.",
	"anomaly: MinHop: trees with 0 to 7 failed switches on which paths between nodes close a credit loop (50 to 100 %)": "MinHop usually leads to credit loops in the paper. Here its paths between nodes go up and then down on these trees, and close no loop.",
}

// firstLink describes the cost of a failed link; TestPlainWords compares it with the results.
const firstLink = "Failed links cost fat-tree routing more here than in the paper. The first one alone costs about half of its throughput: one cable then carries packets for two hosts, and all wait for it. So DFSSSP is ahead from the first failure on. In the paper it is ahead from the 34th."

// threeStages describes the gain of recursive doubling by mFtree on trees of three stages.
const threeStages = "With mFtree, recursive doubling on the three trees of three stages gains 2 to 8 % in the paper, and loses 11 to 22 % here"

// plainVI explains the largest differences of Paper VI in plain words, at least one for each
// artefact.
var plainVI = map[string]string{
	"fig4: over384: mFtree against ftree (-0.5 to 0.5 %)":                                       "Uniform traffic on the oversubscribed tree gets the same by both in the paper, and a percent more by mFtree here.",
	"fig5: fat648: mFtree against ftree (-9 to -2.25 %)":                                        "Shifts on 648 ports lose 4.5 % by mFtree in the paper, and nothing here.",
	"fig6: over384: mFtree against ftree (47.6 to 57.6 %)":                                      threeStages + "; on the oversubscribed tree of 384 ports it gains half in the paper, and nothing here.",
	"fig6: racks648: mFtree against ftree (1 to 4 %)":                                           threeStages + ".",
	"table1: 2-stage 648-port: minhop takes as many times as long as ftree (39.6 to 156 times)": "OpenSM's MinHop takes 78 times as long as ftree on 648 ports; weft's takes less time than it.",
}
