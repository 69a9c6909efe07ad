// Package ftree routes fat-trees, whole and degraded. It combines what papers I to
// IV and VI of Bogdanski's thesis (paper 004) propose apart; each part is an option.
//
// # Steps
//
// Route takes these steps, in this order:
//
//  1. fattree.Recognise finds the level of every switch and collects the links between two
//     switches in bundles. Its NotATree and Irregular refuse.
//  2. orderLIDs (lidorder.go) numbers all LIDs, leaf by leaf and pod by pod. With
//     multihomed=mftree separateByIndex (multihomed.go) swaps the numbers of hosts of a leaf.
//  3. orders (ftree.go) chooses the up*/down* order of the switches, and joiningOrder
//     (order.go) the one that joins all switches.
//  4. newReachability (reachability.go) finds all shortest legal paths by sweeps over bit sets;
//     nextHops (nexthops.go) lists the bundles with which those to one target begin.
//  5. balanced (ftree.go) chooses among these paths and fills the tables: closedForm
//     (closed.go, blocks.go); where the levels are not uniform by that of the tree without
//     damage (fattree.Whole), and then rebalance (rebalance.go, loads.go) by load, and in trees of up to
//     about 1,500 hosts evenShifts (shifts.go).
//  6. joinSwitches (join.go, join_search.go) gives the switches that still have no path one.
//  7. assign (lanes.go) fills in SLs and VLs where there are several lanes.
//
// Files paper_*.go hold forms that only the papers' figures need: the balances zahavi, opensm-3.3.5, eft and
// beft (paper_greedy.go), and switches=sftree (paper_subtree.go).
//
// # Levels
//
// As package fattree finds them. Option strict refuses trees that are not regular. Options name
// roots and leaves where inference fails.
//
// # Legal paths
//
// A path is legal when it goes up in an order of the switches and then down. The obvious
// order is by level (option switches=none): then no path joins two roots. Option
// switches=all, the default, joins all switches as well, in an order from one leaf, or by
// level with the highest switches joined over one leaf. On a regular tree such an order
// forbids nothing that is legal by level, and is used alone. On others hosts are routed by
// level, and a switch without such a path follows the other order until it meets a path that is
// legal in both: so joining costs the hosts nothing. All paths share one lane unless that
// closes a cycle; then those that are not by level take a second one, and with a single lane
// allowed the joining order is used alone. This takes the place of the subtree of paper III,
// in which packets turn up again; its lemma 5.9 fails on degraded trees. That scheme is
// switches=sftree, refused where it closes a cycle.
//
// A table does not know whether a packet has come up or down. So where one switch leads down
// to another, that one must lead on down; all others use every shortest legal path. A
// horizontal link between switches that both have links up ends the path of what passes it
// (endingLinks). Between partners, two leaves under different switches, such a link is the first one
// of a path instead (partners): then the links down to a leaf carry packets to its own hosts
// alone. Balances other than auto keep it the last one. Taking the way down wherever there is one, as up*/down* routing does,
// would leave most links of a joined leaf dark.
//
// # Balance
//
// Option balance chooses among the shortest legal paths:
//
//   - auto, the default: closed. Where the switches of a level differ, a LID of a host keeps the way that
//     closed would give it in the tree without damage, as far as that is left (fattree.Whole): so
//     hosts next to each other still take different links, which all-to-all by shifts lives on.
//     What is missing is chosen by load (rebalance), in a few sweeps; so is all else where
//     that gains something, where no whole tree is recognised, and where two ways up from a leaf meet below the
//     roots. Each LID in its turn takes the paths on which the paths to all others put the least
//     load. What comes for one host does not burden it twice: its rate limits that
//     anyway. So a LID gets one main way down, which as few others share as possible, however
//     the tree is damaged, and packets of different hosts seldom meet on their way down. Slow links
//     among fast ones count more; one of a fifth of the speed is left to others. Then the packets
//     of all rounds of all-to-all by shifts are counted, and paths leave the links on which most of
//     a round meet, as long as that adds little load (evenShifts).
//   - closed: the LID of index t takes candidate t/p mod n of n, with p the product of the
//     candidates that the levels below had; the parallel links of a bundle count as
//     candidates after the first of each. Indexes count end ports leaf by leaf, pod by pod,
//     without the ones that do not exist, so that any n consecutive ones share nothing. On
//     whole trees this is the d-mod-k of Zahavi on the ports in use, on degraded ones that of
//     Gliksberg et al. ("High-Quality Fault Resiliency in Fat Trees", arXiv 2211.13101), of
//     which only the published idea is used.
//   - dmodk: closed, with the ports that do not exist counted.
//   - zahavi: the classic order, with dummy end ports; it counts the paths on the links
//     that lead down to a switch.
//   - opensm-3.3.5: zahavi, but a dummy counts on the first link of its path only: so did OpenSM
//     3.3.5, which paper I used. OpenSM 3.3.23 counts it on all of them. Of links with as many paths the first is taken
//     here, and there that to the switch whose least used link down has the fewest, then to that with the lowest GUID.
//   - eft: zahavi, but where several ways lead to the main path down, a switch takes the first, as
//     paper I (II-A) says of OpenSM 3.3.5. By their code 3.3.5 and 3.3.23 spread them as zahavi does.
//   - beft (paper I): counts those of the switch above as well, and sends rack switches for one
//     destination over as few switches as it can (its option -Z). beft-regular is without that.
//
// With LMC the base LIDs go the paths that they go with one LID a port, so that traffic to
// them alone is as balanced. The index of base + k is k more than that of the base LID: the
// LIDs of a port take different paths, as in the multiple-LID scheme for m-port n-trees
// (Lin, Chung, Huang 2004), and those of one k are balanced as the base LIDs are. Paths are
// moved for the base LIDs first, then for the others with the base LIDs' loads counted in.
// zahavi and beft take the LIDs of a port one after the other.
//
// # Several ports a host
//
// With multihomed=mftree the paths to the ports of one node share no switch, if that can be.
// Zahavi and beft do it as paper VI: a port avoids the switches of the one before it. In
// closed form the hosts of a leaf swap indexes, which changes no load; where paths are chosen by
// load, a path shares as few switches with those to the other ports as it can before anything
// else. On some degraded trees a few pairs in ten thousand still share one though they need not:
// the judge reports them. With multihomed=standby the first port of every node is balanced by itself, as
// the one that is in use.
//
// # Cost
//
// O(channels x switches/64) for the sweeps, in parallel over blocks of targets, and
// O(switches x LIDs) to write the tables, in parallel over the switches; zahavi, beft and each
// of at most four sweeps of rebalance O(LIDs x channels), one LID after the other. Rebalance takes a
// byte by LID of a host and switch for the tables by LID, and 4 bytes a pair of switches for the
// hops by target. The sweeps of evenShifts take O(pairs of hosts x hops) and more where paths could move,
// and 2 bytes by host and link, 16 MB at most.
package ftree
