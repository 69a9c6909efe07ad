package naming

// plainLID explains the largest differences of paper 000 in plain words.
var plainLID = map[string]string{
	"table4: every row: the optimum is less than 3 % better than color/L":              "The optimum is less than 3 % better than color/L in the paper. By the letter of the paper it is up to 15 % better here; with the readings of the set it is less than 3 %.",
	"table2: 512/16: LIDs of the five heuristics within 10 %":                          "With path selection 512 machines on 16 switches take some 1,800 LIDs in the paper. The text leaves open which path on the most loaded link path selection removes, and how long candidates may be: drawn by lot from candidates of any length they take more than seven times as many here, from equally short ones 1.8 times, and 0.9 to 1.2 times with the longest removed first.",
	"table6: 256 and 512 machines, every row: separate needs fewer LIDs than renaming": "With many machines separate needs fewer LIDs than renaming in the paper. The text leaves open which path on the most loaded link path selection removes, and how long candidates may be: drawn by lot from candidates of any length it needs up to three times as many here, and fewer with the longest removed first.",
	"table6: 512/64: separate needs so many fewer LIDs than renaming":                  "With 512 machines on 64 switches separate needs a quarter fewer LIDs than renaming in the paper. The text leaves open which path on the most loaded link path selection removes, and how long candidates may be: drawn by lot from candidates of any length it needs more than twice as many here, and a quarter fewer with the longest removed first.",
	"table6: 512/64: SRD's maximum load is above separate's":                           "With 512 machines on 64 switches the most loaded link of SRD carries a fifth more than that of separate in the paper. With paths removed by lot it carries less here, and a third more with the longest removed first: the text leaves it open.",
	"table4: 192/16: optimum, greedy and color/L within 10 %":                          "With path selection 192 machines on 16 switches take some 600 LIDs in the paper, and five times as many here if the paths removed are drawn by lot, which the text leaves open; with the longest removed first a fifth more.",
	"table5: 192/64 path-selection, all: greedy and color/L within 10 %":               "With path selection 192 machines on 64 switches take some 800 LIDs by greedy and color/L in the paper's Table V, and three times as many here if the paths removed are drawn by lot, which the text leaves open.",
}

// plainRenaming explains the largest differences of paper 002 in plain words.
var plainRenaming = map[string]string{
	"table6: 64 switches, 8 links, updn-shortest: mean within 10 %":                                               "Of the entries of forwarding tables on 64 switches with 8 links each 8 % have conflicts in the paper. By its letter four times as many have them here; with the readings of the set 8 % have.",
	"table6: 64 switches, 3 links, updn-shortest: mean within 10 %":                                               "Of the entries of forwarding tables on 64 switches with 3 links each 1.3 % have conflicts in the paper, and 7 % here.",
	"table4: 32 switches, 4 links, smart: new entries within 10 %":                                                "Renaming adds 1,294 entries to the tables of smart routing in the paper, and little more than half as many here.",
	"table4: random tables grow more in proportion than linear ones, by the renamings a host (points, every row)": "With the same number of renamings random forwarding tables grow more than linear ones in the paper. If every renaming is an entry of each linear table, which the text does not say, the paper's Tables 4 and 5 give the reverse, and so do ours.",
	"table6: 32 switches, 4 links, smart: mean within 10 %":                                                       "Of the entries of smart routing 1.9 % have conflicts in the paper, and more than twice as many here.",
	"table5: no host of ten networks needs more than 7 renamings (any row)":                                       "No host of the paper's ten networks needs more than 7 renamings. In 6 of our 16 samples of ten networks one host does, in the first one 9.",
}
