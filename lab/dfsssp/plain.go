package dfsssp

// plainWords explains the largest differences of each artefact in plain words.
var plainWords = map[string]string{
	"heuristics: lanes of the weakest edge lie in the printed range": "On random networks the weakest-edge heuristic needs 5 or 6 lanes here, and 3 to 5 in the paper.",

	"layering: 4,096 nodes: the online algorithm takes about 42 times as long as the offline one (21 to 84)": "The online algorithm searches the whole graph for each path. It takes at least 500 times as long as the offline one here, and 42 times in the paper.",

	"fig4: Ranger: DFSSSP against the best of the others (58.27 to 68.27 %)": "On Ranger DFSSSP has 63 % more bandwidth than the best of the others in the paper, and as much as it here.",

	"fig5: XGFT: LASH falls at every step from 64 endpoints to the largest":                                                      "The bandwidth of LASH on fat-trees falls with every size in the paper, and mostly grows here.",
	"fig5: XGFT, height 2: DFSSSP is slightly above MinHop (0.5 to 10 %), and at 1,024 endpoints about twice (50 to 200 % more)": "On the fat-tree of 1,024 endpoints DFSSSP has twice the bandwidth of MinHop in the paper, and 2 % more here.",

	"fig6: Kautz: all engines are similar (each at least 0.8 of the best)": "On Kautz graphs all engines are similar in the paper; here Up*/Down* has a third less than the best.",

	"fig7: offline DFSSSP takes about 10 times as long as MinHop (5 to 20), k-ary n-trees": "DFSSSP takes 10 times as long as MinHop on k-ary n-trees in the paper, and 20 to 62 times here, whose MinHop is quick.",
	"fig8: offline DFSSSP takes about 10 times as long as MinHop (5 to 20), real systems":  "DFSSSP takes 10 times as long as MinHop on the real systems in the paper, and 15 to 44 times here, whose MinHop is quick.",

	"fig9: the average numbers of lanes cross at about 200 links (170 to 230)":        "LASH begins to need fewer lanes than DFSSSP at 200 links in the paper, and at nearly 300 here.",
	"fig9: LASH needs fewer lanes on denser networks (3 in 4 points above 220 links)": "LASH needs fewer lanes than DFSSSP from 200 links on in the paper, and only from nearly 300 here.",

	"fig10: Odin: DFSSSP needs fewer lanes than LASH":    "DFSSSP needs fewer lanes than LASH on all systems in the paper; on Odin, a pure fat-tree, both need one here.",
	"fig10: Tsubame: DFSSSP needs fewer lanes than LASH": "DFSSSP needs fewer lanes than LASH on all systems in the paper; on Tsubame it needs one more here.",
	"fig10: Deimos: DFSSSP needs fewer lanes than LASH":  "DFSSSP needs fewer lanes than LASH on all systems in the paper; on Deimos it needs four more here.",

	"fig12: Netgauge: DFSSSP's gain over MinHop grows with the cores":                                                               "DFSSSP's gain over MinHop on Deimos grows with the cores from 27 to 100 % on the machine; here it is 4 to 10 %, whatever the cores.",
	"fig12: Netgauge: DFSSSP is ahead by about the same at 128, 256 and 512 cores (52 to 99 MiB/s a pair)":                          "DFSSSP gives a pair 70 to 79 MiB/s more than MinHop on the machine, and about half as much more here.",
	"fig12: Netgauge: MinHop and DFSSSP give a pair the bandwidth that follows from the printed gains and gap (0.75 to 1.25 times)": "A pair has two to five times as much bandwidth here as the printed gains and gap leave it on the machine.",
	"fig12: Netgauge, 512 cores: DFSSSP ahead of MinHop (95 to 105 %)":                                                              "On 512 cores DFSSSP doubles the bandwidth of MinHop on the machine, and has a tenth more here.",
	"fig12: Netgauge: LASH gets less than MinHop with 128, 256 and 512 cores (-100 to 0 %)":                                         "LASH is not expected to have high bandwidths on Deimos by the paper; here it has as much as MinHop or more.",
	"fig13: all-to-all of 4,096 floats: MinHop takes longer than DFSSSP by (82.67 to 92.67 %)":                                      "The all-to-all of 128 processes takes nearly twice as long with MinHop as with DFSSSP on the machine, and as long as with it here.",
	"fig16: FT, 128 cores: DFSSSP about 25 % ahead (whole benchmark: 20 to 30 %)":                                                   "FT on 128 cores gains a quarter by DFSSSP on the machine, and nothing here.",
	"fig16: FT, 256 cores: DFSSSP about 25 % ahead (whole benchmark: 20 to 30 %)":                                                   "FT on 256 cores gains a quarter by DFSSSP on the machine, and nothing here.",
	"table2: BT and SP (one simulation) on 1,024 cores: DFSSSP ahead":                                                               "BT on 1,024 cores takes twice as long with MinHop as with DFSSSP on the machine, and as long as with it here.",
	"table2: FT on 1,024 cores: DFSSSP ahead":                                                                                       "FT on 1,024 cores takes nearly twice as long with MinHop as with DFSSSP on the machine, and as long as with it here by the letter.",
	"table2: LU on 1,024 cores: DFSSSP ahead":                                                                                       "LU on 1,024 cores takes nearly twice as long with MinHop as with DFSSSP on the machine, and as long as with it here.",
}
