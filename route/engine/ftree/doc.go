// Package ftree routes fat-trees, whole and degraded. It combines what papers I to
// IV and VI of Bogdanski's thesis (paper 004) propose apart; each part is an option.
//
// # The tree
//
// Leaves are the switches with hosts, and a switch is as high as it is far from
// them (recognise). Missing links and switches, hosts on higher switches, links
// between switches of one level and several cores under one level of rack switches
// are all accepted; option strict refuses what is not regular, as the old rule did.
//
// # The order
//
// A path is legal when it goes up in an order of the switches and then down. The
// obvious order is height (option switches=none): then no path joins two roots.
// Option switches=all, the default, orders the switches by their distance from one
// leaf, or by height with the roots joined over one leaf, whichever forbids fewer of
// the turns that are legal by height (rankToJoin). In a whole tree it forbids none, so
// hosts are routed as by height; but every two switches have a legal path, and as
// there is a single order one lane is enough, also in degraded trees. This takes the
// place of the subtree of paper III, in which packets turn up again; its lemma 5.9
// fails on degraded trees. That scheme is switches=sftree, and refuses those.
//
// A table does not know whether a packet has come up or down. So where one switch
// leads down to another, that one must lead on down; all others use every shortest
// legal path (block). A link between two switches of one level ends the path of what
// passes it where both have ways up of their own (mates). Taking the way down wherever there is one, as up*/down* routing
// does, would leave most links of a joined leaf dark.
//
// # The balance
//
// For every switch and destination the next hops on shortest legal paths are known
// from two sweeps over bit sets (reach). Option balance chooses among them:
//
//   - auto, the default: closed on regular trees; on others closed or load, whichever
//     loads its most loaded link less by a clear margin (worse).
//   - closed: the t-th end port takes candidate t/p mod n of n, with p
//     the product of the candidates that the levels below had; its parallel links
//     count as candidates after the first of each. End ports are counted leaf by leaf,
//     pod by pod, without the ones that are not there, so that any n consecutive ones
//     share nothing. On whole trees this is the d-mod-k of Zahavi on the ports in use,
//     on degraded ones that of Gliksberg et al. ("High-Quality Fault Resiliency in Fat
//     Trees", arXiv 2211.13101), of which only the published idea is used. With LMC the
//     LIDs of a host are consecutive t, so they take different paths, as the
//     multiple-LID scheme for m-port n-trees has it (Lin, Chung, Huang 2004).
//   - load: each switch takes the way on which the paths before it put the least load,
//     over all its hops: for trees of several cores or grown without a plan.
//   - dmodk: closed, with the ports that are not there counted.
//   - zahavi: the classic order, with dummy end ports; it counts the paths on the
//     links that lead down to a switch.
//   - beft (paper I): counts those of the switch above as well.
//
// # Cost
//
// O(channels x switches/64) for the sweeps, in parallel over blocks of targets, and
// O(switches x LIDs) to write the tables, in parallel over the switches; load, zahavi
// and beft O(LIDs x channels), one LID after the other.
//
// # What it does not do
//
// On trees with a tenth or more of the links up gone, the order that joins all switches
// may forbid turns that hosts could use: the most loaded channel then carries up to
// three times the paths of switches=none, and some paths are longer.
package ftree
