package fattree

import "weft/lab"

// decisionsI say what decides the differences from Paper I.
var decisionsI = []lab.Decision{
	{Artefact: "fig4", By: lab.TheData, Tried: "With half of the nodes, spread evenly, each root leads down to as many of them as before, so a node gets the same. Tried: counting missing ports in one sequence, and measuring the first millisecond."},
	{Artefact: "fig5", By: lab.TheText, Tried: "Read literally, EFT sends the packets of a whole rack for a node over the first uplink that leads there, and counts nothing: BEFT gains 42 to 65 %. In the form of OpenSM 3.3.5, which made the paper's tables, BEFT gains -3.6 to 0.0 %. The printed gain of up to 6 %, always in favour of BEFT, lies between the two, and neither gives it. Tried too: counting in one sequence (-12 to 0 %), BEFT without -Z, and the first millisecond."},
	{Artefact: "fig7", By: lab.TheData, Tried: "Half full racks of this fabric leave EFT nothing to balance: the same share of each leaf is missing, so both engines use every link equally. A sequence of missing ports over all leaves gives 3 %, and then 19 % for 23:1, where 5 % is printed. Tried too: OpenSM 3.3.5's form and BEFT without -Z, which change nothing."},
	{Artefact: "ranger", By: lab.TheText, Tried: "As for Fig. 5: the literal EFT gains 39 to 52 % for BEFT, and OpenSM 3.3.5's form 1 to 17 %, where 1 to 2 % are printed. Only the full fabric comes near it, with 1.0 %. Tried too: counting in one sequence, and BEFT without -Z."},
	{Artefact: "table2", Of: "least of random rings", By: lab.OurModel, Tried: "The least of 30 rings is an extreme value of one draw of the paper. Ours is the mean of such extremes over the seed blocks, with rings that exchange without software between messages. Tried: the three other forms of EFT and BEFT; they change the gain, and not this level."},
	{Artefact: "table2", Of: "fat648", By: lab.OurModel, Tried: "A level is two or three points off, or a gain eight: the mean over nodes of a ring depends on how the benchmark times its messages. Tried: counting in one sequence, which takes the whole gain away."},
	{Artefact: "table2", Of: "racks648", By: lab.TheText, Tried: "As for Fig. 5: the literal EFT loses half of its bandwidth on racks, and OpenSM 3.3.5's form nothing (-2 to 3 %), where gains of 3 to 10 % are printed. Levels of BEFT are up to seven points off, however EFT is read."},
	{Artefact: "fig8", Of: "lowest at 13:1", By: lab.TheText, Tried: "The lowest is within 3 % of 13:1. From empty buffers on 13:1 is the lowest; the text does not say when it measures."},
	{Artefact: "fig8", By: lab.TheText, Tried: "Dummy nodes here belong to the leaf that lacks them, so a full leaf changes nothing for the others. Where OpenSM 3.3.5 put them the text does not say; with all in one sequence EFT gives over 90 % at 5:1 and 13:1, and 56 % at 18:1, so it does not jump either."},
	{Artefact: "fig9", By: lab.TheText, Tried: "Settled it is 57 %, in the first half millisecond from empty buffers 69 %, and 64 % is printed: the text does not say when it measures."},
	{Artefact: "table3", By: lab.OurModel, Tried: "OpenSM's seconds hold its own loops and data structures, and weft's hold weft's: BEFT is one more comparison here. Nothing else was tried."},
}

// decisionsIII say what decides the differences from Paper III.
var decisionsIII = []lab.Decision{
	{Artefact: "table1", Of: "latency", By: lab.OurModel, Tried: "A change of one percent is a few nanoseconds of the machine's arbiters. Here lanes take turns packet by packet, and switches offer an eighth of a link, so they cost a node on another lane nothing. Tried: other buffers, one queue a buffer, and the oldest packet first."},
	{Artefact: "table1", Of: "changes no bandwidth", By: lab.TheData, Tried: "Ours is at the printed largest change, 0.4 for 0.468 %, and its interval crosses that. More blocks would decide."},
	{Artefact: "table1", By: lab.OurModel, Tried: "Software and PCIe hold hosts of the machine back by 6 to 7 % of what its links carry, and here nothing does."},
	{Artefact: "table3", Of: "LASH", By: lab.TheText, Tried: "1.0 for 0.8 %: LASH takes the first path, and which is first depends on the cabling of racks, which the text does not give. With cables one by one it is 0.3 %."},
	{Artefact: "table3", Of: "fat648", By: lab.TheText, Tried: "On two stages all engines that use every root evenly get the same here. The paper's minhop must have been unbalanced: with LIDs at random it gives 50 %, in order of leaves 87 %, and 67 % is printed; the text does not say how LIDs were assigned. Up*/Down* depends on its root, which the text does not name. So sFtree is ahead of none."},
	{Artefact: "table3", By: lab.TheText, Tried: "With racks everything depends on buffers, on the load of switches and on the cabling, and the text gives none of them. SFtree gets 91 % with silent switches, 90 % with 24 KB of buffer, 64 % with cables one by one, and 73 % as the text has it; 93 % is printed. No reading gives all five engines."},
	{Artefact: "fig7", By: lab.TheText, Tried: "Lanes take turns, and a lane without packets leaves its turn to the other: nodes keep 88 %. The text does not describe the buffers. One queue a buffer gives the printed 64 %, and then costs 27 % on a single lane, where 1 % is printed."},
	{Artefact: "lanes", By: lab.TheText, Tried: "LASH takes pairs in an order that the paper does not give, and a greedy order changes the number of lanes. Tried: GUIDs from the roots down (3 and 4), shuffled (4 and 5), equal ways spread (3 and 6); 6 and 8 are printed, the 8 not from a run (section 7.3)."},
	{Artefact: "table4", By: lab.OurModel, Tried: "OpenSM's seconds are of its own code, and weft's of weft's: here LASH is faster than sFtree. Nothing else was tried."},
}

// decisionsIV say what decides the differences from Paper IV.
var decisionsIV = []lab.Decision{
	{Artefact: "anomaly", Of: "credit loop", By: lab.TheText, Tried: "Shortest paths between nodes of these trees go up and then down, so no two of them close a loop. Paths to switches do, and the text may mean them; it does not say. Tried: three orders of LIDs."},
	{Artefact: "anomaly", By: lab.TheText, Tried: "Which ports MinHop leaves unused depends on the order of LIDs, which the text does not give. By leaf a quarter to a twentieth is unused with any number of failed switches, in turn and at random none. The paper has both on one page: a quarter with 0 and 1 failed switches, none with 2 and 3. No order gives both."},
	{Artefact: "fig2", Of: "root costs more", By: lab.TheText, Tried: "A failed link halves the throughput wherever it is: its packets move to one cable that then carries packets for two hosts, and in a full network everything waits for that cable. With the first way from racks both cost the same."},
	{Artefact: "fig2", Of: "LASH stays", By: lab.TheText, Tried: "LASH gets 1.4 % of the capacity, so tenths of a point are a tenth of it. Tried: three orders of LIDs, and the first half millisecond."},
	{Artefact: "fig2", By: lab.TheText, Tried: "One failed link halves uniform throughput here. `weft simulate packet 'racks648|fail(link=leaf 0[1])' -e ftree,balance=zahavi` names the reason: one cable, always in use, has packets from 624 hosts to two. Traffic without pause waits for it with full buffers everywhere. The text gives neither buffers nor times: from empty buffers on 63 and 71 % are left, and 80 links cost 44 %, where 35 % are printed. Tried too: the first way from racks, which begins lower and loses 27 %."},
	{Artefact: "fig3", By: lab.TheText, Tried: "MinHop's spike with 2 and 3 failed switches follows from the order of LIDs, which the text does not give: with LIDs at random 2 are above 1 in the first block, and not above 4. No order gives both."},
	{Artefact: "fig4", Of: "MinHop", By: lab.TheData, Tried: "From 24 to 34 failed links it rises by less than its interval. Each number has its own draw of failed links, and the paper has one draw of each."},
	{Artefact: "fig4", Of: "LASH", By: lab.TheData, Tried: "LASH gets one percent of the capacity with any number of failed links; the paper's fall is below what its chart can show."},
	{Artefact: "fig4", By: lab.TheText, Tried: "DFSSSP is ahead by 1.8 points with 194 links already, not only with 259. Failed links are drawn, and the text does not say how often."},
	{Artefact: "fig5", Of: "DFSSSP", By: lab.TheData, Tried: "DFSSSP is 0.4 ± 0.2 points ahead with seven failed switches, and half a point is the limit. More blocks would decide."},
	{Artefact: "fig5", By: lab.TheText, Tried: "As for Fig. 3: the spike follows from the order of LIDs. By leaf, in turn and at random were tried."},
}

// decisionsVI say what decides the differences from Paper VI.
var decisionsVI = []lab.Decision{
	{Artefact: "fig4", By: lab.OurModel, Tried: "0.9 % on the oversubscribed tree. Leaves of 42 ports are our guess, since the printed ratio fits no leaf of 36; with messages of 16 KB both engines are equal."},
	{Artefact: "fig5", Of: "fat648", By: lab.TheText, Tried: "On two stages with as many roots as ports a leaf, both engines give each port of a leaf a root of its own, and no pattern can tell them apart. The loss of 4.5 % must come from the order of ports or from times of which the text says nothing. Tried: nodes in order, messages of 16 KB, one queue, and the rules for the links up left out; none changes it by more than 0.5 %."},
	{Artefact: "fig5", By: lab.TheText, Tried: "Gains of 0.8 to 1.8 % follow from the links up, for which no rule is printed. With our two rules there is no gain, without them a loss of 62 to 72 %, and with EFT's first way a gain of 4 to 9 %. Messages of 16 KB give the printed gain on two of three trees, by chance: on the third they lose 1.3 %."},
	{Artefact: "fig6", Of: "fat648", By: lab.TheText, Tried: "As in Fig. 5 the two engines give the same numbers of paths on two stages, and recursive doubling gets the same within 0.1 %. The paper's explanation, that both ports of a node use one spine, holds for its classic routing and ours; but the packets of the two ports come from two leaves over two cables, and leave by two. Tried: four readings, and the tables of OpenSM 3.3.23's ftree."},
	{Artefact: "fig6", Of: "over384", By: lab.TheText, Tried: "As for 648 ports; leaves of 42 ports are our guess. Tried: four readings, all from -1.5 to 0.3 %."},
	{Artefact: "fig6", By: lab.TheText, Tried: "The links up decide, for which no rule is printed. With our two rules mFtree loses 11 to 22 %, with algorithms 2 to 4 alone 36 to 54 %, and against an EFT that takes the first way it gains 2 to 9 %: that is nearest to the printed 2 to 8 %. Then uniform traffic gains 6 to 9 % too, where the paper has equal bars."},
	{Artefact: "table1", By: lab.OurModel, Tried: "OpenSM's seconds are of its own code, and weft's of weft's: here MinHop is the fastest. Nothing else was tried."},
}
