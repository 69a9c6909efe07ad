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
// leaf instead. In a whole tree the same paths are legal between leaves: what lies
// between two leaves is nearer to a third one than they are, or is that leaf's own
// way up. But now every two switches have a legal path, all through the ancestors of
// that leaf, and as there is a single order one lane is enough, also in degraded
// trees. This takes the place of the subtree of paper III, which lets packets turn
// up again inside a subtree; its lemma 5.9 fails on degraded trees. That scheme is
// switches=sftree.
//
// # The balance
//
// For every switch and destination the next hops on shortest legal paths are known
// from two sweeps over bit sets (reach). Option balance chooses among them:
//
//   - closed, the default: the t-th end port takes candidate t/p mod n of n, with p
//     the product of the candidates that the levels below had; its parallel links
//     take the next digit. End ports are counted leaf by leaf, pod by pod, without
//     the ones that are not there, so that any n consecutive ones share nothing. On
//     whole trees this is the d-mod-k of Zahavi on the ports in use, on degraded ones
//     that of Gliksberg et al. ("High-Quality Fault Resiliency in Fat Trees", arXiv
//     2211.13101), of which only the published idea is used.
//   - dmodk: the same with the ports that are not there counted.
//   - zahavi: the classic order, with dummy end ports; it counts the paths on the
//     links that lead down to a switch.
//   - beft (paper I): counts those of the switch above as well.
//
// # Cost
//
// O(channels x switches/64) for the sweeps and O(switches x LIDs) to write the
// tables, both in parallel over the switches; zahavi and beft
// O(LIDs x channels), one LID after the other.
package ftree
