// Package ftree routes fat-trees, whole and degraded. It combines what papers I to
// IV and VI of Bogdanski's thesis (paper 004) propose apart; each part is an option.
//
// # The tree
//
// Leaves are the switches with hosts, and a switch is as high as it is far from
// them (recognise). Missing links and switches, hosts on higher switches, links
// between switches of one level and several cores under one level of rack switches
// are all accepted; option strict refuses what is not regular, as the old rule did.
// Where the roles of roots or leaves are given, by options or by the fabric, they decide:
// that helps where a leaf without hosts seems to be two levels too high, and its
// neighbours do not tell either (the flipping switch of paper IV). With roots given,
// all must be, since levels are counted down from them.
//
// Recognise says what was found, apart from routing: with the formula of a PGFT where one
// fits to the last link (formula), else with what is missing from it (gaps).
//
// # The order
//
// A path is legal when it goes up in an order of the switches and then down. The
// obvious order is height (option switches=none): then no path joins two roots. Option
// switches=all, the default, joins all switches as well, by an order from one leaf or by
// height with all that is highest joined over one leaf (rankToJoin). On a regular tree
// such an order forbids nothing that is legal by height, and is used alone. On others
// hosts are routed by height, and what has no such path goes on by the other order until
// it meets a path that is legal in both (joiner): so joining costs the hosts nothing. All is
// on one lane unless that closes a cycle; then what is not by height is on a second one,
// and with a single lane allowed the second order is used alone. This takes the place
// of the subtree of paper III, in which packets turn up again; its lemma 5.9 fails on
// degraded trees. That scheme is switches=sftree, refused where it closes a cycle.
//
// A table does not know whether a packet has come up or down. So where one switch
// leads down to another, that one must lead on down; all others use every shortest
// legal path (block). A link between two switches of one level ends the path of what
// passes it where both have ways up of their own (mates). Taking the way down wherever
// there is one, as up*/down* routing does, would leave most links of a joined leaf dark.
//
// # The balance
//
// For every switch and destination the next hops on shortest legal paths are known
// from two sweeps over bit sets (reach). Option balance chooses among them:
//
//   - auto, the default: closed; where the switches of a level differ, paths are then moved
//     off the most loaded links, as long as that helps (ease).
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
//     over all its hops; then as auto does: for trees of several cores or grown without
//     a plan.
//   - dmodk: closed, with the ports that are not there counted.
//   - zahavi: the classic order, with dummy end ports; it counts the paths on the
//     links that lead down to a switch.
//   - beft (paper I): counts those of the switch above as well.
//
// # Several ports a host
//
// With multihomed=mftree the paths to the ports of one node share no switch, if that can
// be. Zahavi and beft do it as paper VI: a port avoids the switches of the one before it. In
// closed form the hosts of a leaf trade turns (partHomes), which changes no load; where
// no formula fits, paths that still meet are led apart (part), and stay so when links are
// eased. On some degraded trees a few pairs in ten thousand still meet though they need not:
// the judge reports them. With multihomed=standby the first port of every node is
// balanced by itself, as the one that is in use.
//
// # Cost
//
// O(channels x switches/64) for the sweeps, in parallel over blocks of targets, and
// O(switches x LIDs) to write the tables, in parallel over the switches; load, zahavi
// and beft O(LIDs x channels), one LID after the other; evening out the same a sweep, some
// targets at a time, with 4 bytes a pair of switches for the ways by target, and a byte by
// LID of a host and switch for the tables turned round.
package ftree
